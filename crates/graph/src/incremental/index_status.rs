//! The state of an index, without a refresh.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use retriever_workspace::Cancellation;
use serde::Serialize;

use super::{
    indexed_file_record::{self, FileCounts, FileRecords},
    store_refresh::{RefreshSummary, is_zero},
    unfinished_build::UnfinishedBuild,
    working_tree_scan::{WalkScope, WorkingTreeScan},
    workspace_graph_index::GraphIndex,
};
use crate::{
    facts::scip_file_data::ScipFileData,
    store::{self, GraphStore},
};

/// The state of the store and of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexStatus {
    /// The store's folder.
    pub store: Option<PathBuf>,
    /// Its size in bytes; 0 when there is none.
    pub bytes: u64,
    /// Why it can't be used, when it can't.
    pub problem: Option<String>,
    /// Source files in the graph.
    pub files: usize,
    /// Nodes of the graph.
    pub nodes: u32,
    /// As in [`RefreshSummary::limited`].
    #[serde(skip_serializing_if = "is_zero")]
    pub limited: usize,
    /// As in [`RefreshSummary::unresolved`].
    #[serde(skip_serializing_if = "is_zero")]
    pub unresolved: usize,
    /// How far a first build came that left no graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<UnfinishedBuild>,
    /// Files that look new or changed.
    pub stale: usize,
    /// Files that are gone.
    pub gone: usize,
    /// Files whose edges come from a SCIP index.
    pub imported: usize,
    /// Files that have changed since their SCIP index was imported; their edges are the program's own.
    pub outdated: usize,
}

impl GraphIndex {
    /// Returns the state of the store and of the tree. Changes nothing.
    pub fn status(&self) -> IndexStatus {
        let mut status =
            IndexStatus { store: self.folder().map(Path::to_owned), ..IndexStatus::default() };
        let mut files = FileRecords::new();
        let mut overlays = BTreeMap::new();
        if let Some(folder) = self.folder()
            && let Some(bytes) = store::size_on_disk(folder)
        {
            status.bytes = bytes;
            let read = |store: GraphStore| {
                let files = indexed_file_record::read_all(&store)?;
                indexed_file_record::overlays(&store, &files).map(|overlays| (files, overlays))
            };
            match GraphStore::open(folder).and_then(read) {
                Ok(known) => (files, overlays) = known,
                Err(error) => status.problem = Some(error.to_string()),
            }
        }
        status.unfinished = self.unfinished();
        let mut summary = RefreshSummary::default();
        summary.count(FileCounts::of(&files));
        (status.files, status.nodes) = (summary.files, summary.nodes);
        (status.limited, status.unresolved) = (summary.limited, summary.unresolved);
        let holds = |(path, overlay): &(&String, &ScipFileData)| {
            files.get(*path).is_some_and(|file| file.hash == overlay.hash)
        };
        status.imported = overlays.iter().filter(holds).count();
        status.outdated = overlays.len() - status.imported;
        if let Ok(scan) =
            WorkingTreeScan::new(self.workspace(), WalkScope::Sources, &Cancellation::new())
        {
            let (differing, gone) = scan.differing(&files);
            (status.stale, status.gone) = (differing.len(), gone.len());
        }
        status
    }
}
