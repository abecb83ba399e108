//! One request to an index: the store is brought up to date, and the question is asked of it. Here is what happens when the store
//! is damaged (it is made anew, once) or can't be written (the graph is made in memory); what callers may ask for stands above.

use std::{
    path::Path,
    sync::{Arc, MutexGuard, TryLockError, atomic::Ordering},
    thread,
    time::Duration,
};

use retriever_workspace::{Cancellation, ContentHashes, DirectoryWalk, cache_folders};

use super::{GraphIndex, IndexError, lock};
use crate::{
    incremental::{
        indexed_file_record::{self, FileRecords},
        store_refresh::{RefreshSummary, RefreshedStore, StoreRefresh},
        working_tree_scan::{Differences, FileReadProgress, WalkScope, WorkingTreeScan},
    },
    store::{Graph, GraphState, GraphStore, StoreError},
};

/// How often a thread looks whether the store in memory is free.
const LOCK_INTERVAL: Duration = Duration::from_millis(5);

/// One request to an index.
pub(super) struct Run<'a> {
    pub(super) scope: WalkScope,
    /// A scan of just now, when there was one.
    pub(super) scan: Option<WorkingTreeScan>,
    /// Hashes of the files of that scan, which others read meanwhile.
    pub(super) hashes: Option<&'a ContentHashes<'a>>,
    pub(super) progress: FileReadProgress<'a>,
    pub(super) cancellation: &'a Cancellation,
}

impl<'a> Run<'a> {
    pub(super) fn new(scope: WalkScope, cancellation: &'a Cancellation) -> Self {
        Self { scope, scan: None, hashes: None, progress: &|_, _| {}, cancellation }
    }
}

/// Why a store gave no answer, and the store as far as it was opened.
pub(super) struct Failure {
    pub(super) error: StoreError,
    pub(super) store: Option<Arc<GraphStore>>,
}

impl GraphIndex {
    /// Brings the graph up to date and asks `question`.
    pub(super) fn run<T>(
        &self,
        mut run: Run<'_>,
        question: impl Fn(&Arc<DirectoryWalk>, &Graph, &RefreshSummary) -> T,
    ) -> Result<T, IndexError> {
        let Some(folder) = &self.folder else { return self.run_in_memory(run, question) };
        let mut is_rebuilt = false;
        loop {
            let Failure { error, store } = match self.run_stored(folder, &mut run, &question) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let error = match error {
                StoreError::Cancelled => return Err(IndexError::Cancelled),
                StoreError::Damaged(reason) if !is_rebuilt => {
                    self.warn(format!(
                        "the stored code graph can't be used ({reason}); it is rebuilt"
                    ));
                    is_rebuilt = true;
                    match GraphStore::rebuild(folder, store.and_then(Arc::into_inner)) {
                        Ok(()) => continue,
                        Err(error) => error,
                    }
                }
                error => error,
            };
            self.warn(format!(
                "the code graph can't be stored in {} ({error}); this run builds it in memory",
                folder.display()
            ));
            return self.run_in_memory(run, question);
        }
    }

    pub(super) fn run_stored<T>(
        &self,
        folder: &Path,
        run: &mut Run<'_>,
        question: impl Fn(&Arc<DirectoryWalk>, &Graph, &RefreshSummary) -> T,
    ) -> Result<T, Failure> {
        let unopened = |error| Failure { error, store: None };
        self.begin(run.cancellation).map_err(unopened)?;
        let store = GraphStore::open(folder).map_err(unopened)?;
        // A folder without notes is listed without its roots, and its graph is not copied.
        let _ = cache_folders::note_use(folder, &self.workspace);
        if let Some(repository) = self.cache.as_ref().and_then(|_| self.workspace.repository()) {
            let _ = cache_folders::note_repository(folder, &repository);
        }
        let store = Arc::new(store);
        let refreshed = self.refresh_store(&store, run);
        let refreshed =
            refreshed.map_err(|error| Failure { error, store: Some(Arc::clone(&store)) })?;
        let summary = RefreshSummary { stored: true, ..refreshed.summary };
        let question = |graph: &Graph| question(&refreshed.walk, graph, &summary);
        self.answer(store, &refreshed.files, run.cancellation, question)
    }

