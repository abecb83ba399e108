//! Checks claims that a name is among the arguments of a call.

use crate::prose_normalization::has_word;

/// Longest argument list that is looked at, in bytes.
const MAX_ARGUMENTS: usize = 2_000;

/// Whether `code` has `inner` between the parentheses right behind `outer`.
pub(super) fn is_nested(code: &str, inner: &str, outer: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(outer).any(|(at, _)| {
        let after = &code[at + outer.len()..];
        !code[..at].ends_with(is_name)
            && arguments(after).is_some_and(|arguments| has_word(arguments, inner))
    })
}

/// Returns what stands between the parentheses that `after` starts with.
fn arguments(after: &str) -> Option<&str> {
    let after = after.strip_prefix('(')?;
    let mut depth = 1_usize;
    for (at, c) in after.char_indices().take(MAX_ARGUMENTS) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&after[..at]);
        }
    }
    None
}
