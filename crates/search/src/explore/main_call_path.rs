//! The spine of an answer: the chain of calls between the symbols that a query names or, if it names none, between the
//! places that fit it best.
//!
//! Design notes. [`super::call_path_search`] finds paths between anchors; here they are joined to the chain that expresses most
//! of the query, each concept once, for the least that has to be read. A chain may cross functions that match nothing. Edges are those of the graph, so that a flow is never a guess about calls; where nothing connects there is
//! no flow, and then nothing becomes a skeleton, either. A chain must pass one of the first places, or a function that the
//! query names; any other is about something else. If the query names no end of a chain and the chain expresses little
//! of the query, it only connects places that rank well: it is printed, but has no room of its own.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use retriever_graph::{CallPathHop, EdgeResolution, NodeId};
use retriever_workspace::Cancellation;

use super::{
    call_path_search::{CallPath, CallPathSearch, PathSearchLimits, length_cost},
    concept_coverage::ConceptCoverage,
    exploration::CallFlowStep,
    symbol_table::SymbolTable,
};
use crate::call_flow::CallFlowLink;

/// Limits of a path from an anchor that the query names, and from any other anchor.
const FROM_NAMED: PathSearchLimits = PathSearchLimits { cost: 1_200, visits: 2_000 };
const FROM_RANKED: PathSearchLimits = PathSearchLimits { cost: 450, visits: 300 };
/// Functions of a spine.
const MAX_LENGTH: usize = 14;
/// Chains that are tried from one anchor, and paths that are tried behind each.
const MAX_TRIES: usize = 5_000;
const MAX_BRANCHES: usize = 8;
/// Chains between two looks at the cancellation.
const CHECK_INTERVAL: usize = 256;
/// Share of the query that the functions of a chain have to cover on average for it not to be a guess.
const MIN_SHARE: f64 = 0.2;
/// Value of passing the best place.
const BEST_PLACE: f64 = 0.3;

/// Where a chain may start and end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallFlowAnchor {
    pub(super) node: NodeId,
    /// Number of the query's name that it has, if it is named.
    pub(super) name: Option<u32>,
    /// Score relative to the best, 0 to 1.
    pub(super) relevance: f64,
}

/// The chain; empty when the anchors don't reach each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MainCallPath {
    pub(super) hops: Vec<CallPathHop>,
    /// Whether it expresses enough of the query, or the query names an end of it.
    pub(super) is_relevant: bool,
}

impl MainCallPath {
    pub(super) fn is_empty(&self) -> bool {
        self.hops.is_empty()
    }

    pub(super) fn nodes(&self) -> BTreeSet<NodeId> {
        self.hops.iter().map(|hop| hop.node).collect()
    }

    /// Returns the line in `node` from which the chain goes on.
    pub(super) fn call_site(&self, node: NodeId) -> Option<u32> {
        let at = self.hops.iter().position(|hop| hop.node == node)?;
        self.hops.get(at + 1).map(|next| next.line).filter(|line| *line > 0)
    }

    /// Returns the chain as it is printed.
    pub(super) fn steps(&self, symbols: &SymbolTable<'_>) -> Vec<CallFlowStep> {
        let mut steps = Vec::new();
        for hop in &self.hops {
            let Some(node) = symbols.graph.node(hop.node) else { continue };
            steps.push(CallFlowStep {
                name: symbols.full_name(hop.node),
                path: node.path.clone(),
                line: node.name_line,
                via: via(symbols, hop),
            });
        }
        steps
    }
}

fn via(symbols: &SymbolTable<'_>, hop: &CallPathHop) -> String {
    let at = if hop.line > 0 { format!(" at line {}", hop.line) } else { String::new() };
    let link = CallFlowLink::of(hop, || symbols.is_property(hop.node));
    match (link, hop.resolution) {
        (CallFlowLink::Start, _) => "start".to_owned(),
        (CallFlowLink::Implementation, _) => {
            "dispatch: an implementation, chosen at run time".to_owned()
        }
        (CallFlowLink::HandedOver, _) => format!("callback: handed over{at}"),
        (CallFlowLink::Read, _) => format!("property: read{at}"),
        (CallFlowLink::Triggered, _) => format!("callback: triggered{at}"),
        (CallFlowLink::Call, EdgeResolution::Dynamic) => {
            format!("dynamic call{at}, chosen at run time")
        }
        (CallFlowLink::Call, EdgeResolution::Inferred) => format!("call{at}, by inferred type"),
        (CallFlowLink::Call, _) => format!("call{at}"),
    }
}

/// Finds the most valuable chain between `anchors` that passes one of `leading`, which are functions and types, or a function
/// that the query names.
pub(super) fn find_spine(
    symbols: &SymbolTable<'_>,
    coverage: &ConceptCoverage<'_>,
    anchors: &[CallFlowAnchor],
    leading: &BTreeSet<NodeId>,
) -> MainCallPath {
    let search = CallPathSearch::new(symbols, coverage, anchors.iter().map(|anchor| anchor.node));
    let paths: BTreeMap<NodeId, Vec<CallPath>> = anchors
        .par_iter()
        .with_max_len(1)
        .map(|anchor| {
            let limits = if anchor.name.is_some() { FROM_NAMED } else { FROM_RANKED };
            (anchor.node, search.paths_from(anchor.node, limits))
        })
        .collect();
    let anchors: BTreeMap<NodeId, &CallFlowAnchor> =
        anchors.iter().map(|anchor| (anchor.node, anchor)).collect();
    let names_any = anchors.values().any(|anchor| anchor.name.is_some());
    let cancellation = symbols.cancellation;
    let mut search = ChainSearch {
        symbols,
        coverage,
        leading,
        anchors: &anchors,
        paths: &paths,
        names_any,
        cancellation,
        tries: 0,
        best: None,
    };
    for anchor in anchors.values() {
        let hop = CallPathHop {
            node: anchor.node,
            line: 0,
            kind: None,
            resolution: EdgeResolution::Exact,
        };
        let mut chain = Chain::empty(coverage.concepts());
        let cost = length_cost(symbols, anchor.node);
        search.tries = 0;
        search.extend(&mut chain, &CallPath { hops: vec![hop], cost });
    }
    let hops = search.best.map(|(_, hops)| hops).unwrap_or_default();
    let shares: f64 = hops.iter().map(|hop| coverage.share(&coverage.of(hop.node))).sum();
    let is_relevant = names_any || shares >= MIN_SHARE * hops.len() as f64;
    MainCallPath { hops, is_relevant }
}

