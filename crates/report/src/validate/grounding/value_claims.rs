//! What a text says in plain words where code has a value: "sets `mode` to strict", "if `env` is test", "get, put and patch", a
//! product's name. Words are no names, so that grounding does not look them up.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::evidence::RunEvidence;
use crate::{mentions::is_identifier_spelling, prose::literal_regex, validate::citation::Citation};

/// Returns a member of a list in `step` that no delivered line has, where the cited lines have all others in quotes.
pub(super) fn wrong_member(
    step: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<String> {
    static LIST: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"\b([a-z][a-z0-9_]*(?:, [a-z][a-z0-9_]*)+,? (?:and|or) [a-z][a-z0-9_]*)\b")
    });
    let list = LIST.as_ref()?;
    if !list.is_match(step) {
        return None;
    }
    let cited: String = refs.iter().map(|citation| citation.text(&evidence.context)).collect();
    let quoted: BTreeSet<&str> = cited.split(['\'', '"', '`']).collect();
    let is_quoted = |word: &str| quoted.contains(word);
    let lists = list.captures_iter(step).filter_map(|found| found.get(1));
    lists.map(|list| list.as_str()).find_map(|list| {
        let words = list.split([',', ' ']).filter(|word| !["", "and", "or"].contains(word));
        let (quoted, others): (Vec<&str>, Vec<&str>) = words.partition(|word| is_quoted(word));
        let is_list_of_code = quoted.len() > 1 && others.len() == 1;
        let other = others.first().filter(|other| is_list_of_code && !evidence.is_said(other))?;
        Some(format!("\"{other}\" was not delivered"))
    })
}

/// Returns a value or a name in plain words that no delivered line has.
pub(super) fn unshown_value(step: &str, evidence: &RunEvidence<'_>) -> Option<String> {
    static SET: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"`[^`]+` to ([a-z]{3,})(?:[,.;)]| and\b|$)"));
    static CONDITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"\b(?:if|when|while|unless) `[^`]+` (?:is|equals) ([a-z]{3,})(?:[,.;)]|$)")
    });
    static NAME: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"(?:[a-z,)`]|'s) ([A-Z][a-z]{3,})\b"));
    let is_setting = ["sets ", "set ", "defaults "].iter().any(|verb| step.contains(verb));
    // "the package sqlite:" names it, "the package itself" does not.
    static PACKAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"\bthe (?:package|library|crate|gem) ([a-z][a-z0-9_]{2,})(?:[:.,;)]|$)")
    });
    let values = [(&SET, is_setting), (&CONDITION, true), (&NAME, true), (&PACKAGE, true)];
    let values = values.into_iter().filter_map(|(form, holds)| form.as_ref().filter(|_| holds));
    let mut found = values.flat_map(|form| form.captures_iter(step)).filter_map(|all| all.get(1));
    let value = found.find(|value| {
        let value = value.as_str();
        !STATES.contains(&value) && !is_identifier_spelling(value) && !evidence.is_said(value)
    })?;
    Some(format!("\"{}\"", value.as_str()))
}

/// Words for states that code has in other words.
const STATES: [&str; 32] = [
    "smaller",
    "larger",
    "longer",
    "shorter",
    "equal",
    "on",
    "off",
    "set",
    "given",
    "empty",
    "null",
    "none",
    "zero",
    "true",
    "false",
    "unset",
    "missing",
    "absent",
    "present",
    "negative",
    "positive",
    "known",
    "unknown",
    "unlimited",
    "infinite",
    "closed",
    "open",
    "done",
    "full",
    "both",
    "it",
    "them",
];
