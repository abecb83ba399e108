//! What the store knows of each file beside its facts: when it was looked at, the hash of its content, how many nodes it
//! has. Also the small records of the whole tree that a refresh compares.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rayon::prelude::*;
use retriever_workspace::{DirectoryWalk, FileStat};
use serde::{Deserialize, Serialize};

use crate::{
    facts::FileOmission,
    facts::scip_file_data::ScipFileData,
    languages::Language,
    store::{
        FactsContentId, FileKey, GraphFiles, GraphSource, GraphState, GraphStore, StoreError,
        StoreTable, checksummed_record,
    },
};

/// Name of the record that holds the generation.
const GENERATION: &str = "generation";
/// The hash of a file that can't be read; no content has it.
const NO_HASH: [u8; 32] = [0; 32];

/// The records of all files, by path.
pub(super) type FileRecords = BTreeMap<String, FileRecord>;

/// What is known of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct FileRecord {
    pub(super) stamp: FileStat,
    /// The stamp was too young to be trusted.
    pub(super) is_young: bool,
    /// What the facts omit, when the file exceeds a limit.
    pub(super) omission: Option<FileOmission>,
    pub(super) hash: [u8; 32],
    /// It is no source file.
    pub(super) is_manifest: bool,
    /// Nodes of the graph; 0 for a manifest.
    pub(super) nodes: u32,
    /// Edges found by resolving the file are missing.
    pub(super) omits_edges: bool,
    /// Edges found by comparing its types with those of other files are missing.
    pub(super) omits_structure: bool,
    #[serde(skip)]
    pub(super) key: FileKey,
}

impl FileRecord {
    /// The hash of a file that can't be read.
    pub(super) const fn unreadable_hash() -> [u8; 32] {
        NO_HASH
    }

    /// Whether the file could be read.
    pub(super) fn has_content(&self) -> bool {
        self.hash != NO_HASH
    }

    /// Whether the file is a source file that could be read.
    pub(super) fn is_source(&self) -> bool {
        !self.is_manifest && self.has_content()
    }

    /// Returns the key of the file's facts. The language is taken from the path: that of a header is known only after
    /// reading it.
    pub(super) fn content_id(&self, path: &str) -> FactsContentId {
        FactsContentId::new(&self.hash, Language::of_path(path))
    }

    /// Returns what the graph leaves out of the file.
    pub(super) fn omissions(&self) -> impl Iterator<Item = FileOmission> + use<> {
        let omits_edges = self.omits_edges || self.omits_structure;
        self.omission.into_iter().chain(omits_edges.then_some(FileOmission::Edges))
    }

    /// Whether the file has to be read although its stamp is the same.
    pub(super) fn is_doubtful(&self) -> bool {
        self.is_young
    }
}

/// The records that were read last, for a process that answers many questions.
#[derive(Default)]
pub(super) struct CachedFileRecords(Mutex<Option<RecordsOfState>>);

/// The records of one state of one store.
struct RecordsOfState {
    store: Vec<u8>,
    generation: u64,
    /// The times in them may be older than those in the store: then their files are read again.
    files: Arc<FileRecords>,
    /// What was made of them.
    graph_files: Option<Arc<GraphFiles>>,
    /// What graphs have read of the state.
    graph_state: Option<Arc<GraphState>>,
    counts: Option<FileCounts>,
    /// The last walk whose files are the recorded ones, with equal stamps that can be trusted.
    current: Option<Arc<DirectoryWalk>>,
}

/// How many files and nodes the graph has, and what it leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FileCounts {
    /// Files with nodes.
    pub(super) files: usize,
    pub(super) nodes: u32,
    /// Files that exceed a limit.
    pub(super) limited: usize,
    /// Files of which edges are missing.
    pub(super) unresolved: usize,
}

impl FileCounts {
    pub(super) fn of(files: &FileRecords) -> Self {
        files.values().fold(Self::default(), |counts, file| Self {
            files: counts.files + usize::from(file.nodes > 0),
            nodes: counts.nodes + file.nodes,
            limited: counts.limited + usize::from(file.omission.is_some()),
            unresolved: counts.unresolved + usize::from(file.omits_edges || file.omits_structure),
        })
    }
}

impl CachedFileRecords {
    /// Returns the records of all files of `store`, whose state has this generation.
    pub(super) fn read(
        &self,
        store: &GraphStore,
        generation: u64,
    ) -> Result<Arc<FileRecords>, StoreError> {
        let last = self.lock();
        let is_of = |last: &&RecordsOfState| {
            last.generation == generation && last.store == store.birth_mark()
        };
        if let Some(last) = last.as_ref().filter(is_of) {
            return Ok(Arc::clone(&last.files));
        }
        drop(last);
        let files = Arc::new(read_all(store)?);
        self.keep(store, generation, &files);
        Ok(files)
    }

    pub(super) fn keep(&self, store: &GraphStore, generation: u64, files: &Arc<FileRecords>) {
        let (store, files) = (store.birth_mark().to_vec(), Arc::clone(files));
        let last = RecordsOfState {
            store,
            generation,
            files,
            graph_files: None,
            graph_state: None,
            counts: None,
            current: None,
        };
        *self.lock() = Some(last);
    }

    /// Takes note that the files of a walk are those of `files`, so that they need not be compared again.
    pub(super) fn note_current(&self, files: &Arc<FileRecords>, walk: &Arc<DirectoryWalk>) {
        self.of(files, |last| last.current = Some(Arc::clone(walk)));
    }

