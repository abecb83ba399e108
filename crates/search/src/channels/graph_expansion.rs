//! The graph channel: a random walk with restart from the places that the question's words lead to. What is close to several of
//! them matters even when no word of the question stands in it, and says by which relation it was reached.

use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    sync::Arc,
};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    candidate::{Candidate, GraphFeatures},
    memo::Memo,
};
use retriever_graph::{Edge, EdgeKind, Graph, Heading, NodeId, NodeKind, Resolution};
use retriever_workspace::RepoPath;

/// Chance that the walk starts anew at each step.
const RESTART: f64 = 0.4;
/// Nodes that the walk leaves at most, and the mass for which that is worth while.
const PUSHES: usize = 240;
const LEAST: f64 = 2e-4;
/// Nodes that are looked around from at once: most of those that wait are left, too.
const AT_ONCE: usize = 24;
/// Neighbours of one node that are looked at.
const NEIGHBOURS: usize = 160;
/// Edges of a node from which on it is a hub that says little about what it touches.
const HUB: f64 = 6.0;

/// The graph as a survey finds its way in it.
pub(crate) struct Paths<'a> {
    pub(crate) view: &'a Graph,
    /// The places of the files that were asked about.
    places: Memo<RepoPath, Places<'a>>,
}

type Places<'a> = Arc<[(NodeId, Heading<'a>)]>;

/// A node that the walk came to.
pub(crate) struct Near {
    pub(crate) node: NodeId,
    /// How close to the roots, against the closest: 0 to 1.
    pub(crate) closeness: f64,
    /// Edges to the nearest root.
    pub(crate) distance: u32,
    /// How it was reached, in words: `called by X`.
    pub(crate) how: String,
}

#[derive(Default)]
struct Mass {
    /// What came from other nodes.
    received: f64,
    /// The step that brought most.
    best: Option<(f64, NodeId, EdgeKind, Way)>,
    distance: u32,
}

/// Where the walk can go from a node, with the weight of each step.
type Steps = Vec<(NodeId, EdgeKind, Way, f64)>;

/// Which way an edge was walked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Along,
    Against,
}

impl<'a> Paths<'a> {
    pub(crate) fn new(view: &'a Graph) -> Self {
        Self { view, places: Memo::default() }
    }

