//! The questions that a [`Graph`](crate::store::Graph) answers: nodes by name, the relations of a node, paths between
//! nodes, and the whole graph as lines of JSON. Every answer is bounded and says when it was cut.

mod export;
mod function_literals;
mod lookup;
mod path_search;
mod relations;

pub use self::{
    lookup::{Lookup, Target, is_test as is_test_path, parts as name_parts},
    path_search::{Hop, MAX_KEPT, Trace},
    relations::{Operation, Page, Related},
};
