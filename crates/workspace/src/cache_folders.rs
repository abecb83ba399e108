//! The cache folder: a folder for each set of roots, what lies in it and how big it is, and its bound: least recently used
//! folders are removed first. What the files in a folder hold is known by those who write them.
#![expect(clippy::disallowed_methods, reason = "the cache lies outside of any workspace")]

use std::{
    collections::BTreeSet,
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Workspace,
    cache_file_io::{lock_file, replace_file},
};

/// Name of the folder whose files serve all roots. It has a bound of its own.
pub const SHARED_FACTS: &str = "facts";
/// Names the roots that a folder is of, a line each; its time is that of the last use.
const ROOTS_FILE: &str = "roots";
/// Says which repository the root of a folder is a working tree of.
const REPOSITORY_FILE: &str = "repository";
/// Letters of a folder's name, which is a hash.
const NAME_LETTERS: usize = 16;
/// A use is noted again after this time.
const NOTE_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// What lies in the cache.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CacheReport {
    /// The cache folder.
    pub folder: PathBuf,
    /// Bytes of all entries.
    pub bytes: u64,
    /// Bytes that serve all roots beside the entries: facts of files, by their content.
    pub shared_bytes: u64,
    /// Bytes that the entries are kept below; 0 when it is not bounded.
    pub max_bytes: u64,
    /// An entry for each set of roots, the most recently used first.
    pub entries: Vec<CacheEntry>,
}

/// What is kept for one set of roots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CacheEntry {
    /// Its folder.
    pub folder: PathBuf,
    /// The roots. None when an earlier version wrote it.
    pub roots: Vec<PathBuf>,
    /// Whether all roots are there.
    pub present: bool,
    /// Its size. What it shares with entries that were used more recently is left out.
    pub bytes: u64,
    /// When it was last used, in seconds since 1970, within an hour.
    pub last_used: u64,
}

/// What [`prune`] has removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PruneReport {
    /// Bytes of the removed entries.
    pub bytes: u64,
    /// Whether they are still there: nothing was to be removed.
    pub dry_run: bool,
    /// The removed entries, the least recently used first.
    pub removed: Vec<CacheEntry>,
}

/// Which entries [`prune`] removes.
#[derive(Clone, Copy, Debug)]
pub struct PruneOptions {
    /// Bytes to keep at most; 0 for any number.
    pub max_bytes: u64,
    /// Whether entries go whose roots are gone.
    pub remove_absent: bool,
    /// Whether nothing is removed, only listed.
    pub dry_run: bool,
}

/// Notes in a folder that it is of this workspace and is used now. The folder exists.
///
/// # Errors
///
/// Errors of the file system.
pub fn note_use(folder: &Path, workspace: &Workspace) -> io::Result<()> {
    let path = folder.join(ROOTS_FILE);
    let noted = fs::metadata(&path).and_then(|metadata| metadata.modified());
    if noted.is_ok_and(|noted| noted.elapsed().is_ok_and(|since| since < NOTE_INTERVAL)) {
        return Ok(());
    }
    let roots: Vec<&str> = workspace.roots().map(|(_, path)| path).collect();
    replace_file(&path, (roots.join("\n") + "\n").as_bytes())
}

/// Notes in a folder that its root is a working tree of `repository`, so that what is in it serves others.
///
/// # Errors
///
/// Errors of the file system.
pub fn note_repository(folder: &Path, repository: &Path) -> io::Result<()> {
    let path = folder.join(REPOSITORY_FILE);
    if is_of_repository(folder, repository) {
        return Ok(());
    }
    replace_file(&path, repository.as_os_str().as_encoded_bytes())
}

/// Returns the folders beside `own` of other working trees of `repository`, the one that was written last first.
pub fn siblings(own: &Path, repository: &Path) -> Vec<PathBuf> {
    let folders = own.parent().map(sorted).and_then(Result::ok).unwrap_or_default();
    let mut found: Vec<(SystemTime, PathBuf)> = folders
        .into_iter()
        .filter(|folder| folder != own && is_of_repository(folder, repository))
        .map(|folder| (latest_write(&folder), folder))
        .collect();
    found.sort_unstable();
    found.into_iter().rev().map(|(_, folder)| folder).collect()
}

