//! From what a look found to the store: rows and facts of what is new. The graph's own parts are [`crate::incremental::graph_update`]'.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use rayon::prelude::*;
use retriever_workspace::storage;

use crate::{
    facts::summary::FileSummary,
    incremental::{
        change_scan::{Content, Look, Row},
        graph_update,
    },
    index::{FileFacts, Language},
    resolve::{FactsSource, FileId},
    scip::FileOverlay,
    store::{Key, Store, StoreError, Table, records},
};

const GENERATION: &str = "generation";
/// Bytes of facts that were read just now, about, up to which they stay in memory.
const MAX_OPEN: usize = 32 << 20;

/// What the store knows of each file.
pub(super) fn rows(store: &Store) -> Result<BTreeMap<String, Row>, StoreError> {
    let read = |(path, key, sealed): (String, Key, Vec<u8>)| {
        // The seal is over the path too, so that rows can't be taken for each other.
        let (known, row): (String, Row) = records::unseal(&sealed)?;
        if known != path {
            return Err(StoreError::Damaged("a row stands at the wrong path".to_owned()));
        }
        Ok((path, row.with_key(key)))
    };
    let rows: Vec<(String, Row)> =
        store.rows()?.into_par_iter().map(read).collect::<Result<_, _>>()?;
    Ok(rows.into_iter().collect())
}

/// A number that every write changes.
pub(super) fn generation(store: &Store) -> Result<u64, StoreError> {
    store.meta(GENERATION)?.map_or(Ok(0), |sealed| records::unseal(&sealed))
}

/// Writes rows whose files have other times and the same content.
pub(super) fn touch(store: &Store, touched: &BTreeMap<String, Row>) -> Result<(), StoreError> {
    store.begin_write()?;
    let now = rows(store)?;
    for (path, row) in touched {
        if now.get(path).is_some_and(|known| known.has_same_content(row)) {
            put_row(store, path, row)?;
        }
    }
    store.commit()
}

fn put_row(store: &Store, path: &str, row: &Row) -> Result<(), StoreError> {
    store.put_row(row.key, path, &records::seal(&(path, row))?)
}

/// What is kept of compilers' indexes, by path, also of contents that files no longer have.
pub(super) fn told(
    store: &Store,
    rows: &BTreeMap<String, Row>,
) -> Result<BTreeMap<String, FileOverlay>, StoreError> {
    let mut sealed: BTreeMap<Key, Vec<u8>> = store.all(Table::FileOverlay)?.into_iter().collect();
    let read = |(path, row): (&String, &Row)| {
        sealed.remove(&row.key).map(|sealed| Ok((path.clone(), records::unseal(&sealed)?)))
    };
    rows.iter().filter_map(read).collect()
}

/// What is left of a source that was read.
pub(super) struct Packed {
    outline: FileSummary,
    /// Its facts and its outline as they are written, unless they are written.
    sealed: Option<(Vec<u8>, Vec<u8>)>,
    /// The facts as they are, as long as there is room: they needn't be read back.
    facts: Option<FileFacts>,
}

/// Packs the facts of sources as they are read, on any thread.
#[derive(Default)]
pub(super) struct FactsWriter<'s> {
    /// Where facts go at once; they have to wait when the store isn't this process's to write yet.
    store: Option<&'s Store>,
    /// Bytes of facts that stay as they are, about.
    open: AtomicUsize,
}

impl<'s> FactsWriter<'s> {
    /// Returns one that writes to `store`.
    pub(super) fn to(store: &'s Store) -> Self {
        Self { store: Some(store), open: AtomicUsize::new(0) }
    }

