//! Text as tokens: lines, doc strings and identifiers, and what a line says of the words on it. The matcher reads text
//! through it, and the lexicon packs what it finds, so that both see the same.

use crate::{declarations::DeclaredNames, index::term_matcher::Field, words};

/// A piece of text.
#[derive(Clone, Copy)]
pub(crate) enum Token<'a> {
    /// A line begins at this byte. The first line isn't told.
    Line(usize),
    /// A doc string opens or closes.
    Doc,
    /// A run of word bytes, and where it starts.
    Identifier(usize, &'a [u8]),
}

/// Calls `found` with every token of `text`, in order.
pub(crate) fn tokens<'a>(text: &'a str, extension: &str, mut found: impl FnMut(Token<'a>)) {
    let bytes = text.as_bytes();
    let doc_strings = matches!(extension, "py" | "pyi" | "ex" | "exs");
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if words::is_word_byte(*byte) {
            let length = bytes[at..].iter().position(|byte| !words::is_word_byte(*byte));
            let end = length.map_or(bytes.len(), |length| at + length);
            found(Token::Identifier(at, &bytes[at..end]));
            at = end;
            continue;
        }
        if *byte == b'\n' {
            found(Token::Line(at + 1));
        } else if doc_strings && *byte == b'"' && bytes[at..].starts_with(b"\"\"\"") {
            found(Token::Doc);
            at += 2;
        }
        at += 1;
    }
}

/// What a line says of the words on it.
#[derive(Clone, Copy)]
pub(crate) struct LineContext {
    /// It is a comment by how it begins.
    pub(crate) comment: bool,
    /// Bytes of the name that it declares.
    name: (usize, usize),
}

impl LineContext {
    /// Looks at line `number` of `text`, from 0, that starts at byte `start`; `in_doc` says whether that is inside of a doc string.
    pub(crate) fn of(
        text: &str,
        names: &DeclaredNames,
        (number, start): (u32, usize),
        in_doc: bool,
    ) -> Self {
        let length = text[start..].find('\n').unwrap_or(text.len() - start);
        let line = &text[start..start + length];
        let trimmed = line.trim_start();
        let comment = match trimmed.as_bytes() {
            [b'#', ..] => !trimmed.starts_with("#[") && !trimmed.starts_with("#define"),
            [b'/' | b'*' | b'-' | b'<' | b'"', ..] => {
                ["//", "/*", "* ", "*/", "--", "<!--", "\"\"\""]
                    .iter()
                    .any(|mark| trimmed.starts_with(mark))
            }
            _ => false,
        };
        let is_code = !comment && !in_doc;
        let name = is_code.then(|| names.on(number as usize, line)).flatten();
        let name = name.map_or((0, 0), |name| {
            let offset = start + (name.as_ptr() as usize - line.as_ptr() as usize);
            (offset, offset + name.len())
        });
        Self { comment, name }
    }

    /// Whether the identifier at byte `at` stands in the name that the line declares.
    pub(crate) fn names(&self, at: usize) -> bool {
        self.name.0 <= at && at < self.name.1
    }

    /// The field of the identifier at byte `at`; `in_doc` says whether that is inside of a doc string.
    pub(crate) fn field(&self, at: usize, in_doc: bool) -> Field {
        if self.comment || in_doc {
            Field::Comment
        } else if self.names(at) {
            Field::Declared
        } else {
            Field::Body
        }
    }
}
