//! The fingerprint of a working tree: a hash over path, size and times of every file that a search can see, and the content
//! of files whose times are too recent to prove that they are unchanged. Hidden or ignored files count when a call named
//! them.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use retriever_graph::indexing::GraphIndex;
use retriever_workspace::{
    Cancellation, ContentHash, FileStat, FileState, PathEntryKind, RepoPath, Workspace,
};

/// Most files with recent times that are read. A tree with more of them was written just now and gets no fingerprint.
const MAX_RECENT_FILES: usize = 4_000;
/// Most names that are looked up as paths.
const MAX_NAMES: usize = 4_000;

/// The fingerprint of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TreeFingerprint {
    stamps: String,
    /// The state of files that could change again without a change of size or times.
    recent: BTreeMap<String, String>,
}

/// A tree at one time: its fingerprint and its files.
pub(super) struct WorkingTreeSnapshot {
    pub(super) fingerprint: TreeFingerprint,
    /// Sorted.
    paths: Vec<RepoPath>,
}

impl WorkingTreeSnapshot {
    /// Takes the snapshot of the tree of `index`. Returns `None` if too many of its files are recent, or if it was
    /// cancelled.
    pub(super) fn of(index: &GraphIndex, cancellation: &Cancellation) -> Option<Self> {
        let workspace = index.workspace();
        let started = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        let started = u64::try_from(started.as_nanos()).ok()?;
        let walk = index.walk(cancellation).ok()?;
        let mut hasher = blake3::Hasher::new();
        let mut recent = BTreeMap::new();
        for file in &walk.files {
            let stamp = FileStat::of(file);
            hasher.update(format!("{}\0{stamp:?}\0", file.path.as_str()).as_bytes());
            if stamp.is_racy(started) {
                if recent.len() == MAX_RECENT_FILES {
                    return None;
                }
                cancellation.check().ok()?;
                let path = file.path.as_str().to_owned();
                recent.insert(path.clone(), file_state(workspace, &path));
            }
        }
        let stamps = hasher.finalize().to_hex().to_string();
        let paths = walk.files.iter().map(|file| file.path.clone()).collect();
        Some(Self { fingerprint: TreeFingerprint { stamps, recent }, paths })
    }

    /// Returns the state of everything in `names` that is a path outside the walked files. Returns `None` if a folder is
    /// among it, because new files in it could not be noticed cheaply.
    pub(super) fn files_outside_walk(
        &self,
        workspace: &Workspace,
        names: &BTreeSet<String>,
    ) -> Option<BTreeMap<String, String>> {
        if names.len() > MAX_NAMES {
            return None;
        }
        let mut files = BTreeMap::new();
        for path in names.iter().flat_map(|name| possible_paths(name)) {
            let Ok(path) = workspace.normalize(path) else { continue };
            if path == RepoPath::root() || self.paths.binary_search(&path).is_ok() {
                continue;
            }
            if workspace.kind(&path) == Ok(PathEntryKind::Folder) {
                if self.has_files_below(&path) {
                    continue;
                }
                return None;
            }
            files.insert(path.as_str().to_owned(), file_state(workspace, path.as_str()));
        }
        Some(files)
    }

    fn has_files_below(&self, folder: &RepoPath) -> bool {
        let prefix = format!("{}/", folder.as_str());
        let at = self.paths.partition_point(|path| path.as_str() < prefix.as_str());
        self.paths.get(at).is_some_and(|path| path.as_str().starts_with(&prefix))
    }
}

impl TreeFingerprint {
    /// Whether `snapshot` is of the same tree as this fingerprint.
    pub(super) fn matches(&self, snapshot: &WorkingTreeSnapshot, workspace: &Workspace) -> bool {
        self.stamps == snapshot.fingerprint.stamps
            && self.recent.iter().all(|(path, state)| file_state(workspace, path) == *state)
    }
}

/// Returns the paths that a text of a call may stand for: the text itself, the text before lines, and the folder before the
/// first wildcard of a glob.
fn possible_paths(text: &str) -> impl Iterator<Item = &str> {
    let without_lines = text.rsplit_once(':').map(|(path, _)| path);
    let glob_folder = text
        .find(['*', '?', '[', '{'])
        .and_then(|at| text[..at].rsplit_once('/'))
        .map(|(folder, _)| folder);
    [Some(text), without_lines, glob_folder].into_iter().flatten()
}

/// Returns the state of a file: the hash of its content, or why it has none.
pub(super) fn file_state(workspace: &Workspace, path: &str) -> String {
    let Ok(path) = RepoPath::parse(path, "") else { return String::new() };
    match workspace.file_state(&path) {
        FileState::Current(hash) => hex(&hash),
        FileState::Outside => "outside".to_owned(),
        FileState::Missing if workspace.kind(&path) == Ok(PathEntryKind::Folder) => {
            "folder".to_owned()
        }
        FileState::Missing => String::new(),
    }
}

pub(super) fn hex(hash: &ContentHash) -> String {
    blake3::Hash::from_bytes(*hash.as_bytes()).to_hex().to_string()
}
