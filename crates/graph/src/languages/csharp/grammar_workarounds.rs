//! Text that the grammar would misread, rewritten at the same length.

use crate::languages::same_length_rewriting::{blanked, by_line};

/// What is done about one kind of text that the grammar would misread.
pub(super) struct Workaround {
    /// One of these is in each text with something to rewrite.
    pub(super) signs: &'static [&'static str],
    pub(super) rewrite: fn(&str) -> String,
}

pub(super) const WORKAROUNDS: &[Workaround] = &[
    Workaround { signs: &["ref partial struct"], rewrite: without_ref },
    Workaround { signs: &["#:"], rewrite: without_build_lines },
    Workaround { signs: &["$@\"", "@$\""], rewrite: without_doubled_quotes },
    Workaround { signs: &["*)"], rewrite: without_pointer_casts },
    Workaround { signs: &["async"], rewrite: without_names_of_modifiers },
];

/// What stands for a name `async`, which the grammar takes for the modifier. It has as many bytes.
pub(super) const STAND_IN: (&str, &str) = ("asyň", "async");
/// Words behind a name that are no type, and so none of what the modifier `async` stands before.
const WORDS_BEHIND_NAMES: [&str; 8] = ["is", "as", "switch", "and", "or", "in", "with", "when"];

/// Blanks `ref` before `partial`, where the grammar does not know it.
fn without_ref(source: &str) -> String {
    source.replace("ref partial struct", "    partial struct")
}

/// Blanks lines such as `#:package Name`: the build of a program of one file, which the grammar does not know.
fn without_build_lines(source: &str) -> String {
    by_line(source, |line| line.starts_with("#:").then(|| blanked(line)))
}

/// Puts `''` in place of each doubled quote in `$@"…"`: the grammar takes those behind a value for the end of the text.
fn without_doubled_quotes(source: &str) -> String {
    let mut plain = String::with_capacity(source.len());
    let mut end = 0;
    for (at, piece) in Pieces::new(source.as_bytes()) {
        if piece == Piece::DoubledQuote {
            plain.push_str(&source[end..at]);
            plain.push_str("''");
            end = at + 2;
        }
    }
    plain.push_str(&source[end..]);
    plain
}

/// Blanks the `*` of a type in parentheses, as in `*(int*)&value`: where values stand the grammar takes it for a product.
fn without_pointer_casts(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut plain = bytes.to_vec();
    for (at, piece) in Pieces::new(bytes) {
        if piece != Piece::Code || bytes[at] != b')' {
            continue;
        }
        let stars = bytes[..at].iter().rev().take_while(|byte| **byte == b'*').count();
        let of_type = bytes[..at - stars].last();
        if of_type.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_>".contains(byte)) {
            plain[at - stars..at].fill(b' ');
        }
    }
    String::from_utf8(plain).unwrap_or_else(|_| source.to_owned())
}

/// Puts [`STAND_IN`] in place of `async` where it is a name (`Open(async, token)`, `if (async)`), not a modifier.
fn without_names_of_modifiers(source: &str) -> String {
    let (stand_in, word) = STAND_IN;
    let mut plain = String::with_capacity(source.len());
    let mut end = 0;
    for (at, _) in source.match_indices(word) {
        let rest = source[at + word.len()..].trim_start();
        let behind = rest.split(|next: char| !next.is_alphanumeric() && next != '_').next();
        let is_whole = !source[..at]
            .ends_with(|before: char| before.is_alphanumeric() || "_@".contains(before));
        let is_name = rest.starts_with(|next| ",);?:&|=.!<>}]+-*[{".contains(next))
            || behind.is_some_and(|behind| WORDS_BEHIND_NAMES.contains(&behind));
        if is_whole && is_name {
            plain.push_str(&source[end..at]);
            plain.push_str(stand_in);
            end = at + word.len();
        }
    }
    plain.push_str(&source[end..]);
    plain
}

/// What a byte of a source stands in.
enum Inside {
    Code {
        /// Braces that are open in it.
        braces: usize,
    },
    /// A text with values in it.
    Text { verbatim: bool },
}

