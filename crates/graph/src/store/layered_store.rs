//! The databases of a store: its own, and the [`SharedBaseStore`] below it. A record of the own one hides that of the base,
//! and an empty one says that there is none. Those of the own one are compressed. When too much differs, everything goes into
//! a new base.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OptionalExtension, params, types::FromSql};

use super::{
    FileKey, StoreError, StoreTable, checksummed_record, compressed_record,
    shared_base_store::{self, SharedBaseStore},
    store_schema::CACHED_STATEMENTS,
};

/// Name of the record that holds the id of the base.
const BASE: &str = "base";
/// Attempts to open a base that another process replaces meanwhile.
const OPEN_ATTEMPTS: usize = 3;
/// The own records, which are compressed, may have this part of the size of the base, and these bytes.
const OWN_PART: i64 = 4;
const OWN_BYTES: i64 = 512 << 10;

/// The databases of a store.
pub(super) struct StoreLayers {
    pub(super) own: Connection,
    /// Where the bases are; `None` for a store in memory, which has none.
    folder: Option<PathBuf>,
    base: Option<SharedBaseStore>,
    /// The transaction ends with a new base.
    folds: bool,
}

impl StoreLayers {
    /// Returns a store over `own`. Its base is opened by the first transaction.
    pub(super) fn new(own: Connection, folder: Option<&Path>) -> Self {
        own.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
        Self { own, folder: folder.map(Path::to_owned), base: None, folds: false }
    }

    pub(super) fn begin_read(&mut self) -> Result<(), StoreError> {
        self.begin("BEGIN")
    }

    /// Starts to write. What is written into an empty store becomes its base.
    pub(super) fn begin_write(&mut self) -> Result<(), StoreError> {
        self.begin("BEGIN IMMEDIATE")?;
        let is_empty = "SELECT NOT EXISTS (SELECT 1 FROM files)";
        if let (Some(folder), None) = (&self.folder, &self.base)
            && self.own.query_row(is_empty, [], |row| row.get(0))?
        {
            self.base = Some(SharedBaseStore::create(folder, None)?);
        }
        Ok(())
    }

    /// Puts all records into a new base at the end of this transaction, so that nothing is left of those that were removed.
    pub(super) const fn fold_at_commit(&mut self) {
        self.folds = true;
    }

    pub(super) fn commit(&mut self) -> Result<(), StoreError> {
        let is_above_base = self.base.as_ref().is_some_and(|base| base.is_finished);
        if is_above_base && (self.folds || self.is_overgrown()?) {
            self.fold()?;
        }
        self.folds = false;
        let before = self.base_id()?;
        let mut is_replaced = false;
        if let Some(base) = self.base.as_mut().filter(|base| !base.is_finished) {
            base.finish()?;
            is_replaced = true;
            put_meta(&self.own, BASE, &checksummed_record::encode(&base.id)?)?;
        }
        self.own.execute_batch("COMMIT")?;
        if let (true, Some(folder), Some(before)) = (is_replaced, &self.folder, before) {
            shared_base_store::remove(folder, &before);
        }
        Ok(())
    }

    pub(super) fn roll_back(&mut self) -> Result<(), StoreError> {
        drop(self.base.take_if(|base| !base.is_finished));
        self.folds = false;
        Ok(self.own.execute_batch("ROLLBACK")?)
    }

    /// Gives `folder` the base of `copy`, which is a copy of the own database.
    pub(super) fn share_base(&self, copy: &Connection, folder: &Path) -> Result<(), StoreError> {
        let id = meta(copy, BASE)?.map(|encoded| checksummed_record::decode::<String>(&encoded));
        match (&self.folder, id.transpose()?) {
            (Some(from), Some(id)) => Ok(shared_base_store::share(from, folder, &id)?),
            _ => Ok(()),
        }
    }

