//! Limits of texts and lists, and the cut of a text to its limit.

use crate::{
    prose_text::{single_line, truncate},
    validation_reason_codes::{ReasonCode, ValidationReason},
};

/// Most primary places of a map.
pub const MAX_PRIMARY: usize = 5;
/// Most secondary places of a map.
pub const MAX_SECONDARY: usize = 2;
/// Most places that a map tells to read.
pub const MAX_READ_TARGETS: usize = 5;
/// Most findings.
pub(super) const MAX_FINDINGS: usize = 8;
/// Most references of a finding.
pub(super) const MAX_REFS: usize = 4;
pub(super) const MAX_MISSING: usize = 3;
/// Longest `fact`, `why`, `purpose` or `what`, in characters.
pub(super) const MAX_ITEM_CHARS: usize = 240;
pub(super) const MAX_SUMMARY_CHARS: usize = 600;
pub(super) const MAX_FLOW_CHARS: usize = 800;

/// Returns `text` on one line and cut to `limit` characters; a cut adds a reason for `field`.
pub(super) fn limited_text(
    reasons: &mut Vec<ValidationReason>,
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
    reasons.push(ValidationReason::new(ReasonCode::SchemaLength, field, detail));
    truncate(&text, limit)
}
