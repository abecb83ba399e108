//! One refresh of a store: the tree is compared with what is known, files that differ are read, and the store is brought up
//! to date in one transaction.

use std::{collections::BTreeMap, sync::Arc};

use retriever_workspace::{Cancellation, ContentHashes, DirectoryWalk, Workspace};
use serde::Serialize;

use super::{
    apply_file_changes,
    facts_for_resolution::{GraphAndFactsStores, SourceReader},
    indexed_file_record::{self, CachedFileRecords, FileCounts, FileRecords},
    remote_graph_source::RemoteGraphSource,
    working_tree_scan::{
        ChangedFileReader, Differences, FileReadProgress, WorkingTreeChanges, WorkingTreeScan,
    },
};
use crate::{
    facts::scip_file_data::ScipFileData,
    store::{ContentAddressedFacts, GraphStore, StoreError},
};

/// Files that a process reads before it waits for its turn to write: they may turn out to be the same.
pub(super) const MAX_READ_BEFORE_LOCK: usize = 64;
/// Attempts to read a tree whose files change meanwhile.
const MAX_ATTEMPTS: usize = 3;

/// What a refresh did, and what there is now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RefreshSummary {
    /// Source files in the graph.
    pub files: usize,
    /// Files that were new or had another content.
    pub changed: usize,
    /// Files that were gone.
    pub removed: usize,
    /// Files whose references were resolved.
    pub resolved: usize,
    /// Nodes of the graph.
    pub nodes: u32,
    /// Files of which the graph leaves something out, since they are larger or deeper than a file may be.
    #[serde(skip_serializing_if = "is_zero")]
    pub limited: usize,
    /// Files of which some edges are missing, since resolving them takes more work than a file may.
    #[serde(skip_serializing_if = "is_zero")]
    pub unresolved: usize,
    /// Whether the graph is kept for the next process.
    pub stored: bool,
}

/// How a refresh goes.
#[derive(Clone, Copy)]
pub(super) struct StoreRefresh<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) progress: FileReadProgress<'a>,
    pub(super) cancellation: &'a Cancellation,
    pub(super) new_overlays: &'a BTreeMap<String, ScipFileData>,
    pub(super) records: &'a CachedFileRecords,
    /// Scans the tree.
    pub(super) scan: &'a (dyn Fn() -> Result<WorkingTreeScan, StoreError> + Sync),
    /// Returns the facts by content, which are opened when they are needed first.
    pub(super) facts: &'a (dyn Fn() -> &'a ContentAddressedFacts + Sync),
    pub(super) upstream: Option<&'a dyn RemoteGraphSource>,
    /// Hashes of the files of a walk, which others read meanwhile.
    pub(super) hashes: Option<&'a ContentHashes<'a>>,
    /// Files are read even if the facts of their content are known.
    pub(super) reads_known: bool,
}

/// A store that was brought up to date, and that has begun to read that state.
pub(super) struct RefreshedStore {
    pub(super) files: Arc<FileRecords>,
    pub(super) walk: Arc<DirectoryWalk>,
    pub(super) summary: RefreshSummary,
}

