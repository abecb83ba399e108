//! The graph in the store brought up to date: resolves the files that a change affects, and writes only records that differ.

mod edge_record_writer;
mod file_record_writer;

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
    sync::Mutex,
};

use rayon::prelude::*;
use retriever_workspace::Cancellation;
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    facts_store::{GraphAndFactsStores, SourceContent, StoredFacts},
    invalidation::{self, Affected, ChangeSet, ChangedFile, ModuleLayoutChange, RemovedFile},
    node_remap::NodeRemap,
    resolution_record::ResolutionRecord,
};
use crate::{
    facts::scip_file_data::ScipFileData,
    facts::{FileFacts, file_summary::FileSummary},
    languages,
    resolve::{
        FILES_AT_ONCE, FileContributions, FileId, NodeEdge, ProgramFactsInput, Resolver,
        collect_contributions,
        project_layout::module_layout_fingerprint::{
            ModuleNameFingerprint, module_entries, own_modules,
        },
    },
    store::{
        FileKey, GraphStore, IncomingEdges, OutgoingEdge, OutgoingEdges, StoreError, StoreTable,
        checksummed_record,
    },
};

/// Name of the [`LayoutRecord`].
pub(super) const LAYOUT: &str = "layout";

/// Where modules are, and what SCIP indexes say.
#[derive(Debug, Serialize, Deserialize)]
struct LayoutRecord {
    overlays: u64,
    /// A hash of where all modules are.
    whole: u64,
    /// The modules that can be looked up by name.
    modules: Vec<ModuleNameFingerprint>,
}

impl LayoutRecord {
    fn new(resolver: &Resolver<'_>) -> Self {
        Self {
            overlays: resolver.overlays(),
            whole: resolver.program().layout_hash(),
            modules: module_entries(resolver.program()),
        }
    }
}

/// All files as resolution takes them. The facts of source files are found by content.
pub(super) struct ResolutionInput {
    /// Source files, sorted by path.
    pub(super) files: Vec<SourceContent>,
    /// One a file.
    pub(super) summaries: Vec<FileSummary>,
    /// Texts by path.
    pub(super) manifests: Vec<(String, String)>,
    /// Facts of some of the files, which need not be read from the store.
    pub(super) kept_facts: BTreeMap<FileKey, FileFacts>,
    /// What SCIP indexes say of exactly these contents.
    pub(super) overlays: BTreeMap<String, ScipFileData>,
}

/// What changed since the graph was written.
pub(super) struct FileChanges {
    /// Files with another content and new files, with their facts so far.
    pub(super) changed: BTreeMap<FileKey, Option<FileFacts>>,
    pub(super) removed: BTreeMap<FileKey, RemovedFile>,
}

/// What is to be written of the graph.
struct Update<'a> {
    store: &'a GraphStore,
    resolver: Resolver<'a>,
    cancellation: &'a Cancellation,
    /// The keys of the files in the order of their numbers.
    keys: &'a [FileKey],
    by_key: BTreeMap<FileKey, FileId>,
    /// What the store has of the files; `None` when all are resolved and nothing in the store counts.
    known: Option<Known>,
    /// The outgoing edges so far of the files whose edges are written again; empty when all files are resolved.
    old_edges: BTreeMap<FileKey, OutgoingEdges>,
    remap: NodeRemap,
}

/// The stored records of all files, for an update that resolves some of them again.
struct Known {
    records: Vec<ResolutionRecord>,
    /// The contributions of the files after the change.
    contributions: Vec<FileContributions<FileId>>,
    /// Whether structural edges may be others.
    recomputes_structure: bool,
    added: BTreeSet<FileKey>,
    removed: BTreeMap<FileKey, RemovedFile>,
}

/// The new edges that start in a file, by what they were found by. What is not here stays.
#[derive(Default)]
struct EdgeChanges {
    own: Option<Vec<OutgoingEdge>>,
    /// Edges found by resolving other files.
    foreign: BTreeMap<FileKey, Vec<OutgoingEdge>>,
    structural: Option<Vec<OutgoingEdge>>,
}

/// Structural edges by the file that they start in, and the files of which some are missing.
struct Structure {
    edges: BTreeMap<FileId, Vec<OutgoingEdge>>,
    incomplete: BTreeSet<FileId>,
}

/// What is known of a file after it was resolved.
pub(super) struct ResolvedFileSummary {
    pub(super) nodes: u32,
    pub(super) omits_edges: bool,
}

