//! The map fits its token limit. What saves the planner least goes first: secondary places, the last findings, optional read
//! targets, length of the prose; primary places last.

use super::{Judgement, Work};
use crate::{
    CodeMap,
    code::{Code, Reason},
    density::{measure, size},
    prose::clip,
};

/// Kept free for what the caller fills into `meta` afterwards: the model's name, counts, usage.
const META: u64 = 140;
/// Longest question that is repeated in a map that is too large, in characters.
const QUESTION: usize = 240;

/// Cuts `map`, and `work` with it, until it fits; returns whether evidence was cut.
pub(super) fn apply(work: &mut Work, map: &mut CodeMap, judgement: &Judgement<'_>) -> bool {
    let limit = judgement.limits.max_tokens.saturating_sub(META);
    let mut cut: Vec<&str> = Vec::new();
    while size(map) > limit {
        let Some(field) = shrink(work, map) else { break };
        if !cut.contains(&field) {
            cut.push(field);
        }
    }
    for field in &cut {
        let detail = "was shortened to fit the token limit";
        work.reasons.push(Reason::new(Code::OverBudget, *field, detail));
    }
    let code = Code::OverBudget.word();
    if !cut.is_empty() && !map.meta.reasons.iter().any(|known| known == code) {
        map.meta.reasons.push(code.to_owned());
    }
    measure(map);
    cut.iter().any(|field| ["secondary", "findings", "primary", "read_targets"].contains(field))
}

/// Takes away the one thing that is missed least; `None` when only the frame is left.
fn shrink(work: &mut Work, map: &mut CodeMap) -> Option<&'static str> {
    let optional = work.read_targets.iter().rposition(|target| !target.required);
    if map.question.chars().count() > QUESTION {
        map.question = clip(&map.question, QUESTION);
        return Some("question");
    }
    if work.secondary.pop().is_some() {
        map.secondary.pop();
        return Some("secondary");
    }
    if work.findings.len() > 4 {
        work.findings.pop();
        map.findings.pop();
        return Some("findings");
    }
    if let Some(at) = optional {
        work.read_targets.remove(at);
        map.read_targets.remove(at);
        return Some("read_targets");
    }
    for (text, copy, short, field) in [
        (&mut work.flow, &mut map.flow, 400, "flow"),
        (&mut work.summary, &mut map.summary, 300, "summary"),
    ] {
        if text.chars().count() > short {
            *text = clip(text, short);
            copy.clone_from(text);
            return Some(field);
        }
    }
    if work.findings.len() > 1 {
        work.findings.pop();
        map.findings.pop();
        return Some("findings");
    }
    if work.missing.len() > 1 {
        work.missing.pop();
        map.missing.pop();
        return Some("missing");
    }
    if let Some(at) = work.primary.iter().position(|item| !item.symbols.is_empty()) {
        work.primary[at].symbols.clear();
        map.primary[at].symbols.clear();
        return Some("symbols");
    }
    if work.primary.len() > 1 {
        work.primary.pop();
        map.primary.pop();
        return Some("primary");
    }
    if work.read_targets.len() > 1 {
        work.read_targets.pop();
        map.read_targets.pop();
        return Some("read_targets");
    }
    if !map.gap_search.scopes.is_empty() || !map.gap_search.terms.is_empty() {
        if map.gap_search.scopes.len() + map.gap_search.terms.len() <= 2 {
            map.gap_search = super::GapSearch::default();
        } else if map.gap_search.scopes.len() > map.gap_search.terms.len() {
            map.gap_search.scopes.pop();
        } else {
            map.gap_search.terms.pop();
        }
        work.gap_search.clone_from(&map.gap_search);
        return Some("gap_search");
    }
    for (text, copy, field) in
        [(&mut work.flow, &mut map.flow, "flow"), (&mut work.summary, &mut map.summary, "summary")]
    {
        if !text.is_empty() {
            text.clear();
            copy.clear();
            return Some(field);
        }
    }
    let last = [
        (work.findings.pop().and(map.findings.pop()).is_some(), "findings"),
        (work.read_targets.pop().and(map.read_targets.pop()).is_some(), "read_targets"),
        (work.missing.pop().and(map.missing.pop()).is_some(), "missing"),
        (work.primary.pop().and(map.primary.pop()).is_some(), "primary"),
    ];
    last.into_iter().find(|(cut, _)| *cut).map(|(_, field)| field)
}
