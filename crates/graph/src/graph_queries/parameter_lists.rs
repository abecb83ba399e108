//! The parameters of a function, as its signature writes them.

/// A list of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterList<'s> {
    /// The text of each, without blanks around it.
    pub parameters: Vec<&'s str>,
    /// Whether the text has all of them: that of a long signature may be cut.
    pub is_whole: bool,
}

impl<'s> ParameterList<'s> {
    /// Reads the list that `text` begins with, behind its parenthesis.
    pub fn behind_parenthesis(text: &'s str) -> Self {
        let (mut parameters, mut begin) = (Vec::new(), 0);
        let mut add =
            |text: &'s str| parameters.extend(Some(text.trim()).filter(|it| !it.is_empty()));
        let mut brackets = Brackets::default();
        for (at, letter) in text.char_indices() {
            let is_end = letter == ')' && brackets.has_none_open();
            if is_end || letter == ',' && brackets.open.is_empty() {
                add(&text[begin..at]);
                begin = at + 1;
            }
            if is_end {
                return Self { parameters, is_whole: true };
            }
            brackets.read(letter);
        }
        add(&text[begin..]);
        Self { parameters, is_whole: false }
    }
}

/// Returns what stands behind the brackets that `text` begins with; nothing if they stay open.
pub fn behind_brackets(text: &str) -> Option<&str> {
    let mut brackets = Brackets::default();
    for (at, letter) in text.char_indices() {
        brackets.read(letter);
        if brackets.open.is_empty() {
            return text.get(at + letter.len_utf8()..);
        }
    }
    None
}

/// The brackets that are open at a place of a text. `<` and `>` are brackets as far as they fit between the others: an arrow closes
/// none, and a comparison in a default value opens none that another bracket would not close.
#[derive(Default)]
struct Brackets {
    open: Vec<char>,
    before: char,
}

impl Brackets {
    fn read(&mut self, letter: char) {
        match letter {
            '(' | '[' | '{' | '<' => self.open.push(letter),
            '>' if matches!(self.before, '-' | '=') => {}
            '>' => drop(self.open.pop_if(|open| *open == '<')),
            ')' | ']' | '}' if !self.has_none_open() => {
                while self.open.pop().is_some_and(|open| open == '<') {}
            }
            _ => {}
        }
        self.before = letter;
    }

    /// Whether the next bracket to close was opened before the text.
    fn has_none_open(&self) -> bool {
        self.open.iter().all(|open| *open == '<')
    }
}
