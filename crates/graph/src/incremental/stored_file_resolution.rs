//! What the store keeps of the resolution of a file beside its edges: what it read, and what it contributed.

use serde::{Deserialize, Serialize};

use super::packed_read_set::PackedLookups;
use crate::{
    resolve::{
        CrossFileContributions, project_layout::module_layout_fingerprint::FileModuleHashes,
    },
    store::FileKey,
};

/// The record of one file's resolution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ResolutionRecord {
    /// A hash of what other files can read of this one.
    pub(super) interface: u64,
    /// What the layout says of it.
    pub(super) layout: FileModuleHashes,
    /// A hash of the modules that it belongs to.
    pub(super) own_modules: u64,
    /// It shares a module with other files, or did so when files that read it were resolved.
    pub(super) shares_modules: bool,
    /// The files that were read, sorted.
    pub(super) reads: Vec<FileKey>,
    pub(super) lookups: PackedLookups,
    pub(super) contributions: CrossFileContributions<FileKey>,
    /// Other files in which edges start that were found here.
    pub(super) edge_hosts: Vec<FileKey>,
    /// A hash of the structural edges that start here.
    pub(super) structural: u64,
}
