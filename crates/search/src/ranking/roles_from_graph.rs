//! Roles that only the relations of a definition show: nothing in its own text says that nobody calls a function, that it
//! is handed over to be called, or that a type is what others pass around.

use std::collections::BTreeSet;

use crate::{candidate::Candidate, query::PlaceRole};
use retriever_graph::{EdgeKind, Graph, NodeId, NodeKind};

/// Calls that make a function without callers an entry.
const MIN_CALLS_OF_ENTRY: usize = 2;
/// Definitions that hold, take or return a type for it to be a contract between them.
const MIN_USES_OF_TYPE: usize = 2;

/// Adds the roles of `candidate`, which `node` defines.
pub(super) fn add_graph_roles(graph: &Graph, node: NodeId, candidate: &mut Candidate) {
    let Some(definition) = graph.node(node) else { return };
    let role = match definition.kind {
        NodeKind::Function if candidate.is_secondary() => None,
        NodeKind::Function => function_role(graph, node),
        NodeKind::Macro | NodeKind::File | NodeKind::Module => None,
        _ => is_contract(graph, node).then_some(PlaceRole::Type),
    };
    if candidate.leading_role.is_none() {
        candidate.leading_role = role;
    }
    candidate.evidence_roles.extend(role);
    candidate.shown_roles.extend(role);
}

/// Returns the role of a function that nobody calls: it is handed over, or it starts something.
fn function_role(graph: &Graph, node: NodeId) -> Option<PlaceRole> {
    let has_incoming = |kind: EdgeKind| {
        graph.incoming(node).iter().any(|edge| edge.kind == kind && edge.from != node)
    };
    if has_incoming(EdgeKind::Calls) {
        return None;
    }
    let calls = graph.outgoing(node).iter().filter(|edge| edge.kind == EdgeKind::Calls);
    if has_incoming(EdgeKind::References) {
        Some(PlaceRole::Handler)
    } else {
        (calls.count() >= MIN_CALLS_OF_ENTRY).then_some(PlaceRole::Entry)
    }
}

/// Whether a type is implemented, implements something, or is used by several definitions.
fn is_contract(graph: &Graph, node: NodeId) -> bool {
    let sources = |kind: EdgeKind| {
        let edges = graph.incoming(node).iter().filter(move |edge| edge.kind == kind);
        edges.map(|edge| edge.from).filter(|from| *from != node).collect::<BTreeSet<NodeId>>()
    };
    let uses = [EdgeKind::ParamOf, EdgeKind::Returns, EdgeKind::FieldType];
    let bases = [EdgeKind::Implements, EdgeKind::Inherits];
    bases.iter().any(|kind| !sources(*kind).is_empty())
        || uses.iter().map(|kind| sources(*kind).len()).sum::<usize>() >= MIN_USES_OF_TYPE
        || graph.outgoing(node).iter().any(|edge| edge.kind == EdgeKind::Implements)
}
