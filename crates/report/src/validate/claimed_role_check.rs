//! A claimed role must be supported: by the kind of file, by the form or the words of the cited lines, or by a candidate at
//! the same place. An unsupported role is removed from its item; the item stays. A role that the caller requires needs more
//! than words in the cited lines.

use super::{
    citation::{Citation, place_cited},
    draft_under_validation::{DraftUnderValidation, GapUnderValidation},
    validation_input::ValidationContext,
};
use crate::{
    code_map::{ReportAuthor, Verdict},
    report_limits::MAX_MISSING,
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::{ReasonDetail, ReasonSubject},
};
use retriever_search::{Candidate, PlaceRole};

/// Names of modules that hold the tests of the code beside them.
const TEST_MODULES: &[&str] = &["test", "tests"];

pub(super) fn apply(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    let DraftUnderValidation { primary, secondary, findings, reasons, .. } = state;
    for item in primary.iter_mut().chain(secondary) {
        let citations = std::slice::from_ref(&item.citation);
        if let Some(unbacked) = take_unbacked(&mut item.role, citations, context) {
            reasons.push(reason(unbacked, place_cited(&item.reference)));
        }
    }
    for finding in findings {
        if let Some(unbacked) = take_unbacked(&mut finding.role, &finding.refs, context) {
            reasons.push(reason(unbacked, finding.subject()));
        }
    }
}

/// Whether a place or finding is of the role that the caller requires: the code of one shows it, or a model read the code,
/// says so, and something backs it. Whether code is a test, no text decides.
pub(super) fn covers(
    state: &DraftUnderValidation,
    role: PlaceRole,
    context: &ValidationContext<'_>,
) -> bool {
    let may_claim = context.author == ReportAuthor::Model && role != PlaceRole::Test;
    let is_met = |claimed: Option<PlaceRole>, citation: &Citation| {
        (may_claim && claimed == Some(role)) || is_shown(role, citation, context)
    };
    let mut places = state.primary.iter().chain(&state.secondary);
    places.any(|item| is_met(item.role, &item.citation))
        || state.findings.iter().any(|item| item.refs.iter().any(|cited| is_met(item.role, cited)))
}

/// Adds a critical gap for each role that the caller requires, if nothing covers the role and no gap names it.
pub(super) fn name_missing(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    for role in state.requested_roles.clone() {
        let is_named = state.missing.iter().any(|gap| gap.role == Some(role));
        if !is_named && state.missing.len() < MAX_MISSING && !covers(state, role, context) {
            state.missing.push(GapUnderValidation {
                index: state.missing.len(),
                what: format!("no place for the required role `{role}` was found"),
                role: Some(role),
                critical: true,
                verdict: Verdict::AsSubmitted,
            });
        }
    }
}

/// Removes and returns the role if none of the citations supports it.
fn take_unbacked(
    role: &mut Option<PlaceRole>,
    citations: &[Citation],
    context: &ValidationContext<'_>,
) -> Option<PlaceRole> {
    role.take_if(|role| !citations.iter().any(|citation| is_backed(*role, citation, context)))
}

fn reason(role: PlaceRole, subject: ReasonSubject) -> ValidationReason {
    let detail = format!("nothing in the cited lines shows the role {role}");
    ValidationReason::new(ReasonCode::RoleUnbacked, subject, ReasonDetail::said(detail))
}

/// Whether anything supports `role` at the cited lines.
fn is_backed(role: PlaceRole, citation: &Citation, context: &ValidationContext<'_>) -> bool {
    let Some(file) = citation.file(context) else { return false };
    let backs = |citation: &Citation| {
        context.cues.backs(role, &citation.code(context), &file.version.traits)
    };
    backs(citation)
        // Part of a function plays the role of the whole.
        || citation.function_around(context).is_some_and(|around| backs(&around))
        || candidates_at(citation, context).any(|it| it.evidence_roles.contains(&role))
        || (role == PlaceRole::Test && is_test(citation, context))
}

/// Whether the cited lines are of `role` by what they are: names, forms, their file or their edges.
fn is_shown(role: PlaceRole, citation: &Citation, context: &ValidationContext<'_>) -> bool {
    let Some(file) = citation.file(context) else { return false };
    let names = citation.own_names(context);
    context.cues.shows(role, &citation.code(context), &names, &file.version.traits)
        || candidates_at(citation, context).any(|it| it.shown_roles.contains(&role))
        || (role == PlaceRole::Test && is_test(citation, context))
}

/// Whether the cited lines are a test, or part of a module of tests, inside of a file of other code.
fn is_test(citation: &Citation, context: &ValidationContext<'_>) -> bool {
    candidates_at(citation, context).any(Candidate::is_test)
        || citation.names_around(context).any(|name| TEST_MODULES.contains(&name))
}

/// Returns the candidates that share lines with a citation.
fn candidates_at<'a>(
    citation: &Citation,
    context: &ValidationContext<'a>,
) -> impl Iterator<Item = &'a Candidate> {
    context.candidates.iter().filter(move |candidate| {
        candidate.file.path == citation.path
            && candidate.range.is_some_and(|range| range.overlaps(citation.range))
    })
}
