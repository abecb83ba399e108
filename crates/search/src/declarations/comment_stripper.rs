//! Blanks comments and the contents of strings, so that patterns and brackets in them are not taken for code. The result
//! has the same bytes per line. One pass without a grammar: a mistake ends at the next line.

use memchr::{memchr, memmem};

use super::line_patterns::{DeclarationLinePatterns, SingleQuoteSyntax};
use crate::words;

/// Returns `text` with comments and string contents as spaces.
pub(super) fn blank(text: &str, rules: &DeclarationLinePatterns) -> String {
    let bytes = text.as_bytes();
    let mut masked = bytes.to_vec();
    let mut scanner = Scanner { bytes, rules, max_raw_hashes: usize::MAX };
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if !OPENING[usize::from(*byte)] || !can_open(*byte, bytes.get(at + 1)) {
            at += 1;
            continue;
        }
        let Token { end, delimiter } = scanner.token(at);
        if end > at + 1 {
            let start = at + delimiter;
            let stop = end.saturating_sub(delimiter).max(start).min(end);
            masked[start..stop]
                .iter_mut()
                .filter(|byte| **byte != b'\n')
                .for_each(|byte| *byte = b' ');
        }
        at = end.max(at + 1);
    }
    // What was blanked lies between ASCII delimiters, so the result is UTF-8.
    String::from_utf8(masked).unwrap_or_else(|_| text.to_owned())
}

/// Bytes that a comment or a string of any language may begin with.
static OPENING: [bool; 256] = super::byte_table(b"\"'`/#-r%{(");

/// Whether a comment or a string may begin with these two bytes.
const fn can_open(byte: u8, next: Option<&u8>) -> bool {
    match byte {
        b'r' => matches!(next, Some(b'#')),
        b'-' => matches!(next, Some(b'-')),
        b'/' => matches!(next, Some(b'/' | b'*')),
        b'{' => matches!(next, Some(b'-')),
        b'(' => matches!(next, Some(b'*')),
        _ => true,
    }
}

/// A comment, a string, or a byte that begins neither.
struct Token {
    end: usize,
    /// Bytes of its delimiters, which stay on both sides.
    delimiter: usize,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    rules: &'a DeclarationLinePatterns,
    /// Most hashes of a raw string that can still be closed: one that was not found closed is not searched again, so that
    /// openers without an end take linear time.
    max_raw_hashes: usize,
}

impl Scanner<'_> {
    /// Returns the token at `at`.
    fn token(&mut self, at: usize) -> Token {
        let (bytes, rules) = (self.bytes, self.rules);
        let rest = &bytes[at..];
        if self.is_line_comment(at) {
            return Token { end: line_end(bytes, at), delimiter: 0 };
        }
        if let Some((open, close)) = rules.block_comment
            && rules.opens_block_comment(rest)
        {
            let end = self.end_behind(at + open.len(), close.as_bytes());
            return Token { end, delimiter: 0 };
        }
        let string = |end| Token { end, delimiter: 1 };
        match rest[0] {
            quote @ (b'"' | b'\'') if rules.triple_quotes && rest.starts_with(&[quote; 3]) => {
                Token { end: self.end_behind(at + 3, &[quote; 3]), delimiter: 3 }
            }
            b'r' if at == 0 || !words::is_word_byte(bytes[at - 1]) => {
                self.raw_string_end(at).map_or(Token { end: at + 1, delimiter: 0 }, string)
            }
            b'"' => string(string_end(bytes, at, b'"')),
            b'`' if rules.backtick => string(multi_line_string_end(bytes, at, b'`')),
            b'\'' if rules.single_quote == SingleQuoteSyntax::String => {
                string(string_end(bytes, at, b'\''))
            }
            b'\'' => match rest {
                [_, b'\\', ..] => string(string_end(bytes, at, b'\'')),
                [_, _, b'\'', ..] => string(at + 3),
                _ => Token { end: at + 1, delimiter: 0 },
            },
            _ => Token { end: at + 1, delimiter: 0 },
        }
    }

    /// Whether a line comment begins at `at`. `#` and `--` begin one only behind a space, which `$#` and `x--` don't have,
    /// and `//` does not behind `:`, as in a URL.
    fn is_line_comment(&self, at: usize) -> bool {
        let rest = &self.bytes[at..];
        let before = at.checked_sub(1).map(|before| self.bytes[before]);
        let is_separate = before.is_none_or(|byte| byte.is_ascii_whitespace());
        self.rules.line_comments.iter().any(|marker| {
            rest.starts_with(marker.as_bytes())
                && (is_separate || *marker == "//" && before != Some(b':'))
        })
    }

    /// Returns the end of the next `closing` from `start` on, or the end of the text.
    fn end_behind(&self, start: usize, closing: &[u8]) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        memmem::find(rest, closing).map_or(self.bytes.len(), |at| start + at + closing.len())
    }

    /// Returns the end of the raw string with hashes (`r#"…"#`) that starts at `at`.
    fn raw_string_end(&mut self, at: usize) -> Option<usize> {
        let hashes = self.bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
        if hashes == 0
            || hashes > self.max_raw_hashes
            || self.bytes.get(at + 1 + hashes) != Some(&b'"')
        {
            return None;
        }
        let mut closing = vec![b'"'];
        closing.resize(hashes + 1, b'#');
        let start = at + hashes + 2;
        let end = memmem::find(self.bytes.get(start..)?, &closing);
        if end.is_none() {
            self.max_raw_hashes = hashes - 1;
        }
        end.map(|end| start + end + closing.len())
    }
}

/// Returns the end of the string that opens at `at`; it ends with its line at the latest.
fn string_end(bytes: &[u8], at: usize, quote: u8) -> usize {
    let mut next = at + 1;
    while next < bytes.len() {
        match bytes[next] {
            b'\\' => next += 1,
            b'\n' => return next,
            byte if byte == quote => return next + 1,
            _ => {}
        }
        next += 1;
    }
    bytes.len()
}

/// Returns the end of the string that opens at `at` and may span lines.
fn multi_line_string_end(bytes: &[u8], at: usize, quote: u8) -> usize {
    let mut next = at + 1;
    while let Some(found) = bytes.get(next..).and_then(|rest| memchr::memchr2(b'\\', quote, rest)) {
        if bytes[next + found] == quote {
            return next + found + 1;
        }
        next += found + 2;
    }
    bytes.len()
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length)
}
