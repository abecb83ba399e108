//! The graph in the store brought up to date: resolves the files that a change affects, and writes only records that differ.

mod affected_files;
mod edge_record_writer;
mod graph_writer;
mod name_bucket_writer;
pub(super) use self::affected_files::LAYOUT;
use self::affected_files::{GraphFiles, StoredProjectLayout, affected_files};

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Mutex,
};

use retriever_workspace::Cancellation;

use super::{
    facts_for_resolution::{GraphAndFactsStores, SourceContent, StoredFacts},
    invalidation::RemovedFile,
    node_remap::NodeRemap,
    stored_file_resolution::ResolutionRecord,
};
use crate::{
    facts::scip_file_data::ScipFileData,
    facts::{FileFacts, top_level_summary::FileSummary},
    languages,
    resolve::{CrossFileContributions, FileId, ProgramFactsInput, Resolver, collect_contributions},
    store::{FileKey, GraphStore, OutgoingEdge, OutgoingEdges, StoreError, checksummed_record},
};

/// All files as resolution takes them. The facts of source files are found by content.
pub(super) struct ResolutionInput {
    /// Source files, sorted by path.
    pub(super) files: Vec<SourceContent>,
    /// One a file.
    pub(super) summaries: Vec<FileSummary>,
    /// Texts by path.
    pub(super) manifests: Vec<(String, String)>,
    /// Facts of some of the files, which need not be read from the store.
    pub(super) kept_facts: BTreeMap<FileKey, FileFacts>,
    /// What SCIP indexes say of exactly these contents.
    pub(super) overlays: BTreeMap<String, ScipFileData>,
}

/// What changed since the graph was written.
pub(super) struct ChangedGraphFiles {
    /// Files with another content and new files, with their facts so far.
    pub(super) changed: BTreeMap<FileKey, Option<FileFacts>>,
    pub(super) removed: BTreeMap<FileKey, RemovedFile>,
}

/// What is to be written of the graph.
struct Update<'a> {
    store: &'a GraphStore,
    resolver: Resolver<'a>,
    cancellation: &'a Cancellation,
    /// The keys of the files in the order of their numbers.
    keys: &'a [FileKey],
    by_key: BTreeMap<FileKey, FileId>,
    /// What the store has of the files; `None` when all are resolved and nothing in the store counts.
    known: Option<Known>,
    /// The outgoing edges so far of the files whose edges are written again; empty when all files are resolved.
    old_edges: BTreeMap<FileKey, OutgoingEdges>,
    remap: NodeRemap,
}

/// The stored records of all files, for an update that resolves some of them again.
struct Known {
    records: Vec<ResolutionRecord>,
    /// The contributions of the files after the change.
    contributions: Vec<CrossFileContributions<FileId>>,
    /// Whether structural edges may be others.
    recomputes_structure: bool,
    added: BTreeSet<FileKey>,
    removed: BTreeMap<FileKey, RemovedFile>,
}

/// The new edges that start in a file, by what they were found by. What is not here stays.
#[derive(Default)]
struct EdgeChanges {
    own: Option<Vec<OutgoingEdge>>,
    /// Edges found by resolving other files.
    foreign: BTreeMap<FileKey, Vec<OutgoingEdge>>,
    structural: Option<Vec<OutgoingEdge>>,
}

/// Structural edges by the file that they start in, and the files of which some are missing.
struct Structure {
    edges: BTreeMap<FileId, Vec<OutgoingEdge>>,
    incomplete: BTreeSet<FileId>,
}

/// What is known of a file after it was resolved.
pub(super) struct ResolvedFileSummary {
    pub(super) nodes: u32,
    pub(super) omits_edges: bool,
}

/// What was written.
pub(super) struct GraphWriteSummary {
    /// The files that were resolved.
    pub(super) resolved: BTreeMap<FileKey, ResolvedFileSummary>,
    /// The files of which structural edges are missing; `None` when structural edges stay as they were.
    pub(super) incomplete_structure: Option<BTreeSet<FileKey>>,
}

/// Writes the graph of `tree`. `change` is what differs from the graph in the store; `None` when that is not known.
pub(super) fn put(
    stores: GraphAndFactsStores<'_>,
    tree: ResolutionInput,
    change: Option<ChangedGraphFiles>,
) -> Result<GraphWriteSummary, StoreError> {
    let GraphAndFactsStores { graph: store, cancellation, .. } = stores;
    let ResolutionInput { files, summaries, manifests, kept_facts, overlays } = tree;
    let keys: Vec<FileKey> = files.iter().map(|file| file.key).collect();
    let kept = Mutex::new(kept_facts);
    let facts = StoredFacts { stores, files: &files, kept };
    let sources = ProgramFactsInput {
        paths: files.iter().map(|file| file.path.as_str()).collect(),
        facts: &facts,
        summaries: &summaries,
        manifests: &manifests,
        cancellation,
    };
    let mut resolver = Resolver::new(languages::RULES, &sources, &overlays);
    cancellation.check()?;
    let by_key: BTreeMap<FileKey, FileId> = keys.iter().copied().zip((0..).map(FileId)).collect();
    let affected = match change {
        Some(change) => {
            let files = GraphFiles { keys: &keys, by_key: &by_key, summaries: &summaries };
            affected_files(&mut resolver, store, files, change)?
        }
        None => None,
    };
    drop(summaries);
    let (files, known, changed) = match affected {
        Some((files, known, changed)) => (files, Some(known), changed),
        None => {
            store.put_meta(
                LAYOUT,
                &checksummed_record::encode(&StoredProjectLayout::new(&resolver))?,
            )?;
            collect_contributions(&mut resolver, cancellation)?;
            (resolver.files(), None, BTreeMap::new())
        }
    };
    let mut update = Update {
        store,
        resolver,
        cancellation,
        keys: &keys,
        by_key,
        known,
        old_edges: BTreeMap::new(),
        remap: NodeRemap::default(),
    };
    let files = update.remap_nodes(files, &changed)?;
    let written = update.write(&files)?;
    // A result that was cut short must not be kept.
    cancellation.check()?;
    update.resolver.check()?;
    Ok(written)
}
