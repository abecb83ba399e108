//! A code graph of a repository: [`index`] makes it from source text and keeps it, [`Graph`] answers questions about it.

mod audit;
pub(crate) mod facts;
pub(crate) mod graph;
pub(crate) mod incremental;
pub mod index;
pub(crate) mod languages;
pub(crate) mod lowering;
mod queries;
pub(crate) mod resolve;
pub(crate) mod scip;
pub(crate) mod store;
pub(crate) mod syntax;

pub use self::{
    graph::{Edge, EdgeKind, Heading, Node, NodeId, NodeKind, OpenCall, Resolution},
    queries::{
        Hop, Lookup, MAX_KEPT, Operation, Page, Related, Target, Trace, is_test_path, name_parts,
    },
    store::Graph,
};
