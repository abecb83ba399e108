//! Questions about the graph: which definition a name means, and what is related to it.

mod callers_and_usages;
mod cancelled;
mod constructors;
mod definitions_of_a_name;
mod parameter_lists;

use retriever_graph::{Graph, LookupTarget, NameLookup, NodeId, NodeQuery, RelatedNode};

fn lookup(graph: &Graph, name: &str) -> NameLookup {
    graph.lookup(LookupTarget { name, ..LookupTarget::default() })
}

pub(crate) fn one(graph: &Graph, name: &str) -> NodeId {
    let found = lookup(graph, name);
    let NameLookup::One(id) = found else { unreachable!("{name}: {found:?}") };
    id
}

pub(crate) fn related(graph: &Graph, operation: NodeQuery, name: &str) -> Vec<RelatedNode> {
    graph.related(operation, &[one(graph, name)], 1, 0, 100).items
}
