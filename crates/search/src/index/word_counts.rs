//! Word counts: how often each word of a file occurs in each field. They are a tenth of the tokens, and most searches need no
//! more of most files, see [`super::query_term_scanner`].
//!
//! The words of a file stand in the order of their numbers, each as the difference to the one before, times four, plus a form:
//! once in code, once in a comment, so many times in code, or the occurrences in all three fields. Integers are written as
//! in token streams.

use super::{
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

/// Counts the words of token streams, one file after the other.
#[derive(Default)]
pub(super) struct WordCounter {
    /// By number, of this file only.
    counts: Vec<WordCounts>,
    /// The words of this file.
    found: Vec<u32>,
}

impl WordCounter {
    /// Appends the counts of the words of a stream to `encoded`.
    pub(super) fn encode(&mut self, stream: &[u8], encoded: &mut Vec<u8>) {
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
        self.found.sort_unstable();
        let counts = &mut self.counts;
        let words = self.found.drain(..).map(|id| (id, std::mem::take(&mut counts[id as usize])));
        push(encoded, words);
    }
}

/// Returns encoded counts with other numbers for the words.
pub(super) fn renumbered(encoded: &[u8], new_ids: &[u32]) -> Vec<u8> {
    let new_id = |id: u32| new_ids.get(id as usize).copied().unwrap_or_default();
    let words = WordCountsDecoder::of(encoded).map(|(id, counts)| (new_id(id), counts));
    let mut words: Vec<(u32, WordCounts)> = words.collect();
    words.sort_unstable_by_key(|(id, _)| *id);
    let mut renumbered = Vec::with_capacity(encoded.len());
    push(&mut renumbered, words.into_iter());
    renumbered
}

/// Appends the counts of words, which are sorted by number.
fn push(encoded: &mut Vec<u8>, words: impl Iterator<Item = (u32, WordCounts)>) {
    let mut last = 0;
    for (id, counts) in words {
        let WordCounts { body, comment, declared } = counts;
        let form = match (body, comment, declared) {
            (1, 0, 0) => ONCE_IN_CODE,
            (0, 1, 0) => ONCE_IN_COMMENT,
            (_, 0, 0) => IN_CODE,
            _ => IN_ALL,
        };
        push_integer(encoded, (id - last) << FORM_BITS | form);
        last = id;
        if form >= IN_CODE {
            push_integer(encoded, body);
        }
        if form == IN_ALL {
            push_integer(encoded, comment);
            push_integer(encoded, declared);
        }
    }
}

/// Reads the words of a file with their counts, in the order of their numbers.
pub(super) struct WordCountsDecoder<'a> {
    integers: TokenStreamDecoder<'a>,
    last: u32,
}

impl<'a> WordCountsDecoder<'a> {
    pub(super) fn of(encoded: &'a [u8]) -> Self {
        Self { integers: TokenStreamDecoder::of(encoded), last: 0 }
    }
}

impl Iterator for WordCountsDecoder<'_> {
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
