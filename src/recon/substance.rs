//! Whether a place does something or only names it: calls and branches in its code against the plain shapes of types, constants
//! and accessors. A question about behaviour is answered where the work is done.

use super::declarations;

/// Calls and branches of a place that does half as much as any can.
const USUAL: f64 = 7.0;

/// Returns how much the code of a place does, 0 to 1. `kind` is the kind of declaration; without one the text decides.
pub(super) fn substance(kind: Option<&str>, text: &str) -> f64 {
    match kind {
        Some("section") => return 0.3,
        Some(kind) if is_plain(kind) => return 0.15,
        _ => {}
    }
    let mut done = 0.0;
    let bytes = text.as_bytes();
    let (mut next, mut is_heading) = (0, true);
    while next < bytes.len() {
        let line = next;
        let start = skip(bytes, line, |byte| byte.is_ascii_whitespace() && byte != b'\n');
        let is_comment = matches!(
            &bytes[start..],
            [b'#' | b'*', ..] | [b'/', b'/' | b'*', ..] | [b'-', b'-', ..]
        );
        let (mut calls, mut before, mut end) = (0_usize, b' ', start);
        while let Some(byte) = bytes.get(end).filter(|byte| **byte != b'\n') {
            calls += usize::from(*byte == b'(' && is_callee(before));
            before = *byte;
            end += 1;
        }
        if !is_comment {
            // The heading's own bracket is no call.
            done += calls.saturating_sub(usize::from(is_heading)).min(4) as f64;
            done += if begins_branch(&text[start..end]) { 1.5 } else { 0.0 };
        }
        (next, is_heading) = (end + 1, false);
    }
    let most = if kind.is_some_and(declarations::is_type) { 0.4 } else { 1.0 };
    (done / (done + USUAL)).min(most)
}

/// Whether a kind of declaration only says what there is.
pub(super) fn is_plain(kind: &str) -> bool {
    matches!(
        kind,
        "const"
            | "constant"
            | "variable"
            | "var"
            | "val"
            | "let"
            | "static"
            | "type"
            | "typealias"
            | "interface"
            | "@interface"
            | "trait"
            | "protocol"
            | "@protocol"
            | "enum"
            | "enum class"
            | "union"
            | "message"
            | "scalar"
            | "input"
            | "annotation class"
    )
}

/// The first place from `at` on whose byte isn't `wanted`.
fn skip(bytes: &[u8], at: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let length = bytes[at..].iter().position(|byte| !wanted(*byte));
    length.map_or(bytes.len(), |length| at + length)
}

/// Whether a bracket behind a byte opens the arguments of a call.
fn is_callee(before: u8) -> bool {
    before.is_ascii_alphanumeric() || matches!(before, b'_' | b'!' | b'>')
}

/// Whether a line begins with a word that branches.
fn begins_branch(mut line: &str) -> bool {
    while let Some(rest) = line.strip_prefix("} ") {
        line = rest;
    }
    let end = skip(line.as_bytes(), 0, |byte| byte.is_ascii_lowercase());
    let goes_on = || line[end..].starts_with(char::is_alphanumeric);
    end > 0 && is_branch(&line[..end]) && !goes_on()
}

fn is_branch(word: &str) -> bool {
    matches!(
        word,
        "if" | "else"
            | "elif"
            | "for"
            | "while"
            | "loop"
            | "match"
            | "switch"
            | "case"
            | "when"
            | "guard"
            | "try"
            | "catch"
            | "except"
            | "select"
            | "defer"
            | "throw"
            | "raise"
            | "unless"
            | "rescue"
    )
}