    pub(super) fn pack(
        &self,
        key: Key,
        known: Option<&Row>,
        facts: FileFacts,
    ) -> Result<Packed, StoreError> {
        let bytes = facts.to_bytes().map_err(|error| StoreError::Unusable(error.to_string()))?;
        let outline = FileSummary::of(&facts, facts.language.capabilities());
        let mut sealed = Some((storage::seal(&bytes), records::seal(&outline)?));
        // Facts of another content have to stay until they were compared.
        if let Some(store) = self.store
            && known.is_none_or(|row| !row.has_content())
            && let Some(sealed) = sealed.take()
        {
            put_sealed(store, key, &sealed)?;
        }
        let before = self.open.fetch_add(facts.weight(), Ordering::Relaxed);
        Ok(Packed { outline, sealed, facts: (before < MAX_OPEN).then_some(facts) })
    }
}

fn put_sealed(
    store: &Store,
    key: Key,
    (facts, outline): &(Vec<u8>, Vec<u8>),
) -> Result<(), StoreError> {
    store.put(Table::Facts, key, facts)?;
    store.put(Table::Outlines, key, outline)
}

/// All files, as resolution takes them. The facts of sources are in the store.
pub(super) struct Tree {
    /// Sorted.
    pub(super) paths: Vec<String>,
    /// One a path.
    pub(super) keys: Vec<Key>,
    pub(super) outlines: Vec<FileSummary>,
    pub(super) manifests: Vec<(String, String)>,
    /// Facts that were read just now, of some of the files.
    pub(super) fresh: BTreeMap<Key, FileFacts>,
    /// What compilers said of these very contents.
    pub(super) told: BTreeMap<String, FileOverlay>,
}

/// The facts of all files: those that were read just now, and the others from the store.
pub(super) struct Facts<'s> {
    pub(super) store: &'s Store,
    pub(super) keys: &'s [Key],
    /// Each is handed out once.
    pub(super) fresh: Mutex<BTreeMap<Key, FileFacts>>,
}

impl FactsSource for Facts<'_> {
    fn facts(&self, file: FileId) -> Result<Arc<FileFacts>, StoreError> {
        let key = self.keys[file.index()];
        let fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        let facts = match fresh {
            Some(facts) => facts,
            None => facts_of(&self.store.get(Table::Facts, key)?.ok_or_else(missing)?)?,
        };
        Ok(Arc::new(facts))
    }
}

/// What a write did.
pub(super) struct Written {
    /// Files that had to be resolved.
    pub(super) resolved: usize,
    /// The number that stands for the state it left.
    pub(super) generation: u64,
}

/// Writes what `look` found, what compilers said anew, and the graph that comes of it; `rows` become what is written.
pub(super) fn write(
    store: &Store,
    rows: &mut BTreeMap<String, Row>,
    look: Look<Packed>,
    news: &BTreeMap<String, FileOverlay>,
) -> Result<Written, StoreError> {
    let replaced = replaced(store, rows, &look)?;
    for path in &look.removed {
        if let Some(row) = rows.remove(path) {
            store.remove(row.key)?;
        }
    }
    let mut written: BTreeSet<String> = look.touched.keys().cloned().collect();
    rows.extend(look.touched);
    let mut fresh = BTreeMap::new();
    for (path, (row, content)) in look.fresh {
        fresh.insert(row.key, content);
        rows.insert(path.clone(), row);
        written.insert(path);
    }
    for (path, told) in news {
        if let Some(row) = rows.get(path) {
            store.put(Table::FileOverlay, row.key, &records::seal(told)?)?;
        }
    }
    let tree = put_contents(store, rows, fresh)?;
    let (resolved, counts) = graph_update::put(store, tree, replaced.as_ref())?;
    for (path, row) in &mut *rows {
        // Without its facts a file has no nodes.
        let nodes = if is_source(path, row) { counts.get(&row.key) } else { Some(&0) };
        let nodes = nodes.copied().unwrap_or(row.nodes);
        if std::mem::replace(&mut row.nodes, nodes) != nodes || written.contains(path) {
            put_row(store, path, row)?;
        }
    }
    let generation = generation(store)? + 1;
    store.put_meta(GENERATION, &records::seal(&generation)?)?;
    Ok(Written { resolved, generation })
}