fn is_of_repository(folder: &Path, repository: &Path) -> bool {
    let noted = fs::read(folder.join(REPOSITORY_FILE));
    noted.is_ok_and(|noted| noted == repository.as_os_str().as_encoded_bytes())
}

/// Lists the cache in `folder`; a folder that is not there is an empty one.
///
/// # Errors
///
/// Errors if the folder can't be read.
pub fn list(folder: &Path, max_bytes: u64) -> io::Result<CacheReport> {
    let mut entries = Vec::new();
    for entry in sorted(folder)? {
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_hash = name.len() == NAME_LETTERS && name.bytes().all(|b| b.is_ascii_hexdigit());
        // Folders of other users are not listed, and so never removed. Neither are links.
        if is_hash && fs::symlink_metadata(&entry).is_ok_and(|metadata| metadata.is_dir()) {
            entries.push(CacheEntry::of(entry));
        }
    }
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.last_used));
    // A file that several entries share is counted for the most recently used one, which is removed last.
    let mut counted = BTreeSet::new();
    for entry in &mut entries {
        entry.bytes = size(&entry.folder, &mut counted);
    }
    let bytes = entries.iter().map(|entry| entry.bytes).sum();
    let shared_bytes = size(&folder.join(SHARED_FACTS), &mut counted);
    Ok(CacheReport { folder: folder.to_owned(), bytes, shared_bytes, max_bytes, entries })
}

/// Removes entries, the least recently used first, until the rest fits. An entry that a process has open
/// stays.
///
/// # Errors
///
/// Errors if the folder can't be read or an entry can't be removed.
pub fn prune(folder: &Path, options: PruneOptions) -> io::Result<PruneReport> {
    let cache = list(folder, options.max_bytes)?;
    let mut report = PruneReport { dry_run: options.dry_run, ..PruneReport::default() };
    // Roots that are gone go first: what they took may make room enough.
    let (absent, present): (Vec<_>, Vec<_>) =
        cache.entries.into_iter().rev().partition(|entry| options.remove_absent && !entry.present);
    for entry in absent.into_iter().chain(present) {
        let left = cache.bytes - report.bytes;
        let is_surplus = options.max_bytes > 0 && left > options.max_bytes;
        let is_absent = options.remove_absent && !entry.present;
        if (is_surplus || is_absent) && (options.dry_run || entry.remove()?) {
            report.bytes += entry.bytes;
            report.removed.push(entry);
        }
    }
    Ok(report)
}

impl CacheEntry {
    fn of(folder: PathBuf) -> Self {
        let noted = fs::read_to_string(folder.join(ROOTS_FILE)).unwrap_or_default();
        let roots: Vec<PathBuf> = noted.lines().map(PathBuf::from).collect();
        let noted = fs::metadata(folder.join(ROOTS_FILE)).and_then(|file| file.modified());
        let last_used = noted.unwrap_or_else(|_| latest_write(&folder));
        let last_used = last_used.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let present = roots.iter().all(|root| root.is_dir());
        Self { folder, roots, present, bytes: 0, last_used }
    }

    /// Returns whether the entry was removed; one that a process has open stays.
    fn remove(&self) -> io::Result<bool> {
        let lock = lock_file(&self.folder)?;
        if lock.try_lock().is_err() {
            return Ok(false);
        }
        fs::remove_dir_all(&self.folder).map(|()| true)
    }
}

/// Returns the bytes of the files below `folder` that are not `counted` yet.
fn size(folder: &Path, counted: &mut BTreeSet<FileId>) -> u64 {
    let is_new = |file: &Metadata| file_id(file).is_none_or(|id| counted.insert(id));
    files_below(folder).into_iter().filter(is_new).map(|file| file.len()).sum()
}

/// Returns when the latest file below `folder` was written.
fn latest_write(folder: &Path) -> SystemTime {
    let written = files_below(folder).into_iter().filter_map(|file| file.modified().ok());
    written.max().unwrap_or(UNIX_EPOCH)
}

fn files_below(folder: &Path) -> Vec<Metadata> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in sorted(&folder).unwrap_or_default() {
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => folders.push(path),
                Ok(metadata) => files.push(metadata),
                Err(_) => {}
            }
        }
    }
    files
}

/// Tells a file with several names from others: device and number.
type FileId = (u64, u64);

#[cfg(unix)]
fn file_id(file: &Metadata) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    Some((file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn file_id(_: &Metadata) -> Option<FileId> {
    None
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}
