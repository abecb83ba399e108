//! What is known of a file at the moment lines of it are taken.

use crate::{ContentHash, FileTraits, RepoPath, TextFile};

/// What is known of a file at the moment lines of it are delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStamp {
    /// The file.
    pub path: RepoPath,
    /// Hash of the whole content that the lines were taken from.
    pub hash: ContentHash,
    /// Number of lines in the file.
    pub total_lines: u32,
    /// What kind of file it is.
    pub traits: FileTraits,
}

impl FileStamp {
    /// Returns the stamp of a file that was read.
    pub fn of(file: &TextFile) -> Self {
        Self {
            path: file.path.clone(),
            hash: file.hash,
            total_lines: file.line_count(),
            traits: file.traits.clone(),
        }
    }
}
