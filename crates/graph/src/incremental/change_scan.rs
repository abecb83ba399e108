//! What has changed since the last look: a walk that compares sizes and times, and the reading of what differs. A time
//! that is too young to trust is not trusted: the file is read and its hash decides.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    sync::atomic::{AtomicUsize, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    index::{FileFacts, Language, is_manifest},
    lowering,
    store::Key,
};
use retriever_workspace::{ContentHash, FileEntry, FileStat, RepoPath, Walk, Workspace};

/// Tries to read a file that takes too long: the machine may have been busy.
const MAX_CUTS: u8 = 3;

/// What is kept of a file beside its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    stamp: FileStat,
    /// The stamp was too young to be trusted.
    young: bool,
    /// How often reading it took too long; 0 when it was read to the end.
    cuts: u8,
    hash: [u8; 32],
    /// Nodes of the graph; 0 for what is no source.
    pub(crate) nodes: u32,
    /// The file's number in the store.
    #[serde(skip)]
    pub(crate) key: Key,
}

impl Row {
    /// Whether something could be read.
    pub(crate) fn has_content(&self) -> bool {
        self.hash != NO_HASH
    }

    /// Whether its content has this hash.
    pub(crate) fn is_of(&self, hash: &[u8; 32]) -> bool {
        self.hash == *hash
    }

    /// Whether another look is needed even if the stamp says no.
    fn is_doubtful(&self) -> bool {
        self.young || (1..MAX_CUTS).contains(&self.cuts)
    }

    /// Returns the row under another number.
    pub(crate) fn with_key(mut self, key: Key) -> Self {
        self.key = key;
        self
    }

    /// Whether it stands for the same content as `other`.
    pub(crate) fn has_same_content(&self, other: &Self) -> bool {
        self.hash == other.hash && self.key == other.key
    }
}

/// The hash of a file that can't be read; no content has it.
const NO_HASH: [u8; 32] = [0; 32];

/// What was read of a file; `S` is what is left of a source's facts.
#[derive(Clone, Debug)]
pub(crate) enum Content<S> {
    Source(S),
    Manifest(String),
    /// No text, or no permission.
    Nothing,
}

/// Which files a walk asks the system about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WalkScope {
    /// Those that matter for the graph.
    Sources,
    /// All, for who asks about the tree, too.
    Tree,
}

/// The files of a walk that matter for the graph.
pub(crate) struct TreeScan {
    /// All files that were asked about.
    pub(crate) all: Walk,
    files: Vec<FileEntry>,
    started: u64,
}

/// What a look found.
pub(crate) struct Look<S> {
    /// New or changed.
    pub(crate) fresh: BTreeMap<String, (Row, Content<S>)>,
    /// Touched only: the same content under another stamp.
    pub(crate) touched: BTreeMap<String, Row>,
    pub(crate) removed: Vec<String>,
}

impl<S> Look<S> {
    /// Whether the graph still holds.
    pub(crate) fn is_current(&self) -> bool {
        self.fresh.is_empty() && self.removed.is_empty()
    }
}

pub(crate) fn walk(workspace: &Workspace, breadth: WalkScope) -> TreeScan {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let all = match breadth {
        WalkScope::Sources => {
            workspace.walk_filtered(&RepoPath::root(), |path| is_relevant(path.as_str()))
        }
        WalkScope::Tree => workspace.walk(&RepoPath::root()),
    };
    let relevant = |file: &&FileEntry| is_relevant(file.path.as_str());
    let files = all.files.iter().filter(relevant).cloned().collect();
    TreeScan { all, files, started: u64::try_from(started.as_nanos()).unwrap_or(u64::MAX) }
}

fn is_relevant(path: &str) -> bool {
    Language::of_path(path).is_some() || is_manifest(path)
}

