//! Path search: Dijkstra's algorithm over calls, across interfaces to their implementations and into functions that are
//! handed over. It keeps out of tests, and prefers few steps, functions that cover a concept of the query, short
//! functions, and calls that are certain.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    sync::Arc,
};

use super::{
    concept_coverage::ConceptCoverage, declarations_by_file::SymbolTable, snippet::lines_on_flow,
};
use crate::shared_memo::SharedMemo;
use retriever_graph::{CallPathHop, EdgeKind, EdgeResolution, NodeId, NodeKind};

/// Cost of a step, in thousandths of what it is worth to cover the whole query.
const STEP: u32 = 20;
/// Further cost of a function that expresses nothing, of one of a hundred lines, and of a call that is resolved at run
/// time.
const UNRELATED: f64 = 50.0;
const HUNDRED_LINES: u32 = 200;
const DYNAMIC: u32 = 15;
/// Callers of a function that everybody calls, and the cost of each doubling of their number.
const MANY_CALLERS: usize = 8;
const DOUBLED_CALLERS: u32 = 20;
/// Implementations of an interface that are followed, beside those that are ends.
const MAX_IMPLEMENTATIONS: usize = 8;

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathSearchLimits {
    /// Cost of a path, in thousandths.
    pub(super) cost: u32,
    /// Functions that are visited.
    pub(super) visits: usize,
}

/// A path from one end to another; the first is not among its hops.
#[derive(Clone, Debug)]
pub(super) struct CallPath {
    pub(super) hops: Vec<CallPathHop>,
    /// In thousandths; that of its end counts.
    pub(super) cost: u32,
}

/// The hops from one definition, each with its cost.
type Steps = Arc<[(CallPathHop, u32)]>;

/// Searches paths between `ends`.
pub(super) struct CallPathSearch<'a> {
    symbols: &'a SymbolTable<'a>,
    coverage: &'a ConceptCoverage<'a>,
    ends: BTreeSet<NodeId>,
    steps: SharedMemo<NodeId, Steps>,
}

impl<'a> CallPathSearch<'a> {
    pub(super) fn new(
        symbols: &'a SymbolTable<'a>,
        coverage: &'a ConceptCoverage<'a>,
        ends: impl Iterator<Item = NodeId>,
    ) -> Self {
        Self { symbols, coverage, ends: ends.collect(), steps: SharedMemo::default() }
    }

    /// Returns the cheapest path from `from` to each other end that passes no third, cheapest first. A cancelled search
    /// returns those it has found.
    pub(super) fn paths_from(&self, from: NodeId, limits: PathSearchLimits) -> Vec<CallPath> {
        let mut previous: BTreeMap<NodeId, (NodeId, CallPathHop)> = BTreeMap::new();
        let mut costs: BTreeMap<NodeId, u32> = BTreeMap::from([(from, 0)]);
        let mut visited: BTreeSet<NodeId> = BTreeSet::new();
        let mut queue = BinaryHeap::from([Reverse((0_u32, from))]);
        let mut paths = Vec::new();
        while let Some(Reverse((cost, at))) = queue.pop() {
            if visited.len() >= limits.visits || self.symbols.cancellation.is_cancelled() {
                break;
            }
            if !visited.insert(at) {
                continue;
            }
            if at != from && self.ends.contains(&at) {
                paths.push(CallPath { hops: hops(&previous, from, at), cost });
                continue;
            }
            for (hop, step) in self.steps_from(at).iter() {
                let total = cost + step;
                let known = costs.get(&hop.node).copied().unwrap_or(u32::MAX);
                if total <= limits.cost && total < known && !visited.contains(&hop.node) {
                    costs.insert(hop.node, total);
                    previous.insert(hop.node, (at, hop.clone()));
                    queue.push(Reverse((total, hop.node)));
                }
            }
        }
        paths
    }

    fn steps_from(&self, at: NodeId) -> Steps {
        self.steps.get(&at, || {
            let mut implementations = 0;
            let mut steps: Vec<(CallPathHop, u32)> = Vec::new();
            for hop in self.symbols.graph.steps(at) {
                let is_implementation = hop.kind.is_some_and(EdgeKind::is_inheritance);
                if is_implementation && !self.ends.contains(&hop.node) {
                    implementations += 1;
                }
                let is_followed = !is_implementation || implementations <= MAX_IMPLEMENTATIONS;
                if is_followed && self.may_enter(hop.node) {
                    let cost = self.cost(&hop);
                    steps.push((hop, cost));
                }
            }
            steps.into()
        })
    }

    /// Whether a node runs, or keeps what runs, and is not part of a test.
    fn may_enter(&self, node: NodeId) -> bool {
        let known = self.symbols.graph.heading(node);
        known.is_some_and(|known| {
            matches!(known.kind, NodeKind::Function | NodeKind::Variable | NodeKind::Field)
                && !self.symbols.is_aside(node)
        })
    }

    fn cost(&self, hop: &CallPathHop) -> u32 {
        // A field that keeps a callback lies between its caller and what it runs, and need not cover anything.
        let keeps_callback = !self.symbols.is_function(hop.node);
        let unrelated = if keeps_callback { 0.0 } else { 1.0 - self.coverage.strongest(hop.node) };
        let callers = self.symbols.graph.incoming(hop.node).iter();
        let callers = callers.filter(|edge| edge.kind == EdgeKind::Calls).count();
        let doublings = (callers / MANY_CALLERS).checked_ilog2().map_or(0, |times| times + 1);
        let is_dynamic = u32::from(hop.resolution == EdgeResolution::Dynamic);
        STEP + (UNRELATED * unrelated) as u32
            + length_cost(self.symbols, hop.node)
            + DYNAMIC * is_dynamic
            + DOUBLED_CALLERS * doublings
    }
}

/// Returns the cost of the lines of a function that are printed, in thousandths.
pub(super) fn length_cost(symbols: &SymbolTable<'_>, node: NodeId) -> u32 {
    let heading = symbols.graph.heading(node);
    let lines = heading.map_or(0, |node| node.end.saturating_sub(node.start) + 1);
    lines_on_flow(lines) * HUNDRED_LINES / 100
}

fn hops(
    previous: &BTreeMap<NodeId, (NodeId, CallPathHop)>,
    from: NodeId,
    to: NodeId,
) -> Vec<CallPathHop> {
    let mut hops = Vec::new();
    let mut at = to;
    while at != from {
        let Some((before, hop)) = previous.get(&at) else { break };
        hops.push(hop.clone());
        at = *before;
    }
    hops.reverse();
    hops
}
