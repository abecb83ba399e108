//! Renumbers nodes after an edit: an inserted declaration moves those behind it. Edges from files that are not resolved
//! again get the new numbers. A file with an edge to a removed node is resolved again.

use std::collections::{BTreeMap, BTreeSet};

use super::declaration_diff::matching_definitions;
use crate::{
    facts::{DefId, FileFacts},
    resolve::node_order,
    store::{FileEdgeRecords, FileKey, OutgoingEdge},
};

/// By file, the new number of each old node; `None` for one that is gone.
#[derive(Debug, Default)]
pub(super) struct NodeRemap(BTreeMap<FileKey, Vec<Option<u32>>>);

impl NodeRemap {
    /// Adds a file, unless each of its nodes keeps its number.
    pub(super) fn add(&mut self, key: FileKey, old: &FileFacts, new: &FileFacts) {
        let mut numbers = vec![None; new.defs.len()];
        for (place, def) in (1..).zip(node_order(new)) {
            numbers[def.index()] = Some(place);
        }
        let matching = matching_definitions(old, new);
        let number = |def: DefId| numbers[matching[def.index()]?.index()];
        // The file's own node is the first.
        let numbers: Vec<Option<u32>> =
            std::iter::once(Some(0)).chain(node_order(old).into_iter().map(number)).collect();
        if (0..).zip(&numbers).any(|(old, new)| *new != Some(old)) {
            self.0.insert(key, numbers);
        }
    }

    /// The files whose nodes have other numbers.
    pub(super) fn files(&self) -> impl Iterator<Item = FileKey> {
        self.0.keys().copied()
    }

    /// Returns an edge that starts in the file `home` with the new numbers of its ends; `None` when an end is gone.
    pub(super) fn edge(&self, home: FileKey, mut edge: OutgoingEdge) -> Option<OutgoingEdge> {
        if let Some(numbers) = self.0.get(&edge.target) {
            edge.to = numbers.get(edge.to as usize).copied().flatten()?;
        }
        if let Some(numbers) = self.0.get(&home) {
            edge.from = numbers.get(edge.from as usize).copied().flatten()?;
        }
        Some(edge)
    }

    /// Returns the files whose resolution found edges that start in `home` and have lost an end.
    pub(super) fn files_with_lost_edges(
        &self,
        home: FileKey,
        edges: &FileEdgeRecords,
    ) -> BTreeSet<FileKey> {
        let is_lost =
            |edges: &[OutgoingEdge]| edges.iter().any(|edge| self.edge(home, *edge).is_none());
        let foreign = edges.foreign.iter().filter(|(_, edges)| is_lost(edges));
        let mut found: BTreeSet<FileKey> = foreign.map(|(key, _)| *key).collect();
        if is_lost(&edges.own) {
            found.insert(home);
        }
        found
    }
}
