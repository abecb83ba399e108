//! The graph channel: personalised PageRank from the places that a query's words lead to. What is close to several of them
//! matters although it has none of the words, and each node says by which relation it was reached.
//!
//! Design notes. The random walk with restart is approximated by forward pushes: the node with most unsent mass passes it
//! on, until little is left or [`MAX_PUSHES`] is reached. That bounds the work whatever the graph. Weights of edges are
//! chances, set by hand: a call says more forwards than backwards, and a type less of its members than they of each other.
//! A node with many incoming edges is close to everything and is discounted.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    sync::Arc,
};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    bounded_memo::BoundedMemo,
    candidate::{CallGraphFeatures, Candidate},
};
use retriever_graph::{Edge, EdgeKind, EdgeResolution, Graph, NodeId, NodeKind};
use retriever_workspace::{Cancellation, RepoPath};

/// Chance of a restart at each step.
const RESTART: f64 = 0.4;
/// Pushes at most, and the least mass that is worth one.
const MAX_PUSHES: usize = 240;
const MIN_MASS: f64 = 2e-4;
/// Nodes that are reached at most; those with most mass.
const MAX_REACHED: usize = 2 * MAX_PUSHES;
/// Nodes whose edges are read at once: most of those that wait will be pushed, too.
const BATCH: usize = 24;
/// Edges of one node that are followed in each direction.
const MAX_EDGES: usize = 160;
/// Incoming edges at which a node is discounted by the square root of two.
const HUB_EDGES: f64 = 6.0;

/// The graph for one search.
pub(crate) struct GraphForSearch<'a> {
    pub(crate) code_graph: &'a Graph,
    kept: Arc<KeptFacts>,
}

/// What searches have read of a graph, kept beside it for the next ones.
#[derive(Default)]
struct KeptFacts {
    /// The definitions of files.
    definitions: BoundedMemo<RepoPath, Arc<[DefinitionLines]>>,
    /// Where a walk can go from nodes, with the weight of each step.
    steps: BoundedMemo<NodeId, Steps>,
}

/// The lines of a definition, and the line of its name.
#[derive(Clone, Copy)]
struct DefinitionLines {
    node: NodeId,
    start: u32,
    end: u32,
    name_line: u32,
}

type Steps = Arc<[(NodeId, Step, f64)]>;

/// A node that was reached.
pub(crate) struct ReachedNode {
    pub(crate) node: NodeId,
    /// Closeness to the roots, 0 to 1; that of the closest is 1.
    pub(crate) closeness: f64,
    /// The node and the edge that it was reached by.
    from: Option<(NodeId, Step)>,
}

impl<'a> GraphForSearch<'a> {
    pub(crate) fn new(code_graph: &'a Graph) -> Self {
        Self { code_graph, kept: code_graph.kept() }
    }

    fn definitions(&self, path: &RepoPath) -> Arc<[DefinitionLines]> {
        self.kept.definitions.get(path, || {
            let heading = |id: u32| Some((NodeId(id), self.code_graph.heading(NodeId(id))?));
            let all = self.code_graph.nodes_of(path.as_str()).filter_map(heading);
            let all = all.filter(|(_, known)| is_definition(known.kind));
            all.map(|(node, known)| DefinitionLines {
                node,
                start: known.start,
                end: known.end,
                name_line: known.name_line,
            })
            .collect()
        })
    }

    /// Returns the definition that a candidate is, or the innermost one around it.
    pub(crate) fn node_of(&self, candidate: &Candidate) -> Option<NodeId> {
        let range = candidate.range?;
        let definitions = self.definitions(&candidate.file.path);
        let mut definitions = definitions.iter();
        if let Some(symbol) = candidate.symbols.first() {
            // The mark of a private name is no part of it where text is read by lines.
            let has_name = |id: NodeId| {
                let node = self.code_graph.heading(id);
                node.is_some_and(|node| node.name.trim_start_matches('#') == symbol.name)
            };
            let is_same = |lines: &&DefinitionLines| {
                (lines.start..=lines.name_line).contains(&symbol.line) && has_name(lines.node)
            };
            return definitions.find(is_same).map(|lines| lines.node);
        }
        let (start, end) = (range.start(), range.end());
        definitions
            .filter(|lines| lines.start <= start && end <= lines.end)
            .min_by_key(|lines| lines.end - lines.start)
            .map(|lines| lines.node)
    }

    /// Counts the edges of a node.
    pub(crate) fn features(&self, id: NodeId) -> CallGraphFeatures {
        let count = |edges: &[Edge]| {
            let others = edges.iter().filter(|edge| edge.kind != EdgeKind::Parent);
            u32::try_from(others.count()).unwrap_or(u32::MAX)
        };
        let (incoming, outgoing) = (self.code_graph.incoming(id), self.code_graph.outgoing(id));
        CallGraphFeatures {
            inbound: count(incoming),
            outbound: count(outgoing),
            ..CallGraphFeatures::default()
        }
    }

