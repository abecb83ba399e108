//! The content hashes of the files of one walk, shared by several readers: each file is read once, for the first reader
//! that asks.

use std::{
    sync::{Arc, OnceLock},
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{ContentHash, DirectoryWalk, RepoPath, Workspace};

/// The hashes of the text files of a walk, computed on demand.
#[derive(Debug)]
pub struct ContentHashes<'w> {
    workspace: &'w Workspace,
    walk: Arc<DirectoryWalk>,
    /// Nanoseconds since 1970.
    since: u64,
    /// One per file of the walk; `None` for a file that is not text.
    hashes: OnceLock<Vec<OnceLock<Option<ContentHash>>>>,
}

impl<'w> ContentHashes<'w> {
    /// Returns the hashes of the files of `walk`; no file is read yet.
    pub fn new(workspace: &'w Workspace, walk: &Arc<DirectoryWalk>) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let since = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
        Self { workspace, walk: Arc::clone(walk), since, hashes: OnceLock::new() }
    }

    /// The folders that the files are in.
    pub const fn workspace(&self) -> &'w Workspace {
        self.workspace
    }

    /// The files.
    pub const fn walk(&self) -> &Arc<DirectoryWalk> {
        &self.walk
    }

    /// A time before the first file was read, in nanoseconds since 1970. A stamp that was too young at that time proves
    /// nothing.
    pub const fn since(&self) -> u64 {
        self.since
    }

    /// Returns the hash of a file at the time of the first call; `None` when it is not a text file of the walk.
    pub fn of(&self, path: &RepoPath) -> Option<ContentHash> {
        let files = &self.walk.files;
        let at = files.binary_search_by(|file| file.path.cmp(path)).ok()?;
        let hashes = self.hashes.get_or_init(|| files.iter().map(|_| OnceLock::new()).collect());
        let read = || self.workspace.read_walked(path, |_| false).ok().map(|(_, hash)| hash);
        *hashes.get(at)?.get_or_init(read)
    }
}
