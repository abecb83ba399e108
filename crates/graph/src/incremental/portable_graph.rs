//! A stored graph as parts that another machine can take: records of all tables, by ranges of files, so that two graphs that
//! differ in a few files share most parts. Times say nothing about another machine's tree, so all count as doubtful there:
//! the refresh that follows reads every file, and extracts and resolves only what differs.

use std::{collections::BTreeMap, fs, path::Path};

use retriever_workspace::{Cancellation, FileStat, cache_file_io};
use serde::{Deserialize, Serialize};

use super::{
    graph_update::LAYOUT,
    indexed_file_record::{self, FileRecord},
    remote_graph_source::RemoteGraphSource,
};
use crate::store::{self, FileKey, GraphStore, StoreError, StoreTable, checksummed_record};

/// Files whose records are one part.
const FILES_PER_PART: FileKey = 128;
/// Buckets of names that are one part.
const BUCKETS_PER_PART: FileKey = 16;
/// The greatest number of a file that another machine may give.
const MAX_KEY: FileKey = FileKey::MAX / 2;

/// A graph and the contents that it was made from.
#[derive(Clone, Debug, Default)]
pub struct PortableGraph {
    /// Parts of the graph.
    pub parts: Vec<Vec<u8>>,
    /// The contents of its source files, by path.
    pub contents: Vec<[u8; 32]>,
}

/// Some records of a store.
#[derive(Default, Serialize, Deserialize)]
struct Part<'a> {
    /// Checksummed records of files.
    #[serde(borrow)]
    files: Vec<(FileKey, &'a str, &'a [u8])>,
    /// Checksummed records by table.
    #[serde(borrow)]
    records: Vec<(u8, FileKey, &'a [u8])>,
    /// The checksummed record of where modules are, in one part.
    layout: Option<&'a [u8]>,
}

/// Returns the graph in `store`.
///
/// # Errors
///
/// [`StoreError`]; [`StoreError::Unusable`] when some of its edges were imported.
pub(super) fn export(store: &GraphStore) -> Result<PortableGraph, StoreError> {
    if !store.all(StoreTable::Overlays)?.is_empty() {
        return Err(StoreError::Unusable("it has edges of a SCIP index".to_owned()));
    }
    let files = indexed_file_record::read_all(store)?;
    let mut contents = Vec::new();
    let mut encoded = Vec::new();
    for (path, file) in files {
        if file.is_source() {
            contents.push(file.content_id(&path).to_bytes());
        }
        let doubtful = FileRecord { stamp: FileStat::default(), is_young: true, ..file };
        encoded.push((file.key, checksummed_record::encode(&(&path, &doubtful))?, path));
    }
    let tables = StoreTable::OF_GRAPH
        .into_iter()
        .map(|table| Ok((table, store.all(table)?)))
        .collect::<Result<Vec<_>, StoreError>>()?;
    let mut parts: BTreeMap<(bool, FileKey), Part<'_>> = BTreeMap::new();
    for (key, record, path) in &encoded {
        let part = parts.entry((false, key / FILES_PER_PART)).or_default();
        part.files.push((*key, path, record));
    }
    for (at, (table, records)) in (0..).zip(&tables) {
        let is_names = *table == StoreTable::Names;
        let size = if is_names { BUCKETS_PER_PART } else { FILES_PER_PART };
        for (key, record) in records {
            let part = parts.entry((is_names, key / size)).or_default();
            part.records.push((at, *key, record));
        }
    }
    let layout = store.meta(LAYOUT)?;
    if let Some(part) = parts.values_mut().next_back() {
        part.layout = layout.as_deref();
    }
    let encode = |part: &Part<'_>| {
        postcard::to_stdvec(part).map_err(|error| StoreError::Unusable(error.to_string()))
    };
    let parts = parts.values().map(encode).collect::<Result<_, _>>()?;
    Ok(PortableGraph { parts, contents })
}

/// Puts the graph of `upstream` into `folder` when that holds none and `upstream` has one. One process of several does it;
/// the others wait for it where they open the store.
///
/// # Errors
///
/// [`StoreError`]; then there is still none.
pub(super) fn take(
    folder: &Path,
    upstream: &dyn RemoteGraphSource,
    cancellation: &Cancellation,
) -> Result<(), StoreError> {
    let lock = cache_file_io::lock_file(folder)?;
    if lock.try_lock().is_err() || store::size_on_disk(folder).is_some() {
        return Ok(());
    }
    let Some(parts) = upstream.graph(cancellation) else { return Ok(()) };
    let taken = import(folder, parts, cancellation);
    if taken.is_err() {
        drop(fs::remove_file(folder.join(store::UNFINISHED)));
    }
    taken
}

/// Puts a graph into `folder`, which holds none. The caller has the lock of the folder.
fn import(
    folder: &Path,
    parts: impl Iterator<Item = Option<Vec<u8>>>,
    cancellation: &Cancellation,
) -> Result<(), StoreError> {
    GraphStore::create_in(folder, |store| {
        store.begin_write()?;
        for part in parts {
            cancellation.check()?;
            let part = part.ok_or_else(|| StoreError::Unusable("a part is missing".to_owned()))?;
            let part: Part<'_> =
                postcard::from_bytes(&part).map_err(|_| StoreError::inconsistent())?;
            // New files get the numbers behind these.
            if part.files.iter().any(|(key, ..)| !(1..=MAX_KEY).contains(key)) {
                return Err(StoreError::inconsistent());
            }
            for (key, path, record) in part.files {
                store.put_file(key, path, record)?;
            }
            for (table, key, record) in part.records {
                let table = StoreTable::OF_GRAPH.get(usize::from(table));
                store.put(*table.ok_or_else(StoreError::inconsistent)?, key, record)?;
            }
            if let Some(layout) = part.layout {
                store.put_meta(LAYOUT, layout)?;
            }
        }
        // Damage is found here, not by the first question.
        indexed_file_record::read_all(store)?;
        indexed_file_record::next_generation(store)?;
        store.commit()
    })
}
