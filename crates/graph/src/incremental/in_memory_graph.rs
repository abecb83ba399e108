//! Builds a graph in memory from the facts of given files, for tests and for programs that read files themselves.

use std::{collections::BTreeMap, sync::Arc};

use retriever_workspace::{Cancellation, FileStat};

use super::{
    facts_store::{GraphAndFactsStores, SourceReader},
    file_record::{FileRecord, FileRecords},
    refresh::{IndexError, graph_of},
    store_update,
    tree_scan::{FileContent, TreeChanges},
};
use crate::{
    facts::FileFacts,
    store::{ContentAddressedFacts, Graph, GraphStore},
};

/// A file to [`resolve`].
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path below the root.
    pub path: String,
    /// What was read of it.
    pub facts: FileFacts,
}

/// Resolves all references among `files`. `manifests` are the texts of the files that [`crate::index::is_manifest`] names,
/// by path.
///
/// # Errors
///
/// [`IndexError::Failed`] when there is not enough memory.
pub fn resolve(
    files: Vec<SourceFile>,
    manifests: &[(String, String)],
) -> Result<Graph, IndexError> {
    let store = GraphStore::in_memory()?;
    let cancellation = Cancellation::new();
    let shared = ContentAddressedFacts::open(None, u64::MAX);
    let sources = SourceReader::new(&shared, &cancellation);
    let mut changes =
        TreeChanges { fresh: BTreeMap::new(), touched: FileRecords::new(), removed: Vec::new() };
    let file_record = |key: usize, path: &str, is_manifest| FileRecord {
        stamp: FileStat::default(),
        is_young: false,
        omission: None,
        // No content is read twice: any hash that is the file's own will do.
        hash: *blake3::hash(path.as_bytes()).as_bytes(),
        is_manifest,
        nodes: 0,
        omits_edges: false,
        omits_structure: false,
        key: i64::try_from(key).unwrap_or(i64::MAX),
    };
    for (path, text) in manifests {
        let file = file_record(changes.fresh.len(), path, true);
        changes.fresh.insert(path.clone(), (file, FileContent::Manifest(text.clone())));
    }
    for SourceFile { path, facts: read } in files {
        let file = file_record(changes.fresh.len(), &path, false);
        sources.keep(file.content_id(&path), &read)?;
        let content = FileContent::Source(Box::new(sources.pack(read)?));
        changes.fresh.insert(path, (file, content));
    }
    let mut records = FileRecords::new();
    let stores = GraphAndFactsStores {
        graph: &store,
        facts: &shared,
        workspace: None,
        upstream: None,
        cancellation: &cancellation,
    };
    store_update::apply(stores, &mut records, changes, &BTreeMap::new())?;
    Ok(graph_of(Arc::new(store), records))
}