impl TreeScan {
    /// Bytes of all files.
    pub(crate) fn source_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// Files that differ from `rows` by their stamps, and those that are gone.
    pub(crate) fn differing<'a>(
        &'a self,
        rows: &'a BTreeMap<String, Row>,
    ) -> (Vec<&'a FileEntry>, Vec<&'a str>) {
        // Both are sorted.
        let mut known = rows.iter().map(|(path, row)| (path.as_str(), row)).peekable();
        let (mut differing, mut gone) = (Vec::new(), Vec::new());
        for file in &self.files {
            let path = file.path.as_str();
            while let Some((path, _)) = known.next_if(|(known, _)| *known < path) {
                gone.push(path);
            }
            let row = known.next_if(|(known, _)| *known == path);
            if row.is_none_or(|(_, row)| row.is_doubtful() || row.stamp != FileStat::of(file)) {
                differing.push(file);
            }
        }
        gone.extend(known.map(|(path, _)| path));
        (differing, gone)
    }

    /// Reads what differs from `rows`. `seen` is told of every file that was read, `keep` gets the facts of sources, with
    /// the row that the file had.
    ///
    /// # Errors
    ///
    /// Those of `keep`.
    pub(crate) fn look<S: Send, E: Send>(
        &self,
        workspace: &Workspace,
        rows: &BTreeMap<String, Row>,
        seen: &(dyn Fn(usize, usize) + Sync),
        keep: impl Fn(Key, Option<&Row>, FileFacts) -> Result<S, E> + Sync,
    ) -> Result<Look<S>, E> {
        let (differing, removed) = self.differing(rows);
        let done = AtomicUsize::new(0);
        let unused = rows.values().map(|row| row.key).max().unwrap_or_default() + 1;
        // The longest first and each by itself, so that no thread is left alone with one.
        let mut order: Vec<usize> = (0..differing.len()).collect();
        order.sort_by_key(|at| Reverse(differing[*at].size));
        let look = |at: usize| {
            let file = differing[at];
            let known = rows.get(file.path.as_str());
            let (hash, content) = read(workspace, file, known);
            seen(done.fetch_add(1, Ordering::Relaxed) + 1, differing.len());
            let stamp = FileStat::of(file);
            let young = stamp.is_racy(self.started);
            let before = known.filter(|row| row.hash == hash).map_or(0, |row| row.cuts);
            let cuts = match &content {
                Some(Content::Source(facts)) if facts.cut => before + 1,
                Some(_) => 0,
                None => before,
            };
            let key = known.map_or(unused.saturating_add_unsigned(at as u64), |row| row.key);
            let nodes = known.map_or(0, |row| row.nodes);
            let content = match content {
                Some(Content::Source(facts)) => Some(Content::Source(keep(key, known, facts)?)),
                Some(Content::Manifest(text)) => Some(Content::Manifest(text)),
                Some(Content::Nothing) => Some(Content::Nothing),
                None => None,
            };
            Ok((file, Row { stamp, young, cuts, hash, nodes, key }, content))
        };
        let read: Vec<(&FileEntry, Row, Option<Content<S>>)> =
            order.into_par_iter().with_max_len(1).map(look).collect::<Result<_, E>>()?;
        let mut look = Look {
            fresh: BTreeMap::new(),
            touched: BTreeMap::new(),
            removed: removed.into_iter().map(str::to_owned).collect(),
        };
        for (file, row, content) in read {
            let path = file.path.as_str().to_owned();
            match content {
                Some(content) => drop(look.fresh.insert(path, (row, content))),
                None if rows.get(&path).is_some_and(|known| row != *known) => {
                    look.touched.insert(path, row);
                }
                None => {}
            }
        }
        Ok(look)
    }
}

/// The hash of a file as it is now, and its content unless it is the known one.
fn read(
    workspace: &Workspace,
    file: &FileEntry,
    known: Option<&Row>,
) -> ([u8; 32], Option<Content<FileFacts>>) {
    let path = file.path.as_str();
    let Ok((text, hash)) = workspace.read_walked(&file.path) else {
        let is_known = known.is_some_and(|row| !row.has_content());
        return (NO_HASH, (!is_known).then_some(Content::Nothing));
    };
    let hash = *ContentHash::as_bytes(&hash);
    let cuts = known.filter(|row| row.hash == hash).map(|row| row.cuts);
    if cuts.is_some_and(|cuts| !(1..MAX_CUTS).contains(&cuts)) {
        return (hash, None);
    }
    let content = match Language::of_path(path) {
        Some(language) => Content::Source(lowering::extract(language, &text)),
        None => Content::Manifest(text),
    };
    (hash, Some(content))
}
