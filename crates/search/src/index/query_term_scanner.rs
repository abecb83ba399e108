//! Finds a query's terms in the indexed files. Each word of a dictionary is compared with the terms once, so a scan
//! only looks up marks by number.
//!
//! The postings of a file's words give the counts of terms in it, unless some of its words may form an identifier or a
//! pair of the query. Only then are its tokens scanned. Both ways give the same counts.

use super::{
    byte_strings::ByteStrings,
    file_words::FileWords,
    full_text_snapshot::FullTextSnapshot,
    path_words::PathWords,
    query_term_counts::TermTally,
    query_term_matcher::{ABBREVIATED, AdjacentTermDetector, QueryTermMatcher, TermHit},
    segment::IndexedFile,
    source_tokenizer::TermField,
    token_cursor::TokenCursor,
    token_stream_codec::{TokenStreamDecoder, TokenStreamItem, continues, may_be_followed, word},
    word_marks::{BEGINS_IDENTIFIER, IS_ABBREVIATION, MATCHES, MarkedWords, WordMarks, term_of},
};
use retriever_workspace::Cancellation;

/// A snapshot whose words are compared with a query's terms.
pub(crate) struct QueryTermScanner<'a> {
    pub(crate) index: &'a FullTextSnapshot,
    matcher: &'a QueryTermMatcher,
    /// For each segment the marks of its words.
    marks: Vec<WordMarks>,
    /// For each segment the words of its files that have marks.
    marked: Vec<MarkedWords>,
    paths: &'a PathWords,
    path_marks: WordMarks,
}

/// What a tally says of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TallyScope {
    /// All that a scan of its tokens would.
    Complete,
    /// The same, unless two of its words are a pair of the query.
    UnlessAdjacent,
    /// Nothing: its tokens must be scanned.
    Incomplete,
}

impl<'a> QueryTermScanner<'a> {
    /// Compares the words of `index` and of its paths. Some are left out if the search is cancelled.
    pub(crate) fn new(
        index: &'a FullTextSnapshot,
        matcher: &'a QueryTermMatcher,
        cancellation: &Cancellation,
    ) -> Self {
        let paths = index.path_words();
        let marks =
            |dictionary, letters| WordMarks::new(dictionary, letters, matcher, cancellation);
        let path_marks = marks(&paths.dictionary, paths.by_first_letters());
        let marks: Vec<WordMarks> = index
            .segments()
            .map(|segment| marks(&segment.dictionary, segment.by_first_letters()))
            .collect();
        let marked = index.segments().zip(&marks);
        let marked = marked.map(|(segment, marks)| MarkedWords::new(segment, marks)).collect();
        // They are computed here by all threads, and not by the first task that needs them.
        for segment in index.segments() {
            if segment.vectors(cancellation).is_none() {
                break;
            }
        }
        Self { index, matcher, marks, marked, paths, path_marks }
    }

    /// Adds up how often terms occur in the text of a file, and returns what that leaves open.
    pub(crate) fn tally(
        &self,
        (at, file): (usize, &IndexedFile),
        tally: &mut TermTally,
    ) -> TallyScope {
        let (Some(marked), Some(marks)) = (self.marked.get(at), self.marks.get(at)) else {
            return TallyScope::Complete;
        };
        for (id, counts) in marked.of(file) {
            let mark = marks.of(*id);
            if mark & MATCHES != 0 {
                let term = term_of(mark);
                if mark & IS_ABBREVIATION == 0 {
                    tally.add(term, *counts);
                } else {
                    tally.add_abbreviations(term, *counts);
                }
            }
            if let Some((begins, ends)) = marks.identifiers.get(id) {
                tally.begins |= begins;
                tally.ends |= ends;
            }
        }
        let may_be_adjacent = |(one, other): (u8, u8)| tally.has(one) && tally.has(other);
        if tally.begins & tally.ends != 0 {
            TallyScope::Incomplete
        } else if self.matcher.pairs().any(may_be_adjacent) {
            TallyScope::UnlessAdjacent
        } else {
            TallyScope::Complete
        }
    }

    /// Whether two words in the tokens of a file may be a pair of the query. A search for bytes takes a tenth of a scan.
    pub(crate) fn may_have_pair(&self, (at, file): (usize, &IndexedFile), tokens: &[u8]) -> bool {
        let (Some(marked), Some(marks)) = (self.marked.get(at), self.marks.get(at)) else {
            return false;
        };
        let words_of = |term: u8| {
            let words = marked.of(file).iter().map(|(id, _)| *id);
            words.filter(move |id| {
                let mark = marks.of(*id);
                mark & MATCHES != 0 && term_of(mark) == term
            })
        };
        self.matcher.pairs().any(|(one, other)| {
            let seconds: Vec<u32> = words_of(other).collect();
            !seconds.is_empty()
                && words_of(one).any(|first| may_be_followed(tokens, first, &seconds))
        })
    }

