//! Marks of words: which terms of a query each word of a dictionary matches, so that a scan only looks up numbers.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    byte_strings::ByteStrings,
    grouped::Grouped,
    postings::WordCounts,
    query_term_matcher::QueryTermMatcher,
    segment::{IndexedFile, Segment},
    token_stream_codec::FIRST_WORD,
    words_by_first_letters::{FOLDED_LETTERS, WordsByFirstLetters, folded_letters},
};
use retriever_workspace::Cancellation;

/// Marks of a word, beside the number of its term in the low byte.
pub(super) const MATCHES: u16 = 1 << 8;
pub(super) const IS_ABBREVIATION: u16 = 1 << 9;
/// A term that is a whole identifier may begin with the word.
pub(super) const BEGINS_IDENTIFIER: u16 = 1 << 10;
/// The integer is no word.
const NO_WORD: u16 = 1 << 11;
/// A term that is a whole identifier may end with the word.
const ENDS_IDENTIFIER: u16 = 1 << 12;

/// What the words of a dictionary have to do with a query.
pub(super) struct WordMarks {
    /// The marks of each integer of a token stream.
    pub(super) of_integers: Vec<u16>,
    /// The words that have marks, in order.
    marked: Vec<u32>,
    /// The identifiers of the query that a word begins and ends.
    pub(super) identifiers: FxHashMap<u32, (u64, u64)>,
}

impl WordMarks {
    /// Compares the words of a dictionary with the terms of `matcher`. There are no marks if that is cancelled.
    pub(super) fn new(
        dictionary: &ByteStrings,
        letters: &WordsByFirstLetters,
        matcher: &QueryTermMatcher,
        cancellation: &Cancellation,
    ) -> Self {
        let words = Words { dictionary, letters, matcher };
        let mut found = words.terms(cancellation).unwrap_or_default();
        found.extend(words.parts_of_identifiers());
        found.sort_unstable();
        let mut of_integers = vec![0; FIRST_WORD as usize + 2 * dictionary.len()];
        of_integers[..FIRST_WORD as usize].fill(NO_WORD);
        let (mut marked, mut identifiers): (Vec<u32>, _) = (Vec::new(), FxHashMap::default());
        for (id, marks) in found {
            // Each word has two integers: at the start of an identifier and inside of it.
            let at = FIRST_WORD as usize + 2 * id as usize;
            of_integers[at..at + 2].iter_mut().for_each(|known| *known |= marks);
            if marks & (BEGINS_IDENTIFIER | ENDS_IDENTIFIER) != 0 {
                identifiers.insert(id, matcher.identifiers_at(dictionary.get(id)));
            }
            if marked.last() != Some(&id) {
                marked.push(id);
            }
        }
        Self { of_integers, marked, identifiers }
    }

    /// Returns the marks of a word.
    pub(super) fn of(&self, word: u32) -> u16 {
        let at = FIRST_WORD as usize + 2 * word as usize;
        self.of_integers.get(at).copied().unwrap_or_default()
    }
}

/// The words of a dictionary, and the terms that they are compared with.
struct Words<'a> {
    dictionary: &'a ByteStrings,
    letters: &'a WordsByFirstLetters,
    matcher: &'a QueryTermMatcher,
}

impl Words<'_> {
    /// Returns the words that match terms, each with its mark; none if that is cancelled.
    fn terms(&self, cancellation: &Cancellation) -> Option<Vec<(u32, u16)>> {
        let first_letters: Vec<u16> = self.matcher.first_letters().collect();
        let of_letters = first_letters.par_iter().with_max_len(1).map(|letters| {
            cancellation.check().ok()?;
            let stems = self.letters.stems(*letters, self.dictionary)?;
            let words = self.letters.ids(*letters).iter().zip(stems.iter());
            let mark = |(id, stem): (&u32, &[u8])| {
                let (term, strength) =
                    self.matcher.match_stemmed(self.dictionary.get(*id), |_| Some(stem))?;
                let is_abbreviation = if strength < 1.0 { IS_ABBREVIATION } else { 0 };
                Some((*id, MATCHES | is_abbreviation | u16::from(term)))
            };
            Some(words.filter_map(mark).collect::<Vec<(u32, u16)>>())
        });
        Some(of_letters.collect::<Option<Vec<_>>>()?.concat())
    }

    /// Returns the words that an identifier of the query begins and ends with, each with its mark.
    fn parts_of_identifiers(&self) -> Vec<(u32, u16)> {
        let mut found = Vec::new();
        let mut add = |letters: u16, mark: u16, is_part: &dyn Fn(&[u8]) -> bool| {
            let ids = self.letters.ids(letters).iter();
            let parts = ids.filter(|id| is_part(self.dictionary.get(**id)));
            found.extend(parts.map(|id| (*id, mark)));
        };
        for identifier in self.matcher.identifiers() {
            // Longer words in front have the same first letters.
            for end in 1..=identifier.len().min(FOLDED_LETTERS) {
                let is_front = |word: &[u8]| !word.is_empty() && identifier.starts_with(word);
                add(folded_letters(&identifier[..end]), BEGINS_IDENTIFIER, &is_front);
            }
            for start in 0..identifier.len() {
                let back = &identifier[start..];
                add(folded_letters(back), ENDS_IDENTIFIER, &|word| word == back);
            }
        }
        found
    }
}

/// The words of the files of a segment that have marks, by the number of a file and in the order of their numbers.
pub(super) struct MarkedWords(Grouped<(u32, WordCounts)>);

impl MarkedWords {
    pub(super) fn new(segment: &Segment, marks: &WordMarks) -> Self {
        let of_word = |word: &u32| segment.postings.of(*word).collect::<Vec<_>>();
        let found: Vec<Vec<(u32, WordCounts)>> =
            marks.marked.par_iter().with_max_len(1).map(of_word).collect();
        let marked = marks.marked.iter().zip(&found).flat_map(|(word, found)| {
            found.iter().map(move |(file, counts)| (*file, (*word, *counts)))
        });
        Self(Grouped::of(marked))
    }

    /// Returns those of a file, each with its counts.
    pub(super) fn of(&self, file: &IndexedFile) -> &[(u32, WordCounts)] {
        self.0.of_group(file.number)
    }
}

/// Returns the number of the term that a word with [`MATCHES`] is.
pub(super) fn term_of(marks: u16) -> u8 {
    marks.to_le_bytes()[0]
}
