//! The graph in the store brought up to date: which files have to be resolved again, and of the kept parts only those
//! that come out differently.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    hash::{Hash, Hasher},
};

use rayon::prelude::*;
use rustc_hash::FxHasher;
use serde::de::DeserializeOwned;

use super::{
    FileFacts,
    resolve::{Before, Change, FileId, Joined, Link, Looks, Resolver, Trace, affected},
    scan::Row,
    write::Sorted,
};
use crate::graph::store::{
    Key, Store, StoreError, Table,
    blob::{self, Leaving, Names, Part},
    nodes::Nodes,
};

const LAYOUT: &str = "layout";

/// The files, ready to be resolved, with their numbers in the store.
struct Files<'a> {
    resolver: Resolver<'a>,
    sorted: &'a Sorted,
    keys: Vec<Key>,
}

/// What is to be written of the parts of the graph.
struct Update<'a> {
    store: &'a Store,
    files: Files<'a>,
    /// The parts that are made anew, with what they were; `None` while nothing is kept.
    old: BTreeMap<Key, Part>,
    /// Whether all files are resolved, and nothing that is kept counts.
    all: bool,
}

/// One file's new share.
#[derive(Default)]
struct Share<'a> {
    joined: Option<Joined<'a>>,
    /// Edges found in files that were resolved again, by file.
    foreign: BTreeMap<Key, Vec<Leaving>>,
    structural: Vec<Leaving>,
}

/// Writes the graph of `sorted`; `replaced` are earlier facts of the files that changed, when nothing else did. Returns how
/// many files were resolved, and the numbers of nodes of the parts that were written.
pub(super) fn put(
    store: &Store,
    rows: &BTreeMap<String, Row>,
    sorted: &Sorted,
    replaced: Option<&BTreeMap<String, FileFacts>>,
) -> Result<(usize, BTreeMap<String, u32>), StoreError> {
    let key = |path: &str| {
        rows.get(path)
            .map(|row| row.key)
            .ok_or_else(|| StoreError::Damaged("a file has no row".to_owned()))
    };
    let keys: Vec<Key> =
        sorted.sources.iter().map(|source| key(&source.path)).collect::<Result<_, _>>()?;
    let resolver = Resolver::new(&sorted.sources, &sorted.manifests, &sorted.told);
    let layout = resolver.layout();
    let kept = store.meta(LAYOUT)?.map(|sealed| blob::unseal::<u64>(&sealed)).transpose()?;
    let mut traces = match replaced {
        Some(_) if kept == Some(layout) => self::traces(store, &keys)?,
        _ => None,
    };
    let again = traces.as_ref().zip(replaced).and_then(|(traces, replaced)| {
        let place =
            |path: &String| sorted.sources.binary_search_by(|source| source.path.cmp(path)).ok();
        let changes: Vec<Change<'_>> = replaced
            .iter()
            .filter_map(|(path, before)| {
                Some(Change { file: FileId(u32::try_from(place(path)?).ok()?), before })
            })
            .collect();
        affected(&resolver, &Before { traces, changes: &changes, keys: &keys })
    });
    if again.is_none() {
        traces = None;
        store.put_meta(LAYOUT, &blob::seal(&layout)?)?;
    }
    let all = again.is_none();
    let again = again.unwrap_or_else(|| resolver.files());
    let files = Files { resolver, sorted, keys };
    let mut update = Update { store, files, old: BTreeMap::new(), all };
    Ok((again.len(), update.run(&again, &traces.unwrap_or_default())?))
}

fn traces(store: &Store, keys: &[Key]) -> Result<Option<Vec<Trace>>, StoreError> {
    let sealed: BTreeMap<Key, Vec<u8>> = store.all(Table::Traces)?.into_iter().collect();
    let read = |key: &Key| sealed.get(key).map(|sealed| blob::unseal(sealed)).transpose();
    keys.par_iter().map(read).collect()
}

