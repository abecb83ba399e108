//! Cuts every list to its limit.

use super::draft_under_validation::DraftUnderValidation;
use crate::{
    prose_normalization::truncate,
    report_limits::{
        MAX_FINDINGS, MAX_FLOW_CHARS, MAX_MISSING, MAX_PRIMARY, MAX_READ_TARGETS, MAX_REFS,
        MAX_SECONDARY, MAX_SUMMARY_CHARS,
    },
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::{ReasonDetail, ReasonSubject},
};

/// Cuts every list to its limit. Runs after the rules that drop items, so that valid items take the place of dropped ones.
pub(super) fn apply(state: &mut DraftUnderValidation) {
    state.summary = truncate(&state.summary, MAX_SUMMARY_CHARS);
    state.flow = truncate(&state.flow, MAX_FLOW_CHARS);
    // Critical gaps and required targets are kept before others.
    state.missing.sort_by_key(|gap| !gap.critical);
    state.read_targets.sort_by_key(|target| !target.required);
    let DraftUnderValidation {
        primary, secondary, read_targets, findings, missing, reasons, ..
    } = state;
    for finding in findings.iter_mut() {
        let subject = finding.subject();
        limit_items(&mut finding.refs, MAX_REFS, subject, reasons);
    }
    limit_items(primary, MAX_PRIMARY, ReasonSubject::Part("primary"), reasons);
    limit_items(secondary, MAX_SECONDARY, ReasonSubject::Part("secondary"), reasons);
    limit_items(findings, MAX_FINDINGS, ReasonSubject::Part("findings"), reasons);
    limit_items(read_targets, MAX_READ_TARGETS, ReasonSubject::Part("read_targets"), reasons);
    limit_items(missing, MAX_MISSING, ReasonSubject::Part("missing"), reasons);
}

fn limit_items<T>(
    items: &mut Vec<T>,
    limit: usize,
    list: ReasonSubject,
    reasons: &mut Vec<ValidationReason>,
) {
    if items.len() > limit {
        let detail = format!("{} more than the {limit} that fit", items.len() - limit);
        let detail = ReasonDetail::said(detail);
        reasons.push(ValidationReason::new(ReasonCode::SchemaCount, list, detail));
        items.truncate(limit);
    }
}
