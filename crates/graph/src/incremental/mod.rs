//! The graph kept in step with the working tree: which files changed, which other files that affects, and what is written.

mod apply_file_changes;
mod declaration_diff;
mod facts_for_resolution;
mod graph_update;
pub(crate) mod in_memory_graph;
pub(crate) mod index_status;
mod indexed_file_record;
mod interface_fingerprint;
mod invalidation;
mod node_remap;
mod packed_read_set;
pub(crate) mod portable_graph;
pub(crate) mod published_index_parts;
pub(crate) mod remote_graph_source;
pub(crate) mod store_refresh;
mod stored_file_resolution;
pub(crate) mod unfinished_build;
mod uses_of_values;
pub(crate) mod working_tree_scan;
pub(crate) mod workspace_graph_index;
mod worktree_graph_copy;
