//! From what a look found to the store: rows and facts of what is new. The graph's own parts are [`super::parts`]'.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rayon::prelude::*;

use super::{
    FileFacts, Language, SourceFile, parts,
    scan::{Content, Look, Row},
    scip::Told,
};
use crate::graph::store::{Key, Store, StoreError, Table, blob};

const GENERATION: &str = "generation";
/// Files whose records are made before they are written.
const AT_ONCE: usize = 128;

/// What the store knows of each file.
pub(super) fn rows(store: &Store) -> Result<BTreeMap<String, Row>, StoreError> {
    let read = |(path, (key, sealed)): (String, (Key, Vec<u8>))| {
        // The seal is over the path too, so that rows can't be taken for each other.
        let (known, row): (String, Row) = blob::unseal(&sealed)?;
        if known != path {
            return Err(StoreError::Damaged("a row stands at the wrong path".to_owned()));
        }
        Ok((path, row.with_key(key)))
    };
    store.rows()?.into_iter().map(read).collect()
}

/// A number that every write changes.
pub(super) fn generation(store: &Store) -> Result<u64, StoreError> {
    store.meta(GENERATION)?.map_or(Ok(0), |sealed| blob::unseal(&sealed))
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
    store.put_row(row.key, path, &blob::seal(&(path, row))?)
}

/// What is kept of compilers' indexes, by path, also of contents that files no longer have.
pub(super) fn told(
    store: &Store,
    rows: &BTreeMap<String, Row>,
) -> Result<BTreeMap<String, Told>, StoreError> {
    let mut sealed: BTreeMap<Key, Vec<u8>> = store.all(Table::Told)?.into_iter().collect();
    let read = |(path, row): (&String, &Row)| {
        sealed.remove(&row.key).map(|sealed| Ok((path.clone(), blob::unseal(&sealed)?)))
    };
    rows.iter().filter_map(read).collect()
}

/// Contents as resolution takes them.
pub(super) struct Sorted {
    pub(super) sources: Vec<SourceFile>,
    pub(super) manifests: Vec<(String, String)>,
    /// What compilers said of these very contents.
    pub(super) told: BTreeMap<String, Told>,
}

impl Sorted {
    /// Sorts `contents` out. What compilers said of other contents than those in `rows` isn't heard.
    pub(super) fn of(
        contents: BTreeMap<String, Content>,
        rows: &BTreeMap<String, Row>,
        mut told: BTreeMap<String, Told>,
    ) -> Self {
        told.retain(|path, told| rows.get(path).is_some_and(|row| row.is_of(&told.hash)));
        let mut sorted = Self { sources: Vec::new(), manifests: Vec::new(), told };
        for (path, content) in contents {
            match content {
                Content::Source(facts) => sorted.sources.push(SourceFile { path, facts }),
                Content::Manifest(text) => sorted.manifests.push((path, text)),
                Content::Nothing => {}
            }
        }
        sorted
    }

