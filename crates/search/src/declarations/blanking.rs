//! Blanks comments and the insides of strings, so that patterns and brackets in them are not taken for code. The result has
//! the same length and the same lines. Rough on purpose: one pass, no grammar, and a mistake heals at the next line.

use crate::declarations::line_rules::{LineRules, SingleQuote};

/// Returns `text` with comments and string contents as spaces.
pub(crate) fn mask(text: &str, syntax: &LineRules) -> String {
    let bytes = text.as_bytes();
    let mut masked = bytes.to_vec();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if !OPENS[usize::from(*byte)] || !may_open(*byte, bytes.get(at + 1)) {
            at += 1;
            continue;
        }
        let (end, keep) = token(bytes, at, syntax);
        if end > at + 1 {
            let (from, to) = (at + keep, end.saturating_sub(keep).max(at + keep).min(end));
            for byte in &mut masked[from..to] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
        }
        at = end.max(at + 1);
    }
    // Only ASCII delimiters stand around what was blanked, so this is still UTF-8.
    String::from_utf8(masked).unwrap_or_else(|_| text.to_owned())
}

/// What a comment or string of any language may begin with, by byte.
static OPENS: [bool; 256] = crate::declarations::table(b"\"'`/#-r");

/// Whether one may begin with these two.
const fn may_open(byte: u8, next: Option<&u8>) -> bool {
    match byte {
        b'r' => matches!(next, Some(b'#')),
        b'-' => matches!(next, Some(b'-')),
        b'/' => matches!(next, Some(b'/' | b'*')),
        _ => true,
    }
}

/// Returns the end of the comment or string at `at`, and how many bytes of its marks stay on both sides.
fn token(bytes: &[u8], at: usize, syntax: &LineRules) -> (usize, usize) {
    let rest = &bytes[at..];
    let fresh = at == 0 || bytes[at - 1].is_ascii_whitespace();
    for marker in syntax.line_comments {
        // `#` and `--` are comments only at the start of a word: `$#`, `x--`.
        if rest.starts_with(marker.as_bytes())
            && (fresh || *marker == "//" && bytes[at - 1] != b':')
        {
            return (line_end(bytes, at), 0);
        }
    }
    if syntax.block_comments && rest.starts_with(b"/*") {
        return (find(bytes, at + 2, b"*/").map_or(bytes.len(), |end| end + 2), 0);
    }
    match rest[0] {
        quote @ (b'"' | b'\'') if syntax.triple_quotes && rest.starts_with(&[quote; 3]) => {
            (find(bytes, at + 3, &[quote; 3]).map_or(bytes.len(), |end| end + 3), 3)
        }
        b'r' if !at
            .checked_sub(1)
            .is_some_and(|before| crate::words::is_word_byte(bytes[before])) =>
        {
            raw_string(bytes, at).map_or((at + 1, 0), |end| (end, 1))
        }
        b'"' => (string_end(bytes, at, b'"', false), 1),
        b'`' if syntax.backtick => (string_end(bytes, at, b'`', true), 1),
        b'\'' if syntax.single_quote == SingleQuote::String => {
            (string_end(bytes, at, b'\'', false), 1)
        }
        b'\'' => match rest {
            [_, b'\\', ..] => (string_end(bytes, at, b'\'', false), 1),
            [_, _, b'\'', ..] => (at + 3, 1),
            _ => (at + 1, 0),
        },
        _ => (at + 1, 0),
    }
}

/// Returns the end of a raw string with hashes (`r#"…"#`) that starts at `at`.
fn raw_string(bytes: &[u8], at: usize) -> Option<usize> {
    let hashes = bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
    if hashes == 0 || bytes.get(at + 1 + hashes) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(hashes + 1, b'#');
    find(bytes, at + hashes + 2, &close).map(|end| end + close.len())
}

/// Returns the end of the string that opens at `at`; a string that may not span lines ends with its line.
fn string_end(bytes: &[u8], at: usize, quote: u8, multi_line: bool) -> usize {
    let mut next = at + 1;
    while next < bytes.len() {
        match bytes[next] {
            b'\\' => next += 1,
            b'\n' if !multi_line => return next,
            byte if byte == quote => return next + 1,
            _ => {}
        }
        next += 1;
    }
    bytes.len()
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    bytes.get(from..)?.windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
}
