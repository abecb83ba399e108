//! The full-text index of one workspace, shared by all its searches.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{full_text_snapshot::FullTextSnapshot, segment_files};
use retriever_workspace::{
    CancellableOnce, Cancellation, ContentHashes, DirectoryWalk, Workspace, cache_folders,
};

/// Name of the folder beside the graph.
const FOLDER: &str = "words";
/// How often a search that waits for another one's refresh looks at its cancellation.
const WAIT: Duration = Duration::from_millis(20);

/// Returns the bytes of a snapshot that another machine made of this repository.
pub type RemoteSnapshotSource = Box<dyn Fn(&Cancellation) -> Option<Vec<u8>> + Send + Sync>;

/// Keeps the snapshot of a workspace.
#[derive(Default)]
pub struct FullTextIndex {
    folder: Option<PathBuf>,
    /// Where the first snapshot comes from.
    upstream: Option<Fetch>,
    state: Mutex<State>,
    refreshed: Condvar,
}

/// The remote snapshot, which is fetched once when no local one exists.
struct Fetch {
    upstream: RemoteSnapshotSource,
    /// What was fetched, until it is taken.
    fetched: Mutex<Option<Vec<u8>>>,
    is_asked: CancellableOnce<()>,
}

#[derive(Default)]
struct State {
    /// `None` before the first search.
    snapshot: Option<Arc<FullTextSnapshot>>,
    /// The last walk that the snapshot did not differ from.
    walk: Option<Arc<DirectoryWalk>>,
    /// Whether a search is refreshing the snapshot; the others wait for it.
    is_refreshing: bool,
}

