//! The way from one node to another: bounded breadth-first search over calls, across interfaces to implementations,
//! through fields that keep callbacks, and through functions handed over as values, saying what was crossed.

use std::collections::{BTreeMap, VecDeque};

use crate::{
    graph::{EdgeKind, NodeId, NodeKind, Resolution},
    store::Graph,
};

/// Nodes that a search visits at most.
const MAX_VISITED: usize = 50_000;
/// Steps of a path at most.
const MAX_STEPS: u32 = 24;

/// What a field or variable may trigger before it says nothing any more.
pub(super) const MAX_KEPT: usize = 16;

/// Functions that make an object of one type which a search begins with at most.
const MAX_MAKERS: usize = 64;

/// One step of a way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Where the step leads.
    pub node: NodeId,
    /// The line that makes it; 0 where the step is a relation without a line of its own.
    pub line: u32,
    /// The relation; the first hop of a way has none.
    pub kind: Option<EdgeKind>,
    /// How sure the step is.
    pub resolution: Resolution,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The way from the start to the end, both included; empty when there is none.
    pub hops: Vec<Hop>,
    /// Nodes that were visited.
    pub visited: usize,
    /// The search stopped at its limit, so that a way may exist.
    pub cut: bool,
}

impl Graph {
    /// Finds the shortest way from `from` to `to`; among equally short ones the surest and first.
    pub fn trace(&self, from: NodeId, to: NodeId) -> Trace {
        self.trace_any(&[from], &[to])
    }

    /// Finds the shortest way from any of `from` to any of `to`, which stand with the likeliest first; among equally short
    /// ones that of the likelier start.
    pub fn trace_any(&self, from: &[NodeId], to: &[NodeId]) -> Trace {
        let mut came: BTreeMap<NodeId, (NodeId, Hop)> = BTreeMap::new();
        let mut queue = VecDeque::new();
        for start in from {
            let hop = Hop { node: *start, line: 0, kind: None, resolution: Resolution::Exact };
            came.insert(*start, (*start, hop));
            queue.push_back((*start, 0u32));
        }
        let mut reached = None;
        let mut cut = false;
        while let Some((at, steps)) = queue.pop_front() {
            if to.contains(&at) {
                reached = Some(at);
                break;
            }
            if steps >= MAX_STEPS || came.len() >= MAX_VISITED {
                cut = true;
                continue;
            }
            for hop in self.steps(at) {
                if came.contains_key(&hop.node) {
                    continue;
                }
                let node = hop.node;
                came.insert(node, (at, hop));
                queue.push_back((node, steps + 1));
            }
        }
        let visited = came.len();
        let mut hops = Vec::new();
        if let Some(mut at) = reached {
            while let Some((before, hop)) = came.get(&at) {
                hops.push(hop.clone());
                if *before == at {
                    break;
                }
                at = *before;
            }
            hops.reverse();
        }
        Trace { cut: cut && hops.is_empty(), hops, visited }
    }

    /// The same, beginning with what makes the objects that methods of `from` belong to, for when the methods themselves
    /// don't lead there: what an object sets going when it is made runs beside its methods.
    pub fn trace_made(&self, from: &[NodeId], to: &[NodeId]) -> Trace {
        let mut starts: BTreeMap<NodeId, (NodeId, Hop)> = BTreeMap::new();
        for method in from {
            let home = self.outgoing(*method).iter().find(|edge| edge.kind == EdgeKind::Parent);
            let Some(home) = home.filter(|home| self.is_type(home.to)) else { continue };
            for edge in self.incoming(home.to) {
                let makes = match edge.kind {
                    EdgeKind::Returns => true,
                    EdgeKind::Parent => self.is_constructor(edge.from, home.to),
                    _ => false,
                };
                if makes && edge.from != *method {
                    let (node, kind) = (edge.from, Some(edge.kind));
                    let hop = Hop { node, line: 0, kind, resolution: Resolution::Dynamic };
                    starts.entry(node).or_insert((*method, hop));
                }
            }
        }
        let makers: Vec<NodeId> = starts.keys().copied().take(MAX_MAKERS).collect();
        let mut trace = self.trace_any(&makers, to);
        let Some((method, maker)) = trace.hops.first().and_then(|hop| starts.remove(&hop.node))
        else {
            return trace;
        };
        let hop = |node, kind| Hop { node, line: 0, kind, resolution: Resolution::Exact };
        let home = self.outgoing(method).iter().find(|edge| edge.kind == EdgeKind::Parent);
        let home = home.map(|home| hop(home.to, Some(EdgeKind::Parent)));
        trace.hops.splice(..1, std::iter::once(hop(method, None)).chain(home).chain([maker]));
        trace
    }

    fn is_type(&self, at: NodeId) -> bool {
        let kind = self.node(at).map(|node| node.kind);
        matches!(kind, Some(NodeKind::Class | NodeKind::Struct | NodeKind::Enum))
    }

    fn is_constructor(&self, at: NodeId, of: NodeId) -> bool {
        let (Some(node), Some(home)) = (self.node(at), self.node(of)) else { return false };
        node.kind == NodeKind::Function
            && (node.name == home.name
                || matches!(node.name.as_str(), "constructor" | "__init__" | "init" | "initialize"))
    }

    /// Where the program can go next from a node, surest first.
    pub fn steps(&self, at: NodeId) -> Vec<Hop> {
        let mut hops: Vec<(u8, Hop)> = Vec::new();
        let outgoing = self.outgoing(at);
        let triggered = outgoing.iter().filter(|edge| edge.kind == EdgeKind::Triggers).count();
        for edge in outgoing {
            let rank = match edge.kind {
                EdgeKind::Calls => 0,
                EdgeKind::Triggers if triggered <= MAX_KEPT => 1,
                // A function handed over is run by somebody.
                EdgeKind::References
                    if self.node(edge.to).is_some_and(|n| n.kind == NodeKind::Function) =>
                {
                    2
                }
                _ => continue,
            };
            let resolution = if rank == 0 { edge.resolution } else { Resolution::Dynamic };
            let hop = Hop { node: edge.to, line: edge.line, kind: Some(edge.kind), resolution };
            hops.push((rank, hop));
        }
        let kind = self.node(at).map(|node| node.kind);
        for edge in self.incoming(at) {
            let through = matches!(edge.kind, EdgeKind::Implements | EdgeKind::Inherits)
                && kind == Some(NodeKind::Function);
            if through {
                let hop = Hop {
                    node: edge.from,
                    line: 0,
                    kind: Some(edge.kind),
                    resolution: Resolution::Dynamic,
                };
                hops.push((1, hop));
            }
        }
        hops.sort_by_key(|(rank, hop)| (*rank, hop.resolution, hop.line, hop.node));
        hops.into_iter().map(|(_, hop)| hop).collect()
    }
}
