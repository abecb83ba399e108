//! Path search: Dijkstra's algorithm over calls, across interfaces to their implementations and into functions that are
//! handed over. It keeps out of tests, and prefers few steps, functions that cover a concept of the query, short
//! functions, and calls that are certain.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    sync::{Arc, OnceLock},
};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{concept_coverage::ConceptCoverage, snippet::lines_on_flow, symbol_table::SymbolTable};
use crate::{bounded_memo::BoundedMemo, shared_memo::SharedMemo};
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

/// A hop from a definition, and the part of its cost that depends on no query.
#[derive(Clone)]
struct KnownHop {
    hop: CallPathHop,
    is_function: bool,
    /// Whether it runs, or keeps what runs.
    is_run: bool,
    cost: u32,
}

/// The hops from definitions that searches have asked for, kept beside the graph for the next ones.
#[derive(Default)]
struct KeptHops(BoundedMemo<NodeId, Arc<[KnownHop]>>);

/// A hop that a search may take.
struct Step {
    known: KnownHop,
    /// Its whole cost, once it was asked for; none for a part of a test.
    cost: OnceLock<Option<u32>>,
}

type Steps = Arc<[Step]>;

/// Searches paths between `ends`.
pub(super) struct CallPathSearch<'a> {
    symbols: &'a SymbolTable<'a>,
    coverage: &'a ConceptCoverage<'a>,
    ends: FxHashSet<NodeId>,
    hops: Arc<KeptHops>,
    steps: SharedMemo<NodeId, Steps>,
}

impl<'a> CallPathSearch<'a> {
    pub(super) fn new(
        symbols: &'a SymbolTable<'a>,
        coverage: &'a ConceptCoverage<'a>,
        ends: impl Iterator<Item = NodeId>,
    ) -> Self {
        let (hops, steps) = (symbols.graph.kept(), SharedMemo::default());
        Self { symbols, coverage, ends: ends.collect(), hops, steps }
    }

    /// Returns the cheapest path from `from` to each other end that passes no third, cheapest first. A cancelled search
    /// returns those it has found.
    pub(super) fn paths_from(&self, from: NodeId, limits: PathSearchLimits) -> Vec<CallPath> {
        let mut previous: FxHashMap<NodeId, (NodeId, CallPathHop)> = FxHashMap::default();
        let mut costs: FxHashMap<NodeId, u32> = FxHashMap::from_iter([(from, 0)]);
        let mut visited: FxHashSet<NodeId> = FxHashSet::default();
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
            for step in self.steps_from(at).iter() {
                let hop = &step.known.hop;
                let known = costs.get(&hop.node).copied().unwrap_or(u32::MAX);
                let is_better = |total: u32| total <= limits.cost && total < known;
                // What a hop expresses is found out only if it may be taken.
                if !is_better(cost + step.known.cost) || visited.contains(&hop.node) {
                    continue;
                }
                let total = self.cost(step).map(|step| cost + step);
                if let Some(total) = total.filter(|total| is_better(*total)) {
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
            let mut steps: Vec<Step> = Vec::new();
            for known in self.hops_from(at).iter() {
                let is_implementation = known.hop.kind.is_some_and(EdgeKind::is_inheritance);
                if is_implementation && !self.ends.contains(&known.hop.node) {
                    implementations += 1;
                }
                let is_followed = !is_implementation || implementations <= MAX_IMPLEMENTATIONS;
                if is_followed && known.is_run {
                    steps.push(Step { known: known.clone(), cost: OnceLock::new() });
                }
            }
            steps.into()
        })
    }

    fn hops_from(&self, at: NodeId) -> Arc<[KnownHop]> {
        let known = |hop| self.known(hop);
        self.hops.0.get(&at, || self.symbols.graph.steps(at).into_iter().map(known).collect())
    }

    fn known(&self, hop: CallPathHop) -> KnownHop {
        let graph = self.symbols.graph;
        let kind = graph.heading(hop.node).map(|node| node.kind);
        let callers = graph.incoming(hop.node).iter();
        let callers = callers.filter(|edge| edge.kind == EdgeKind::Calls).count();
        let doublings = (callers / MANY_CALLERS).checked_ilog2().map_or(0, |times| times + 1);
        let is_dynamic = u32::from(hop.resolution == EdgeResolution::Dynamic);
        KnownHop {
            cost: STEP
                + length_cost(self.symbols, hop.node)
                + DYNAMIC * is_dynamic
                + DOUBLED_CALLERS * doublings,
            is_function: kind == Some(NodeKind::Function),
            is_run: matches!(kind, Some(NodeKind::Function | NodeKind::Variable | NodeKind::Field)),
            hop,
        }
    }

    /// Returns the cost of a step; none for one that leads into a test.
    fn cost(&self, step: &Step) -> Option<u32> {
        let cost = || {
            let KnownHop { hop, is_function, cost, .. } = &step.known;
            if self.symbols.is_aside(hop.node) {
                return None;
            }
            // A field that keeps a callback lies between its caller and what it runs, and need not cover anything.
            let unrelated =
                if *is_function { 1.0 - self.coverage.strongest(hop.node) } else { 0.0 };
            Some(cost + (UNRELATED * unrelated) as u32)
        };
        // Two searches may compute one cost at the same time, which takes less than to wait for the other.
        step.cost.get().copied().unwrap_or_else(|| {
            let cost = cost();
            step.cost.set(cost).unwrap_or_default();
            cost
        })
    }
}

/// Returns the cost of the lines of a function that are printed, in thousandths.
pub(super) fn length_cost(symbols: &SymbolTable<'_>, node: NodeId) -> u32 {
    let heading = symbols.graph.heading(node);
    let lines = heading.map_or(0, |node| node.end.saturating_sub(node.start) + 1);
    lines_on_flow(lines) * HUNDRED_LINES / 100
}

fn hops(
    previous: &FxHashMap<NodeId, (NodeId, CallPathHop)>,
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
