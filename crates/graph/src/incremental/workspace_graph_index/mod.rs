//! The graph of a workspace, kept in step with the working tree. Every question first compares the tree with what is known,
//! reads the files that differ, and has the store brought up to date. Without a folder, or when the store in the folder
//! can't be used, the same store is kept in memory. How one request is served stands in [`refresh_and_answer`].

mod refresh_and_answer;

#[cfg(target_os = "linux")]
use std::time::SystemTime;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

#[cfg(target_os = "linux")]
use retriever_workspace::WatchedTree;
use retriever_workspace::{Cancellation, ContentHashes, DirectoryWalk, Workspace, cache_folders};

use self::refresh_and_answer::{Run, answer};
use super::{
    facts_for_resolution::SourceReader,
    indexed_file_record::{self, CachedFileRecords, graph_files},
    portable_graph,
    remote_graph_source::RemoteGraphSource,
    store_refresh::{MAX_READ_BEFORE_LOCK, RefreshSummary},
    working_tree_scan::{
        ChangedFileReader, FileReadProgress, LastScan, WalkScope, WorkingTreeScan,
    },
    worktree_graph_copy,
};
use crate::{
    facts::scip_file_data::ScipFileData,
    scip::{self, ScipError, ScipImport, ScipIndex},
    store::{self, ContentAddressedFacts, Graph, GraphState, GraphStore, StoreError},
};

/// Bytes of facts that are kept for all roots.
const MAX_FACTS_BYTES: u64 = 2 << 30;
/// Bytes of source from which on a graph that is only of help is not made: about two seconds on two cores.
const QUICK_BYTES: u64 = 10 * 1024 * 1024;

/// The code graph of one workspace. Any number of threads and processes may ask; answers are about the working tree as it
/// is at that moment.
pub struct GraphIndex {
    workspace: Arc<Workspace>,
    folder: Option<PathBuf>,
    /// The store of an index without a usable folder.
    in_memory: Mutex<Option<Arc<GraphStore>>>,
    /// Whether there is one, for who must not wait while it is made.
    is_in_memory: AtomicBool,
    records: CachedFileRecords,
    /// SCIP overlays that were imported and are not in the store yet.
    new_overlays: Mutex<BTreeMap<String, ScipFileData>>,
    warnings: Mutex<Vec<String>>,
    /// The folder of the graphs and facts of all roots.
    cache: Option<PathBuf>,
    max_facts_bytes: u64,
    /// Where the first graph comes from when no other working tree has one.
    pub(super) upstream: Option<Arc<dyn RemoteGraphSource>>,
    /// Opened when a file has changed.
    facts: OnceLock<ContentAddressedFacts>,
    /// The next refresh reads files even if the facts of their content are known.
    reads_known: AtomicBool,
    is_watched: AtomicBool,
    /// Keeps the walk of the tree up to date, where the system can.
    #[cfg(target_os = "linux")]
    watched: OnceLock<Option<WatchedTree>>,
    last_scan: LastScan,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// The work was cancelled, or its deadline has passed.
    #[error("the code graph was not ready in time; try again, or allow more time")]
    Cancelled,
    /// Not even a graph in memory can be made.
    #[error("the code graph can't be built: {0}")]
    Failed(String),
}

impl GraphIndex {
    /// Returns the index of `workspace`, kept in `folder`; without one in memory.
    pub fn new(workspace: Arc<Workspace>, folder: Option<PathBuf>) -> Self {
        Self {
            workspace,
            folder,
            in_memory: Mutex::default(),
            is_in_memory: AtomicBool::new(false),
            records: CachedFileRecords::default(),
            new_overlays: Mutex::default(),
            warnings: Mutex::default(),
            cache: None,
            max_facts_bytes: MAX_FACTS_BYTES,
            upstream: None,
            facts: OnceLock::new(),
            reads_known: AtomicBool::new(false),
            is_watched: AtomicBool::new(false),
            #[cfg(target_os = "linux")]
            watched: OnceLock::new(),
            last_scan: LastScan::default(),
        }
    }

    /// Returns the index of `workspace` in the folder `cache`, where all roots have their graphs. The facts of files are
    /// shared with them, and the first graph is made from that of another working tree of the repository.
    pub fn in_cache(cache: &Path, workspace: Arc<Workspace>) -> Self {
        let folder = Self::folder_in(cache, &workspace);
        Self { cache: Some(cache.to_owned()), ..Self::new(workspace, Some(folder)) }
    }

