//! Cuts a draft until its map fits the token limit. Parts that save the planner least are cut first: tails of reasons, optional
//! read targets, secondary places, the weakest findings, the length of the prose; primary places last. Places that are cut are
//! listed as left out.

use super::{
    citation::Citation,
    draft_under_validation::{DraftPlace, DraftUnderValidation},
};
use crate::{
    code_map::GapSearch,
    prose_text::truncate,
    validation_reason_codes::{ReasonCode, ValidationReason},
};

/// Tokens reserved for what the caller sets in `meta` afterwards: the model's name, counts, usage.
pub(super) const META_TOKENS: u64 = 140;

/// Characters that are left of a reason or purpose before places are cut.
const SHORT_REASON_CHARS: usize = 90;

/// Makes one cut and returns the field that was cut, or `None` if there is nothing of the kind to cut.
type Cut = fn(&mut DraftUnderValidation) -> Option<&'static str>;

/// The cuts in order; the first one that applies is made.
const CUTS: [Cut; 20] = [
    |state| state.also_read.pop().map(|_| "also_read"),
    shorten_reason,
    drop_optional_target,
    |state| drop_last(state, |state| &mut state.secondary, 0).map(|()| "secondary"),
    |state| drop_weakest_finding(state, 4),
    |state| shorten(&mut state.flow, 400, "flow"),
    |state| shorten(&mut state.summary, 300, "summary"),
    |state| drop_weakest_finding(state, 1),
    |state| pop(&mut state.missing, 1, "missing"),
    |state| drop_symbols(&mut state.primary),
    |state| state.left_out.pop().map(|_| "left_out"),
    |state| drop_last(state, |state| &mut state.primary, 1).map(|()| "primary"),
    |state| drop_last(state, |state| &mut state.read_targets, 1).map(|()| "read_targets"),
    reduce_gap_search,
    |state| clear(&mut state.flow, "flow"),
    |state| clear(&mut state.summary, "summary"),
    |state| drop_weakest_finding(state, 0),
    |state| drop_last(state, |state| &mut state.read_targets, 0).map(|()| "read_targets"),
    |state| pop(&mut state.missing, 0, "missing"),
    |state| drop_last(state, |state| &mut state.primary, 0).map(|()| "primary"),
];

/// Cuts `state` until `token_count` of it is at most `limit` or nothing is left to cut. Returns whether evidence was cut.
pub(super) fn apply(
    state: &mut DraftUnderValidation,
    limit: u64,
    token_count: impl Fn(&DraftUnderValidation) -> u64,
) -> bool {
    let mut fields: Vec<&str> = Vec::new();
    while token_count(state) > limit {
        let Some(field) = CUTS.iter().find_map(|cut| cut(state)) else { break };
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    // What is only listed besides is no part of the report.
    for field in fields.iter().filter(|field| !["also_read", "left_out"].contains(field)) {
        let detail = "was shortened to fit the token limit";
        state.reasons.push(ValidationReason::new(ReasonCode::OverBudget, *field, detail));
    }
    fields.iter().any(|field| ["secondary", "findings", "primary", "read_targets"].contains(field))
}

fn shorten(text: &mut String, chars: usize, field: &'static str) -> Option<&'static str> {
    (text.chars().count() > chars).then(|| {
        *text = truncate(text, chars);
        field
    })
}

fn clear(text: &mut String, field: &'static str) -> Option<&'static str> {
    (!text.is_empty()).then(|| {
        text.clear();
        field
    })
}

/// Drops the last item if there are more than `keep`.
fn pop<T>(items: &mut Vec<T>, keep: usize, field: &'static str) -> Option<&'static str> {
    (items.len() > keep).then(|| {
        items.pop();
        field
    })
}

/// Drops the last place of a list if there are more than `keep`.
fn drop_last(
    state: &mut DraftUnderValidation,
    list: fn(&mut DraftUnderValidation) -> &mut Vec<DraftPlace>,
    keep: usize,
) -> Option<()> {
    let item = (list(state).len() > keep).then(|| list(state).pop())??;
    leave_out(state, [item.citation]);
    Some(())
}

fn drop_optional_target(state: &mut DraftUnderValidation) -> Option<&'static str> {
    let at = state.read_targets.iter().rposition(|target| !target.required)?;
    let item = state.read_targets.remove(at);
    leave_out(state, [item.citation]);
    Some("read_targets")
}

/// Drops the finding that validation changed most, the last one of several, if there are more than `keep`.
fn drop_weakest_finding(state: &mut DraftUnderValidation, keep: usize) -> Option<&'static str> {
    if state.findings.len() <= keep {
        return None;
    }
    let findings = state.findings.iter().enumerate();
    let (at, _) = findings.max_by_key(|(_, finding)| finding.verdict)?;
    let finding = state.findings.remove(at);
    leave_out(state, finding.refs);
    Some("findings")
}

fn leave_out(state: &mut DraftUnderValidation, places: impl IntoIterator<Item = Citation>) {
    for place in places {
        // What is cut later is worth more.
        if !state.left_out.contains(&place) {
            state.left_out.insert(0, place);
        }
    }
}

/// Shortens the longest reason or purpose.
fn shorten_reason(state: &mut DraftUnderValidation) -> Option<&'static str> {
    let longest = state.place_items_mut().max_by_key(|item| item.text.chars().count())?;
    shorten(&mut longest.text, SHORT_REASON_CHARS, "why")
}

fn drop_symbols(primary: &mut [DraftPlace]) -> Option<&'static str> {
    let item = primary.iter_mut().find(|item| !item.symbols.is_empty())?;
    item.symbols.clear();
    Some("symbols")
}

/// Drops one term or scope of the suggested search. A search with one of each is dropped as a whole.
fn reduce_gap_search(state: &mut DraftUnderValidation) -> Option<&'static str> {
    let gap = &mut state.gap_search;
    if gap.is_empty() {
        return None;
    }
    if gap.scopes.len() + gap.terms.len() <= 2 {
        *gap = GapSearch::default();
    } else if gap.scopes.len() > gap.terms.len() {
        gap.scopes.pop();
    } else {
        gap.terms.pop();
    }
    Some("gap_search")
}
