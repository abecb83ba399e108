//! The store of one root: SQLite databases with one record a file and table, and the [`Graph`] that is read from them. Most
//! records are in the *base*, which working trees of one repository share.
//!
//! Several processes share a store on disk. Readers see one consistent state, one process writes at a time, and a killed
//! writer leaves the state before. A store in memory belongs to one process and has the same content.
//!
//! The store is a cache. Every record starts with a hash of itself, and the database holds the version of the code that
//! wrote it: a damaged or older store is an error, and the caller creates a new one. What the records mean is known by
//! [`crate::incremental`], except for nodes and edges, which [`Graph`] reads.

mod base_store;
pub(crate) mod checksummed_record;
mod content_addressed_facts;
mod edge_record;
mod graph;
mod node_record;
mod packed_nodes;
mod store_layers;
mod store_schema;

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use retriever_workspace::{
    Cancellation, Exhausted,
    storage::{SEAL_BYTES, lock_file, wait_for_lock},
};
use rusqlite::{Connection, params};

use self::store_layers::StoreLayers;

pub use self::graph::Graph;
pub(crate) use self::{
    checksummed_record::{FileKey, NameBucket},
    content_addressed_facts::{ContentAddressedFacts, ContentId},
    edge_record::{FileEdgeRecords, IncomingEdges, OutgoingEdge, OutgoingEdges, PackedEdges},
    graph::GraphSource,
    node_record::NodeRecord,
    packed_nodes::{ByteBlob, FileNodes},
    store_schema::{UNFINISHED, version},
};

/// How long one process waits for another one that writes.
const WRITE_PATIENCE: Duration = Duration::from_secs(60);
/// How long a process waits until no other has the store open, to create it anew.
const REBUILD_PATIENCE: Duration = Duration::from_secs(5);
/// Statements that SQLite keeps compiled.
const CACHED_STATEMENTS: usize = 32;

/// A table of records by [`FileKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreTable {
    /// The text of a manifest.
    Manifests,
    /// The part of a file's facts that the tables over all files are built from.
    Summaries,
    /// The nodes of a file.
    Nodes,
    /// The edges that start in a file.
    OutgoingEdges,
    /// The edges that end in a file.
    IncomingEdges,
    /// What resolving a file read and contributed.
    Resolutions,
    /// What a SCIP index says of a file.
    Overlays,
    /// Names of nodes, by bucket.
    Names,
}

impl StoreTable {
    /// The tables that make up a graph without imported edges.
    pub(crate) const OF_GRAPH: [Self; 7] = [
        Self::Manifests,
        Self::Summaries,
        Self::Nodes,
        Self::OutgoingEdges,
        Self::IncomingEdges,
        Self::Resolutions,
        Self::Names,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Manifests => "manifests",
            Self::Summaries => "summaries",
            Self::Nodes => "nodes",
            Self::OutgoingEdges => "outgoing_edges",
            Self::IncomingEdges => "incoming_edges",
            Self::Resolutions => "resolutions",
            Self::Overlays => "overlays",
            Self::Names => "names",
        }
    }
}

/// Why a store can't be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StoreError {
    /// Its content can't be trusted; it has to be created anew.
    #[error("{0}")]
    Damaged(String),
    /// It may be sound, but it can't be used: no space, no permission, another process that holds it.
    #[error("{0}")]
    Unusable(String),
    /// A file of the workspace has changed since the tree was scanned. The store is as it was.
    #[error("files change while they are read")]
    Changed,
    /// The work on it was cancelled, or its deadline has passed.
    #[error("the work was cancelled")]
    Cancelled,
}

impl From<Exhausted> for StoreError {
    fn from(_: Exhausted) -> Self {
        Self::Cancelled
    }
}

impl StoreError {
    /// The error for records that contradict each other.
    pub(crate) fn inconsistent() -> Self {
        Self::Damaged("records don't fit together".to_owned())
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::Unusable(error.to_string())
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        if store_schema::is_damage(&error) { Self::Damaged(text) } else { Self::Unusable(text) }
    }
}

/// The store of one root, open. Threads take turns.
pub(crate) struct GraphStore {
    layers: Mutex<StoreLayers>,
    /// A shared lock for as long as the store is open, so that no process replaces it meanwhile. A store in memory has
    /// none.
    _lock: Option<File>,
    /// A random mark of the database, to tell it from one that was created later.
    birth_mark: Vec<u8>,
}

