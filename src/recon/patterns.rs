//! The patterns of recon's tables, compiled when a text first needs them. Most questions need a few of them, and each costs
//! more than a page of text takes to read.

use std::sync::OnceLock;

use regex::Regex;

/// Letters and digits: those of ASCII, and everything beyond it, as in [`super::words`]. To tell the letters of all scripts from
/// the rest costs a pattern most of the time that it takes to compile.
const WORD: &str = r"0-9A-Za-z_\x{80}-\x{10FFFF}";

/// A pattern of a table.
#[derive(Debug)]
pub(super) struct Pattern {
    text: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(super) const fn new(text: &'static str) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    /// The pattern, ready to be used; none when it is no pattern.
    pub(super) fn get(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(&plain(self.text)).ok()).as_ref()
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.get().is_some_and(|pattern| pattern.is_match(text))
    }
}

/// Returns `pattern` with every `\w` in the sense of this module. A class that has one holds the letters of both cases, and says
/// so: to find that out would mean to go through all letters.
pub(super) fn plain(pattern: &str) -> String {
    let mut written = String::with_capacity(2 * pattern.len());
    // Where the class begins that is open.
    let mut class: Option<usize> = None;
    let mut has_word = false;
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match (letter, class) {
            ('\\', _) => match (letters.next(), class) {
                (Some('w'), Some(_)) => {
                    has_word = true;
                    written.push_str(WORD);
                }
                (Some('w'), None) => {
                    ["(?-i:[", WORD, "])"].iter().for_each(|part| written.push_str(part));
                }
                (escaped, _) => {
                    written.push('\\');
                    written.extend(escaped);
                }
            },
            ('[', None) => {
                class = Some(written.len());
                has_word = false;
                written.push('[');
            }
            (']', Some(start)) => {
                written.push(']');
                class = None;
                if has_word {
                    written.insert_str(start, "(?-i:");
                    written.push(')');
                }
            }
            _ => written.push(letter),
        }
    }
    written
}
