//! Call density: how many calls and branches a declaration has for its size. Types, constants and accessors have few.
//! Questions about behaviour prefer declarations with many.

/// Calls at which a place has half of the greatest weight.
const HALF_WEIGHT_CALLS: f64 = 7.0;
/// Weights of kinds that only declare.
const SECTION: f64 = 0.3;
const PLAIN: f64 = 0.15;
const MAX_OF_TYPE: f64 = 0.4;
/// Most calls of a line that count.
const MAX_CALLS: usize = 4;

/// Returns the weight of a place, 0 to 1, by the kind of declaration, if it is one, and its [`call_count`].
pub(crate) fn call_density(kind: Option<&str>, calls: u32) -> f64 {
    match kind {
        Some("section") => return SECTION,
        Some(kind) if is_plain_kind(kind) => return PLAIN,
        _ => {}
    }
    let calls = f64::from(calls) / 2.0;
    let most = if kind.is_some_and(super::is_type) { MAX_OF_TYPE } else { 1.0 };
    (calls / (calls + HALF_WEIGHT_CALLS)).min(most)
}

/// Where a line stands in its declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclarationLine {
    /// It names the declaration.
    Heading,
    /// It is any other line.
    Body,
}

/// Counts the calls and branches of a line in halves: a call is 2, a branch 3.
pub(crate) fn call_count(line: &str, part: DeclarationLine) -> u32 {
    let line = line.trim_ascii_start();
    if matches!(line.as_bytes(), [b'#' | b'*', ..] | [b'/', b'/' | b'*', ..] | [b'-', b'-', ..]) {
        return 0;
    }
    let bytes = line.as_bytes();
    let brackets = bytes.windows(2).filter(|pair| pair[1] == b'(' && ends_callee(pair[0])).count();
    // The heading's own bracket is no call.
    let calls =
        brackets.saturating_sub(usize::from(part == DeclarationLine::Heading)).min(MAX_CALLS);
    2 * calls as u32 + if begins_with_branch(line) { 3 } else { 0 }
}

/// Whether a kind only declares and does nothing.
pub(crate) fn is_plain_kind(kind: &str) -> bool {
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
fn ends_callee(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'!' | b'>')
}

fn begins_with_branch(mut line: &str) -> bool {
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
