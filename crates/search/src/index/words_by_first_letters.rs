//! The words of a dictionary by their first letters. A query's terms begin with few different letters, so a question
//! looks at a few hundredths of the words. Their stems are kept for later questions.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::{byte_strings::ByteStrings, grouped::Grouped};
use crate::words;

/// Letters whose case is folded into five bits each.
pub(super) const FOLDED_LETTERS: usize = 3;
/// Numbers that [`folded_letters`] returns.
pub(super) const GROUPS: usize = 1 << (5 * FOLDED_LETTERS);
/// Fewest words for a task.
const MIN_WORDS: usize = 1 << 12;

/// The words of one dictionary.
#[derive(Debug)]
pub(super) struct WordsByFirstLetters {
    /// The numbers of the words, by group.
    ids: Grouped<u32>,
    /// The stems of the words of a group, once they were asked for.
    stems: Vec<OnceLock<Box<ByteStrings>>>,
}

impl WordsByFirstLetters {
    /// Returns those of `dictionary`, which `known` keeps.
    pub(super) fn of<'k>(known: &'k OnceLock<Self>, dictionary: &ByteStrings) -> &'k Self {
        if let Some(known) = known.get() {
            return known;
        }
        // Not inside `get_or_init`: the threads of the pool that wait there could not do the work.
        let words = Self::new(dictionary);
        known.get_or_init(|| words)
    }

    fn new(dictionary: &ByteStrings) -> Self {
        let words = dictionary.ids().into_par_iter().with_min_len(MIN_WORDS);
        let groups: Vec<u16> = words.map(|id| folded_letters(dictionary.get(id))).collect();
        let ids = Grouped::of(groups.iter().map(|group| u32::from(*group)).zip(dictionary.ids()));
        let stems = std::iter::repeat_with(OnceLock::new).take(GROUPS).collect();
        Self { ids, stems }
    }

    /// Returns the numbers of the words that begin with letters, in order.
    pub(super) fn ids(&self, letters: u16) -> &[u32] {
        self.ids.of_group(letters.into())
    }

    /// Returns the stems of the words that begin with letters, in the order of their numbers; that of what is no text is empty.
    pub(super) fn stems(&self, letters: u16, dictionary: &ByteStrings) -> Option<&ByteStrings> {
        let stems = || {
            let mut stems = ByteStrings::default();
            for id in self.ids(letters) {
                let stem = std::str::from_utf8(dictionary.get(*id)).map(words::stem);
                stems.push(stem.unwrap_or_default().as_bytes());
            }
            Box::new(stems)
        };
        Some(self.stems.get(usize::from(letters))?.get_or_init(stems))
    }
}

/// Folds the first letters of a word into 15 bits, without regard to case.
pub(super) fn folded_letters(word: &[u8]) -> u16 {
    let fold = |at: usize| u16::from(word.get(at).copied().unwrap_or(0) & 31);
    fold(0) << 10 | fold(1) << 5 | fold(2)
}