/// What was written.
pub(super) struct WrittenGraph {
    /// The files that were resolved.
    pub(super) resolved: BTreeMap<FileKey, ResolvedFileSummary>,
    /// The files of which structural edges are missing; `None` when structural edges stay as they were.
    pub(super) incomplete_structure: Option<BTreeSet<FileKey>>,
}

/// Writes the graph of `tree`. `change` is what differs from the graph in the store; `None` when that is not known.
pub(super) fn put(
    stores: GraphAndFactsStores<'_>,
    tree: ResolutionInput,
    change: Option<FileChanges>,
) -> Result<WrittenGraph, StoreError> {
    let GraphAndFactsStores { graph: store, cancellation, .. } = stores;
    let ResolutionInput { files, summaries, manifests, kept_facts, overlays } = tree;
    let keys: Vec<FileKey> = files.iter().map(|file| file.key).collect();
    let kept = Mutex::new(kept_facts);
    let facts = StoredFacts { stores, files: &files, kept };
    let sources = ProgramFactsInput {
        paths: files.iter().map(|file| file.path.as_str()).collect(),
        facts: &facts,
        summaries: &summaries,
        manifests: &manifests,
        cancellation,
    };
    let mut resolver = Resolver::new(languages::RULES, &sources, &overlays);
    cancellation.check()?;
    let by_key: BTreeMap<FileKey, FileId> = keys.iter().copied().zip((0..).map(FileId)).collect();
    let affected = match change {
        Some(change) => affected_files(&mut resolver, store, (&keys, &by_key, &summaries), change)?,
        None => None,
    };
    drop(summaries);
    let (files, known, changed) = match affected {
        Some((files, known, changed)) => (files, Some(known), changed),
        None => {
            store.put_meta(LAYOUT, &checksummed_record::seal(&LayoutRecord::new(&resolver))?)?;
            collect_contributions(&mut resolver, cancellation)?;
            (resolver.files(), None, BTreeMap::new())
        }
    };
    let mut update = Update {
        store,
        resolver,
        cancellation,
        keys: &keys,
        by_key,
        known,
        old_edges: BTreeMap::new(),
        remap: NodeRemap::default(),
    };
    let files = update.remap_nodes(files, &changed)?;
    let written = update.write(&files)?;
    // What was cut short must not be kept.
    cancellation.check()?;
    update.resolver.check()?;
    Ok(written)
}

/// Returns the files that `change` affects, what is known of all files, and the facts of changed files so far; `None` when
/// all files have to be resolved.
#[expect(clippy::type_complexity, reason = "three results of one comparison")]
fn affected_files(
    resolver: &mut Resolver<'_>,
    store: &GraphStore,
    (keys, by_key, summaries): (&[FileKey], &BTreeMap<FileKey, FileId>, &[FileSummary]),
    change: FileChanges,
) -> Result<Option<(Vec<FileId>, Known, BTreeMap<FileKey, FileFacts>)>, StoreError> {
    let FileChanges { changed, removed } = change;
    let Some(records) = read_records(store, keys, &changed)? else { return Ok(None) };
    let files: Vec<ChangedFile<'_>> = changed
        .iter()
        .filter_map(|(key, before)| {
            Some(ChangedFile { file: *by_key.get(key)?, before: before.as_ref() })
        })
        .collect();
    let Some(layout) = layout_change(resolver, store, &records, &files)? else { return Ok(None) };
    let change =
        ChangeSet { records: &records, changed: &files, removed: &removed, keys, layout: &layout };
    let Some(Affected { files: affected, contributions }) =
        invalidation::invalidate(resolver, change)
    else {
        return Ok(None);
    };
    let languages = files.iter().map(|changed| summaries[changed.file.index()].language);
    let languages = languages.chain(removed.values().map(|removed| removed.facts.language()));
    let recomputes_structure =
        languages.into_iter().any(|language| language.capabilities().structural_interfaces);
    let is_new = |(key, before): (&FileKey, &Option<FileFacts>)| before.is_none().then_some(*key);
    let added = changed.iter().filter_map(is_new).collect();
    let changed = changed.into_iter().filter_map(|(key, facts)| Some((key, facts?))).collect();
    let known = Known { records, contributions, recomputes_structure, added, removed };
    Ok(Some((affected, known, changed)))
}

