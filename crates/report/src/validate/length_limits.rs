//! Limits of texts and lists.

use super::draft_state::DraftState;
use crate::{
    draft::{Draft, DraftMissing},
    prose::{single_line, truncate},
    reason::{Reason, ReasonCode},
};

/// Most secondary places.
pub(super) const MAX_SECONDARY: usize = 2;
const MAX_PRIMARY: usize = 5;
/// Most findings.
pub(super) const MAX_FINDINGS: usize = 8;
/// Most references of a finding.
pub(super) const MAX_REFS: usize = 4;
const MAX_READ_TARGETS: usize = 5;
const MAX_MISSING: usize = 3;
/// Longest `why`, `purpose` or `what`, in characters.
pub(super) const MAX_REASON_CHARS: usize = 160;
/// Longest fact, in characters.
pub(super) const MAX_FACT_CHARS: usize = 240;
const MAX_SUMMARY_CHARS: usize = 600;
const MAX_FLOW_CHARS: usize = 800;

/// Returns `text` on one line and cut to `limit` characters; a cut adds a reason for `field`.
pub(super) fn limited_text(
    reasons: &mut Vec<Reason>,
    field: &str,
    text: &str,
    limit: usize,
) -> String {
    let is_fenced = text.contains("```");
    let text = single_line(text);
    // The raw source rule removes fenced code, and needs the closing fence for that.
    if text.chars().count() <= limit || (is_fenced && text.chars().count() <= 4 * limit) {
        return text;
    }
    let detail = format!("was cut to {limit} characters");
    reasons.push(Reason::new(ReasonCode::SchemaLength, field, detail));
    truncate(&text, limit)
}

/// Adds the texts of `draft` that belong to no place: summary, flow, missing.
pub(super) fn add_prose(state: &mut DraftState, draft: &Draft) {
    let reasons = &mut state.reasons;
    state.summary = limited_text(reasons, "summary", &draft.summary, MAX_SUMMARY_CHARS);
    state.flow = limited_text(reasons, "flow", &draft.flow, MAX_FLOW_CHARS);
    for gap in &draft.missing {
        let what = limited_text(reasons, "missing", &gap.what, MAX_REASON_CHARS);
        if !what.is_empty() {
            state.missing.push(DraftMissing { what, role: gap.role, critical: gap.critical });
        }
    }
}

/// Cuts every list to its limit. Runs after the rules that drop items, so that valid items take the place of dropped ones.
pub(super) fn apply(state: &mut DraftState) {
    state.summary = truncate(&state.summary, MAX_SUMMARY_CHARS);
    state.flow = truncate(&state.flow, MAX_FLOW_CHARS);
    // Critical gaps and required targets are kept before others.
    state.missing.sort_by_key(|gap| !gap.critical);
    state.read_targets.sort_by_key(|target| !target.required);
    let DraftState { primary, secondary, read_targets, findings, missing, reasons, .. } = state;
    for finding in findings.iter_mut() {
        limit_items(&mut finding.refs, MAX_REFS, &finding.label, reasons);
    }
    limit_items(primary, MAX_PRIMARY, "primary", reasons);
    limit_items(secondary, MAX_SECONDARY, "secondary", reasons);
    limit_items(findings, MAX_FINDINGS, "findings", reasons);
    limit_items(read_targets, MAX_READ_TARGETS, "read_targets", reasons);
    limit_items(missing, MAX_MISSING, "missing", reasons);
}

fn limit_items<T>(items: &mut Vec<T>, limit: usize, field: &str, reasons: &mut Vec<Reason>) {
    if items.len() > limit {
        let detail = format!("{} more than the {limit} that fit", items.len() - limit);
        reasons.push(Reason::new(ReasonCode::SchemaCount, field, detail));
        items.truncate(limit);
    }
}
