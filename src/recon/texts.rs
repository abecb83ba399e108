//! The files that one question reads, each of them once: the survey looks into the best of them, and who prints their places
//! needs the same text again.

use std::sync::Arc;

use super::Memo;
use crate::workspace::{RepoPath, TextFile, Workspace};

/// The texts of a workspace as one run sees them.
pub(crate) struct Texts<'a> {
    workspace: &'a Workspace,
    read: Memo<RepoPath, Option<Arc<TextFile>>>,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(workspace: &'a Workspace) -> Self {
        Self { workspace, read: Memo::default() }
    }

    /// Returns the text of a file; none for one that can't be read.
    pub(crate) fn read(&self, path: &RepoPath) -> Option<Arc<TextFile>> {
        self.read.get(path, || self.workspace.read(path).ok().map(Arc::new))
    }
}
