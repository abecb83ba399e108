//! Whether a place does something or only names it: calls and branches in its code against the plain shapes of types, constants
//! and accessors. A question about behaviour is answered where the work is done.

use crate::declarations;

/// Calls and branches of a place that does half as much as any can.
const USUAL: f64 = 7.0;

/// Returns how much the code of a place does, 0 to 1. `kind` is the kind of declaration; without one its `work` decides, see
/// [`work`].
pub(crate) fn substance(kind: Option<&str>, work: u32) -> f64 {
    match kind {
        Some("section") => return 0.3,
        Some(kind) if is_plain(kind) => return 0.15,
        _ => {}
    }
    let done = f64::from(work) / 2.0;
    let most = if kind.is_some_and(declarations::is_type) { 0.4 } else { 1.0 };
    (done / (done + USUAL)).min(most)
}

/// Counts the calls and branches of a line, in halves. The first line of a place is its heading.
pub(crate) fn work(line: &str, is_heading: bool) -> u32 {
    let line = line.trim_ascii_start();
    if matches!(line.as_bytes(), [b'#' | b'*', ..] | [b'/', b'/' | b'*', ..] | [b'-', b'-', ..]) {
        return 0;
    }
    let bytes = line.as_bytes();
    let calls = bytes.windows(2).filter(|pair| pair[1] == b'(' && is_callee(pair[0])).count();
    // The heading's own bracket is no call.
    let calls = calls.saturating_sub(usize::from(is_heading)).min(4) as u32;
    2 * calls + if begins_branch(line) { 3 } else { 0 }
}

/// Whether a kind of declaration only says what there is.
pub(crate) fn is_plain(kind: &str) -> bool {
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

/// Whether a bracket behind a byte opens the arguments of a call.
fn is_callee(before: u8) -> bool {
    before.is_ascii_alphanumeric() || matches!(before, b'_' | b'!' | b'>')
}

/// Whether a line begins with a word that branches.
fn begins_branch(mut line: &str) -> bool {
    while let Some(rest) = line.strip_prefix("} ") {
        line = rest;
    }
    let end = line.bytes().take_while(u8::is_ascii_lowercase).count();
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
