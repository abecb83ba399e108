//! The graph kept in step with the working tree: which files changed, which other files that affects, and what is written.

mod apply_file_changes;
mod declaration_diff;
mod facts_store;
mod file_record;
mod graph_update;
pub(crate) mod in_memory_graph;
pub(crate) mod index_status;
mod interface_fingerprint;
mod invalidation;
mod node_remap;
pub(crate) mod portable_graph;
mod published_index;
mod recorded_name_lookups;
pub(crate) mod remote_graph_source;
mod resolution_record;
pub(crate) mod store_refresh;
pub(crate) mod unfinished_build;
pub(crate) mod working_tree_scan;
pub(crate) mod workspace_graph_index;
mod worktree_graph_copy;
