//! What a definition's relations to others say of the roles it plays: nothing in its own text shows that nobody calls a function,
//! that it is handed to somebody else to be called, or that a type is what others pass around.

use std::collections::BTreeSet;

use crate::candidate::Candidate;
use crate::query::question::Role;
use retriever_graph::{EdgeKind, Graph, NodeId, NodeKind};

/// Calls from which on a function that nobody calls starts something.
const STARTS: usize = 2;
/// Definitions that hold or pass a type before it counts as a contract between them.
const SHARED: usize = 2;

/// Adds the roles that its relations show to `candidate`, which `node` defines.
pub(crate) fn add_roles(view: &Graph, node: NodeId, candidate: &mut Candidate) {
    let Some(definition) = view.node(node) else { return };
    let inward = |kind: EdgeKind| {
        let edges = view.incoming(node).iter().filter(move |edge| edge.kind == kind);
        edges.map(|edge| edge.from).filter(|from| *from != node).collect::<BTreeSet<NodeId>>()
    };
    let outward = |kind: EdgeKind| view.outgoing(node).iter().any(|edge| edge.kind == kind);
    let is_secondary = candidate.is_secondary();
    let mut roles: Vec<Role> = Vec::new();
    match definition.kind {
        NodeKind::Function if !is_secondary => {
            let calls = view.outgoing(node).iter().filter(|edge| edge.kind == EdgeKind::Calls);
            let (called, named) = (inward(EdgeKind::Calls), inward(EdgeKind::References));
            if called.is_empty() && !named.is_empty() {
                // Handed on and never called by name.
                roles.push(Role::Handler);
            } else if called.is_empty() && calls.count() >= STARTS {
                roles.push(Role::Entry);
            }
        }
        NodeKind::Function | NodeKind::Macro | NodeKind::File | NodeKind::Module => {}
        _ => {
            let shared = inward(EdgeKind::ParamOf).len()
                + inward(EdgeKind::Returns).len()
                + inward(EdgeKind::FieldType).len();
            let is_base =
                !inward(EdgeKind::Implements).is_empty() || !inward(EdgeKind::Inherits).is_empty();
            if is_base || shared >= SHARED || outward(EdgeKind::Implements) {
                roles.push(Role::Type);
            }
        }
    }
    if candidate.leading_role.is_none() {
        candidate.leading_role = roles.first().copied();
    }
    candidate.evidence_roles.extend(roles);
}
