//! The records of edges: those that start in a file, and from these the ones that end in a file.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use rayon::prelude::*;

use super::{EdgeChanges, Update};
use crate::{
    resolve::{FILES_AT_ONCE, FileId},
    store::{
        FileEdgeRecords, FileKey, IncomingEdges, OutgoingEdges, PackedEdges, StoreError,
        StoreTable, checksummed_record,
    },
};

/// The edges that start in files, by the file that they end in.
type EdgesByTarget = BTreeMap<FileKey, BTreeMap<FileKey, PackedEdges>>;

impl Update<'_> {
    /// Writes the edges that start in files, and the same edges by the files that they end in. Edges that `replaced`
    /// files found are dropped.
    pub(super) fn write_edges(
        &self,
        changes: BTreeMap<FileId, EdgeChanges>,
        replaced: &BTreeSet<FileKey>,
    ) -> Result<(), StoreError> {
        let checksums = self.checksums(StoreTable::OutgoingEdges)?;
        let mut by_target = EdgesByTarget::new();
        let mut changes = changes.into_iter();
        loop {
            let some: Vec<(FileId, EdgeChanges)> = changes.by_ref().take(FILES_AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            let encoded = some.into_par_iter().with_max_len(4).map(|(file, changes)| {
                let edges = OutgoingEdges::new(&self.new_edges(file, changes, replaced)?);
                Ok((self.key(file), checksummed_record::encode(&edges)?, edges.by_target()?))
            });
            for (key, encoded, targets) in encoded.collect::<Result<Vec<_>, StoreError>>()? {
                self.put_unless_same(StoreTable::OutgoingEdges, key, &encoded, &checksums)?;
                by_target.insert(key, targets);
            }
        }
        self.remove_others(StoreTable::OutgoingEdges, &checksums, |key| {
            by_target.contains_key(&key)
        })?;
        let incoming = match self.known {
            Some(_) => self.changed_incoming(by_target)?,
            None => all_incoming(by_target),
        };
        let encoded =
            incoming.iter().map(|(key, edges)| Ok((*key, checksummed_record::encode(edges)?)));
        self.write_records(StoreTable::IncomingEdges, encoded.collect::<Result<_, StoreError>>()?)
    }

    /// Returns the edges that start in a file: `changes`, and those of the old ones that are not replaced.
    fn new_edges(
        &self,
        file: FileId,
        changes: EdgeChanges,
        replaced: &BTreeSet<FileKey>,
    ) -> Result<FileEdgeRecords, StoreError> {
        let home = self.key(file);
        let old = self.old_edges.get(&home).map(OutgoingEdges::edges).transpose()?;
        let mut edges = old.unwrap_or_default();
        edges.foreign.retain(|key, _| !replaced.contains(key));
        if changes.own.is_some() {
            edges.own.clear();
        }
        for edge in edges.own.iter_mut().chain(edges.foreign.values_mut().flatten()) {
            *edge = self.remap.edge(home, *edge).ok_or_else(StoreError::inconsistent)?;
        }
        edges.foreign.extend(changes.foreign);
        edges.own = changes.own.unwrap_or(edges.own);
        edges.structural = changes.structural.unwrap_or(edges.structural);
        Ok(edges)
    }

    /// Returns the records of incoming edges that differ from those in the store. `by_target` are the outgoing edges of
    /// the files whose edges were written.
    fn changed_incoming(
        &self,
        mut by_target: EdgesByTarget,
    ) -> Result<BTreeMap<FileKey, IncomingEdges>, StoreError> {
        let mut incoming: BTreeMap<FileKey, IncomingEdges> = BTreeMap::new();
        let new_files = by_target.keys().filter(|key| self.is_new(**key));
        incoming.extend(new_files.map(|key| (*key, IncomingEdges::default())));
        by_target.extend(self.removed().map(|(key, _)| (key, BTreeMap::new())));
        for (source, mut now) in by_target {
            let old = match self.removed().find(|(key, _)| *key == source) {
                Some((_, removed)) => removed.edges.by_target()?,
                None => {
                    let old = self.old_edges.get(&source).map(OutgoingEdges::by_target);
                    old.transpose()?.unwrap_or_default()
                }
            };
            let targets: BTreeSet<FileKey> = old.keys().chain(now.keys()).copied().collect();
            for target in targets.into_iter().filter(|target| self.by_key.contains_key(target)) {
                let edges = now.remove(&target);
                if edges.as_ref() == old.get(&target) {
                    continue;
                }
                let of_target = match incoming.entry(target) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => {
                        place.insert(self.stored(StoreTable::IncomingEdges, target)?)
                    }
                };
                of_target.replace(source, edges);
            }
        }
        Ok(incoming)
    }
}

/// Returns the records of incoming edges when all outgoing edges were written.
fn all_incoming(by_target: EdgesByTarget) -> BTreeMap<FileKey, IncomingEdges> {
    let mut incoming: BTreeMap<FileKey, IncomingEdges> =
        by_target.keys().map(|key| (*key, IncomingEdges::default())).collect();
    for (source, targets) in by_target {
        for (target, edges) in targets {
            incoming.entry(target).or_default().replace(source, Some(edges));
        }
    }
    incoming
}
