//! What there is around a place: how many callers, callees, siblings and implementers, and the nearest of them with their
//! signatures, so that a reader need not look each of them up.

use std::collections::BTreeSet;

use crate::explore::{
    exploration::{Card, Hints, Neighbour, Related},
    sibling_groups::SiblingGroups,
    symbol_table::{Place, SymbolTable},
};
use retriever_graph::{EdgeKind, NodeId};

/// Callers from which on a function says nothing of those that call it.
const EVERYBODYS: usize = 16;

/// Looks around places.
pub(super) struct Relations<'a> {
    pub(super) atlas: &'a SymbolTable<'a>,
    pub(super) families: &'a SiblingGroups<'a>,
}

impl Relations<'_> {
    /// What is known of a place, with what is `related` to it.
    pub(super) fn card(&self, place: &Place, related: Related) -> Card {
        Card {
            id: place.id.clone(),
            path: place.path.clone(),
            start: place.range.start(),
            end: place.range.end(),
            kind: place.kind.clone(),
            name: place.name.clone(),
            signature: place.signature.clone(),
            doc: place.doc.clone(),
            hints: self.hints(place),
            related,
        }
    }

    /// Counts what there is.
    fn hints(&self, place: &Place) -> Hints {
        let Some(node) = place.node else { return Hints::default() };
        let count = |nodes: &[NodeId]| u32::try_from(nodes.len()).unwrap_or(u32::MAX);
        Hints {
            callers: count(&self.callers(node)),
            callees: count(&self.callees(node)),
            siblings: count(&self.siblings(node)),
            implementers: count(&self.implementers(node)),
        }
    }

    /// The first few of each kind, what is `shown` anyway left out.
    pub(super) fn related(&self, place: &Place, most: usize, shown: &BTreeSet<NodeId>) -> Related {
        let Some(node) = place.node else { return Related::default() };
        let list = |nodes: Vec<NodeId>| -> Vec<Neighbour> {
            let (main, aside): (Vec<NodeId>, Vec<NodeId>) = nodes
                .into_iter()
                .filter(|near| !shown.contains(near))
                .partition(|near| !self.atlas.is_aside(*near));
            // Tests say something of a place that nothing else has to do with.
            let near = if main.is_empty() { aside } else { main };
            near.into_iter().filter_map(|near| self.neighbour(near)).take(most).collect()
        };
        Related {
            callers: list(self.callers(node)),
            callees: list(self.own_callees(node)),
            siblings: list(self.siblings(node)),
            implementers: list(self.implementers(node)),
        }
    }

    fn neighbour(&self, node: NodeId) -> Option<Neighbour> {
        let place = self.atlas.place(node)?;
        Some(Neighbour {
            id: place.id,
            name: place.name,
            signature: place.signature,
            path: place.path,
            line: place.line,
        })
    }

    /// What calls it, or the interface method that it stands in for.
    fn callers(&self, node: NodeId) -> Vec<NodeId> {
        let calls = |of: NodeId| {
            let edges = self.atlas.graph.incoming(of).iter();
            edges.filter(|edge| edge.kind == EdgeKind::Calls).map(|edge| edge.from)
        };
        let above = self.atlas.graph.outgoing(node).iter().filter(|edge| is_above(edge.kind));
        let through =
            above.filter(|_| self.atlas.is_function(node)).flat_map(|edge| calls(edge.to));
        Self::in_order(node, calls(node).chain(through))
    }

    fn callees(&self, node: NodeId) -> Vec<NodeId> {
        let edges = self.atlas.graph.outgoing(node).iter();
        let calls = edges.filter(|edge| edge.kind == EdgeKind::Calls);
        Self::in_order(node, calls.map(|edge| edge.to))
    }

    /// What it calls and not everybody else does, too.
    fn own_callees(&self, node: NodeId) -> Vec<NodeId> {
        let mut callees = self.callees(node);
        callees.retain(|callee| self.callers(*callee).len() <= EVERYBODYS);
        callees
    }

    fn implementers(&self, node: NodeId) -> Vec<NodeId> {
        let edges = self.atlas.graph.incoming(node).iter();
        Self::in_order(node, edges.filter(|edge| is_above(edge.kind)).map(|edge| edge.from))
    }

    /// Each once, by path and line.
    fn in_order(node: NodeId, near: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
        let near: BTreeSet<NodeId> = near.filter(|other| *other != node).collect();
        near.into_iter().collect()
    }

    /// Members of its family; for a method those of the same name.
    fn siblings(&self, node: NodeId) -> Vec<NodeId> {
        let Some((member, family)) = self.families.of(node) else { return Vec::new() };
        let others = family.members.iter().copied().filter(|other| *other != member);
        if member == node {
            return others.collect();
        }
        let name = self.atlas.graph.node(node).map(|node| node.name.as_str());
        others
            .filter_map(|other| {
                let members = self.atlas.graph.incoming(other).iter();
                let mut members = members.filter(|edge| edge.kind == EdgeKind::Parent);
                members.find_map(|edge| {
                    let same = self.atlas.graph.node(edge.from).map(|node| node.name.as_str());
                    (same == name).then_some(edge.from)
                })
            })
            .collect()
    }
}

fn is_above(kind: EdgeKind) -> bool {
    matches!(kind, EdgeKind::Implements | EdgeKind::Inherits)
}
