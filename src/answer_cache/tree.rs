//! How a working tree stands, in a few bytes: a hash over the path, size and times of every file that a search may see, and
//! the content of those whose times are too young to be trusted. What lies beside the walk, hidden or ignored, counts when
//! it was asked for by name.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use retriever_workspace::{ContentHash, EntryKind, FileStat, FileState, RepoPath, Workspace};

/// Files with young times that are read; a tree with more of them has only just been written.
const MOST_YOUNG: usize = 4_000;
/// Most names that may be paths.
const MOST_NAMES: usize = 4_000;

/// How a tree stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tree {
    stamp: String,
    /// Files that could change once more without another stamp, by content.
    young: BTreeMap<String, String>,
}

/// A tree and its files.
pub(super) struct Look {
    pub(super) tree: Tree,
    /// Sorted.
    paths: Vec<RepoPath>,
}

impl Look {
    /// Looks at the whole tree; `None` when it is too young to be known again.
    pub(super) fn at(workspace: &Workspace) -> Option<Self> {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        let started = u64::try_from(started.as_nanos()).ok()?;
        let files = workspace.walk(&RepoPath::root()).files;
        let mut hasher = blake3::Hasher::new();
        let mut young = BTreeMap::new();
        for file in &files {
            let stamp = FileStat::of(file);
            hasher.update(format!("{}\0{stamp:?}\0", file.path.as_str()).as_bytes());
            if stamp.is_racy(started) {
                if young.len() == MOST_YOUNG {
                    return None;
                }
                let path = file.path.as_str().to_owned();
                young.insert(path.clone(), standing(workspace, &path));
            }
        }
        let stamp = hasher.finalize().to_hex().to_string();
        let paths = files.into_iter().map(|file| file.path).collect();
        Some(Self { tree: Tree { stamp, young }, paths })
    }

    /// Returns how everything that `named` names stands beside the walked files. `None` when there is a folder among it: what
    /// was not found in it can't be known again cheaply.
    pub(super) fn apart(
        &self,
        workspace: &Workspace,
        named: &BTreeSet<String>,
    ) -> Option<BTreeMap<String, String>> {
        if named.len() > MOST_NAMES {
            return None;
        }
        let mut apart = BTreeMap::new();
        for path in named.iter().flat_map(|name| spelled(name)) {
            let Ok(path) = workspace.normalize(path) else { continue };
            if path == RepoPath::root() || self.paths.binary_search(&path).is_ok() {
                continue;
            }
            if workspace.kind(&path) == Ok(EntryKind::Folder) {
                if self.has_files_below(&path) {
                    continue;
                }
                return None;
            }
            apart.insert(path.as_str().to_owned(), standing(workspace, path.as_str()));
        }
        Some(apart)
    }

    fn has_files_below(&self, folder: &RepoPath) -> bool {
        let start = format!("{}/", folder.as_str());
        let at = self.paths.partition_point(|path| path.as_str() < start.as_str());
        self.paths.get(at).is_some_and(|path| path.as_str().starts_with(&start))
    }
}

impl Tree {
    /// Whether nothing differs in the tree that was looked at.
    pub(super) fn is_that_of(&self, look: &Look, workspace: &Workspace) -> bool {
        self.stamp == look.tree.stamp
            && self.young.iter().all(|(path, kept)| standing(workspace, path) == *kept)
    }
}

/// The paths that a text of a call may stand for: itself, without lines behind it, and the folder in front of a glob's first
/// wildcard.
fn spelled(name: &str) -> impl Iterator<Item = &str> {
    let without_lines = name.rsplit_once(':').map(|(path, _)| path);
    let above_glob =
        name.find(['*', '?', '[', '{']).and_then(|at| name[..at].rsplit_once('/')).map(|(f, _)| f);
    [Some(name), without_lines, above_glob].into_iter().flatten()
}

/// How a file stands: the hash of its content, or a word for what has none.
pub(super) fn standing(workspace: &Workspace, path: &str) -> String {
    let Ok(path) = RepoPath::parse(path, "") else { return String::new() };
    match workspace.file_state(&path) {
        FileState::Current(hash) => hex(&hash),
        FileState::Outside => "outside".to_owned(),
        FileState::Missing if workspace.kind(&path) == Ok(EntryKind::Folder) => "folder".to_owned(),
        FileState::Missing => String::new(),
    }
}

pub(super) fn hex(hash: &ContentHash) -> String {
    blake3::Hash::from_bytes(*hash.as_bytes()).to_hex().to_string()
}
