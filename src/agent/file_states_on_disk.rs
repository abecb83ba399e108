//! The state of files on disk, looked up on a blocking thread.

use std::{collections::BTreeMap, sync::Arc};

use retriever_workspace::{FileState, RepoPath, Workspace};

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
