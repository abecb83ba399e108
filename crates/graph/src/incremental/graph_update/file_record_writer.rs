//! The records of resolved files: nodes and resolution records.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use rayon::prelude::*;

use super::{EdgeChanges, ResolvedFileSummary, Structure, Update, structural_hash};
use crate::{
    facts::name_hash,
    incremental::{
        interface_fingerprint::interface_fingerprint, recorded_name_lookups::PackedLookups,
        resolution_record::ResolutionRecord,
    },
    resolve::{
        FILES_AT_ONCE, FileId, FileResolution, Name,
        project_layout::module_layout_fingerprint::own_modules,
    },
    store::{
        FileKey, FileNodes, NodeRecord, OutgoingEdge, StoreError, StoreTable, checksummed_record,
    },
};

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
pub(super) type RecordHashes = BTreeMap<FileKey, Vec<u8>>;

impl Update<'_> {
    /// Resolves files and writes their nodes and resolution records. Their edges go to `changes`.
    pub(super) fn write_files(
        &mut self,
        files: &[FileId],
        structure: Option<&Structure>,
        changes: &mut BTreeMap<FileId, EdgeChanges>,
    ) -> Result<BTreeMap<FileKey, ResolvedFileSummary>, StoreError> {
        let seals = (self.seals(StoreTable::Nodes)?, self.seals(StoreTable::Resolutions)?);
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
                self.write_file(*file, structure, &seals)
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
        self.remove_others(StoreTable::Nodes, &seals.0, |key| resolved.contains_key(&key))?;
        self.remove_others(StoreTable::Resolutions, &seals.1, |key| resolved.contains_key(&key))?;
        self.write_names(names)?;
        Ok(resolved)
    }

    fn write_file(
        &self,
        file: FileId,
        structure: Option<&Structure>,
        seals: &(RecordHashes, RecordHashes),
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
        self.put_unless_same(StoreTable::Nodes, key, &checksummed_record::seal(&nodes)?, &seals.0)?;
        self.put_unless_same(
            StoreTable::Resolutions,
            key,
            &checksummed_record::seal(&record)?,
            &seals.1,
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
        Ok(ResolutionRecord {
            interface: interface_fingerprint(program.facts(file)),
            layout: found.layout.clone(),
            own_modules: own_modules(program, file),
            shares_modules: !program.is_alone_in_modules(file)
                || self.record_before(file).is_some_and(|record| record.shares_modules),
            reads,
            lookups: PackedLookups::new(lookups.collect())?,
            contributions: contributions.unwrap_or_default(),
            ..ResolutionRecord::default()
        })
    }

    /// Writes records. A full rebuild leaves equal records as they are and removes all others of the table.
    pub(super) fn write_records(
        &self,
        table: StoreTable,
        sealed: Vec<(FileKey, Vec<u8>)>,
    ) -> Result<(), StoreError> {
        let seals = self.seals(table)?;
        let mut written = BTreeSet::new();
        for (key, bytes) in sealed {
            self.put_unless_same(table, key, &bytes, &seals)?;
            written.insert(key);
        }
        self.remove_others(table, &seals, |key| written.contains(&key))
    }

    /// Returns the hashes of the records so far, when all records are written.
    pub(super) fn seals(&self, table: StoreTable) -> Result<RecordHashes, StoreError> {
        if self.known.is_none() { self.store.seals(table) } else { Ok(RecordHashes::new()) }
    }

    pub(super) fn put_unless_same(
        &self,
        table: StoreTable,
        key: FileKey,
        sealed: &[u8],
        seals: &RecordHashes,
    ) -> Result<(), StoreError> {
        if seals.get(&key).is_some_and(|seal| sealed.starts_with(seal)) {
            return Ok(());
        }
        self.store.put(table, key, sealed)
    }

    pub(super) fn remove_others(
        &self,
        table: StoreTable,
        seals: &RecordHashes,
        is_written: impl Fn(FileKey) -> bool,
    ) -> Result<(), StoreError> {
        let mut others = seals.keys().filter(|key| !is_written(**key));
        others.try_for_each(|key| self.store.remove(table, *key))
    }
}
