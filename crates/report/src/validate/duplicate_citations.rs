//! No line is cited twice for the same purpose. Overlapping primary places of a file are merged if the result is narrow
//! enough; otherwise the first one is kept. A secondary place inside a primary one is dropped. A read target keeps its own
//! lines beside a primary place of the same file, because the lines to read may differ from those that matter.

use super::{
    citation::{Citation, place_cited},
    draft_under_validation::{DraftUnderValidation, FindingUnderValidation, PlaceUnderValidation},
    validation_input::ValidationContext,
};
use crate::{
    report_limits::MAX_ITEM_CHARS,
    validation_reason_codes::{ReasonCode, ValidationReason},
};

pub(super) fn apply(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    let DraftUnderValidation { primary, secondary, read_targets, findings, reasons, .. } = state;
    *primary = merge_overlapping(std::mem::take(primary), context, reasons);
    secondary.retain(|item| {
        let around = primary.iter_mut().find(|kept| kept.citation.covers(&item.citation));
        let is_repeated = around.is_some();
        if let Some(kept) = around {
            add_text(kept, item);
            reasons.push(duplicate(item));
        }
        !is_repeated
    });
    *secondary = merge_overlapping(std::mem::take(secondary), context, reasons);
    *read_targets = merge_equal(std::mem::take(read_targets), reasons);
    for finding in findings.iter_mut() {
        finding.refs = without_covered(std::mem::take(&mut finding.refs));
    }
    drop_repeated_findings(findings, reasons);
}

/// Merges each item with an earlier one that it overlaps.
fn merge_overlapping(
    items: Vec<PlaceUnderValidation>,
    context: &ValidationContext<'_>,
    reasons: &mut Vec<ValidationReason>,
) -> Vec<PlaceUnderValidation> {
    let mut kept: Vec<PlaceUnderValidation> = Vec::new();
    for item in items {
        match kept.iter_mut().find(|other| other.citation.overlaps(&item.citation)) {
            Some(other) => {
                reasons.push(duplicate(&item));
                merge(other, item, context);
            }
            None => kept.push(item),
        }
    }
    // A merged range may overlap another item now. Every pass with a merge has fewer items, so this ends.
    let overlaps_earlier = |(at, item): (usize, &PlaceUnderValidation)| {
        kept[..at].iter().any(|earlier| earlier.citation.overlaps(&item.citation))
    };
    if kept.iter().enumerate().any(overlaps_earlier) {
        return merge_overlapping(kept, context, reasons);
    }
    kept
}

/// Extends `kept` by `item`, which it overlaps, unless the result would be too wide. All lines of the result were
/// delivered, since those of both were and they share a line.
fn merge(
    kept: &mut PlaceUnderValidation,
    item: PlaceUnderValidation,
    context: &ValidationContext<'_>,
) {
    let span = kept.citation.range.span(item.citation.range);
    let is_narrow = span.width() <= context.limits.max_width
        || kept.citation.file(context).is_some_and(|file| file.is_declaration(span));
    if !is_narrow {
        return;
    }
    kept.citation.range = span;
    add_text(kept, &item);
    kept.symbols.extend(item.symbols);
    kept.indices.extend(item.indices);
    kept.role = kept.role.or(item.role);
}

/// Adds what is said of lines that are cited here too, if there is room for it. Each reason was held against the lines of its
/// own place.
fn add_text(kept: &mut PlaceUnderValidation, item: &PlaceUnderValidation) {
    let text = item.text.as_str();
    kept.verdict = kept.verdict.max(item.verdict);
    if kept.text.is_empty() {
        text.clone_into(&mut kept.text);
    } else if !text.is_empty() && !kept.text.contains(text) {
        let both = format!("{}; {text}", kept.text.trim_end_matches('.'));
        if both.chars().count() <= MAX_ITEM_CHARS {
            kept.text = both;
        }
    }
}

/// Merges items with equal citations.
fn merge_equal(
    items: Vec<PlaceUnderValidation>,
    reasons: &mut Vec<ValidationReason>,
) -> Vec<PlaceUnderValidation> {
    let mut kept: Vec<PlaceUnderValidation> = Vec::new();
    for item in items {
        match kept.iter_mut().find(|kept| kept.citation == item.citation) {
            Some(kept) => {
                kept.required |= item.required;
                reasons.push(duplicate(&item));
                kept.indices.extend(item.indices);
            }
            None => kept.push(item),
        }
    }
    kept
}

/// Removes citations that another one covers.
fn without_covered(citations: Vec<Citation>) -> Vec<Citation> {
    let mut kept: Vec<Citation> = Vec::new();
    for citation in citations {
        if !kept.iter().any(|other| other.covers(&citation)) {
            kept.retain(|other| !citation.covers(other));
            kept.push(citation);
        }
    }
    kept
}

fn drop_repeated_findings(
    findings: &mut Vec<FindingUnderValidation>,
    reasons: &mut Vec<ValidationReason>,
) {
    let mut texts: Vec<String> = Vec::new();
    findings.retain(|finding| {
        let text = finding.text.to_lowercase();
        let is_repeated = texts.contains(&text);
        if is_repeated {
            let detail = "repeats a finding";
            let code = ReasonCode::RangeDuplicate;
            reasons.push(ValidationReason::new(code, finding.subject(), detail));
        }
        texts.push(text);
        !is_repeated
    });
}

fn duplicate(item: &PlaceUnderValidation) -> ValidationReason {
    let detail = "repeats or overlaps another place";
    ValidationReason::new(ReasonCode::RangeDuplicate, place_cited(&item.reference), detail)
}
