//! Postings: which files of a segment have a word, and how often in each field. They are a tenth of the size of the
//! tokens, and for most files a search needs nothing else, see [`super::query_term_scanner`].
//!
//! The files of a word are listed by ascending number, each as the difference to the previous one, times four, plus a
//! form: once in code, once in a comment, several times in code, or the occurrences in all three fields. Integers are
//! encoded as in token streams.

use super::{
    byte_strings::ByteStrings,
    source_tokenizer::TermField,
    token_cursor::TokenCursor,
    token_stream_codec::{TokenStreamDecoder, push_integer, word},
};

const ONCE_IN_CODE: u32 = 0;
const ONCE_IN_COMMENT: u32 = 1;
const IN_CODE: u32 = 2;
const IN_ALL: u32 = 3;
/// Bits of the form.
const FORM_BITS: u32 = 2;

/// Occurrences by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WordCounts {
    pub(crate) body: u32,
    pub(crate) comment: u32,
    pub(crate) declared: u32,
}

impl WordCounts {
    /// The occurrences in all fields.
    pub(super) fn total(self) -> u32 {
        self.body.saturating_add(self.comment).saturating_add(self.declared)
    }

    pub(super) fn add(&mut self, other: Self) {
        self.body = self.body.saturating_add(other.body);
        self.comment = self.comment.saturating_add(other.comment);
        self.declared = self.declared.saturating_add(other.declared);
    }
}

/// The postings of all words of a segment, by word.
#[derive(Debug, Default)]
pub(super) struct Postings(pub(super) ByteStrings);

impl Postings {
    /// Returns the numbers of the files that have a word, in order, each with the counts.
    pub(super) fn of(&self, word: u32) -> PostingsDecoder<'_> {
        PostingsDecoder { integers: TokenStreamDecoder::of(self.0.get(word)), last: 0 }
    }
}

/// Counts the words of token streams, one file after the other.
#[derive(Default)]
pub(super) struct PostingsBuilder {
    lists: Vec<PostingList>,
    /// By word, of the last file only.
    counts: Vec<WordCounts>,
    /// The words of the last file.
    found: Vec<u32>,
}

impl PostingsBuilder {
    /// Adds the words of a stream. The numbers of the files must grow.
    pub(super) fn add(&mut self, file: u32, stream: &[u8]) {
        let mut stream = TokenStreamDecoder::of(stream);
        let mut cursor = TokenCursor::default();
        while let Some(integer) = stream.integer() {
            let Some((id, continues)) = word(integer) else {
                cursor.take_mark(stream.mark(integer));
                continue;
            };
            cursor.begin_word(continues);
            let at = id as usize;
            if self.counts.len() <= at {
                self.counts.resize(at + 1, WordCounts::default());
            }
            let counts = &mut self.counts[at];
            if *counts == WordCounts::default() {
                self.found.push(id);
            }
            match cursor.field() {
                TermField::Body => counts.body += 1,
                TermField::Comment => counts.comment += 1,
                TermField::Declared => counts.declared += 1,
            }
        }
        self.lists.resize_with(self.counts.len(), PostingList::default);
        for id in self.found.drain(..) {
            let at = id as usize;
            self.lists[at].push(file, std::mem::take(&mut self.counts[at]));
        }
    }

    pub(super) fn finish(self) -> Postings {
        let mut postings = ByteStrings::default();
        self.lists.iter().for_each(|list| postings.push(&list.bytes));
        Postings(postings)
    }
}

/// The encoded postings of one word.
#[derive(Default)]
pub(super) struct PostingList {
    pub(super) bytes: Vec<u8>,
    last: u32,
}

impl PostingList {
    /// Appends a file, whose number is greater than the one before.
    pub(super) fn push(&mut self, file: u32, counts: WordCounts) {
        let WordCounts { body, comment, declared } = counts;
        let form = match (body, comment, declared) {
            (1, 0, 0) => ONCE_IN_CODE,
            (0, 1, 0) => ONCE_IN_COMMENT,
            (_, 0, 0) => IN_CODE,
            _ => IN_ALL,
        };
        push_integer(&mut self.bytes, (file - self.last) << FORM_BITS | form);
        self.last = file;
        if form >= IN_CODE {
            push_integer(&mut self.bytes, body);
        }
        if form == IN_ALL {
            push_integer(&mut self.bytes, comment);
            push_integer(&mut self.bytes, declared);
        }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.last = 0;
    }
}

/// Reads the postings of a word.
pub(super) struct PostingsDecoder<'a> {
    integers: TokenStreamDecoder<'a>,
    last: u32,
}

impl PostingsDecoder<'_> {
    /// Returns the number of bytes that are left: the more, the more files have the word.
    pub(super) fn bytes_left(&self) -> usize {
        self.integers.bytes_left()
    }
}

impl Iterator for PostingsDecoder<'_> {
    /// The number of a file, and the counts in it.
    type Item = (u32, WordCounts);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let integer = self.integers.integer()?;
        self.last = self.last.saturating_add(integer >> FORM_BITS);
        let counts = match integer & ((1 << FORM_BITS) - 1) {
            ONCE_IN_CODE => WordCounts { body: 1, ..WordCounts::default() },
            ONCE_IN_COMMENT => WordCounts { comment: 1, ..WordCounts::default() },
            IN_CODE => WordCounts { body: self.integers.integer()?, ..WordCounts::default() },
            _ => WordCounts {
                body: self.integers.integer()?,
                comment: self.integers.integer()?,
                declared: self.integers.integer()?,
            },
        };
        Some((self.last, counts))
    }
}
