//! Checks claims that a name is among the arguments of a call, or is not.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    code_names::{NAME, own_name},
    evidence::RunEvidence,
};
use crate::{
    prose_normalization::{has_word, is_word_char, literal_regex},
    validate::citation::Citation,
    validation_reason_parts::ReasonDetail,
};

/// Longest argument list that is looked at, in characters.
const MAX_ARGUMENT_CHARS: usize = 2_000;

/// Whether `code` has `inner` between the parentheses right behind `outer`.
pub(super) fn is_nested(code: &str, inner: &str, outer: &str) -> bool {
    argument_lists(code, outer).any(|arguments| has_word(arguments, inner))
}

/// Returns what stands between the parentheses right behind each `called`.
fn argument_lists<'c>(code: &'c str, called: &'c str) -> impl Iterator<Item = &'c str> {
    let is_start = move |at: usize| !code[..at].ends_with(is_word_char);
    let found = code.match_indices(called).filter(move |(at, _)| is_start(*at));
    found.filter_map(|(at, _)| arguments(&code[at + called.len()..]))
}

/// Returns what stands between the parentheses that `after` starts with.
fn arguments(after: &str) -> Option<&str> {
    let after = after.strip_prefix('(')?;
    let mut depth = 1_usize;
    for (at, c) in after.char_indices().take(MAX_ARGUMENT_CHARS) {
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

/// Finds "makes `a` without `b`" where every call of `a` in the cited lines has `b` as an argument of its own.
pub(super) fn passed_argument(
    text: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<ReasonDetail> {
    static WITHOUT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"\b(?:calls|makes|creates|constructs|builds|throws|raises|returns)\s+(?:(?:an?|the|its|this)\s+)?(?:new\s+)?{NAME}\s+without\s+(?:(?:the|its|this)\s+)?{NAME}\s*(?:[.,;)]|$)"
        ))
    });
    WITHOUT.as_ref()?.captures_iter(text).find_map(|found| {
        let called = own_name(found.get(1)?.as_str());
        let argument = found.get(2)?.as_str();
        let calls = refs.iter().flat_map(|citation| calls_of(called, citation, evidence));
        let mut passed = calls.map(|arguments| has_argument(&arguments, argument)).peekable();
        let is_passed = passed.peek().is_some() && passed.all(|is_passed| is_passed);
        is_passed.then(|| ReasonDetail::quoted(called).say(" is given ").quote(argument))
    })
}

/// Returns the arguments of each call of `called` in the cited lines; its declarations are no calls.
fn calls_of(called: &str, citation: &Citation, evidence: &RunEvidence<'_>) -> Vec<String> {
    let mut declared = evidence.declared(called).iter();
    let is_declared_here = declared.any(|(path, declaration)| {
        **path == citation.path && citation.range.contains(declaration.range.start())
    });
    if is_declared_here {
        return Vec::new();
    }
    let code = citation.text(&evidence.context);
    argument_lists(&code, called).map(str::to_owned).collect()
}

/// Whether one of the arguments is `name` and nothing else.
fn has_argument(arguments: &str, name: &str) -> bool {
    let mut depth = 0_u32;
    let mut separates = |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    arguments
        .split(&mut separates)
        .any(|argument| argument.trim().trim_start_matches(['&', '*']) == name)
}
