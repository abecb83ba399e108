//! The files that one question reads, each of them once: the survey looks into the best of them, and who prints their places
//! needs the same text again.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::workspace::{RepoPath, TextFile, Workspace};

/// The texts of a workspace as one run sees them.
pub(crate) struct Texts<'a> {
    workspace: &'a Workspace,
    read: Mutex<FxHashMap<RepoPath, Option<Arc<TextFile>>>>,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(workspace: &'a Workspace) -> Self {
        Self { workspace, read: Mutex::default() }
    }

    /// Returns the text of a file; none for one that can't be read.
    pub(crate) fn read(&self, path: &RepoPath) -> Option<Arc<TextFile>> {
        let known = || self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = known().get(path) {
            return read.clone();
        }
        let file = self.workspace.read(path).ok().map(Arc::new);
        // Of two that read it at once the first is believed.
        known().entry(path.clone()).or_insert(file).clone()
    }
}
