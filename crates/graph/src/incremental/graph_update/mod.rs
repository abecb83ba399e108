//! The graph in the store brought up to date: which files have to be resolved again, and of the kept parts only those
//! that come out differently.

mod record_writer;

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
    sync::Mutex,
};

use rayon::prelude::*;
use rustc_hash::FxHasher;
use serde::de::DeserializeOwned;

use crate::{
    incremental::{
        node_remap::{self, NodeRemap},
        persist::{Facts, Tree},
    },
    index::FileFacts,
    languages,
    resolve::{
        Before, Change, Contributions, FileId, Link, Resolver, Sources, Trace,
        collect_contributions, reading, update_contributions,
    },
    store::{
        Key, Store, StoreError, Table,
        records::{self, Edges, IncomingEdges, OutgoingEdge, OutgoingEdges},
    },
};

const LAYOUT: &str = "layout";
/// Files that are resolved before they are written and what is open is put away.
const AT_ONCE: usize = 256;

/// What is to be written of the graph.
struct Update<'a> {
    store: &'a Store,
    resolver: Resolver<'a>,
    /// The files' numbers in the store, and back.
    keys: &'a [Key],
    places: BTreeMap<Key, FileId>,
    /// What is kept of the files; nothing when all are resolved, and nothing that is kept counts.
    before: Option<Known>,
    /// What left the files whose edges are put together anew; nothing while nothing is kept.
    old: BTreeMap<Key, OutgoingEdges>,
    /// Nodes of changed files that have other numbers now.
    moves: NodeRemap,
}

/// What is known of all files when some are resolved again.
struct Known {
    traces: Vec<Trace>,
    /// What the files give, by the numbers of now.
    ties: Vec<Contributions<FileId>>,
    /// Whether edges that follow from all files together may be others.
    stirs_structure: bool,
}

/// The new edges of a file, by where they were found; what isn't here is as it was.
#[derive(Default)]
struct Share {
    own: Option<Vec<OutgoingEdge>>,
    /// Edges found in files that were resolved again, by file.
    foreign: BTreeMap<Key, Vec<OutgoingEdge>>,
    structural: Option<Vec<OutgoingEdge>>,
}

/// Edges that follow from all files together, by the file that they start in.
type Structure = BTreeMap<FileId, Vec<OutgoingEdge>>;

/// Writes the graph of `tree`; `replaced` are earlier facts of the files that changed, when nothing else did. Returns how
/// many files were resolved, and the numbers of nodes of the parts that were written.
pub(super) fn put(
    store: &Store,
    tree: Tree,
    replaced: Option<&BTreeMap<Key, FileFacts>>,
) -> Result<(usize, BTreeMap<Key, u32>), StoreError> {
    reading(|| {
        let Tree { paths, keys, outlines, manifests, fresh, told } = tree;
        let supply = Facts { store, keys: &keys, fresh: Mutex::new(fresh) };
        let sources = Sources {
            paths: paths.iter().map(String::as_str).collect(),
            supply: &supply,
            outlines: &outlines,
            manifests: &manifests,
            languages: languages::RULES,
        };
        let mut resolver = Resolver::new(sources, &told);
        let places: BTreeMap<Key, FileId> = keys.iter().copied().zip((0..).map(FileId)).collect();
        let layout = resolver.layout();
        let kept = store.meta(LAYOUT)?.map(|sealed| records::unseal::<u64>(&sealed)).transpose()?;
        let traces = match replaced.filter(|_| kept == Some(layout)) {
            Some(_) => traces(store, &keys)?,
            None => None,
        };
        let known = traces.zip(replaced).and_then(|(traces, replaced)| {
            let change = |(key, before)| Some(Change { file: *places.get(key)?, before });
            let changes: Vec<Change<'_>> = replaced.iter().filter_map(change).collect();
            let before =
                Before { traces: &traces, changes: &changes, keys: &keys, outlines: &outlines };
            let (again, ties) = update_contributions(&mut resolver, before)?;
            let stirs_structure = changes.iter().any(|change| {
                let language = outlines[change.file.index()].language;
                language.capabilities().structural_interfaces
            });
            Some((again, Known { traces, ties, stirs_structure }))
        });
        drop(outlines);
        let (again, before) = match known {
            Some((again, known)) => (again, Some(known)),
            None => {
                store.put_meta(LAYOUT, &records::seal(&layout)?)?;
                collect_contributions(&mut resolver);
                (resolver.files(), None)
            }
        };
        let mut update = Update {
            store,
            resolver,
            keys: &keys,
            places,
            before,
            old: BTreeMap::new(),
            moves: NodeRemap::new(),
        };
        let again = match replaced.filter(|_| update.before.is_some()) {
            Some(replaced) => update.follow(again, replaced)?,
            None => again,
        };
        Ok((again.len(), update.run(&again)?))
    })
}

