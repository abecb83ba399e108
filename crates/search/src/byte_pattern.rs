//! The patterns of recon's tables, compiled when a text first needs them. Most questions need a few of them, and each costs
//! more than a page of text takes to read.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// Letters and digits: those of ASCII, and everything beyond it, as in [`crate::words`].
const WORD: &str = r"0-9A-Za-z_\x80-\xFF";

/// A pattern of a table.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    /// The pattern, ready to be used; none when it is no pattern.
    fn get(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compiled(self.text)).as_ref()
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.get().is_some_and(|pattern| pattern.is_match(text.as_bytes()))
    }

    /// Matches in `text`, as far as `most`.
    pub(crate) fn count(&self, text: &str, most: usize) -> usize {
        self.get().map_or(0, |pattern| pattern.find_iter(text.as_bytes()).take(most).count())
    }
}

/// Compiles a pattern over bytes: to know the letters and spaces of all scripts costs a pattern most of the time that it takes to
/// compile, and tables of code ask for those of ASCII. Beyond it everything is a letter.
pub(crate) fn compiled(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(&plain(pattern)).unicode(false).build().ok()
}

/// Compiles several that are looked for together.
pub(crate) fn compiled_set<'p>(patterns: impl Iterator<Item = &'p str>) -> Option<RegexSet> {
    RegexSetBuilder::new(patterns.map(plain)).unicode(false).build().ok()
}

/// Returns `pattern` with every `\w` in the sense of this module.
fn plain(pattern: &str) -> String {
    let mut written = String::with_capacity(2 * pattern.len());
    let mut in_class = false;
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('w') if in_class => written.push_str(WORD),
                Some('w') => ["[", WORD, "]"].iter().for_each(|part| written.push_str(part)),
                escaped => {
                    written.push('\\');
                    written.extend(escaped);
                }
            },
            letter => {
                in_class = (in_class || letter == '[') && letter != ']';
                written.push(letter);
            }
        }
    }
    written
}
