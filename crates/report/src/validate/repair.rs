//! Whether one more turn of the model could mend a draft, and the note that asks for it.

use super::{Judgement, Work};
use crate::{
    Action, Author, Draft,
    code::{Code, Reason},
};
use retriever_search::Intent;

/// Longest note, in bytes.
const NOTE: usize = 1_000;

pub(super) fn is_repairable(work: &Work, draft: &Draft, judgement: &Judgement<'_>) -> bool {
    let seen = judgement.ledger.files().any(|file| !file.delivered.is_empty());
    if judgement.author != Author::Model || !seen {
        return false;
    }
    let claims = !draft.primary.is_empty()
        || !draft.findings.is_empty()
        || draft.recommended_primary_action == Some(Action::AnswerFromReport);
    let nothing_left = claims && work.primary.is_empty() && work.findings.is_empty();
    let nothing_to_open = judgement.question.intent != Intent::Answer
        && work.read_targets.is_empty()
        && !work.primary.is_empty();
    let dropped = work.reasons.iter().any(|reason| {
        matches!(
            reason.code,
            Code::RefUnknown
                | Code::PathMissing
                | Code::RangeUnobserved
                | Code::ListingOnly
                | Code::RangeWide
                | Code::Stale
                | Code::SchemaItem
        )
    });
    let uncovered = work.requested.iter().any(|role| !work.covers(*role));
    let gives_up = work.claimed_action == Some(Action::Skip) && !work.primary.is_empty();
    nothing_left || nothing_to_open || (dropped && uncovered) || gives_up
}

/// The note for the repair turn: every code with its reference, at most 1,000 bytes, critical ones first. Works for
/// [`Validation::reasons`](super::Validation::reasons) and, when there is no draft at all, for
/// [`Parsed::problems`](super::schema::Parsed::problems).
pub fn repair_note(reasons: &[Reason]) -> String {
    let mut wanted: Vec<&Reason> = reasons
        .iter()
        .filter(|reason| {
            !matches!(
                reason.code,
                Code::ClaimedLower
                    | Code::NotModel
                    | Code::Partial
                    | Code::OverBudget
                    | Code::RangeDuplicate
            )
        })
        .collect();
    wanted.sort_by_key(|reason| !reason.code.is_drop());
    let mut note = "The report was checked. Submit it once more with these points mended; cite only IDs and lines \
                    that you were shown:"
        .to_owned();
    for (at, reason) in wanted.iter().enumerate() {
        let Reason { code, reference, detail } = reason;
        let line = format!("\n- {code} {reference}: {detail}");
        let more = format!("\n(+{} more)", wanted.len() - at);
        if note.len() + line.len() + more.len() > NOTE {
            note.push_str(&more);
            break;
        }
        note.push_str(&line);
    }
    note
}
