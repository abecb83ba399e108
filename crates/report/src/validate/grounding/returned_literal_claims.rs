//! What a function is said to return, where that is a literal: "returns `nil`", "answers 0". No line of it may be without.

use std::sync::LazyLock;

use regex::Regex;

use super::{clause_subject::first_subject, code_names::own_name, evidence::RunEvidence};
use crate::{
    prose_normalization::{is_listed, literal_regex},
    sentence_clauses::claims,
    validate::citation::Citation,
};

/// Returns a literal that `text` says a cited function to return and that no delivered line has. What languages return without
/// a word for it, such as `undefined` and `None`, is left out.
pub(super) fn absent_literal(
    text: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<String> {
    static RETURNED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"\b(?:returns|answers|gives|yields)\s+(?P<literal>`?(?:null|nil|NULL|nullptr|zero|-?\d+)`?)(?:\s*[,.;)]|\s*$|\s+(?:if|when|for|unless|on|without|and|as|after)\b)",
        )
    });
    claims(text).into_iter().find_map(|clause| {
        let found = RETURNED.as_ref()?.captures(clause)?;
        let (verb, literal) = (found.get(0)?.start(), found.name("literal")?.as_str());
        // "A callback that returns null" is another function.
        let before = clause[..verb].split_whitespace().next_back().unwrap_or_default();
        let doer = own_name(first_subject(clause, evidence)?);
        let literal = literal.trim_matches('`');
        let has_literal = |path, range| {
            let mut lines = evidence.file(path).into_iter().flat_map(|file| file.lines_in(range));
            lines.any(|(_, line)| holds_literal(line, literal) || passes_on(line, literal))
        };
        let functions = evidence.functions().iter();
        let mut functions = functions
            .filter(|function| function.declaration.name == doer && function.is_cited(refs))
            .map(|function| has_literal(function.path, function.declaration.range))
            .peekable();
        let is_absent = !is_listed("that which who whose it", before)
            && functions.peek().is_some()
            && !functions.any(|has| has)
            && !refs.iter().any(|own| has_literal(&own.path, own.range));
        is_absent.then(|| format!("\"{doer}\" has no {literal} to return"))
    })
}

/// Whether a line returns what a call gives, which may be nothing.
fn passes_on(line: &str, literal: &str) -> bool {
    let returned = line.split_once("return ").map_or("", |(_, returned)| returned);
    !literal.contains(|c: char| c.is_ascii_digit()) && literal != "zero" && returned.contains('(')
}

/// Whether a line has a literal, in the spelling of any language.
fn holds_literal(line: &str, literal: &str) -> bool {
    const NULLS: [&str; 8] =
        ["null", "nil", "none", "nullptr", "undefined", "optional", "default", "nullable"];
    let words = || line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
    let digits = if literal == "zero" { "0" } else { literal.trim_start_matches('-') };
    if digits.starts_with(|c: char| c.is_ascii_digit()) {
        return words().any(|word| word.trim_end_matches(".0") == digits);
    }
    words().any(|word| NULLS.contains(&word.to_lowercase().as_str()))
}
