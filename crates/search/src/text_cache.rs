//! The texts of the files that one search reads, each read once.

use std::sync::Arc;

use crate::{index::FullTextSnapshot, shared_memo::SharedMemo};
use retriever_workspace::{ContentHash, RepoPath, TextFile, Workspace};

/// Reads files of a workspace and keeps their texts as long as it lives.
pub(crate) struct TextCache<'a> {
    workspace: &'a Workspace,
    /// Knows the traits of unchanged files, so that no glob is compiled for them.
    index: Option<&'a FullTextSnapshot>,
    texts: SharedMemo<RepoPath, Option<Arc<TextFile>>>,
}

impl<'a> TextCache<'a> {
    pub(crate) fn new(workspace: &'a Workspace, index: Option<&'a FullTextSnapshot>) -> Self {
        Self { workspace, index, texts: SharedMemo::default() }
    }

    /// Returns the text of a file; none if it can't be read.
    pub(crate) fn read(&self, path: &RepoPath) -> Option<Arc<TextFile>> {
        let traits_of = |hash: &ContentHash| self.index?.traits_of(path, hash);
        self.texts.get(path, || self.workspace.read_with_traits(path, traits_of).ok().map(Arc::new))
    }
}
