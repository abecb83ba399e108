//! What a definition is a member of, and the members of one.

use crate::{
    graph_model::{EdgeKind, NodeId},
    store::Graph,
};

impl Graph {
    /// Returns the definition or file that another is a member of.
    pub fn owner(&self, member: NodeId) -> Option<NodeId> {
        let mut edges = self.outgoing(member).iter();
        edges.find(|edge| edge.kind == EdgeKind::Parent).map(|edge| edge.to)
    }

    /// Returns the members of a definition or file.
    pub fn members(&self, of: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let edges = self.incoming(of).iter();
        edges.filter(|edge| edge.kind == EdgeKind::Parent).map(|edge| edge.from)
    }
}
