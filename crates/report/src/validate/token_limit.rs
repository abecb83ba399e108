//! Cuts a draft until its map fits the token limit. The parts that save the planner least are cut first: tails of long
//! reasons, optional read targets, secondary places, the last findings, the length of the prose, and at last primary
//! places. A text is cut at the end of a clause. Places that are cut are listed as left out.

use super::{
    citation::{Citation, shown},
    draft_under_validation::{DraftUnderValidation, FindingUnderValidation, PlaceUnderValidation},
    room_cuts::{CutField, RoomCuts},
};
use crate::{
    code_map::{GapSearch, Verdict},
    report_limits::{MAX_ITEM_CHARS, MAX_REASON_CHARS},
    sentence_clauses::shortened,
    token_ratios::map_chars,
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::ReasonSubject,
};

/// Tokens reserved for what the caller sets in `meta` afterwards, about 280 bytes: the model's name, counts, usage, cost and why the
/// run ended.
pub(super) const META_TOKENS: u64 = 75;

/// Characters that are left of a reason or purpose before other places are cut.
const LONG_REASON_CHARS: usize = 160;
/// Characters that are left of one before findings are cut that matter.
const SHORT_REASON_CHARS: usize = 90;

/// Makes one cut and returns the field that was cut, or `None` if there is nothing of the kind to cut.
type Cut = fn(&mut DraftUnderValidation) -> Option<&'static str>;

/// The cuts in order; the first one that applies is made.
const CUTS: [Cut; 25] = [
    |state| state.also_read.pop().map(|_| "also_read"),
    drop_repeated_role,
    shorten_finding,
    |state| shorten_reason(state, LONG_REASON_CHARS),
    drop_optional_target,
    |state| drop_last(state, |state| &mut state.secondary, 0).map(|()| "secondary"),
    shorten_reason_by_clause,
    |state| drop_last_finding(state, 6),
    |state| shorten_reason(state, SHORT_REASON_CHARS),
    |state| drop_last_finding(state, 4),
    shorten_flow,
    shorten_summary,
    |state| drop_last_finding(state, 1),
    |state| pop(&mut state.missing, 1, "missing"),
    |state| drop_symbols(&mut state.primary),
    |state| state.left_out.pop().map(|_| "left_out"),
    |state| drop_last(state, |state| &mut state.primary, 1).map(|()| "primary"),
    |state| drop_last(state, |state| &mut state.read_targets, 1).map(|()| "read_targets"),
    reduce_gap_search,
    |state| clear(&mut state.flow, "flow"),
    |state| clear(&mut state.summary, "summary"),
    |state| drop_last_finding(state, 0),
    |state| drop_last(state, |state| &mut state.read_targets, 0).map(|()| "read_targets"),
    |state| pop(&mut state.missing, 0, "missing"),
    |state| drop_last(state, |state| &mut state.primary, 0).map(|()| "primary"),
];

/// Cuts `state` until `token_count` of it is at most `limit` or nothing is left to cut. Returns whether evidence was cut. What
/// several calls cut is one reason.
pub(super) fn apply(
    state: &mut DraftUnderValidation,
    limit: u64,
    token_count: impl Fn(&DraftUnderValidation) -> u64,
) -> bool {
    let RoomCuts { mut over, mut fields } = std::mem::take(&mut state.room_cuts);
    let mut cut_now: Vec<&'static str> = Vec::new();
    let mut tokens = token_count(state);
    while tokens > limit {
        let last = LastItems::of(state);
        let Some(field) = CUTS.iter().find_map(|cut| cut(state)) else { break };
        let before = tokens;
        tokens = token_count(state);
        // What is only listed besides is no part of the report, and what is said twice is not lost.
        if ["also_read", "left_out", "repeated role"].contains(&field) {
            continue;
        }
        if cut_now.is_empty() {
            over += before - limit;
        }
        cut_now.push(field);
        let item = last
            .label(field)
            .map(|label| format!("{label}: {}", map_chars(before.saturating_sub(tokens))));
        match fields.iter_mut().find(|cut| cut.field == field) {
            Some(cut) => {
                cut.times += 1;
                cut.items.extend(item);
            }
            None => fields.push(CutField { field, times: 1, items: Vec::from_iter(item) }),
        }
    }
    state.room_cuts = RoomCuts { over, fields };
    if !cut_now.is_empty() {
        let report = ReasonSubject::Part("report");
        let detail = state.room_cuts.note();
        state.reasons.retain(|reason| reason.code != ReasonCode::OverBudget);
        state.reasons.push(ValidationReason::new(ReasonCode::OverBudget, report, detail));
    }
    let evidence = ["secondary", "findings", "primary", "read_targets"];
    cut_now.iter().any(|field| evidence.contains(field))
}

