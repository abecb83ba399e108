//! Resolves files and writes what follows: nodes with other numbers, edges, structural edges, and the records of resolved files.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use rayon::prelude::*;
use rustc_hash::FxHasher;
use serde::de::DeserializeOwned;

use super::{
    super::{invalidation::RemovedFile, stored_file_resolution::ResolutionRecord},
    EdgeChanges, GraphWriteSummary, ResolvedFileSummary, Structure, Update,
};
use crate::{
    facts::{FileFacts, member_hash, name_hash},
    incremental::{interface_fingerprint::interface_fingerprint, packed_read_set::PackedLookups},
    resolve::{
        FILES_AT_ONCE, FileId, FileResolution, Name, NodeEdge,
        project_layout::module_layout_fingerprint::own_modules,
    },
    store::{
        FileKey, FileNodes, IncomingEdges, NodeRecord, OutgoingEdge, StoreError, StoreTable,
        checksummed_record,
    },
};

impl Update<'_> {
    pub(super) fn key(&self, file: FileId) -> FileKey {
        self.keys[file.index()]
    }

    fn file(&self, key: FileKey) -> Result<FileId, StoreError> {
        self.by_key.get(&key).copied().ok_or_else(StoreError::inconsistent)
    }

    pub(super) fn edge(&self, link: &NodeEdge) -> OutgoingEdge {
        OutgoingEdge {
            from: link.from.node,
            kind: link.kind,
            target: self.key(link.to.file),
            to: link.to.node,
            line: link.line,
            resolution: link.resolution,
            dispatch: link.dispatch,
        }
    }

    /// Reads a record. A new file has an empty one.
    pub(super) fn stored<T: DeserializeOwned + Default>(
        &self,
        table: StoreTable,
        key: FileKey,
    ) -> Result<T, StoreError> {
        match self.store.get(table, key)? {
            Some(encoded) => checksummed_record::decode(&encoded),
            None if self.is_new(key) => Ok(T::default()),
            None => Err(StoreError::inconsistent()),
        }
    }

    pub(super) fn is_new(&self, key: FileKey) -> bool {
        self.known.as_ref().is_none_or(|known| known.added.contains(&key))
    }

    pub(super) fn record_before(&self, file: FileId) -> Option<&ResolutionRecord> {
        self.known.as_ref().map(|known| &known.records[file.index()])
    }

    pub(super) fn removed(&self) -> impl Iterator<Item = (FileKey, &RemovedFile)> {
        let removed = self.known.iter().flat_map(|known| &known.removed);
        removed.map(|(key, removed)| (*key, removed))
    }

    /// Notes the new numbers of nodes of changed files, and reads the edges that start or end at them. Returns the files
    /// that have to be resolved: those given, and those that have an edge to a node that is gone.
    pub(super) fn remap_nodes(
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
    pub(super) fn write(&mut self, files: &[FileId]) -> Result<GraphWriteSummary, StoreError> {
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
        Ok(GraphWriteSummary { resolved, incomplete_structure: incomplete.map(keys) })
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
                    &checksummed_record::encode(&record)?,
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

/// What a resolved file adds to records of other files and of the tree.
struct WrittenFile {
    key: FileKey,
    resolved: ResolvedFileSummary,
    /// Names that have another number of nodes than before.
    names: Vec<(Name, u32)>,
    own_edges: Vec<OutgoingEdge>,
    /// Edges that start in other files.
    foreign_edges: BTreeMap<FileId, Vec<OutgoingEdge>>,
}

/// The hashes of the records so far, when all records are written.
type RecordChecksums = BTreeMap<FileKey, Vec<u8>>;

impl Update<'_> {
    /// Resolves files and writes their nodes and resolution records. Their edges go to `changes`.
    pub(super) fn write_files(
        &mut self,
        files: &[FileId],
        structure: Option<&Structure>,
        changes: &mut BTreeMap<FileId, EdgeChanges>,
    ) -> Result<BTreeMap<FileKey, ResolvedFileSummary>, StoreError> {
        let checksums =
            (self.checksums(StoreTable::Nodes)?, self.checksums(StoreTable::Resolutions)?);
        let mut resolved = BTreeMap::new();
        let mut names = self.names_of_removed()?;
        let lengths = match self.known {
            Some(_) => BTreeMap::new(),
            None => self.store.lengths(StoreTable::Summaries)?,
        };
        for some in files.chunks(FILES_AT_ONCE) {
            // The longest first and one task each, so that the work ends on all threads at about the same time.
            let mut some = some.to_vec();
            some.sort_by_key(|file| Reverse(lengths.get(&self.key(*file))));
            let write = |file: &FileId| {
                self.cancellation.check()?;
                self.write_file(*file, structure, &checksums)
            };
            let written: Vec<WrittenFile> =
                some.par_iter().with_max_len(1).map(write).collect::<Result<_, StoreError>>()?;
            for (file, written) in some.into_iter().zip(written) {
                let key = written.key;
                resolved.insert(key, written.resolved);
                names.extend(written.names.into_iter().map(|(name, count)| (name, key, count)));
                changes.entry(file).or_default().own = Some(written.own_edges);
                for (host, edges) in written.foreign_edges {
                    changes.entry(host).or_default().foreign.insert(key, edges);
                }
            }
            self.resolver.check()?;
            self.resolver.release_facts();
        }
        self.remove_others(StoreTable::Nodes, &checksums.0, |key| resolved.contains_key(&key))?;
        self.remove_others(StoreTable::Resolutions, &checksums.1, |key| {
            resolved.contains_key(&key)
        })?;
        self.write_names(names)?;
        Ok(resolved)
    }

    fn write_file(
        &self,
        file: FileId,
        structure: Option<&Structure>,
        checksums: &(RecordChecksums, RecordChecksums),
    ) -> Result<WrittenFile, StoreError> {
        let key = self.key(file);
        let resolution = self.resolver.resolve(file);
        self.cancellation.check()?;
        let mut own_edges = Vec::new();
        let mut foreign_edges: BTreeMap<FileId, Vec<OutgoingEdge>> = BTreeMap::new();
        for link in &resolution.edges.links {
            let home = link.from.file;
            let edges =
                if home == file { &mut own_edges } else { foreign_edges.entry(home).or_default() };
            edges.push(self.edge(link));
        }
        let record = ResolutionRecord {
            edge_hosts: foreign_edges.keys().map(|host| self.key(*host)).collect(),
            structural: match (structure, self.record_before(file)) {
                (Some(structure), _) => structural_hash(structure, file),
                (None, before) => before.map_or(0, |before| before.structural),
            },
            ..self.resolution_record(file, &resolution)?
        };
        let open_calls = resolution.edges.unbound.into_iter();
        let nodes = NodeRecord {
            language: self.resolver.program().facts(file).language(),
            nodes: FileNodes::new(&self.resolver.nodes(file))?,
            open_calls: open_calls
                .map(|(node, name, line, outside)| (node, name.to_owned(), line, outside))
                .collect(),
        };
        let names = self.changed_names(key, &nodes)?;
        self.put_unless_same(
            StoreTable::Nodes,
            key,
            &checksummed_record::encode(&nodes)?,
            &checksums.0,
        )?;
        self.put_unless_same(
            StoreTable::Resolutions,
            key,
            &checksummed_record::encode(&record)?,
            &checksums.1,
        )?;
        let resolved = ResolvedFileSummary {
            nodes: u32::try_from(nodes.nodes.len()).unwrap_or(u32::MAX),
            omits_edges: resolution.omits_edges,
        };
        Ok(WrittenFile { key, resolved, names, own_edges, foreign_edges })
    }

    fn resolution_record(
        &self,
        file: FileId,
        found: &FileResolution<'_>,
    ) -> Result<ResolutionRecord, StoreError> {
        let mut reads: Vec<FileKey> = found.reads.files().map(|file| self.key(file)).collect();
        reads.sort_unstable();
        let contributions = found.contributions.renumbered(|file, def| Some((self.key(file), def)));
        let program = self.resolver.program();
        let lookups = found
            .reads
            .lookups(file)
            .map(|(home, name)| (name_hash(program.text(name)), home.map(|home| self.key(home))));
        let members = found.reads.members(file).map(|(home, holder, name)| {
            let hash = member_hash(holder.map(|holder| program.text(holder)), program.text(name));
            (hash, Some(self.key(home)))
        });
        Ok(ResolutionRecord {
            interface: interface_fingerprint(program.facts(file)),
            layout: found.layout.clone(),
            own_modules: own_modules(program, file),
            shares_modules: !program.is_alone_in_modules(file)
                || self.record_before(file).is_some_and(|record| record.shares_modules),
            reads,
            lookups: PackedLookups::new(lookups.chain(members).collect())?,
            contributions: contributions.unwrap_or_default(),
            ..ResolutionRecord::default()
        })
    }

    /// Writes records. A full rebuild leaves equal records as they are and removes all others of the table.
    pub(super) fn write_records(
        &self,
        table: StoreTable,
        encoded: Vec<(FileKey, Vec<u8>)>,
    ) -> Result<(), StoreError> {
        let checksums = self.checksums(table)?;
        let mut written = BTreeSet::new();
        for (key, bytes) in encoded {
            self.put_unless_same(table, key, &bytes, &checksums)?;
            written.insert(key);
        }
        self.remove_others(table, &checksums, |key| written.contains(&key))
    }

    /// Returns the hashes of the records so far, when all records are written.
    pub(super) fn checksums(&self, table: StoreTable) -> Result<RecordChecksums, StoreError> {
        if self.known.is_none() { self.store.checksums(table) } else { Ok(RecordChecksums::new()) }
    }

    pub(super) fn put_unless_same(
        &self,
        table: StoreTable,
        key: FileKey,
        encoded: &[u8],
        checksums: &RecordChecksums,
    ) -> Result<(), StoreError> {
        if checksums.get(&key).is_some_and(|checksum| encoded.starts_with(checksum)) {
            return Ok(());
        }
        self.store.put(table, key, encoded)
    }

    pub(super) fn remove_others(
        &self,
        table: StoreTable,
        checksums: &RecordChecksums,
        is_written: impl Fn(FileKey) -> bool,
    ) -> Result<(), StoreError> {
        let mut others = checksums.keys().filter(|key| !is_written(**key));
        others.try_for_each(|key| self.store.remove(table, *key))
    }
}
