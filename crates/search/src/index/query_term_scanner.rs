//! Finds a query's terms in the indexed files. Each word of a dictionary was compared with the terms once, so that a scan
//! only looks up marks by number.

use std::borrow::Cow;

use rayon::prelude::*;

use super::{
    dictionary::Dictionary,
    file_words::{FileWords, WordOccurrence},
    full_text_snapshot::FullTextSnapshot,
    query_term_matcher::{ABBREVIATED, AdjacentTermDetector, QueryTermMatcher, TermHit},
    segment::IndexedFile,
    source_tokenizer::TermField,
    token_stream_codec::{FIRST_WORD, TokenStreamDecoder, TokenStreamItem, continues, word},
};
use retriever_workspace::Cancellation;

/// Marks of a word, beside the number of its term in the low byte.
const MATCHES: u16 = 1 << 8;
const IS_ABBREVIATION: u16 = 1 << 9;
/// A term that is a whole identifier may begin with the word.
const BEGINS_IDENTIFIER: u16 = 1 << 10;
/// The integer is no word.
const NO_WORD: u16 = 1 << 11;

/// Fewest words for a task.
const MIN_WORDS: usize = 1 << 12;
/// Words between two looks at the cancellation.
const CHECK_INTERVAL: u32 = 1 << 12;

/// A snapshot whose words are compared with a query's terms.
pub(crate) struct QueryTermScanner<'a> {
    pub(crate) index: &'a FullTextSnapshot,
    matcher: &'a QueryTermMatcher,
    /// For each segment the marks of each integer of its streams.
    marks: Vec<Vec<u16>>,
}

impl<'a> QueryTermScanner<'a> {
    /// Compares the words of `index`. Some are left out if the search is cancelled.
    pub(crate) fn new(
        index: &'a FullTextSnapshot,
        matcher: &'a QueryTermMatcher,
        cancellation: &Cancellation,
    ) -> Self {
        let segments = index.segments();
        let marks = segments.map(|segment| marks(&segment.dictionary, matcher, cancellation));
        let marks = marks.collect();
        // They are computed here by all threads, and not by the first task that needs them.
        for segment in index.segments() {
            if segment.vectors(cancellation).is_none() {
                break;
            }
        }
        Self { index, matcher, marks }
    }

    /// Calls `found` with every hit in a file, in order.
    pub(crate) fn scan(&self, file: (usize, &IndexedFile), mut found: impl FnMut(TermHit)) {
        let (at, file) = file;
        let (Some(segment), Some(marks)) = (self.index.segment(at), self.marks.get(at)) else {
            return;
        };
        let mut stream = TokenStreamDecoder::of(segment.stream(file));
        let mut cursor = Cursor::default();
        let mut pairs = AdjacentTermDetector::default();
        // Words without marks are passed over uncounted. Two hits are adjacent if no byte lies between them, marks of names
        // and doc strings left aside.
        let mut left_behind_hit = usize::MAX;
        loop {
            let next = if cursor.name == 0 {
                stream.next_marked(marks)
            } else {
                stream.next_with_marks(marks)
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

    /// Calls `found` with every word of a file, in order.
    pub(crate) fn read(
        &self,
        (segment, file): (usize, &IndexedFile),
        found: impl FnMut(&WordOccurrence),
    ) -> Option<FileWords<'a>> {
        let segment = self.index.segment(segment)?;
        let vectors = Cow::Borrowed(segment.known_vectors());
        let (dictionary, stream) =
            (Cow::Borrowed(&segment.dictionary), Cow::Borrowed(segment.stream(file)));
        Some(FileWords::read(dictionary, vectors, stream, found))
    }

    /// Returns the term of the whole identifier that begins with a word.
    fn identifier(
        &self,
        dictionary: &Dictionary,
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

/// Where a scan is.
#[derive(Default)]
struct Cursor {
    line: u32,
    is_comment: bool,
    in_doc_string: bool,
    /// 2 in front of an identifier in a declared name, 1 inside of it, 0 behind.
    name: u32,
}

impl Cursor {
    #[inline]
    fn begin_word(&mut self, continues: bool) {
        self.name >>= u32::from(!continues);
    }

    #[inline]
    fn field(&self) -> TermField {
        if self.is_comment || self.in_doc_string {
            TermField::Comment
        } else if self.name == 1 {
            TermField::Declared
        } else {
            TermField::Body
        }
    }

    /// Takes an item that is no word; returns whether it ends the line.
    #[inline]
    fn take_mark(&mut self, item: Option<TokenStreamItem>) -> bool {
        match item {
            Some(TokenStreamItem::Line { is_comment }) => {
                self.line += 1;
                self.is_comment = is_comment;
                return true;
            }
            Some(TokenStreamItem::WordlessLines(lines)) => {
                self.line = self.line.saturating_add(lines);
                return true;
            }
            Some(TokenStreamItem::DocString) => self.in_doc_string = !self.in_doc_string,
            _ => self.name = 2,
        }
        false
    }
}

/// Compares the words of a dictionary with the terms; returns the marks of each integer of its streams.
fn marks(
    dictionary: &Dictionary,
    matcher: &QueryTermMatcher,
    cancellation: &Cancellation,
) -> Vec<u16> {
    let mut first_bytes = [false; 256];
    let identifiers: Vec<&[u8]> = matcher.identifiers().collect();
    for byte in identifiers.iter().filter_map(|identifier| identifier.first()) {
        first_bytes[usize::from(*byte)] = true;
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
        Some(marks)
    };
    let words = dictionary.ids().into_par_iter().with_min_len(MIN_WORDS);
    let words: Option<Vec<u16>> = words.map_init(Vec::new, marks_of).collect();
    let mut marks = vec![NO_WORD; FIRST_WORD as usize];
    // Each word has two integers: at the start of an identifier and inside of it.
    marks.extend(words.unwrap_or_default().into_iter().flat_map(|mark| [mark, mark]));
    marks
}
