//! Function literals that a field keeps, or that are given for a method without a body. They are no nodes: a `triggers` edge leads
//! from the field or the method to the definition around the literal, once for each line of the literal that refers to something.

use crate::{
    graph_model::{Edge, EdgeKind, NodeId, NodeKind},
    store::Graph,
};

impl Graph {
    /// Returns the lines of `around` that run when what `kept_by` keeps is called, sorted, if these are lines of function
    /// literals inside of `around`; none when all of `around` runs, or nothing of it.
    pub fn literal_lines(&self, kept_by: NodeId, around: NodeId) -> Option<Vec<u32>> {
        if !self.keeps_callbacks(kept_by) && !self.node(kept_by)?.is_declaration {
            return None;
        }
        let node = self.node(around)?;
        let edges = self.triggers(kept_by).filter(|edge| edge.to == around);
        let lines: Vec<u32> = edges.map(|edge| edge.line).collect();
        let is_file = node.kind == NodeKind::File;
        let is_inside = |line: &u32| (node.start..=node.end).contains(line);
        // A function that is kept by its name has the line that names it: its own first one, or one elsewhere.
        let whole = !is_file && lines.iter().all(|line| *line == node.start);
        (!lines.is_empty() && !whole && lines.iter().all(is_inside)).then_some(lines)
    }

    /// The edges to what a node makes run without naming it.
    pub(super) fn triggers(&self, at: NodeId) -> impl Iterator<Item = &Edge> {
        self.outgoing(at).iter().filter(|edge| edge.kind == EdgeKind::Triggers)
    }

    /// Whether a node is a field or variable, which runs nothing itself.
    pub(super) fn keeps_callbacks(&self, at: NodeId) -> bool {
        self.kind(at).is_some_and(NodeKind::keeps_callbacks)
    }
}
