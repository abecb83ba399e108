//! A file that a walk found: its path, size and times.

use std::{
    borrow::Cow,
    fs::{DirEntry, Metadata},
    io,
    path::PathBuf,
    time::SystemTime,
};

use crate::{ReadError, RepoPath, Workspace, text_file};

/// A file that a walk found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// The file.
    pub path: RepoPath,
    /// Its size in bytes.
    pub size: u64,
    /// Time of the last write.
    pub modified: SystemTime,
    /// Time of the last change of its content, name or owner, in nanoseconds since 1970; 0 where the system does not
    /// tell.
    pub changed: u64,
}

impl FoundFile {
    pub(super) fn new(path: RepoPath, facts: &Metadata) -> Self {
        Self {
            path,
            size: facts.len(),
            modified: facts.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            changed: changed(facts),
        }
    }
}

/// A file during a parallel walk. Its metadata is not read yet.
pub struct WalkedFile<'a> {
    /// The file.
    pub path: RepoPath,
    pub(super) workspace: &'a Workspace,
    pub(super) place: FilePlace,
}

/// How a walk found a file.
pub(super) enum FilePlace {
    /// In the listing of its folder.
    Listed(DirEntry),
    /// By its name.
    Named(PathBuf),
}

impl FilePlace {
    /// Reads the metadata, links not followed.
    #[expect(clippy::disallowed_methods, reason = "the walk has found it")]
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        match self {
            // The system looks the name up in the open folder instead of along the whole path.
            Self::Listed(entry) => entry.metadata(),
            Self::Named(path) => std::fs::symlink_metadata(path),
        }
    }
}

impl WalkedFile<'_> {
    /// Returns the file's size and times. Costs one system call.
    pub fn entry(&self) -> Option<FoundFile> {
        Some(FoundFile::new(self.path.clone(), &self.place.metadata().ok()?))
    }

    /// Reads the file into `buffer` and returns its bytes in a form that can be searched as UTF-8.
    ///
    /// # Errors
    ///
    /// [`ReadError`], also for a binary file.
    pub fn bytes<'b>(&self, buffer: &'b mut Vec<u8>) -> Result<Cow<'b, [u8]>, ReadError> {
        self.workspace.load_walked(&self.path, buffer)?;
        Ok(text_file::searchable(buffer))
    }
}

#[cfg(unix)]
pub(super) fn changed(facts: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;

    let seconds = u64::try_from(facts.ctime()).unwrap_or_default();
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(u64::try_from(facts.ctime_nsec()).unwrap_or_default())
}

#[cfg(not(unix))]
pub(super) fn changed(_: &Metadata) -> u64 {
    0
}
