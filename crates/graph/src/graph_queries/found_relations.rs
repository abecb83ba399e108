//! The answers to a question about a node: each related node once, with all lines that relate it.

use std::collections::BTreeMap;

use crate::graph_model::{Edge, EdgeKind, EdgeResolution, NodeId};

/// One answer: a node, the lines that relate it, and how far away it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedNode {
    /// The node.
    pub node: NodeId,
    /// Steps from the one asked about.
    pub depth: u32,
    /// The lines of the relation, in the file of the node that makes it.
    pub lines: Vec<u32>,
    /// The lines in other files, each with its file: an `impl` block may be in another file than its type, and a body in
    /// another file than the prototype that was asked about.
    pub elsewhere: Vec<(NodeId, u32)>,
    /// The lines that hand the function asked about on as a value, beside those that call it.
    pub handed_on: Vec<u32>,
    /// The lines that go through an interface or base method, beside those that name the node asked about.
    pub dispatched: Vec<u32>,
    /// How sure it is: the least sure of its lines.
    pub resolution: EdgeResolution,
    /// The interface or base method that it goes through, if it isn't direct.
    pub through: Option<NodeId>,
    /// The relation.
    pub kind: EdgeKind,
}

/// The relations that one step of a question finds.
pub(super) struct FoundRelations {
    depth: u32,
    by_node: BTreeMap<NodeId, RelatedNode>,
}

impl FoundRelations {
    pub(super) const fn new(depth: u32) -> Self {
        Self { depth, by_node: BTreeMap::new() }
    }

    pub(super) fn into_nodes(self) -> impl Iterator<Item = RelatedNode> {
        self.by_node.into_values().map(|mut related| {
            related.dispatched.retain(|line| !related.lines.contains(line));
            related
        })
    }

    /// Adds a node that `edge` relates, which may go `through` another.
    pub(super) fn add(&mut self, node: NodeId, edge: &Edge, through: Option<NodeId>) {
        let resolution = if through.is_some() { EdgeResolution::Dynamic } else { edge.resolution };
        let new = RelatedNode {
            node,
            depth: self.depth,
            lines: vec![edge.line],
            elsewhere: Vec::new(),
            handed_on: Vec::new(),
            dispatched: Vec::new(),
            resolution,
            through,
            kind: edge.kind,
        };
        let Some(known) = self.by_node.get_mut(&node) else {
            self.by_node.insert(node, new);
            return;
        };
        let is_mention = |kind| kind == EdgeKind::References;
        match (is_mention(known.kind), is_mention(edge.kind)) {
            // A call takes precedence over a reference.
            (true, false) => {
                let is_own = known.through.is_none_or(|known| through == Some(known));
                let handed_on = if is_own { std::mem::take(&mut known.lines) } else { Vec::new() };
                *known = RelatedNode { handed_on, ..new };
            }
            // What hands on the interface's method does not hand on this one.
            (false, true) if through.is_none_or(|through| known.through == Some(through)) => {
                insert_line(&mut known.handed_on, edge.line);
            }
            (false, true) => {}
            _ if known.through.is_some() && through.is_none() => {
                let handed_on = std::mem::take(&mut known.handed_on);
                let dispatched = std::mem::take(&mut known.lines);
                *known = RelatedNode { kind: known.kind, handed_on, dispatched, ..new };
            }
            _ if known.through.is_none() && through.is_some() => {
                insert_line(&mut known.dispatched, edge.line);
            }
            _ => {
                known.resolution = known.resolution.max(resolution);
                insert_line(&mut known.lines, edge.line);
            }
        }
    }

    /// Adds a node that `edge` relates by lines in other files than usual, `apart`; in the usual one if there are none.
    pub(super) fn add_apart(&mut self, node: NodeId, edge: &Edge, apart: Vec<(NodeId, u32)>) {
        match self.by_node.get_mut(&node) {
            Some(known) if !apart.is_empty() => {
                known.resolution = known.resolution.max(edge.resolution);
                known.elsewhere.extend(apart);
            }
            _ => {
                self.add(node, edge, None);
                if let Some(new) = self.by_node.get_mut(&node).filter(|_| !apart.is_empty()) {
                    new.lines.clear();
                    new.elsewhere = apart;
                }
            }
        }
    }

    /// Adds a node that `edge` relates; of one that is related already, the line only.
    pub(super) fn add_line(&mut self, node: NodeId, edge: &Edge) {
        match self.by_node.get_mut(&node) {
            Some(known) => insert_line(&mut known.lines, edge.line),
            None => self.add(node, edge, None),
        }
    }
}

/// Inserts a line into a sorted list that has each line once.
pub fn insert_line(lines: &mut Vec<u32>, line: u32) {
    if let Err(place) = lines.binary_search(&line) {
        lines.insert(place, line);
    }
}
