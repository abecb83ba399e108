//! Paths from one definition to another, which may be in another repository: bounded breadth-first search over calls,
//! through interfaces, stored callbacks, and functions that are passed as values.

use std::collections::{BTreeMap, BTreeSet};

use retriever_graph::{EdgeKind, EdgeResolution, MAX_KEPT, NodeKind};

use crate::{
    graph_database::{CrossRepositoryEvidence, NodeKey, StoredEdge, StoredNode},
    query_all_servers::DatabaseQuery,
};

/// Most nodes that a search visits.
const MAX_VISITED: usize = 50_000;
/// Most steps of a path.
const MAX_STEPS: u32 = 24;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTraceStep {
    /// The node that the step leads to.
    pub node: StoredNode,
    /// The line of the call; 0 where the relation has no line.
    pub line: u32,
    /// The relation; `None` for the first step.
    pub kind: Option<EdgeKind>,
    /// The certainty of the step.
    pub resolution: EdgeResolution,
    /// The package that joins the repositories, if the step leads from one to another.
    pub package: Option<CrossRepositoryEvidence>,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossRepositoryTrace {
    /// The path from start to end, both included; empty when there is none.
    pub steps: Vec<CallTraceStep>,
    /// Number of visited nodes.
    pub visited: usize,
    /// Whether the search stopped at its limit, so that a path may exist.
    pub cut: bool,
}

/// A step that leads to a node.
#[derive(Clone, Copy)]
struct CallPathHop {
    from: NodeKey,
    to: NodeKey,
    to_kind: NodeKind,
    line: u32,
    kind: EdgeKind,
    resolution: EdgeResolution,
}

impl DatabaseQuery<'_> {
    /// Finds a shortest path from any node of `from` to any of `to`; among equally short ones, one of the highest
    /// certainty.
    pub async fn trace(&self, from: &[StoredNode], to: &[StoredNode]) -> CrossRepositoryTrace {
        let ends: BTreeSet<NodeKey> = to.iter().map(|node| node.key).collect();
        let mut frontier: Vec<(NodeKey, NodeKind)> =
            from.iter().map(|node| (node.key, node.kind)).collect();
        let starts: BTreeSet<NodeKey> = frontier.iter().map(|(key, _)| *key).collect();
        let mut came: BTreeMap<NodeKey, CallPathHop> = BTreeMap::new();
        let mut reached = starts.iter().find(|start| ends.contains(start)).copied();
        let mut cut = false;
        for _ in 0..MAX_STEPS {
            cut = came.len() > MAX_VISITED;
            if reached.is_some() || cut || frontier.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for hop in self.hops(&frontier).await {
                if !starts.contains(&hop.to) && !came.contains_key(&hop.to) {
                    came.insert(hop.to, hop);
                    next.push((hop.to, hop.to_kind));
                }
            }
            reached = next.iter().map(|(key, _)| *key).find(|key| ends.contains(key));
            frontier = next;
        }
        let visited = came.len() + starts.len();
        let steps = match reached {
            Some(end) => self.way(&came, end).await,
            None => Vec::new(),
        };
        CrossRepositoryTrace {
            steps,
            visited,
            cut: cut || (reached.is_none() && !frontier.is_empty()),
        }
    }

    /// Returns the steps from the start to `end`.
    async fn way(&self, came: &BTreeMap<NodeKey, CallPathHop>, end: NodeKey) -> Vec<CallTraceStep> {
        let mut way = Vec::new();
        let mut at = end;
        while let Some(hop) = came.get(&at) {
            way.push((at, Some(*hop)));
            at = hop.from;
        }
        way.push((at, None));
        way.reverse();
        let keys: Vec<NodeKey> = way.iter().map(|(key, _)| *key).collect();
        let nodes = self.nodes(&keys).await;
        let steps = way.into_iter().filter_map(|(key, hop)| {
            Some(CallTraceStep {
                node: nodes.get(&key)?.clone(),
                line: hop.map_or(0, |hop| hop.line),
                kind: hop.map(|hop| hop.kind),
                resolution: hop.map_or(EdgeResolution::Exact, |hop| hop.resolution),
                package: hop.and_then(|hop| self.evidence((hop.from, key))),
            })
        });
        steps.collect()
    }

    /// Returns the next nodes that run after any of these nodes, by falling certainty.
    async fn hops(&self, frontier: &[(NodeKey, NodeKind)]) -> Vec<CallPathHop> {
        let keys: Vec<NodeKey> = frontier.iter().map(|(key, _)| *key).collect();
        let functions = frontier.iter().filter(|(_, kind)| *kind == NodeKind::Function);
        let functions: Vec<NodeKey> = functions.map(|(key, _)| *key).collect();
        let (outgoing, below) = futures::join!(
            self.outgoing(&keys, &[EdgeKind::Calls, EdgeKind::Triggers, EdgeKind::References]),
            self.incoming(&functions, &[EdgeKind::Implements, EdgeKind::Inherits])
        );
        let mut triggers: BTreeMap<NodeKey, usize> = BTreeMap::new();
        for edge in outgoing.iter().filter(|edge| edge.kind == EdgeKind::Triggers) {
            *triggers.entry(edge.from).or_default() += 1;
        }
        let mut hops: Vec<(u8, CallPathHop)> = Vec::new();
        for edge in &outgoing {
            let rank = match edge.kind {
                EdgeKind::Calls => 0,
                EdgeKind::Triggers if triggers.get(&edge.from).is_some_and(|n| *n <= MAX_KEPT) => 1,
                // The callee may run a function that is passed as an argument.
                EdgeKind::References if edge.to_kind == NodeKind::Function => 2,
                _ => continue,
            };
            let resolution = if rank == 0 { edge.resolution } else { EdgeResolution::Dynamic };
            hops.push((rank, CallPathHop { resolution, ..forward(edge) }));
        }
        for edge in &below {
            let hop = CallPathHop {
                from: edge.to,
                to: edge.from,
                to_kind: edge.from_kind,
                ..forward(edge)
            };
            hops.push((1, CallPathHop { line: 0, resolution: EdgeResolution::Dynamic, ..hop }));
        }
        hops.sort_by_key(|(rank, hop)| (*rank, hop.resolution, hop.from, hop.line, hop.to));
        hops.into_iter().map(|(_, hop)| hop).collect()
    }
}

fn forward(edge: &StoredEdge) -> CallPathHop {
    let StoredEdge { from, kind, to, to_kind, line, resolution, .. } = *edge;
    CallPathHop { from, to, to_kind, line, kind, resolution }
}