    /// Every place of a file.
    fn places(&self, path: &RepoPath) -> Places<'a> {
        self.places.get(path, || {
            let known = |id: u32| Some((NodeId(id), self.view.heading(NodeId(id))?));
            let all = self.view.nodes_of(path.as_str()).filter_map(known);
            all.filter(|(_, node)| is_place(node.kind)).collect()
        })
    }

    /// Returns the definition that a candidate is, or the innermost one around it.
    pub(crate) fn node_of(&self, candidate: &Candidate) -> Option<NodeId> {
        let range = candidate.range?;
        let places = self.places(&candidate.file.path);
        let mut all = places.iter();
        if let Some(symbol) = candidate.symbols.first() {
            let is_it = |node: &Heading<'_>| {
                node.name == symbol.name && (node.start..=node.name_line).contains(&symbol.line)
            };
            return all.find(|(_, node)| is_it(node)).map(|(id, _)| *id);
        }
        let (start, end) = (range.start(), range.end());
        all.filter(|(_, node)| node.start <= start && end <= node.end)
            .min_by_key(|(_, node)| node.end - node.start)
            .map(|(id, _)| *id)
    }

    /// Counts a node's edges.
    pub(crate) fn features(&self, id: NodeId) -> GraphFeatures {
        let count = |edges: &[Edge]| {
            let other = |edge: &&Edge| edge.kind != EdgeKind::Parent;
            u32::try_from(edges.iter().filter(other).count()).unwrap_or(u32::MAX)
        };
        let (inward, outward) = (self.view.incoming(id), self.view.outgoing(id));
        let kinds = inward.iter().chain(outward).map(|edge| edge.kind.as_ref().to_owned());
        GraphFeatures {
            inbound: count(inward),
            outbound: count(outward),
            edge_kinds: kinds.collect(),
            ..GraphFeatures::default()
        }
    }

    /// Walks from `roots`, nodes with their weight, and returns where it came to, closest first. `may_enter` says in which
    /// files it may go on.
    pub(crate) fn near(
        &self,
        roots: &BTreeMap<NodeId, f64>,
        may_enter: impl Fn(&str) -> bool,
    ) -> Vec<Near> {
        let sum: f64 = roots.values().sum();
        let mut masses: FxHashMap<NodeId, Mass> = FxHashMap::default();
        let mut residual: FxHashMap<NodeId, f64> = FxHashMap::default();
        let mut heap: BinaryHeap<(u64, std::cmp::Reverse<NodeId>)> = BinaryHeap::new();
        // A positive float and its bits are in the same order.
        for (id, weight) in roots {
            residual.insert(*id, weight / sum.max(f64::MIN_POSITIVE));
            masses.entry(*id).or_default();
            heap.push(((weight / sum).to_bits(), std::cmp::Reverse(*id)));
        }
        let mut entered: FxHashMap<&str, bool> = FxHashMap::default();
        let mut pushes = 0;
        let mut steps: FxHashMap<NodeId, Steps> = FxHashMap::default();
        while let Some((bits, std::cmp::Reverse(id))) = heap.pop() {
            let Some(left) = residual.get_mut(&id).filter(|left| left.to_bits() == bits) else {
                continue;
            };
            let mass = std::mem::take(left);
            if mass < LEAST || pushes == PUSHES {
                break;
            }
            pushes += 1;
            if !steps.contains_key(&id) {
                let waiting = heap.iter().map(|(_, std::cmp::Reverse(id))| *id);
                let unknown = waiting.filter(|id| !steps.contains_key(id)).take(AT_ONCE);
                let ids: BTreeSet<NodeId> = unknown.chain([id]).collect();
                let ids: Vec<NodeId> = ids.into_iter().collect();
                let look = |id: &NodeId| (*id, steps_from(self.view, *id));
                steps.par_extend(ids.par_iter().with_max_len(1).map(look));
            }
            let Some(steps) = steps.get(&id) else { break };
            let all: f64 = steps.iter().map(|(.., weight)| weight).sum();
            let distance = masses.get(&id).map_or(0, |mass| mass.distance) + 1;
            for (to, kind, way, weight) in steps.iter().copied() {
                let Some(path) = self.view.path_of(to) else { continue };
                if !*entered.entry(path).or_insert_with(|| may_enter(path)) {
                    continue;
                }
                let share = (1.0 - RESTART) * mass * weight / all;
                let is_new = !masses.contains_key(&to);
                let known = masses.entry(to).or_default();
                known.received += share;
                if is_new {
                    known.distance = distance;
                }
                if known.best.is_none_or(|(most, ..)| share > most) {
                    known.best = Some((share, id, kind, way));
                }
                let rest = residual.entry(to).or_default();
                *rest += share;
                heap.push((rest.to_bits(), std::cmp::Reverse(to)));
            }
        }
        self.ranked(masses)
    }

    /// What was reached, closest first; a hub is close to everything, and counts less.
    fn ranked(&self, masses: FxHashMap<NodeId, Mass>) -> Vec<Near> {
        let mut found: Vec<(f64, NodeId, Mass)> =
            masses.into_iter().map(|(id, mass)| (mass.received, id, mass)).collect();
        found.retain(|(received, ..)| *received > 0.0);
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(2 * PUSHES);
        found.par_iter_mut().with_max_len(1).for_each(|(closeness, id, _)| {
            let edges = self.view.incoming(*id).len();
            *closeness /= (1.0 + edges as f64 / HUB).sqrt();
        });
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let most = found.first().map_or(1.0, |(most, ..)| *most);
        found
            .into_iter()
            .map(|(closeness, node, mass)| Near {
                node,
                closeness: closeness / most,
                distance: mass.distance,
                how: mass.best.map_or_else(String::new, |(_, from, kind, way)| {
                    let name = self.view.heading(from).map_or("", |node| node.name);
                    format!("{} {name}", relation(kind, way))
                }),
            })
            .collect()
    }
}

