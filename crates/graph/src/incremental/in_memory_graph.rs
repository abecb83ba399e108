//! Builds a graph in memory from the facts of given files, for tests and for programs that read files themselves.

use std::{collections::BTreeMap, sync::Arc};

use retriever_workspace::{Cancellation, FileStat};

use super::{
    apply_file_changes,
    facts_for_resolution::{GraphAndFactsStores, SourceReader},
    indexed_file_record::{FileRecord, FileRecords, graph_files},
    working_tree_scan::{FileContent, WorkingTreeChanges},
    workspace_graph_index::IndexError,
};
use crate::{
    facts::{FileFacts, top_level_summary::FileSummary},
    languages,
    resolve::{FactsSource, FileId, ImportedNameUse, PackageExport, ProgramFactsInput, Resolver},
    store::{ContentAddressedFacts, Graph, GraphState, GraphStore, StoreError},
};

/// A file to [`resolve`].
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path below the root.
    pub path: String,
    /// What was read of it.
    pub facts: FileFacts,
}

/// Resolves all references among `files`. `manifests` are the texts of the files that [`crate::indexing::is_manifest`] names,
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
    let mut changes = WorkingTreeChanges {
        fresh: BTreeMap::new(),
        touched: FileRecords::new(),
        removed: Vec::new(),
    };
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
        let content = FileContent::Source(Box::new(sources.pack(&path, read)?));
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
    apply_file_changes::apply(stores, &mut records, changes, &BTreeMap::new())?;
    let state = GraphState::new(Arc::new(graph_files(&records)));
    Ok(Graph::new(Arc::new(store), Arc::new(state), &cancellation))
}

/// Returns what the packages among `files` offer to other repositories; `manifests` as for [`resolve`].
///
/// # Errors
///
/// [`IndexError::Failed`] when the facts of a file can't be read.
pub fn package_exports(
    files: Vec<SourceFile>,
    manifests: &[(String, String)],
) -> Result<Vec<PackageExport>, IndexError> {
    with_resolver(files, manifests, |resolver, _| resolver.package_exports())
}

/// Returns what `files` use of their imports and of what their projects open to them, by path; `manifests` as for [`resolve`].
///
/// # Errors
///
/// [`IndexError::Failed`] when the facts of a file can't be read.
pub fn uses_of_imported_names(
    files: Vec<SourceFile>,
    manifests: &[(String, String)],
) -> Result<Vec<(String, Vec<ImportedNameUse>)>, IndexError> {
    with_resolver(files, manifests, |resolver, files| {
        let opened = resolver.opened_modules();
        let uses = files.iter().map(|SourceFile { path, facts }| {
            let opened = opened.get(path).map_or(&[][..], Vec::as_slice);
            (path.clone(), facts.uses_beside(opened))
        });
        uses.collect()
    })
}

fn with_resolver<T>(
    mut files: Vec<SourceFile>,
    manifests: &[(String, String)],
    read: impl FnOnce(&Resolver<'_>, &[SourceFile]) -> T,
) -> Result<T, IndexError> {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let named = |file: SourceFile| SourceFile { facts: file.facts.named_by(&file.path), ..file };
    let files: Vec<SourceFile> = files.into_iter().map(named).collect();
    let summary =
        |file: &SourceFile| FileSummary::of(&file.facts, file.facts.language.capabilities());
    let summaries: Vec<FileSummary> = files.iter().map(summary).collect();
    let facts = GivenFacts(files.iter().map(|file| Arc::new(file.facts.clone())).collect());
    let cancellation = Cancellation::new();
    let sources = ProgramFactsInput {
        paths: files.iter().map(|file| file.path.as_str()).collect(),
        facts: &facts,
        summaries: &summaries,
        manifests,
        cancellation: &cancellation,
    };
    let overlays = BTreeMap::new();
    let resolver = Resolver::new(languages::RULES, &sources, &overlays);
    let found = read(&resolver, &files);
    resolver.check()?;
    Ok(found)
}

/// The facts of files by their numbers.
struct GivenFacts(Vec<Arc<FileFacts>>);

impl FactsSource for GivenFacts {
    fn facts(&self, file: FileId) -> Result<Arc<FileFacts>, StoreError> {
        self.0.get(file.index()).cloned().ok_or_else(StoreError::inconsistent)
    }
}
