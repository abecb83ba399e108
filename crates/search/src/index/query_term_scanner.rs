//! Finds a query's terms in the indexed files. Each word of a dictionary was compared with the terms once, so that a scan
//! only looks up marks by number.
//!
//! How often terms occur in a file follows from its word counts, unless its words may be an identifier or a pair of the query.
//! Only then are its tokens scanned, which takes ten times as long. Both give the same sums, to the last bit.

use std::borrow::Cow;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    dictionary::SegmentDictionary,
    file_words::{FileWords, WordOccurrence},
    full_text_snapshot::FullTextSnapshot,
    query_term_counts::TermTally,
    query_term_matcher::{ABBREVIATED, AdjacentTermDetector, QueryTermMatcher, TermHit},
    segment::{FileTokens, IndexedFile, Segment},
    token_cursor::TokenCursor,
    token_stream_codec::{FIRST_WORD, TokenStreamDecoder, TokenStreamItem, continues, word},
    word_counts::WordCountsDecoder,
};
use retriever_workspace::Cancellation;

/// Marks of a word, beside the number of its term in the low byte.
const MATCHES: u16 = 1 << 8;
const IS_ABBREVIATION: u16 = 1 << 9;
/// A term that is a whole identifier may begin with the word.
const BEGINS_IDENTIFIER: u16 = 1 << 10;
/// The integer is no word.
const NO_WORD: u16 = 1 << 11;
/// A term that is a whole identifier may end with the word.
const ENDS_IDENTIFIER: u16 = 1 << 12;

/// Fewest words for a task.
const MIN_WORDS: usize = 1 << 12;
/// Words between two looks at the cancellation.
const CHECK_INTERVAL: u32 = 1 << 12;

/// A snapshot whose words are compared with a query's terms.
pub(crate) struct QueryTermScanner<'a> {
    pub(crate) index: &'a FullTextSnapshot,
    matcher: &'a QueryTermMatcher,
    /// For each segment the marks of its words.
    marks: Vec<WordMarks>,
}

/// What the words of a dictionary have to do with a query.
struct WordMarks {
    /// The marks of each integer of a token stream.
    of_integers: Vec<u16>,
    /// A bit for each word that has marks.
    has_marks: Vec<u64>,
    /// The identifiers of the query that a word begins and ends.
    identifiers: FxHashMap<u32, (u64, u64)>,
}

impl WordMarks {
    fn new(
        of_integers: Vec<u16>,
        dictionary: &SegmentDictionary,
        matcher: &QueryTermMatcher,
    ) -> Self {
        let words = of_integers.get(FIRST_WORD as usize..).unwrap_or_default();
        // Each word has two integers.
        let bits = |words: &[u16]| {
            let is_marked = words.iter().step_by(2).map(|marks| u64::from(*marks != 0));
            is_marked.enumerate().fold(0, |bits, (at, bit)| bits | bit << at)
        };
        let is_part =
            |(_, marks): &(u32, &u16)| **marks & (BEGINS_IDENTIFIER | ENDS_IDENTIFIER) != 0;
        let parts = (0..).zip(words.iter().step_by(2)).filter(is_part);
        let identifiers_at = |(id, _)| (id, matcher.identifiers_at(dictionary.word(id)));
        Self {
            has_marks: words.chunks(2 * 64).map(bits).collect(),
            identifiers: parts.map(identifiers_at).collect(),
            of_integers,
        }
    }

    #[inline]
    fn of(&self, word: u32) -> u16 {
        let bits = self.has_marks.get(word as usize / 64).copied().unwrap_or_default();
        if bits >> (word % 64) & 1 == 0 {
            return 0;
        }
        let at = FIRST_WORD as usize + 2 * word as usize;
        self.of_integers.get(at).copied().unwrap_or_default()
    }
}

impl<'a> QueryTermScanner<'a> {
    /// Compares the words of `index`. Some are left out if the search is cancelled.
    pub(crate) fn new(
        index: &'a FullTextSnapshot,
        matcher: &'a QueryTermMatcher,
        cancellation: &Cancellation,
    ) -> Self {
        let segments = index.segments();
        let marks = |segment: &Segment| {
            let marks = marks(&segment.dictionary, matcher, cancellation);
            WordMarks::new(marks, &segment.dictionary, matcher)
        };
        let marks = segments.map(marks).collect();
        // They are computed here by all threads, and not by the first task that needs them.
        for segment in index.segments() {
            if segment.vectors(cancellation).is_none() {
                break;
            }
        }
        Self { index, matcher, marks }
    }

