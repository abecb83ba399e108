//! The store of one root: opening, transactions, files and records.

use super::layered_store::StoreLayers;
use super::{
    checksummed_record::FileKey,
    layered_store, shared_base_store,
    store_error::StoreError,
    store_schema::{self, UNFINISHED, WRITE_PATIENCE},
    store_table::StoreTable,
};
use retriever_workspace::{
    Cancellation,
    cache_file_io::{CHECKSUM_BYTES, lock_file, wait_for_lock},
};
use rusqlite::{Connection, params};
use std::{
    collections::BTreeMap,
    fs::File,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// How long a process waits until no other has the store open, to create it anew.
const REBUILD_PATIENCE: Duration = Duration::from_secs(5);

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

    /// The random mark of the database.
    pub(crate) fn birth_mark(&self) -> &[u8] {
        &self.birth_mark
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

    /// The same, as long as `cancellation` has time left.
    pub(crate) fn begin_write_within(&self, cancellation: &Cancellation) -> Result<(), StoreError> {
        let patience = cancellation.remaining().unwrap_or(WRITE_PATIENCE).min(WRITE_PATIENCE);
        let mut layers = self.layers();
        // SQLite counts whole milliseconds: it must not give up before the time is over.
        layers.own.busy_timeout(patience + Duration::from_millis(1))?;
        let begun = layers.begin_write();
        layers.own.busy_timeout(WRITE_PATIENCE)?;
        if begun.is_err() {
            cancellation.check()?;
        }
        begun
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

    /// Every file's path, key and checksummed record, in no order.
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
        encoded: &[u8],
    ) -> Result<(), StoreError> {
        // A key stays with its path, so that the index of paths need not be written again.
        let query = "INSERT OR REPLACE INTO files(key, path, record) VALUES (?, ?, ?)
            ON CONFLICT(key) DO UPDATE SET record = excluded.record";
        self.layers().own.prepare_cached(query)?.execute(params![key, path, encoded])?;
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

    /// One checksummed record.
    pub(crate) fn get(
        &self,
        table: StoreTable,
        key: FileKey,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.layers().get(table, key)
    }

    /// Every checksummed record of a table, sorted by key.
    pub(crate) fn all(&self, table: StoreTable) -> Result<Vec<(FileKey, Vec<u8>)>, StoreError> {
        Ok(self.layers().records(table)?.into_iter().collect())
    }

    /// The hashes of a table's records, to find out which differ from new ones.
    pub(crate) fn checksums(
        &self,
        table: StoreTable,
    ) -> Result<BTreeMap<FileKey, Vec<u8>>, StoreError> {
        self.layers().column(table, &format!("substr(record, 1, {CHECKSUM_BYTES})"))
    }

    /// The lengths of a table's records in bytes.
    pub(crate) fn lengths(&self, table: StoreTable) -> Result<BTreeMap<FileKey, i64>, StoreError> {
        self.layers().column(table, "length(record)")
    }

    /// Writes one checksummed record.
    pub(crate) fn put(
        &self,
        table: StoreTable,
        key: FileKey,
        encoded: &[u8],
    ) -> Result<(), StoreError> {
        self.layers().put(table, key, encoded)
    }

    /// Removes one record.
    pub(crate) fn remove(&self, table: StoreTable, key: FileKey) -> Result<(), StoreError> {
        self.layers().remove(table, key)
    }

    /// A checksummed record of the whole graph.
    pub(crate) fn meta(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        layered_store::meta(&self.layers().own, name)
    }

    /// Writes a checksummed record of the whole graph.
    pub(crate) fn put_meta(&self, name: &str, encoded: &[u8]) -> Result<(), StoreError> {
        layered_store::put_meta(&self.layers().own, name, encoded)
    }
}

/// Returns the bytes that the store in `folder` takes; `None` when there is none.
pub(crate) fn size_on_disk(folder: &Path) -> Option<u64> {
    Some(store_schema::size_on_disk(folder)? + shared_base_store::bytes_in(folder))
}

/// Creates the database of `folder` while no process has it open. Keeps a sound one, unless it is the `damaged` one by its
/// birth mark.
fn create_alone(folder: &Path, lock: &File, damaged: Option<&[u8]>) -> Result<(), StoreError> {
    wait_for_lock(REBUILD_PATIENCE, || lock.try_lock())?;
    let created = store_schema::create_unless_sound(&store_schema::path_in(folder), damaged);
    lock.unlock()?;
    created
}
