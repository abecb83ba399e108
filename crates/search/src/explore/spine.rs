//! The spine of an answer: the chain of calls between the symbols that a query names, or, when it names none, between the
//! places that fit it best. The chain wins that says most of the question, each part of it once, for the least that has to be
//! read; functions that nobody asked for are crossed where they lead on.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::explore::{
    concept_coverage::ConceptCoverage,
    exploration::FlowStep,
    path_search::{PathSearch, Reach, Way, length_cost},
    symbol_table::SymbolTable,
};
use retriever_graph::{EdgeKind, Hop, NodeId, Resolution};

/// How far a chain looks for the next end: when the query names one, and when they only fit it.
const FROM_NAMED: Reach = Reach { cost: 1_200, visits: 2_000 };
const FROM_RANKED: Reach = Reach { cost: 450, visits: 300 };
/// Functions of a spine at most.
const LONGEST: usize = 14;
/// Chains that are tried, and ways that are tried from an end.
const TRIES: usize = 5_000;
const NEXT: usize = 8;
/// How much of the question the functions of a chain must say on average for it not to be a guess (tune).
const TELLING: f64 = 0.2;
/// What it is worth to pass the best place.
const RANKED: f64 = 0.3;

/// Where a chain may start and end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Anchor {
    pub(super) node: NodeId,
    /// Which of the query's names it bears, if one.
    pub(super) name: Option<u32>,
    /// How well it fits beside the best, 0 to 1.
    pub(super) worth: f64,
}

/// The chain; empty when the anchors don't reach each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Spine {
    pub(super) hops: Vec<Hop>,
    /// Whether it says enough of the query, or the query names an end of it: what only connects well-ranked places is a guess.
    pub(super) telling: bool,
}

impl Spine {
    pub(super) fn is_empty(&self) -> bool {
        self.hops.is_empty()
    }

    pub(super) fn nodes(&self) -> BTreeSet<NodeId> {
        self.hops.iter().map(|hop| hop.node).collect()
    }

    /// The lines in `node` from which the chain goes on.
    pub(super) fn call_site(&self, node: NodeId) -> Option<u32> {
        let at = self.hops.iter().position(|hop| hop.node == node)?;
        self.hops.get(at + 1).map(|next| next.line).filter(|line| *line > 0)
    }

    /// The chain in words.
    pub(super) fn steps(&self, atlas: &SymbolTable<'_>) -> Vec<FlowStep> {
        let mut steps = Vec::new();
        for hop in &self.hops {
            let Some(node) = atlas.graph.node(hop.node) else { continue };
            steps.push(FlowStep {
                name: atlas.full_name(hop.node),
                path: node.path.clone(),
                line: node.name_line,
                via: via(hop),
            });
        }
        steps
    }
}

fn via(hop: &Hop) -> String {
    let at = if hop.line > 0 { format!(" at line {}", hop.line) } else { String::new() };
    match (hop.kind, hop.resolution) {
        (None, _) => "start".to_owned(),
        (Some(EdgeKind::Implements | EdgeKind::Inherits), _) => {
            "dispatch: an implementation, chosen at run time".to_owned()
        }
        (Some(EdgeKind::References), _) => format!("callback: handed over{at}"),
        (Some(EdgeKind::Triggers), _) => format!("callback: triggered{at}"),
        (_, Resolution::Dynamic) => format!("dynamic call{at}, chosen at run time"),
        (_, Resolution::Inferred) => format!("call{at}, by inferred type"),
        _ => format!("call{at}"),
    }
}

/// Finds the chain between `anchors` that is worth most.
pub(super) fn spine(
    atlas: &SymbolTable<'_>,
    speech: &ConceptCoverage<'_>,
    anchors: &[Anchor],
) -> Spine {
    let search = PathSearch::new(atlas, speech, anchors.iter().map(|anchor| anchor.node));
    let ways: BTreeMap<NodeId, Vec<Way>> = anchors
        .par_iter()
        .with_max_len(1)
        .map(|anchor| {
            let reach = if anchor.name.is_some() { FROM_NAMED } else { FROM_RANKED };
            (anchor.node, search.from(anchor.node, reach))
        })
        .collect();
    let anchors: BTreeMap<NodeId, &Anchor> =
        anchors.iter().map(|anchor| (anchor.node, anchor)).collect();
    let any_named = anchors.values().any(|anchor| anchor.name.is_some());
    let mut search =
        Search { speech, anchors: &anchors, ways: &ways, any_named, tries: 0, best: None };
    for anchor in anchors.values() {
        let first = Hop { node: anchor.node, line: 0, kind: None, resolution: Resolution::Exact };
        let mut chain = Chain {
            hops: Vec::new(),
            said: vec![0.0; speech.concepts()],
            names: 0,
            gained: 0.0,
            ends: 0,
        };
        let cost = length_cost(atlas, anchor.node);
        search.tries = 0;
        search.extend(&mut chain, &Way { hops: vec![first], cost });
    }
    let hops = search.best.map(|(_, hops)| hops).unwrap_or_default();
    let said: f64 = hops.iter().map(|hop| speech.worth(&speech.said(hop.node))).sum();
    let telling = any_named || said >= TELLING * hops.len() as f64;
    Spine { hops, telling }
}