impl StoreRefresh<'_> {
    /// Brings `store` up to date. At the end it has begun to read the state of the returned files.
    pub(super) fn run(
        self,
        store: &GraphStore,
        mut scan: Option<WorkingTreeScan>,
    ) -> Result<RefreshedStore, StoreError> {
        for _ in 1..MAX_ATTEMPTS {
            match self.attempt(store, scan.take()) {
                Err(StoreError::Changed) => store.end_read()?,
                done => return done,
            }
        }
        self.attempt(store, None)
    }

    /// As [`StoreRefresh::run`]. Errors if files change meanwhile; then the transaction is still open.
    fn attempt(
        self,
        store: &GraphStore,
        scan: Option<WorkingTreeScan>,
    ) -> Result<RefreshedStore, StoreError> {
        store.begin_read()?;
        // Reading anything holds the state; then the tree is scanned while the rest is read.
        let generation = indexed_file_record::generation(store)?;
        let scan_tree = || scan.map_or_else(self.scan, Ok);
        let (files, scan) = rayon::join(|| self.records.read(store, generation), scan_tree);
        let (mut files, mut scan) = (files?, scan?);
        let mut summary = RefreshSummary::default();
        if self.new_overlays.is_empty() && self.records.is_current(&files, &scan.walk) {
            summary.count(self.records.counts(&files));
            return Ok(RefreshedStore { files, walk: scan.walk, summary });
        }
        let differences = scan.differing(&files);
        let is_current = self.new_overlays.is_empty() && differences == Differences::default();
        // A tree of which little is known is read by the one process that writes.
        let changes = if differences.0.len() <= MAX_READ_BEFORE_LOCK {
            Some(self.reader(&files, &scan).read(&scan)?)
        } else {
            None
        };
        if let Some(changes) = &changes
            && changes.is_empty()
            && self.new_overlays.is_empty()
        {
            if !changes.touched.is_empty() {
                files = Arc::new(write_touched(store, &changes.touched)?);
                self.records.keep(store, indexed_file_record::generation(store)?, &files);
            }
        } else {
            store.end_read()?;
            if files.is_empty() {
                store.let_system_sync()?;
            }
            store.begin_write_within(self.cancellation)?;
            let is_same_state = indexed_file_record::generation(store)? == generation;
            if !is_same_state {
                // Another process has written while this one waited, and the tree may be another as well.
                files = Arc::new(indexed_file_record::read_all(store)?);
                scan = (self.scan)()?;
            }
            let changes = match changes {
                Some(changes) if is_same_state => changes,
                _ => self.reader(&files, &scan).read(&scan)?,
            };
            (summary.changed, summary.removed) = (changes.fresh.len(), changes.removed.len());
            summary.resolved = self.write(store, changes, &mut files)?;
        }
        summary.count(self.records.counts(&files));
        if is_current {
            self.records.note_current(&files, &scan.walk);
        }
        Ok(RefreshedStore { files, walk: scan.walk, summary })
    }

    /// Writes `changes`, brings `files` up to date, and begins to read the new state. Returns how many files were resolved.
    fn write(
        &self,
        store: &GraphStore,
        changes: WorkingTreeChanges,
        files: &mut Arc<FileRecords>,
    ) -> Result<usize, StoreError> {
        let facts = (self.facts)();
        let stores = GraphAndFactsStores {
            graph: store,
            facts,
            workspace: Some(self.workspace),
            upstream: self.upstream,
            cancellation: self.cancellation,
        };
        self.records.forget();
        let known = Arc::make_mut(files);
        let updated = apply_file_changes::apply(stores, known, changes, self.new_overlays)?;
        facts.flush();
        store.commit()?;
        store.begin_read()?;
        let generation = indexed_file_record::generation(store)?;
        if generation != updated.generation {
            *files = Arc::new(indexed_file_record::read_all(store)?);
        }
        self.records.keep(store, generation, files);
        Ok(updated.resolved)
    }

    fn reader<'r>(
        &'r self,
        known: &'r FileRecords,
        scan: &WorkingTreeScan,
    ) -> ChangedFileReader<'r> {
        let sources = SourceReader::new((self.facts)(), self.cancellation);
        // What differs from a graph that is known is rarely a content that was published.
        let upstream = self.upstream.filter(|_| known.is_empty());
        ChangedFileReader {
            workspace: self.workspace,
            known,
            hashes: self.hashes.filter(|hashes| Arc::ptr_eq(hashes.walk(), &scan.walk)),
            sources: sources.asking(upstream).reading_known(self.reads_known),
            cancellation: self.cancellation,
            progress: self.progress,
        }
    }
}

impl RefreshSummary {
    pub(super) fn count(&mut self, counts: FileCounts) {
        let FileCounts { files, nodes, limited, unresolved } = counts;
        (self.files, self.nodes) = (files, nodes);
        (self.limited, self.unresolved) = (limited, unresolved);
    }
}

/// Writes records of files whose times have changed, and returns the records of all files. A failure does no harm: the
/// files are read again next time.
fn write_touched(store: &GraphStore, touched: &FileRecords) -> Result<FileRecords, StoreError> {
    store.end_read()?;
    if indexed_file_record::write_touched(store, touched).is_err() {
        store.end_read().ok();
    }
    store.begin_read()?;
    indexed_file_record::read_all(store)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}
