//! Encodes texts as token streams over one dictionary.

use rustc_hash::FxHashMap;

use super::{
    dictionary::SegmentDictionary,
    source_tokenizer::{LinePosition, LineTokenContext, SourceToken, tokenize},
    token_stream_codec::{TokenStreamItem, push},
};
use crate::{declarations::DeclaredNames, words};

/// Identifiers whose encoding is remembered at once: about two megabytes.
const MAX_REMEMBERED: usize = 1 << 14;

/// Encodes texts.
#[derive(Default)]
pub(super) struct TokenStreamEncoder {
    pub(super) dictionary: SegmentDictionary,
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
