//! Escaping of repository text for messages and terminals.

/// Returns `text` for a model: with control and direction characters escaped, and with `[c1` split so that it cannot be
/// taken for the ID of a place.
pub fn escape_for_model(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\t' => out.push('\t'),
            _ if letter.is_control() || changes_display(letter) => {
                out.extend(letter.escape_unicode());
            }
            '[' => {
                out.push('[');
                let mut ahead = letters.clone();
                if matches!(ahead.next(), Some('c' | 'C'))
                    && ahead.next().is_some_and(|digit| digit.is_ascii_digit())
                {
                    out.push('\u{200b}');
                }
            }
            _ => out.push(letter),
        }
    }
    out
}

/// Returns `text` with control and direction characters escaped.
pub fn escape_control(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter != '\t' && (letter.is_control() || changes_display(letter)) {
            out.extend(letter.escape_unicode());
        } else {
            out.push(letter);
        }
    }
    out
}

/// Returns `text` on one line: line breaks become spaces, other control and direction characters are escaped. For
/// messages with text of paths, files, models and endpoints.
pub fn escape_to_one_line(text: &str) -> String {
    escape_control(&text.replace(['\r', '\n', '\t'], " "))
}

/// Whether `letter` changes the display of other letters, or breaks lines in some viewers.
pub fn changes_display(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}
