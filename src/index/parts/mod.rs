//! The graph in the store brought up to date: which files have to be resolved again, and of the kept parts only those
//! that come out differently.

mod records;

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
    thread,
};

use rayon::prelude::*;
use rustc_hash::FxHasher;
use serde::de::DeserializeOwned;

use super::{
    FileFacts,
    moves::{self, Moves},
    resolve::{Before, Change, FileId, Joined, Link, Looks, Resolver, Trace, affected},
    scan::{Content, Row},
    write::{self, Sorted},
};
use crate::graph::store::{
    Key, Store, StoreError, Table,
    blob::{self, Departures, Edges, Leaving, Part},
    nodes::Nodes,
};

const LAYOUT: &str = "layout";
const HELD: &str = "held";

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
    /// What left the files whose edges are put together anew; nothing while nothing is kept.
    old: BTreeMap<Key, Departures>,
    /// Nodes of changed files that have other numbers now.
    moves: Moves,
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

/// What came of resolving some files.
type Resolved<'a> = Vec<(FileId, (Joined<'a>, Looks))>;

/// Writes the graph of `sorted`, and what was read `fresh` of some files; `replaced` are earlier facts of the files that
/// changed, when nothing else did. Returns how many files were resolved, and the numbers of nodes of the parts that were
/// written.
pub(super) fn put(
    store: &Store,
    rows: &BTreeMap<String, Row>,
    sorted: &Sorted,
    replaced: Option<&BTreeMap<String, FileFacts>>,
    fresh: Vec<(Key, Content)>,
) -> Result<(usize, BTreeMap<String, u32>), StoreError> {
    let key = |path: &str| {
        rows.get(path)
            .map(|row| row.key)
            .ok_or_else(|| StoreError::Damaged("a file has no row".to_owned()))
    };
    let keys: Vec<Key> =
        sorted.sources.iter().map(|source| key(&source.path)).collect::<Result<_, _>>()?;
    // The store is one thread's; what doesn't need it goes on beside.
    let (found, traces) = thread::scope(|scope| {
        let work = scope.spawn(|| {
            let resolver = Resolver::new(&sorted.sources, &sorted.manifests, &sorted.told);
            let resolved = replaced.is_none().then(|| resolve(&resolver, &resolver.files()));
            (resolver, resolved)
        });
        let traces = write::put_contents(store, fresh).and_then(|()| match replaced {
            Some(_) => self::traces(store, &keys),
            None => Ok(None),
        });
        (work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), traces)
    });
    let (resolver, mut resolved) = found;
    let layout = resolver.layout();
    let kept = store.meta(LAYOUT)?.map(|sealed| blob::unseal::<u64>(&sealed)).transpose()?;
    let mut traces = traces?.filter(|_| kept == Some(layout));
    let held: BTreeSet<(Key, u32, u64)> = resolver
        .held()
        .into_iter()
        .map(|(file, name, all)| (keys[file.index()], name, all))
        .collect();
    let held_before = match store.meta(HELD)? {
        Some(sealed) => blob::unseal(&sealed)?,
        None => BTreeSet::new(),
    };
    if held != held_before {
        store.put_meta(HELD, &blob::seal(&held)?)?;
    }
    let again = traces.as_ref().zip(replaced).and_then(|(traces, replaced)| {
        let place =
            |path: &String| sorted.sources.binary_search_by(|source| source.path.cmp(path)).ok();
        let changes: Vec<Change<'_>> = replaced
            .iter()
            .filter_map(|(path, before)| {
                Some(Change { file: FileId(u32::try_from(place(path)?).ok()?), before })
            })
            .collect();
        let before = Before { traces, changes: &changes, keys: &keys, held: &held_before };
        affected(&resolver, &before)
    });
    if again.is_none() {
        traces = None;
        store.put_meta(LAYOUT, &blob::seal(&layout)?)?;
    }
    let all = again.is_none();
    let again = again.unwrap_or_else(|| resolver.files());
    let files = Files { resolver, sorted, keys };
    let mut update = Update { store, files, old: BTreeMap::new(), moves: Moves::new(), all };
    let again = match replaced.filter(|_| !all) {
        Some(replaced) => update.follow(again, replaced)?,
        None => again,
    };
    let resolved = match resolved.take() {
        Some(resolved) => resolved,
        None => resolve(&update.files.resolver, &again),
    };
    Ok((again.len(), update.run(&again, resolved, &traces.unwrap_or_default())?))
}

