//! Facts by content, compressed: one database for all roots and working trees of a machine. What extraction says of a file depends on
//! its bytes, its language and the version of the program alone, so each content is read once.
//!
//! This is a cache of a cache. Nothing that fails here is an error: facts that are missing, damaged or another version's
//! are extracted again. When it is larger than it may be, the facts that were used least recently are removed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use retriever_workspace::cache_file_io::{self, CHECKSUM_BYTES};
use rusqlite::{
    Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params,
};

use super::{compressed_record, store_error, store_schema};
use crate::{
    facts::{FactsError, FileFacts},
    graph_model::Language,
};

/// Bytes of a content's id.
const ID_BYTES: usize = 32;
/// Bytes of facts that are collected before they are written in one transaction. Other processes write in between.
const BATCH_BYTES: usize = 4 << 20;
/// Seconds within which two uses of facts count as one, so that reading does not always write.
const USE_INTERVAL: i64 = 24 * 3_600;
/// How long a writer waits for one of another process. Readers wait with it.
const PATIENCE: Duration = Duration::from_secs(1);
/// Contents of a tree are noted as used by so many parts, so that no update of a large tree writes them all.
const USE_PARTS: u64 = 16;
/// Files of other versions that were not written for so long are removed.
const OUTDATED: Duration = Duration::from_secs(7 * 24 * 3_600);
/// SQLite's number for the mode of a database that gives pages back when it is asked to.
const INCREMENTAL: i64 = 2;
/// The part of the largest size that is left after old facts were removed, in percent.
const KEPT_PERCENT: i64 = 80;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS facts(
        id BLOB PRIMARY KEY, used INTEGER NOT NULL, record BLOB NOT NULL
    );
    CREATE INDEX IF NOT EXISTS facts_by_use ON facts(used);
";

/// The content of a file of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FactsContentId([u8; ID_BYTES]);

impl FactsContentId {
    /// Returns the id of a content by its hash and the language that it is read as.
    pub(crate) fn new(hash: &[u8; 32], language: Option<Language>) -> Self {
        let mut hasher = blake3::Hasher::new();
        // A registered language is written by its name.
        hasher.update(hash).update(&postcard::to_stdvec(&language).unwrap_or_default());
        Self(*hasher.finalize().as_bytes())
    }

    /// Returns the id as it is published.
    pub(crate) const fn to_bytes(self) -> [u8; ID_BYTES] {
        self.0
    }
}

impl FactsContentId {
    /// Returns the key under which facts of this content lie that `source` has made.
    fn made_by(self, source: &[u8; 32]) -> Self {
        Self(*blake3::Hasher::new_keyed(source).update(&self.0).finalize().as_bytes())
    }
}

impl From<[u8; ID_BYTES]> for FactsContentId {
    fn from(bytes: [u8; ID_BYTES]) -> Self {
        Self(bytes)
    }
}

/// The database, open. Threads take turns.
pub(crate) struct ContentAddressedFacts {
    state: Mutex<State>,
    max_bytes: i64,
    /// Whose facts are adopted: none are read that another source has made.
    source: Option<[u8; 32]>,
}

struct State {
    connection: Option<Connection>,
    /// The file, unless the database is in memory.
    path: Option<PathBuf>,
    /// Packed records of facts that are not written yet.
    pending: BTreeMap<FactsContentId, Vec<u8>>,
    /// Their bytes.
    pending_bytes: usize,
    /// Facts that were read.
    used: BTreeSet<FactsContentId>,
}

impl ContentAddressedFacts {
    /// Opens the database in `folder`; creates both when they are missing. Without a folder, or when that can't be used, the
    /// facts are kept in memory.
    pub(crate) fn open(folder: Option<&Path>, max_bytes: u64) -> Self {
        let path =
            folder.map(|folder| folder.join(format!("facts-{}.db", store_schema::version())));
        let on_disk = path.as_deref().and_then(|path| {
            let again = |error| {
                if !store_error::is_damage(&error) {
                    return Err(error);
                }
                remove(path);
                connect(path)
            };
            connect(path).or_else(again).ok()
        });
        let state = State {
            connection: on_disk.or_else(|| connect_in_memory().ok()),
            path,
            pending: BTreeMap::new(),
            pending_bytes: 0,
            used: BTreeSet::new(),
        };
        let max_bytes = i64::try_from(max_bytes).unwrap_or(i64::MAX);
        Self { state: Mutex::new(state), max_bytes, source: None }
    }

