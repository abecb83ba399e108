//! The questions that a [`Graph`](crate::store::Graph) answers: nodes by name, the relations of a node, paths between
//! nodes, and the whole graph as lines of JSON. Every answer is bounded and says when it was cut.

mod function_literals;
mod graph_export;
mod graph_path_search;
mod inherited_members;
mod instantiated_types;
mod node_lookup;
mod node_relations;
mod overriding_methods;

pub use self::{
    graph_path_search::{CallPathHop, CallTrace, MAX_KEPT},
    node_lookup::{
        LookupTarget, NameLookup, is_qualified_by, is_test as is_test_path, parts as name_parts,
    },
    node_relations::{NodeQuery, RelatedNode, RelatedNodesPage},
};