    /// Removes facts of files, those that were used least recently first, when they take more than `bytes`.
    #[doc(hidden)]
    #[must_use]
    pub fn with_max_facts(self, bytes: u64) -> Self {
        Self { max_facts_bytes: bytes, ..self }
    }

    /// Takes the first graph, and facts that it was made from, from `upstream`.
    #[must_use]
    pub fn with_upstream(self, upstream: Arc<dyn RemoteGraphSource>) -> Self {
        Self { upstream: Some(upstream), ..self }
    }

    /// Follows the system's file events from now on, where it has them, instead of walking the tree for every question.
    /// For programs that answer many questions.
    pub fn watch(&self) {
        self.is_watched.store(true, Ordering::Relaxed);
    }

    #[cfg(target_os = "linux")]
    fn watched(&self) -> Option<&WatchedTree> {
        // Events are noted in the folder, which the first graph makes. A graph in memory may be locked here.
        if !self.is_watched.load(Ordering::Relaxed) || !self.is_stored() {
            return None;
        }
        let begin = || WatchedTree::new(&self.workspace, &self.folder.as_ref()?.join("events"));
        self.watched.get_or_init(begin).as_ref()
    }

    pub(super) fn scan(
        &self,
        scope: WalkScope,
        cancellation: &Cancellation,
    ) -> Result<WorkingTreeScan, StoreError> {
        #[cfg(target_os = "linux")]
        if let Some(watched) = self.watched() {
            let started = SystemTime::now();
            let walk = watched.walk(&self.workspace, cancellation);
            cancellation.check()?;
            return Ok(self.last_scan.of_tree(walk, started));
        }
        WorkingTreeScan::new(&self.workspace, scope, cancellation)
    }

    /// Returns the files of the tree as they are now: by the system's events where they are followed, else by a walk.
    ///
    /// # Errors
    ///
    /// [`IndexError::Cancelled`].
    pub fn walk(&self, cancellation: &Cancellation) -> Result<Arc<DirectoryWalk>, IndexError> {
        Ok(self.scan(WalkScope::Tree, cancellation)?.walk)
    }

    pub(super) fn facts(&self) -> &ContentAddressedFacts {
        self.facts.get_or_init(|| {
            let home = self.cache.as_ref().or(self.folder.as_ref());
            let folder = home.map(|home| home.join(cache_folders::SHARED_FACTS));
            let facts = ContentAddressedFacts::open(folder.as_deref(), self.max_facts_bytes);
            let Some(upstream) = &self.upstream else { return facts };
            // What one repository's remote says of a content is nothing to another repository that has it.
            let repository = self.workspace.repository().map(|it| it.display().to_string());
            let repository = repository.unwrap_or_else(|| self.workspace.identity());
            facts.adopting_from(&format!("{}\n{repository}", upstream.address()))
        })
    }

    /// Returns the folder below `base` that belongs to the roots of `workspace`.
    fn folder_in(base: &Path, workspace: &Workspace) -> PathBuf {
        base.join(&blake3::hash(workspace.identity().as_bytes()).to_hex()[..16])
    }

