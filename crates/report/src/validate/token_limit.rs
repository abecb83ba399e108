//! Cuts a draft until its map fits the token limit. Parts that save the planner least are cut first: secondary places, the
//! last findings, optional read targets, the length of the prose; primary places last.

use super::draft_state::{DraftState, PlaceItem};
use crate::{
    draft::GapSearch,
    prose::truncate,
    reason::{Reason, ReasonCode},
};

/// Tokens reserved for what the caller sets in `meta` afterwards: the model's name, counts, usage.
pub(super) const META_TOKENS: u64 = 140;

/// Makes one cut and returns the field that was cut, or `None` if there is nothing of the kind to cut.
type Cut = fn(&mut DraftState) -> Option<&'static str>;

/// The cuts in order; the first one that applies is made.
const CUTS: [Cut; 18] = [
    |state| shorten(&mut state.question, 240, "question"),
    |state| state.secondary.pop().map(|_| "secondary"),
    |state| drop_last(&mut state.findings, 4, "findings"),
    |state| drop_optional_target(&mut state.read_targets),
    |state| shorten(&mut state.flow, 400, "flow"),
    |state| shorten(&mut state.summary, 300, "summary"),
    |state| drop_last(&mut state.findings, 1, "findings"),
    |state| drop_last(&mut state.missing, 1, "missing"),
    |state| drop_symbols(&mut state.primary),
    |state| drop_last(&mut state.primary, 1, "primary"),
    |state| drop_last(&mut state.read_targets, 1, "read_targets"),
    reduce_gap_search,
    |state| clear(&mut state.flow, "flow"),
    |state| clear(&mut state.summary, "summary"),
    |state| drop_last(&mut state.findings, 0, "findings"),
    |state| drop_last(&mut state.read_targets, 0, "read_targets"),
    |state| drop_last(&mut state.missing, 0, "missing"),
    |state| drop_last(&mut state.primary, 0, "primary"),
];

/// Cuts `state` until `token_count` of it is at most `limit` or nothing is left to cut. Returns whether evidence was cut.
pub(super) fn apply(
    state: &mut DraftState,
    limit: u64,
    token_count: impl Fn(&DraftState) -> u64,
) -> bool {
    let mut fields: Vec<&str> = Vec::new();
    while token_count(state) > limit {
        let Some(field) = CUTS.iter().find_map(|cut| cut(state)) else { break };
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    for field in &fields {
        let detail = "was shortened to fit the token limit";
        state.reasons.push(Reason::new(ReasonCode::OverBudget, *field, detail));
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
fn drop_last<T>(items: &mut Vec<T>, keep: usize, field: &'static str) -> Option<&'static str> {
    (items.len() > keep).then(|| {
        items.pop();
        field
    })
}

fn drop_optional_target(targets: &mut Vec<PlaceItem>) -> Option<&'static str> {
    let at = targets.iter().rposition(|target| !target.required)?;
    targets.remove(at);
    Some("read_targets")
}

fn drop_symbols(primary: &mut [PlaceItem]) -> Option<&'static str> {
    let item = primary.iter_mut().find(|item| !item.symbols.is_empty())?;
    item.symbols.clear();
    Some("symbols")
}

/// Drops one term or scope of the suggested search. A search with one of each is dropped as a whole.
fn reduce_gap_search(state: &mut DraftState) -> Option<&'static str> {
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
