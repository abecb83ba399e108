//! One update of a store: takes the changes of the tree, writes what was read of the files, and has the graph brought in
//! line by [`graph_update`].

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use retriever_workspace::cache_file_io;

use super::{
    facts_for_resolution::{GraphAndFactsStores, LoadedSourceFile, SourceContent},
    graph_update::{self, ChangedGraphFiles, GraphWriteSummary, ResolutionInput},
    indexed_file_record::{self, FileRecord, FileRecords},
    invalidation::RemovedFile,
    working_tree_scan::{FileContent, WorkingTreeChanges},
};
use crate::{
    facts::{FileFacts, scip_file_data::ScipFileData, top_level_summary::FileSummary},
    store::{FileKey, GraphStore, StoreError, StoreTable, checksummed_record},
};

/// What an update did.
pub(super) struct AppliedUpdate {
    /// Files that were resolved.
    pub(super) resolved: usize,
    pub(super) generation: u64,
}

/// Writes `changes`, `new_overlays` and the graph that follows. `files` become the new records.
pub(super) fn apply(
    stores: GraphAndFactsStores<'_>,
    files: &mut FileRecords,
    changes: WorkingTreeChanges,
    new_overlays: &BTreeMap<String, ScipFileData>,
) -> Result<AppliedUpdate, StoreError> {
    let store = stores.graph;
    if changes.is_empty() && new_overlays.is_empty() {
        for (path, file) in changes.touched {
            indexed_file_record::write(store, &path, &file)?;
            files.insert(path, file);
        }
        return Ok(AppliedUpdate {
            resolved: 0,
            generation: indexed_file_record::generation(store)?,
        });
    }
    let change = tree_change(stores, files, &changes)?;
    if changes.removed.iter().any(|path| stores.is_secret(path)) {
        store.fold_at_commit();
    }
    for path in &changes.removed {
        if let Some(file) = files.remove(path) {
            store.remove_file(file.key)?;
        }
    }
    let mut dirty: BTreeSet<String> = changes.touched.keys().cloned().collect();
    files.extend(changes.touched);
    let mut contents = BTreeMap::new();
    for (path, (file, content)) in changes.fresh {
        contents.insert(file.key, content);
        files.insert(path.clone(), file);
        dirty.insert(path);
    }
    for (path, overlay) in new_overlays {
        if let Some(file) = files.get(path) {
            store.put(StoreTable::Overlays, file.key, &checksummed_record::encode(overlay)?)?;
        }
    }
    let tree = source_tree(store, files, contents)?;
    let round = indexed_file_record::generation(store)?;
    stores.facts.note_use(tree.files.iter().map(|file| file.id), round);
    let graph = graph_update::put(stores, tree, change)?;
    for (path, file) in &mut *files {
        if note_resolution(file, &graph) || dirty.contains(path) {
            indexed_file_record::write(store, path, file)?;
        }
    }
    let generation = indexed_file_record::next_generation(store)?;
    Ok(AppliedUpdate { resolved: graph.resolved.len(), generation })
}

/// Enters into the record of a file what resolution found out. Returns whether the record differs from what it was.
fn note_resolution(file: &mut FileRecord, graph: &GraphWriteSummary) -> bool {
    let before = (file.nodes, file.omits_edges, file.omits_structure);
    if !file.is_source() {
        (file.nodes, file.omits_edges, file.omits_structure) = (0, false, false);
    } else {
        if let Some(resolved) = graph.resolved.get(&file.key) {
            (file.nodes, file.omits_edges) = (resolved.nodes, resolved.omits_edges);
        }
        if let Some(incomplete) = &graph.incomplete_structure {
            file.omits_structure = incomplete.contains(&file.key);
        }
    }
    before != (file.nodes, file.omits_edges, file.omits_structure)
}

/// Returns what is known so far of the source files that changed; `None` when the store holds no graph.
fn tree_change(
    stores: GraphAndFactsStores<'_>,
    files: &FileRecords,
    changes: &WorkingTreeChanges,
) -> Result<Option<ChangedGraphFiles>, StoreError> {
    if files.is_empty() {
        return Ok(None);
    }
    let mut change = ChangedGraphFiles { changed: BTreeMap::new(), removed: BTreeMap::new() };
    for (path, (file, content)) in &changes.fresh {
        let was_source = files.get(path).is_some_and(|known| known.is_source());
        match content {
            FileContent::Source(_) if was_source => {
                let Some(facts) = known_facts(stores, files, path) else { return Ok(None) };
                change.changed.insert(file.key, Some(facts));
            }
            FileContent::Source(_) => drop(change.changed.insert(file.key, None)),
            FileContent::Manifest(_) | FileContent::Unreadable if was_source => {
                let Some(removed) = removed_file(stores, files, path)? else { return Ok(None) };
                change.removed.insert(file.key, removed);
            }
            FileContent::Manifest(_) | FileContent::Unreadable => {}
        }
    }
    for path in &changes.removed {
        if let Some(file) = files.get(path).filter(|file| file.is_source()) {
            let Some(removed) = removed_file(stores, files, path)? else { return Ok(None) };
            change.removed.insert(file.key, removed);
        }
    }
    Ok(Some(change))
}