    /// Adds up how often terms occur in the text of a file. Returns whether that is all: otherwise its tokens must be scanned,
    /// and the tally is of no use.
    pub(crate) fn tally(&self, (at, file): (usize, &IndexedFile), tally: &mut TermTally) -> bool {
        let (Some(segment), Some(marks)) = (self.index.segment(at), self.marks.get(at)) else {
            return true;
        };
        for (id, counts) in WordCountsDecoder::of(segment.word_counts(file)) {
            let mark = marks.of(id);
            if mark & MATCHES != 0 {
                let term = mark.to_le_bytes()[0];
                if mark & IS_ABBREVIATION == 0 {
                    tally.add(term, counts);
                } else {
                    tally.add_abbreviations(term, counts);
                }
            }
            if mark & (BEGINS_IDENTIFIER | ENDS_IDENTIFIER) != 0 {
                let (begins, ends) = marks.identifiers.get(&id).copied().unwrap_or_default();
                tally.begins |= begins;
                tally.ends |= ends;
            }
        }
        let may_be_adjacent = |(one, other): (u8, u8)| tally.has(one) && tally.has(other);
        tally.begins & tally.ends == 0
            && !self.matcher.pairs().any(may_be_adjacent)
            && !tally.is_mixed()
    }

    /// Calls `found` with every hit in the tokens of a file of a segment, in order.
    pub(crate) fn scan(
        &self,
        segment: usize,
        tokens: &FileTokens<'_>,
        mut found: impl FnMut(TermHit),
    ) {
        let (Some(marks), Some(segment)) = (self.marks.get(segment), self.index.segment(segment))
        else {
            return;
        };
        let marks = marks.of_integers.as_slice();
        let mut stream = TokenStreamDecoder::of(tokens.stream());
        let mut cursor = TokenCursor::default();
        let mut pairs = AdjacentTermDetector::default();
        // Words without marks are passed over uncounted. Two hits are adjacent if no byte lies between them, marks of names
        // and doc strings left aside.
        let mut left_behind_hit = usize::MAX;
        loop {
            let next = if cursor.is_at_name() {
                stream.next_with_marks(marks)
            } else {
                stream.next_marked(marks)
            };
            let Some((left, integer, mark)) = next else { break };
            if mark == 0 {
                cursor.begin_word(continues(integer));
                continue;
            }
            let Some((id, continues)) = word(integer) else {
                let is_line = cursor.take_mark(stream.mark(integer));
                if !is_line && left_behind_hit == left {
                    left_behind_hit = stream.bytes_left();
                }
                continue;
            };
            cursor.begin_word(continues);
            let (line, field) = (cursor.line, cursor.field());
            if !continues
                && mark & BEGINS_IDENTIFIER != 0
                && let Some(term) = self.identifier(&segment.dictionary, id, stream.clone())
            {
                found(TermHit { line, term, field, strength: 1.0 });
            }
            if mark & MATCHES != 0 {
                let term = mark.to_le_bytes()[0];
                let strength = if mark & IS_ABBREVIATION != 0 { ABBREVIATED } else { 1.0 };
                found(TermHit { line, term, field, strength });
                pairs.position += if left_behind_hit == left { 1 } else { 2 };
                left_behind_hit = stream.bytes_left();
                if let Some(term) = pairs.next(self.matcher, term) {
                    found(TermHit { line, term, field, strength });
                }
            }
        }
    }

    /// Calls `found` with every word in the tokens of a file of a segment, in order.
    pub(crate) fn read(
        &self,
        segment: usize,
        tokens: FileTokens<'a>,
        found: impl FnMut(&WordOccurrence),
    ) -> Option<FileWords<'a>> {
        let segment = self.index.segment(segment)?;
        let vectors = Cow::Borrowed(segment.known_vectors());
        let dictionary = Cow::Borrowed(&segment.dictionary);
        Some(FileWords::read(dictionary, vectors, tokens.into_stream(), found))
    }

    /// Returns the term of the whole identifier that begins with a word.
    fn identifier(
        &self,
        dictionary: &SegmentDictionary,
        first: u32,
        rest: TokenStreamDecoder<'_>,
    ) -> Option<u8> {
        let mut normalized = dictionary.word(first).to_vec();
        for item in rest {
            let TokenStreamItem::Word { id, continues: true } = item else { break };
            normalized.extend_from_slice(dictionary.word(id));
        }
        self.matcher.identifier(&normalized)
    }
}

/// Compares the words of a dictionary with the terms; returns the marks of each integer of its streams.
fn marks(
    dictionary: &SegmentDictionary,
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
        let word = dictionary.word(id);
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