    fn has(&self, path: &str) -> bool {
        self.sources.binary_search_by(|source| source.path.as_str().cmp(path)).is_ok()
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
    look: Look,
    news: &BTreeMap<String, Told>,
) -> Result<Written, StoreError> {
    let replaced = replaced(store, rows, &look)?;
    for path in &look.removed {
        if let Some(row) = rows.remove(path) {
            store.remove(row.key)?;
        }
    }
    let mut written: BTreeSet<String> = look.touched.keys().cloned().collect();
    rows.extend(look.touched);
    let mut next = rows.values().map(|row| row.key).max().unwrap_or_default() + 1;
    let mut contents = BTreeMap::new();
    let mut fresh = Vec::new();
    for (path, (row, content)) in look.fresh {
        let key = rows.get(&path).map_or(next, |known| known.key);
        next = next.max(key + 1);
        let mut row = row.with_key(key);
        row.nodes = rows.get(&path).map_or(0, |known| known.nodes);
        rows.insert(path.clone(), row);
        fresh.push((key, content.clone()));
        contents.insert(path.clone(), content);
        written.insert(path);
    }
    load(store, rows, &mut contents)?;
    for (path, told) in news {
        if let Some(row) = rows.get(path) {
            store.put(Table::Told, row.key, &blob::seal(told)?)?;
        }
    }
    let sorted = Sorted::of(contents, rows, told(store, rows)?);
    let (resolved, counts) = parts::put(store, rows, &sorted, replaced.as_ref(), fresh)?;
    for (path, row) in &mut *rows {
        let nodes = counts.get(path).copied();
        // Without its facts a file has no nodes.
        let nodes = nodes.or((!sorted.has(path)).then_some(0)).unwrap_or(row.nodes);
        if std::mem::replace(&mut row.nodes, nodes) != nodes || written.contains(path) {
            put_row(store, path, row)?;
        }
    }
    let generation = generation(store)? + 1;
    store.put_meta(GENERATION, &blob::seal(&generation)?)?;
    // Millions of small pieces, which the answer needn't wait for.
    rayon::spawn(move || drop(sorted));
    Ok(Written { resolved, generation })
}

/// Writes what was read of files.
pub(super) fn put_contents(
    store: &Store,
    mut fresh: Vec<(Key, Content)>,
) -> Result<(), StoreError> {
    while !fresh.is_empty() {
        let some = fresh.split_off(fresh.len().saturating_sub(AT_ONCE));
        let sealed: Vec<(Key, Option<Vec<u8>>)> = some
            .par_iter()
            .map(|(key, content)| Ok((*key, sealed(content)?)))
            .collect::<Result<_, StoreError>>()?;
        for (key, sealed) in sealed {
            match sealed {
                Some(sealed) => store.put(Table::Facts, key, &sealed)?,
                None => store.drop_blob(Table::Facts, key)?,
            }
        }
    }
    Ok(())
}

fn sealed(content: &Content) -> Result<Option<Vec<u8>>, StoreError> {
    match content {
        Content::Source(facts) => {
            let bytes =
                facts.to_bytes().map_err(|error| StoreError::Unusable(error.to_string()))?;
            Ok(Some(blob::seal_bytes(&bytes)))
        }
        Content::Manifest(text) => Ok(Some(blob::seal_bytes(text.as_bytes()))),
        Content::Nothing => Ok(None),
    }
}

/// What was known of the sources that `look` found changed, when it found nothing else but changed files.
fn replaced(
    store: &Store,
    rows: &BTreeMap<String, Row>,
    look: &Look,
) -> Result<Option<BTreeMap<String, FileFacts>>, StoreError> {
    let mut facts = BTreeMap::new();
    for (path, (_, content)) in &look.fresh {
        let Some(row) = rows.get(path).filter(|row| row.has_content()) else { return Ok(None) };
        match content {
            Content::Nothing => return Ok(None),
            Content::Manifest(_) => {}
            Content::Source(_) => {
                let Some(sealed) = store.get(Table::Facts, row.key)? else { return Ok(None) };
                drop(facts.insert(path.clone(), facts_of(&sealed)?));
            }
        }
    }
    Ok(look.removed.is_empty().then_some(facts))
}

fn facts_of(sealed: &[u8]) -> Result<FileFacts, StoreError> {
    FileFacts::from_bytes(blob::open(sealed)?)
        .map_err(|error| StoreError::Damaged(error.to_string()))
}

/// Reads the contents of all files that are not among `contents` yet.
fn load(
    store: &Store,
    rows: &BTreeMap<String, Row>,
    contents: &mut BTreeMap<String, Content>,
) -> Result<(), StoreError> {
    let sealed: BTreeMap<Key, Vec<u8>> = store.all(Table::Facts)?.into_iter().collect();
    let missing: Vec<(&String, &Row)> = rows
        .iter()
        .filter(|(path, row)| row.has_content() && !contents.contains_key(*path))
        .collect();
    let read = |(path, row): &(&String, &Row)| {
        let sealed = sealed
            .get(&row.key)
            .ok_or_else(|| StoreError::Damaged("the facts of a file are missing".to_owned()))?;
        let content = match Language::of_path(path) {
            Some(_) => Content::Source(Arc::new(facts_of(sealed)?)),
            None => Content::Manifest(String::from_utf8_lossy(blob::open(sealed)?).into_owned()),
        };
        Ok(((*path).clone(), content))
    };
    let found: Vec<(String, Content)> =
        missing.par_iter().map(read).collect::<Result<_, StoreError>>()?;
    contents.extend(found);
    Ok(())
}