    /// Adopts facts of a remote index, which `source` tells apart from others.
    pub(crate) fn adopting_from(mut self, source: &str) -> Self {
        self.source = Some(*blake3::hash(source.as_bytes()).as_bytes());
        self
    }

    /// Returns the facts of a content; `None` when there are none that can be trusted.
    pub(crate) fn get(&self, id: FactsContentId) -> Option<FileFacts> {
        let decoded = |packed: &[u8], decode: fn(&[u8]) -> Result<FileFacts, FactsError>| {
            decode(&verified_record(packed, id)?[CHECKSUM_BYTES + ID_BYTES..]).ok()
        };
        if let Some(packed) = self.state().read(id) {
            return decoded(&packed, FileFacts::from_bytes);
        }
        decoded(&self.read_adopted(id)?, FileFacts::from_foreign_bytes)
    }

    fn read_adopted(&self, id: FactsContentId) -> Option<Vec<u8>> {
        self.state().read(id.made_by(self.source.as_ref()?))
    }

    /// Returns the record of a content as another machine can take it: its id, and the packed record; `None` when there is none
    /// that can be trusted.
    pub(crate) fn portable(&self, id: FactsContentId) -> Option<Vec<u8>> {
        let own = self.state().read(id);
        let packed = own.or_else(|| self.read_adopted(id))?;
        verified_record(&packed, id).map(|_| [&id.0[..], &packed].concat())
    }

    /// Keeps the facts of a content.
    pub(crate) fn put(&self, id: FactsContentId, facts: &[u8]) {
        let encoded = cache_file_io::add_checksum(&[&id.0, facts].concat());
        // Packed before the other threads have to wait.
        if let Ok(packed) = compressed_record::pack(&encoded) {
            self.state().collect(id, packed);
        }
    }

    /// Keeps a record that [`ContentAddressedFacts::portable`] returned elsewhere for a content whose id begins like this. One that
    /// is damaged or another content's is of no use to who reads it. It lies apart from what this machine has read, and from what
    /// other remote indexes say of the same content: who may write to one has no say in the repositories of another.
    pub(crate) fn adopt(&self, start: [u8; 8], record: &[u8]) {
        if let Some((id, packed)) = record.split_first_chunk::<ID_BYTES>()
            && id.starts_with(&start)
            && let Some(source) = &self.source
        {
            let id = FactsContentId(*id).made_by(source);
            self.state().collect(id, packed.to_vec());
        }
    }

    /// Notes that a tree has these contents, of which each `round` takes another part: facts that need not be read are in
    /// use, too.
    pub(crate) fn note_use(&self, contents: impl Iterator<Item = FactsContentId>, round: u64) {
        let is_due = |id: &FactsContentId| u64::from(id.0[0]) % USE_PARTS == round % USE_PARTS;
        let both = |id: FactsContentId| [Some(id), self.source.map(|source| id.made_by(&source))];
        self.state().used.extend(contents.filter(is_due).flat_map(both).flatten());
    }

