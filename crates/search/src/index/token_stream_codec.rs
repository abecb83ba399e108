//! The token stream of a file: variable-length integers of seven bits a byte, low bits first. Small ones are marks. The
//! others are words: twice the word's number, plus one if the word continues the identifier of the previous word.

use memchr::memmem;
use rustc_hash::FxHashMap;

use super::{
    byte_strings::ByteStrings,
    source_tokenizer::{LinePosition, LineTokenContext, SourceToken, tokenize},
};
use crate::{declarations::DeclaredNames, words};

const LINE: u32 = 0;
const COMMENT_LINE: u32 = 1;
const WORDLESS_LINES: u32 = 2;
const DOC_STRING: u32 = 3;
const DECLARED_NAME: u32 = 4;
/// The first integer that is a word.
pub(super) const FIRST_WORD: u32 = 5;

/// An item of a token stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenStreamItem {
    /// A line with words begins.
    Line { is_comment: bool },
    /// So many lines without a word.
    WordlessLines(u32),
    /// A doc string opens or closes.
    DocString,
    /// The next identifier is part of the name that its line declares.
    DeclaredName,
    /// A word, and whether it continues the identifier of the word in front.
    Word { id: u32, continues: bool },
}

/// Reads a token stream.
#[derive(Clone)]
pub(super) struct TokenStreamDecoder<'a>(&'a [u8]);

impl<'a> TokenStreamDecoder<'a> {
    pub(super) fn of(stream: &'a [u8]) -> Self {
        Self(stream)
    }

    /// Returns the number of bytes that are left.
    #[inline]
    pub(super) fn bytes_left(&self) -> usize {
        self.0.len()
    }

    /// Returns the item of an integer that is not the number of a word.
    #[inline]
    pub(super) fn mark(&mut self, integer: u32) -> Option<TokenStreamItem> {
        Some(match integer {
            LINE => TokenStreamItem::Line { is_comment: false },
            COMMENT_LINE => TokenStreamItem::Line { is_comment: true },
            WORDLESS_LINES => TokenStreamItem::WordlessLines(self.integer()?),
            DOC_STRING => TokenStreamItem::DocString,
            _ => TokenStreamItem::DeclaredName,
        })
    }

    /// Reads the next integer: that of a word, see [`word`], or of a mark.
    #[inline]
    pub(super) fn integer(&mut self) -> Option<u32> {
        // Whether an integer has one byte or two can't be predicted, so this does not branch on it.
        if let [first, second, ..] = self.0 {
            let has_more = first >> 7;
            if has_more & (second >> 7) == 0 {
                self.0 = &self.0[1 + usize::from(has_more)..];
                let high = u32::from(*second) << 7 & u32::from(has_more).wrapping_neg();
                return Some(u32::from(first & 0x7f) | high);
            }
        }
        self.long_integer()
    }

    /// Reads up to the next integer that has marks in `marks`; returns it with its marks and the bytes left in front of it.
    #[inline]
    pub(super) fn next_marked(&mut self, marks: &[u16]) -> Option<(usize, u32, u16)> {
        loop {
            let next = self.next_with_marks(marks)?;
            if next.2 != 0 {
                return Some(next);
            }
        }
    }

    /// Does the same for the next integer, whether or not it has marks.
    #[inline]
    pub(super) fn next_with_marks(&mut self, marks: &[u16]) -> Option<(usize, u32, u16)> {
        let left = self.bytes_left();
        let integer = self.integer()?;
        Some((left, integer, marks.get(integer as usize).copied().unwrap_or_default()))
    }

    fn long_integer(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        if *first < 0x80 {
            return Some(u32::from(*first));
        }
        let mut integer = u32::from(first & 0x7f);
        for shift in [7, 14, 21, 28] {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            integer |= u32::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                break;
            }
        }
        Some(integer)
    }
}

impl Iterator for TokenStreamDecoder<'_> {
    type Item = TokenStreamItem;

    #[inline]
    fn next(&mut self) -> Option<TokenStreamItem> {
        let integer = self.integer()?;
        match word(integer) {
            Some((id, continues)) => Some(TokenStreamItem::Word { id, continues }),
            None => self.mark(integer),
        }
    }
}

/// Returns the number of the word that an integer stands for, and whether it continues an identifier.
#[inline]
pub(super) fn word(integer: u32) -> Option<(u32, bool)> {
    let word = integer.checked_sub(FIRST_WORD)?;
    Some((word >> 1, continues(integer)))
}

/// Whether the integer of a word says that it continues an identifier.
#[inline]
pub(super) fn continues(integer: u32) -> bool {
    integer % 2 != FIRST_WORD % 2
}

/// Whether one of the words `seconds` may stand directly behind the word `first` in a stream, marks of names and doc strings
/// left aside. A false alarm is rare: the bytes of a word may also be a part of others.
pub(super) fn may_be_followed(stream: &[u8], first: u32, seconds: &[u32]) -> bool {
    let encoded = |id: u32, continues: bool| {
        let mut bytes = Vec::with_capacity(size_of::<u32>() + 1);
        push(&mut bytes, TokenStreamItem::Word { id, continues });
        bytes
    };
    let is_followed = |end: usize| {
        let mut behind = TokenStreamDecoder::of(stream.get(end..).unwrap_or_default());
        while let Some(integer) = behind.integer() {
            match word(integer) {
                Some((id, _)) => return seconds.contains(&id),
                None if matches!(integer, DOC_STRING | DECLARED_NAME) => {}
                None => return false,
            }
        }
        false
    };
    [false, true].into_iter().any(|continues| {
        let first = encoded(first, continues);
        memmem::find_iter(stream, &first).any(|at| is_followed(at + first.len()))
    })
}

