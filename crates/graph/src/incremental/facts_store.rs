//! Facts between reading files and resolving them: packed on the thread that read the file, written to the store, and read
//! back when resolution reaches the file. The facts of a large tree are never in memory all at once.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use retriever_workspace::storage;

use super::file_record::FileRecord;
use crate::{
    facts::{FileFacts, summary::FileSummary},
    resolve::{FactsSource, FileId},
    store::{FileKey, Store, StoreError, Table, record},
};

/// Approximate bytes of facts that are kept in memory until they are resolved.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// A source file that was read.
pub(super) struct ReadSource {
    pub(super) summary: FileSummary,
    /// The records of its facts and its summary, unless they are written.
    pub(super) sealed: Option<SealedFacts>,
    /// The facts themselves, as long as there is room, so that they need not be read back.
    pub(super) facts: Option<FileFacts>,
}

/// The records of a source file.
pub(super) struct SealedFacts {
    facts: Vec<u8>,
    summary: Vec<u8>,
}

impl SealedFacts {
    pub(super) fn write(&self, store: &Store, key: FileKey) -> Result<(), StoreError> {
        store.put(Table::Facts, key, &self.facts)?;
        store.put(Table::Summaries, key, &self.summary)
    }
}

/// Packs the facts of source files, on any thread.
#[derive(Default)]
pub(super) struct FactsWriter<'s> {
    /// Where facts are written at once. `None` while another process may write.
    store: Option<&'s Store>,
    kept_bytes: AtomicUsize,
}

impl<'s> FactsWriter<'s> {
    /// Returns a writer to `store`, which this process may write.
    pub(super) fn to(store: &'s Store) -> Self {
        Self { store: Some(store), kept_bytes: AtomicUsize::new(0) }
    }

    /// Packs the facts of the file with `key`; `known` is its record so far.
    pub(super) fn pack(
        &self,
        key: FileKey,
        known: Option<&FileRecord>,
        facts: FileFacts,
    ) -> Result<ReadSource, StoreError> {
        let bytes = facts.to_bytes().map_err(|error| StoreError::Unusable(error.to_string()))?;
        let summary = FileSummary::of(&facts, facts.language.capabilities());
        let sealed = SealedFacts { facts: storage::seal(&bytes), summary: record::seal(&summary)? };
        // The facts of an earlier content stay until the update has compared them.
        let sealed = match self.store {
            Some(store) if known.is_none_or(|known| !known.has_content()) => {
                sealed.write(store, key)?;
                None
            }
            _ => Some(sealed),
        };
        let kept = self.kept_bytes.fetch_add(facts.weight(), Ordering::Relaxed);
        Ok(ReadSource { summary, sealed, facts: (kept < MAX_KEPT_BYTES).then_some(facts) })
    }
}

/// The facts of all files: those that are kept in memory, and the others from the store.
pub(super) struct StoredFacts<'s> {
    pub(super) store: &'s Store,
    /// The keys of the files in the order of their numbers.
    pub(super) keys: &'s [FileKey],
    /// Each is handed out once.
    pub(super) kept: Mutex<BTreeMap<FileKey, FileFacts>>,
}

impl FactsSource for StoredFacts<'_> {
    fn facts(&self, file: FileId) -> Result<Arc<FileFacts>, StoreError> {
        let key = self.keys[file.index()];
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        let facts = match kept {
            Some(facts) => facts,
            None => read_facts(self.store, key)?.ok_or_else(StoreError::inconsistent)?,
        };
        Ok(Arc::new(facts))
    }
}

/// Reads the facts of one file; `None` when the store has none.
pub(super) fn read_facts(store: &Store, key: FileKey) -> Result<Option<FileFacts>, StoreError> {
    let Some(sealed) = store.get(Table::Facts, key)? else { return Ok(None) };
    let facts = FileFacts::from_bytes(record::payload(&sealed)?);
    facts.map(Some).map_err(|error| StoreError::Damaged(error.to_string()))
}
