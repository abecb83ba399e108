//! A claimed role must be supported: by the kind of file, by the form or the words of the cited lines, or by a candidate at
//! the same place. An unsupported role is removed from its item; the item stays.

use super::{
    citation::{Citation, quoted},
    draft_under_validation::DraftUnderValidation,
    validation_context::ValidationContext,
};
use crate::reason_codes::{ReasonCode, ValidationReason};
use retriever_search::PlaceRole;

pub(super) fn apply(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    let DraftUnderValidation { primary, secondary, findings, reasons, .. } = state;
    for item in primary.iter_mut().chain(secondary) {
        let citations = std::slice::from_ref(&item.citation);
        if let Some(unbacked) = take_unbacked(&mut item.role, citations, context) {
            reasons.push(reason(unbacked, quoted(&item.reference)));
        }
    }
    for finding in findings {
        if let Some(unbacked) = take_unbacked(&mut finding.role, &finding.refs, context) {
            reasons.push(reason(unbacked, finding.label.clone()));
        }
    }
}

/// Whether the lines of a place or finding back the role, whatever role it is labelled with.
pub(super) fn covers(
    state: &DraftUnderValidation,
    role: PlaceRole,
    context: &ValidationContext<'_>,
) -> bool {
    let places = state.primary.iter().chain(&state.secondary).map(|item| &item.citation);
    let mut cited = places.chain(state.findings.iter().flat_map(|item| &item.refs));
    cited.any(|citation| is_backed(role, citation, context))
}

/// Removes and returns the role if none of the citations supports it.
fn take_unbacked(
    role: &mut Option<PlaceRole>,
    citations: &[Citation],
    context: &ValidationContext<'_>,
) -> Option<PlaceRole> {
    role.take_if(|role| !citations.iter().any(|citation| is_backed(*role, citation, context)))
}

fn reason(role: PlaceRole, reference: String) -> ValidationReason {
    let detail = format!("nothing in the cited lines shows the role {role}");
    ValidationReason::new(ReasonCode::RoleUnbacked, reference, detail)
}

/// Whether anything supports `role` at the cited lines.
fn is_backed(role: PlaceRole, citation: &Citation, context: &ValidationContext<'_>) -> bool {
    let Some(file) = citation.file(context) else { return false };
    context.cues.backs(role, &citation.text(context), &file.stamp.traits)
        || context.candidates.iter().any(|candidate| {
            candidate.file.path == citation.path
                && candidate.range.is_some_and(|range| range.overlaps(citation.range))
                && candidate.evidence_roles.contains(&role)
        })
}
