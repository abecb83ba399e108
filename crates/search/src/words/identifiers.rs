//! Splits identifiers and text into words: at separators, and at changes of case.

use std::{collections::BTreeSet, ops::Range};

/// Calls `found` with every word of an identifier: `HTTPServer_name2` gives `HTTP`, `Server`, `name2`.
#[inline]
pub(crate) fn split_identifier<'a>(identifier: &'a [u8], mut found: impl FnMut(&'a [u8])) {
    let mut start = 0;
    for at in 0..=identifier.len() {
        let ends = match identifier.get(at) {
            None => true,
            Some(byte) if !is_word_byte(*byte) || *byte == b'_' => {
                if start < at {
                    found(&identifier[start..at]);
                }
                start = at + 1;
                continue;
            }
            Some(byte) => {
                byte.is_ascii_uppercase()
                    && at > start
                    && (!identifier[at - 1].is_ascii_uppercase()
                        || identifier.get(at + 1).is_some_and(u8::is_ascii_lowercase))
            }
        };
        if ends && start < at {
            found(&identifier[start..at]);
            start = at;
        }
    }
}

/// Returns the lower-case words of an identifier.
pub(crate) fn subwords(identifier: &str) -> Vec<String> {
    let mut words = Vec::new();
    split_identifier(identifier.as_bytes(), |word| {
        words.push(String::from_utf8_lossy(word).to_lowercase());
    });
    words
}

/// Returns the number of words of an identifier.
pub(crate) fn subword_count(identifier: &str) -> usize {
    let mut count = 0;
    split_identifier(identifier.as_bytes(), |_| count += 1);
    count
}

/// Returns an identifier in lower case and without separators: `merge_cookies` and `mergeCookies` are equal.
pub(crate) fn normalized(identifier: &str) -> String {
    identifier.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a byte can be part of an identifier or word. Every byte beyond ASCII counts as a letter.
#[inline]
pub(crate) const fn is_word_byte(byte: u8) -> bool {
    WORD_BYTES[byte as usize]
}

/// A lookup by byte is faster than the comparisons, and every byte of a tree's text is looked up.
static WORD_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        let ascii = byte as u8;
        table[byte] = ascii.is_ascii_alphanumeric() || ascii == b'_' || ascii >= 0x80;
        byte += 1;
    }
    table
};

/// Returns the lower-case words inside `text`: `parseHTTPHeader_v2` gives `parse`, `http`, `header`, `v2`.
pub fn words_in(text: &str) -> BTreeSet<String> {
    SplitWords::of(text).iter().map(str::to_owned).collect()
}

/// The words inside a text, in lower case and in order. One allocation holds all of them.
pub(crate) struct SplitWords {
    lower: String,
    words: Vec<Range<usize>>,
}

impl SplitWords {
    /// Splits `text`; scripts beyond ASCII are split at changes of case, too.
    pub(crate) fn of(text: &str) -> Self {
        if text.is_ascii() { Self::of_ascii(text) } else { Self::of_unicode(text) }
    }

    /// Every word, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|range| &self.lower[range.clone()])
    }

    /// Sorts the words and leaves each in once.
    pub(crate) fn sort_unique(&mut self) {
        let Self { lower, words } = self;
        // Most words occur several times; a hash set is faster than sorting all of them.
        let mut known: rustc_hash::FxHashSet<&str> = rustc_hash::FxHashSet::default();
        words.retain(|range| known.insert(&lower[range.clone()]));
        words.sort_unstable_by(|a, b| lower[a.clone()].cmp(&lower[b.clone()]));
    }

    /// Returns the first word that is not below `word`. The words have to be sorted.
    pub(crate) fn first_not_below(&self, word: &str) -> Option<&str> {
        let at = self.words.partition_point(|range| &self.lower[range.clone()] < word);
        self.words.get(at).map(|range| &self.lower[range.clone()])
    }

    fn of_ascii(text: &str) -> Self {
        let mut split = Self { lower: String::with_capacity(text.len()), words: Vec::new() };
        split_identifier(text.as_bytes(), |word| {
            let start = split.lower.len();
            split.lower.extend(word.iter().map(|byte| char::from(byte.to_ascii_lowercase())));
            split.words.push(start..split.lower.len());
        });
        split
    }

    fn of_unicode(text: &str) -> Self {
        let mut split = Self { lower: String::with_capacity(text.len()), words: Vec::new() };
        for run in text.split(|c: char| !c.is_alphanumeric()) {
            split.push_run(run);
        }
        split
    }

    /// Adds the words of a run of letters and digits.
    fn push_run(&mut self, run: &str) {
        let mut start = self.lower.len();
        let mut previous: Option<char> = None;
        let mut chars = run.chars().peekable();
        while let Some(c) = chars.next() {
            let after_lower = previous.is_some_and(|previous| !previous.is_uppercase());
            let before_lower = chars.peek().is_some_and(|next| next.is_lowercase());
            if c.is_uppercase() && self.lower.len() > start && (after_lower || before_lower) {
                self.words.push(start..self.lower.len());
                start = self.lower.len();
            }
            if c.is_ascii() {
                self.lower.push(c.to_ascii_lowercase());
            } else {
                self.lower.extend(c.to_lowercase());
            }
            previous = Some(c);
        }
        if self.lower.len() > start {
            self.words.push(start..self.lower.len());
        }
    }
}
