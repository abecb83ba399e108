//! The files that one question reads, each of them once: the survey looks into the best of them, and who prints their places
//! needs the same text again.

use std::sync::Arc;

use crate::{index::IndexSnapshot, memo::Memo};
use retriever_workspace::{ContentHash, RepoPath, TextFile, Workspace};

/// The texts of a workspace as one run sees them.
pub(crate) struct TextCache<'a> {
    workspace: &'a Workspace,
    /// What is known of the files' kinds, when it is at hand.
    words: Option<&'a IndexSnapshot>,
    read: Memo<RepoPath, Option<Arc<TextFile>>>,
}

impl<'a> TextCache<'a> {
    pub(crate) fn new(workspace: &'a Workspace, words: Option<&'a IndexSnapshot>) -> Self {
        Self { workspace, words, read: Memo::default() }
    }

    /// Returns the text of a file; none for one that can't be read.
    pub(crate) fn read(&self, path: &RepoPath) -> Option<Arc<TextFile>> {
        let known = |hash: &ContentHash| self.words?.marks_of(path, hash);
        self.read.get(path, || self.workspace.read_with_traits(path, known).ok().map(Arc::new))
    }
}
