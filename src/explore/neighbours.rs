//! What belongs to a flow without fitting the query's words: functions that are called from it and from nearly nowhere else,
//! and those it starts from. What everybody calls belongs to nobody's flow.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    atlas::Atlas,
    family::{Families, Tie},
};
use crate::{
    graph::{EdgeKind, NodeId},
    recon::Reading,
};

/// Steps away from the flow.
const ROUNDS: usize = 2;
/// What is lost with a step.
const DECAY: f64 = 0.9;
/// What a name that holds a word of the query gains.
const NAMED: f64 = 1.35;
/// Callers of the flow's start that are looked at.
const STARTS: usize = 4;

/// Returns what belongs to `seeds`, with its worth. `first` is where the flow starts, when there is one.
pub(super) fn neighbours(
    atlas: &Atlas<'_>,
    families: &Families<'_>,
    reading: &Reading,
    seeds: &[(NodeId, f64)],
    first: Option<NodeId>,
) -> BTreeMap<NodeId, f64> {
    let known: BTreeSet<NodeId> = seeds.iter().map(|(node, _)| *node).collect();
    let mut found: BTreeMap<NodeId, f64> = BTreeMap::new();
    let mut frontier: Vec<(NodeId, f64)> = seeds.to_vec();
    for _ in 0..ROUNDS {
        let mut next: BTreeMap<NodeId, f64> = BTreeMap::new();
        for (node, worth) in &frontier {
            let callees = callees(atlas, *node);
            let shared = size(callees.len()).powf(0.25);
            for callee in callees {
                let others = size(callers(atlas, callee).len()).sqrt();
                let named = named(atlas, reading, callee);
                let worth = (worth * DECAY * named / shared / others).min(worth * 0.95);
                for part in parts(atlas, families, callee) {
                    let best = next.entry(part).or_default();
                    *best = best.max(worth);
                }
            }
        }
        frontier = next
            .into_iter()
            .filter(|(node, worth)| found.get(node).is_none_or(|before| before < worth))
            .collect();
        found.extend(frontier.iter().copied());
    }
    if let Some((first, worth)) = seeds.iter().find(|(node, _)| Some(*node) == first) {
        let starts = callers(atlas, *first);
        if starts.len() <= STARTS {
            let worth = worth * DECAY / size(starts.len()).sqrt();
            for start in starts {
                let best = found.entry(start).or_default();
                *best = best.max(worth);
            }
        }
    }
    found.retain(|node, _| !known.contains(node));
    found
}

fn size(count: usize) -> f64 {
    f64::from(u32::try_from(count.max(1)).unwrap_or(u32::MAX))
}

fn named(atlas: &Atlas<'_>, reading: &Reading, node: NodeId) -> f64 {
    let holds = atlas.graph.node(node).is_some_and(|node| reading.names(&node.name));
    if holds { NAMED } else { 1.0 }
}

/// What a definition calls or constructs.
fn callees(atlas: &Atlas<'_>, node: NodeId) -> BTreeSet<NodeId> {
    let edges = atlas.graph.outgoing(node).iter().filter(|edge| edge.kind == EdgeKind::Calls);
    edges.map(|edge| edge.to).filter(|to| *to != node && !atlas.is_aside(*to)).collect()
}

fn callers(atlas: &Atlas<'_>, node: NodeId) -> BTreeSet<NodeId> {
    let edges = atlas.graph.incoming(node).iter().filter(|edge| edge.kind == EdgeKind::Calls);
    edges.map(|edge| edge.from).filter(|from| *from != node && !atlas.is_aside(*from)).collect()
}

/// The functions that a callee stands for: itself, or, for a type that is one of many, what the many have in common.
fn parts(atlas: &Atlas<'_>, families: &Families<'_>, callee: NodeId) -> Vec<NodeId> {
    if atlas.is_function(callee) {
        return vec![callee];
    }
    let Some((member, family)) = families.of(callee).filter(|_| atlas.is_type(callee)) else {
        return Vec::new();
    };
    let Tie::Supertype(above) = family.tie else { return Vec::new() };
    let members = |of: NodeId| {
        let edges = atlas.graph.incoming(of).iter();
        edges.filter(|edge| edge.kind == EdgeKind::Parent).map(|edge| edge.from)
    };
    let name = |node: NodeId| atlas.graph.node(node).map(|node| node.name.as_str());
    let asked: BTreeSet<&str> =
        members(above).filter(|node| atlas.is_function(*node)).filter_map(name).collect();
    members(member).filter(|node| name(*node).is_some_and(|name| asked.contains(name))).collect()
}