    fn run_in_memory<T>(
        &self,
        mut run: Run<'_>,
        question: impl Fn(&Arc<DirectoryWalk>, &Graph, &RefreshSummary) -> T,
    ) -> Result<T, IndexError> {
        let mut in_memory = self.lock_in_memory(run.cancellation)?;
        let refreshed = self.refresh_in_memory(&mut in_memory, &mut run);
        if let Err(error) = &refreshed {
            // Cancelled work leaves the graph as it was, with the imported edges that stand nowhere else.
            let is_sound = matches!(error, StoreError::Cancelled | StoreError::Changed);
            in_memory.take_if(|_| !is_sound);
            // Where nothing had begun yet, there is nothing to undo.
            in_memory.iter().for_each(|store| drop(store.end_read()));
        }
        self.is_in_memory.store(in_memory.is_some(), Ordering::Relaxed);
        let (store, refreshed) = refreshed?;
        drop(in_memory);
        let RefreshedStore { files, walk, summary } = refreshed;
        let question = |graph: &Graph| question(&walk, graph, &summary);
        let answer = self.answer(store, &files, run.cancellation, question);
        answer.map_err(|failure| failure.error.into())
    }

    /// Waits for the store in memory while another thread brings it up to date, as long as there is time.
    fn lock_in_memory(
        &self,
        cancellation: &Cancellation,
    ) -> Result<MutexGuard<'_, Option<Arc<GraphStore>>>, StoreError> {
        loop {
            match self.in_memory.try_lock() {
                Ok(in_memory) => return Ok(in_memory),
                Err(TryLockError::Poisoned(in_memory)) => return Ok(in_memory.into_inner()),
                Err(TryLockError::WouldBlock) => cancellation.check()?,
            }
            thread::sleep(LOCK_INTERVAL);
        }
    }

    /// Brings the store in memory up to date; makes a new one when there is none. A store that other threads read can't
    /// be changed: then a new one is made, too.
    fn refresh_in_memory(
        &self,
        in_memory: &mut Option<Arc<GraphStore>>,
        run: &mut Run<'_>,
    ) -> Result<(Arc<GraphStore>, RefreshedStore), StoreError> {
        if let Some(store) = in_memory {
            let files = indexed_file_record::read_all(store)?;
            let scan = match run.scan.take() {
                Some(scan) => scan,
                None => self.scan(run.scope, run.cancellation)?,
            };
            let is_same = scan.differing(&files) == Differences::default();
            run.scan = Some(scan);
            if is_same || Arc::strong_count(store) == 1 {
                let refreshed = self.refresh_store(store, run)?;
                store.end_read()?;
                return Ok((Arc::clone(store), refreshed));
            }
            let mut new_overlays = lock(&self.new_overlays);
            for (path, overlay) in indexed_file_record::overlays(store, &files)? {
                new_overlays.entry(path).or_insert(overlay);
            }
        }
        let store = Arc::new(GraphStore::in_memory()?);
        let refreshed = self.refresh_store(&store, run)?;
        store.end_read()?;
        *in_memory = Some(Arc::clone(&store));
        Ok((store, refreshed))
    }

    /// Asks `question` about the graph of `files`. A program that answers many questions keeps what they read of it.
    fn answer<T>(
        &self,
        store: Arc<GraphStore>,
        files: &Arc<FileRecords>,
        cancellation: &Cancellation,
        question: impl FnOnce(&Graph) -> T,
    ) -> Result<T, Failure> {
        let state = if self.is_watched.load(Ordering::Relaxed) {
            self.records.graph_state(files)
        } else {
            Arc::new(GraphState::new(self.records.graph_files(files)))
        };
        let answer = answer(store, Arc::clone(&state), cancellation, question);
        self.records.release(state);
        answer
    }

    fn refresh_store(
        &self,
        store: &GraphStore,
        run: &mut Run<'_>,
    ) -> Result<RefreshedStore, StoreError> {
        let new_overlays = lock(&self.new_overlays).clone();
        let known_scan = run.scan.take();
        let refresh = StoreRefresh {
            workspace: &self.workspace,
            scan: &|| self.scan(run.scope, run.cancellation),
            facts: &|| self.facts(),
            upstream: self.upstream.as_deref(),
            hashes: run.hashes,
            progress: run.progress,
            cancellation: run.cancellation,
            new_overlays: &new_overlays,
            records: &self.records,
            reads_known: self.reads_known.load(Ordering::Relaxed),
        };
        let refreshed = refresh.run(store, known_scan)?;
        self.reads_known.store(false, Ordering::Relaxed);
        lock(&self.new_overlays).retain(|path, overlay| new_overlays.get(path) != Some(overlay));
        Ok(refreshed)
    }
}

/// Asks `question` about the graph in `store`; its walks end with `cancellation`.
pub(super) fn answer<T>(
    store: Arc<GraphStore>,
    state: Arc<GraphState>,
    cancellation: &Cancellation,
    question: impl FnOnce(&Graph) -> T,
) -> Result<T, Failure> {
    let graph = Graph::new(Arc::clone(&store), state, cancellation);
    let answer = question(&graph);
    match graph.fault() {
        Some(error) => {
            drop(graph);
            Err(Failure { error, store: Some(store) })
        }
        None => {
            drop(store);
            graph.end();
            Ok(answer)
        }
    }
}