    /// Writes what was collected, and removes old facts when there are too many.
    pub(crate) fn flush(&self) {
        let mut state = self.state();
        state.write();
        state.shrink(self.max_bytes);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ContentAddressedFacts {
    fn drop(&mut self) {
        self.flush();
    }
}

impl State {
    fn collect(&mut self, id: FactsContentId, packed: Vec<u8>) {
        self.pending_bytes += packed.len();
        self.pending.insert(id, packed);
        if self.pending_bytes >= BATCH_BYTES {
            self.write();
        }
    }

    fn read(&mut self, id: FactsContentId) -> Option<Vec<u8>> {
        if let Some(packed) = self.pending.get(&id) {
            return Some(packed.clone());
        }
        let read = |connection: &Connection| {
            let query = "SELECT record FROM facts WHERE id = ?";
            let mut statement = connection.prepare_cached(query)?;
            statement.query_row([&id.0[..]], |row| row.get(0)).optional()
        };
        let packed = self.attempt(read).flatten();
        if packed.is_some() {
            self.used.insert(id);
        }
        packed
    }

    /// Writes pending facts, and when facts were used.
    fn write(&mut self) {
        let (pending, used) = (std::mem::take(&mut self.pending), std::mem::take(&mut self.used));
        self.pending_bytes = 0;
        if pending.is_empty() && used.is_empty() {
            return;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        self.attempt(|connection| {
            let transaction = begin(connection)?;
            let put = "INSERT OR REPLACE INTO facts(id, used, record) VALUES (?, ?, ?)";
            let mut put = connection.prepare_cached(put)?;
            for (id, packed) in &pending {
                put.execute(params![&id.0[..], now, packed])?;
            }
            let touch = "UPDATE facts SET used = ?1 WHERE id = ?2 AND used < ?3";
            let mut touch = connection.prepare_cached(touch)?;
            for id in &used {
                touch.execute(params![now, &id.0[..], now - USE_INTERVAL])?;
            }
            transaction.commit()
        });
    }

    /// Removes the facts that were used least recently when the database is larger than `max_bytes`.
    fn shrink(&mut self, max_bytes: i64) {
        self.attempt(|connection| {
            let number = |pragma: &str| {
                connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0))
            };
            let bytes = number("page_size")? * (number("page_count")? - number("freelist_count")?);
            if bytes <= max_bytes {
                return Ok(());
            }
            let mut excess = bytes - max_bytes / 100 * KEPT_PERCENT;
            let mut statement = connection
                .prepare("SELECT rowid, length(record) FROM facts ORDER BY used, rowid")?;
            let mut rows = statement.query([])?;
            let mut oldest: Vec<i64> = Vec::new();
            while let (true, Some(row)) = (excess > 0, rows.next()?) {
                oldest.push(row.get(0)?);
                excess -= row.get::<_, i64>(1)?;
            }
            drop(rows);
            let transaction = begin(connection)?;
            let mut delete = connection.prepare_cached("DELETE FROM facts WHERE rowid = ?")?;
            for row in oldest {
                delete.execute([row])?;
            }
            transaction.commit()?;
            // Each row stands for one page that was given back.
            let mut vacuum = connection.prepare("PRAGMA incremental_vacuum")?;
            let mut pages = vacuum.query([])?;
            while pages.next()?.is_some() {}
            drop(pages);
            connection.execute_batch("PRAGMA wal_checkpoint")
        });
    }

    /// Runs `work` on the database. After an error a new one in memory takes its place; one that is damaged is removed. While
    /// another process writes for long, only this work is lost.
    fn attempt<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Option<T> {
        let error = match work(self.connection.as_ref()?) {
            Ok(result) => return Some(result),
            Err(error) => error,
        };
        if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) {
            return None;
        }
        self.connection = connect_in_memory().ok();
        if let Some(path) = self.path.take().filter(|_| store_error::is_damage(&error)) {
            remove(&path);
        }
        None
    }
}

/// Begins a transaction, which is rolled back when an error leaves it.
fn begin(connection: &Connection) -> rusqlite::Result<Transaction<'_>> {
    Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
}

/// Returns the id and facts in the packed record of a content; `None` when they can't be trusted.
fn verified_record(packed: &[u8], id: FactsContentId) -> Option<Vec<u8>> {
    let encoded = compressed_record::unpack(packed).ok()?;
    // The id is part of the record, so that no facts can take the place of others.
    let is_own = cache_file_io::strip_checksum(&encoded)?.starts_with(&id.0);
    is_own.then_some(encoded)
}

fn connect_in_memory() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(SCHEMA)?;
    Ok(connection)
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    if let Some(folder) = path.parent() {
        // The folder is created, readable by its owner only; errors show when the database is opened.
        drop(cache_file_io::lock_file(folder));
    }
    #[expect(clippy::disallowed_methods, reason = "the database is no file of the workspace")]
    let is_new = !path.exists();
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    let auto_vacuum =
        connection.pragma_query_value(None, "auto_vacuum", |row| row.get::<_, i64>(0));
    // Setting it waits for writers, even to what it is.
    if auto_vacuum? != INCREMENTAL {
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    }
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
    connection.execute_batch(SCHEMA)?;
    if is_new {
        remove_outdated(path);
    }
    Ok(connection)
}

/// Removes databases of other versions that were not written for a while.
fn remove_outdated(own: &Path) {
    let Some(folder) = own.parent() else { return };
    #[expect(clippy::disallowed_methods, reason = "the folder is not the workspace's")]
    let entries = fs::read_dir(folder);
    for entry in entries.into_iter().flatten().flatten() {
        let path = entry.path();
        let is_facts = path.extension().is_some_and(|extension| extension == "db") && path != own;
        let written = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let age = written.and_then(|written| written.elapsed().ok());
        if is_facts && age.is_some_and(|age| age > OUTDATED) {
            remove(&path);
        }
    }
}

fn remove(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        // A file that can't be removed is found damaged again by the next reader.
        drop(fs::remove_file(store_schema::with_suffix(path, suffix)));
    }
}
