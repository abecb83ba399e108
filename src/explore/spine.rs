//! The spine of an answer: the chain of calls between the symbols that a query names, or, when it names none, between the
//! places that fit it best. A directed search over the graph: it may cross a few functions that nobody asked for, crosses
//! interfaces to what implements them, keeps out of tests, and takes the surest way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{atlas::Atlas, exploration::FlowStep};
use crate::graph::{EdgeKind, Hop, NodeId, NodeKind, Resolution};

/// Steps between two ends that the query names, and between two that only fit it.
const NAMED_STEPS: u32 = 12;
const RANKED_STEPS: u32 = 4;
/// Nodes that one search visits.
const NAMED_VISITS: usize = 4_000;
const RANKED_VISITS: usize = 350;
/// Functions of a spine at most.
const LONGEST: usize = 14;
/// Chains that are tried.
const TRIES: usize = 20_000;
/// What a function that nobody asked for costs, and a step that is chosen at run time.
const UNNAMED: f64 = 0.22;
const DYNAMIC: f64 = 0.08;
/// Implementations that an interface leads to, unless more of them are ends.
const BRANCHES: usize = 8;

/// Where a chain may start and end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Anchor {
    pub(super) node: NodeId,
    /// Whether the query names it.
    pub(super) named: bool,
    /// What it is worth to have it on the chain.
    pub(super) worth: f64,
}

/// The chain; empty when the anchors don't reach each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Spine {
    pub(super) hops: Vec<Hop>,
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
    pub(super) fn steps(&self, atlas: &Atlas<'_>) -> Vec<FlowStep> {
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

/// Finds the chain that has most of what `anchors` are worth.
pub(super) fn spine(atlas: &Atlas<'_>, anchors: &[Anchor]) -> Spine {
    let named: Vec<&Anchor> = anchors.iter().filter(|anchor| anchor.named).collect();
    let worth: BTreeMap<NodeId, f64> =
        anchors.iter().map(|anchor| (anchor.node, anchor.worth)).collect();
    let mut ways: BTreeMap<NodeId, Vec<Vec<Hop>>> = BTreeMap::new();
    for anchor in anchors {
        let far = anchor.named && named.len() > 1;
        let (steps, visits) =
            if far { (NAMED_STEPS, NAMED_VISITS) } else { (RANKED_STEPS, RANKED_VISITS) };
        let found = reach(atlas, anchor.node, &worth, steps, visits);
        ways.insert(anchor.node, found);
    }
    let mut search = Search { worth: &worth, ways: &ways, tries: 0, best: None };
    for anchor in anchors {
        let start = Hop { node: anchor.node, line: 0, kind: None, resolution: Resolution::Exact };
        search.go(&mut vec![start], anchor.worth, 1);
    }
    Spine { hops: search.best.map(|(_, hops)| hops).unwrap_or_default() }
}

/// The ways from `from` to other anchors that don't pass one on the way, by breadth.
fn reach(
    atlas: &Atlas<'_>,
    from: NodeId,
    worth: &BTreeMap<NodeId, f64>,
    steps: u32,
    visits: usize,
) -> Vec<Vec<Hop>> {
    let mut came: BTreeMap<NodeId, (NodeId, Hop)> = BTreeMap::new();
    let mut queue = VecDeque::from([(from, 0_u32)]);
    let mut ways = Vec::new();
    while let Some((at, depth)) = queue.pop_front() {
        if depth >= steps || came.len() >= visits {
            continue;
        }
        for hop in onward(atlas, at, worth) {
            if hop.node == from || came.contains_key(&hop.node) {
                continue;
            }
            let node = hop.node;
            came.insert(node, (at, hop));
            if worth.contains_key(&node) {
                ways.push(way(&came, from, node));
            } else {
                queue.push_back((node, depth + 1));
            }
        }
    }
    ways
}

fn way(came: &BTreeMap<NodeId, (NodeId, Hop)>, from: NodeId, to: NodeId) -> Vec<Hop> {
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

/// Where the program goes from a function, tests and types left out.
fn onward(atlas: &Atlas<'_>, at: NodeId, worth: &BTreeMap<NodeId, f64>) -> Vec<Hop> {
    let runs = |node: NodeId| {
        atlas
            .graph
            .node(node)
            .is_some_and(|node| matches!(node.kind, NodeKind::Function | NodeKind::Variable))
    };
    let mut branches = 0;
    let mut hops = atlas.graph.steps(at);
    hops.retain(|hop| {
        let branch = matches!(hop.kind, Some(EdgeKind::Implements | EdgeKind::Inherits));
        if branch && !worth.contains_key(&hop.node) {
            branches += 1;
        }
        runs(hop.node) && !atlas.is_aside(hop.node) && (!branch || branches <= BRANCHES)
    });
    hops
}

/// Joins ways to the best chain that passes no function twice.
struct Search<'a> {
    worth: &'a BTreeMap<NodeId, f64>,
    ways: &'a BTreeMap<NodeId, Vec<Vec<Hop>>>,
    tries: usize,
    best: Option<(f64, Vec<Hop>)>,
}

impl Search<'_> {
    fn go(&mut self, chain: &mut Vec<Hop>, gained: f64, anchors: usize) {
        self.tries += 1;
        let is_best = self.best.as_ref().is_none_or(|(most, _)| gained > most + 1e-9);
        if anchors > 1 && is_best {
            self.best = Some((gained, chain.clone()));
        }
        let Some(last) = chain.last().map(|hop| hop.node) else { return };
        for way in self.ways.get(&last).into_iter().flatten() {
            let passes_twice =
                way.iter().any(|hop| chain.iter().any(|known| known.node == hop.node));
            if self.tries >= TRIES || passes_twice || chain.len() + way.len() > LONGEST {
                continue;
            }
            let end = way.last().and_then(|hop| self.worth.get(&hop.node)).copied();
            let unnamed = UNNAMED * f64::from(u32::try_from(way.len() - 1).unwrap_or(u32::MAX));
            let dynamic = way.iter().filter(|hop| hop.resolution == Resolution::Dynamic).count();
            let dynamic = DYNAMIC * f64::from(u32::try_from(dynamic).unwrap_or(u32::MAX));
            let before = chain.len();
            chain.extend(way.iter().cloned());
            self.go(chain, gained + end.unwrap_or_default() - unnamed - dynamic, anchors + 1);
            chain.truncate(before);
        }
    }
}