fn resolve<'a>(resolver: &Resolver<'a>, files: &[FileId]) -> Resolved<'a> {
    files.par_iter().map(|file| (*file, resolver.file(*file))).collect()
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
    fn traces(&self, resolved: &Resolved<'_>, before: &[Trace]) -> BTreeMap<FileId, Trace> {
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

    /// The edges that start in a file: those of its new share, and of the old ones what is not new.
    fn edges(
        &self,
        file: FileId,
        share: &mut Share<'_>,
        old: Option<&Departures>,
        resolved: &BTreeSet<Key>,
        moves: &Moves,
    ) -> Result<Edges, StoreError> {
        let mut edges = old.map(Departures::edges).transpose()?.unwrap_or_default();
        edges.foreign.retain(|key, _| !resolved.contains(key));
        if share.joined.is_some() {
            edges.own.clear();
        }
        if !moves.is_empty() {
            let home = Some(self.key(file));
            for edge in edges.own.iter_mut().chain(edges.foreign.values_mut().flatten()) {
                *edge = moves::follow(moves, home, *edge).ok_or_else(missing)?;
            }
        }
        edges.foreign.append(&mut share.foreign);
        edges.structural = std::mem::take(&mut share.structural);
        if let Some(joined) = &share.joined {
            edges.own = joined.links.iter().map(|link| self.leaving(link)).collect();
        }
        Ok(edges)
    }

    /// A file's nodes.
    fn part(&self, file: FileId, joined: Joined<'_>) -> Result<Part, StoreError> {
        let open = joined.open.into_iter();
        let open = open.map(|(node, name, line, outside)| (node, name.to_owned(), line, outside));
        let nodes = Nodes::new(&self.resolver.nodes(file))?;
        let language = self.sorted.sources[file.index()].facts.language();
        Ok(Part { language, nodes, open: open.collect() })
    }
}

impl Update<'_> {
    /// Notes which nodes have moved, and takes the parts to hand that have edges to them. Returns the files that have to be
    /// resolved: those given, and those that have an edge to a node that is gone.
    fn follow(
        &mut self,
        again: Vec<FileId>,
        replaced: &BTreeMap<String, FileFacts>,
    ) -> Result<Vec<FileId>, StoreError> {
        let files = &self.files;
        for (file, source) in files.resolver.files().into_iter().zip(&files.sorted.sources) {
            if let Some(old) = replaced.get(&source.path)
                && let Some(places) = moves::moved(old, &source.facts)
            {
                self.moves.insert(files.key(file), places);
            }
        }
        let mut resolved: BTreeSet<Key> = again.into_iter().map(|file| files.key(file)).collect();
        for target in self.moves.keys() {
            let sources: BTreeSet<Key> = self.kept(Table::Inward, *target)?;
            for key in sources.into_iter().chain([*target]) {
                if !self.old.contains_key(&key) {
                    self.old.insert(key, self.kept(Table::Departures, key)?);
                }
            }
        }
        for (key, departures) in &self.old {
            resolved.extend(moves::lost(&self.moves, *key, departures)?);
        }
        let all = files.resolver.files().into_iter();
        Ok(all.filter(|file| resolved.contains(&files.key(*file))).collect())
    }

    fn run(
        &mut self,
        again: &[FileId],
        resolved: Resolved<'_>,
        before: &[Trace],
    ) -> Result<BTreeMap<String, u32>, StoreError> {
        let files = &self.files;
        let resolver = &files.resolver;
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
        for key in self.old.keys() {
            shares.entry(*keys.get(key).ok_or_else(missing)?).or_default();
        }
        self.structural(&mut shares, &mut traces, before);
        self.put_traces(&traces)?;
        let resolved: BTreeSet<Key> = again.iter().map(|file| files.key(*file)).collect();
        if !self.all {
            for file in shares.keys() {
                let key = files.key(*file);
                if !self.old.contains_key(&key) {
                    let departures = self.kept(Table::Departures, key)?;
                    self.old.insert(key, departures);
                }
            }
        }
        self.put_parts(shares, &resolved, &keys)
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
}

fn missing() -> StoreError {
    StoreError::Damaged("records don't fit together".to_owned())
}
