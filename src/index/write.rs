//! From what a look found to the store: facts of what is new, the graph resolved again, and of its parts only those that
//! came out differently.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rayon::prelude::*;

use super::{
    FileFacts, Language, SourceFile,
    resolve::resolve_told,
    scan::{Content, Look, Row},
    scip::Told,
};
use crate::graph::{
    Graph,
    store::{Key, Store, StoreError, Table, blob},
};

const GENERATION: &str = "generation";

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

/// Resolves the graph of `contents`. What compilers said of other contents isn't heard.
pub(super) fn graph_of(
    contents: &BTreeMap<String, Content>,
    rows: &BTreeMap<String, Row>,
    mut told: BTreeMap<String, Told>,
) -> Graph {
    told.retain(|path, told| rows.get(path).is_some_and(|row| row.is_of(&told.hash)));
    let mut sources = Vec::new();
    let mut manifests = Vec::new();
    for (path, content) in contents {
        match content {
            Content::Source(facts) => {
                sources.push(SourceFile { path: path.clone(), facts: Arc::clone(facts) });
            }
            Content::Manifest(text) => manifests.push((path.clone(), text.clone())),
            Content::Nothing => {}
        }
    }
    resolve_told(&sources, &manifests, &told)
}

/// Writes what `look` found, what compilers said anew, and the graph that comes of it.
pub(super) fn write(
    store: &Store,
    rows: &mut BTreeMap<String, Row>,
    look: Look,
    news: &BTreeMap<String, Told>,
) -> Result<(), StoreError> {
    for path in &look.removed {
        if let Some(row) = rows.remove(path) {
            store.remove(row.key)?;
        }
    }
    rows.extend(look.touched);
    let mut next = rows.values().map(|row| row.key).max().unwrap_or_default() + 1;
    let mut contents = BTreeMap::new();
    for (path, (row, content)) in look.fresh {
        let key = rows.get(&path).map_or(next, |known| known.key);
        next = next.max(key + 1);
        match &content {
            Content::Source(facts) => {
                let bytes =
                    facts.to_bytes().map_err(|error| StoreError::Unusable(error.to_string()))?;
                store.put(Table::Facts, key, &blob::seal_bytes(&bytes))?;
            }
            Content::Manifest(text) => {
                store.put(Table::Facts, key, &blob::seal_bytes(text.as_bytes()))?;
            }
            Content::Nothing => store.drop_blob(Table::Facts, key)?,
        }
        rows.insert(path.clone(), row.with_key(key));
        contents.insert(path, content);
    }
    load(store, rows, &mut contents)?;
    for (path, told) in news {
        if let Some(row) = rows.get(path) {
            store.put(Table::Told, row.key, &blob::seal(told)?)?;
        }
    }
    let graph = graph_of(&contents, rows, told(store, rows)?);
    drop(contents);
    put_graph(store, rows, &graph)?;
    let generation = generation(store)? + 1;
    store.put_meta(GENERATION, &blob::seal(&generation)?)?;
    Ok(())
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
        let bytes = sealed
            .get(&row.key)
            .ok_or_else(|| StoreError::Damaged("the facts of a file are missing".to_owned()))
            .and_then(|sealed| blob::open(sealed))?;
        let content = match Language::of_path(path) {
            Some(_) => {
                let facts = FileFacts::from_bytes(bytes)
                    .map_err(|error| StoreError::Damaged(error.to_string()))?;
                Content::Source(Arc::new(facts))
            }
            None => Content::Manifest(String::from_utf8_lossy(bytes).into_owned()),
        };
        Ok(((*path).clone(), content))
    };
    let found: Vec<(String, Content)> =
        missing.par_iter().map(read).collect::<Result<_, StoreError>>()?;
    contents.extend(found);
    Ok(())
}

fn put_graph(
    store: &Store,
    rows: &mut BTreeMap<String, Row>,
    graph: &Graph,
) -> Result<(), StoreError> {
    let keys: BTreeMap<&str, Key> =
        rows.iter().map(|(path, row)| (path.as_str(), row.key)).collect();
    let parts = blob::parts(graph, &keys);
    let mut inward: BTreeMap<Key, BTreeSet<Key>> =
        parts.keys().map(|key| (*key, BTreeSet::new())).collect();
    let mut names: Vec<Vec<(&str, Key, u32)>> = (0..blob::BUCKETS).map(|_| Vec::new()).collect();
    for (key, part) in &parts {
        for target in &part.targets {
            inward.entry(*target).or_default().insert(*key);
        }
        for (name, count) in part.names() {
            names[blob::bucket(name) as usize].push((name, *key, count));
        }
    }
    let sealed: Vec<(Key, Vec<u8>)> = parts
        .par_iter()
        .map(|(key, part)| Ok((*key, blob::seal(part)?)))
        .collect::<Result<_, StoreError>>()?;
    put_changed(store, Table::Parts, sealed)?;
    let sealed = inward.iter().map(|(key, sources)| Ok((*key, blob::seal(sources)?)));
    put_changed(store, Table::Inward, sealed.collect::<Result<_, StoreError>>()?)?;
    let sealed = names.iter_mut().zip(0..).map(|(bucket, number)| {
        bucket.sort_unstable();
        Ok((number, blob::seal(bucket)?))
    });
    put_changed(store, Table::Names, sealed.collect::<Result<_, StoreError>>()?)?;
    let known = self::rows(store)?;
    for (path, row) in rows {
        row.nodes = parts
            .get(&row.key)
            .map_or(0, |part| u32::try_from(part.nodes.len()).unwrap_or(u32::MAX));
        if known.get(path) != Some(row) {
            put_row(store, path, row)?;
        }
    }
    Ok(())
}

fn put_changed(store: &Store, table: Table, sealed: Vec<(Key, Vec<u8>)>) -> Result<(), StoreError> {
    let mut known = store.seals(table)?;
    for (key, bytes) in sealed {
        let seal = known.remove(&key);
        if seal.as_deref() != bytes.get(..blob::SEAL) {
            store.put(table, key, &bytes)?;
        }
    }
    for key in known.into_keys() {
        store.drop_blob(table, key)?;
    }
    Ok(())
}
