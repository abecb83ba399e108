//! The files that git tracks, read from its index. A tracked file is not ignored, whatever git's ignore files say, so a
//! walk looks here before it leaves out a file.

use std::{
    fs::{self, Metadata},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use crate::git_folders::GitFolders;

/// Largest index that is read: about half a million files.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of an entry before its object id: times, device, mode, owner, size.
const STAT_BYTES: usize = 40;
/// Bytes of the two times among them.
const TIME_BYTES: usize = 16;
/// Lengths of an object id: SHA-1 and SHA-256.
const ID_BYTES: [usize; 2] = [20, 32];
/// Age from which on another write would show in the time of the last one, on any file system.
const SETTLED: Duration = Duration::from_secs(2);
/// The flag of an entry that has two more bytes of flags.
const IS_EXTENDED: u16 = 0x4000;

/// Paths that git tracks, from the root.
#[derive(Debug, Default)]
pub(crate) struct TrackedFiles {
    /// All paths, one after the other.
    text: Vec<u8>,
    /// Where each ends; the paths are sorted by their bytes.
    ends: Vec<usize>,
    /// How long each file was when git looked at it last. `None` when it has not, as after `git read-tree`.
    sizes: Vec<Option<u32>>,
}

/// What was read last of the index of one root.
#[derive(Debug, Default)]
pub(crate) struct TrackedFilesCache(Mutex<Option<(IndexStamp, Arc<TrackedFiles>)>>);

/// Tells an index from the one that replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct IndexStamp {
    size: u64,
    written: Option<SystemTime>,
    /// Git writes another file and renames it.
    inode: u64,
}

impl TrackedFilesCache {
    /// Returns the files that git tracks below `root`: none when it is not the top folder of a working tree.
    pub(crate) fn of(&self, root: &Path) -> Arc<TrackedFiles> {
        let Some(git) = GitFolders::of(root) else { return Arc::default() };
        let index = git.own.join("index");
        #[expect(clippy::disallowed_methods, reason = "git's own file")]
        let facts = fs::symlink_metadata(&index).ok();
        let Some(facts) = facts.filter(|file| file.is_file() && file.len() <= MAX_BYTES) else {
            return Arc::default();
        };
        let stamp = IndexStamp::of(&facts);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, files)) = &*known
            && *of == stamp
        {
            return Arc::clone(files);
        }
        #[expect(clippy::disallowed_methods, reason = "git's own file")]
        let bytes = fs::read(&index).unwrap_or_default();
        let files = Arc::new(TrackedFiles::parse(&bytes).unwrap_or_default());
        *known = stamp.is_settled().then(|| (stamp, Arc::clone(&files)));
        files
    }
}

impl IndexStamp {
    fn of(facts: &Metadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(facts);
        #[cfg(not(unix))]
        let inode = 0;
        Self { size: facts.len(), written: facts.modified().ok(), inode }
    }

    fn is_settled(&self) -> bool {
        let age = self.written.and_then(|written| written.elapsed().ok());
        age.is_some_and(|age| age > SETTLED)
    }
}

impl TrackedFiles {
    /// Reads an index of git, version 2 to 4. `None` when it is none.
    fn parse(index: &[u8]) -> Option<Self> {
        let mut header = Bytes(index.strip_prefix(b"DIRC")?);
        let (version, count) = (header.number()?, header.number()?);
        if !(2..=4).contains(&version) {
            return None;
        }
        // Only the repository's configuration says which hash it uses. Read with the other one, the paths are not sorted.
        ID_BYTES.into_iter().find_map(|id| Self::of_entries(header, version, count, id))
    }

    fn of_entries(mut rest: Bytes<'_>, version: u32, count: u32, id: usize) -> Option<Self> {
        let mut files = Self::default();
        let (mut path, mut previous) = (Vec::new(), 0);
        for _ in 0..count {
            let before = rest.0.len();
            let facts = rest.take(STAT_BYTES)?;
            let is_known = facts.iter().take(TIME_BYTES).any(|byte| *byte != 0);
            let size = facts.last_chunk().filter(|_| is_known);
            rest.take(id)?;
            let flags = rest.take(2)?;
            if u16::from_be_bytes(flags.try_into().ok()?) & IS_EXTENDED != 0 {
                rest.take(2)?;
            }
            let shared = if version == 4 { path.len().checked_sub(rest.offset()?)? } else { 0 };
            path.truncate(shared);
            path.extend_from_slice(rest.name()?);
            if version < 4 {
                // An entry is filled up to a multiple of eight, with one byte at least, which is read.
                let length = before - rest.0.len();
                rest.take(length.next_multiple_of(8) - length)?;
            }
            if path.is_empty() || path.as_slice() < &files.text[previous..] {
                return None;
            }
            previous = files.text.len();
            files.text.extend_from_slice(&path);
            files.ends.push(files.text.len());
            files.sizes.push(size.copied().map(u32::from_be_bytes));
        }
        Some(files)
    }

    /// Whether git tracks the file at `path`.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.first_from(path).is_some_and(|found| found == path.as_bytes())
    }

    /// Whether git tracks a file below the folder `path`.
    pub(crate) fn has_below(&self, path: &str) -> bool {
        let start = format!("{path}/");
        self.first_from(&start).is_some_and(|found| found.starts_with(start.as_bytes()))
    }

    /// Whether the file at `path` surely is not what git has checked out: git does not track it, or it had another size.
    pub(crate) fn differs(&self, path: &str, size: u64) -> bool {
        let at = self.position(path);
        if at < self.ends.len() && self.path(at) == path.as_bytes() {
            // Git keeps the lower bytes.
            let size = size & u64::from(u32::MAX);
            return self.sizes[at].is_some_and(|known| u64::from(known) != size);
        }
        // A folder that is tracked itself is another repository.
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            if self.has(above) {
                return false;
            }
            folder = above;
        }
        true
    }

    /// Returns the first path from `start` on.
    fn first_from(&self, start: &str) -> Option<&[u8]> {
        let at = self.position(start);
        (at < self.ends.len()).then(|| self.path(at))
    }

    fn path(&self, at: usize) -> &[u8] {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[begin..self.ends[at]]
    }

    /// Returns where the first path from `start` on is.
    fn position(&self, start: &str) -> usize {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.path(middle) < start.as_bytes() { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Whether git tracks nothing, or its index can't be read.
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// What is left of the index.
#[derive(Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    /// Reads a name up to its end, which is a zero.
    fn name(&mut self) -> Option<&'a [u8]> {
        let length = memchr::memchr(0, self.0)?;
        let name = self.take(length)?;
        self.take(1)?;
        Some(name)
    }

    /// Reads a number of the form that git's packs have for offsets.
    fn offset(&mut self) -> Option<usize> {
        let mut offset = 0_usize;
        loop {
            let byte = *self.take(1)?.first()?;
            offset = offset.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
            if byte & 128 == 0 {
                return Some(offset);
            }
            offset = offset.checked_add(1)?;
        }
    }
}
