//! The content hashes of the files of one walk, for several readers at a time: each file is read once, by whoever asks first.

use std::{
    sync::{Arc, OnceLock},
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{ContentHash, DirectoryWalk, RepoPath, Workspace};

/// The hashes of the text files of a walk, read when they are asked for.
#[derive(Debug)]
pub struct ContentHashes<'w> {
    workspace: &'w Workspace,
    walk: Arc<DirectoryWalk>,
    /// Nanoseconds since 1970.
    since: u64,
    /// One a file of the walk; `None` for one that is no text.
    hashes: OnceLock<Vec<OnceLock<Option<ContentHash>>>>,
}

impl<'w> ContentHashes<'w> {
    /// Returns the hashes of the files of `walk`, none of which has been read.
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

    /// A time, in nanoseconds since 1970, before the first file was read: a stamp that was too young then proves nothing.
    pub const fn since(&self) -> u64 {
        self.since
    }

    /// Returns the hash of a file as it was when it was first asked for; `None` when it is no text file of the walk.
    pub fn of(&self, path: &RepoPath) -> Option<ContentHash> {
        let files = &self.walk.files;
        let at = files.binary_search_by(|file| file.path.cmp(path)).ok()?;
        let hashes = self.hashes.get_or_init(|| files.iter().map(|_| OnceLock::new()).collect());
        let read = || self.workspace.read_walked(path, |_| false).ok().map(|(_, hash)| hash);
        *hashes.get(at)?.get_or_init(read)
    }
}
