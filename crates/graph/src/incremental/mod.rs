//! The graph kept in step with the working tree: which files changed, which other files that affects, and what is written.

mod declaration_diff;
mod facts_store;
mod file_record;
pub(crate) mod given_files;
mod graph_update;
mod interface_fingerprint;
mod invalidation;
mod node_remap;
pub(crate) mod portable_graph;
pub(crate) mod refresh;
mod resolution_record;
mod sibling_graph;
mod tree_scan;
mod update;
pub(crate) mod upstream;
