//! A code graph of a repository: [`indexing`] makes it from source text and keeps it, [`Graph`] answers questions about it.

mod call_graph_audit;
pub(crate) mod facts;
pub(crate) mod graph_model;
mod graph_queries;
pub(crate) mod incremental;
pub mod indexing;
pub(crate) mod languages;
pub(crate) mod lowering;
pub(crate) mod resolve;
pub(crate) mod scip;
pub(crate) mod store;
pub(crate) mod syntax;

pub use self::{
    graph_model::{
        CallDispatch, Edge, EdgeKind, EdgeResolution, Node, NodeHeader, NodeId, NodeKind,
        OpenCallTarget, UnresolvedCall,
    },
    graph_queries::{
        CallPathHop, CallTrace, LookupTarget, MAX_KEPT, NameLookup, NodeQuery, ParameterList,
        RelatedNode, RelatedNodesPage, behind_brackets, insert_line, is_qualified_by, is_test_path,
        name_parts,
    },
    store::Graph,
};
