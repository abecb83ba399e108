//! The way from one node to another: bounded breadth-first search over calls, across interfaces to implementations,
//! through fields that keep callbacks, and through functions handed over as values, saying what was crossed.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    iter,
};

use crate::{
    graph_model::{CallDispatch, EdgeKind, EdgeResolution, NodeId, NodeKind, UnresolvedCall},
    store::Graph,
};

/// Nodes that a search visits at most.
const MAX_VISITED: usize = 50_000;
/// Steps of a path at most.
const MAX_STEPS: u32 = 24;

/// Most functions that a field or variable may trigger; one with more is not followed.
pub const MAX_KEPT: usize = 16;

/// Functions that make an object of one type which a search begins with at most.
const MAX_MAKERS: usize = 64;
/// Open calls that a search without result names.
const MAX_OPEN: usize = 8;
/// Visited nodes whose open calls are looked through.
const MAX_SEARCHED: usize = 2_000;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPathHop {
    /// Where the step leads.
    pub node: NodeId,
    /// The line that makes it; 0 where the step is a relation without a line of its own.
    pub line: u32,
    /// The relation; the first hop of a way has none.
    pub kind: Option<EdgeKind>,
    /// How sure the step is.
    pub resolution: EdgeResolution,
}

impl CallPathHop {
    const fn start(node: NodeId, kind: Option<EdgeKind>) -> Self {
        Self { node, line: 0, kind, resolution: EdgeResolution::Exact }
    }

