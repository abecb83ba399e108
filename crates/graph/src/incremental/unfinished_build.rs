//! How far a first build came that ended without a graph. It is noted beside the store, so that the next question knows
//! whether it can complete the build, and the user is told.

use std::{fs, path::PathBuf};

use retriever_workspace::cache_file_io::{create_private_folder, replace_file};
use serde::{Deserialize, Serialize};

use super::workspace_graph_index::GraphIndex;
use crate::store::checksummed_record;

const FILE_NAME: &str = "first-build";

/// A first build that ended without a graph. What was read is kept; resolving it begins anew each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfinishedBuild {
    /// Files that were read.
    pub read: usize,
    /// Files to be read.
    pub files: usize,
    /// Whether what follows the reading took longer than a question waits for it.
    pub is_long: bool,
}

impl GraphIndex {
    /// Notes how far a first build came. An index without a folder keeps no note, and one that can't be written only costs the
    /// next question time.
    pub fn note_unfinished(&self, build: UnfinishedBuild) {
        let (Some(path), Ok(encoded)) = (self.note_path(), checksummed_record::encode(&build))
        else {
            return;
        };
        if let Some(folder) = path.parent() {
            let _ = create_private_folder(folder).and_then(|()| replace_file(&path, &encoded));
        }
    }

    /// Returns how far the first build came; none once there is a graph.
    pub fn unfinished(&self) -> Option<UnfinishedBuild> {
        #[expect(clippy::disallowed_methods, reason = "the note is no file of the workspace")]
        let encoded = fs::read(self.note_path()?).ok()?;
        let build = checksummed_record::decode(&encoded).ok()?;
        (!self.has_graph()).then_some(build)
    }

    fn note_path(&self) -> Option<PathBuf> {
        self.folder().map(|folder| folder.join(FILE_NAME))
    }
}
