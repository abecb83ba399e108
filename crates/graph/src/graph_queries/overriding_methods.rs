//! Which calls of a method may run one that overrides it. A call on `this` may run those of the objects that the type around
//! the call describes. A call behind `super` or the name of a class runs none.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use crate::{
    graph_model::{CallDispatch, Edge, NodeId, NodeKind},
    store::Graph,
};

/// Types that are compared at most; among more, any call may run the method.
pub(super) const MAX_TYPES: usize = 2_000;
/// Definitions around a call.
const MAX_NESTING: usize = 16;

/// A method that overrides others, with the types whose own calls may run it.
pub(super) struct OverridingMethod {
    /// What its objects are: its type, what builds on that, and all that these build on. Nothing if it is not known.
    types: Option<BTreeSet<NodeId>>,
    /// Whether the first type builds on the second, as far as it was asked.
    builds_on: RefCell<BTreeMap<(NodeId, NodeId), bool>>,
}

impl OverridingMethod {
    pub(super) fn new(graph: &Graph, method: NodeId) -> Self {
        let below = graph.types_around(method).first().and_then(|home| {
            graph.reached_types([*home].into(), |at| graph.incoming(at), |edge| edge.from)
        });
        let types = below
            .and_then(|below| graph.reached_types(below, |at| graph.outgoing(at), |edge| edge.to));
        Self { types, builds_on: RefCell::default() }
    }

    /// Whether a call of `above`, which the method overrides, may run the method.
    pub(super) fn is_run_by(&self, graph: &Graph, call: &Edge, above: NodeId) -> bool {
        match (call.dispatch, &self.types) {
            (CallDispatch::Open, _) | (CallDispatch::OwnObject, None) => true,
            (CallDispatch::Fixed, _) => false,
            (CallDispatch::OwnObject, Some(types)) => {
                let Some(home) = graph.types_around(above).first().copied() else { return true };
                let mut own = graph.types_around(call.from);
                own.retain(|around| self.builds_on(graph, *around, home));
                own.is_empty() || own.iter().any(|around| types.contains(around))
            }
        }
    }

    fn builds_on(&self, graph: &Graph, ty: NodeId, base: NodeId) -> bool {
        *self.builds_on.borrow_mut().entry((ty, base)).or_insert_with(|| {
            let above = graph.reached_types([ty].into(), |at| graph.outgoing(at), |it| it.to);
            above.is_some_and(|above| above.contains(&base))
        })
    }
}

impl Graph {
    /// Returns the types around a definition, the nearest first.
    pub(super) fn types_around(&self, id: NodeId) -> Vec<NodeId> {
        let around = std::iter::successors(self.owner(id), |at| self.owner(*at)).take(MAX_NESTING);
        around.filter(|at| self.is_inherited(*at)).collect()
    }

    pub(super) fn is_inherited(&self, id: NodeId) -> bool {
        !matches!(self.kind(id), None | Some(NodeKind::Function | NodeKind::File))
    }

    /// Returns `types` and all that inheritance leads to from them; nothing if that is too much.
    fn reached_types<'g>(
        &'g self,
        types: BTreeSet<NodeId>,
        edges: impl Fn(NodeId) -> &'g [Edge],
        end: impl Fn(&Edge) -> NodeId,
    ) -> Option<BTreeSet<NodeId>> {
        let mut open: Vec<NodeId> = types.iter().copied().collect();
        let mut found = types;
        while let Some(at) = open.pop() {
            let parts = self.parts_of_type(at);
            let inherits = |edge: &&Edge| edge.kind.is_inheritance();
            found.extend(&parts);
            let further = parts.iter().flat_map(|part| edges(*part).iter().filter(inherits));
            for next in further.map(&end) {
                if self.is_inherited(next) && found.insert(next) {
                    open.push(next);
                }
            }
            if found.len() > MAX_TYPES {
                return None;
            }
        }
        Some(found)
    }

    /// Returns the nodes of one type, in languages that open types again.
    pub(super) fn parts_of_type(&self, id: NodeId) -> Vec<NodeId> {
        let Some(node) = self.node(id) else { return vec![id] };
        let is_type = matches!(node.kind, NodeKind::Module | NodeKind::Class | NodeKind::Trait);
        if !is_type || !node.language.capabilities().reopens_types {
            return vec![id];
        }
        let mut parts = self.named(&node.name.to_lowercase());
        parts.retain(|other| {
            self.heading(*other)
                .is_some_and(|other| other.qname == node.qname && other.kind == node.kind)
        });
        parts
    }
}