/// A chain in the making.
struct Chain {
    hops: Vec<Hop>,
    /// What its functions say together.
    said: Vec<f64>,
    /// The names of the query that it passes, a bit each.
    names: u32,
    /// What its ends are worth, its cost taken off.
    gained: f64,
    ends: u32,
}

/// Joins ways to the best chain that passes no function twice.
struct Search<'a> {
    speech: &'a ConceptCoverage<'a>,
    anchors: &'a BTreeMap<NodeId, &'a Anchor>,
    ways: &'a BTreeMap<NodeId, Vec<Way>>,
    /// Whether the query names an end.
    any_named: bool,
    tries: usize,
    best: Option<(f64, Vec<Hop>)>,
}

impl Search<'_> {
    /// Adds a way to a chain and tries all that can follow.
    fn extend(&mut self, chain: &mut Chain, way: &Way) {
        self.tries += 1;
        let (hops, said, names, gained) =
            (chain.hops.len(), chain.said.clone(), chain.names, chain.gained);
        chain.hops.extend(way.hops.iter().cloned());
        chain.ends += 1;
        chain.gained -= f64::from(way.cost) / 1_000.0;
        let last = way.hops.last().map(|hop| hop.node);
        if let Some(anchor) = last.and_then(|last| self.anchors.get(&last)) {
            chain.gained += self.worth(anchor, chain);
        }
        for hop in &way.hops {
            raise(&mut chain.said, &self.speech.said(hop.node));
        }
        for name in way.hops.iter().filter_map(|hop| self.anchors.get(&hop.node)?.name) {
            chain.names |= 1_u32.checked_shl(name).unwrap_or_default();
        }
        self.judge(chain);
        if let Some(last) = last {
            for way in self.ways.get(&last).into_iter().flatten().take(NEXT) {
                let twice =
                    way.hops.iter().any(|hop| chain.hops.iter().any(|h| h.node == hop.node));
                if self.tries < TRIES && !twice && chain.hops.len() + way.hops.len() <= LONGEST {
                    self.extend(chain, way);
                }
            }
        }
        chain.hops.truncate(hops);
        (chain.said, chain.names, chain.gained) = (said, names, gained);
        chain.ends -= 1;
    }

    /// What an end is worth at the end of a chain. A name counts once, whichever of the functions that bear it is passed.
    fn worth(&self, anchor: &Anchor, chain: &Chain) -> f64 {
        let fits = RANKED * anchor.worth.powi(2);
        let bit = anchor.name.and_then(|name| 1_u32.checked_shl(name)).unwrap_or_default();
        if bit & !chain.names != 0 { 1.0 + fits } else { fits }
    }

    fn judge(&mut self, chain: &Chain) {
        let (Some(first), Some(last)) = (chain.hops.first(), chain.hops.last()) else { return };
        let position = |hop: &Hop| self.speech.position(&self.speech.said(hop.node));
        // Where the query names functions, the flow in question starts or ends at one.
        let is_named =
            |hop: &Hop| self.anchors.get(&hop.node).is_some_and(|end| end.name.is_some());
        let starts = is_named(first) && position(first) <= 0.5;
        let ends = is_named(last) && position(last) >= 0.5;
        if chain.ends < 2 || (self.any_named && !starts && !ends) {
            return;
        }
        let worth = chain.gained + self.speech.worth(&chain.said);
        if self.best.as_ref().is_none_or(|(best, _)| worth > best + 1e-9) {
            self.best = Some((worth, chain.hops.clone()));
        }
    }
}

fn raise(known: &mut [f64], said: &[f64]) {
    for (known, said) in known.iter_mut().zip(said) {
        *known = known.max(*said);
    }
}
