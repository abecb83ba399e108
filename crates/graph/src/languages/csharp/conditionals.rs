//! Conditionals of the preprocessor at places where the grammar has none, rewritten at the same length. The grammar reads
//! them around whole members and statements, with all their branches. Around parts of lists (cases, accessors, bases, values)
//! only the lines of the directives are blanked. Elsewhere, as around heads of types and members, one branch is left: that of
//! a build which has every symbol. So all conditionals of a file are decided alike.

use std::ops::Range;

use retriever_workspace::{WorkBudget, WorkBudgetExhausted};

use super::grammar_workarounds::{Piece, Pieces, token};
use crate::languages::same_length_rewriting::blank;

/// Conditionals and brackets that may be open.
const MAX_DEPTH: usize = 200;
/// Words by which a part of a list begins that ends like a statement.
const LIST_WORDS: [&[u8]; 9] =
    [b"case", b"default", b"catch", b"finally", b"get", b"set", b"init", b"add", b"remove"];

/// Returns the text without the conditionals that the grammar can't read; `None` if there are none.
///
/// # Errors
///
/// [`WorkBudgetExhausted`] when the budget ends.
pub(super) fn without_conditionals(
    source: &str,
    budget: &WorkBudget,
) -> Result<Option<String>, WorkBudgetExhausted> {
    if !source.contains("#if") && !source.contains("# if") {
        return Ok(None);
    }
    budget.spend(source.len() as u64 / 4)?;
    let mut reader = Reader::new(source, budget);
    reader.read()?;
    if reader.blanked.is_empty() {
        return Ok(None);
    }
    budget.allocate(source.len() as u64)?;
    let mut plain = source.as_bytes().to_vec();
    for range in reader.blanked {
        budget.spend(1 + range.len() as u64 / 16)?;
        blank(&mut plain[range]);
    }
    Ok(String::from_utf8(plain).ok())
}

/// How the grammar reads a conditional.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reading {
    /// As a conditional.
    Whole,
    /// Not, but all branches can stand one behind the other.
    List,
    /// Not, and one branch alone can stand there.
    OneBranch,
}

/// A conditional that is open.
struct Conditional {
    directives: Vec<Range<usize>>,
    branches: Vec<Range<usize>>,
    /// The branch that is compiled.
    taken: Option<usize>,
    reading: Reading,
    /// The last byte of code before it.
    before: u8,
    /// Brackets that are open where it starts, and behind the branch that is compiled.
    outer: Vec<u8>,
    behind: Vec<u8>,
    /// The fewest brackets that were open in it.
    fewest: usize,
    /// Where the code of the current branch starts.
    first: Option<usize>,
}

struct Reader<'s> {
    source: &'s [u8],
    budget: &'s WorkBudget,
    open: Vec<u8>,
    conditionals: Vec<Conditional>,
    /// Where the last byte of code stands.
    last: Option<usize>,
    blanked: Vec<Range<usize>>,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str, budget: &'s WorkBudget) -> Self {
        let (open, conditionals, blanked) = (Vec::new(), Vec::new(), Vec::new());
        Self { source: source.as_bytes(), budget, open, conditionals, last: None, blanked }
    }

    fn read(&mut self) -> Result<(), WorkBudgetExhausted> {
        let (mut line_start, mut directive_end) = (true, 0);
        for (at, piece) in Pieces::new(self.source) {
            let byte = self.source[at];
            if at < directive_end {
                continue;
            }
            if line_start && byte == b'#' && piece == Piece::Code {
                directive_end = self.directive(at)?;
                continue;
            }
            line_start = byte == b'\n' || line_start && byte.is_ascii_whitespace();
            let is_comment = || matches!(self.source[at..], [b'/', b'/' | b'*', ..]);
            if byte.is_ascii_whitespace() || piece == Piece::Code && is_comment() {
                // A comment ends behind its line.
                line_start |= piece == Piece::Code && self.source[at..].starts_with(b"//");
                continue;
            }
            self.last =
                Some(at + if piece == Piece::Code { token(&self.source[at..]) } else { 1 } - 1);
            if let Some(inner) = self.conditionals.last_mut() {
                inner.first.get_or_insert(at);
            }
            if piece == Piece::Code {
                self.bracket(byte);
            }
        }
        Ok(())
    }

    fn bracket(&mut self, byte: u8) {
        match byte {
            b'(' | b'[' | b'{' if self.open.len() < MAX_DEPTH => self.open.push(byte),
            b')' | b']' | b'}' => {
                self.open.pop();
                if let Some(inner) = self.conditionals.last_mut() {
                    inner.fewest = inner.fewest.min(self.open.len());
                }
            }
            _ => {}
        }
    }

    /// Reads the directive that starts at `at`; returns where its line ends.
    fn directive(&mut self, at: usize) -> Result<usize, WorkBudgetExhausted> {
        let rest = &self.source[at..];
        let end = at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let text = self.source[at + 1..end].trim_ascii();
        let (word, condition) = text.split_at(word_length(text));
        self.budget.spend(1 + self.open.len() as u64 / 16)?;
        match word {
            b"if" if self.conditionals.len() < MAX_DEPTH => {
                self.budget.allocate(2 * self.open.len() as u64)?;
                self.conditionals.push(Conditional {
                    directives: std::iter::once(at..end).collect(),
                    branches: Vec::new(),
                    taken: Condition::holds(condition).then_some(0),
                    reading: Reading::Whole,
                    before: self.last.map_or(b';', |last| self.source[last]),
                    outer: self.open.clone(),
                    behind: self.open.clone(),
                    fewest: self.open.len(),
                    first: None,
                });
            }
            b"elif" | b"else" => {
                self.end_branch(at..end);
                if let Some(inner) = self.conditionals.last_mut() {
                    let holds = word == b"else" || Condition::holds(condition);
                    inner.taken = inner.taken.or_else(|| holds.then_some(inner.branches.len()));
                    self.open.clone_from(&inner.outer);
                }
            }
            b"endif" => {
                self.end_branch(at..end);
                if let Some(inner) = self.conditionals.pop() {
                    self.end(inner);
                }
            }
            _ => {}
        }
        Ok(end)
    }

    /// Ends the current branch at the directive that stands on these bytes.
    fn end_branch(&mut self, directive: Range<usize>) {
        let Some(inner) = self.conditionals.last_mut() else { return };
        let start = inner.directives.last().map_or(0, |before| before.end);
        let is_balanced = self.open == inner.outer && inner.fewest == inner.outer.len();
        let code = inner
            .first
            .take()
            .zip(self.last)
            .map_or(&[][..], |(first, last)| &self.source[first..=last.max(first)]);
        let reading = match is_balanced {
            true => reading(code, inner.before, inner.outer.last().copied()),
            false => Reading::OneBranch,
        };
        inner.reading = inner.reading.max(reading);
        if inner.taken == Some(inner.branches.len()) {
            inner.behind.clone_from(&self.open);
        }
        inner.branches.push(start..directive.start);
        inner.directives.push(directive);
    }

    fn end(&mut self, ended: Conditional) {
        if ended.reading > Reading::Whole {
            self.blanked.extend(ended.directives);
        }
        let start = ended.branches.first().map_or(0, |branch| branch.start);
        if ended.reading == Reading::OneBranch {
            let branches = ended.branches.into_iter().enumerate();
            let left_out = branches.filter(|(place, _)| Some(*place) != ended.taken);
            self.blanked.extend(left_out.map(|(_, branch)| branch));
        }
        self.open = ended.behind;
        if let Some(outer) = self.conditionals.last_mut() {
            outer.fewest = outer.fewest.min(ended.fewest);
            if outer.first.is_none() && self.last.is_some_and(|last| last >= start) {
                outer.first = Some(start);
            }
        }
    }
}

