//! Answers questions over all repositories, level by level: one level is a few requests to each server, on whatever
//! server the nodes are. The answers are those of a single graph, except that other repositories come first, prototypes
//! are kept, all lines of a function that runs by one literal count, and traces minimise steps, not uncertainty. How a call is
//! dispatched is not stored: one that runs a base's method only (`super.run()`) is among the callers of what overrides it. The
//! callers of a type are what names it to make one, not those of its constructors, nor the other way round.

mod cross_repository_call_traces;
mod cross_repository_relations;
mod definition_lookup;
mod edges_of_nodes;
mod overload_choice;
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
