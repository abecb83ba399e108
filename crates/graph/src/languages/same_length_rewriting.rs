//! Rewrites texts at the same length, for grammars that misread some of their language: what is left keeps its line and its byte.

use std::{iter::repeat_n, ops::Range};

/// Puts blanks in place of all bytes but line ends.
pub(crate) fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| !b"\r\n".contains(byte)) {
        *byte = b' ';
    }
}

/// Rewrites the lines of a text; those for which `rewrite` returns nothing stay as they are.
pub(crate) fn by_line(source: &str, mut rewrite: impl FnMut(&str) -> Option<String>) -> String {
    source
        .split_inclusive('\n')
        .map(|line| rewrite(line).unwrap_or_else(|| line.to_owned()))
        .collect()
}

/// Returns a line of blanks, with the end of `line`.
pub(crate) fn blanked(line: &str) -> String {
    replaced(line, 0..line.trim_end_matches(['\r', '\n']).len(), "")
}

/// Returns a line with `known`, which is not longer, and blanks in place of a range.
pub(crate) fn replaced(line: &str, range: Range<usize>, known: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    plain.push_str(&line[..range.start]);
    plain.push_str(known);
    plain.extend(repeat_n(' ', range.len().saturating_sub(known.len())));
    plain.push_str(&line[range.end..]);
    plain
}