    /// Returns the cost of a step. A dynamic or inferred step costs as much as several exact ones.
    const fn cost(&self) -> u32 {
        match (self.kind, self.resolution) {
            (Some(EdgeKind::Calls), EdgeResolution::Exact | EdgeResolution::Inferred) => 2,
            (Some(kind), _) if kind.is_inheritance() => 3,
            // What hands a function over runs nothing: a way of calls, even a long one, says more.
            (Some(EdgeKind::References), _) => 40,
            _ => 4,
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTrace {
    /// The way from the start to the end, both included; empty when none was found.
    pub hops: Vec<CallPathHop>,
    /// Nodes that were visited.
    pub visited: usize,
    /// The search stopped at its limit, so that a way may exist.
    pub cut: bool,
    /// If the search found nothing: calls at which it stopped, since their target is not known, by names that the repository
    /// declares. One call a name; those by the name of an end come first, then the nearest.
    pub open: Vec<UnresolvedCall>,
}

/// A node, and what of it the program can run.
type Place = (NodeId, Runs);

/// What of a node the program can run where a search reached it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Runs {
    All,
    /// The function literals inside of it that a field keeps.
    LiteralsOf(NodeId),
    /// Its own body, and nothing that overrides it.
    OwnBody,
}

/// A search that expands the cheapest known place first.
#[derive(Default)]
struct Search {
    /// How each visited place was reached, and from where.
    came: BTreeMap<Place, (Place, CallPathHop)>,
    /// The visited nodes, nearest first.
    order: Vec<NodeId>,
    /// By cost and the order in which they were found.
    queue: BinaryHeap<Reverse<(u32, usize)>>,
    /// Steps that were found: where from, where to, and how many steps it is from the start.
    found: Vec<(Place, Place, CallPathHop, u32)>,
    apart: DeclaredApart,
    enters_tests: bool,
    left_out: BTreeSet<NodeId>,
    cut: bool,
}

/// What definitions are declared apart from, each asked once.
#[derive(Default)]
struct DeclaredApart {
    known: BTreeMap<NodeId, Vec<NodeId>>,
}

impl DeclaredApart {
    fn of(&mut self, graph: &Graph, id: NodeId) -> &[NodeId] {
        self.known.entry(id).or_insert_with(|| graph.declared_apart(id))
    }
}

impl Search {
    fn push(&mut self, from: Place, to: Place, hop: CallPathHop, cost: u32, steps: u32) {
        self.queue.push(Reverse((cost, self.found.len())));
        self.found.push((from, to, hop, steps));
    }

    /// Searches until one of `to` is reached, and returns its place.
    fn run(&mut self, graph: &Graph, to: &[NodeId]) -> Option<Place> {
        for () in graph.until_cancelled(iter::repeat(())) {
            let Reverse((cost, found)) = self.queue.pop()?;
            let (from, at, hop, steps) = self.found[found].clone();
            if self.came.contains_key(&at) || self.came.contains_key(&(at.0, Runs::All)) {
                continue;
            }
            self.came.insert(at, (from, hop));
            self.order.push(at.0);
            if to.contains(&at.0) {
                return Some(at);
            }
            if self.came.len() >= MAX_VISITED {
                self.cut = true;
                break;
            }
            if steps >= MAX_STEPS {
                self.cut = true;
                continue;
            }
            for (to, hop) in graph.places_after(at, &mut self.apart) {
                let is_open = !self.came.contains_key(&to) && !self.left_out.contains(&to.0);
                if is_open && (self.enters_tests || !graph.is_in_test(to.0)) {
                    let cost = cost + hop.cost();
                    self.push(at, to, hop, cost, steps + 1);
                }
            }
        }
        None
    }

    /// The hops that led to a visited place.
    fn hops(&self, mut at: Place) -> Vec<CallPathHop> {
        let mut hops = Vec::new();
        while let Some((before, hop)) = self.came.get(&at) {
            hops.push(hop.clone());
            if *before == at {
                break;
            }
            at = *before;
        }
        hops.reverse();
        hops
    }

    /// Calls that the search could not follow, see [`CallTrace::open`].
    fn open_calls(&self, graph: &Graph, to: &[NodeId]) -> Vec<UnresolvedCall> {
        let names: Vec<&str> =
            to.iter().filter_map(|id| graph.heading(*id)).map(|end| end.name).collect();
        let nearest = || graph.until_cancelled(self.order.iter().take(MAX_SEARCHED));
        let calls = || nearest().flat_map(|id| graph.open_calls(*id));
        let mut open: Vec<&UnresolvedCall> = Vec::new();
        let mut declared: BTreeMap<&str, bool> = BTreeMap::new();
        for is_goal in [true, false] {
            for call in calls() {
                let counts = names.contains(&call.name.as_str()) == is_goal;
                let is_new = open.iter().all(|known| known.name != call.name);
                let mut is_declared =
                    || *declared.entry(&call.name).or_insert_with(|| graph.declares(&call.name));
                let mut may_lead_on = || is_goal || !call.outside && is_declared();
                if open.len() < MAX_OPEN && counts && is_new && may_lead_on() {
                    open.push(call);
                }
            }
        }
        open.into_iter().cloned().collect()
    }
}

impl Graph {
    /// Finds the way of the fewest and surest steps from any of `from` to any of `to`, which stand with the likeliest first;
    /// among equal ones that of the likelier start. It goes through tests only if an end is one.
    pub fn trace_any(&self, from: &[NodeId], to: &[NodeId]) -> CallTrace {
        self.trace_without(&[], from, to)
    }

    /// Does the same without going through what is `left_out`.
    fn trace_without(&self, left_out: &[NodeId], from: &[NodeId], to: &[NodeId]) -> CallTrace {
        let enters_tests = from.iter().chain(to).any(|end| self.is_in_test(*end));
        let left_out = left_out.iter().copied().collect();
        let mut search = Search { enters_tests, left_out, ..Search::default() };
        for start in from {
            let place = (*start, Runs::All);
            search.push(place, place, CallPathHop::start(*start, None), 0, 0);
        }
        let reached = search.run(self, to);
        let hops = reached.map(|at| search.hops(at)).unwrap_or_default();
        let open = if hops.is_empty() { search.open_calls(self, to) } else { Vec::new() };
        CallTrace { cut: search.cut && hops.is_empty(), hops, visited: search.came.len(), open }
    }

    /// Returns where the program can go next from a place. Of a literal only its own lines run.
    fn places_after(
        &self,
        (at, runs): Place,
        apart: &mut DeclaredApart,
    ) -> Vec<(Place, CallPathHop)> {
        let mut hops = self.steps_over(at, apart);
        match runs {
            Runs::All => {}
            Runs::LiteralsOf(field) => {
                let lines = self.literal_lines(field, at).unwrap_or_default();
                hops.retain(|hop| lines.contains(&hop.line));
            }
            Runs::OwnBody => {
                hops.retain(|hop| !hop.kind.is_some_and(EdgeKind::is_inheritance));
            }
        }
        let outgoing = self.outgoing(at).iter();
        let fixed = outgoing.filter(|edge| edge.dispatch == CallDispatch::Fixed);
        let fixed: BTreeSet<(NodeId, u32)> = fixed
            .flat_map(|edge| {
                let bodies = apart.of(self, edge.to).iter().copied();
                bodies.chain([edge.to]).map(|to| (to, edge.line)).collect::<Vec<_>>()
            })
            .collect();
        let place = |hop: CallPathHop| {
            let runs = match hop.kind {
                Some(EdgeKind::Triggers) if self.literal_lines(at, hop.node).is_some() => {
                    Runs::LiteralsOf(at)
                }
                Some(EdgeKind::Calls) if fixed.contains(&(hop.node, hop.line)) => Runs::OwnBody,
                _ => Runs::All,
            };
            ((hop.node, runs), hop)
        };
        hops.into_iter().map(place).collect()
    }

    /// Whether a definition has the name, so that a call of it may stay in the repository.
    fn declares(&self, name: &str) -> bool {
        let named = self.named(&name.to_lowercase());
        named.into_iter().any(|id| self.heading(id).is_some_and(|node| node.name == name))
    }

    /// Finds the way to one of `to` from what makes the objects whose methods are `from`: constructors, and functions that
    /// return their type, those of tests only if an end is in tests. What these start runs beside the methods.
    pub fn trace_made(&self, from: &[NodeId], to: &[NodeId]) -> CallTrace {
        let enters_tests = from.iter().chain(to).any(|end| self.is_in_test(*end));
        let mut starts: BTreeMap<NodeId, (NodeId, CallPathHop)> = BTreeMap::new();
        for method in from {
            let home = self.owner(*method).filter(|home| self.is_type(*home));
            let Some(home) = home else { continue };
            for edge in self.incoming(home) {
                let makes = match edge.kind {
                    EdgeKind::Returns => true,
                    EdgeKind::Parent => self.is_constructor(edge.from, home),
                    _ => false,
                };
                let may_start = enters_tests || !self.is_in_test(edge.from);
                if makes && may_start && !from.contains(&edge.from) {
                    let (node, kind) = (edge.from, Some(edge.kind));
                    let hop =
                        CallPathHop { node, line: 0, kind, resolution: EdgeResolution::Dynamic };
                    starts.entry(node).or_insert((*method, hop));
                }
            }
        }
        let makers: Vec<NodeId> = starts.keys().copied().take(MAX_MAKERS).collect();
        let mut trace = self.trace_without(from, &makers, to);
        let Some((method, maker)) = trace.hops.first().and_then(|hop| starts.remove(&hop.node))
        else {
            return trace;
        };
        let home = self.owner(method);
        let home = home.map(|home| CallPathHop::start(home, Some(EdgeKind::Parent)));
        let start = CallPathHop::start(method, None);
        trace.hops.splice(..1, iter::once(start).chain(home).chain([maker]));
        trace
    }

    fn is_type(&self, at: NodeId) -> bool {
        let kind = self.node(at).map(|node| node.kind);
        matches!(kind, Some(NodeKind::Class | NodeKind::Struct | NodeKind::Enum))
    }

    /// Returns the type that a function is a constructor of.
    pub fn constructed_type(&self, function: NodeId) -> Option<NodeId> {
        let home = self.owner(function)?;
        (self.is_type(home) && self.is_constructor(function, home)).then_some(home)
    }

    /// Whether a member of the type `of` is a constructor.
    pub(super) fn is_constructor(&self, at: NodeId, of: NodeId) -> bool {
        let (Some(node), Some(home)) = (self.node(at), self.node(of)) else { return false };
        let capabilities = node.language.capabilities();
        // Where calling a type converts a value, no function makes its objects.
        let is_named_so = node.name == home.name && !capabilities.type_calls_convert;
        node.kind == NodeKind::Function
            && (is_named_so || capabilities.constructor_name == Some(&node.name))
    }

    /// Returns where the program can go next from a node, surest first: to the body of what is declared apart from it.
    pub fn steps(&self, at: NodeId) -> Vec<CallPathHop> {
        self.steps_over(at, &mut DeclaredApart::default())
    }

    fn steps_over(&self, at: NodeId, apart: &mut DeclaredApart) -> Vec<CallPathHop> {
        let mut hops: Vec<(u8, CallPathHop)> = Vec::new();
        let outgoing = self.outgoing(at);
        let is_kept = !self.keeps_callbacks(at) || self.kept_in(at).len() <= MAX_KEPT;
        for edge in outgoing {
            let rank = match edge.kind {
                EdgeKind::Calls => 0,
                EdgeKind::Triggers if is_kept => 1,
                // A function that is passed as an argument may be run by the callee.
                EdgeKind::References
                    if self.node(edge.to).is_some_and(|n| n.kind == NodeKind::Function) =>
                {
                    2
                }
                _ => continue,
            };
            let resolution = if rank == 0 { edge.resolution } else { EdgeResolution::Dynamic };
            let hop =
                CallPathHop { node: edge.to, line: edge.line, kind: Some(edge.kind), resolution };
            hops.push((rank, hop));
        }
        // What overrides a method leads to its declaration in the type.
        let is_function = self.kind(at) == Some(NodeKind::Function);
        let declared = apart.of(self, at).iter().copied().chain([at]);
        for edge in declared.flat_map(|at| self.incoming(at)) {
            if is_function && edge.kind.is_inheritance() {
                let hop = CallPathHop {
                    node: edge.from,
                    line: 0,
                    kind: Some(edge.kind),
                    resolution: EdgeResolution::Dynamic,
                };
                hops.push((1, hop));
            }
        }
        hops.sort_by_key(|(rank, hop)| (*rank, hop.resolution, hop.line, hop.node));
        let is_declared = |id| self.node(id).is_some_and(|node| node.is_declaration);
        let to_bodies = |(_, hop): (u8, CallPathHop)| {
            let bodies = if is_declared(hop.node) { apart.of(self, hop.node) } else { &[] };
            match bodies.is_empty() {
                true => vec![hop],
                false => bodies.iter().map(|node| CallPathHop { node: *node, ..hop }).collect(),
            }
        };
        hops.into_iter().flat_map(to_bodies).collect()
    }
}