    pub(super) fn get(
        &self,
        table: StoreTable,
        key: FileKey,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        match record(&self.own, table, key)? {
            Some(removed) if removed.is_empty() => Ok(None),
            Some(own) if self.packs(table) => compressed_record::unpack(&own).map(Some),
            Some(own) => Ok(Some(own)),
            None => self.get_from_base(table, key),
        }
    }

    /// Returns all records of a table.
    pub(super) fn records(
        &self,
        table: StoreTable,
    ) -> Result<BTreeMap<FileKey, Vec<u8>>, StoreError> {
        let unpack = |own: Vec<u8>| {
            if self.packs(table) { compressed_record::unpack(&own) } else { Ok(own) }
        };
        self.layered(table, "record", unpack)
    }

    /// Returns a column of all records of a table. Those of the own database may be compressed, behind their checksums.
    pub(super) fn column<T: FromSql>(
        &self,
        table: StoreTable,
        column: &str,
    ) -> Result<BTreeMap<FileKey, T>, StoreError> {
        self.layered(table, column, Ok)
    }

    /// Returns a column of the base with that of the own database over it, each value of which is made by `own`.
    fn layered<T: FromSql>(
        &self,
        table: StoreTable,
        column: &str,
        own: impl Fn(T) -> Result<T, StoreError>,
    ) -> Result<BTreeMap<FileKey, T>, StoreError> {
        let mut rows: BTreeMap<FileKey, T> = match &self.base {
            Some(base) => column_in(&base.connection, table, column)?
                .into_iter()
                .filter_map(|(key, value)| Some((key, value?)))
                .collect(),
            None => BTreeMap::new(),
        };
        for (key, value) in column_in(&self.own, table, column)? {
            match value {
                Some(value) => drop(rows.insert(key, own(value)?)),
                None => drop(rows.remove(&key)),
            }
        }
        Ok(rows)
    }

    pub(super) fn put(
        &self,
        table: StoreTable,
        key: FileKey,
        encoded: &[u8],
    ) -> Result<(), StoreError> {
        match &self.base {
            Some(base) if base.takes(table) => put(&base.connection, table, key, encoded),
            Some(_) if self.get_from_base(table, key)?.as_deref() == Some(encoded) => {
                remove(&self.own, table, key)
            }
            Some(_) if self.packs(table) => {
                put(&self.own, table, key, &compressed_record::pack(encoded)?)
            }
            _ => put(&self.own, table, key, encoded),
        }
    }

    pub(super) fn remove(&self, table: StoreTable, key: FileKey) -> Result<(), StoreError> {
        match &self.base {
            Some(base) if base.takes(table) => remove(&base.connection, table, key),
            Some(_) if self.get_from_base(table, key)?.is_some() => put(&self.own, table, key, &[]),
            _ => remove(&self.own, table, key),
        }
    }

    /// Whether own records of a table are compressed. Of summaries, lengths are read without them.
    fn packs(&self, table: StoreTable) -> bool {
        let is_large = StoreTable::OF_GRAPH.contains(&table) && table != StoreTable::Summaries;
        is_large && self.base.is_some()
    }

    fn get_from_base(
        &self,
        table: StoreTable,
        key: FileKey,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.base.as_ref().map_or(Ok(None), |base| record(&base.connection, table, key))
    }

    /// Begins a transaction, with the base of its state.
    fn begin(&mut self, statement: &str) -> Result<(), StoreError> {
        let mut attempts = OPEN_ATTEMPTS;
        loop {
            self.own.execute_batch(statement)?;
            attempts -= 1;
            match self.follow_base() {
                Ok(()) => return Ok(()),
                Err(error) => {
                    self.own.execute_batch("ROLLBACK")?;
                    if attempts == 0 {
                        return Err(error);
                    }
                }
            }
        }
    }

    /// Opens the base that the own database names.
    fn follow_base(&mut self) -> Result<(), StoreError> {
        let id = self.base_id()?;
        if self.base.as_ref().map(|base| &base.id) != id.as_ref() {
            self.base = None;
            if let (Some(folder), Some(id)) = (&self.folder, id) {
                self.base = Some(SharedBaseStore::open(folder, &id)?);
            }
        }
        Ok(())
    }

