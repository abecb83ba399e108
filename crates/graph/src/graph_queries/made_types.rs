//! The types of which a constructor makes objects. In languages whose constructors have a name of their own a call that makes
//! an object leads to the type, so that what calls such a constructor is what calls the types.

use std::collections::BTreeSet;

use super::node_relations::MAX_VISITED;
use crate::{
    graph_model::{EdgeKind, NodeId, NodeKind},
    store::Graph,
};

/// What languages name constructors by.
const CONSTRUCTORS: &[&str] = &["__construct", "__init__", "constructor", "initialize"];

impl Graph {
    /// Returns the type that `function` is the only constructor of, and those that build on it and inherit the constructor.
    pub(super) fn types_made_by(&self, function: NodeId) -> Vec<NodeId> {
        let parent = self.outgoing(function).iter().find(|edge| edge.kind == EdgeKind::Parent);
        let Some(home) = parent.filter(|_| self.is_named_constructor(function)) else {
            return Vec::new();
        };
        if self.constructors(home.to).count() > 1 {
            return Vec::new();
        }
        let mut made = vec![home.to];
        let mut seen = BTreeSet::from([home.to]);
        let mut at = 0;
        while at < made.len() && made.len() < MAX_VISITED {
            let below = self.incoming(made[at]).iter();
            let heirs = below
                .filter(|edge| matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements))
                .map(|edge| edge.from)
                .filter(|heir| self.constructors(*heir).next().is_none() && seen.insert(*heir));
            made.extend(heirs.collect::<Vec<_>>());
            at += 1;
        }
        made
    }

    fn constructors(&self, ty: NodeId) -> impl Iterator<Item = NodeId> {
        let inner = self.incoming(ty).iter().filter(|edge| edge.kind == EdgeKind::Parent);
        inner.map(|edge| edge.from).filter(|member| self.is_named_constructor(*member))
    }

    fn is_named_constructor(&self, at: NodeId) -> bool {
        self.heading(at).is_some_and(|node| {
            node.kind == NodeKind::Function && CONSTRUCTORS.contains(&node.name)
        })
    }
}