impl Files<'_> {
    fn key(&self, file: FileId) -> Key {
        self.keys[file.index()]
    }

    fn leaving(&self, link: &Link) -> Leaving {
        Leaving {
            from: link.from.node,
            kind: link.kind,
            target: self.key(link.to.file),
            to: link.to.node,
            line: link.line,
            resolution: link.resolution,
        }
    }

    /// The traces that have to be written.
    fn traces(
        &self,
        resolved: &[(FileId, (Joined<'_>, Looks))],
        before: &[Trace],
    ) -> BTreeMap<FileId, Trace> {
        let mut traces: BTreeMap<FileId, Trace> = resolved
            .par_iter()
            .map(|(file, (_, looks))| (*file, Trace::new(&self.resolver, *file, looks, &self.keys)))
            .collect();
        for (file, trace) in self.resolver.files().into_iter().zip(before) {
            if !traces.contains_key(&file)
                && let Some(trace) = trace.attaching(&self.resolver, file, &self.keys)
            {
                traces.insert(file, trace);
            }
        }
        traces
    }

    /// A file's part from its new share, and from the old part what is not new.
    fn part(
        &self,
        file: FileId,
        share: Share<'_>,
        old: Option<&Part>,
        resolved: &BTreeSet<Key>,
    ) -> Result<Part, StoreError> {
        let mut edges = old.map(Part::edges).transpose()?.unwrap_or_default();
        edges.foreign.retain(|key, _| !resolved.contains(key));
        edges.foreign.extend(share.foreign);
        edges.structural = share.structural;
        let Some(joined) = share.joined else {
            let old = old.ok_or_else(missing)?;
            return Ok(Part::new(old.language, old.nodes.clone(), old.open.clone(), &edges));
        };
        edges.own = joined.links.iter().map(|link| self.leaving(link)).collect();
        let open = joined.open.into_iter();
        let open = open.map(|(node, name, line, outside)| (node, name.to_owned(), line, outside));
        let nodes = Nodes::new(&self.resolver.nodes(file))?;
        let language = self.sorted.sources[file.index()].facts.language();
        Ok(Part::new(language, nodes, open.collect(), &edges))
    }
}

impl Update<'_> {
    fn run(
        &mut self,
        again: &[FileId],
        before: &[Trace],
    ) -> Result<BTreeMap<String, u32>, StoreError> {
        let files = &self.files;
        let resolver = &files.resolver;
        let resolved: Vec<(FileId, (Joined<'_>, Looks))> =
            again.par_iter().map(|file| (*file, resolver.file(*file))).collect();
        let mut traces = files.traces(&resolved, before);
        let mut shares: BTreeMap<FileId, Share<'_>> = BTreeMap::new();
        // What was found in a file before may start in others.
        let keys: BTreeMap<Key, FileId> =
            files.keys.iter().copied().zip(resolver.files()).collect();
        for file in again {
            let hosts = before.get(file.index()).map_or(&[][..], |trace| &trace.hosts);
            for host in hosts.iter().filter_map(|key| keys.get(key)) {
                shares.entry(*host).or_default();
            }
        }
        for (file, (mut joined, _)) in resolved {
            let (own, foreign): (Vec<Link>, Vec<Link>) =
                joined.links.into_iter().partition(|link| link.from.file == file);
            joined.links = own;
            let key = files.key(file);
            let mut hosts = BTreeSet::new();
            for link in foreign {
                let host = link.from.file;
                hosts.insert(files.key(host));
                let share = shares.entry(host).or_default();
                share.foreign.entry(key).or_default().push(files.leaving(&link));
            }
            shares.entry(file).or_default().joined = Some(joined);
            if let Some(trace) = traces.get_mut(&file) {
                trace.hosts = hosts.into_iter().collect();
            }
        }
        self.structural(&mut shares, &mut traces, before);
        self.put_traces(&traces)?;
        let resolved: BTreeSet<Key> = again.iter().map(|file| files.key(*file)).collect();
        if !self.all {
            for file in shares.keys() {
                let key = files.key(*file);
                let part = self.kept(Table::Parts, key)?;
                self.old.insert(key, part);
            }
        }
        let old = &self.old;
        let parts: BTreeMap<Key, (Part, Vec<u8>)> = shares
            .into_par_iter()
            .map(|(file, share)| {
                let key = files.key(file);
                let part = files.part(file, share, old.get(&key), &resolved)?;
                let sealed = blob::seal(&part)?;
                Ok((key, (part, sealed)))
            })
            .collect::<Result<_, StoreError>>()?;
        self.put_inward(&parts)?;
        self.put_names(&parts)?;
        let count = |part: &Part| u32::try_from(part.nodes.len()).unwrap_or(u32::MAX);
        let counts = parts
            .iter()
            .filter_map(|(key, (part, _))| {
                let path = &files.sorted.sources[keys.get(key)?.index()].path;
                Some((path.clone(), count(part)))
            })
            .collect();
        let sealed = parts.into_iter().map(|(key, (_, sealed))| (key, sealed)).collect();
        self.put_blobs(Table::Parts, sealed)?;
        Ok(counts)
    }

    /// What the store has.
    fn kept<T: DeserializeOwned>(&self, table: Table, key: Key) -> Result<T, StoreError> {
        blob::unseal(&self.store.get(table, key)?.ok_or_else(missing)?)
    }

    /// Adds the edges that follow from all files together to the shares of the files that they start in.
    fn structural(
        &self,
        shares: &mut BTreeMap<FileId, Share<'_>>,
        traces: &mut BTreeMap<FileId, Trace>,
        before: &[Trace],
    ) {
        let mut by_file: BTreeMap<FileId, Vec<Leaving>> = BTreeMap::new();
        for link in self.files.resolver.structural() {
            by_file.entry(link.from.file).or_default().push(self.files.leaving(&link));
        }
        for file in self.files.resolver.files() {
            let edges = by_file.remove(&file).unwrap_or_default();
            let mut hasher = FxHasher::default();
            edges.hash(&mut hasher);
            let hash = hasher.finish();
            let known = before.get(file.index());
            if let Some(trace) = traces.get_mut(&file) {
                trace.structural = hash;
            } else if let Some(known) = known.filter(|known| known.structural != hash) {
                let mut trace = known.clone();
                trace.structural = hash;
                traces.insert(file, trace);
            }
            if shares.contains_key(&file) || known.is_none_or(|known| known.structural != hash) {
                shares.entry(file).or_default().structural = edges;
            }
        }
    }

    fn put_traces(&self, traces: &BTreeMap<FileId, Trace>) -> Result<(), StoreError> {
        let files = &self.files;
        let sealed: Vec<(Key, Vec<u8>)> = traces
            .par_iter()
            .map(|(file, trace)| Ok((files.key(*file), blob::seal(trace)?)))
            .collect::<Result<_, StoreError>>()?;
        self.put_blobs(Table::Traces, sealed)
    }

    fn put_inward(&self, parts: &BTreeMap<Key, (Part, Vec<u8>)>) -> Result<(), StoreError> {
        let mut inward: BTreeMap<Key, BTreeSet<Key>> = BTreeMap::new();
        if self.all {
            inward.extend(parts.keys().map(|key| (*key, BTreeSet::new())));
            for (key, (part, _)) in parts {
                for target in &part.targets {
                    inward.entry(*target).or_default().insert(*key);
                }
            }
        } else {
            let mut moved: Vec<(Key, Key, bool)> = Vec::new();
            for (key, (part, _)) in parts {
                let old = self.old.get(key).map_or(&[][..], |part| &part.targets);
                let differs = |a: &[Key], b: &[Key]| -> Vec<Key> {
                    a.iter().filter(|key| b.binary_search(key).is_err()).copied().collect()
                };
                moved.extend(differs(old, &part.targets).into_iter().map(|to| (to, *key, false)));
                moved.extend(differs(&part.targets, old).into_iter().map(|to| (to, *key, true)));
            }
            for (target, source, added) in moved {
                let sources = match inward.entry(target) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => place.insert(self.kept(Table::Inward, target)?),
                };
                if added {
                    sources.insert(source);
                } else {
                    sources.remove(&source);
                }
            }
        }
        let sealed = inward.iter().map(|(key, sources)| Ok((*key, blob::seal(sources)?)));
        self.put_blobs(Table::Inward, sealed.collect::<Result<_, StoreError>>()?)
    }

    fn put_names(&self, parts: &BTreeMap<Key, (Part, Vec<u8>)>) -> Result<(), StoreError> {
        let mut buckets: BTreeMap<u32, Names> = BTreeMap::new();
        if self.all {
            buckets.extend((0..blob::BUCKETS).map(|number| (number, Names::new())));
        }
        for (key, (part, _)) in parts {
            let old = self.old.get(key).map(|part| part.nodes.names()).transpose()?;
            let (old, new) = (old.unwrap_or_default(), part.nodes.names()?);
            let gone = old.iter().filter(|(name, _)| !new.contains_key(*name));
            let fresh = new.iter().filter(|(name, count)| old.get(*name) != Some(count));
            let changes = gone.map(|(name, _)| (*name, 0));
            for (name, count) in changes.chain(fresh.map(|(name, count)| (*name, *count))) {
                let number = blob::bucket(name);
                let bucket = match buckets.entry(number) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => place.insert(self.kept(Table::Names, number.into())?),
                };
                if !self.all {
                    bucket.retain(|(known, file, _)| known != name || file != key);
                }
                if count > 0 {
                    bucket.push((name.to_owned(), *key, count));
                }
            }
        }
        let sealed = buckets.into_par_iter().map(|(number, mut bucket)| {
            bucket.sort_unstable();
            Ok((number.into(), blob::seal(&bucket)?))
        });
        self.put_blobs(Table::Names, sealed.collect::<Result<_, StoreError>>()?)
    }

    /// Writes blobs; when they are all there are, the same ones are left and others removed.
    fn put_blobs(&self, table: Table, sealed: Vec<(Key, Vec<u8>)>) -> Result<(), StoreError> {
        let mut known = if self.all { self.store.seals(table)? } else { BTreeMap::new() };
        for (key, bytes) in sealed {
            let seal = known.remove(&key);
            if seal.as_deref() != bytes.get(..blob::SEAL) {
                self.store.put(table, key, &bytes)?;
            }
        }
        for key in known.into_keys() {
            self.store.drop_blob(table, key)?;
        }
        Ok(())
    }
}

fn missing() -> StoreError {
    StoreError::Damaged("records don't fit together".to_owned())
}
