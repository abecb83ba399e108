//! The graph kept in step with the working tree: which files changed, which of the others that affects, and what is written.

mod change_scan;
pub(crate) mod declaration_diff;
mod graph_update;
pub(crate) mod interface_fingerprint;
pub(crate) mod invalidation;
mod node_remap;
mod persist;
pub(crate) mod refresh;
