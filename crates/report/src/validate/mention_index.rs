//! The evidence in which the mentions of a text are looked up.

use std::collections::BTreeSet;

use crate::mentions::{Mention, numbers_in};

/// Delivered text with the names and paths that count as mentioned in it.
pub(super) struct MentionIndex {
    text: String,
    lower: String,
    names: BTreeSet<String>,
    paths: BTreeSet<String>,
    numbers: Vec<u64>,
}

impl MentionIndex {
    pub(super) fn new(
        text: String,
        names: impl IntoIterator<Item = String>,
        paths: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            lower: text.to_lowercase(),
            numbers: numbers_in(&text),
            names: names.into_iter().collect(),
            paths: paths.into_iter().collect(),
            text,
        }
    }

    /// Whether the evidence contains `mention`.
    pub(super) fn contains(&self, mention: &Mention) -> bool {
        match mention {
            Mention::Identifier(name) => {
                self.contains_name(name)
                    || name.strip_suffix('s').is_some_and(|singular| self.contains_name(singular))
            }
            Mention::Word(word) => self.contains_ignoring_case(word) || self.contains_name(word),
            Mention::File(file) => {
                let file = match file.rsplit_once(':') {
                    Some((path, lines)) if lines.starts_with(|c: char| c.is_ascii_digit()) => path,
                    _ => file,
                };
                let file = file.trim_start_matches("./");
                let tail = format!("/{file}");
                self.text.contains(file)
                    || self.paths.iter().any(|path| path == file || path.ends_with(&tail))
            }
            Mention::Quantity(value) => {
                self.numbers.iter().any(|number| is_same_amount(*number, *value))
            }
        }
    }

    /// Whether the text contains `word` in any case.
    pub(super) fn contains_ignoring_case(&self, word: &str) -> bool {
        has_word(&self.lower, &word.to_lowercase())
    }

    fn contains_name(&self, name: &str) -> bool {
        self.names.contains(name)
            || has_word(&self.text, name)
            || self.paths.iter().any(|path| has_word(path, name))
    }
}

/// Whether two numbers are the same amount in two units of time or size.
fn is_same_amount(a: u64, b: u64) -> bool {
    const FACTORS: [u64; 10] =
        [1, 24, 60, 1_000, 1_024, 3_600, 60_000, 1_000_000, 1_048_576, 1_000_000_000];
    FACTORS
        .iter()
        .any(|factor| a.checked_mul(*factor) == Some(b) || b.checked_mul(*factor) == Some(a))
}

/// Whether `name` occurs in `text` without a letter, digit or underscore next to it.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            !text[..at].chars().next_back().is_some_and(is_word)
                && !text[at + name.len()..].chars().next().is_some_and(is_word)
        })
}
