//! The questions that a [`Graph`](crate::store::Graph) answers: nodes by name, the relations of a node, paths between
//! nodes, and the whole graph as lines of JSON. Every answer is bounded and says when it was cut.

mod definition_sets;
mod found_relations;
mod function_literals;
mod graph_export;
mod graph_path_search;
mod inherited_members;
mod instantiated_types;
mod node_lookup;
mod node_relations;
mod overriding_methods;
mod owners_and_members;
mod parameter_lists;
mod qualified_names;
mod relation_steps;
mod secondary_code;
mod unresolved_calls;

pub use self::{
    found_relations::{RelatedNode, insert_line},
    graph_path_search::{CallPathHop, CallTrace, MAX_KEPT},
    node_lookup::{LookupTarget, NameLookup},
    node_relations::{NodeQuery, RelatedNodesPage},
    parameter_lists::{ParameterList, behind_brackets},
    qualified_names::{is_qualified_by, parts as name_parts},
    secondary_code::is_test as is_test_path,
};
