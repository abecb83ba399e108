//! The texts of the files that one search reads; each is read once.

use std::sync::Arc;

use crate::{index::FullTextSnapshot, shared_memo::SharedMemo};
use retriever_workspace::{LineRange, RepoPath, TextFile, Workspace};

/// Reads files of a workspace and keeps their texts as long as it lives.
pub(crate) struct TextCache<'a> {
    workspace: &'a Workspace,
    /// Knows the traits of unchanged files, so that no glob is compiled for them, and texts that were read before.
    index: Option<&'a FullTextSnapshot>,
    texts: SharedMemo<RepoPath, Option<Arc<TextFile>>>,
}

impl<'a> TextCache<'a> {
    pub(crate) fn new(workspace: &'a Workspace, index: Option<&'a FullTextSnapshot>) -> Self {
        Self { workspace, index, texts: SharedMemo::default() }
    }

    /// Returns the text of a file; none if it can't be read.
    pub(crate) fn read(&self, path: &RepoPath) -> Option<Arc<TextFile>> {
        self.texts.get(path, || match self.index {
            Some(index) => index.text(self.workspace, path),
            None => self.workspace.read(path).ok().map(Arc::new),
        })
    }

    /// Returns what is noted of some lines of a file about a subject; `make` makes it from the text of the lines alone.
    pub(crate) fn note(
        &self,
        file: &TextFile,
        lines: LineRange,
        about: u32,
        make: impl FnOnce() -> u16,
    ) -> u16 {
        match self.index {
            Some(index) => index.note(file, lines, about, make),
            None => make(),
        }
    }
}
