//! What a text says of the order of two things: "a before b", "first a and then b", "a → b". The order is that of the lines where
//! most of the names of either part stand.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{
    call_argument_claims::is_nested,
    evidence::{RunEvidence, words_of},
    sentence_clauses::{FlowTextStep, steps},
};
use crate::{
    mentions_in_prose::{Mention, mentions},
    prose::literal_regex,
    validate::citation::Citation,
};

/// What the cited lines say of an order that a text claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OrderCheck {
    /// They have it.
    Shown,
    /// They have the opposite one. Lines do not always run in their order: deferred calls, loops, closures.
    Reversed,
}

/// Returns what the cited lines say of the orders that `text` claims, the worst of them; nothing if they say nothing.
pub(super) fn order(
    text: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<OrderCheck> {
    let steps = steps(text);
    let is_joined = |pair: &&[FlowTextStep<'_>]| {
        let separator = pair[0].separator;
        separator.contains("then") || separator.contains(['→', '>'])
    };
    let successive = steps.windows(2).filter(is_joined);
    let successive = successive.filter_map(|pair| {
        let parts = names_of(pair[0].text, pair[1].text, refs, evidence)?;
        evaluation(&parts, refs, evidence)
            .or_else(|| compare(&parts, Extent::Function, refs, evidence))
    });
    let claims = steps.iter().filter_map(|step| {
        let (earlier, later) = claimed(step.text)?;
        let parts = names_of(earlier, later, refs, evidence)?;
        evaluation(&parts, refs, evidence)
            .or_else(|| compare(&parts, Extent::Citation, refs, evidence))
    });
    successive.chain(claims).max()
}

/// The names of code of two parts of a text that are not in both.
struct Parts {
    earlier: BTreeSet<String>,
    later: BTreeSet<String>,
}

/// Returns the names of two parts, but those of the declarations around the cited lines; nothing if one has none.
fn names_of(
    earlier: &str,
    later: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<Parts> {
    let around: BTreeSet<&str> = refs
        .iter()
        .flat_map(|citation| evidence.overlapping(citation))
        .map(|declaration| declaration.name.as_str())
        .collect();
    let names = |part: &str| -> BTreeSet<String> {
        let mentions = mentions(part);
        let names = mentions.iter().filter_map(Mention::name);
        names.filter(|name| !around.contains(name.as_str())).cloned().collect()
    };
    let (first, second) = (names(earlier), names(later));
    let earlier: BTreeSet<String> = first.difference(&second).cloned().collect();
    let later: BTreeSet<String> = second.difference(&first).cloned().collect();
    (!earlier.is_empty() && !later.is_empty()).then_some(Parts { earlier, later })
}

/// How far apart the lines of two parts may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// In one cited range.
    Citation,
    /// In one function of it: where one function stands before the other says nothing.
    Function,
}

/// Compares the order of two parts with that of each cited range that has names of both. One that shows it is enough.
fn compare(
    parts: &Parts,
    extent: Extent,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<OrderCheck> {
    let orders = refs.iter().filter_map(|citation| {
        let (early, _) = lines_of(&parts.earlier, citation, evidence)?;
        let (late, late_end) = lines_of(&parts.later, citation, evidence)?;
        if extent == Extent::Function && !is_one_function(citation, [early, late], evidence) {
            return None;
        }
        Some(if early > late_end { OrderCheck::Reversed } else { OrderCheck::Shown })
    });
    orders.min()
}

/// Returns the order of two parts where one is an argument of the other: arguments are evaluated first.
fn evaluation(parts: &Parts, refs: &[Citation], evidence: &RunEvidence<'_>) -> Option<OrderCheck> {
    refs.iter().find_map(|citation| {
        let code = citation.text(&evidence.context);
        let nested = |inner: &BTreeSet<String>, outer: &BTreeSet<String>| {
            inner.iter().any(|inner| outer.iter().any(|outer| is_nested(&code, inner, outer)))
        };
        match (nested(&parts.earlier, &parts.later), nested(&parts.later, &parts.earlier)) {
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

/// Whether two lines of a cited file have the same functions around them.
fn is_one_function(citation: &Citation, lines: [u32; 2], evidence: &RunEvidence<'_>) -> bool {
    let [first, second] = lines.map(|line| {
        let around = evidence.overlapping(citation);
        let around =
            around.filter(move |found| found.kind == "function" && found.range.contains(line));
        around.map(|found| found.range).collect::<BTreeSet<_>>()
    });
    first == second
}

/// Returns the first and the last of those lines of a citation that have most of `names`.
fn lines_of(
    names: &BTreeSet<String>,
    citation: &Citation,
    evidence: &RunEvidence<'_>,
) -> Option<(u32, u32)> {
    let held = |line: &str| words_of(line).filter(|word| names.contains(*word)).count();
    let lines = evidence.file(&citation.path)?.lines_in(citation.range);
    let lines: Vec<(u32, usize)> = lines.map(|(number, line)| (number, held(line))).collect();
    let most = lines.iter().map(|(_, held)| *held).max().filter(|most| *most > 0)?;
    let mut lines = lines.iter().filter(|(_, held)| *held == most).map(|(number, _)| *number);
    let first = lines.next()?;
    Some((first, lines.next_back().unwrap_or(first)))
}