/// Returns what differs in where modules are, and writes where they are now; `None` when that concerns all files.
fn layout_change(
    resolver: &mut Resolver<'_>,
    store: &GraphStore,
    records: &[ResolutionRecord],
    changed: &[ChangedFile<'_>],
) -> Result<Option<ModuleLayoutChange>, StoreError> {
    let Some(sealed) = store.meta(LAYOUT)? else { return Ok(None) };
    let before: LayoutRecord = checksummed_record::unseal(&sealed)?;
    if before.overlays != resolver.overlays() {
        return Ok(None);
    }
    if before.whole == resolver.program().layout_hash() {
        return Ok(Some(ModuleLayoutChange::default()));
    }
    let now = LayoutRecord::new(resolver);
    store.put_meta(LAYOUT, &checksummed_record::seal(&now)?)?;
    let differing = invalidation::difference(&before.modules, &now.modules);
    let module_names = differing.into_iter().map(|(_, name)| name).collect();
    let facts_before: BTreeMap<FileId, &FileFacts> =
        changed.iter().filter_map(|changed| Some((changed.file, changed.before?))).collect();
    let mut files = Vec::new();
    for some in resolver.files().chunks(FILES_AT_ONCE) {
        let differs = |file: &&FileId| {
            let (before, now) = (&records[file.index()].layout, resolver.file_layout(**file));
            match facts_before.get(*file) {
                Some(old) => before.differs(&now, old, resolver.program().facts(**file)),
                None => *before != now,
            }
        };
        files.par_extend(some.par_iter().with_max_len(4).filter(differs));
        resolver.release_facts();
    }
    let moved = |file: &FileId| {
        let record = &records[file.index()];
        // That of a new file is empty.
        *record != ResolutionRecord::default()
            && record.own_modules != own_modules(resolver.program(), *file)
    };
    let moved = files.iter().copied().filter(moved).collect();
    Ok(Some(ModuleLayoutChange { files, moved, module_names }))
}

/// Reads the resolution records of all files; `None` when one is missing. A new file has an empty record.
fn read_records(
    store: &GraphStore,
    keys: &[FileKey],
    changed: &BTreeMap<FileKey, Option<FileFacts>>,
) -> Result<Option<Vec<ResolutionRecord>>, StoreError> {
    let sealed: BTreeMap<FileKey, Vec<u8>> =
        store.all(StoreTable::Resolutions)?.into_iter().collect();
    let read = |key: &FileKey| match sealed.get(key) {
        Some(sealed) => checksummed_record::unseal(sealed).map(Some),
        None => Ok(matches!(changed.get(key), Some(None)).then(ResolutionRecord::default)),
    };
    keys.par_iter().map(read).collect()
}

impl Update<'_> {
    fn key(&self, file: FileId) -> FileKey {
        self.keys[file.index()]
    }

    fn file(&self, key: FileKey) -> Result<FileId, StoreError> {
        self.by_key.get(&key).copied().ok_or_else(StoreError::inconsistent)
    }

    fn edge(&self, link: &NodeEdge) -> OutgoingEdge {
        OutgoingEdge {
            from: link.from.node,
            kind: link.kind,
            target: self.key(link.to.file),
            to: link.to.node,
            line: link.line,
            resolution: link.resolution,
        }
    }

    /// Reads a record. A new file has an empty one.
    fn stored<T: DeserializeOwned + Default>(
        &self,
        table: StoreTable,
        key: FileKey,
    ) -> Result<T, StoreError> {
        match self.store.get(table, key)? {
            Some(sealed) => checksummed_record::unseal(&sealed),
            None if self.is_new(key) => Ok(T::default()),
            None => Err(StoreError::inconsistent()),
        }
    }

    fn is_new(&self, key: FileKey) -> bool {
        self.known.as_ref().is_none_or(|known| known.added.contains(&key))
    }

    fn record_before(&self, file: FileId) -> Option<&ResolutionRecord> {
        self.known.as_ref().map(|known| &known.records[file.index()])
    }

    fn removed(&self) -> impl Iterator<Item = (FileKey, &RemovedFile)> {
        let removed = self.known.iter().flat_map(|known| &known.removed);
        removed.map(|(key, removed)| (*key, removed))
    }

    /// Notes the new numbers of nodes of changed files, and reads the edges that start or end at them. Returns the files
    /// that have to be resolved: those given, and those that have an edge to a node that is gone.
    fn remap_nodes(
        &mut self,
        files: Vec<FileId>,
        changed: &BTreeMap<FileKey, FileFacts>,
    ) -> Result<Vec<FileId>, StoreError> {
        if self.known.is_none() {
            return Ok(files);
        }
        for (key, old) in changed {
            let new = self.resolver.program().facts(self.file(*key)?);
            self.remap.add(*key, old, new);
        }
        let mut resolved: BTreeSet<FileKey> =
            files.into_iter().map(|file| self.key(file)).collect();
        let moved: Vec<FileKey> = self.remap.files().collect();
        for target in moved {
            let incoming: IncomingEdges = self.stored(StoreTable::IncomingEdges, target)?;
            for key in incoming.sources().chain([target]) {
                if self.by_key.contains_key(&key) && !self.old_edges.contains_key(&key) {
                    self.old_edges.insert(key, self.stored(StoreTable::OutgoingEdges, key)?);
                }
            }
        }
        for (key, edges) in &self.old_edges {
            let lost = self.remap.files_with_lost_edges(*key, &edges.edges()?);
            resolved.extend(lost.into_iter().filter(|key| self.by_key.contains_key(key)));
        }
        resolved.iter().map(|key| self.file(*key)).collect()
    }

    /// Resolves files and writes what follows.
    fn write(&mut self, files: &[FileId]) -> Result<WrittenGraph, StoreError> {
        let recomputes = self.known.as_ref().is_none_or(|known| known.recomputes_structure);
        let structure = recomputes.then(|| self.structure());
        // Edges that these files found are replaced.
        let mut replaced: BTreeSet<FileKey> = files.iter().map(|file| self.key(*file)).collect();
        replaced.extend(self.removed().map(|(key, _)| key));
        let mut changes: BTreeMap<FileId, EdgeChanges> = BTreeMap::new();
        let found_before = files.iter().filter_map(|file| self.record_before(*file));
        let found_before = found_before.chain(self.removed().map(|(_, removed)| &removed.record));
        for host in found_before.flat_map(|record| &record.edge_hosts) {
            if let Some(host) = self.by_key.get(host) {
                changes.entry(*host).or_default();
            }
        }
        for key in self.old_edges.keys() {
            changes.entry(self.file(*key)?).or_default();
        }
        self.write_unresolved_records(&replaced, structure.as_ref(), &mut changes)?;
        let resolved = self.write_files(files, structure.as_ref(), &mut changes)?;
        if let Some(structure) = &structure {
            for (file, changes) in &mut changes {
                changes.structural = Some(structure.edges.get(file).cloned().unwrap_or_default());
            }
        }
        if self.known.is_some() {
            for file in changes.keys() {
                let key = self.key(*file);
                if !self.old_edges.contains_key(&key) {
                    self.old_edges.insert(key, self.stored(StoreTable::OutgoingEdges, key)?);
                }
            }
        }
        self.write_edges(changes, &replaced)?;
        let incomplete = structure.map(|structure| structure.incomplete);
        let keys = |files: BTreeSet<FileId>| files.into_iter().map(|file| self.key(file)).collect();
        Ok(WrittenGraph { resolved, incomplete_structure: incomplete.map(keys) })
    }

    fn structure(&self) -> Structure {
        let (links, incomplete) = self.resolver.structural_edges();
        let mut edges: BTreeMap<FileId, Vec<OutgoingEdge>> = BTreeMap::new();
        for link in links {
            edges.entry(link.from.file).or_default().push(self.edge(&link));
        }
        Structure { edges, incomplete }
    }

    /// Writes the resolution records that differ although their files are not resolved again: definitions have other
    /// numbers, or other structural edges start in the files.
    fn write_unresolved_records(
        &self,
        resolved: &BTreeSet<FileKey>,
        structure: Option<&Structure>,
        changes: &mut BTreeMap<FileId, EdgeChanges>,
    ) -> Result<(), StoreError> {
        let Some(known) = &self.known else { return Ok(()) };
        let files = (0..).map(FileId).zip(known.records.iter().zip(&known.contributions));
        for (file, (record, contributions)) in files {
            let key = self.key(file);
            let contributions = contributions.renumbered(|file, def| Some((self.key(file), def)));
            let contributions = contributions.unwrap_or_default();
            let structural = match structure {
                Some(structure) => structural_hash(structure, file),
                None => record.structural,
            };
            if structural != record.structural {
                changes.entry(file).or_default();
            }
            let differs = structural != record.structural || contributions != record.contributions;
            if differs && !resolved.contains(&key) {
                let record = ResolutionRecord { contributions, structural, ..record.clone() };
                self.store.put(
                    StoreTable::Resolutions,
                    key,
                    &checksummed_record::seal(&record)?,
                )?;
            }
        }
        Ok(())
    }
}

/// Returns a hash of the structural edges of a file.
fn structural_hash(structure: &Structure, file: FileId) -> u64 {
    let mut hasher = FxHasher::default();
    structure.edges.get(&file).map_or(&[][..], Vec::as_slice).hash(&mut hasher);
    hasher.finish()
}