    /// Walks from `roots`, nodes with their weights, and returns the nodes that were reached, closest first. `may_enter`
    /// says which files the walk may enter. A cancelled walk returns what it has reached.
    pub(crate) fn expand(
        &self,
        roots: &BTreeMap<NodeId, f64>,
        may_enter: impl Fn(&str) -> bool,
        cancellation: &Cancellation,
    ) -> Vec<ReachedNode> {
        let mut walk = Walk::from(roots);
        let mut entered: FxHashMap<&str, bool> = FxHashMap::default();
        for _ in 0..MAX_PUSHES {
            if cancellation.is_cancelled() {
                break;
            }
            let Some((id, mass)) = walk.next() else { break };
            walk.read_steps(self, id);
            walk.push(id, mass, |to| {
                let path = self.code_graph.path_of(to);
                path.is_some_and(|path| *entered.entry(path).or_insert_with(|| may_enter(path)))
            });
        }
        self.by_closeness(walk.reached)
    }

    /// Returns how a node was reached: `called by X`.
    pub(crate) fn relation(&self, reached: &ReachedNode) -> String {
        reached.from.map_or_else(String::new, |(from, step)| {
            let name = self.code_graph.heading(from).map_or("", |node| node.name);
            format!("{} {name}", relation(step))
        })
    }

    /// Returns what was reached, closest first.
    fn by_closeness(&self, reached: FxHashMap<NodeId, Reached>) -> Vec<ReachedNode> {
        let mut found: Vec<(f64, NodeId, Reached)> =
            reached.into_iter().map(|(id, reached)| (reached.mass, id, reached)).collect();
        found.retain(|(mass, ..)| *mass > 0.0);
        let by_mass = |a: &(f64, NodeId, Reached), b: &(f64, NodeId, Reached)| {
            b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
        };
        if found.len() > MAX_REACHED {
            found.select_nth_unstable_by(MAX_REACHED, by_mass);
            found.truncate(MAX_REACHED);
        }
        found.par_iter_mut().with_max_len(1).for_each(|(closeness, id, _)| {
            let edges = self.code_graph.incoming(*id).len();
            *closeness /= (1.0 + edges as f64 / HUB_EDGES).sqrt();
        });
        found.sort_unstable_by(by_mass);
        let most = found.first().map_or(1.0, |(most, ..)| *most);
        found
            .into_iter()
            .map(|(closeness, node, reached)| ReachedNode {
                node,
                closeness: closeness / most,
                from: reached.best.map(|(_, from, step)| (from, step)),
            })
            .collect()
    }
}

/// The state of a walk.
struct Walk {
    reached: FxHashMap<NodeId, Reached>,
    /// Nodes with unsent mass, most first. An entry is stale when the mass has changed since. Positive floats and their
    /// bits have the same order.
    queue: BinaryHeap<(u64, Reverse<NodeId>)>,
    steps: FxHashMap<NodeId, Steps>,
}

/// What is known of a reached node.
#[derive(Default)]
struct Reached {
    /// Whether the walk may enter it, once that was asked for.
    is_open: Option<bool>,
    /// Mass that came from other nodes.
    mass: f64,
    /// Mass that is not yet passed on.
    unsent: f64,
    /// The largest single share of mass, with the node and the edge that it came from.
    best: Option<(f64, NodeId, Step)>,
}

/// An edge in the direction in which it is walked.
#[derive(Clone, Copy)]
struct Step {
    kind: EdgeKind,
    direction: Direction,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

impl Walk {
    fn from(roots: &BTreeMap<NodeId, f64>) -> Self {
        let sum: f64 = roots.values().sum();
        let mut walk = Self {
            reached: FxHashMap::default(),
            queue: BinaryHeap::new(),
            steps: FxHashMap::default(),
        };
        for (id, weight) in roots {
            walk.reached.entry(*id).or_default().unsent = weight / sum.max(f64::MIN_POSITIVE);
            walk.queue.push(((weight / sum).to_bits(), Reverse(*id)));
        }
        walk
    }

    /// Takes the unsent mass of the node that has most; none when little is left.
    fn next(&mut self) -> Option<(NodeId, f64)> {
        while let Some((bits, Reverse(id))) = self.queue.pop() {
            let known = self.reached.get_mut(&id);
            if let Some(known) = known.filter(|known| known.unsent.to_bits() == bits) {
                let mass = std::mem::take(&mut known.unsent);
                return (mass >= MIN_MASS).then_some((id, mass));
            }
        }
        None
    }

    /// Reads the edges of a node, together with those of nodes that wait.
    fn read_steps(&mut self, graph: &GraphForSearch<'_>, id: NodeId) {
        if self.steps.contains_key(&id) {
            return;
        }
        let waiting = self.queue.iter().map(|(_, Reverse(id))| *id);
        let unread = waiting.filter(|id| !self.steps.contains_key(id)).take(BATCH);
        let ids: BTreeSet<NodeId> = unread.chain([id]).collect();
        let ids: Vec<NodeId> = ids.into_iter().collect();
        let steps = |id: &NodeId| graph.kept.steps.get(id, || steps_from(graph.code_graph, *id));
        let read = |id: &NodeId| (*id, steps(id));
        self.steps.par_extend(ids.par_iter().with_max_len(1).map(read));
    }

