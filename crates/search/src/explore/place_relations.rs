//! The relations of a place: the numbers of callers, callees, siblings and implementers, and the first of each with
//! their signatures, so that a reader need not look them up.

use std::collections::BTreeSet;

use retriever_graph::{EdgeKind, NodeId};

use super::{
    exploration::{PlaceSummary, RelatedDefinition, RelatedPlaces, RelationCounts},
    file_symbols::SymbolPlace,
    sibling_definitions::SiblingDefinitions,
    symbol_table::SymbolTable,
};
use crate::shared_memo::SharedMemo;

/// A function with more callers than this does not relate its callers to one another.
const MANY_CALLERS: usize = 16;

/// Looks up relations.
pub(super) struct PlaceRelations<'a> {
    symbols: &'a SymbolTable<'a>,
    groups: &'a SiblingDefinitions<'a>,
    caller_counts: SharedMemo<NodeId, usize>,
}

impl<'a> PlaceRelations<'a> {
    pub(super) fn new(symbols: &'a SymbolTable<'a>, groups: &'a SiblingDefinitions<'a>) -> Self {
        Self { symbols, groups, caller_counts: SharedMemo::default() }
    }

    /// Returns what is known of a place, with what is `related` to it.
    pub(super) fn card(&self, place: &SymbolPlace, related: RelatedPlaces) -> PlaceSummary {
        PlaceSummary {
            id: place.id.clone(),
            path: place.path.clone(),
            start: place.range.start(),
            end: place.range.end(),
            kind: place.kind.clone(),
            name: place.name.clone(),
            signature: place.signature.clone(),
            doc: place.doc.clone(),
            relations: self.counts(place),
            related,
        }
    }

    fn counts(&self, place: &SymbolPlace) -> RelationCounts {
        let Some(node) = place.node else { return RelationCounts::default() };
        let count = |nodes: usize| u32::try_from(nodes).unwrap_or(u32::MAX);
        RelationCounts {
            callers: count(self.caller_count(node)),
            callees: count(self.callees(node).len()),
            siblings: count(self.siblings(node).len()),
            implementers: count(self.implementers(node).len()),
        }
    }

    /// Returns the first of each kind, at most `limit`, without what is `shown` anyway.
    pub(super) fn related(
        &self,
        place: &SymbolPlace,
        limit: usize,
        shown: &BTreeSet<NodeId>,
    ) -> RelatedPlaces {
        let Some(node) = place.node else { return RelatedPlaces::default() };
        let list = |nodes: Vec<NodeId>| -> Vec<RelatedDefinition> {
            let others = nodes.into_iter().filter(|near| !shown.contains(near));
            let (main, aside): (Vec<NodeId>, Vec<NodeId>) =
                others.partition(|near| !self.symbols.is_aside(*near));
            // Tests are listed for a place that only they have to do with.
            let near = if main.is_empty() { aside } else { main };
            near.into_iter().filter_map(|near| self.neighbour(near)).take(limit).collect()
        };
        RelatedPlaces {
            callers: list(self.callers(node)),
            callees: list(self.own_callees(node)),
            siblings: list(self.siblings(node)),
            implementers: list(self.implementers(node)),
        }
    }

    fn neighbour(&self, node: NodeId) -> Option<RelatedDefinition> {
        Some(as_neighbour(self.symbols.place(node)?))
    }

    /// Returns what calls a function, or the interface method that it implements.
    fn callers(&self, node: NodeId) -> Vec<NodeId> {
        let graph = self.symbols.graph;
        let calls = |of: NodeId| {
            let edges = graph.incoming(of).iter();
            edges.filter(|edge| edge.kind == EdgeKind::Calls).map(|edge| edge.from)
        };
        let above = graph.outgoing(node).iter().filter(|edge| edge.kind.is_inheritance());
        let above = above.filter(|_| self.symbols.is_function(node));
        sorted(node, calls(node).chain(above.flat_map(|edge| calls(edge.to))))
    }

    fn caller_count(&self, node: NodeId) -> usize {
        self.caller_counts.get(&node, || self.callers(node).len())
    }

    fn callees(&self, node: NodeId) -> Vec<NodeId> {
        let edges = self.symbols.graph.outgoing(node).iter();
        let calls = edges.filter(|edge| edge.kind == EdgeKind::Calls);
        sorted(node, calls.map(|edge| edge.to))
    }

    /// Returns the callees that not everybody else calls, too.
    fn own_callees(&self, node: NodeId) -> Vec<NodeId> {
        let mut callees = self.callees(node);
        callees.retain(|callee| {
            !self.symbols.cancellation.is_cancelled() && self.caller_count(*callee) <= MANY_CALLERS
        });
        callees
    }

    fn implementers(&self, node: NodeId) -> Vec<NodeId> {
        let edges = self.symbols.graph.incoming(node).iter();
        sorted(node, edges.filter(|edge| edge.kind.is_inheritance()).map(|edge| edge.from))
    }

    /// Returns the other members of the sibling group; for a method those of the same name.
    fn siblings(&self, node: NodeId) -> Vec<NodeId> {
        let Some((member, group)) = self.groups.of(node) else { return Vec::new() };
        let others = group.members.iter().copied().filter(|other| *other != member);
        if member == node {
            return others.collect();
        }
        let graph = self.symbols.graph;
        let name = graph.node(node).map(|node| node.name.as_str());
        others
            .filter_map(|other| {
                let members = graph.incoming(other).iter();
                let mut members = members.filter(|edge| edge.kind == EdgeKind::Parent);
                members.find_map(|edge| {
                    let same = graph.node(edge.from).map(|node| node.name.as_str());
                    (same == name).then_some(edge.from)
                })
            })
            .collect()
    }
}

/// Returns nodes by path and line, each once and without `node`.
fn sorted(node: NodeId, near: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
    let near: BTreeSet<NodeId> = near.filter(|other| *other != node).collect();
    near.into_iter().collect()
}

/// Returns a place as it is listed beside another.
pub(super) fn as_neighbour(place: SymbolPlace) -> RelatedDefinition {
    let SymbolPlace { id, name, signature, path, line, .. } = place;
    RelatedDefinition { id, name, signature, path, line }
}
