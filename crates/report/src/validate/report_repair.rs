//! Whether a repair turn of the model could improve the report, and the note that asks for it.

use super::{
    claimed_role_check::covers, draft_under_validation::DraftUnderValidation,
    length_limits::MAX_FINDINGS, validation_context::ValidationContext,
};
use crate::{
    code_map::{RecommendedAction, ReportAuthor, Verdict},
    submitted_draft::ReportDraft,
    validation_reason_codes::{ReasonCode, ValidationReason},
};
use retriever_search::Intent;
use retriever_workspace::escape_for_model;

/// Longest note, in bytes.
const MAX_NOTE_BYTES: usize = 1_000;
/// Room for the count of what was left out.
const MORE_BYTES: usize = 20;

pub(super) fn is_repairable(
    state: &DraftUnderValidation,
    draft: &ReportDraft,
    context: &ValidationContext<'_>,
) -> bool {
    let has_evidence = context.ledger.files().any(|file| !file.delivered.is_empty());
    if context.author != ReportAuthor::Model || !has_evidence {
        return false;
    }
    let claims_something = !draft.primary.is_empty()
        || !draft.findings.is_empty()
        || draft.recommended_primary_action == Some(RecommendedAction::AnswerFromReport);
    let nothing_left = claims_something && state.primary.is_empty() && state.findings.is_empty();
    let nothing_to_open = context.question.intent != Intent::Answer
        && state.read_targets.is_empty()
        && !state.primary.is_empty();
    let lost_reference = state.reasons.iter().any(|reason| is_lost_reference(reason.code));
    let findings = state.findings.iter().map(|finding| finding.verdict);
    let mut verdicts = findings.chain([state.summary_verdict, state.flow_verdict]);
    let loses_substance = state.lost_primary > 0
        || state.findings.len() < draft.findings.len().min(MAX_FINDINGS)
        || (state.summary.is_empty() && !draft.summary.is_empty())
        || (state.flow.is_empty() && !draft.flow.is_empty())
        || verdicts.any(|verdict| verdict == Verdict::Cut);
    let misses_role = state.requested_roles.iter().any(|role| !covers(state, *role, context));
    let gives_up =
        state.claimed_action == Some(RecommendedAction::Skip) && !state.primary.is_empty();
    nothing_left
        || nothing_to_open
        || loses_substance
        || (lost_reference && misses_role)
        || gives_up
}

const fn is_lost_reference(code: ReasonCode) -> bool {
    matches!(
        code,
        ReasonCode::RefUnknown
            | ReasonCode::PathMissing
            | ReasonCode::RangeUnobserved
            | ReasonCode::ListingOnly
            | ReasonCode::RangeWide
            | ReasonCode::Stale
            | ReasonCode::SchemaItem
    )
}

/// Returns the points that a repair turn should mend, a line each: reasons with their references, rejections first, in
/// at most 1,000 bytes. What was mended already, or was the model's choice, is no point. `reasons` are those of a
/// [`ValidationResult`](crate::ValidationResult), or the problems of a [`ParsedReport`](crate::ParsedReport) without a draft.
pub fn repair_note(reasons: &[ValidationReason]) -> String {
    let mut listed: Vec<&ValidationReason> =
        reasons.iter().filter(|reason| is_worth_repairing(reason)).collect();
    listed.sort_by_key(|reason| !reason.code.is_rejection());
    listed.dedup();
    let mut note = String::new();
    let mut left_out = 0;
    for reason in &listed {
        let remedy = reason.remedy.as_ref().map(|remedy| format!("; {remedy}"));
        // Names of files are text of the repository.
        let line = format!("- {reason}{}", remedy.unwrap_or_default());
        let line = escape_for_model(&line) + "\n";
        // A shorter point behind a long one may still fit.
        if note.len() + line.len() + MORE_BYTES > MAX_NOTE_BYTES {
            left_out += 1;
        } else {
            note.push_str(&line);
        }
    }
    if left_out > 0 {
        let more = format!("(+{left_out} more)");
        note.push_str(&more);
    }
    note.truncate(note.trim_end().len());
    note
}

fn is_worth_repairing(reason: &ValidationReason) -> bool {
    let has_remedy = reason.remedy.is_some();
    !matches!(
        reason.code,
        ReasonCode::ClaimedLower
            | ReasonCode::NotModel
            | ReasonCode::Partial
            | ReasonCode::OverBudget
            | ReasonCode::RangeDuplicate
            | ReasonCode::FactRecited
            | ReasonCode::RoleUnbacked
            | ReasonCode::RangeBroad
            | ReasonCode::GapOpen
            | ReasonCode::Unread
    ) && (reason.code != ReasonCode::FactUnconfirmed || has_remedy)
}