/// A chain as it is built.
struct Chain {
    hops: Vec<CallPathHop>,
    /// What its functions cover together.
    coverage: Vec<f64>,
    /// The names of the query that it passes, a bit each.
    names: u32,
    /// Value of its ends, less its cost.
    gain: f64,
    ends: u32,
}

impl Chain {
    fn empty(concepts: usize) -> Self {
        Self { hops: Vec::new(), coverage: vec![0.0; concepts], names: 0, gain: 0.0, ends: 0 }
    }
}

/// Joins paths to the best chain that passes no function twice.
struct ChainSearch<'a> {
    symbols: &'a SymbolTable<'a>,
    leading: &'a BTreeSet<NodeId>,
    coverage: &'a ConceptCoverage<'a>,
    anchors: &'a BTreeMap<NodeId, &'a CallFlowAnchor>,
    paths: &'a BTreeMap<NodeId, Vec<CallPath>>,
    /// Whether the query names an anchor.
    names_any: bool,
    cancellation: &'a Cancellation,
    tries: usize,
    best: Option<(f64, Vec<CallPathHop>)>,
}

impl ChainSearch<'_> {
    /// Appends a path to a chain, and tries all continuations. A chain has at most [`MAX_LENGTH`] functions, which bounds
    /// the recursion.
    fn extend(&mut self, chain: &mut Chain, path: &CallPath) {
        self.tries += 1;
        let (length, coverage, names, gain) =
            (chain.hops.len(), chain.coverage.clone(), chain.names, chain.gain);
        self.append(chain, path);
        self.consider(chain);
        if let Some(last) = path.hops.last() {
            for path in self.paths.get(&last.node).into_iter().flatten().take(MAX_BRANCHES) {
                let passes_twice =
                    path.hops.iter().any(|hop| chain.hops.iter().any(|h| h.node == hop.node));
                let fits = chain.hops.len() + path.hops.len() <= MAX_LENGTH;
                if self.may_try() && !passes_twice && fits {
                    self.extend(chain, path);
                }
            }
        }
        chain.hops.truncate(length);
        (chain.coverage, chain.names, chain.gain) = (coverage, names, gain);
        chain.ends -= 1;
    }

    fn may_try(&self) -> bool {
        let is_cancelled =
            self.tries.is_multiple_of(CHECK_INTERVAL) && self.cancellation.is_cancelled();
        self.tries < MAX_TRIES && !is_cancelled
    }

    fn append(&self, chain: &mut Chain, path: &CallPath) {
        chain.hops.extend(path.hops.iter().cloned());
        chain.ends += 1;
        chain.gain -= f64::from(path.cost) / 1_000.0;
        if let Some(anchor) = path.hops.last().and_then(|last| self.anchors.get(&last.node)) {
            chain.gain += end_value(anchor, chain);
        }
        for hop in &path.hops {
            for (known, certainty) in chain.coverage.iter_mut().zip(&*self.coverage.of(hop.node)) {
                *known = known.max(*certainty);
            }
        }
        for name in path.hops.iter().filter_map(|hop| self.anchors.get(&hop.node)?.name) {
            chain.names |= 1_u32.checked_shl(name).unwrap_or_default();
        }
    }

    /// Keeps a chain that is better than the best so far.
    fn consider(&mut self, chain: &Chain) {
        let (Some(first), Some(last)) = (chain.hops.first(), chain.hops.last()) else { return };
        let position = |hop: &CallPathHop| self.coverage.position(&self.coverage.of(hop.node));
        // Where the query names functions, the flow in question starts or ends at one.
        let is_named =
            |hop: &CallPathHop| self.anchors.get(&hop.node).is_some_and(|end| end.name.is_some());
        let starts_named = is_named(first) && position(first) <= 0.5;
        let ends_named = is_named(last) && position(last) >= 0.5;
        if chain.ends < 2 || (self.names_any && !starts_named && !ends_named) {
            return;
        }
        let value = chain.gain + self.coverage.share(&chain.coverage);
        let is_better = self.best.as_ref().is_none_or(|(best, _)| value > best + 1e-9);
        if is_better && chain.hops.iter().any(|hop| is_named(hop) || self.leads(hop.node)) {
            self.best = Some((value, chain.hops.clone()));
        }
    }

    /// Whether a function is one of the first places, or a member of one.
    fn leads(&self, node: NodeId) -> bool {
        let owner = || self.symbols.owner(node).is_some_and(|owner| self.leading.contains(&owner));
        self.leading.contains(&node) || owner()
    }
}

/// Returns the value of an anchor as the next end of a chain. A name counts once, whichever of its functions is passed.
fn end_value(anchor: &CallFlowAnchor, chain: &Chain) -> f64 {
    let value = BEST_PLACE * anchor.relevance.powi(2);
    let bit = anchor.name.and_then(|name| 1_u32.checked_shl(name)).unwrap_or_default();
    if bit & !chain.names != 0 { 1.0 + value } else { value }
}
