//! Regular expressions of the built-in tables, compiled when a text first needs them. Most queries need few of them, and
//! each takes longer to compile than a page of text to read.
//!
//! They match bytes: the Unicode classes of letters and spaces are most of what a pattern takes to compile. `\w` stands for
//! the letters and digits of ASCII and everything beyond it, as in [`crate::words`].

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// The members of `\w`.
const WORD_CLASS: &str = r"0-9A-Za-z_\x80-\xFF";

/// A pattern of a table.
#[derive(Debug)]
pub(crate) struct LazyBytePattern {
    text: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl LazyBytePattern {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    /// Whether the pattern matches somewhere in `text`.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text.as_bytes()))
    }

    /// Counts matches in `text`, up to `limit`.
    pub(crate) fn count(&self, text: &str, limit: usize) -> usize {
        self.regex().map_or(0, |regex| regex.find_iter(text.as_bytes()).take(limit).count())
    }

    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(self.text)).as_ref()
    }
}

/// Compiles a pattern.
pub(crate) fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(&with_byte_classes(pattern)).unicode(false).build().ok()
}

/// Compiles patterns that are searched for together.
pub(crate) fn compile_set<'p>(patterns: impl Iterator<Item = &'p str>) -> Option<RegexSet> {
    RegexSetBuilder::new(patterns.map(with_byte_classes)).unicode(false).build().ok()
}

/// Returns `pattern` with the byte class in place of every `\w`.
fn with_byte_classes(pattern: &str) -> String {
    let mut expanded = String::with_capacity(2 * pattern.len());
    let mut in_class = false;
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('w') if in_class => expanded.push_str(WORD_CLASS),
                Some('w') => {
                    ["[", WORD_CLASS, "]"].iter().for_each(|part| expanded.push_str(part));
                }
                escaped => {
                    expanded.push('\\');
                    expanded.extend(escaped);
                }
            },
            letter => {
                in_class = (in_class || letter == '[') && letter != ']';
                expanded.push(letter);
            }
        }
    }
    expanded
}
