//! Finds functions that belong to a flow although they match no word of the query: functions that little else calls,
//! alternatives to functions of the flow, and its callers. A function with many callers belongs to no flow.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    concept_coverage::ConceptCoverage,
    sibling_definitions::{SiblingDefinitions, SiblingDefinitionsKey},
    symbol_table::SymbolTable,
};
use crate::shared_memo::SharedMemo;
use retriever_graph::{EdgeKind, NodeId};

/// Steps from the seeds, and the share of relevance that each step keeps.
const STEPS: usize = 2;
const DECAY: f64 = 0.9;
/// Most of its relevance that a step passes on.
const MAX_KEPT: f64 = 0.95;
/// Factor of a function that expresses nothing of the query, and what one gains that expresses all of a concept.
const UNRELATED: f64 = 0.45;
const RELATED: f64 = 0.9;
/// Callers of a seed, and functions that can take its place, for them to belong to it; the exponent of their number.
const MAX_CALLERS: usize = 4;
const MAX_OVERRIDERS: usize = 6;
const SHARED_EXPONENT: f64 = 0.25;
/// Functions of a supertype for all of them to matter.
const MAX_REQUIRED: usize = 3;

/// Finds the neighbours of flows.
pub(super) struct CallFlowNeighbours<'a> {
    symbols: &'a SymbolTable<'a>,
    groups: &'a SiblingDefinitions<'a>,
    coverage: &'a ConceptCoverage<'a>,
    /// Numbers of callers.
    callers: SharedMemo<NodeId, usize>,
}

impl<'a> CallFlowNeighbours<'a> {
    pub(super) fn new(
        symbols: &'a SymbolTable<'a>,
        groups: &'a SiblingDefinitions<'a>,
        coverage: &'a ConceptCoverage<'a>,
    ) -> Self {
        Self { symbols, groups, coverage, callers: SharedMemo::default() }
    }

    /// Returns what belongs to `seeds`, nodes with their relevance.
    pub(super) fn of(&self, seeds: &[(NodeId, f64)]) -> BTreeMap<NodeId, f64> {
        let known: BTreeSet<NodeId> = seeds.iter().map(|(node, _)| *node).collect();
        let mut found: BTreeMap<NodeId, f64> = BTreeMap::new();
        let mut frontier: Vec<(NodeId, f64)> = seeds.to_vec();
        for _ in 0..STEPS {
            let next = self.called_from(&frontier, &known);
            frontier = next
                .into_iter()
                .filter(|(node, relevance)| found.get(node).is_none_or(|before| before < relevance))
                .collect();
            found.extend(frontier.iter().copied());
        }
        for (node, relevance) in seeds {
            raise_all(&mut found, self.overriders(*node), MAX_OVERRIDERS, *relevance);
        }
        for (node, relevance) in seeds {
            raise_all(&mut found, self.callers(*node), MAX_CALLERS, *relevance);
        }
        found.retain(|node, _| !known.contains(node));
        found
    }

    /// Returns what a frontier calls, with its relevance.
    fn called_from(
        &self,
        frontier: &[(NodeId, f64)],
        known: &BTreeSet<NodeId>,
    ) -> BTreeMap<NodeId, f64> {
        let mut next: BTreeMap<NodeId, f64> = BTreeMap::new();
        for (node, relevance) in frontier {
            if self.symbols.cancellation.is_cancelled() {
                break;
            }
            for callee in self.callees(*node) {
                let callers = count(self.caller_count(callee)).sqrt();
                let related = UNRELATED + RELATED * self.coverage.strongest(callee);
                let passed_on = (relevance * DECAY * related / callers).min(relevance * MAX_KEPT);
                for function in self.functions_of(callee, known) {
                    raise(&mut next, function, passed_on);
                }
            }
        }
        next
    }

    /// Returns the functions that take the place of a function at run time.
    fn overriders(&self, node: NodeId) -> BTreeSet<NodeId> {
        let edges = self.symbols.graph.incoming(node).iter();
        let sources = edges.filter(|edge| edge.kind.is_inheritance()).map(|edge| edge.from);
        sources
            .filter(|from| self.symbols.is_function(*from) && !self.symbols.is_aside(*from))
            .collect()
    }

    /// Returns what a definition calls or constructs, and the types that it hands over.
    fn callees(&self, node: NodeId) -> BTreeSet<NodeId> {
        let edges = self.symbols.graph.outgoing(node).iter().filter(|edge| {
            matches!(edge.kind, EdgeKind::Calls | EdgeKind::Constructs)
                || (edge.kind == EdgeKind::References && self.symbols.is_type(edge.to))
        });
        let targets = edges.map(|edge| edge.to);
        targets.filter(|to| *to != node && !self.symbols.is_aside(*to)).collect()
    }

    fn callers(&self, node: NodeId) -> BTreeSet<NodeId> {
        let edges = self.symbols.graph.incoming(node).iter();
        let sources = edges.filter(|edge| edge.kind == EdgeKind::Calls).map(|edge| edge.from);
        sources.filter(|from| *from != node && !self.symbols.is_aside(*from)).collect()
    }

    fn caller_count(&self, node: NodeId) -> usize {
        self.callers.get(&node, || self.callers(node).len())
    }

    /// Returns the functions that a callee stands for: itself, or, for a type with siblings, those that their supertype
    /// asks for; if these are many, those of them that are `known` to matter.
    fn functions_of(&self, callee: NodeId, known: &BTreeSet<NodeId>) -> Vec<NodeId> {
        let symbols = self.symbols;
        if symbols.is_function(callee) {
            return vec![callee];
        }
        if !symbols.is_type(callee) {
            return Vec::new();
        }
        let Some((member, group)) = self.groups.of(callee) else { return Vec::new() };
        let SiblingDefinitionsKey::Supertype(above) = group.key else { return Vec::new() };
        let members = |of: NodeId| {
            let edges = symbols.graph.incoming(of).iter();
            edges.filter(|edge| edge.kind == EdgeKind::Parent).map(|edge| edge.from)
        };
        let name = |node: NodeId| symbols.graph.node(node).map(|node| node.name.as_str());
        let mut required: Vec<NodeId> =
            members(above).filter(|node| symbols.is_function(*node)).collect();
        if required.len() > MAX_REQUIRED {
            required.retain(|node| known.contains(node));
        }
        let required: BTreeSet<&str> = required.into_iter().filter_map(name).collect();
        members(member)
            .filter(|node| !symbols.is_aside(*node))
            .filter(|node| name(*node).is_some_and(|name| required.contains(name)))
            .collect()
    }
}

/// Raises what belongs to a node of this relevance, unless there are more than `limit`.
fn raise_all(
    found: &mut BTreeMap<NodeId, f64>,
    nodes: BTreeSet<NodeId>,
    limit: usize,
    relevance: f64,
) {
    if nodes.len() <= limit {
        let relevance = relevance * DECAY / count(nodes.len()).powf(SHARED_EXPONENT);
        for node in nodes {
            raise(found, node, relevance);
        }
    }
}

fn raise(found: &mut BTreeMap<NodeId, f64>, node: NodeId, relevance: f64) {
    let known = found.entry(node).or_default();
    *known = known.max(relevance);
}

/// Returns a number of nodes, at least 1.
fn count(nodes: usize) -> f64 {
    f64::from(u32::try_from(nodes.max(1)).unwrap_or(u32::MAX))
}