    /// Whether the files of a walk are known to be those of `files`.
    pub(super) fn is_current(&self, files: &Arc<FileRecords>, walk: &Arc<DirectoryWalk>) -> bool {
        let is_same = |last: &mut RecordsOfState| {
            last.current.as_ref().is_some_and(|known| Arc::ptr_eq(known, walk))
        };
        self.of(files, is_same).unwrap_or_default()
    }

    /// Returns the files of the graph.
    pub(super) fn graph_files(&self, files: &Arc<FileRecords>) -> Arc<GraphFiles> {
        let make = || Arc::new(graph_files(files));
        let known =
            |last: &mut RecordsOfState| Arc::clone(last.graph_files.get_or_insert_with(make));
        self.of(files, known).unwrap_or_else(make)
    }

    /// Returns the state of the graph with what earlier graphs have read of it.
    pub(super) fn graph_state(&self, files: &Arc<FileRecords>) -> Arc<GraphState> {
        let graph_files = self.graph_files(files);
        let make = || Arc::new(GraphState::new(Arc::clone(&graph_files)));
        let known =
            |last: &mut RecordsOfState| Arc::clone(last.graph_state.get_or_insert_with(make));
        self.of(files, known).unwrap_or_else(make)
    }

    /// Ends the use of a state of the graph, which the next graph may have to begin without. It is freed on another thread: that
    /// can take as long as an answer.
    pub(super) fn release(&self, state: Arc<GraphState>) {
        if let Some(next) = state.successor()
            && let Some(last) = self.lock().as_mut()
            && let Some(known) = last.graph_state.as_mut().filter(|it| Arc::ptr_eq(it, &state))
        {
            *known = Arc::new(next);
        }
        rayon::spawn(move || drop(state));
    }

    /// Counts the files and nodes.
    pub(super) fn counts(&self, files: &Arc<FileRecords>) -> FileCounts {
        let count = || FileCounts::of(files);
        self.of(files, |last| *last.counts.get_or_insert_with(count)).unwrap_or_else(count)
    }

    /// Calls `use_last` with what is known of `files`; returns none when they are not the last ones.
    fn of<T>(
        &self,
        files: &Arc<FileRecords>,
        use_last: impl FnOnce(&mut RecordsOfState) -> T,
    ) -> Option<T> {
        let mut last = self.lock();
        last.as_mut().filter(|last| Arc::ptr_eq(&last.files, files)).map(use_last)
    }

    /// Gives the records back to who is about to change them.
    pub(super) fn forget(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<RecordsOfState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the files of the graph: those of `files` that have nodes.
pub(super) fn graph_files(files: &FileRecords) -> GraphFiles {
    let source = |(path, file): (&String, &FileRecord)| GraphSource {
        key: file.key,
        content: file.content_id(path),
        nodes: file.nodes,
        omissions: file.omissions().collect(),
        path: path.clone(),
    };
    GraphFiles::new(files.iter().map(source))
}

/// Reads the records of all files.
pub(super) fn read_all(store: &GraphStore) -> Result<FileRecords, StoreError> {
    let read = |(path, key, encoded): (String, FileKey, Vec<u8>)| {
        // The path is part of the record, so that no record can take the place of another.
        let (known, file): (&str, FileRecord) = checksummed_record::decode_borrowed(&encoded)?;
        if known != path {
            return Err(StoreError::inconsistent());
        }
        Ok((path, FileRecord { key, ..file }))
    };
    let files = store.files()?.into_par_iter().map(read);
    Ok(files.collect::<Result<Vec<_>, _>>()?.into_iter().collect())
}

/// Writes the record of one file.
pub(super) fn write(store: &GraphStore, path: &str, file: &FileRecord) -> Result<(), StoreError> {
    store.put_file(file.key, path, &checksummed_record::encode(&(path, file))?)
}

/// Writes the records of files whose times have changed and whose content has not.
pub(super) fn write_touched(store: &GraphStore, touched: &FileRecords) -> Result<(), StoreError> {
    store.begin_write()?;
    let now = read_all(store)?;
    for (path, file) in touched {
        let same = |known: &FileRecord| (known.hash, known.key) == (file.hash, file.key);
        if now.get(path).is_some_and(same) {
            write(store, path, file)?;
        }
    }
    store.commit()
}

/// Returns a number that every refresh with a change replaces.
pub(super) fn generation(store: &GraphStore) -> Result<u64, StoreError> {
    store.meta(GENERATION)?.map_or(Ok(0), |encoded| checksummed_record::decode(&encoded))
}

/// Replaces the generation, and returns the new one.
pub(super) fn next_generation(store: &GraphStore) -> Result<u64, StoreError> {
    let next = generation(store)? + 1;
    store.put_meta(GENERATION, &checksummed_record::encode(&next)?)?;
    Ok(next)
}

/// Reads what SCIP indexes say of files, by path. It may be about a content that the file no longer has.
pub(super) fn overlays(
    store: &GraphStore,
    files: &FileRecords,
) -> Result<BTreeMap<String, ScipFileData>, StoreError> {
    let mut encoded: BTreeMap<FileKey, Vec<u8>> =
        store.all(StoreTable::Overlays)?.into_iter().collect();
    let read = |(path, file): (&String, &FileRecord)| {
        encoded
            .remove(&file.key)
            .map(|encoded| Ok((path.clone(), checksummed_record::decode(&encoded)?)))
    };
    files.iter().filter_map(read).collect()
}