fn traces(store: &Store, keys: &[Key]) -> Result<Option<Vec<Trace>>, StoreError> {
    let sealed: BTreeMap<Key, Vec<u8>> = store.all(Table::Traces)?.into_iter().collect();
    let read = |key: &Key| sealed.get(key).map(|sealed| records::unseal(sealed)).transpose();
    keys.par_iter().map(read).collect()
}

impl Update<'_> {
    fn key(&self, file: FileId) -> Key {
        self.keys[file.index()]
    }

    fn leaving(&self, link: &Link) -> OutgoingEdge {
        OutgoingEdge {
            from: link.from.node,
            kind: link.kind,
            target: self.key(link.to.file),
            to: link.to.node,
            line: link.line,
            resolution: link.resolution,
        }
    }

    /// What the store has.
    fn kept<T: DeserializeOwned>(&self, table: Table, key: Key) -> Result<T, StoreError> {
        records::unseal(&self.store.get(table, key)?.ok_or_else(missing)?)
    }

    fn trace_before(&self, file: FileId) -> Option<&Trace> {
        self.before.as_ref().map(|before| &before.traces[file.index()])
    }

    /// Notes which nodes have moved, and takes the parts to hand that have edges to them. Returns the files that have to be
    /// resolved: those given, and those that have an edge to a node that is gone.
    fn follow(
        &mut self,
        again: Vec<FileId>,
        replaced: &BTreeMap<Key, FileFacts>,
    ) -> Result<Vec<FileId>, StoreError> {
        for (key, old) in replaced {
            let file = *self.places.get(key).ok_or_else(missing)?;
            if let Some(places) = node_remap::moved(old, self.resolver.program().facts(file)) {
                self.moves.insert(*key, places);
            }
        }
        let mut resolved: BTreeSet<Key> = again.into_iter().map(|file| self.key(file)).collect();
        for target in self.moves.keys() {
            let arrivals: IncomingEdges = self.kept(Table::Inward, *target)?;
            for key in arrivals.sources().chain([*target]) {
                if !self.old.contains_key(&key) {
                    self.old.insert(key, self.kept(Table::OutgoingEdges, key)?);
                }
            }
        }
        for (key, departures) in &self.old {
            resolved.extend(node_remap::lost(&self.moves, *key, departures)?);
        }
        resolved.iter().map(|key| self.places.get(key).copied().ok_or_else(missing)).collect()
    }

    /// Resolves files and writes what comes of it. Returns the numbers of their nodes.
    fn run(&mut self, again: &[FileId]) -> Result<BTreeMap<Key, u32>, StoreError> {
        let is_stirred = self.before.as_ref().is_none_or(|before| before.stirs_structure);
        let structure = is_stirred.then(|| self.structure());
        let resolved: BTreeSet<Key> = again.iter().map(|file| self.key(*file)).collect();
        let mut shares: BTreeMap<FileId, Share> = BTreeMap::new();
        // What was found in a file before may start in others.
        for file in again {
            let hosts = self.trace_before(*file).map_or(&[][..], |trace| &trace.hosts);
            for host in hosts.iter().filter_map(|key| self.places.get(key)) {
                shares.entry(*host).or_default();
            }
        }
        for key in self.old.keys() {
            shares.entry(*self.places.get(key).ok_or_else(missing)?).or_default();
        }
        self.put_standing_traces(&resolved, structure.as_ref(), &mut shares)?;
        let counts = self.put_resolved(again, structure.as_ref(), &mut shares)?;
        if let Some(structure) = &structure {
            for (file, share) in &mut shares {
                share.structural = Some(structure.get(file).cloned().unwrap_or_default());
            }
        }
        if self.before.is_some() {
            for file in shares.keys() {
                let key = self.key(*file);
                if !self.old.contains_key(&key) {
                    let departures = self.kept(Table::OutgoingEdges, key)?;
                    self.old.insert(key, departures);
                }
            }
        }
        self.put_departures(shares, &resolved)?;
        Ok(counts)
    }

    fn structure(&self) -> Structure {
        let mut by_file = Structure::new();
        for link in self.resolver.structural() {
            by_file.entry(link.from.file).or_default().push(self.leaving(&link));
        }
        by_file
    }

    /// Writes the traces of files that are not resolved again and have others nevertheless: definitions that they give to
    /// have other numbers, or other edges that start in them follow from all files together.
    fn put_standing_traces(
        &self,
        resolved: &BTreeSet<Key>,
        structure: Option<&Structure>,
        shares: &mut BTreeMap<FileId, Share>,
    ) -> Result<(), StoreError> {
        let Some(before) = &self.before else { return Ok(()) };
        let files = (0..).map(FileId).zip(before.traces.iter().zip(&before.ties));
        for (file, (trace, ties)) in files {
            let key = self.key(file);
            let ties = ties.renumbered(|file, def| Some((self.key(file), def)));
            let ties = ties.unwrap_or_default();
            let structural = match structure {
                Some(structure) => structural_hash(structure, file),
                None => trace.structural,
            };
            if structural != trace.structural {
                shares.entry(file).or_default();
            }
            let differs = structural != trace.structural || ties != trace.ties;
            if differs && !resolved.contains(&key) {
                let mut trace = trace.clone();
                (trace.ties, trace.structural) = (ties, structural);
                self.store.put(Table::Traces, key, &records::seal(&trace)?)?;
            }
        }
        Ok(())
    }

    /// The edges that start in a file: those of its new share, and of the old ones what is not new.
    fn edges(
        &self,
        file: FileId,
        share: Share,
        resolved: &BTreeSet<Key>,
    ) -> Result<Edges, StoreError> {
        let home = self.key(file);
        let mut edges =
            self.old.get(&home).map(OutgoingEdges::edges).transpose()?.unwrap_or_default();
        edges.foreign.retain(|key, _| !resolved.contains(key));
        if share.own.is_some() {
            edges.own.clear();
        }
        if !self.moves.is_empty() {
            for edge in edges.own.iter_mut().chain(edges.foreign.values_mut().flatten()) {
                *edge = node_remap::follow(&self.moves, Some(home), *edge).ok_or_else(missing)?;
            }
        }
        edges.foreign.extend(share.foreign);
        if let Some(own) = share.own {
            edges.own = own;
        }
        if let Some(structural) = share.structural {
            edges.structural = structural;
        }
        Ok(edges)
    }
}

/// A hash of the edges of a file that follow from all files together.
fn structural_hash(structure: &Structure, file: FileId) -> u64 {
    let mut hasher = FxHasher::default();
    structure.get(&file).map_or(&[][..], Vec::as_slice).hash(&mut hasher);
    hasher.finish()
}

fn missing() -> StoreError {
    StoreError::Damaged("records don't fit together".to_owned())
}
