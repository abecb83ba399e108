//! The token index of one workspace, shared by all its searches.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use super::{segment::IndexedFile, snapshot::IndexSnapshot, storage};
use retriever_workspace::{Cancellation, Walk, Workspace};

/// How often a search that waits for another one's refresh looks at its cancellation.
const WAIT: Duration = Duration::from_millis(20);

/// Returns the bytes of a snapshot that another machine made of this repository.
pub type WordsUpstream = Box<dyn Fn() -> Option<Vec<u8>> + Send + Sync>;

/// Keeps the snapshot of a workspace.
#[derive(Default)]
pub struct TokenIndex {
    folder: Option<PathBuf>,
    /// Where the first snapshot comes from.
    upstream: Option<Fetch>,
    state: Mutex<State>,
    refreshed: Condvar,
}

/// What is fetched once, when there is nothing here.
struct Fetch {
    upstream: WordsUpstream,
    /// `None` before it was asked.
    fetched: Mutex<Option<Vec<u8>>>,
    is_asked: OnceLock<()>,
}

#[derive(Default)]
struct State {
    /// `None` before the first search.
    snapshot: Option<Arc<IndexSnapshot>>,
    /// Whether a search is refreshing the snapshot; the others wait for it.
    is_refreshing: bool,
}

impl TokenIndex {
    /// Returns the index that is stored in `folder`, which belongs to the workspace; without a folder it is lost with the
    /// value.
    pub fn new(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(|folder| folder.join("words")), ..Self::default() }
    }

    /// Takes the first snapshot from `upstream`. What of it is not about the files as they are is read from them.
    #[must_use]
    pub fn with_upstream(self, upstream: WordsUpstream) -> Self {
        let fetch = Fetch { upstream, fetched: Mutex::default(), is_asked: OnceLock::new() };
        Self { upstream: Some(fetch), ..self }
    }

    /// Returns the bytes of what is stored, for the upstream of another machine.
    pub fn portable(&self, workspace: &Workspace) -> Option<Vec<u8>> {
        storage::portable(self.folder.as_deref()?, workspace)
    }

    /// Returns the snapshot of the files of `walk`, which is one of the whole of `workspace`, and stores it if that is worth
    /// while. Only files that differ from the snapshot before are read. Files that were not read before the cancellation
    /// are missing.
    pub fn snapshot(
        &self,
        workspace: &Workspace,
        walk: &Walk,
        cancellation: &Cancellation,
    ) -> Arc<IndexSnapshot> {
        let Some(turn) = self.turn(cancellation) else { return Arc::default() };
        let load = || self.load(workspace).or_else(|| self.fetch(workspace, walk));
        let known = turn.known.clone().or_else(load).unwrap_or_default();
        let mut refreshed = match known.refreshed(workspace, walk, cancellation) {
            Some(refreshed) => Arc::new(refreshed),
            // What was fetched is stored, too.
            None if !known.is_stored() && known.as_one_segment().is_some() => Arc::clone(&known),
            None => return turn.end(known),
        };
        if !cancellation.is_cancelled() {
            // A file that has become a secret leaves no trace.
            let is_new_secret = |(_, file): (usize, &IndexedFile)| {
                let path = workspace.normalize(&file.path);
                path.is_ok_and(|path| {
                    refreshed.file(&path, 0).is_none() && workspace.is_secret(&path)
                })
            };
            let has_secret = known.is_stored() && known.files().any(is_new_secret);
            if refreshed.is_worth_saving() || has_secret {
                refreshed = self.store(workspace, refreshed, cancellation);
            }
        }
        turn.end(refreshed)
    }

    /// Loads what is stored, ahead of the search that needs it.
    pub fn prepare(&self, workspace: &Workspace) {
        if let Some(fetch) = &self.upstream
            && self.stored_bytes() == 0
        {
            return fetch.ask();
        }
        if let Some(turn) = self.turn(&Cancellation::new()) {
            let known = turn.known.clone().or_else(|| self.load(workspace)).unwrap_or_default();
            turn.end(known);
        }
    }

    /// Removes what is stored and what is in memory.
    pub fn clear(&self) {
        self.lock().snapshot = None;
        if let Some(folder) = &self.folder {
            storage::remove(folder);
        }
    }

    /// Returns the bytes that are stored.
    pub fn stored_bytes(&self) -> u64 {
        self.folder.as_deref().map_or(0, storage::bytes)
    }

    fn load(&self, workspace: &Workspace) -> Option<Arc<IndexSnapshot>> {
        storage::load(self.folder.as_deref()?, workspace).map(Arc::new)
    }

    /// Returns what another machine has made of the files of `walk`.
    fn fetch(&self, workspace: &Workspace, walk: &Walk) -> Option<Arc<IndexSnapshot>> {
        let fetch = self.upstream.as_ref()?;
        fetch.ask();
        let bytes = fetch.fetched.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let segment = storage::parse(bytes, workspace)?;
        Some(Arc::new(IndexSnapshot::of_foreign(segment, workspace, walk)))
    }

    /// Stores a snapshot. One that can't be stored costs the next process time, and no answer.
    fn store(
        &self,
        workspace: &Workspace,
        snapshot: Arc<IndexSnapshot>,
        cancellation: &Cancellation,
    ) -> Arc<IndexSnapshot> {
        let Some(folder) = &self.folder else { return snapshot };
        let merged = match snapshot.as_one_segment() {
            Some(_) => Some(snapshot.as_ref().clone()),
            None => snapshot.merged(cancellation),
        };
        let Some(mut whole) = merged else { return snapshot };
        if storage::save(folder, workspace, &whole, cancellation).is_ok() {
            whole.mark_saved();
        }
        Arc::new(whole)
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
        Some(Turn { index: self, known: state.snapshot.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fetch {
    /// Fetches what there is, or waits for the one who does.
    fn ask(&self) {
        self.is_asked.get_or_init(|| {
            *self.fetched.lock().unwrap_or_else(PoisonError::into_inner) = (self.upstream)();
        });
    }
}

impl fmt::Debug for TokenIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenIndex").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The right to refresh the snapshot. The next search has it when this is dropped.
struct Turn<'a> {
    index: &'a TokenIndex,
    /// The snapshot before.
    known: Option<Arc<IndexSnapshot>>,
}

impl Turn<'_> {
    fn end(self, snapshot: Arc<IndexSnapshot>) -> Arc<IndexSnapshot> {
        self.index.lock().snapshot = Some(Arc::clone(&snapshot));
        snapshot
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.index.lock().is_refreshing = false;
        self.index.refreshed.notify_all();
    }
}