impl FullTextIndex {
    /// Returns the index that is stored in `folder`, which belongs to the workspace; without a folder it is lost with the
    /// value.
    pub fn new(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(|folder| folder.join(FOLDER)), ..Self::default() }
    }

    /// Takes the first snapshot from `upstream`. What of it is not about the files as they are is read from them.
    #[must_use]
    pub fn with_upstream(self, upstream: RemoteSnapshotSource) -> Self {
        let fetch = Fetch { upstream, fetched: Mutex::default(), is_asked: CancellableOnce::new() };
        Self { upstream: Some(fetch), ..self }
    }

    /// Returns the bytes of what is stored, for the upstream of another machine.
    pub fn portable(&self, workspace: &Workspace) -> Option<Vec<u8>> {
        segment_files::portable(self.folder.as_deref()?, workspace)
    }

    /// Returns the snapshot of the files of `walk`, which is one of the whole of `workspace`, and stores it if that is worth
    /// while. Only files that differ from the snapshot before are read. Files that were not read before the cancellation
    /// are missing.
    pub fn snapshot(
        &self,
        workspace: &Workspace,
        walk: &Arc<DirectoryWalk>,
        cancellation: &Cancellation,
    ) -> Arc<FullTextSnapshot> {
        self.snapshot_of(&ContentHashes::new(workspace, walk), cancellation)
    }

    /// Does as [`FullTextIndex::snapshot`] for the files of `hashes`, which others may read meanwhile.
    pub fn snapshot_of(
        &self,
        hashes: &ContentHashes<'_>,
        cancellation: &Cancellation,
    ) -> Arc<FullTextSnapshot> {
        let (workspace, walk) = (hashes.workspace(), hashes.walk());
        let Some(turn) = self.turn(cancellation) else { return Arc::default() };
        let is_of = |known: &Arc<DirectoryWalk>| Arc::ptr_eq(known, walk);
        let known = turn.known.clone().filter(|known| !known.is_damaged());
        if let Some(known) = &known
            && turn.walk.as_ref().is_some_and(is_of)
        {
            return Arc::clone(known);
        }
        let load = || self.load(workspace).or_else(|| self.fetch(hashes, cancellation));
        let known = known.or_else(load);
        if known.is_none() && self.upstream.is_some() && cancellation.is_cancelled() {
            // The next search asks the upstream.
            return Arc::default();
        }
        let known = known.unwrap_or_default();
        let mut refreshed = match known.refreshed(workspace, walk, cancellation) {
            Some(refreshed) => refreshed,
            // What was fetched is stored, too.
            None if !known.is_stored() && known.files().next().is_some() => (*known).clone(),
            None => return turn.end(known, Some(walk)),
        };
        if !cancellation.is_cancelled() {
            // A file that has become a secret leaves no trace.
            let is_new_secret = |path: &str| {
                workspace
                    .normalize(path)
                    .is_ok_and(|path| refreshed.file(&path).is_none() && workspace.is_secret(&path))
            };
            let compacted = if known.paths().any(is_new_secret) {
                // Until it is stored, each search tries.
                refreshed.merged(cancellation).map(FullTextSnapshot::never_saved)
            } else if self.folder.is_some() && refreshed.is_worth_saving() {
                refreshed.compacted(cancellation)
            } else {
                Err(refreshed)
            };
            refreshed = match compacted {
                Ok(compacted) => self.store(workspace, compacted, cancellation),
                Err(as_it_was) => as_it_was,
            };
        }
        turn.end(Arc::new(refreshed), None)
    }

    /// Whether a search has the snapshot of an earlier one to begin with.
    pub fn is_loaded(&self) -> bool {
        self.lock().snapshot.is_some()
    }

    /// Loads what is stored, ahead of the search that needs it.
    pub fn prepare(&self, workspace: &Workspace) {
        if let Some(fetch) = &self.upstream
            && self.stored_bytes() == 0
            && self.siblings(workspace).is_empty()
        {
            return fetch.ask(&Cancellation::new());
        }
        if let Some(turn) = self.turn(&Cancellation::new()) {
            let known = turn.known.clone().or_else(|| self.load(workspace)).unwrap_or_default();
            let walk = turn.walk.clone();
            turn.end(known, walk.as_ref());
        }
    }

    /// Removes what is stored and what is in memory.
    pub fn clear(&self) {
        let mut state = self.lock();
        (state.snapshot, state.walk) = (None, None);
        drop(state);
        if let Some(folder) = &self.folder {
            segment_files::remove(folder);
        }
    }

    /// Returns the size of what is stored, in bytes.
    pub fn stored_bytes(&self) -> u64 {
        self.folder.as_deref().map_or(0, segment_files::bytes)
    }

    fn load(&self, workspace: &Workspace) -> Option<Arc<FullTextSnapshot>> {
        let segments = segment_files::load(self.folder.as_deref()?, workspace)?;
        Some(Arc::new(FullTextSnapshot::of_stored(segments)))
    }

    /// Returns what another working tree or another machine has made of the files.
    fn fetch(
        &self,
        hashes: &ContentHashes<'_>,
        cancellation: &Cancellation,
    ) -> Option<Arc<FullTextSnapshot>> {
        let workspace = hashes.workspace();
        let of_sibling = |folder: PathBuf| {
            segment_files::adopt(&folder.join(FOLDER), self.folder.as_deref()?, workspace)
        };
        let mut siblings = self.siblings(workspace).into_iter();
        let segments = siblings.find_map(of_sibling).or_else(|| {
            let fetch = self.upstream.as_ref()?;
            fetch.ask(cancellation);
            let bytes = fetch.fetched.lock().unwrap_or_else(PoisonError::into_inner).take()?;
            segment_files::parse(&bytes, workspace).map(|segment| vec![segment])
        })?;
        Some(Arc::new(FullTextSnapshot::of_foreign(segments, hashes)))
    }

    /// Returns the folders of other working trees of the repository.
    fn siblings(&self, workspace: &Workspace) -> Vec<PathBuf> {
        let folder = self.folder.as_deref().and_then(Path::parent);
        let repository = folder.zip(workspace.repository());
        repository.map_or(Vec::new(), |(own, repository)| cache_folders::siblings(own, &repository))
    }

    /// Stores a snapshot of few segments, and returns it. One that can't be stored costs the next process time, and no answer.
    fn store(
        &self,
        workspace: &Workspace,
        mut snapshot: FullTextSnapshot,
        cancellation: &Cancellation,
    ) -> FullTextSnapshot {
        if let Some(folder) = &self.folder
            && segment_files::save(folder, workspace, &mut snapshot, cancellation).is_ok()
        {
            snapshot.mark_saved();
        }
        snapshot
    }

    /// Waits until no other search refreshes the snapshot; none if that is cancelled.
    fn turn(&self, cancellation: &Cancellation) -> Option<Turn<'_>> {
        let mut state = self.lock();
        while state.is_refreshing {
            if cancellation.is_cancelled() {
                return None;
            }
            let waited = self.refreshed.wait_timeout(state, WAIT);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.is_refreshing = true;
        let (known, walk) = (state.snapshot.clone(), state.walk.clone());
        Some(Turn { index: self, known, walk })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fetch {
    /// Fetches the published words, or waits for the thread that does, unless the work is cancelled.
    fn ask(&self, cancellation: &Cancellation) {
        self.is_asked.get_or_init(cancellation, || {
            let fetched = (self.upstream)(cancellation);
            *self.fetched.lock().unwrap_or_else(PoisonError::into_inner) = fetched;
        });
    }
}

impl fmt::Debug for FullTextIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FullTextIndex").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The right to refresh the snapshot. The next search has it when this is dropped.
struct Turn<'a> {
    index: &'a FullTextIndex,
    /// The snapshot before, and the walk that it did not differ from.
    known: Option<Arc<FullTextSnapshot>>,
    walk: Option<Arc<DirectoryWalk>>,
}

impl Turn<'_> {
    /// Keeps a snapshot, and the walk that it does not differ from, if there is one.
    fn end(
        self,
        snapshot: Arc<FullTextSnapshot>,
        walk: Option<&Arc<DirectoryWalk>>,
    ) -> Arc<FullTextSnapshot> {
        let mut state = self.index.lock();
        (state.snapshot, state.walk) = (Some(Arc::clone(&snapshot)), walk.cloned());
        drop(state);
        snapshot
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.index.lock().is_refreshing = false;
        self.index.refreshed.notify_all();
    }
}