    fn base_id(&self) -> Result<Option<String>, StoreError> {
        meta(&self.own, BASE)?.map(|encoded| checksummed_record::decode(&encoded)).transpose()
    }

    fn is_overgrown(&self) -> Result<bool, StoreError> {
        let Some(base) = &self.base else { return Ok(false) };
        let mut own = 0;
        // The tables that a new base would take: neither files nor SCIP overlays.
        for table in StoreTable::OF_GRAPH {
            let query = format!("SELECT coalesce(sum(length(record)), 0) FROM {}", table.name());
            own += self.own.query_row(&query, [], |row| row.get::<_, i64>(0))?;
        }
        Ok(own > bytes(&base.connection)? / OWN_PART + OWN_BYTES)
    }

    /// Puts all records into a new base.
    fn fold(&mut self) -> Result<(), StoreError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let kept = self.base.as_ref().map(|base| base.id.as_str());
        let whole = SharedBaseStore::create(folder, kept)?;
        for table in StoreTable::OF_GRAPH {
            for key in self.column::<FileKey>(table, "key")?.into_keys() {
                if let Some(record) = self.get(table, key)? {
                    put(&whole.connection, table, key, &record)?;
                }
            }
            self.own.execute(&format!("DELETE FROM {}", table.name()), [])?;
        }
        self.base = Some(whole);
        Ok(())
    }
}

/// Returns a checksummed record of the whole graph.
pub(super) fn meta(database: &Connection, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let mut statement = database.prepare_cached("SELECT record FROM meta WHERE name = ?")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

/// Writes a checksummed record of the whole graph.
pub(super) fn put_meta(
    database: &Connection,
    name: &str,
    encoded: &[u8],
) -> Result<(), StoreError> {
    let query = "INSERT OR REPLACE INTO meta(name, record) VALUES (?, ?)";
    database.prepare_cached(query)?.execute(params![name, encoded])?;
    Ok(())
}

/// Returns a column of the records of a table; `None` for those that say that there is none.
fn column_in<T: FromSql>(
    database: &Connection,
    table: StoreTable,
    column: &str,
) -> Result<Vec<(FileKey, Option<T>)>, StoreError> {
    let name = table.name();
    let query = format!("SELECT key, length(record) = 0, {column} FROM {name} ORDER BY key");
    let mut statement = database.prepare_cached(&query)?;
    let rows = statement.query_map([], |row| {
        let is_removed: bool = row.get(1)?;
        // A part of nothing is no value.
        Ok((row.get(0)?, if is_removed { None } else { Some(row.get(2)?) }))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn record(
    database: &Connection,
    table: StoreTable,
    key: FileKey,
) -> Result<Option<Vec<u8>>, StoreError> {
    let query = format!("SELECT record FROM {} WHERE key = ?", table.name());
    Ok(database.prepare_cached(&query)?.query_row([key], |row| row.get(0)).optional()?)
}

fn put(
    database: &Connection,
    table: StoreTable,
    key: FileKey,
    encoded: &[u8],
) -> Result<(), StoreError> {
    let query = format!("INSERT OR REPLACE INTO {}(key, record) VALUES (?, ?)", table.name());
    database.prepare_cached(&query)?.execute(params![key, encoded])?;
    Ok(())
}

fn remove(database: &Connection, table: StoreTable, key: FileKey) -> Result<(), StoreError> {
    let query = format!("DELETE FROM {} WHERE key = ?", table.name());
    database.prepare_cached(&query)?.execute([key])?;
    Ok(())
}

/// Returns the bytes of the pages that a database uses.
fn bytes(database: &Connection) -> Result<i64, StoreError> {
    let number = |pragma| database.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    Ok(number("page_size")? * (number("page_count")? - number("freelist_count")?))
}