    /// The files that the graph is of.
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// Returns where the graph is kept.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns what went wrong without an effect on answers, one sentence each, and forgets it.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = std::mem::take(&mut *lock(&self.warnings));
        warnings.extend(self.upstream.iter().flat_map(|upstream| upstream.warnings()));
        warnings
    }

    /// Makes the graph match the working tree.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn refresh(
        &self,
        cancellation: &Cancellation,
        progress: FileReadProgress<'_>,
    ) -> Result<RefreshSummary, IndexError> {
        let run = Run { progress, ..Run::new(WalkScope::Sources, cancellation) };
        self.run(run, |_, _, summary| summary.clone())
    }

    /// Makes the graph match the working tree, and runs `beside` on another thread meanwhile, with the walk of the tree and the
    /// hashes of its files that both read.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn refresh_beside(
        &self,
        cancellation: &Cancellation,
        progress: FileReadProgress<'_>,
        beside: impl FnOnce(&ContentHashes<'_>) + Send,
    ) -> Result<RefreshSummary, IndexError> {
        let scan = self.scan(WalkScope::Tree, cancellation)?;
        let hashes = &ContentHashes::new(&self.workspace, &scan.walk);
        std::thread::scope(|threads| {
            threads.spawn(move || beside(hashes));
            let run = Run {
                progress,
                scan: Some(scan),
                hashes: Some(hashes),
                ..Run::new(WalkScope::Tree, cancellation)
            };
            self.run(run, |_, _, summary| summary.clone())
        })
    }

    /// Imports SCIP indexes. From the next refresh on, the edges of files whose content is the indexed one come from them,
    /// until a file changes. Earlier imports stay for other files.
    ///
    /// # Errors
    ///
    /// [`ScipError`] when the indexes are about no file of the workspace as it is.
    pub fn import(&self, indexes: &[ScipIndex]) -> Result<ScipImport, ScipError> {
        let (overlays, imported) = scip::overlays(&self.workspace, indexes)?;
        lock(&self.new_overlays).extend(overlays);
        Ok(imported)
    }

    /// Makes the graph match the working tree and answers a question from it. `question` runs again when the store turns
    /// out to be damaged, and must not keep what it read the first time. Its walks of the graph end when it is cancelled.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn ask<T>(
        &self,
        cancellation: &Cancellation,
        question: impl Fn(&Graph) -> T,
    ) -> Result<T, IndexError> {
        self.run(Run::new(WalkScope::Sources, cancellation), |_, graph, _| question(graph))
    }

    /// Like [`GraphIndex::ask`]; the question also gets the walk of the tree.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn ask_on_walk<T>(
        &self,
        cancellation: &Cancellation,
        question: impl Fn(&Arc<DirectoryWalk>, &Graph) -> T,
    ) -> Result<T, IndexError> {
        self.run(Run::new(WalkScope::Tree, cancellation), |walk, graph, _| question(walk, graph))
    }

    /// Answers a question that the graph helps with and that can do without. There is a graph when one was completed that only
    /// has to be refreshed, or when the tree's source is small. Cancelled work leaves an empty walk and no graph.
    pub fn ask_on_walk_if_quick<T>(
        &self,
        cancellation: &Cancellation,
        question: impl Fn(&Arc<DirectoryWalk>, Option<&Graph>) -> T,
    ) -> T {
        let mut run = Run::new(WalkScope::Tree, cancellation);
        if self.begin(cancellation).is_ok() && !self.has_graph() {
            match self.scan(WalkScope::Tree, cancellation) {
                Ok(scan) if scan.source_bytes() > QUICK_BYTES => return question(&scan.walk, None),
                Ok(scan) => run.scan = Some(scan),
                Err(_) => return question(&Arc::default(), None),
            }
        }
        let answer = self.run(run, |walk, graph, _| question(walk, Some(graph)));
        answer.unwrap_or_else(|_| question(&Arc::default(), None))
    }

    /// Answers an optional question if the known graph is current. Refreshes nothing.
    pub fn ask_if_current<T>(
        &self,
        cancellation: &Cancellation,
        question: impl FnOnce(&Graph) -> T,
    ) -> Option<T> {
        match self.as_it_is(cancellation, question)? {
            KnownGraph::Current(answer) => Some(answer),
            KnownGraph::Outdated(_) => None,
        }
    }

    /// Asks `question` if the known graph is current. Returns nothing when there is none that can be read, or when more files
    /// differ than are read here.
    fn as_it_is<T>(
        &self,
        cancellation: &Cancellation,
        question: impl FnOnce(&Graph) -> T,
    ) -> Option<KnownGraph<T>> {
        let store = match &self.folder {
            Some(_) if !self.is_known() => return None,
            Some(folder) => {
                let store = GraphStore::open(folder).ok()?;
                store.begin_read().ok()?;
                Arc::new(store)
            }
            // Another thread changes it.
            None => Arc::clone(self.in_memory.try_lock().ok()?.as_ref()?),
        };
        let files = indexed_file_record::read_all(&store).ok()?;
        let scan = self.scan(WalkScope::Sources, cancellation).ok()?;
        if scan.differing(&files).0.len() > MAX_READ_BEFORE_LOCK {
            return None;
        }
        let sources = SourceReader::new(self.facts(), cancellation);
        let reader = ChangedFileReader {
            workspace: &self.workspace,
            known: &files,
            hashes: None,
            sources,
            cancellation,
            progress: &|_, _| {},
        };
        if !reader.read(&scan).ok()?.is_empty() {
            return Some(KnownGraph::Outdated(scan));
        }
        let state = Arc::new(GraphState::new(Arc::new(graph_files(&files))));
        answer(store, state, cancellation, question).ok().map(KnownGraph::Current)
    }

    /// Answers an optional question if there is a graph that is current or that can be brought up to date within `patience`:
    /// at most a few files have changed, and no other process writes.
    pub fn ask_within<T>(
        &self,
        patience: Duration,
        cancellation: &Cancellation,
        question: impl Fn(&Graph) -> T,
    ) -> Option<T> {
        let scan = match self.as_it_is(cancellation, &question)? {
            KnownGraph::Current(answer) => return Some(answer),
            KnownGraph::Outdated(scan) => scan,
        };
        // A graph in memory would be lost with an update that isn't completed.
        let folder = self.folder.as_ref().filter(|_| self.has_graph())?;
        let limit = cancellation.with_deadline(Instant::now() + patience);
        let mut run = Run { scan: Some(scan), ..Run::new(WalkScope::Sources, &limit) };
        // A store that can't be used is left to questions that need an answer.
        self.run_stored(folder, &mut run, |_, graph, _| question(graph)).ok()
    }

    /// Looks for a first graph when there is none. Errors if the work was cancelled.
    fn begin(&self, cancellation: &Cancellation) -> Result<(), StoreError> {
        let Some(folder) = self.folder.as_deref() else { return Ok(()) };
        if store::size_on_disk(folder).is_some() || self.reads_known.load(Ordering::Relaxed) {
            return Ok(());
        }
        if let Some((_, repository)) = self.cache.as_ref().zip(self.workspace.repository()) {
            worktree_graph_copy::copy_to(folder, &repository, cancellation)?;
        }
        if let Some(upstream) = &self.upstream
            && let Err(error @ StoreError::Damaged(_)) =
                portable_graph::take(folder, upstream.as_ref(), cancellation)
        {
            self.warn(format!("the graph of the remote index can't be used: {error}"));
        }
        Ok(cancellation.check()?)
    }

    /// Whether there is a graph of an earlier time, so that a refresh reads only changes.
    fn is_known(&self) -> bool {
        self.is_stored() || self.is_in_memory.load(Ordering::Relaxed)
    }

    fn is_stored(&self) -> bool {
        self.folder.as_deref().is_some_and(|folder| store::size_on_disk(folder).is_some())
    }

    /// Whether a graph was completed at an earlier time. A first build that was interrupted leaves a store without one.
    pub fn has_graph(&self) -> bool {
        let is_complete = |folder: &Path| match GraphStore::open_known(folder) {
            Ok(store) => {
                indexed_file_record::generation(&store).is_ok_and(|generation| generation > 0)
            }
            // Another version's, or damaged: it is made anew.
            Err(StoreError::Damaged(_)) => false,
            // Another process makes it.
            Err(_) => true,
        };
        self.is_known() && self.folder.as_deref().is_none_or(is_complete)
    }

    /// Removes what is stored, so that the next refresh reads every file. Imported SCIP overlays stay, since reading files
    /// does not give them.
    pub fn forget(&self) {
        self.reads_known.store(true, Ordering::Relaxed);
        let mut overlays = BTreeMap::new();
        self.is_in_memory.store(false, Ordering::Relaxed);
        if let Some(store) = lock(&self.in_memory).take() {
            overlays.extend(known_overlays(&store).unwrap_or_default());
        }
        if let Some(folder) = &self.folder {
            // A store that can't be opened has to go in any case.
            let store = GraphStore::open(folder).ok();
            let known = store.as_ref().map(known_overlays);
            overlays.extend(known.and_then(Result::ok).unwrap_or_default());
            if let Err(error) = GraphStore::rebuild(folder, store) {
                self.warn(format!(
                    "the stored code graph in {} can't be removed: {error}",
                    folder.display()
                ));
            }
        }
        let mut new_overlays = lock(&self.new_overlays);
        for (path, overlay) in overlays {
            new_overlays.entry(path).or_insert(overlay);
        }
    }

    /// Takes note of what went wrong without an effect on answers.
    pub fn warn(&self, sentence: String) {
        let mut warnings = lock(&self.warnings);
        if !warnings.contains(&sentence) {
            warnings.push(sentence);
        }
    }
}

/// The graph that is known, without a refresh.
enum KnownGraph<T> {
    /// It is current; what it says.
    Current(T),
    /// A few files differ from it, as this scan has them.
    Outdated(WorkingTreeScan),
}

fn known_overlays(store: &GraphStore) -> Result<BTreeMap<String, ScipFileData>, StoreError> {
    indexed_file_record::overlays(store, &indexed_file_record::read_all(store)?)
}

impl From<StoreError> for IndexError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Cancelled => Self::Cancelled,
            StoreError::Changed => Self::Failed(error.to_string()),
            StoreError::Damaged(reason) | StoreError::Unusable(reason) => Self::Failed(reason),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
