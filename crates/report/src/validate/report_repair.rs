//! Whether a repair turn of the model could improve the report, and the note that asks for it.

use super::{
    claimed_role_check::covers, draft_under_validation::DraftUnderValidation,
    validation_input::ValidationContext,
};
use crate::{
    code_map::{RecommendedAction, ReportAuthor, Verdict},
    report_limits::{MAX_FINDINGS, MAX_MISSING},
    submitted_draft::ReportDraft,
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::ReasonSubject,
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
    let places = state.primary.iter().chain(&state.read_targets).map(|item| item.verdict);
    let gaps = state.missing.iter().map(|gap| gap.verdict);
    let prose = [state.summary_verdict, state.flow_verdict];
    let mut verdicts = findings.chain(places).chain(gaps).chain(prose);
    let loses_target = state.lost_targets > 0
        || state.reasons.iter().any(|reason| reason.code == ReasonCode::ActionPurpose);
    let loses_substance = state.lost_primary > 0
        || loses_target
        || state.missing.len() < draft.missing.len().min(MAX_MISSING)
        || state.findings.len() < draft.findings.len().min(MAX_FINDINGS)
        || (state.summary.is_empty() && !draft.summary.is_empty())
        || (state.flow.is_empty() && !draft.flow.is_empty())
        || verdicts.any(|verdict| [Verdict::Cut, Verdict::Unconfirmed].contains(&verdict));
    let misses_role = state.requested_roles.iter().any(|role| !covers(state, *role, context));
    let gives_up =
        state.claimed_action == Some(RecommendedAction::Skip) && !state.primary.is_empty();
    nothing_left
        || nothing_to_open
        || loses_substance
        || (lost_reference && misses_role)
        || gives_up
}

/// How much of a report there is, to see what was cut to fit its map: its items, and the characters of its prose.
pub(super) struct ReportSizes([usize; 8]);

impl ReportSizes {
    pub(super) fn of(state: &DraftUnderValidation) -> Self {
        let chars = |text: &str| text.chars().count();
        Self([
            state.primary.len(),
            state.secondary.len(),
            state.findings.len(),
            state.read_targets.len(),
            state.missing.len(),
            chars(&state.summary),
            chars(&state.flow),
            state.findings.iter().map(|finding| chars(&finding.text)).sum(),
        ])
    }

    /// Whether there is less of anything now.
    pub(super) fn is_more_than(&self, state: &DraftUnderValidation) -> bool {
        self.0.iter().zip(Self::of(state).0).any(|(before, now)| *before > now)
    }
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
    // A label that was removed costs nothing: beside other points, all of them have one line together.
    let is_label = |reason: &ValidationReason| reason.code == ReasonCode::RoleUnbacked;
    let mut labels = String::new();
    if !listed.iter().all(|reason| is_label(reason)) {
        let removed = listed.iter().filter(|reason| is_label(reason));
        labels = removed.map(|reason| reason.subject.to_string()).collect::<Vec<_>>().join(", ");
        listed.retain(|reason| !is_label(reason));
    }
    let is_bare_doubt = |reason: &ValidationReason| {
        reason.code == ReasonCode::FactUnconfirmed && reason.remedy.is_none()
    };
    listed.sort_by_key(|reason| (!reason.code.is_rejection(), is_bare_doubt(reason)));
    listed.dedup();
    let mut note = String::new();
    let mut left_out = 0;
    for reason in &listed {
        let remedy = reason.remedy.as_ref().map(ToString::to_string);
        // The same advice is not given twice.
        let advice = advice_by_field(reason).or_else(|| reason.code.advice());
        let advice = advice.filter(|advice| !note.contains(advice));
        let remedy = remedy.or_else(|| advice.map(str::to_owned)).map(|it| format!("; {it}"));
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
    let line = escape_for_model(&format!(
        "- labels of roles that the lines do not show were taken off, and nothing has to be mended: {labels}"
    )) + "\n";
    if !labels.is_empty() && note.len() + line.len() + MORE_BYTES <= MAX_NOTE_BYTES {
        note.push_str(&line);
    }
    if left_out > 0 {
        let more = format!("(+{left_out} more)");
        note.push_str(&more);
    }
    note.truncate(note.trim_end().len());
    note
}

/// Returns what can be done where a field has no references of its own, or where no search can follow that would show a name
/// absent.
fn advice_by_field(reason: &ValidationReason) -> Option<&'static str> {
    let is_refused = [ReasonCode::FactUnsupported, ReasonCode::FactTrimmed].contains(&reason.code);
    if is_refused && matches!(reason.subject, ReasonSubject::Gap(_)) {
        return Some("say it without that name, or withdraw it");
    }
    let is_of_run = matches!(reason.subject, ReasonSubject::Summary | ReasonSubject::Flow);
    (is_of_run && reason.code == ReasonCode::FactUnconfirmed).then_some(
        "tell it as the lines do, or cite those that show it in a finding, or leave it out",
    )
}

fn is_worth_repairing(reason: &ValidationReason) -> bool {
    !matches!(
        reason.code,
        ReasonCode::ClaimedLower
            | ReasonCode::NotModel
            | ReasonCode::Partial
            | ReasonCode::RangeDuplicate
            | ReasonCode::FactRecited
            | ReasonCode::RangeBroad
    )
}