fn is_source(path: &str, row: &Row) -> bool {
    row.has_content() && Language::of_path(path).is_some()
}

/// Writes what was read of files, and puts them together with what is known of the others.
fn put_contents(
    store: &Store,
    rows: &BTreeMap<String, Row>,
    fresh: BTreeMap<Key, Content<Packed>>,
) -> Result<Tree, StoreError> {
    let mut texts = BTreeMap::new();
    let mut outlines = BTreeMap::new();
    let mut open = BTreeMap::new();
    for (key, content) in fresh {
        match content {
            Content::Source(Packed { outline, sealed, facts }) => {
                if let Some(sealed) = sealed {
                    put_sealed(store, key, &sealed)?;
                }
                open.extend(facts.map(|facts| (key, facts)));
                outlines.insert(key, outline);
            }
            Content::Manifest(text) => {
                store.put(Table::Facts, key, &storage::seal(text.as_bytes()))?;
                texts.insert(key, text);
            }
            Content::Nothing => {
                store.drop_blob(Table::Facts, key)?;
                store.drop_blob(Table::Outlines, key)?;
            }
        }
    }
    let sources: Vec<(&String, Key)> = rows
        .iter()
        .filter(|(path, row)| is_source(path, row))
        .map(|(path, row)| (path, row.key))
        .collect();
    if outlines.len() < sources.len() {
        let mut kept = store.all(Table::Outlines)?;
        kept.retain(|(key, _)| !outlines.contains_key(key));
        let kept = kept.into_par_iter().map(|(key, sealed)| Ok((key, records::unseal(&sealed)?)));
        outlines.extend(kept.collect::<Result<Vec<(Key, FileSummary)>, StoreError>>()?);
    }
    let mut tree = Tree {
        paths: Vec::with_capacity(sources.len()),
        keys: Vec::with_capacity(sources.len()),
        outlines: Vec::with_capacity(sources.len()),
        manifests: Vec::new(),
        fresh: open,
        told: told(store, rows)?,
    };
    for (path, key) in sources {
        tree.paths.push(path.clone());
        tree.keys.push(key);
        tree.outlines.push(outlines.remove(&key).ok_or_else(missing)?);
    }
    for (path, row) in rows.iter().filter(|(path, row)| row.has_content() && !is_source(path, row))
    {
        let text = match texts.remove(&row.key) {
            Some(text) => text,
            None => {
                let sealed = store.get(Table::Facts, row.key)?.ok_or_else(missing)?;
                String::from_utf8_lossy(records::open(&sealed)?).into_owned()
            }
        };
        tree.manifests.push((path.clone(), text));
    }
    tree.told.retain(|path, told| rows.get(path).is_some_and(|row| row.is_of(&told.hash)));
    Ok(tree)
}

/// What was known of the sources that `look` found changed, when it found nothing else but changed files.
fn replaced(
    store: &Store,
    rows: &BTreeMap<String, Row>,
    look: &Look<Packed>,
) -> Result<Option<BTreeMap<Key, FileFacts>>, StoreError> {
    if !look.removed.is_empty() {
        return Ok(None);
    }
    let mut facts = BTreeMap::new();
    for (path, (row, content)) in &look.fresh {
        if !rows.get(path).is_some_and(Row::has_content) {
            return Ok(None);
        }
        match content {
            Content::Nothing => return Ok(None),
            Content::Manifest(_) => {}
            Content::Source(_) => {
                let Some(sealed) = store.get(Table::Facts, row.key)? else { return Ok(None) };
                drop(facts.insert(row.key, facts_of(&sealed)?));
            }
        }
    }
    Ok(Some(facts))
}

fn facts_of(sealed: &[u8]) -> Result<FileFacts, StoreError> {
    FileFacts::from_bytes(records::open(sealed)?)
        .map_err(|error| StoreError::Damaged(error.to_string()))
}

fn missing() -> StoreError {
    StoreError::Damaged("the facts of a file are missing".to_owned())
}