/// Appends an item to a token stream.
pub(super) fn push(stream: &mut Vec<u8>, item: TokenStreamItem) {
    match item {
        TokenStreamItem::Line { is_comment: false } => push_integer(stream, LINE),
        TokenStreamItem::Line { is_comment: true } => push_integer(stream, COMMENT_LINE),
        TokenStreamItem::WordlessLines(lines) => {
            push_integer(stream, WORDLESS_LINES);
            push_integer(stream, lines);
        }
        TokenStreamItem::DocString => push_integer(stream, DOC_STRING),
        TokenStreamItem::DeclaredName => push_integer(stream, DECLARED_NAME),
        TokenStreamItem::Word { id, continues } => {
            let word = FIRST_WORD.saturating_add(id.saturating_mul(2));
            push_integer(stream, word + u32::from(continues));
        }
    }
}

/// Appends an integer.
pub(super) fn push_integer(stream: &mut Vec<u8>, mut integer: u32) {
    while integer >= 0x80 {
        stream.push(integer.to_le_bytes()[0] | 0x80);
        integer >>= 7;
    }
    stream.push(integer.to_le_bytes()[0]);
}

/// Identifiers whose encoding is remembered at once: about two megabytes.
const MAX_REMEMBERED: usize = 1 << 14;

/// Encodes texts.
#[derive(Default)]
pub(super) struct TokenStreamEncoder {
    pub(super) dictionary: ByteStrings,
    ids: FxHashMap<Box<[u8]>, u32>,
    /// A word in lower case; kept for its allocation.
    lower: Vec<u8>,
    /// Encodings of identifiers, most of which occur many times.
    remembered: FxHashMap<Box<[u8]>, Encoded>,
    encodings: Vec<u8>,
}

/// Bytes of an encoded identifier in [`TokenStreamEncoder::encodings`], and the number of its words.
#[derive(Clone, Copy)]
struct Encoded {
    start: usize,
    end: usize,
    words: u32,
}

impl TokenStreamEncoder {
    /// Appends the tokens of `text` to `stream`; returns the number of words and line ends. `names` are those that its
    /// lines declare.
    pub(super) fn encode(
        &mut self,
        text: &str,
        extension: &str,
        names: &DeclaredNames,
        stream: &mut Vec<u8>,
    ) -> u32 {
        let mut length = 0_u32;
        let mut in_doc_string = false;
        let (mut line, mut facts) = (LinePosition::default(), None);
        // Lines that have begun since the last one with a word.
        let mut begun = 1_u32;
        tokenize(text, extension, |token| match token {
            SourceToken::Line(byte) => {
                line = LinePosition { index: line.index + 1, byte, in_doc_string };
                facts = None;
                begun += 1;
                length += 1;
            }
            SourceToken::DocString => {
                in_doc_string = !in_doc_string;
                push(stream, TokenStreamItem::DocString);
            }
            SourceToken::Identifier(at, identifier) => {
                let facts: &LineTokenContext = facts.get_or_insert_with(|| {
                    let facts = LineTokenContext::of(text, names, line);
                    if begun > 1 {
                        push(stream, TokenStreamItem::WordlessLines(begun - 1));
                    }
                    push(stream, TokenStreamItem::Line { is_comment: facts.is_comment });
                    begun = 0;
                    facts
                });
                let Encoded { start, end, words } = self.identifier(identifier);
                if words > 0 && facts.is_declared_name(at) {
                    push(stream, TokenStreamItem::DeclaredName);
                }
                stream.extend_from_slice(&self.encodings[start..end]);
                length += words;
            }
        });
        length
    }

    fn identifier(&mut self, identifier: &[u8]) -> Encoded {
        if let Some(known) = self.remembered.get(identifier) {
            return *known;
        }
        if self.remembered.len() >= MAX_REMEMBERED {
            self.remembered.clear();
            self.encodings.clear();
        }
        let start = self.encodings.len();
        let mut words = 0;
        words::split_identifier(identifier, |word| {
            let id = self.id(word);
            push(&mut self.encodings, TokenStreamItem::Word { id, continues: words > 0 });
            words += 1;
        });
        let encoded = Encoded { start, end: self.encodings.len(), words };
        self.remembered.insert(identifier.into(), encoded);
        encoded
    }

    fn id(&mut self, word: &[u8]) -> u32 {
        self.lower.clear();
        self.lower.extend_from_slice(word);
        self.lower.make_ascii_lowercase();
        if let Some(id) = self.ids.get(self.lower.as_slice()) {
            return *id;
        }
        let id = u32::try_from(self.dictionary.len()).unwrap_or(u32::MAX);
        self.dictionary.push(&self.lower);
        self.ids.insert(self.lower.as_slice().into(), id);
        id
    }
}