    /// Calls `found` with every hit in the tokens of a file of a segment, in order.
    pub(crate) fn scan(&self, segment: usize, tokens: &[u8], found: impl FnMut(TermHit)) {
        if let (Some(marks), Some(segment)) = (self.marks.get(segment), self.index.segment(segment))
        {
            self.scan_stream(marks, &segment.dictionary, tokens, found);
        }
    }

    /// Does the same for the words of a file, which are those of a segment.
    pub(crate) fn scan_words(
        &self,
        segment: usize,
        words: &FileWords<'_>,
        mut found: impl FnMut(TermHit),
    ) {
        let Some(marks) = self.marks.get(segment).map(|marks| marks.of_integers.as_slice()) else {
            return;
        };
        let (mut line, mut pairs) = (0, AdjacentTermDetector::default());
        for (at, word) in words.all.iter().enumerate() {
            let mark = marks.get(word.integer() as usize).copied().unwrap_or_default();
            if mark == 0 {
                continue;
            }
            line = words.line_from(line, at);
            // Each line takes a position, so that words of two lines are not adjacent.
            pairs.position = u32::try_from(at + line).unwrap_or(u32::MAX);
            let (line, field) = (u32::try_from(line).unwrap_or(u32::MAX), word.field());
            let rest = words.continued_from(at);
            if !continues(word.integer())
                && mark & BEGINS_IDENTIFIER != 0
                && let Some(term) = self.identifier(words.dictionary, word.id(), rest)
            {
                found(TermHit { line, term, field, strength: 1.0 });
            }
            self.found_word(mark, (line, field), &mut pairs, &mut found);
        }
    }

    /// Calls `found` with every hit in the name of a file of the index up to its first dot.
    pub(crate) fn scan_name(&self, file: usize, found: impl FnMut(TermHit)) {
        let paths = self.paths;
        self.scan_stream(&self.path_marks, &paths.dictionary, paths.name(file), found);
    }

    /// Returns the number of the folder of a file of the index, see [`QueryTermScanner::scan_folder`].
    pub(crate) fn folder_of(&self, file: usize) -> u32 {
        self.paths.folder_of(file)
    }

    /// Calls `found` with every hit in the path of a folder.
    pub(crate) fn scan_folder(&self, folder: u32, found: impl FnMut(TermHit)) {
        let paths = self.paths;
        self.scan_stream(&self.path_marks, &paths.dictionary, paths.folder(folder), found);
    }

    fn scan_stream(
        &self,
        marks: &WordMarks,
        dictionary: &ByteStrings,
        stream: &[u8],
        mut found: impl FnMut(TermHit),
    ) {
        let marks = marks.of_integers.as_slice();
        let mut stream = TokenStreamDecoder::of(stream);
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
            let rest = stream.clone().map_while(|item| match item {
                TokenStreamItem::Word { id, continues: true } => Some(id),
                _ => None,
            });
            if !continues
                && mark & BEGINS_IDENTIFIER != 0
                && let Some(term) = self.identifier(dictionary, id, rest)
            {
                found(TermHit { line, term, field, strength: 1.0 });
            }
            if mark & MATCHES != 0 {
                pairs.position += if left_behind_hit == left { 1 } else { 2 };
                left_behind_hit = stream.bytes_left();
                self.found_word(mark, (line, field), &mut pairs, &mut found);
            }
        }
    }

    /// Calls `found` with the term of a word with marks, and with that of the pair that it ends.
    #[inline]
    fn found_word(
        &self,
        mark: u16,
        (line, field): (u32, TermField),
        pairs: &mut AdjacentTermDetector,
        found: &mut impl FnMut(TermHit),
    ) {
        if mark & MATCHES == 0 {
            return;
        }
        let term = term_of(mark);
        let strength = if mark & IS_ABBREVIATION != 0 { ABBREVIATED } else { 1.0 };
        found(TermHit { line, term, field, strength });
        if let Some(term) = pairs.next(self.matcher, term) {
            found(TermHit { line, term, field, strength });
        }
    }

    /// Returns the term of the whole identifier that begins with a word and goes on with others.
    fn identifier(
        &self,
        dictionary: &ByteStrings,
        first: u32,
        rest: impl Iterator<Item = u32>,
    ) -> Option<u8> {
        let mut normalized = dictionary.get(first).to_vec();
        for id in rest {
            normalized.extend_from_slice(dictionary.get(id));
        }
        self.matcher.identifier(&normalized)
    }
}
