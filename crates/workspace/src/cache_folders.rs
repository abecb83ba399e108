//! The cache folder: a folder for each set of roots, its content and size, and its limit, which removes the least
//! recently used folders first. The writers of the files know their content.
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

/// Name of the folder whose files serve all roots. It has its own limit.
pub const SHARED_FACTS: &str = "facts";
/// File with the roots of a folder, one per line; its time is that of the last use.
const ROOTS_FILE: &str = "roots";
/// File with the repository that a folder's root is a working tree of.
const REPOSITORY_FILE: &str = "repository";
/// Length of a folder's name, which is a hash.
const NAME_LETTERS: usize = 16;
/// Interval after which a use is recorded again.
const NOTE_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// The content of the cache.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CacheReport {
    /// The cache folder.
    pub folder: PathBuf,
    /// Bytes of all entries.
    pub bytes: u64,
    /// Bytes that serve all roots besides the entries: facts of files, by content.
    pub shared_bytes: u64,
    /// Limit of the entries, in bytes; 0 without a limit.
    pub max_bytes: u64,
    /// One entry per set of roots, the most recently used first.
    pub entries: Vec<CacheEntry>,
}

/// The data of one set of roots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CacheEntry {
    /// Its folder.
    pub folder: PathBuf,
    /// The roots; empty when an earlier version wrote the entry.
    pub roots: Vec<PathBuf>,
    /// Whether all roots exist.
    pub present: bool,
    /// Its size, without files that it shares with more recently used entries.
    pub bytes: u64,
    /// Time of the last use in seconds since 1970, within an hour.
    pub last_used: u64,
}

/// The result of [`prune`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PruneReport {
    /// Bytes of the removed entries.
    pub bytes: u64,
    /// Whether the entries still exist, since removal was not asked for.
    pub dry_run: bool,
    /// The removed entries, the least recently used first.
    pub removed: Vec<CacheEntry>,
}

/// Which entries [`prune`] removes.
#[derive(Clone, Copy, Debug)]
pub struct PruneOptions {
    /// Bytes to keep at most; 0 for any number.
    pub max_bytes: u64,
    /// Whether entries of deleted roots are removed.
    pub remove_absent: bool,
    /// Whether entries are only listed.
    pub dry_run: bool,
}

/// Records in a folder that it belongs to this workspace and is used now. The folder exists.
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

/// Records in a folder that its root is a working tree of `repository`, so that other trees can reuse its content.
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

/// Returns the folders of other working trees of `repository` beside `own`, the most recently written first.
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

/// Lists the cache in `folder`; a missing folder is an empty cache.
///
/// # Errors
///
/// Errors if the folder can't be read.
pub fn list(folder: &Path, max_bytes: u64) -> io::Result<CacheReport> {
    let mut entries = Vec::new();
    for entry in sorted(folder)? {
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_hash = name.len() == NAME_LETTERS && name.bytes().all(|b| b.is_ascii_hexdigit());
        // Folders of other users, and links, are not listed and so never removed.
        if is_hash && fs::symlink_metadata(&entry).is_ok_and(|metadata| metadata.is_dir()) {
            entries.push(CacheEntry::of(entry));
        }
    }
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.last_used));
    // A file that several entries share counts for the most recently used one, which is removed last.
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
    // Entries of deleted roots are removed first, which may free enough.
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

/// Returns the bytes of the files below `folder` that are not in `counted` yet.
fn size(folder: &Path, counted: &mut BTreeSet<DeviceAndInode>) -> u64 {
    let is_new = |file: &Metadata| file_id(file).is_none_or(|id| counted.insert(id));
    files_below(folder).into_iter().filter(is_new).map(|file| file.len()).sum()
}

/// Returns the time of the latest write below `folder`.
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

/// Identifies a file that may have several names: device and inode.
type DeviceAndInode = (u64, u64);

#[cfg(unix)]
fn file_id(file: &Metadata) -> Option<DeviceAndInode> {
    use std::os::unix::fs::MetadataExt;
    Some((file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn file_id(_: &Metadata) -> Option<DeviceAndInode> {
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
