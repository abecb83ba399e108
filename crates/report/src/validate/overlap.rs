//! No line is cited twice for the same purpose. Overlapping primary places of a file become one while that stays narrow, else
//! the better ranked stays; a secondary place inside a primary one goes. A read target keeps its own lines next to a primary
//! place of the same file, since what to read there may differ from what matters there.

use super::{
    Item, Judgement, Work,
    evidence::{Spot, short},
};
use crate::code::{Code, Reason};

pub(super) fn apply(work: &mut Work, judgement: &Judgement<'_>) {
    let Work { primary, secondary, read_targets, findings, reasons, .. } = work;
    *primary = merged(std::mem::take(primary), judgement, reasons);
    let rest = std::mem::take(secondary)
        .into_iter()
        .filter(|item| {
            let repeats = primary.iter().any(|kept| covers(&kept.spot, &item.spot));
            if repeats {
                reasons.push(duplicate(item));
            }
            !repeats
        })
        .collect();
    *secondary = merged(rest, judgement, reasons);

    let mut targets: Vec<Item> = Vec::new();
    for item in std::mem::take(read_targets) {
        match targets.iter_mut().find(|kept| kept.spot == item.spot) {
            Some(kept) => {
                kept.required |= item.required;
                reasons.push(duplicate(&item));
            }
            None => targets.push(item),
        }
    }
    *read_targets = targets;

    let mut seen: Vec<String> = Vec::new();
    for fact in findings.iter_mut() {
        let mut refs: Vec<Spot> = Vec::new();
        for spot in std::mem::take(&mut fact.refs) {
            if refs.iter().any(|kept| covers(kept, &spot)) {
                continue;
            }
            refs.retain(|kept| !covers(&spot, kept));
            refs.push(spot);
        }
        fact.refs = refs;
    }
    findings.retain(|fact| {
        let text = fact.text.to_lowercase();
        let repeats = seen.contains(&text);
        if repeats {
            reasons.push(Reason::new(Code::RangeDuplicate, &fact.label, "repeats a finding"));
        }
        seen.push(text);
        !repeats
    });
}

fn merged(items: Vec<Item>, judgement: &Judgement<'_>, reasons: &mut Vec<Reason>) -> Vec<Item> {
    let mut kept: Vec<Item> = Vec::new();
    for item in items {
        let overlapping = kept.iter_mut().find(|other| {
            other.spot.path == item.spot.path && other.spot.range.overlaps(item.spot.range)
        });
        let Some(other) = overlapping else {
            kept.push(item);
            continue;
        };
        reasons.push(duplicate(&item));
        // Both were delivered and share a line, so that their span was delivered too.
        let span = other.spot.range.span(item.spot.range);
        let narrow = span.width() <= judgement.limits.max_width
            || other.spot.file(judgement).is_some_and(|file| file.is_declaration(span));
        if narrow {
            other.spot.range = span;
            other.symbols.extend(item.symbols);
            other.role = other.role.or(item.role);
            if other.text.is_empty() {
                other.text = item.text;
            }
        }
    }
    // A merged range may have grown into a neighbour.
    if kept.iter().enumerate().any(|(at, a)| {
        kept[..at].iter().any(|b| a.spot.path == b.spot.path && a.spot.range.overlaps(b.spot.range))
    }) {
        let before = kept.len();
        let again = merged(kept, judgement, reasons);
        debug_assert!(again.len() < before, "merging ends");
        return again;
    }
    kept
}

fn covers(outer: &Spot, inner: &Spot) -> bool {
    outer.path == inner.path && outer.range.covers(inner.range)
}

fn duplicate(item: &Item) -> Reason {
    Reason::new(Code::RangeDuplicate, short(&item.reference), "repeats or overlaps another place")
}
