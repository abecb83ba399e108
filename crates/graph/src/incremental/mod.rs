//! The graph kept in step with the working tree: which files changed, which other files that affects, and what is written.

mod declaration_diff;
mod facts_store;
mod file_record;
pub(crate) mod given_files;
mod graph_update;
mod interface_fingerprint;
mod invalidation;
mod lookups;
mod node_remap;
pub(crate) mod portable_graph;
mod publishing;
pub(crate) mod refresh;
pub(crate) mod remote_graph_source;
mod resolution_record;
mod tree_scan;
mod update;
mod worktree_graph_copy;
