//! Which files a change affects, by the records in the store and the layout of the modules.

use super::super::{
    invalidation::{self, AffectedFiles, ChangedFile, InvalidationInput, ModuleLayoutChange},
    stored_file_resolution::ResolutionRecord,
};
use super::{ChangedGraphFiles, Known};
use crate::{
    facts::{FileFacts, top_level_summary::FileSummary},
    resolve::{
        FILES_AT_ONCE, FileId, Resolver,
        project_layout::module_layout_fingerprint::{
            ModuleNameFingerprint, module_entries, own_modules,
        },
    },
    store::{FileKey, GraphStore, StoreError, StoreTable, checksummed_record},
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name of the [`StoredProjectLayout`].
pub(crate) const LAYOUT: &str = "layout";

/// Where modules are, and what SCIP indexes say.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredProjectLayout {
    overlays: u64,
    /// A hash of where all modules are.
    whole: u64,
    /// The modules that can be looked up by name.
    modules: Vec<ModuleNameFingerprint>,
}

impl StoredProjectLayout {
    pub(super) fn new(resolver: &Resolver<'_>) -> Self {
        Self {
            overlays: resolver.overlays(),
            whole: resolver.program().layout_hash(),
            modules: module_entries(resolver.program()),
        }
    }
}

/// The files of a graph.
#[derive(Clone, Copy)]
pub(super) struct GraphFiles<'a> {
    /// In the order of their IDs.
    pub(super) keys: &'a [FileKey],
    pub(super) by_key: &'a BTreeMap<FileKey, FileId>,
    pub(super) summaries: &'a [FileSummary],
}

/// Returns the files that `change` affects, what is known of all files, and the facts of changed files so far; `None` when
/// all files have to be resolved.
#[expect(clippy::type_complexity, reason = "three results of one comparison")]
pub(super) fn affected_files(
    resolver: &mut Resolver<'_>,
    store: &GraphStore,
    files: GraphFiles<'_>,
    change: ChangedGraphFiles,
) -> Result<Option<(Vec<FileId>, Known, BTreeMap<FileKey, FileFacts>)>, StoreError> {
    let ChangedGraphFiles { changed, removed } = change;
    let GraphFiles { keys, by_key, summaries } = files;
    let Some(records) = read_records(store, keys, &changed)? else { return Ok(None) };
    let files: Vec<ChangedFile<'_>> = changed
        .iter()
        .filter_map(|(key, before)| {
            Some(ChangedFile { file: *by_key.get(key)?, before: before.as_ref() })
        })
        .collect();
    let Some(layout) = layout_change(resolver, store, &records, &files)? else { return Ok(None) };
    let change = InvalidationInput {
        records: &records,
        changed: &files,
        removed: &removed,
        keys,
        layout: &layout,
    };
    let Some(AffectedFiles { files: affected, contributions }) =
        invalidation::invalidate(resolver, change)
    else {
        return Ok(None);
    };
    let languages = files.iter().map(|changed| summaries[changed.file.index()].language);
    let languages = languages.chain(removed.values().map(|removed| removed.facts.language()));
    let recomputes_structure =
        languages.into_iter().any(|language| language.capabilities().structural_interfaces);
    let is_new = |(key, before): (&FileKey, &Option<FileFacts>)| before.is_none().then_some(*key);
    let added = changed.iter().filter_map(is_new).collect();
    let changed = changed.into_iter().filter_map(|(key, facts)| Some((key, facts?))).collect();
    let known = Known { records, contributions, recomputes_structure, added, removed };
    Ok(Some((affected, known, changed)))
}

/// Returns what differs in where modules are, and writes where they are now; `None` when that concerns all files.
fn layout_change(
    resolver: &mut Resolver<'_>,
    store: &GraphStore,
    records: &[ResolutionRecord],
    changed: &[ChangedFile<'_>],
) -> Result<Option<ModuleLayoutChange>, StoreError> {
    let Some(encoded) = store.meta(LAYOUT)? else { return Ok(None) };
    let before: StoredProjectLayout = checksummed_record::decode(&encoded)?;
    if before.overlays != resolver.overlays() {
        return Ok(None);
    }
    if before.whole == resolver.program().layout_hash() {
        return Ok(Some(ModuleLayoutChange::default()));
    }
    let now = StoredProjectLayout::new(resolver);
    store.put_meta(LAYOUT, &checksummed_record::encode(&now)?)?;
    let differing = invalidation::difference(&before.modules, &now.modules);
    let module_names = differing.into_iter().map(|(_, name)| name).collect();
    let facts_before: BTreeMap<FileId, &FileFacts> =
        changed.iter().filter_map(|changed| Some((changed.file, changed.before?))).collect();
    let mut files = Vec::new();
    for some in resolver.files().chunks(FILES_AT_ONCE) {
        let differs = |file: &&FileId| {
            let (before, program) = (&records[file.index()].layout, resolver.program());
            let now = || resolver.file_layout(**file);
            match facts_before.get(*file) {
                Some(old) => before.differs(&now(), old, program.facts(**file)),
                None => before.differs_in(program, **file, now),
            }
        };
        files.par_extend(some.par_iter().with_max_len(4).filter(differs));
        resolver.release_facts();
    }
    let moved = |file: &FileId| {
        let record = &records[file.index()];
        // The record of a new file is empty.
        *record != ResolutionRecord::default()
            && record.own_modules != own_modules(resolver.program(), *file)
    };
    let moved = files.iter().copied().filter(moved).collect();
    Ok(Some(ModuleLayoutChange { files, moved, module_names }))
}

/// Reads the resolution records of all files; `None` when one is missing. A new file has an empty record.
fn read_records(
    store: &GraphStore,
    keys: &[FileKey],
    changed: &BTreeMap<FileKey, Option<FileFacts>>,
) -> Result<Option<Vec<ResolutionRecord>>, StoreError> {
    let encoded: BTreeMap<FileKey, Vec<u8>> =
        store.all(StoreTable::Resolutions)?.into_iter().collect();
    let read = |key: &FileKey| match encoded.get(key) {
        Some(encoded) => checksummed_record::decode(encoded).map(Some),
        None => Ok(matches!(changed.get(key), Some(None)).then(ResolutionRecord::default)),
    };
    keys.par_iter().map(read).collect()
}
