//! Which files have changed: a walk that compares sizes and times with what is known, and the reading of files that differ.
//! A time that is too young to be trusted proves nothing; then the file is read and the hash of its content decides.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use rayon::prelude::*;
use retriever_workspace::{
    Cancellation, ContentHash, ContentHashes, DirectoryWalk, FileStat, FoundFile, ReadError,
    RepoPath, Workspace,
};

use super::{
    facts_for_resolution::{LoadedSourceFile, SourceReader},
    indexed_file_record::{FileRecord, FileRecords},
};
use crate::{
    languages::{Language, may_be_manifest},
    store::{FileKey, StoreError},
};

/// A callback for progress: the number of files that were read, and of all files to be read.
pub type FileReadProgress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// What was read of a file.
pub(super) enum FileContent {
    Source(Box<LoadedSourceFile>),
    Manifest(String),
    /// The file is no text, or may not be read.
    Unreadable,
}

/// Which files a walk returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkScope {
    /// Files that the graph is made from.
    Sources,
    /// All files.
    Tree,
}

/// A walk, and the files of it that the graph is made from.
pub(super) struct WorkingTreeScan {
    pub(super) walk: Arc<DirectoryWalk>,
    /// Their numbers in the walk; `None` when they are all of its files.
    sources: Option<Arc<[usize]>>,
    /// Nanoseconds since 1970.
    started: u64,
}

/// The differences between the tree and what is known of it.
pub(super) struct WorkingTreeChanges {
    /// Files that are new or have another content.
    pub(super) fresh: BTreeMap<String, (FileRecord, FileContent)>,
    /// Files with other times and the same content.
    pub(super) touched: FileRecords,
    pub(super) removed: Vec<String>,
}

impl WorkingTreeChanges {
    /// Whether the graph matches the tree.
    pub(super) fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.removed.is_empty()
    }
}

impl WorkingTreeScan {
    /// Walks the tree.
    ///
    /// # Errors
    ///
    /// [`StoreError::Cancelled`].
    pub(super) fn new(
        workspace: &Workspace,
        scope: WalkScope,
        cancellation: &Cancellation,
    ) -> Result<Self, StoreError> {
        let started = SystemTime::now();
        let walk = workspace.walk_filtered(&RepoPath::root(), cancellation, |path| {
            scope == WalkScope::Tree || is_relevant(path.as_str())
        });
        cancellation.check()?;
        let sources = (scope == WalkScope::Tree).then(|| sources_of(&walk));
        Ok(Self { walk: Arc::new(walk), sources, started: since_1970(started) })
    }

    /// The files that the graph is made from.
    fn files(&self) -> impl Iterator<Item = &FoundFile> {
        let all = if self.sources.is_none() { self.walk.files.as_slice() } else { &[] };
        let sources = self.sources.iter().flat_map(|sources| sources.iter());
        all.iter().chain(sources.filter_map(|at| self.walk.files.get(*at)))
    }

    /// Bytes of the files that the graph is made from.
    pub(super) fn source_bytes(&self) -> u64 {
        self.files().map(|file| file.size).sum()
    }

    /// Returns the files whose stamps differ from `known`, and the paths of removed files.
    pub(super) fn differing<'a>(&'a self, known: &'a FileRecords) -> Differences<'a> {
        // Both are sorted by path.
        let mut known = known.iter().map(|(path, file)| (path.as_str(), file)).peekable();
        let (mut differing, mut gone) = (Vec::new(), Vec::new());
        for file in self.files() {
            let path = file.path.as_str();
            while let Some((path, _)) = known.next_if(|(known, _)| *known < path) {
                gone.push(path);
            }
            let record = known.next_if(|(known, _)| *known == path);
            if record
                .is_none_or(|(_, known)| known.is_doubtful() || known.stamp != FileStat::of(file))
            {
                differing.push(file);
            }
        }
        gone.extend(known.map(|(path, _)| path));
        (differing, gone)
    }
}

/// Files whose stamps differ from what is known, and the paths of files that are gone.
pub(super) type Differences<'a> = (Vec<&'a FoundFile>, Vec<&'a str>);

/// The last scan of a walk that file events keep up to date.
#[derive(Default)]
pub(super) struct LastScan(Mutex<Option<ScannedWalk>>);

/// A walk and the numbers of its files that the graph is made from.
type ScannedWalk = (Arc<DirectoryWalk>, Arc<[usize]>);

impl LastScan {
    /// Returns the scan of a walk of the whole tree, which is known to be current since `started`.
    pub(super) fn of_tree(&self, walk: Arc<DirectoryWalk>, started: SystemTime) -> WorkingTreeScan {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |(known, _): &&(Arc<DirectoryWalk>, _)| Arc::ptr_eq(known, &walk);
        let known = last.as_ref().filter(is_same).map(|(_, sources)| Arc::clone(sources));
        let sources = known.unwrap_or_else(|| sources_of(&walk));
        *last = Some((Arc::clone(&walk), Arc::clone(&sources)));
        WorkingTreeScan { walk, sources: Some(sources), started: since_1970(started) }
    }
}

/// Returns the numbers of the files that the graph is made from.
fn sources_of(walk: &DirectoryWalk) -> Arc<[usize]> {
    let all = walk.files.iter().enumerate();
    all.filter(|(_, file)| is_relevant(file.path.as_str())).map(|(at, _)| at).collect()
}

