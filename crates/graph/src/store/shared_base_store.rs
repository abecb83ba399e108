//! The base of a store: a database beside its own that is written once, and then only read. It has the records of a whole
//! graph; the own database has those that differ from them. The working trees of one repository have links to one base, so
//! that what they have in common takes its room once. It goes with the last link.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use retriever_workspace::cache_file_io;
use rusqlite::Connection;

use super::{
    StoreError, StoreTable,
    store_schema::{self, CACHED_STATEMENTS},
};

/// The prefix and suffix of the names of all bases.
const NAME: (&str, &str) = ("base-", ".db");
/// Letters of the id of a base.
const ID_LETTERS: usize = 16;

/// The base of a store, open.
pub(super) struct SharedBaseStore {
    pub(super) connection: Connection,
    /// Tells it from others.
    pub(super) id: String,
    path: PathBuf,
    /// Nothing is written to it any more.
    pub(super) is_finished: bool,
}

impl SharedBaseStore {
    /// Starts a base in `folder`, where no other than `kept` is of use. The caller has the right to write to the store.
    pub(super) fn create(folder: &Path, kept: Option<&str>) -> Result<Self, StoreError> {
        for path in bases_in(folder) {
            if kept.is_none_or(|kept| path != path_in(folder, kept)) {
                // A base that can't be removed now is removed when the next one is created.
                drop(fs::remove_file(path));
            }
        }
        let id = store_schema::new_birth_mark().to_hex()[..ID_LETTERS].to_owned();
        let path = path_in(folder, &id);
        let connection = store_schema::create(&path)?;
        let base = Self { connection, id, path, is_finished: false };
        base.connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
        base.connection.execute_batch("BEGIN")?;
        Ok(base)
    }

    /// Opens the base of this id in `folder`.
    pub(super) fn open(folder: &Path, id: &str) -> Result<Self, StoreError> {
        let path = path_in(folder, id);
        #[expect(clippy::disallowed_methods, reason = "the store is no file of the workspace")]
        if !path.exists() {
            return Err(StoreError::Damaged("a part of it is gone".to_owned()));
        }
        let connection = store_schema::connect_to_read(&path)?;
        connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
        // Nobody writes, so one transaction serves all reads.
        connection.execute_batch("BEGIN")?;
        Ok(Self { connection, id: id.to_owned(), path, is_finished: true })
    }

    /// Whether records of a table are written to it now. What SCIP indexes say is of one working tree alone.
    pub(super) fn takes(&self, table: StoreTable) -> bool {
        !self.is_finished && StoreTable::OF_GRAPH.contains(&table)
    }

    /// Makes what was written readable for others.
    pub(super) fn finish(&mut self) -> Result<(), StoreError> {
        self.connection.execute_batch("COMMIT; BEGIN")?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for SharedBaseStore {
    fn drop(&mut self) {
        if !self.is_finished {
            drop(fs::remove_file(&self.path));
        }
    }
}

/// Links the base of `from` into the folder `to`.
pub(super) fn share(from: &Path, to: &Path, id: &str) -> io::Result<()> {
    cache_file_io::share_file(&path_in(from, id), &path_in(to, id))
}

/// Removes a base from a folder. Processes that have it open can go on reading.
pub(super) fn remove(folder: &Path, id: &str) {
    // A base that can't be removed now is removed when the next one is created.
    drop(fs::remove_file(path_in(folder, id)));
}

/// Returns the bytes of the bases in a folder.
pub(super) fn bytes_in(folder: &Path) -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the store is no file of the workspace")]
    let bytes = |path: PathBuf| fs::metadata(path).map_or(0, |file| file.len());
    bases_in(folder).map(bytes).sum()
}

fn path_in(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{}{id}{}", NAME.0, NAME.1))
}

fn bases_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the store is no file of the workspace")]
    let entries = fs::read_dir(folder);
    let is_base = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(NAME.0) && name.ends_with(NAME.1))
    };
    entries.into_iter().flatten().flatten().map(|entry| entry.path()).filter(is_base)
}
