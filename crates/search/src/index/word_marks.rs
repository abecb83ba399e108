//! Marks of words: what each word of a dictionary has to do with the terms of a query, so that a scan only looks up numbers.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    byte_strings::ByteStrings,
    postings::WordCounts,
    query_term_matcher::QueryTermMatcher,
    segment::{IndexedFile, Segment},
    token_stream_codec::FIRST_WORD,
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

/// Fewest words for a task.
const MIN_WORDS: usize = 1 << 12;
/// Words between two looks at the cancellation.
const CHECK_INTERVAL: u32 = 1 << 12;

/// What the words of a dictionary have to do with a query.
pub(super) struct WordMarks {
    /// The marks of each integer of a token stream.
    pub(super) of_integers: Vec<u16>,
    /// The identifiers of the query that a word begins and ends.
    pub(super) identifiers: FxHashMap<u32, (u64, u64)>,
}

impl WordMarks {
    /// Compares the words of a dictionary with the terms of `matcher`. There are no marks if that is cancelled.
    pub(super) fn new(
        dictionary: &ByteStrings,
        matcher: &QueryTermMatcher,
        cancellation: &Cancellation,
    ) -> Self {
        let of_integers = marks(dictionary, matcher, cancellation);
        let words = of_integers.get(FIRST_WORD as usize..).unwrap_or_default();
        // Each word has two integers.
        let is_part =
            |(_, marks): &(u32, &u16)| **marks & (BEGINS_IDENTIFIER | ENDS_IDENTIFIER) != 0;
        let parts = (0..).zip(words.iter().step_by(2)).filter(is_part);
        let identifiers_at = |(id, _)| (id, matcher.identifiers_at(dictionary.get(id)));
        Self { identifiers: parts.map(identifiers_at).collect(), of_integers }
    }

    /// Returns the marks of a word.
    pub(super) fn of(&self, word: u32) -> u16 {
        let at = FIRST_WORD as usize + 2 * word as usize;
        self.of_integers.get(at).copied().unwrap_or_default()
    }

    /// Returns the words that have marks, in order.
    fn marked(&self) -> impl Iterator<Item = u32> {
        let words = self.of_integers.get(FIRST_WORD as usize..).unwrap_or_default();
        // Each word has two integers.
        (0..).zip(words.iter().step_by(2)).filter(|(_, marks)| **marks != 0).map(|(word, _)| word)
    }
}

/// The words of the files of a segment that have marks.
pub(super) struct MarkedWords {
    /// By the number of a file: where its words end.
    ends: Vec<u32>,
    /// By file, and in the order of their numbers.
    words: Vec<(u32, WordCounts)>,
}

impl MarkedWords {
    pub(super) fn new(segment: &Segment, marks: &WordMarks) -> Self {
        let found = || {
            marks.marked().flat_map(|word| {
                segment.postings.of(word).map(move |(file, counts)| (word, file, counts))
            })
        };
        // First how many words each file has, then where they begin, then, as each word is put behind the one before,
        // where they end.
        let mut ends: Vec<u32> = Vec::new();
        for (_, file, _) in found() {
            let at = file as usize;
            if ends.len() <= at {
                ends.resize(at + 1, 0);
            }
            ends[at] += 1;
        }
        let mut all = 0;
        for end in &mut ends {
            all += std::mem::replace(end, all);
        }
        let mut words = vec![(0, WordCounts::default()); all as usize];
        for (word, file, counts) in found() {
            let end = &mut ends[file as usize];
            words[*end as usize] = (word, counts);
            *end += 1;
        }
        Self { ends, words }
    }

    /// Returns those of a file, each with its counts.
    pub(super) fn of(&self, file: &IndexedFile) -> &[(u32, WordCounts)] {
        let at = file.number as usize;
        let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range = start.zip(self.ends.get(at)).map(|(start, end)| start as usize..*end as usize);
        range.and_then(|range| self.words.get(range)).unwrap_or_default()
    }
}

/// Returns the number of the term that a word with [`MATCHES`] is.
pub(super) fn term_of(marks: u16) -> u8 {
    marks.to_le_bytes()[0]
}

/// Compares the words of a dictionary with the terms; returns the marks of each integer of its streams.
fn marks(
    dictionary: &ByteStrings,
    matcher: &QueryTermMatcher,
    cancellation: &Cancellation,
) -> Vec<u16> {
    let (mut first_bytes, mut last_bytes) = ([false; 256], [false; 256]);
    let identifiers: Vec<&[u8]> = matcher.identifiers().collect();
    for identifier in &identifiers {
        if let (Some(first), Some(last)) = (identifier.first(), identifier.last()) {
            first_bytes[usize::from(*first)] = true;
            last_bytes[usize::from(*last)] = true;
        }
    }
    let marks_of = |buffer: &mut Vec<u8>, id: u32| {
        if id.is_multiple_of(CHECK_INTERVAL) && cancellation.is_cancelled() {
            return None;
        }
        let word = dictionary.get(id);
        let mut marks = match matcher.match_word(word, buffer) {
            Some((term, strength)) if strength < 1.0 => MATCHES | IS_ABBREVIATION | u16::from(term),
            Some((term, _)) => MATCHES | u16::from(term),
            None => 0,
        };
        let may_begin = word.first().is_some_and(|byte| first_bytes[usize::from(*byte)]);
        if may_begin && identifiers.iter().any(|identifier| identifier.starts_with(word)) {
            marks |= BEGINS_IDENTIFIER;
        }
        let may_end = word.last().is_some_and(|byte| last_bytes[usize::from(*byte)]);
        if may_end && identifiers.iter().any(|identifier| identifier.ends_with(word)) {
            marks |= ENDS_IDENTIFIER;
        }
        Some(marks)
    };
    let words = dictionary.ids().into_par_iter().with_min_len(MIN_WORDS);
    let words: Option<Vec<u16>> = words.map_init(Vec::new, marks_of).collect();
    let mut marks = vec![NO_WORD; FIRST_WORD as usize];
    // Each word has two integers: at the start of an identifier and inside of it.
    marks.extend(words.unwrap_or_default().into_iter().flat_map(|mark| [mark, mark]));
    marks
}
