//! Where a workspace's graph, words and sessions are kept, and when the cache is held to its bound.

use std::{path::Path, sync::Arc};

use crate::config::IndexConfig;
use retriever_graph::index::Index;
use retriever_workspace::{
    Workspace,
    cache::{self, PruneOptions},
};

/// Returns the index of a workspace, kept below the folder `cache`; without one in memory. When the cache has nothing of the
/// workspace, it is about to grow: then the least recently used folders of others go, if it is larger than configured.
pub fn open_index(cache: Option<&Path>, workspace: Arc<Workspace>, config: &IndexConfig) -> Index {
    let Some(base) = cache else { return Index::new(workspace, None) };
    let index = Index::in_cache(base, workspace);
    let max_bytes = config.max_cache_bytes();
    if index.folder().is_some_and(|folder| !folder.is_dir()) {
        // A cache that is too large answers as well; `cache prune` tells of errors.
        let _ =
            cache::prune(base, PruneOptions { max_bytes, remove_absent: false, dry_run: false });
    }
    index
}
