//! Splits text into lines, doc strings and identifiers, and says of each line whether it is a comment and which name it
//! declares. The index's encoder and the matcher of plain text both read text through it, so their results agree.

use std::ops::Range;

use memchr::memchr;

use crate::{declarations::DeclaredNames, words};

/// The part of a file in which a term stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermField {
    /// The name that a line declares.
    Declared,
    /// Code.
    Body,
    /// A comment or doc string.
    Comment,
}

/// A piece of text.
#[derive(Clone, Copy)]
pub(super) enum SourceToken<'a> {
    /// A line begins at this byte. There is none for the first line.
    Line(usize),
    /// A doc string opens or closes.
    DocString,
    /// A run of word bytes, and where it starts.
    Identifier(usize, &'a [u8]),
}

/// Calls `found` with every token of `text`, in order.
pub(super) fn tokenize<'a>(text: &'a str, extension: &str, mut found: impl FnMut(SourceToken<'a>)) {
    let bytes = text.as_bytes();
    let has_doc_strings = matches!(extension, "py" | "pyi" | "ex" | "exs");
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if words::is_word_byte(*byte) {
            let length = bytes[at..].iter().position(|byte| !words::is_word_byte(*byte));
            let end = length.map_or(bytes.len(), |length| at + length);
            found(SourceToken::Identifier(at, &bytes[at..end]));
            at = end;
            continue;
        }
        if *byte == b'\n' {
            found(SourceToken::Line(at + 1));
        } else if has_doc_strings && *byte == b'"' && bytes[at..].starts_with(b"\"\"\"") {
            found(SourceToken::DocString);
            at += 2;
        }
        at += 1;
    }
}

/// Where a line stands in its text.
#[derive(Clone, Copy, Default)]
pub(super) struct LinePosition {
    /// From 0.
    pub(super) index: u32,
    pub(super) byte: usize,
    /// Whether it begins inside of a doc string.
    pub(super) in_doc_string: bool,
}

/// What a line says of the words on it.
pub(super) struct LineTokenContext {
    pub(super) is_comment: bool,
    /// Bytes of the name that it declares, in the text.
    declared_name: Range<usize>,
}

impl LineTokenContext {
    /// Looks at a line of `text`.
    pub(super) fn of(text: &str, names: &DeclaredNames, start: LinePosition) -> Self {
        let rest = &text[start.byte..];
        let line = &rest[..memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())];
        let is_comment = names.is_comment(line);
        let is_code = !is_comment && !start.in_doc_string;
        let name = is_code.then(|| names.on_line(start.index as usize, line)).flatten();
        let name = name.map_or(0..0, |name| start.byte + name.start..start.byte + name.end);
        Self { is_comment, declared_name: name }
    }

    /// Whether the identifier at byte `at` is part of the name that the line declares.
    pub(super) fn is_declared_name(&self, at: usize) -> bool {
        self.declared_name.contains(&at)
    }

    /// Returns the field of the identifier at byte `at`, which is outside of doc strings.
    pub(super) fn field(&self, at: usize) -> TermField {
        if self.is_comment {
            TermField::Comment
        } else if self.is_declared_name(at) {
            TermField::Declared
        } else {
            TermField::Body
        }
    }
}
