//! The store of one root: an SQLite database that holds what is known of each file, the graph in parts that are read one
//! by one, and names. Several processes share it: readers see one consistent state, one writes at a time, and a killed
//! writer leaves the state before. What can't be trusted is made anew; when to look at the files is
//! [`crate::index`]'s business.

pub(crate) mod packed_nodes;
pub(crate) mod records;
mod stored_graph;

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use retriever_workspace::storage::{SEAL_BYTES, lock_file, wait_for_lock};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};

pub(crate) use self::{records::Key, stored_graph::StoredGraph};

/// Says that the file is ours: `rtrv`.
const APPLICATION: i32 = 0x7274_7276;
/// How long one process waits for another one that writes.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long one waits until nobody has the store open, to make it anew.
const REBUILD_PATIENCE: Duration = Duration::from_secs(5);

/// Bytes that SQLite reads and writes at once.
const PAGE: u32 = 8192;

/// SQLite's code for a file that ends too soon.
const SHORT_READ: i32 = 522;

const SCHEMA: &str = "
    CREATE TABLE meta(name TEXT PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE files(key INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, row BLOB NOT NULL);
    CREATE TABLE facts(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE outlines(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE parts(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE departures(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE traces(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE inward(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE told(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE names(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
";

/// A table of blobs by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// A file's facts, or a manifest's text.
    Facts,
    /// What of a file's facts tables over all files are made from.
    Outlines,
    /// A file's nodes.
    Parts,
    /// The edges that start in a file.
    OutgoingEdges,
    /// What a file's resolution looked at.
    Traces,
    /// The edges that end in a file.
    Inward,
    /// Names, by bucket.
    Names,
    /// What a compiler said of a file.
    FileOverlay,
}

impl Table {
    const fn name(self) -> &'static str {
        match self {
            Self::Facts => "facts",
            Self::Outlines => "outlines",
            Self::Parts => "parts",
            Self::OutgoingEdges => "departures",
            Self::Traces => "traces",
            Self::Inward => "inward",
            Self::Names => "names",
            Self::FileOverlay => "told",
        }
    }
}

/// Why the store gives no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum StoreError {
    /// It can't be trusted, and has to be made anew.
    #[error("{0}")]
    Damaged(String),
    /// It may be fine, but can't be used: no room, no permission, another process that doesn't end.
    #[error("{0}")]
    Unusable(String),
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::Unusable(error.to_string())
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        let short = error.sqlite_error().is_some_and(|error| error.extended_code == SHORT_READ);
        match error.sqlite_error_code() {
            _ if short => Self::Damaged(text),
            // SQLite's general error is "no such table": some other schema.
            None
            | Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown) => {
                Self::Damaged(text)
            }
            Some(ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch) => Self::Damaged(text),
            Some(_) => Self::Unusable(text),
        }
    }
}

/// The store of one root, open; any thread may use it, one at a time.
pub(crate) struct Store {
    connection: Mutex<Connection>,
    /// Held shared while the store is open, and alone while it is made anew.
    _lock: File,
    born: Vec<u8>,
}

impl Store {
    /// Opens the store in `folder`, and makes it when there is none.
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        let lock = lock_file(folder)?;
        wait_for_lock(PATIENCE, || lock.try_lock_shared())?;
        let path = file(folder);
        #[expect(
            clippy::disallowed_methods,
            reason = "the store's own file is no file of the workspace"
        )]
        if !path.exists() {
            lock.unlock()?;
            remake(folder, &lock, None)?;
            wait_for_lock(PATIENCE, || lock.try_lock_shared())?;
        }
        let (connection, born) = connect(&path)?;
        Ok(Self { connection: Mutex::new(connection), _lock: lock, born })
    }

    /// Makes the store in `folder` anew, unless another process has done so since `damaged` was opened.
    pub(crate) fn rebuild(folder: &Path, damaged: Option<Self>) -> Result<(), StoreError> {
        let born = damaged.map(|store| store.born);
        let lock = lock_file(folder)?;
        remake(folder, &lock, born.as_deref())
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts to read: until the end of `self` everything is read from one state.
    pub(crate) fn begin_read(&self) -> Result<(), StoreError> {
        Ok(self.connection().execute_batch("BEGIN")?)
    }

    /// Leaves it to the system when what is written gets to the disk, as long as `self` lives. Only for a store that holds nothing:
    /// what a failing system leaves of one state is found out by its hashes, a mixture of two might not be.
    pub(crate) fn let_system_sync(&self) -> Result<(), StoreError> {
        Ok(self.connection().execute_batch("PRAGMA synchronous = OFF")?)
    }

    /// Starts to write, when no other process does.
    pub(crate) fn begin_write(&self) -> Result<(), StoreError> {
        Ok(self.connection().execute_batch("BEGIN IMMEDIATE")?)
    }

    /// Ends what was begun without a change.
    pub(crate) fn end_read(&self) -> Result<(), StoreError> {
        Ok(self.connection().execute_batch("ROLLBACK")?)
    }

    /// Makes what was written valid.
    pub(crate) fn commit(&self) -> Result<(), StoreError> {
        Ok(self.connection().execute_batch("COMMIT")?)
    }

    /// Every file's path, number and row, in no order.
    pub(crate) fn rows(&self) -> Result<Vec<(String, Key, Vec<u8>)>, StoreError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached("SELECT path, key, row FROM files")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Writes a file's row.
    pub(crate) fn put_row(&self, key: Key, path: &str, sealed: &[u8]) -> Result<(), StoreError> {
        let query = "INSERT OR REPLACE INTO files(key, path, row) VALUES (?, ?, ?)";
        self.connection().prepare_cached(query)?.execute(params![key, path, sealed])?;
        Ok(())
    }

    /// Forgets a file.
    pub(crate) fn remove(&self, key: Key) -> Result<(), StoreError> {
        for table in
            ["files", "facts", "outlines", "parts", "departures", "traces", "inward", "told"]
        {
            self.connection()
                .prepare_cached(&format!("DELETE FROM {table} WHERE key = ?"))?
                .execute([key])?;
        }
        Ok(())
    }

    /// One sealed blob.
    pub(crate) fn get(&self, table: Table, key: Key) -> Result<Option<Vec<u8>>, StoreError> {
        let query = format!("SELECT bytes FROM {} WHERE key = ?", table.name());
        Ok(self
            .connection()
            .prepare_cached(&query)?
            .query_row([key], |row| row.get(0))
            .optional()?)
    }

    /// Every sealed blob of a table by number.
    pub(crate) fn all(&self, table: Table) -> Result<Vec<(Key, Vec<u8>)>, StoreError> {
        let query = format!("SELECT key, bytes FROM {} ORDER BY key", table.name());
        let connection = self.connection();
        let mut statement = connection.prepare_cached(&query)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The seals of a table by number, to see what has changed.
    pub(crate) fn seals(&self, table: Table) -> Result<BTreeMap<Key, Vec<u8>>, StoreError> {
        let query = format!("SELECT key, substr(bytes, 1, {}) FROM {}", SEAL_BYTES, table.name());
        let connection = self.connection();
        let mut statement = connection.prepare_cached(&query)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How long the blobs of a table are, by number.
    pub(crate) fn lengths(&self, table: Table) -> Result<BTreeMap<Key, i64>, StoreError> {
        let query = format!("SELECT key, length(bytes) FROM {}", table.name());
        let connection = self.connection();
        let mut statement = connection.prepare_cached(&query)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Writes one sealed blob.
    pub(crate) fn put(&self, table: Table, key: Key, sealed: &[u8]) -> Result<(), StoreError> {
        let query = format!("INSERT OR REPLACE INTO {}(key, bytes) VALUES (?, ?)", table.name());
        self.connection().prepare_cached(&query)?.execute(params![key, sealed])?;
        Ok(())
    }

    /// Removes one blob.
    pub(crate) fn drop_blob(&self, table: Table, key: Key) -> Result<(), StoreError> {
        let query = format!("DELETE FROM {} WHERE key = ?", table.name());
        self.connection().prepare_cached(&query)?.execute([key])?;
        Ok(())
    }

    /// A value that stands for the whole graph.
    pub(crate) fn meta(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached("SELECT bytes FROM meta WHERE name = ?")?;
        Ok(statement.query_row([name], |row| row.get(0)).optional()?)
    }

    /// Writes such a value.
    pub(crate) fn put_meta(&self, name: &str, sealed: &[u8]) -> Result<(), StoreError> {
        let query = "INSERT OR REPLACE INTO meta(name, bytes) VALUES (?, ?)";
        self.connection().prepare_cached(query)?.execute(params![name, sealed])?;
        Ok(())
    }
}

/// The database in a store's folder.
pub(crate) fn file(folder: &Path) -> PathBuf {
    folder.join("graph.db")
}

/// The bytes that a store takes; `None` when there is none.
pub(crate) fn size(folder: &Path) -> Option<u64> {
    let path = file(folder);
    #[expect(
        clippy::disallowed_methods,
        reason = "the store's own file is no file of the workspace"
    )]
    let bytes = |suffix: &str| {
        let mut name = path.clone().into_os_string();
        name.push(suffix);
        std::fs::metadata(name).ok().map(|facts| facts.len())
    };
    Some(bytes("")? + bytes("-wal").unwrap_or_default())
}

/// The version of the program's facts and graphs.
fn version() -> i32 {
    env!("RETRIEVER_STORE_VERSION").parse().unwrap_or_default()
}

/// Opens a database that is there, and looks whether it is ours and of this version.
fn connect(path: &Path) -> Result<(Connection, Vec<u8>), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let number =
        |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    if number("application_id")? != APPLICATION {
        return Err(StoreError::Damaged("it is no store of this program".to_owned()));
    }
    if number("user_version")? != version() {
        return Err(StoreError::Damaged("it was made by another version".to_owned()));
    }
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;")?;
    connection.set_prepared_statement_cache_capacity(32);
    let born =
        connection.query_row("SELECT bytes FROM meta WHERE name = 'born'", [], |row| row.get(0))?;
    Ok((connection, born))
}

/// Makes the database anew while nobody has it open. A good one is kept, unless it is the `damaged` one by its birth mark.
fn remake(folder: &Path, lock: &File, damaged: Option<&[u8]>) -> Result<(), StoreError> {
    wait_for_lock(REBUILD_PATIENCE, || lock.try_lock())?;
    let done = remake_alone(&file(folder), damaged);
    lock.unlock()?;
    done
}

fn remake_alone(path: &Path, damaged: Option<&[u8]>) -> Result<(), StoreError> {
    if connect(path).is_ok_and(|(_, born)| Some(born.as_slice()) != damaged) {
        return Ok(());
    }
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        match std::fs::remove_file(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error.into());
            }
            _ => {}
        }
    }
    let connection = Connection::open(path)?;
    // Nothing is lost with a store that holds nothing. Most blobs fill several pages.
    connection.execute_batch(&format!(
        "PRAGMA synchronous = OFF; PRAGMA page_size = {PAGE}; PRAGMA journal_mode = WAL;"
    ))?;
    let born = blake3::hash(
        format!("{:?} {}", std::time::SystemTime::now(), std::process::id()).as_bytes(),
    );
    // The version comes with the tables or not at all.
    connection.execute_batch(&format!(
        "BEGIN; {SCHEMA} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {}; COMMIT;",
        version()
    ))?;
    connection
        .execute("INSERT INTO meta(name, bytes) VALUES ('born', ?)", [&born.as_bytes()[..]])?;
    Ok(())
}
