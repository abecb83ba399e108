//! Cuts a text to its limit.

use crate::{
    code_map::Verdict,
    prose_normalization::{is_word_char, single_line, truncate},
    report_limits::{MAX_FLOW_CHARS, MAX_ITEM_CHARS, MAX_SUMMARY_CHARS},
    sentence_clauses::shortened,
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::{ReasonDetail, ReasonSubject},
};

/// How long a text may be, in characters.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextLimit {
    /// What the model is asked for.
    asked: usize,
    /// What is kept where there is room.
    kept: usize,
}

/// Of `fact`, `why`, `purpose` and `what` a fourth more is kept.
pub(super) const ITEM: TextLimit =
    TextLimit { asked: MAX_ITEM_CHARS, kept: MAX_ITEM_CHARS * 5 / 4 };
pub(super) const SUMMARY: TextLimit =
    TextLimit { asked: MAX_SUMMARY_CHARS, kept: MAX_SUMMARY_CHARS };
pub(super) const FLOW: TextLimit = TextLimit { asked: MAX_FLOW_CHARS, kept: MAX_FLOW_CHARS };

/// Longest part of a text that a reason quotes, in characters.
const MAX_QUOTED_CHARS: usize = 80;

/// A text within its limit.
pub(super) struct LimitedText {
    pub(super) text: String,
    /// Whether it was cut.
    pub(super) verdict: Verdict,
}

/// Returns `text` on one line and cut to its limit, at the end of a clause where there is one; a cut adds a reason about
/// `subject`.
pub(super) fn limited_text(
    reasons: &mut Vec<ValidationReason>,
    subject: ReasonSubject,
    text: &str,
    limit: TextLimit,
) -> LimitedText {
    let is_fenced = text.contains("```");
    let text = single_line(text);
    let chars = text.chars().count();
    // The raw source rule removes fenced code, and needs the closing fence for that.
    if chars <= limit.kept || (is_fenced && chars <= 4 * limit.kept) {
        return LimitedText { text, verdict: Verdict::AsSubmitted };
    }
    let kept = shortened(&text, limit.kept);
    let mut detail = ReasonDetail::said(format!("has {chars} characters, {} at most", limit.asked));
    if let Some(cut) = removed_part(&text, &kept) {
        detail = detail.say_to_model(&format!("; cut off: \"{cut}\""));
    }
    reasons.push(ValidationReason::new(ReasonCode::SchemaLength, subject, detail));
    LimitedText { text: kept, verdict: Verdict::Cut }
}

/// Returns the part of `before` that `after` lacks, from the first to the last word that differs, short enough for a reason.
pub(super) fn removed_part(before: &str, after: &str) -> Option<String> {
    let after = after.trim_end_matches(['…', '.']);
    let same = before.chars().zip(after.chars()).take_while(|(old, new)| old == new);
    let same: usize = same.map(|(old, _)| old.len_utf8()).sum();
    let is_name = |c: char| is_word_char(c) || ":.`".contains(c);
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