fn since_1970(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

fn is_relevant(path: &str) -> bool {
    Language::of_path(path).is_some() || may_be_manifest(path)
}

/// Reads files that differ from what is known.
pub(super) struct ChangedFileReader<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) known: &'a FileRecords,
    /// Hashes of the files of the walk, which others read meanwhile.
    pub(super) hashes: Option<&'a ContentHashes<'a>>,
    pub(super) sources: SourceReader<'a>,
    pub(super) cancellation: &'a Cancellation,
    pub(super) progress: FileReadProgress<'a>,
}

impl ChangedFileReader<'_> {
    /// Reads the files of `scan` that differ.
    ///
    /// # Errors
    ///
    /// [`StoreError::Cancelled`].
    pub(super) fn read(&self, scan: &WorkingTreeScan) -> Result<WorkingTreeChanges, StoreError> {
        let (differing, removed) = scan.differing(self.known);
        let done = AtomicUsize::new(0);
        let unused = self.known.values().map(|file| file.key).max().unwrap_or_default() + 1;
        // The longest first and one task each, so that the work ends on all threads at about the same time.
        let mut order: Vec<usize> = (0..differing.len()).collect();
        order.sort_by_key(|at| Reverse(differing[*at].size));
        let read = |at: usize| {
            self.cancellation.check()?;
            let file = differing[at];
            let new_key = unused.saturating_add_unsigned(at as u64);
            let (record, content) = self.read_file(file, new_key, scan.started)?;
            (self.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, differing.len());
            Ok((file.path.as_str().to_owned(), record, content))
        };
        let files: Vec<_> =
            order.into_par_iter().with_max_len(1).map(read).collect::<Result<_, StoreError>>()?;
        let mut changes = WorkingTreeChanges {
            fresh: BTreeMap::new(),
            touched: FileRecords::new(),
            removed: removed.into_iter().map(str::to_owned).collect(),
        };
        for (path, record, content) in files {
            match content {
                Some(content) => drop(changes.fresh.insert(path, (record, content))),
                None if self.known.get(&path).is_some_and(|known| record != *known) => {
                    changes.touched.insert(path, record);
                }
                None => {}
            }
        }
        Ok(changes)
    }

    /// Returns the new record of a file, and its content unless that is the known one. Errors if the work was cancelled.
    fn read_file(
        &self,
        file: &FoundFile,
        new_key: FileKey,
        scan_started: u64,
    ) -> Result<(FileRecord, Option<FileContent>), StoreError> {
        let known = self.known.get(file.path.as_str());
        let ReadContent { hash, content, has_failed } = self.read_content(file, known)?;
        let omission = match &content {
            Some(FileContent::Source(source)) => source.omission,
            Some(_) => None,
            None => known.and_then(|known| known.omission),
        };
        let stamp = FileStat::of(file);
        // What the system could not read this time may be read the next time, with the same stamp. One that can never be
        // read is tried at each scan.
        let is_young = has_failed || stamp.is_racy(scan_started);
        let is_manifest = match &content {
            Some(content) => matches!(content, FileContent::Manifest(_)),
            None => known.is_some_and(|known| known.is_manifest),
        };
        let record = FileRecord {
            stamp,
            is_young,
            omission,
            hash,
            is_manifest,
            nodes: known.map_or(0, |known| known.nodes),
            omits_edges: known.is_some_and(|known| known.omits_edges),
            omits_structure: known.is_some_and(|known| known.omits_structure),
            key: known.map_or(new_key, |known| known.key),
        };
        Ok((record, content))
    }

    /// Returns the hash of a file as it is now, and its content unless that is the known one.
    fn read_content(
        &self,
        file: &FoundFile,
        known: Option<&FileRecord>,
    ) -> Result<ReadContent, StoreError> {
        let read = |hash, content| Ok(ReadContent { hash, content, has_failed: false });
        let differs = |hash: &ContentHash| {
            known.is_none_or(|known| known.hash != *ContentHash::as_bytes(hash))
        };
        let shared = self.hashes.filter(|_| known.is_some());
        if let Some(hash) = shared.and_then(|hashes| hashes.of(&file.path))
            && !differs(&hash)
        {
            return read(*ContentHash::as_bytes(&hash), None);
        }
        let (text, hash) = match self.workspace.read_walked(&file.path, differs) {
            Ok(found) => found,
            Err(error) => {
                let is_known = known.is_some_and(|known| !known.has_content());
                return Ok(ReadContent {
                    hash: FileRecord::unreadable_hash(),
                    content: (!is_known).then_some(FileContent::Unreadable),
                    has_failed: matches!(error, ReadError::Unreadable(..)),
                });
            }
        };
        let hash = *ContentHash::as_bytes(&hash);
        let Some(text) = text else { return read(hash, None) };
        let content = match Language::of_source(file.path.as_str(), &text) {
            Some(language) => {
                let facts = self.sources.read(language, &text, &hash)?;
                FileContent::Source(Box::new(self.sources.pack(file.path.as_str(), facts)?))
            }
            None => FileContent::Manifest(text),
        };
        read(hash, Some(content))
    }
}

/// What reading a file gave.
struct ReadContent {
    hash: [u8; 32],
    /// `None` when it is the known one.
    content: Option<FileContent>,
    /// The system returned an error.
    has_failed: bool,
}
