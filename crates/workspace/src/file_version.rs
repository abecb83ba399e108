//! The version of a file that lines come from.

use crate::{ContentHash, FileTraits, RepoPath, TextFile};

/// A file and its content when lines of it were delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVersion {
    /// The file.
    pub path: RepoPath,
    /// Hash of the whole content.
    pub hash: ContentHash,
    /// Number of lines in the file.
    pub total_lines: u32,
    /// The kind of file.
    pub traits: FileTraits,
}

impl FileVersion {
    /// Returns the version of a file that was read.
    pub fn of(file: &TextFile) -> Self {
        Self {
            path: file.path.clone(),
            hash: file.hash,
            total_lines: file.line_count(),
            traits: file.traits.clone(),
        }
    }
}
