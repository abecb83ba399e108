//! What questions over all repositories mean. They go from node to node level by level: one level is a few requests to each
//! server, whatever server the nodes live on. They find what a single graph finds; they list other repositories first, do not drop
//! prototypes, count all lines of a function that runs by one literal, and trace by steps, not by how sure they are.

mod cross_repository_call_traces;
mod cross_repository_relations;
mod definition_lookup;
mod edges_of_nodes;
mod package_edges;
mod package_exports;
mod package_resolution;

pub use self::{
    cross_repository_call_traces::{CallTraceStep, CrossRepositoryTrace},
    cross_repository_relations::{
        CrossRepositoryRelatedNode, CrossRepositoryRelatedNodesPage, PageRange,
    },
    definition_lookup::CrossRepositoryLookup,
};