/// What a piece of a source is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// A comment, a plain text, a character or a byte of code.
    Code,
    /// A part of a text with values, or of a value in it.
    Text,
    /// Doubled quotes in a verbatim text with values.
    DoubledQuote,
}

/// The pieces of a source, each with the place where it starts. None but texts, comments and doubled quotes are longer than
/// a byte.
pub(super) struct Pieces<'s> {
    source: &'s [u8],
    at: usize,
    open: Vec<Inside>,
}

impl<'s> Pieces<'s> {
    pub(super) fn new(source: &'s [u8]) -> Self {
        Self { source, at: 0, open: vec![Inside::Code { braces: 0 }] }
    }
}

impl Iterator for Pieces<'_> {
    type Item = (usize, Piece);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.source.get(self.at..).filter(|rest| !rest.is_empty())?;
        let inside = self.open.last_mut()?;
        let mut piece = Piece::Text;
        let length = match (inside, rest) {
            (Inside::Text { verbatim: true }, [b'"', b'"', ..]) => {
                piece = Piece::DoubledQuote;
                2
            }
            (Inside::Text { verbatim: false }, [b'\\', _, ..]) => 2,
            (Inside::Text { .. }, [b'{', b'{', ..]) => 2,
            (Inside::Text { .. }, [b'{', ..]) => {
                self.open.push(Inside::Code { braces: 0 });
                1
            }
            (Inside::Text { verbatim }, [byte, ..]) => {
                if *byte == b'"' || *byte == b'\n' && !*verbatim {
                    self.open.pop();
                }
                1
            }
            (Inside::Code { .. }, [b'$', b'@', b'"', ..] | [b'@', b'$', b'"', ..]) => {
                self.open.push(Inside::Text { verbatim: true });
                3
            }
            (Inside::Code { .. }, [b'$', b'"', after @ ..]) if !after.starts_with(b"\"\"") => {
                self.open.push(Inside::Text { verbatim: false });
                2
            }
            (Inside::Code { braces }, rest) => {
                let mut outer = false;
                match rest {
                    [b'{', ..] => *braces += 1,
                    [b'}', ..] => match braces.checked_sub(1) {
                        Some(fewer) => *braces = fewer,
                        None => outer = true,
                    },
                    _ => {}
                }
                if self.open.len() == 1 {
                    piece = Piece::Code;
                } else if outer {
                    self.open.pop();
                }
                token(rest)
            }
            (Inside::Text { .. }, []) => 1,
        };
        self.at += length;
        Some((self.at - length, piece))
    }
}

/// Returns the length of a comment, a plain text or a character at the start of `code`; 1 if there is none.
pub(super) fn token(code: &[u8]) -> usize {
    let until = |from: usize, end: &[u8]| {
        let rest = code.get(from..).unwrap_or_default();
        let found = rest.windows(end.len()).position(|window| window == end);
        found.map_or(code.len(), |at| from + at + end.len())
    };
    match code {
        [b'/', b'/', ..] => until(2, b"\n"),
        [b'/', b'*', ..] => until(2, b"*/"),
        [b'"', b'"', b'"', ..] => {
            let quotes = code.iter().take_while(|byte| **byte == b'"').count();
            until(quotes, &code[..quotes])
        }
        [b'@', b'"', ..] => {
            let mut at = 2;
            while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
                match rest {
                    [b'"', b'"', ..] => at += 2,
                    [b'"', ..] => return at + 1,
                    _ => at += 1,
                }
            }
            at
        }
        [b'"', ..] => {
            let mut at = 1;
            while let Some(byte) = code.get(at) {
                match byte {
                    b'\\' => at += 2,
                    b'"' => return at + 1,
                    b'\n' => return at,
                    _ => at += 1,
                }
            }
            at
        }
        [b'\'', b'\\', _, b'\'', ..] => 4,
        [b'\'', _, b'\'', ..] => 3,
        _ => 1,
    }
}
