//! What a text says of the order of two things: "a before b", "first a and then b". The order is that of the lines where the
//! words of either part stand first.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{
    evidence::{RunEvidence, words_of},
    nesting_claims::is_nested,
    sentence_clauses::steps,
    stems::is_form_of,
};
use crate::{
    mentions::{Mention, mentions},
    prose::literal_regex,
    validate::citation::Citation,
};
use retriever_search::words_in;

/// Whether the cited lines show the order that a text claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OrderCheck {
    /// They do.
    Shown,
    /// They show neither.
    Unknown,
    /// They show the opposite order.
    Reversed,
}

/// Returns what the cited lines say of the orders that `text` claims, the worst of them; nothing if it claims none.
pub(super) fn order(
    text: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<OrderCheck> {
    let steps = steps(text);
    let successive = steps.windows(2).filter(|pair| pair[0].separator.contains("then"));
    // Steps of a flow say too much for their words to be compared.
    let successive = successive
        .filter(|pair| pair.iter().all(|step| words(step.text, refs, evidence).1))
        .map(|pair| compare(pair[0].text, pair[1].text, refs, evidence))
        .filter(|order| *order == OrderCheck::Reversed);
    let claims = steps.iter().filter_map(|step| claimed(step.text));
    let claims = claims.map(|(earlier, later)| {
        let (first, second) = (words(earlier, refs, evidence).0, words(later, refs, evidence).0);
        evaluation(&first, &second, refs, evidence)
            .unwrap_or_else(|| compare(earlier, later, refs, evidence))
    });
    successive.chain(claims).max()
}

/// Compares the order of two parts with that of each cited range that has words of both.
fn compare(
    earlier: &str,
    later: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> OrderCheck {
    let (mut first, _) = words(earlier, refs, evidence);
    let (mut second, are_names) = words(later, refs, evidence);
    let both: BTreeSet<String> = first.intersection(&second).cloned().collect();
    first.retain(|word| !both.contains(word));
    second.retain(|word| !both.contains(word));
    let orders = refs.iter().filter_map(|citation| {
        let (early, early_end) = lines_of(&first, citation, evidence)?;
        let (late, late_end) = lines_of(&second, citation, evidence)?;
        if early > late_end {
            Some(OrderCheck::Reversed)
        } else {
            // A name that stands before both can be used there; a word is often only part of another.
            let is_apart = early <= late || !are_names;
            (is_apart && early < late_end && early_end <= late_end).then_some(OrderCheck::Shown)
        }
    });
    orders.min().unwrap_or(OrderCheck::Unknown)
}

/// Returns the order of two parts where one is an argument of the other: arguments are evaluated first.
fn evaluation(
    earlier: &BTreeSet<String>,
    later: &BTreeSet<String>,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<OrderCheck> {
    refs.iter().find_map(|citation| {
        let code = citation.text(&evidence.context);
        let called = |words: &BTreeSet<String>| -> BTreeSet<&str> {
            let is_it = |name: &&str| {
                let parts = words_in(name);
                words
                    .iter()
                    .any(|word| word == name || parts.iter().any(|part| is_form_of(part, word)))
            };
            words_of(&code).filter(is_it).collect()
        };
        let (early, late) = (called(earlier), called(later));
        let nested = |inner: &BTreeSet<&str>, outer: &BTreeSet<&str>| {
            let mut inner = inner.iter().filter(|name| !outer.contains(**name));
            inner.any(|inner| outer.iter().any(|outer| is_nested(&code, inner, outer)))
        };
        match (nested(&early, &late), nested(&late, &early)) {
            (true, false) => Some(OrderCheck::Shown),
            (false, true) => Some(OrderCheck::Reversed),
            _ => None,
        }
    })
}

/// Returns what a clause puts earlier, and what later.
fn claimed(clause: &str) -> Option<(&str, &str)> {
    static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^(?P<a>.+?),?\s(?:comes\s+)?(?:right\s+|long\s+|just\s+)?before\s+(?:that\s+of\s+)?(?P<b>[^,;]+)",
        )
    });
    static AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^(?P<b>.+?),?\s(?:only\s+|right\s+|just\s+)?after\s+(?P<a>[^,;]+?)(?:\s+and\s.*)?$",
        )
    });
    static LEADING: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"^\s*(?:After|Once)\s+(?P<a>[^,]+),\s+(?P<b>.+)$"));
    static THEN: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"^(?P<a>.+?),?\s+and\s+only\s+then\s+(?P<b>.+)$"));
    static AFTERWARDS: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"^(?P<a>.+?)\s+and\s+(?P<b>.+?)\s+(?:afterwards|later)\b"));
    static FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?:^|[`,]\s*)(?P<a>[^,;`]{3,40}?)\s+first\s+and\s+(?P<b>\S+(?:\s+\S+){0,3})",
        )
    });
    [&AFTERWARDS, &LEADING, &THEN, &FIRST, &BEFORE, &AFTER].into_iter().find_map(|form| {
        let found = form.as_ref()?.captures(clause)?;
        Some((found.name("a")?.as_str(), found.name("b")?.as_str()))
    })
}

/// Returns the names of a part, or the longer words if it has none but those of the declarations around the cited lines; and
/// whether they are names.
fn words(part: &str, refs: &[Citation], evidence: &RunEvidence<'_>) -> (BTreeSet<String>, bool) {
    let is_around = |name: &String| {
        let mut around = refs.iter().flat_map(|citation| evidence.overlapping(citation));
        around.any(|declaration| declaration.name == *name)
    };
    let named: BTreeSet<String> = mentions(part)
        .into_iter()
        .filter_map(|mention| match mention {
            Mention::Identifier(name) | Mention::Word(name) => Some(name),
            _ => None,
        })
        .filter(|name| !is_around(name))
        .collect();
    if !named.is_empty() {
        return (named, true);
    }
    let words = words_in(part).into_iter().filter(|word| word.chars().count() >= 4);
    (words.collect(), false)
}

/// Returns the first and the last line of a citation that has one of `words`.
fn lines_of(
    words: &BTreeSet<String>,
    citation: &Citation,
    evidence: &RunEvidence<'_>,
) -> Option<(u32, u32)> {
    let has = |line: &str| {
        let parts = words_in(line);
        words.iter().any(|word| {
            words_of(line).any(|own| own == word) || parts.iter().any(|part| is_form_of(part, word))
        })
    };
    let lines = evidence.file(&citation.path)?.lines_in(citation.range);
    let lines: Vec<u32> = lines.filter(|(_, line)| has(line)).map(|(number, _)| number).collect();
    Some((*lines.first()?, *lines.last()?))
}
