//! PathSearch from one function to others: a directed search over calls, across interfaces to what implements them and into
//! functions that are handed over. Keeps out of tests, and takes the way that costs least: few steps, those of them
//! that speak of the question, short functions, calls that are sure.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    sync::Arc,
};

use crate::explore::{
    concept_coverage::ConceptCoverage, snippet::lines_on_flow, symbol_table::SymbolTable,
};
use crate::memo::Memo;
use retriever_graph::{EdgeKind, Hop, NodeId, NodeKind, Resolution};

/// What a step costs, in thousandths of what it is worth to say the whole question.
const STEP: u32 = 20;
/// What more a function costs that says nothing of the question, one of a hundred lines, and one of which it is only known at
/// run time that it is called.
const SILENT: f64 = 50.0;
const LENGTH: u32 = 200;
const DYNAMIC: u32 = 15;
/// Callers from which on a function is everybody's, and what every doubling costs.
const BUSY: usize = 8;
const BUSIER: u32 = 20;
/// Implementations that an interface leads to, unless more of them are ends.
const BRANCHES: usize = 8;

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// In thousandths.
    pub(super) cost: u32,
    /// Functions that are visited.
    pub(super) visits: usize,
}

/// A way from one end to another; the first is not among its hops.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) hops: Vec<Hop>,
    /// In thousandths; that of its end counts.
    pub(super) cost: u32,
}

/// The hops from one definition, and what each costs.
type Onward = Arc<[(Hop, u32)]>;

/// Searches for ways between `ends`.
pub(super) struct PathSearch<'a> {
    pub(super) atlas: &'a SymbolTable<'a>,
    pub(super) speech: &'a ConceptCoverage<'a>,
    ends: BTreeSet<NodeId>,
    onward: Memo<NodeId, Onward>,
}

impl<'a> PathSearch<'a> {
    pub(super) fn new(
        atlas: &'a SymbolTable<'a>,
        speech: &'a ConceptCoverage<'a>,
        ends: impl Iterator<Item = NodeId>,
    ) -> Self {
        Self { atlas, speech, ends: ends.collect(), onward: Memo::default() }
    }

    /// The cheapest ways from `from` to other ends that pass none on the way, cheapest first.
    pub(super) fn from(&self, from: NodeId, reach: Reach) -> Vec<Way> {
        let mut came: BTreeMap<NodeId, (NodeId, Hop)> = BTreeMap::new();
        let mut costs: BTreeMap<NodeId, u32> = BTreeMap::from([(from, 0)]);
        let mut done: BTreeSet<NodeId> = BTreeSet::new();
        let mut open = BinaryHeap::from([Reverse((0_u32, from))]);
        let mut ways = Vec::new();
        while let Some(Reverse((cost, at))) = open.pop() {
            if done.len() >= reach.visits {
                break;
            }
            if !done.insert(at) {
                continue;
            }
            if at != from && self.ends.contains(&at) {
                ways.push(Way { hops: hops(&came, from, at), cost });
                continue;
            }
            for (hop, step) in self.onward(at).iter() {
                let all = cost + step;
                let known = costs.get(&hop.node).copied().unwrap_or(u32::MAX);
                if all <= reach.cost && all < known && !done.contains(&hop.node) {
                    costs.insert(hop.node, all);
                    came.insert(hop.node, (at, hop.clone()));
                    open.push(Reverse((all, hop.node)));
                }
            }
        }
        ways
    }

    /// Where the program goes from a function, and what each step costs.
    fn onward(&self, at: NodeId) -> Onward {
        self.onward.get(&at, || {
            let mut branches = 0;
            let mut hops: Vec<(Hop, u32)> = Vec::new();
            for hop in self.atlas.graph.steps(at) {
                let branch = matches!(hop.kind, Some(EdgeKind::Implements | EdgeKind::Inherits));
                if branch && !self.ends.contains(&hop.node) {
                    branches += 1;
                }
                if self.runs(hop.node) && (!branch || branches <= BRANCHES) {
                    let cost = self.cost(&hop);
                    hops.push((hop, cost));
                }
            }
            hops.into()
        })
    }

    fn runs(&self, node: NodeId) -> bool {
        let known = self.atlas.graph.heading(node);
        known.is_some_and(|known| {
            matches!(known.kind, NodeKind::Function | NodeKind::Variable | NodeKind::Field)
                && !self.atlas.is_aside(node)
        })
    }

    fn cost(&self, hop: &Hop) -> u32 {
        // What keeps a callback is crossed on the way to what it runs, and need not speak of anything.
        let may_be_silent = !self.atlas.is_function(hop.node);
        let silence = if may_be_silent { 0.0 } else { 1.0 - self.speech.loudest(hop.node) };
        let callers = self.atlas.graph.incoming(hop.node).iter();
        let callers = callers.filter(|edge| edge.kind == EdgeKind::Calls).count();
        let dynamic = u32::from(hop.resolution == Resolution::Dynamic);
        STEP + (SILENT * silence) as u32
            + length_cost(self.atlas, hop.node)
            + DYNAMIC * dynamic
            + BUSIER * (callers / BUSY).checked_ilog2().map_or(0, |times| times + 1)
    }
}

/// What a function costs for the lines of it that are printed, in thousandths.
pub(super) fn length_cost(atlas: &SymbolTable<'_>, node: NodeId) -> u32 {
    let lines = atlas.graph.heading(node).map_or(0, |node| node.end.saturating_sub(node.start) + 1);
    lines_on_flow(lines) * LENGTH / 100
}

fn hops(came: &BTreeMap<NodeId, (NodeId, Hop)>, from: NodeId, to: NodeId) -> Vec<Hop> {
    let mut hops = Vec::new();
    let mut at = to;
    while at != from {
        let Some((before, hop)) = came.get(&at) else { break };
        hops.push(hop.clone());
        at = *before;
    }
    hops.reverse();
    hops
}
