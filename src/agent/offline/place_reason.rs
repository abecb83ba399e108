//! The reason for a place of an offline report: its declaration, the first sentence of its documentation, calls that
//! join it to other places, and its names that match the question. The validator checks all of it.

use std::collections::BTreeSet;

use super::{
    candidate_groups::CandidateGroup, doc_sentence::doc_sentence, read_candidates::code_span,
};
use crate::agent::offline_driver_trait::OfflineState;
use retriever_search::{CallRelation, Candidate, CandidateSource, PlaceRole};

/// Longest reason, in characters.
pub(super) const MAX_REASON_CHARS: usize = 238;
/// Most names of each kind in a reason.
const MAX_NAMES: usize = 3;
/// Most calls in a reason.
const MAX_CALLS: usize = 2;

/// Returns the reason for `place` beside `others`. Parts that the validator has refused, documentation that an earlier
/// place has, and parts that do not fit are left out.
pub(super) fn reason(
    state: &OfflineState<'_>,
    place: &CandidateGroup<'_>,
    others: &[&CandidateGroup<'_>],
) -> String {
    let is_refused = state.refused.iter().any(|refused| *refused == place.reference());
    let mut before = others.iter().take_while(|other| !is_same(other, place));
    let documented = documentation(state, place).filter(|own| {
        !is_refused && !before.any(|other| documentation(state, other).as_ref() == Some(own))
    });
    let calls = if is_refused { None } else { calls(place) };
    let names = names(place, others, calls.as_deref().unwrap_or_default());
    let parts = [
        declaration(place.candidate),
        documented.map(|sentence| format!("documented as \"{sentence}\"")),
        calls,
        names,
    ];
    let mut reason = String::new();
    for part in parts.into_iter().flatten() {
        let separator = if reason.is_empty() { "" } else { "; " };
        if reason.chars().count() + separator.len() + part.chars().count() <= MAX_REASON_CHARS {
            reason.push_str(separator);
            reason.push_str(&part);
        }
    }
    if reason.is_empty() { found_by(place.candidate) } else { reason }
}

fn is_same(one: &CandidateGroup<'_>, other: &CandidateGroup<'_>) -> bool {
    std::ptr::eq(one.candidate, other.candidate)
}

/// Returns the first sentence of the documentation of a place.
fn documentation(state: &OfflineState<'_>, place: &CandidateGroup<'_>) -> Option<String> {
    let file = state.ledger.file(&place.candidate.file.path)?;
    let whole = place.candidate.part_of.as_ref().map(|whole| whole.range);
    doc_sentence(file, whole.or(place.candidate.range)?, place.name()?)
}

/// Returns the declaration of the place, or the declaration around it.
fn declaration(candidate: &Candidate) -> Option<String> {
    if candidate.leading_role == Some(PlaceRole::Test) && !candidate.symbols.is_empty() {
        return Some("test code".to_owned());
    }
    let declared = match (candidate.symbols.first(), &candidate.part_of) {
        (_, Some(whole)) => {
            let name = code_span(&whole.name)?;
            return Some(format!("part of the {} {name}", kind(&whole.kind)));
        }
        (Some(symbol), None) => kind(&symbol.kind),
        (None, None) => "lines",
    };
    let owner = candidate.owner.as_deref().and_then(code_span);
    match owner {
        Some(owner) if declared == "method" => Some(format!("method of {owner}")),
        Some(owner) => Some(format!("{declared} in {owner}")),
        None if declared == "lines" => None,
        None => Some(declared.to_owned()),
    }
}

/// Returns the name of a kind of declaration in prose.
pub(super) fn kind(kind: &str) -> &str {
    match kind {
        "fn" | "def" | "defp" | "fun" | "func" | "sub" | "proc" => "function",
        "mod" | "defmodule" => "module",
        kind => kind,
    }
}

/// Returns the calls that join the place to others.
fn calls(place: &CandidateGroup<'_>) -> Option<String> {
    let named = |relation: CallRelation| {
        let found = place.neighbours().filter(|it| it.relation == relation);
        let names = found.filter_map(|it| code_span(&it.name)).take(MAX_CALLS);
        Some(names.collect::<Vec<_>>().join(", ")).filter(|names| !names.is_empty())
    };
    let callers = named(CallRelation::Caller).map(|names| format!("called by {names}"));
    let callees = named(CallRelation::Callee).map(|names| format!("calls {names}"));
    let made = named(CallRelation::Constructor).map(|names| format!("makes {names}"));
    let parts: Vec<String> = callers.into_iter().chain(callees).chain(made).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Returns the names in the place that match the question and are not in `calls`; first those that no other place has.
fn names(
    place: &CandidateGroup<'_>,
    others: &[&CandidateGroup<'_>],
    calls: &str,
) -> Option<String> {
    let elsewhere: BTreeSet<&String> = others
        .iter()
        .filter(|other| !is_same(other, place))
        .flat_map(|other| &other.candidate.matching_names)
        .collect();
    let (shared, own): (Vec<_>, Vec<_>) =
        place.candidate.matching_names.iter().partition(|name| elsewhere.contains(name));
    let names = own.into_iter().chain(shared).filter_map(|name| code_span(name));
    let names = names.filter(|name| !calls.contains(name.as_str()));
    let names: Vec<String> = names.take(MAX_NAMES).collect();
    (!names.is_empty()).then(|| format!("has {}", names.join(", ")))
}

/// Returns what found a place without any other reason.
fn found_by(candidate: &Candidate) -> String {
    match candidate.source {
        CandidateSource::Hint => "named by the caller",
        CandidateSource::Path => "found by its path",
        CandidateSource::Grep => "has a text that the question quotes",
        CandidateSource::Graph | CandidateSource::Lexical | CandidateSource::EntryPoint => {
            "found by its words"
        }
    }
    .to_owned()
}
