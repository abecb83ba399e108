//! The position of a reader in a token stream: the line, and the field of the words there.

use super::{source_tokenizer::TermField, token_stream_codec::TokenStreamItem};

/// Lines of a file that are told apart: more than a file has that may be read. A remote's writer sets how many have no words.
const MAX_LINES: u32 = 1 << 24;

/// The place of a word in its file.
#[derive(Default)]
pub(super) struct TokenCursor {
    pub(super) line: u32,
    is_comment: bool,
    in_doc_string: bool,
    /// 2 in front of an identifier in a declared name, 1 inside of it, 0 behind.
    name: u32,
}

impl TokenCursor {
    /// Whether the next words are, or may be, parts of a declared name.
    #[inline]
    pub(super) fn is_at_name(&self) -> bool {
        self.name != 0
    }

    #[inline]
    pub(super) fn begin_word(&mut self, continues: bool) {
        self.name >>= u32::from(!continues);
    }

    /// Whether the words stand in a doc string.
    #[inline]
    pub(super) fn in_doc_string(&self) -> bool {
        self.in_doc_string
    }

    #[inline]
    pub(super) fn field(&self) -> TermField {
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
    pub(super) fn take_mark(&mut self, item: Option<TokenStreamItem>) -> bool {
        match item {
            Some(TokenStreamItem::Line { is_comment }) => {
                self.line += 1;
                self.is_comment = is_comment;
                return true;
            }
            Some(TokenStreamItem::WordlessLines(lines)) => {
                self.line = self.line.saturating_add(lines).min(MAX_LINES);
                return true;
            }
            Some(TokenStreamItem::DocString) => self.in_doc_string = !self.in_doc_string,
            _ => self.name = 2,
        }
        false
    }
}
