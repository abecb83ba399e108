//! All words of one file, each with its line and its field. [`super::query_term_scanner`] finds only what matches a query.

use std::ops::Range;

use retriever_workspace::LineRange;

use super::{
    byte_strings::ByteStrings,
    source_tokenizer::TermField,
    token_cursor::TokenCursor,
    token_stream_codec::{TokenStreamDecoder, continues, word},
};
use crate::words::{self, WordVectorId};

/// A word as it is kept: its integer in the token stream, see [`word`], and its field in the two low bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptWord(u32);

impl KeptWord {
    const FIELD_BITS: u32 = 2;
    const FIELDS: [TermField; 3] = [TermField::Declared, TermField::Body, TermField::Comment];

    fn new(integer: u32, field: TermField) -> Self {
        // No dictionary has a word whose number is cut here.
        Self(integer.min(u32::MAX >> Self::FIELD_BITS) << Self::FIELD_BITS | field as u32)
    }

    #[inline]
    pub(super) fn integer(self) -> u32 {
        self.0 >> Self::FIELD_BITS
    }

    pub(super) fn field(self) -> TermField {
        let field = self.0 & ((1 << Self::FIELD_BITS) - 1);
        Self::FIELDS.get(field as usize).copied().unwrap_or(TermField::Body)
    }

    pub(super) fn id(self) -> u32 {
        word(self.integer()).map_or(u32::MAX, |(id, _)| id)
    }
}

/// A word of a file.
#[derive(Clone, Copy)]
pub(crate) struct WordOccurrence {
    pub(crate) vector: WordVectorId,
    /// From 1.
    pub(crate) line: u32,
    pub(crate) field: TermField,
    /// Whether it stands in a doc string.
    pub(crate) in_doc_string: bool,
    /// Whether it continues the identifier of the word in front.
    pub(crate) continues: bool,
}

/// The words of one file by line.
#[derive(Clone, Copy)]
pub(crate) struct FileWords<'a> {
    pub(super) dictionary: &'a ByteStrings,
    pub(super) vectors: &'a [WordVectorId],
    /// In order.
    pub(super) all: &'a [KeptWord],
    /// See [`FileWords::read`].
    pub(super) line_starts: &'a [u32],
}

impl FileWords<'_> {
    /// Reads a token stream and calls `found` with every word, in order. Returns the words, and where those of each line begin, from
    /// line 0 to the last that has words. `vectors` are those of the dictionary's words.
    pub(super) fn read(
        stream: &[u8],
        vectors: &[WordVectorId],
        mut found: impl FnMut(&WordOccurrence),
    ) -> (Vec<KeptWord>, Vec<u32>) {
        let (mut words, mut line_starts) = (Vec::new(), vec![0]);
        let mut cursor = TokenCursor::default();
        let mut decoder = TokenStreamDecoder::of(stream);
        while let Some(integer) = decoder.integer() {
            let Some((id, continues)) = word(integer) else {
                cursor.take_mark(decoder.mark(integer));
                continue;
            };
            cursor.begin_word(continues);
            let line = cursor.line;
            if line_starts.len() <= line as usize {
                let here = u32::try_from(words.len()).unwrap_or(u32::MAX);
                line_starts.resize(line as usize + 1, here);
            }
            words.push(KeptWord::new(integer, cursor.field()));
            let vector = vectors.get(id as usize).copied().unwrap_or(WordVectorId::UNKNOWN);
            let (field, in_doc_string) = (cursor.field(), cursor.in_doc_string());
            found(&WordOccurrence { vector, line, field, in_doc_string, continues });
        }
        words.shrink_to_fit();
        (words, line_starts)
    }

    /// Returns the line of the word at a place in the file, which isn't in front of `line`.
    #[inline]
    pub(super) fn line_from(&self, line: usize, at: usize) -> usize {
        let begins = self.line_starts.get(line + 1..).unwrap_or_default();
        line + begins.iter().take_while(|start| **start as usize <= at).count()
    }

    /// Returns the numbers of the words that continue the identifier of the word at a place.
    pub(super) fn continued_from(&self, at: usize) -> impl Iterator<Item = u32> {
        let behind = self.all.get(at + 1..).unwrap_or_default().iter();
        behind.take_while(|word| continues(word.integer())).map(|word| word.id())
    }

    /// Returns the vectors of the words on `lines`, in order.
    pub(crate) fn vectors(&self, lines: LineRange) -> impl Iterator<Item = WordVectorId> {
        self.ids(lines).map(|id| self.vector(id))
    }

    /// Returns the vectors of the words of `name`, which stands on `line`.
    pub(crate) fn vectors_of_name(&self, line: u32, name: &str) -> Vec<WordVectorId> {
        let on_line = || LineRange::line(line).into_iter().flat_map(|line| self.ids(line));
        let mut vectors = Vec::new();
        words::split_identifier(name.as_bytes(), |word| {
            let is_same = |id: &u32| self.dictionary.get(*id).eq_ignore_ascii_case(word);
            let known = on_line().find(is_same).map(|id| self.vector(id));
            vectors.push(known.unwrap_or_else(|| WordVectorId::of(&word.to_ascii_lowercase())));
        });
        vectors
    }

    fn vector(&self, id: u32) -> WordVectorId {
        self.vectors.get(id as usize).copied().unwrap_or(WordVectorId::UNKNOWN)
    }

    /// Returns the numbers of the words on `lines`, in order.
    fn ids(&self, lines: LineRange) -> impl Iterator<Item = u32> {
        let start_of = |line: u32| self.line_starts.get(line as usize).map(|start| *start as usize);
        let end = start_of(lines.end().saturating_add(1)).unwrap_or(self.all.len());
        let range: Range<usize> = start_of(lines.start()).unwrap_or(end)..end;
        self.all.get(range).unwrap_or_default().iter().map(|word| word.id())
    }
}
