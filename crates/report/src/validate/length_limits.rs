//! The cut of a text to its limit.

use crate::{
    code_map::Verdict,
    prose_normalization::{single_line, truncate},
    report_limits::MAX_ITEM_CHARS,
    sentence_clauses::shortened,
    validation_reason_codes::{ReasonCode, ValidationReason},
};

/// Longest `fact`, `why`, `purpose` or `what` that is kept where there is room: a fourth more than the limit.
pub(super) const MAX_KEPT_ITEM_CHARS: usize = 300;

/// Longest part of a text that a reason quotes, in characters.
const MAX_QUOTED_CHARS: usize = 80;

/// A text within its limit.
pub(super) struct LimitedText {
    pub(super) text: String,
    /// Whether it was cut.
    pub(super) verdict: Verdict,
}

/// Returns `text` on one line and cut to `limit` characters, at the end of a clause where there is one; a cut adds a reason for
/// `field`.
pub(super) fn limited_text(
    reasons: &mut Vec<ValidationReason>,
    field: &str,
    text: &str,
    limit: usize,
) -> LimitedText {
    let is_fenced = text.contains("```");
    let text = single_line(text);
    let chars = text.chars().count();
    // The raw source rule removes fenced code, and needs the closing fence for that.
    if chars <= limit || (is_fenced && chars <= 4 * limit) {
        return LimitedText { text, verdict: Verdict::AsSubmitted };
    }
    let kept = shortened(&text, limit);
    let limit = if limit == MAX_KEPT_ITEM_CHARS { MAX_ITEM_CHARS } else { limit };
    let detail = match removed_part(&text, &kept) {
        Some(cut) => format!("has {chars} characters, {limit} at most; cut off: \"{cut}\""),
        None => format!("has {chars} characters, {limit} at most"),
    };
    reasons.push(ValidationReason::new(ReasonCode::SchemaLength, field, detail));
    LimitedText { text: kept, verdict: Verdict::Cut }
}

/// Returns what of `before` is gone in `after`, from the first to the last word that differs, and short enough for a reason.
pub(super) fn removed_part(before: &str, after: &str) -> Option<String> {
    let after = after.trim_end_matches(['…', '.']);
    let same = before.chars().zip(after.chars()).take_while(|(old, new)| old == new);
    let same: usize = same.map(|(old, _)| old.len_utf8()).sum();
    let is_name = |c: char| c.is_alphanumeric() || "_:.`".contains(c);
    let splits_name = [before, after].iter().any(|text| text[same..].starts_with(is_name));
    let start = if splits_name { before[..same].trim_end_matches(is_name).len() } else { same };
    let (before, after) = (&before[start..], &after[start..]);
    // The end of the sentence stays if something before it went.
    let before = if after.is_empty() { before } else { before.trim_end_matches(['…', '.']) };
    let same = before.chars().rev().zip(after.chars().rev()).take_while(|(old, new)| old == new);
    let end = before.len() - same.map(|(old, _)| old.len_utf8()).sum::<usize>();
    let removed = before[..end].trim().trim_start_matches([',', ';', ':']).trim_start();
    (!removed.is_empty()).then(|| truncate(removed, MAX_QUOTED_CHARS))
}
