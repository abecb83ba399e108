//! The version of a file that lines were taken from.

use crate::{ContentHash, FileTraits, RepoPath, TextFile};

/// A file and its content at the moment lines of it were delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVersion {
    /// The file.
    pub path: RepoPath,
    /// Hash of the whole content that the lines were taken from.
    pub hash: ContentHash,
    /// Number of lines in the file.
    pub total_lines: u32,
    /// What kind of file it is.
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
