//! The folder in which a workspace's graph, words and sessions are kept, and when the cache is held to its bound.

use std::path::{Path, PathBuf};

use crate::config::IndexConfig;
use retriever_graph::index::Index;
use retriever_workspace::{
    Workspace,
    cache::{self, PruneOptions},
};

/// Returns the folder of a workspace below the cache folder `base`. When there is none yet, the cache is about to grow: then
/// the least recently used folders of others go, if it is larger than configured.
pub fn cache_folder(base: &Path, workspace: &Workspace, config: &IndexConfig) -> PathBuf {
    let folder = Index::folder_in(base, workspace);
    if !folder.is_dir() {
        let max_bytes = config.max_cache_bytes();
        // A cache that is too large answers as well; `cache prune` tells of errors.
        let _ =
            cache::prune(base, PruneOptions { max_bytes, remove_absent: false, dry_run: false });
    }
    folder
}
