//! The state of files on disk, looked up on a blocking thread.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use retriever_workspace::{FileState, RepoPath, Workspace};

/// Returns those of `paths` at which there is a file or a folder.
pub(super) async fn existing_paths(
    workspace: &Arc<Workspace>,
    paths: BTreeSet<RepoPath>,
) -> BTreeSet<RepoPath> {
    if paths.is_empty() {
        return paths;
    }
    let workspace = Arc::clone(workspace);
    let look_up = move || paths.into_iter().filter(|path| workspace.kind(path).is_ok()).collect();
    tokio::task::spawn_blocking(look_up).await.unwrap_or_default()
}

/// Returns the state of each file. If the task panics, no file has a state, and none is reported.
pub(super) async fn file_states(
    workspace: &Arc<Workspace>,
    paths: Vec<RepoPath>,
) -> BTreeMap<RepoPath, FileState> {
    let workspace = Arc::clone(workspace);
    let look_up = move || {
        let states = paths.into_iter().map(|path| (path.clone(), workspace.file_state(&path)));
        states.collect()
    };
    tokio::task::spawn_blocking(look_up).await.unwrap_or_default()
}