impl GraphStore {
    /// Opens the store in `folder`. Creates it when there is none.
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        let lock = lock_file(folder)?;
        wait_for_lock(WRITE_PATIENCE, || lock.try_lock_shared())?;
        let path = store_schema::path_in(folder);
        #[expect(clippy::disallowed_methods, reason = "the store is no file of the workspace")]
        if !path.exists() {
            lock.unlock()?;
            create_alone(folder, &lock, None)?;
            wait_for_lock(WRITE_PATIENCE, || lock.try_lock_shared())?;
        }
        let connection = store_schema::connect(&path)?;
        Self::with(connection, Some(folder), Some(lock))
    }

    /// Opens the store in `folder`. Errors if there is none, or if another process makes it just now.
    pub(crate) fn open_known(folder: &Path) -> Result<Self, StoreError> {
        let lock = lock_file(folder)?;
        wait_for_lock(Duration::ZERO, || lock.try_lock_shared())?;
        Self::with(store_schema::connect(&store_schema::path_in(folder))?, Some(folder), Some(lock))
    }

    /// Returns a store in memory that holds nothing.
    pub(crate) fn in_memory() -> Result<Self, StoreError> {
        Self::with(store_schema::create_in_memory()?, None, None)
    }

    fn with(
        own: Connection,
        folder: Option<&Path>,
        lock: Option<File>,
    ) -> Result<Self, StoreError> {
        let birth_mark = store_schema::birth_mark(&own)?;
        let layers = Mutex::new(StoreLayers::new(own, folder));
        Ok(Self { layers, _lock: lock, birth_mark })
    }

    /// Creates the store in `folder` anew, unless another process has done so since `damaged` was opened.
    pub(crate) fn rebuild(folder: &Path, damaged: Option<Self>) -> Result<(), StoreError> {
        let birth_mark = damaged.map(|store| store.birth_mark);
        create_alone(folder, &lock_file(folder)?, birth_mark.as_deref())
    }

    /// Puts a copy of this store, changed by `edit`, into `folder`, which holds none. Both have one base. The caller has the
    /// lock of the folder.
    pub(crate) fn copy_to(
        &self,
        folder: &Path,
        cancellation: &Cancellation,
        edit: impl FnOnce(&Self) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let unfinished = folder.join(UNFINISHED);
        let mut layers = self.layers();
        let copy = store_schema::copy(&mut layers.own, &unfinished, cancellation)?;
        layers.share_base(&copy, folder)?;
        drop(layers);
        Self::finish(folder, copy, edit)
    }

    /// Puts a store that is filled by `edit` into `folder`, which holds none. The caller has the lock of the folder.
    pub(crate) fn create_in(
        folder: &Path,
        edit: impl FnOnce(&Self) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        Self::finish(folder, store_schema::create(&folder.join(UNFINISHED))?, edit)
    }

    /// Edits an unfinished store and puts it into its place.
    fn finish(
        folder: &Path,
        unfinished: Connection,
        edit: impl FnOnce(&Self) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        unfinished.execute_batch("PRAGMA synchronous = OFF")?;
        let store = Self::with(unfinished, Some(folder), None)?;
        edit(&store)?;
        store.execute("PRAGMA journal_mode = WAL")?;
        drop(store);
        Ok(std::fs::rename(folder.join(UNFINISHED), store_schema::path_in(folder))?)
    }

    fn layers(&self) -> MutexGuard<'_, StoreLayers> {
        self.layers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn execute(&self, statements: &str) -> Result<(), StoreError> {
        Ok(self.layers().own.execute_batch(statements)?)
    }

    /// Starts to read: until [`GraphStore::end_read`] or the end of `self`, everything is read from one state.
    pub(crate) fn begin_read(&self) -> Result<(), StoreError> {
        self.layers().begin_read()
    }

    /// Ends what [`GraphStore::begin_read`] started, or undoes what [`GraphStore::begin_write`] started.
    pub(crate) fn end_read(&self) -> Result<(), StoreError> {
        self.layers().roll_back()
    }

    /// Starts to write. Waits while another process writes.
    pub(crate) fn begin_write(&self) -> Result<(), StoreError> {
        self.layers().begin_write()
    }

    /// Leaves no trace of removed records when what was written is made visible.
    pub(crate) fn fold_at_commit(&self) {
        self.layers().fold_at_commit();
    }

    /// Makes what was written visible.
    pub(crate) fn commit(&self) -> Result<(), StoreError> {
        self.layers().commit()
    }

    /// Lets the operating system decide when what is written reaches the disk, as long as `self` lives. Only for a store
    /// that holds nothing: the hashes find out a half-written state, but perhaps not a mixture of two states.
    pub(crate) fn let_system_sync(&self) -> Result<(), StoreError> {
        self.execute("PRAGMA synchronous = OFF")
    }

    /// Every file's path, key and sealed record, in no order.
    pub(crate) fn files(&self) -> Result<Vec<(String, FileKey, Vec<u8>)>, StoreError> {
        let own = &self.layers().own;
        let mut statement = own.prepare_cached("SELECT path, key, record FROM files")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Writes a file's record.
    pub(crate) fn put_file(
        &self,
        key: FileKey,
        path: &str,
        sealed: &[u8],
    ) -> Result<(), StoreError> {
        let query = "INSERT OR REPLACE INTO files(key, path, record) VALUES (?, ?, ?)";
        self.layers().own.prepare_cached(query)?.execute(params![key, path, sealed])?;
        Ok(())
    }

    /// Removes a file and all its records.
    pub(crate) fn remove_file(&self, key: FileKey) -> Result<(), StoreError> {
        self.layers().own.prepare_cached("DELETE FROM files WHERE key = ?")?.execute([key])?;
        self.remove(StoreTable::Overlays, key)?;
        self.remove_records(key)
    }

    /// Removes the records of a file that follow from its content.
    pub(crate) fn remove_records(&self, key: FileKey) -> Result<(), StoreError> {
        let mut of_file =
            StoreTable::OF_GRAPH.into_iter().filter(|table| *table != StoreTable::Names);
        of_file.try_for_each(|table| self.remove(table, key))
    }

    /// One sealed record.
    pub(crate) fn get(
        &self,
        table: StoreTable,
        key: FileKey,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.layers().get(table, key)
    }

    /// Every sealed record of a table, sorted by key.
    pub(crate) fn all(&self, table: StoreTable) -> Result<Vec<(FileKey, Vec<u8>)>, StoreError> {
        Ok(self.layers().column(table, "record")?.into_iter().collect())
    }

    /// The hashes of a table's records, to find out which differ from new ones.
    pub(crate) fn seals(
        &self,
        table: StoreTable,
    ) -> Result<BTreeMap<FileKey, Vec<u8>>, StoreError> {
        self.layers().column(table, &format!("substr(record, 1, {SEAL_BYTES})"))
    }

    /// The lengths of a table's records in bytes.
    pub(crate) fn lengths(&self, table: StoreTable) -> Result<BTreeMap<FileKey, i64>, StoreError> {
        self.layers().column(table, "length(record)")
    }

    /// Writes one sealed record.
    pub(crate) fn put(
        &self,
        table: StoreTable,
        key: FileKey,
        sealed: &[u8],
    ) -> Result<(), StoreError> {
        self.layers().put(table, key, sealed)
    }

    /// Removes one record.
    pub(crate) fn remove(&self, table: StoreTable, key: FileKey) -> Result<(), StoreError> {
        self.layers().remove(table, key)
    }

    /// A sealed record of the whole graph.
    pub(crate) fn meta(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        store_layers::meta(&self.layers().own, name)
    }

    /// Writes a sealed record of the whole graph.
    pub(crate) fn put_meta(&self, name: &str, sealed: &[u8]) -> Result<(), StoreError> {
        store_layers::put_meta(&self.layers().own, name, sealed)
    }
}

/// Returns the bytes that the store in `folder` takes; `None` when there is none.
pub(crate) fn size_on_disk(folder: &Path) -> Option<u64> {
    Some(store_schema::size_on_disk(folder)? + base_store::bytes_in(folder))
}

/// Creates the database of `folder` while no process has it open. Keeps a sound one, unless it is the `damaged` one by its
/// birth mark.
fn create_alone(folder: &Path, lock: &File, damaged: Option<&[u8]>) -> Result<(), StoreError> {
    wait_for_lock(REBUILD_PATIENCE, || lock.try_lock())?;
    let created = store_schema::create_unless_sound(&store_schema::path_in(folder), damaged);
    lock.unlock()?;
    created
}
