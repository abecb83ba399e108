//! What a graph must be able to say for its questions to be answered: one node, the edges at it, nodes by name. The graph
//! in memory and the one in the store say the same; the store reads only what it is asked for.

use std::ops::Range;

use super::{Edge, Graph, Node, NodeId, NodeKind, OpenCall};

/// What a node is called and where it stands: what is read of many nodes to find the few that are wanted whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading<'a> {
    /// The file.
    pub path: &'a str,
    /// What it is.
    pub kind: NodeKind,
    /// Its name.
    pub name: &'a str,
    /// Its name with everything it is in.
    pub qname: &'a str,
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
    /// The line that names it.
    pub name_line: u32,
}

/// A graph that can be asked. Nodes are numbered in the order of paths and lines, so that a file's nodes are a range.
pub trait View: Sync {
    /// One node; `None` for a number of another graph.
    fn node(&self, id: NodeId) -> Option<&Node>;

    /// The file of a node.
    fn path_of(&self, id: NodeId) -> Option<&str>;

    /// What a node is called and where it stands; cheaper than the node where it is kept packed.
    fn heading(&self, id: NodeId) -> Option<Heading<'_>>;

    /// What a node is; cheaper than the rest of its heading.
    fn kind(&self, id: NodeId) -> Option<NodeKind> {
        self.heading(id).map(|heading| heading.kind)
    }

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

    /// The nodes of one file; none when it isn't known.
    fn nodes_of(&self, path: &str) -> Range<u32>;
}

impl View for Graph {
    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    fn path_of(&self, id: NodeId) -> Option<&str> {
        self.node(id).map(|node| node.path.as_str())
    }

    fn heading(&self, id: NodeId) -> Option<Heading<'_>> {
        self.node(id).map(|node| Heading {
            path: &node.path,
            kind: node.kind,
            name: &node.name,
            qname: &node.qname,
            start: node.start,
            end: node.end,
            name_line: node.name_line,
        })
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

    fn nodes_of(&self, path: &str) -> Range<u32> {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let start = self.nodes.partition_point(|node| node.path.as_str() < path);
        let count = self.nodes[start..].partition_point(|node| node.path == path);
        number(start)..number(start + count)
    }
}

/// The part of `sorted` that belongs to `id`.
pub(crate) fn run<T>(sorted: &[T], id: NodeId, key: impl Fn(&T) -> NodeId) -> &[T] {
    let start = sorted.partition_point(|item| key(item) < id);
    let len = sorted[start..].partition_point(|item| key(item) == id);
    &sorted[start..start + len]
}

/// The order of edges by where they arrive.
pub(crate) fn inward(edge: &Edge) -> impl Ord + use<> {
    between(edge.to, edge, edge.from)
}

/// The order of edges by where they start, which is their own.
pub(crate) fn outward(edge: &Edge) -> impl Ord + use<> {
    between(edge.from, edge, edge.to)
}

/// As one number: edges are sorted by the thousand.
fn between(one: NodeId, edge: &Edge, other: NodeId) -> u128 {
    let ends = u128::from(one.0) << 80 | u128::from(edge.kind as u8) << 72;
    let line = u128::from(edge.line) << 8 | u128::from(edge.resolution as u8);
    ends | u128::from(other.0) << 40 | line
}