    /// Passes mass on to the neighbours that may be entered.
    fn push(&mut self, id: NodeId, mass: f64, mut may_enter: impl FnMut(NodeId) -> bool) {
        let Self { reached, queue, steps } = self;
        let steps = steps.get(&id).map_or(&[][..], AsRef::as_ref);
        let all: f64 = steps.iter().map(|(.., weight)| weight).sum();
        for (to, step, weight) in steps.iter().copied() {
            let known = reached.entry(to).or_default();
            if !*known.is_open.get_or_insert_with(|| may_enter(to)) {
                continue;
            }
            let share = (1.0 - RESTART) * mass * weight / all;
            known.mass += share;
            if known.best.is_none_or(|(most, ..)| share > most) {
                known.best = Some((share, id, step));
            }
            known.unsent += share;
            // One with less is never the next.
            if known.unsent >= MIN_MASS {
                queue.push((known.unsent.to_bits(), Reverse(to)));
            }
        }
    }
}

/// Returns where a walk can go from a node, with the weight of each step.
fn steps_from(graph: &Graph, id: NodeId) -> Steps {
    let mut seen: FxHashSet<NodeId> = FxHashSet::from_iter([id]);
    let mut steps = Vec::new();
    let forward = graph.outgoing(id).iter().map(|edge| (edge, edge.to, Direction::Forward));
    let backward = graph.incoming(id).iter().map(|edge| (edge, edge.from, Direction::Backward));
    for (edge, to, direction) in forward.take(MAX_EDGES).chain(backward.take(MAX_EDGES)) {
        let weight = weight(edge, direction);
        let can_go = weight > 0.0 && graph.kind(to).is_some_and(is_definition);
        if can_go && seen.insert(to) {
            steps.push((to, Step { kind: edge.kind, direction }, weight));
        }
    }
    steps.into()
}

/// Whether a node is a definition in a file: neither the file nor a module.
fn is_definition(kind: NodeKind) -> bool {
    !matches!(kind, NodeKind::File | NodeKind::Module)
}

/// Returns how likely the walk takes an edge.
fn weight(edge: &Edge, direction: Direction) -> f64 {
    let by_kind = match (edge.kind, direction) {
        (EdgeKind::Calls, Direction::Forward) => 1.0,
        (EdgeKind::Calls, Direction::Backward) => 0.7,
        (EdgeKind::Implements, _) => 0.6,
        (EdgeKind::Triggers, _) => 0.5,
        (EdgeKind::Inherits, _)
        | (EdgeKind::References | EdgeKind::Constructs, Direction::Forward) => 0.5,
        (EdgeKind::DecoratedBy, _) => 0.3,
        (EdgeKind::References | EdgeKind::Constructs, Direction::Backward)
        | (EdgeKind::Returns | EdgeKind::ParamOf | EdgeKind::FieldType, _) => 0.2,
        (EdgeKind::Parent, _) => 0.15,
        (EdgeKind::Imports, _) => 0.0,
    };
    by_kind
        * match edge.resolution {
            EdgeResolution::Exact => 1.0,
            EdgeResolution::Inferred => 0.8,
            EdgeResolution::Dynamic => 0.5,
        }
}

/// Returns the label of a node that was reached by an edge, such as `called by`.
fn relation(step: Step) -> &'static str {
    use Direction::{Backward, Forward};
    match (step.kind, step.direction) {
        (EdgeKind::Calls, Forward) => "called by",
        (EdgeKind::Calls, Backward) => "calls",
        (EdgeKind::Implements, Forward) => "implemented by",
        (EdgeKind::Implements, Backward) => "implements",
        (EdgeKind::Inherits, Forward) => "base of",
        (EdgeKind::Inherits, Backward) => "extends",
        (EdgeKind::Returns, Forward) => "returned by",
        (EdgeKind::Returns, Backward) => "returns",
        (EdgeKind::ParamOf, Forward) => "takes",
        (EdgeKind::ParamOf, Backward) => "parameter of",
        (EdgeKind::Parent, Forward) => "holds",
        (EdgeKind::Parent, Backward) => "member of",
        (EdgeKind::Imports, _) => "imported with",
        (EdgeKind::DecoratedBy, Forward) => "decorates",
        (EdgeKind::DecoratedBy, Backward) => "decorated by",
        (EdgeKind::References, Forward) => "named by",
        (EdgeKind::References, Backward) => "names",
        (EdgeKind::Constructs, Forward) => "made by",
        (EdgeKind::Constructs, Backward) => "makes",
        (EdgeKind::Triggers, Forward) => "triggered by",
        (EdgeKind::Triggers, Backward) => "triggers",
        (EdgeKind::FieldType, Forward) => "field type of",
        (EdgeKind::FieldType, Backward) => "has a field of",
    }
}