/// How the grammar reads a branch that closes the brackets that it opens; `before` is the byte before the conditional.
fn reading(code: &[u8], before: u8, bracket: Option<u8>) -> Reading {
    let code = code.trim_ascii_start();
    let (Some(first), Some(last)) = (code.first(), code.last()) else { return Reading::Whole };
    let is_list = *first == b',' || *last == b',' && matches!(before, b',' | b'{' | b'[');
    if is_list && bracket != Some(b'(') {
        return Reading::List;
    }
    if matches!(bracket, Some(b'(' | b'[')) {
        return Reading::OneBranch;
    }
    let word = &code[..word_length(code)];
    let ends = matches!(last, b';' | b'}') && matches!(before, b'{' | b'}' | b';' | b':');
    let is_attribute =
        (*first, *last) == (b'[', b']') && matches!(before, b'{' | b'}' | b';' | b']');
    match word {
        b"else" => Reading::OneBranch,
        word if ends && LIST_WORDS.contains(&word) => Reading::List,
        _ if ends => Reading::Whole,
        _ if is_attribute => Reading::List,
        _ => Reading::OneBranch,
    }
}

fn word_length(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}

/// A condition in which every symbol is defined.
struct Condition<'s> {
    rest: &'s [u8],
    /// Operators that may still be inside one another.
    levels: usize,
}

impl<'s> Condition<'s> {
    fn holds(text: &'s [u8]) -> bool {
        Self { rest: text, levels: MAX_DEPTH }.any()
    }

    fn any(&mut self) -> bool {
        let mut holds = self.all();
        while self.take(b"||") {
            holds |= self.all();
        }
        holds
    }

    fn all(&mut self) -> bool {
        let mut holds = self.equal();
        while self.take(b"&&") {
            holds &= self.equal();
        }
        holds
    }

    fn equal(&mut self) -> bool {
        let holds = self.one();
        if self.take(b"==") {
            return holds == self.one();
        }
        if self.take(b"!=") { holds != self.one() } else { holds }
    }

    fn one(&mut self) -> bool {
        let Some(levels) = self.levels.checked_sub(1) else { return true };
        let before = std::mem::replace(&mut self.levels, levels);
        let holds = if self.take(b"!") {
            !self.one()
        } else if self.take(b"(") {
            let holds = self.any();
            self.take(b")");
            holds
        } else {
            self.rest = self.rest.trim_ascii_start();
            let (word, rest) = self.rest.split_at(word_length(self.rest));
            self.rest = rest;
            word != b"false"
        };
        self.levels = before;
        holds
    }

    /// Takes an operator that stands next.
    fn take(&mut self, operator: &[u8]) -> bool {
        self.rest = self.rest.trim_ascii_start();
        let rest = self.rest.strip_prefix(operator);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}
