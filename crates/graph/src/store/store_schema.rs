//! The database file: its schema, and the version of the code that may read it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use retriever_workspace::Cancellation;
use rusqlite::{Connection, OpenFlags};

use crate::{graph_model::registrations_hash, store::StoreError};

/// How long one process waits for another one that writes.
pub(super) const WRITE_PATIENCE: Duration = Duration::from_secs(60);
/// Statements that SQLite keeps compiled.
pub(super) const CACHED_STATEMENTS: usize = 32;

/// Marks the file as this program's: `rtrv`.
const APPLICATION_ID: i32 = 0x7274_7276;
/// Steps of SQLite's machine between two looks whether copying was cancelled.
const COPY_STEPS: i32 = 10_000;
/// Bytes of a page. Most records fill several.
const PAGE_BYTES: u32 = 8192;

const SCHEMA: &str = "
    CREATE TABLE meta(name TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE files(key INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, record BLOB NOT NULL);
    CREATE TABLE manifests(key INTEGER PRIMARY KEY, record BLOB NOT NULL);
    CREATE TABLE summaries(key INTEGER PRIMARY KEY, record BLOB NOT NULL);
    CREATE TABLE nodes(key INTEGER PRIMARY KEY, record BLOB NOT NULL);
    CREATE TABLE outgoing_edges(key INTEGER PRIMARY KEY, record BLOB NOT NULL);
    CREATE TABLE resolutions(key INTEGER PRIMARY KEY, record BLOB NOT NULL);
    CREATE TABLE incoming_edges(key INTEGER PRIMARY KEY, record BLOB NOT NULL);
    CREATE TABLE overlays(key INTEGER PRIMARY KEY, record BLOB NOT NULL);
    CREATE TABLE names(key INTEGER PRIMARY KEY, record BLOB NOT NULL);
";

/// Name of a database that is not complete.
pub(crate) const UNFINISHED: &str = "graph.db.new";

/// The database in a store's folder.
pub(super) fn path_in(folder: &Path) -> PathBuf {
    folder.join("graph.db")
}

/// Returns the bytes of the database in a store's folder; `None` when there is none.
pub(super) fn size_on_disk(folder: &Path) -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "the store is no file of the workspace")]
    let size = |suffix| fs::metadata(with_suffix(&path_in(folder), suffix)).ok().map(|f| f.len());
    Some(size("")? + size("-wal").unwrap_or_default())
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The version of the code that makes records and graphs, and of the languages that it was given.
pub(crate) fn version() -> i32 {
    let version: i32 = env!("RETRIEVER_STORE_VERSION").parse().unwrap_or_default();
    // SQLite keeps 32 bits, signed.
    let registrations = (registrations_hash() >> 33) as i32;
    version ^ registrations
}

/// Opens a database that exists.
///
/// # Errors
///
/// [`StoreError::Damaged`] when it is another program's, or was written by another version.
pub(super) fn connect(path: &Path) -> Result<Connection, StoreError> {
    connect_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

/// As [`connect`], for a database that is only read.
pub(super) fn connect_to_read(path: &Path) -> Result<Connection, StoreError> {
    connect_with(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

fn connect_with(path: &Path, access: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(WRITE_PATIENCE)?;
    let number =
        |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    if number("application_id")? != APPLICATION_ID {
        return Err(StoreError::Damaged("it is no store of this program".to_owned()));
    }
    if number("user_version")? != version() {
        return Err(StoreError::Damaged("it was made by another version".to_owned()));
    }
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;")?;
    Ok(connection)
}

/// The mark that tells this database from one that was created later in its place.
pub(super) fn birth_mark(connection: &Connection) -> Result<Vec<u8>, StoreError> {
    let query = "SELECT record FROM meta WHERE name = 'birth mark'";
    Ok(connection.query_row(query, [], |row| row.get(0))?)
}

/// Creates a database at `path`, unless there is a sound one with another birth mark than `damaged`.
pub(super) fn create_unless_sound(path: &Path, damaged: Option<&[u8]>) -> Result<(), StoreError> {
    let known = connect(path).and_then(|connection| birth_mark(&connection));
    if known.is_ok_and(|mark| Some(mark.as_slice()) != damaged) {
        return Ok(());
    }
    for suffix in ["", "-wal", "-shm"] {
        remove(&with_suffix(path, suffix))?;
    }
    let connection = Connection::open(path)?;
    // An empty store is worth nothing: it need not survive a crash.
    connection.execute_batch(&format!(
        "PRAGMA synchronous = OFF; PRAGMA page_size = {PAGE_BYTES}; PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = WAL;"
    ))?;
    create_tables(&connection)
}

/// Creates a database at `path`, in place of any. One process writes it. What a failing machine leaves of it is found out by
/// the hashes of its records.
pub(super) fn create(path: &Path) -> Result<Connection, StoreError> {
    remove(path)?;
    let connection = Connection::open(path)?;
    connection.execute_batch(&format!(
        "PRAGMA synchronous = OFF; PRAGMA page_size = {PAGE_BYTES}; PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = MEMORY;"
    ))?;
    create_tables(&connection)?;
    Ok(connection)
}

/// Creates a database in memory.
pub(super) fn create_in_memory() -> Result<Connection, StoreError> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA temp_store = MEMORY;")?;
    create_tables(&connection)?;
    Ok(connection)
}

/// Writes a copy of the database to `path` and opens it. The copy has its own birth mark.
pub(super) fn copy(
    connection: &mut Connection,
    path: &Path,
    cancellation: &Cancellation,
) -> Result<Connection, StoreError> {
    remove(path)?;
    let target = path.to_str().ok_or_else(|| StoreError::Unusable("no UTF-8 path".to_owned()))?;
    let cancellation = cancellation.clone();
    connection.progress_handler(COPY_STEPS, Some(move || cancellation.is_cancelled()))?;
    let copied = connection.execute("VACUUM INTO ?", [target]);
    connection.progress_handler(0, None::<fn() -> bool>)?;
    copied?;
    let copy = connect(path)?;
    let query = "UPDATE meta SET record = ? WHERE name = 'birth mark'";
    copy.execute(query, [&new_birth_mark().as_bytes()[..]])?;
    Ok(copy)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Creates the tables, the version and the birth mark: all of them or none.
fn create_tables(connection: &Connection) -> Result<(), StoreError> {
    let version = version();
    connection.execute_batch(&format!(
        "BEGIN; {SCHEMA} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version};"
    ))?;
    let query = "INSERT INTO meta(name, record) VALUES ('birth mark', ?)";
    connection.execute(query, [&new_birth_mark().as_bytes()[..]])?;
    Ok(connection.execute_batch("COMMIT")?)
}

pub(super) fn new_birth_mark() -> blake3::Hash {
    blake3::hash(format!("{:?} {}", SystemTime::now(), std::process::id()).as_bytes())
}
