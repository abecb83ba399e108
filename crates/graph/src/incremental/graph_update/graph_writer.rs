//! Resolves files and writes what follows: nodes with other numbers, edges, structural edges, records.

use super::super::{invalidation::RemovedFile, resolution_record::ResolutionRecord};
use super::{EdgeChanges, GraphWriteSummary, Structure, Update};
use crate::{
    facts::FileFacts,
    resolve::{FileId, NodeEdge},
    store::{FileKey, IncomingEdges, OutgoingEdge, StoreError, StoreTable, checksummed_record},
};
use rustc_hash::FxHasher;
use serde::de::DeserializeOwned;
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
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
        }
    }

    /// Reads a record. A new file has an empty one.
    pub(super) fn stored<T: DeserializeOwned + Default>(
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
                    &checksummed_record::seal(&record)?,
                )?;
            }
        }
        Ok(())
    }
}

/// Returns a hash of the structural edges of a file.
pub(super) fn structural_hash(structure: &Structure, file: FileId) -> u64 {
    let mut hasher = FxHasher::default();
    structure.edges.get(&file).map_or(&[][..], Vec::as_slice).hash(&mut hasher);
    hasher.finish()
}
