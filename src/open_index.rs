//! Opens the stored graph, full-text index and sessions of a workspace, keeps the cache within its limit, and connects
//! the remote for a first index.

use std::{path::Path, sync::Arc};

use crate::config::IndexConfig;
use retriever_graph::indexing::GraphIndex;
use retriever_search::FullTextIndex;
use retriever_workspace::{
    Workspace,
    cache_folders::{self, PruneOptions},
};

/// The index of a workspace.
pub struct OpenIndex {
    /// The code graph.
    pub index: GraphIndex,
    /// The words of the files.
    pub full_text: FullTextIndex,
    /// The source of a first graph and first words.
    #[cfg(feature = "remote")]
    pub remote: Option<Arc<crate::configured_remote::ConfiguredRemote>>,
}

/// Returns the index of a workspace, stored below the folder `cache`; in memory without one. If the cache has nothing
/// of the workspace yet, and is above its limit, the least recently used folders of other workspaces are removed.
pub fn open_index(
    cache: Option<&Path>,
    workspace: Arc<Workspace>,
    config: &IndexConfig,
) -> OpenIndex {
    let index = match cache {
        Some(base) => GraphIndex::in_cache(base, workspace),
        None => GraphIndex::new(workspace, None),
    };
    let max_bytes = config.max_cache_bytes();
    if let Some(base) = cache
        && index.folder().is_some_and(|folder| !folder.is_dir())
    {
        // A cache above its limit still answers; `cache prune` reports errors.
        let _ = cache_folders::prune(
            base,
            PruneOptions { max_bytes, remove_absent: false, dry_run: false },
        );
    }
    let full_text = FullTextIndex::new(index.folder());
    #[cfg(feature = "remote")]
    let (index, full_text, remote) =
        crate::configured_remote::with_remote(index, full_text, config);
    OpenIndex {
        index,
        full_text,
        #[cfg(feature = "remote")]
        remote,
    }
}