/// What the next cut of a list takes.
struct LastItems {
    secondary: Option<String>,
    finding: Option<String>,
}

impl LastItems {
    fn of(state: &DraftUnderValidation) -> Self {
        Self {
            secondary: state.secondary.last().map(|item| shown(&item.reference)),
            finding: state.findings.last().map(|finding| finding.subject().to_string()),
        }
    }

    fn label(self, field: &str) -> Option<String> {
        match field {
            "secondary" => self.secondary,
            "findings" => self.finding,
            _ => None,
        }
    }
}

fn shorten(text: &mut String, chars: usize, field: &'static str) -> Option<&'static str> {
    (text.chars().count() > chars).then(|| {
        *text = shortened(text, chars);
        field
    })
}

fn shorten_flow(state: &mut DraftUnderValidation) -> Option<&'static str> {
    let cut = shorten(&mut state.flow, 400, "flow")?;
    state.flow_verdict = state.flow_verdict.max(Verdict::Cut);
    Some(cut)
}

fn shorten_summary(state: &mut DraftUnderValidation) -> Option<&'static str> {
    let cut = shorten(&mut state.summary, 300, "summary")?;
    state.summary_verdict = state.summary_verdict.max(Verdict::Cut);
    Some(cut)
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
    list: fn(&mut DraftUnderValidation) -> &mut Vec<PlaceUnderValidation>,
    keep: usize,
) -> Option<()> {
    let item = (list(state).len() > keep).then(|| list(state).pop())??;
    leave_out(state, [item.citation]);
    Some(())
}

/// Drops the role of the last finding that a listed place around its lines has, too.
fn drop_repeated_role(state: &mut DraftUnderValidation) -> Option<&'static str> {
    let DraftUnderValidation { primary, secondary, findings, .. } = state;
    let is_repeated = |finding: &&mut FindingUnderValidation| {
        let mut places = primary.iter().chain(secondary.iter());
        finding.role.is_some()
            && places.any(|item| {
                item.role == finding.role
                    && finding.refs.iter().any(|cited| item.citation.covers(cited))
            })
    };
    findings.iter_mut().rev().find(is_repeated)?.role = None;
    Some("repeated role")
}

fn drop_optional_target(state: &mut DraftUnderValidation) -> Option<&'static str> {
    let at = state.read_targets.iter().rposition(|target| !target.required)?;
    let item = state.read_targets.remove(at);
    leave_out(state, [item.citation]);
    Some("read_targets")
}

/// Drops the last finding if there are more than `keep`: the report has the best first.
fn drop_last_finding(state: &mut DraftUnderValidation, keep: usize) -> Option<&'static str> {
    let finding = (state.findings.len() > keep).then(|| state.findings.pop())??;
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

/// Shortens the last finding that is longer than a model is asked for.
fn shorten_finding(state: &mut DraftUnderValidation) -> Option<&'static str> {
    let is_long = |item: &&mut FindingUnderValidation| item.text.chars().count() > MAX_ITEM_CHARS;
    let finding = state.findings.iter_mut().rev().find(is_long)?;
    finding.text = shortened(&finding.text, MAX_ITEM_CHARS);
    finding.verdict = finding.verdict.max(Verdict::Cut);
    Some("fact")
}

/// Shortens the longest reason or purpose that is longer than a model is asked for and can be cut at the end of a clause.
fn shorten_reason_by_clause(state: &mut DraftUnderValidation) -> Option<&'static str> {
    let long = state.place_items_mut().filter(|item| item.text.chars().count() > MAX_REASON_CHARS);
    let cut = long.map(|item| (shortened(&item.text, MAX_REASON_CHARS), item));
    let by_clause = cut.filter(|(text, _)| !text.ends_with('…'));
    let (text, item) = by_clause.max_by_key(|(_, item)| item.text.chars().count())?;
    item.text = text;
    item.verdict = item.verdict.max(Verdict::Cut);
    Some("why")
}

/// Shortens the longest reason or purpose of more than `chars`.
fn shorten_reason(state: &mut DraftUnderValidation, chars: usize) -> Option<&'static str> {
    let longest = state.place_items_mut().max_by_key(|item| item.text.chars().count())?;
    let cut = shorten(&mut longest.text, chars, "why");
    if cut.is_some() {
        longest.verdict = longest.verdict.max(Verdict::Cut);
    }
    cut
}

fn drop_symbols(primary: &mut [PlaceUnderValidation]) -> Option<&'static str> {
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
