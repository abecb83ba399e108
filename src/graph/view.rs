//! What a graph must be able to say for its questions to be answered: one node, the edges at it, nodes by name. The graph
//! in memory and the one in the store say the same; the store reads only what it is asked for.

use std::ops::Range;

use super::{Edge, Graph, Node, NodeId, OpenCall};

/// A graph that can be asked. Nodes are numbered in the order of paths and lines, so that a file's nodes are a range.
pub trait View {
    /// One node; `None` for a number of another graph.
    fn node(&self, id: NodeId) -> Option<&Node>;

    /// Edges that leave a node, by kind, target and line.
    fn outgoing(&self, id: NodeId) -> &[Edge];

    /// Edges that arrive at a node, by kind, origin and line.
    fn incoming(&self, id: NodeId) -> &[Edge];

    /// Calls of a node that are bound to no definition, by name and line.
    fn open_calls(&self, id: NodeId) -> &[OpenCall];

    /// Nodes whose name in small letters is `folded`.
    fn named(&self, folded: &str) -> Vec<NodeId>;

    /// Every name as it is spelled, sorted, with the number of nodes that have it.
    fn names(&self) -> Vec<(&str, usize)>;

    /// Every file with its nodes, sorted; the file's own node is the first.
    fn files(&self) -> Vec<(&str, Range<u32>)>;
}

impl View for Graph {
    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    fn outgoing(&self, id: NodeId) -> &[Edge] {
        run(&self.edges, id, |edge| edge.from)
    }

    fn incoming(&self, id: NodeId) -> &[Edge] {
        run(&self.inward, id, |edge| edge.to)
    }

    fn open_calls(&self, id: NodeId) -> &[OpenCall] {
        run(&self.open, id, |call| call.from)
    }

    fn named(&self, folded: &str) -> Vec<NodeId> {
        self.names.folded.get(folded).cloned().unwrap_or_default()
    }

    fn names(&self) -> Vec<(&str, usize)> {
        self.names.exact.iter().map(|(name, count)| (name.as_str(), *count)).collect()
    }

    fn files(&self) -> Vec<(&str, Range<u32>)> {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let mut files: Vec<(&str, Range<u32>)> = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            match files.last_mut() {
                Some((path, nodes)) if *path == node.path => nodes.end = number(at + 1),
                _ => files.push((&node.path, number(at)..number(at + 1))),
            }
        }
        files
    }
}

/// The part of `sorted` that belongs to `id`.
pub(super) fn run<T>(sorted: &[T], id: NodeId, key: impl Fn(&T) -> NodeId) -> &[T] {
    let start = sorted.partition_point(|item| key(item) < id);
    let len = sorted[start..].partition_point(|item| key(item) == id);
    &sorted[start..start + len]
}

/// The order of edges by where they arrive.
pub(super) fn inward(edge: &Edge) -> impl Ord + use<> {
    (edge.to, edge.kind, edge.from, edge.line, edge.resolution)
}
