//! What belongs to a flow without fitting the query's words: functions that are called from it and from nearly nowhere else,
//! and those it starts from. What everybody calls belongs to nobody's flow.

use std::collections::{BTreeMap, BTreeSet};

use crate::explore::{
    concept_coverage::ConceptCoverage,
    sibling_groups::{GroupKey, SiblingGroups},
    symbol_table::SymbolTable,
};
use retriever_graph::{EdgeKind, NodeId};

/// Steps away from the flow.
const ROUNDS: usize = 2;
/// What is lost with a step.
const DECAY: f64 = 0.9;
/// What counts of a function that says nothing of the query, and what one gains that says a part of it in its name.
const SILENT: f64 = 0.45;
const SPEAKS: f64 = 0.9;
/// Callers that a function may have for them to belong to it.
const STARTS: usize = 4;
/// Functions that a supertype may ask for, for all of them to matter.
const ASKED: usize = 3;
/// Functions that may stand in for one for them to belong to it.
const OVERRIDERS: usize = 6;

/// Returns what belongs to `seeds`, with its worth. `starts` are those of them whose callers belong to it, too.
pub(super) fn neighbours(
    atlas: &SymbolTable<'_>,
    families: &SiblingGroups<'_>,
    speech: &ConceptCoverage<'_>,
    seeds: &[(NodeId, f64)],
    starts: &BTreeSet<NodeId>,
) -> BTreeMap<NodeId, f64> {
    let known: BTreeSet<NodeId> = seeds.iter().map(|(node, _)| *node).collect();
    let mut found: BTreeMap<NodeId, f64> = BTreeMap::new();
    let mut frontier: Vec<(NodeId, f64)> = seeds.to_vec();
    for _ in 0..ROUNDS {
        let mut next: BTreeMap<NodeId, f64> = BTreeMap::new();
        for (node, worth) in &frontier {
            for callee in callees(atlas, *node) {
                let others = size(callers(atlas, callee).len()).sqrt();
                let speaks = SILENT + SPEAKS * speech.loudest(callee);
                let worth = (worth * DECAY * speaks / others).min(worth * 0.95);
                for part in parts(atlas, families, callee, &known) {
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
    for (node, worth) in seeds {
        let overriders = overriders(atlas, *node);
        if overriders.len() <= OVERRIDERS {
            let worth = worth * DECAY / size(overriders.len()).powf(0.25);
            for overrider in overriders {
                let best = found.entry(overrider).or_default();
                *best = best.max(worth);
            }
        }
    }
    for (start, worth) in seeds.iter().filter(|(node, _)| starts.contains(node)) {
        let callers = callers(atlas, *start);
        if callers.len() <= STARTS {
            let worth = worth * DECAY / size(callers.len()).powf(0.25);
            for caller in callers {
                let best = found.entry(caller).or_default();
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

/// The functions that stand in for a function at run time.
fn overriders(atlas: &SymbolTable<'_>, node: NodeId) -> BTreeSet<NodeId> {
    let above = |kind| matches!(kind, EdgeKind::Implements | EdgeKind::Inherits);
    let edges = atlas.graph.incoming(node).iter().filter(|edge| above(edge.kind));
    edges
        .map(|edge| edge.from)
        .filter(|from| atlas.is_function(*from) && !atlas.is_aside(*from))
        .collect()
}

/// What a definition calls or constructs, and the types that it hands on.
fn callees(atlas: &SymbolTable<'_>, node: NodeId) -> BTreeSet<NodeId> {
    let edges = atlas.graph.outgoing(node).iter().filter(|edge| {
        edge.kind == EdgeKind::Calls
            || (edge.kind == EdgeKind::References && atlas.is_type(edge.to))
    });
    edges.map(|edge| edge.to).filter(|to| *to != node && !atlas.is_aside(*to)).collect()
}

fn callers(atlas: &SymbolTable<'_>, node: NodeId) -> BTreeSet<NodeId> {
    let edges = atlas.graph.incoming(node).iter().filter(|edge| edge.kind == EdgeKind::Calls);
    edges.map(|edge| edge.from).filter(|from| *from != node && !atlas.is_aside(*from)).collect()
}

/// The functions that a callee stands for: itself, or, for a type that is one of many, what the many have in common; where
/// that is much, what of it is already `known` to matter.
fn parts(
    atlas: &SymbolTable<'_>,
    families: &SiblingGroups<'_>,
    callee: NodeId,
    known: &BTreeSet<NodeId>,
) -> Vec<NodeId> {
    if atlas.is_function(callee) {
        return vec![callee];
    }
    let Some((member, family)) = families.of(callee).filter(|_| atlas.is_type(callee)) else {
        return Vec::new();
    };
    let GroupKey::Supertype(above) = family.tie else { return Vec::new() };
    let members = |of: NodeId| {
        let edges = atlas.graph.incoming(of).iter();
        edges.filter(|edge| edge.kind == EdgeKind::Parent).map(|edge| edge.from)
    };
    let name = |node: NodeId| atlas.graph.node(node).map(|node| node.name.as_str());
    let mut asked: Vec<NodeId> = members(above).filter(|node| atlas.is_function(*node)).collect();
    if asked.len() > ASKED {
        asked.retain(|node| known.contains(node));
    }
    let asked: BTreeSet<&str> = asked.into_iter().filter_map(name).collect();
    members(member)
        .filter(|node| !atlas.is_aside(*node))
        .filter(|node| name(*node).is_some_and(|name| asked.contains(name)))
        .collect()
}