/// Returns where the walk can go from a node.
fn steps_from(view: &Graph, id: NodeId) -> Steps {
    let mut seen: FxHashSet<NodeId> = FxHashSet::from_iter([id]);
    let mut steps = Steps::new();
    let along = view.outgoing(id).iter().map(|edge| (edge, edge.to, Way::Along));
    let against = view.incoming(id).iter().map(|edge| (edge, edge.from, Way::Against));
    for (edge, to, way) in along.take(NEIGHBOURS).chain(against.take(NEIGHBOURS)) {
        let weight = weight(edge, way);
        let is_one = weight > 0.0 && view.kind(to).is_some_and(is_place);
        if is_one && seen.insert(to) {
            steps.push((to, edge.kind, way, weight));
        }
    }
    steps
}

/// Whether a node is a place in a file: neither the file nor a whole module.
fn is_place(kind: NodeKind) -> bool {
    !matches!(kind, NodeKind::File | NodeKind::Module)
}

/// How likely the walk takes an edge.
fn weight(edge: &Edge, way: Way) -> f64 {
    let by_kind = match (edge.kind, way) {
        (EdgeKind::Calls, Way::Along) => 1.0,
        (EdgeKind::Calls, Way::Against) => 0.7,
        (EdgeKind::Implements, _) => 0.6,
        (EdgeKind::Triggers, _) => 0.5,
        (EdgeKind::Inherits, _) | (EdgeKind::References, Way::Along) => 0.5,
        (EdgeKind::DecoratedBy, _) => 0.3,
        (EdgeKind::References, Way::Against)
        | (EdgeKind::Returns | EdgeKind::ParamOf | EdgeKind::FieldType, _) => 0.2,
        (EdgeKind::Parent, _) => 0.15,
        (EdgeKind::Imports, _) => 0.0,
    };
    by_kind
        * match edge.resolution {
            Resolution::Exact => 1.0,
            Resolution::Inferred => 0.8,
            Resolution::Dynamic => 0.5,
        }
}

/// A walked edge in words, seen from where it led.
fn relation(kind: EdgeKind, way: Way) -> &'static str {
    match (kind, way) {
        (EdgeKind::Calls, Way::Along) => "called by",
        (EdgeKind::Calls, Way::Against) => "calls",
        (EdgeKind::Implements, Way::Along) => "implemented by",
        (EdgeKind::Implements, Way::Against) => "implements",
        (EdgeKind::Inherits, Way::Along) => "base of",
        (EdgeKind::Inherits, Way::Against) => "extends",
        (EdgeKind::Returns, Way::Along) => "returned by",
        (EdgeKind::Returns, Way::Against) => "returns",
        (EdgeKind::ParamOf, Way::Along) => "takes",
        (EdgeKind::ParamOf, Way::Against) => "parameter of",
        (EdgeKind::Parent, Way::Along) => "holds",
        (EdgeKind::Parent, Way::Against) => "member of",
        (EdgeKind::Imports, _) => "imported with",
        (EdgeKind::DecoratedBy, Way::Along) => "decorates",
        (EdgeKind::DecoratedBy, Way::Against) => "decorated by",
        (EdgeKind::References, Way::Along) => "named by",
        (EdgeKind::References, Way::Against) => "names",
        (EdgeKind::Triggers, Way::Along) => "triggered by",
        (EdgeKind::Triggers, Way::Against) => "triggers",
        (EdgeKind::FieldType, Way::Along) => "field type of",
        (EdgeKind::FieldType, Way::Against) => "has a field of",
    }
}