/// Returns the facts of a file as it was known; `None` when they are gone.
fn known_facts(
    stores: GraphAndFactsStores<'_>,
    files: &FileRecords,
    path: &str,
) -> Option<FileFacts> {
    Some(stores.known_facts(files.get(path)?.content_id(path))?.named_by(path))
}

/// Reads what is known of a file that is gone; `None` when something is missing.
fn removed_file(
    stores: GraphAndFactsStores<'_>,
    files: &FileRecords,
    path: &str,
) -> Result<Option<RemovedFile>, StoreError> {
    let (store, Some(file)) = (stores.graph, files.get(path)) else { return Ok(None) };
    let key = file.key;
    let (Some(facts), Some(record), Some(nodes), Some(edges)) = (
        known_facts(stores, files, path),
        store.get(StoreTable::Resolutions, key)?,
        store.get(StoreTable::Nodes, key)?,
        store.get(StoreTable::OutgoingEdges, key)?,
    ) else {
        return Ok(None);
    };
    let (record, edges) =
        (checksummed_record::decode(&record)?, checksummed_record::decode(&edges)?);
    Ok(Some(RemovedFile { facts, record, nodes, edges }))
}

/// What was read of the files that differ.
#[derive(Default)]
struct FreshContents {
    summaries: BTreeMap<FileKey, FileSummary>,
    facts: BTreeMap<FileKey, FileFacts>,
    manifests: BTreeMap<FileKey, String>,
}

/// Writes what was read of files.
fn write_contents(
    store: &GraphStore,
    contents: BTreeMap<FileKey, FileContent>,
) -> Result<FreshContents, StoreError> {
    let mut fresh = FreshContents::default();
    for (key, content) in contents {
        match content {
            FileContent::Source(source) => {
                let LoadedSourceFile { summary, encoded_summary, facts, .. } = *source;
                store.put(StoreTable::Summaries, key, &encoded_summary)?;
                fresh.facts.extend(facts.map(|facts| (key, facts)));
                fresh.summaries.insert(key, summary);
            }
            FileContent::Manifest(text) => {
                // It may have been a source file.
                store.remove_records(key)?;
                store.put(
                    StoreTable::Manifests,
                    key,
                    &cache_file_io::add_checksum(text.as_bytes()),
                )?;
                fresh.manifests.insert(key, text);
            }
            FileContent::Unreadable => store.remove_records(key)?,
        }
    }
    Ok(fresh)
}

/// Writes what was read of files, and puts it together with what is known of the others.
pub(super) fn source_tree(
    store: &GraphStore,
    files: &FileRecords,
    contents: BTreeMap<FileKey, FileContent>,
) -> Result<ResolutionInput, StoreError> {
    let FreshContents { mut summaries, facts, mut manifests } = write_contents(store, contents)?;
    let sources = || files.iter().filter(|(_, file)| file.is_source());
    if summaries.len() < sources().count() {
        let mut stored = store.all(StoreTable::Summaries)?;
        stored.retain(|(key, _)| !summaries.contains_key(key));
        let stored = stored
            .into_par_iter()
            .map(|(key, encoded)| Ok((key, checksummed_record::decode(&encoded)?)));
        summaries.extend(stored.collect::<Result<Vec<(FileKey, FileSummary)>, StoreError>>()?);
    }
    let overlays = indexed_file_record::overlays(store, files)?.into_iter();
    let holds = |(path, overlay): &(String, ScipFileData)| {
        files.get(path).is_some_and(|file| file.hash == overlay.hash)
    };
    let mut tree = ResolutionInput {
        files: Vec::with_capacity(summaries.len()),
        summaries: Vec::with_capacity(summaries.len()),
        manifests: Vec::new(),
        kept_facts: facts,
        overlays: overlays.filter(holds).collect(),
    };
    for (path, file) in files.iter().filter(|(_, file)| file.has_content()) {
        if file.is_source() {
            let summary = summaries.remove(&file.key).ok_or_else(StoreError::inconsistent)?;
            tree.files.push(SourceContent {
                path: path.clone(),
                key: file.key,
                id: file.content_id(path),
            });
            tree.summaries.push(summary);
        } else {
            let text = match manifests.remove(&file.key) {
                Some(text) => text,
                None => read_text(store, file.key)?,
            };
            tree.manifests.push((path.clone(), text));
        }
    }
    Ok(tree)
}

/// Reads the text of a manifest.
fn read_text(store: &GraphStore, key: FileKey) -> Result<String, StoreError> {
    let encoded = store.get(StoreTable::Manifests, key)?.ok_or_else(StoreError::inconsistent)?;
    Ok(String::from_utf8_lossy(checksummed_record::payload(&encoded)?).into_owned())
}
