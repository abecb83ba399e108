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
    for (index, line) in text.lines().enumerate() {
        let start = line.trim_ascii_start();
        if let [b'#' | b'*', ..] | [b'/', b'/' | b'*', ..] | [b'-', b'-', ..] = start.as_bytes() {
            continue;
        }
        // The heading's own bracket is no call.
        let calls = start.bytes().zip(start.bytes().skip(1)).filter(|pair| is_call(*pair)).count();
        done += calls.saturating_sub(usize::from(index == 0)).min(4) as f64;
        let word = start.trim_start_matches("} ").split(|c: char| !c.is_alphanumeric()).next();
        done += if word.is_some_and(is_branch) { 1.5 } else { 0.0 };
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

fn is_call((before, byte): (u8, u8)) -> bool {
    byte == b'(' && (before.is_ascii_alphanumeric() || matches!(before, b'_' | b'!' | b'>'))
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
