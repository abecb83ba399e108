//! Facts between reading files and resolving them: kept by content as soon as a file is read, and read back when resolution
//! reaches the file. The facts of a large tree are never in memory all at once.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use retriever_workspace::{Cancellation, ContentHash, RepoPath, Workspace};

use super::remote_graph_source::RemoteGraphSource;
use crate::{
    facts::{FileFacts, FileOmission, top_level_summary::FileSummary},
    languages::{Language, extract_within},
    resolve::{FactsSource, FileId},
    store::{
        ContentAddressedFacts, FactsContentId, FileKey, GraphStore, StoreError, checksummed_record,
    },
};

/// Approximate bytes of facts that are kept in memory until they are resolved.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// The graph of one tree, and the facts of all contents.
#[derive(Clone, Copy)]
pub(super) struct GraphAndFactsStores<'a> {
    pub(super) graph: &'a GraphStore,
    pub(super) facts: &'a ContentAddressedFacts,
    /// The tree from which a file is read again when its facts are gone.
    pub(super) workspace: Option<&'a Workspace>,
    /// A remote index that may have facts which are missing here.
    pub(super) upstream: Option<&'a dyn RemoteGraphSource>,
    pub(super) cancellation: &'a Cancellation,
}

impl GraphAndFactsStores<'_> {
    /// Whether a file has become secret.
    pub(super) fn is_secret(self, path: &str) -> bool {
        let path = RepoPath::parse(path, "").ok();
        self.workspace.zip(path).is_some_and(|(workspace, path)| workspace.is_secret(&path))
    }

    /// Returns the facts of a content that the graph was made from; `None` when they are gone.
    pub(super) fn known_facts(self, id: FactsContentId) -> Option<FileFacts> {
        known_facts(self.facts, self.upstream, id, self.cancellation)
    }
}

/// Returns the facts of a content that are kept here or that `upstream` has.
fn known_facts(
    facts: &ContentAddressedFacts,
    upstream: Option<&dyn RemoteGraphSource>,
    id: FactsContentId,
    cancellation: &Cancellation,
) -> Option<FileFacts> {
    facts.get(id).or_else(|| {
        let adopt = &mut |id: &[u8; 8], record: &[u8]| facts.adopt(*id, record);
        upstream?.facts(&id.to_bytes(), cancellation, adopt);
        facts.get(id)
    })
}

/// A source file that was read.
pub(super) struct LoadedSourceFile {
    pub(super) summary: FileSummary,
    /// What the facts omit, when the file exceeds a limit.
    pub(super) omission: Option<FileOmission>,
    /// The record of the summary.
    pub(super) encoded_summary: Vec<u8>,
    /// The facts, as long as there is room, so that they need not be read back.
    pub(super) facts: Option<FileFacts>,
}

/// Reads source files, and keeps their facts by content.
pub(super) struct SourceReader<'a> {
    facts: &'a ContentAddressedFacts,
    /// A remote index that may have facts which are missing here.
    upstream: Option<&'a dyn RemoteGraphSource>,
    /// Files are read even if the facts of their content are known.
    reads_known: bool,
    cancellation: &'a Cancellation,
    kept_bytes: AtomicUsize,
}

impl<'a> SourceReader<'a> {
    pub(super) fn new(facts: &'a ContentAddressedFacts, cancellation: &'a Cancellation) -> Self {
        let kept_bytes = AtomicUsize::new(0);
        Self { facts, upstream: None, reads_known: false, cancellation, kept_bytes }
    }

    /// Asks `upstream` for facts before a file is read for them.
    pub(super) fn asking(self, upstream: Option<&'a dyn RemoteGraphSource>) -> Self {
        Self { upstream, ..self }
    }

    /// Reads every file, whatever is known of its content.
    pub(super) fn reading_known(self, reads_known: bool) -> Self {
        Self { reads_known, ..self }
    }

    /// Returns the facts of a text whose bytes have a hash.
    pub(super) fn read(
        &self,
        language: Language,
        text: &str,
        hash: &[u8; 32],
    ) -> Result<FileFacts, StoreError> {
        let id = FactsContentId::new(hash, Some(language));
        if !self.reads_known
            && let Some(facts) = known_facts(self.facts, self.upstream, id, self.cancellation)
        {
            return Ok(facts);
        }
        let facts = extract_within(language, text, self.cancellation)?;
        self.keep(id, &facts)?;
        Ok(facts)
    }

    /// Returns the facts of a file of a known content; `None` when it has another one now.
    pub(super) fn read_known(
        &self,
        workspace: &Workspace,
        path: &str,
        id: FactsContentId,
    ) -> Option<FileFacts> {
        let language = Language::of_path(path)?;
        let is_same = |hash: &ContentHash| {
            FactsContentId::new(ContentHash::as_bytes(hash), Some(language)) == id
        };
        let (text, hash) = workspace.read_walked(&RepoPath::parse(path, "").ok()?, is_same).ok()?;
        self.read(language, &text?, ContentHash::as_bytes(&hash)).ok()
    }

    /// Keeps the facts of a content for other readers.
    pub(super) fn keep(&self, id: FactsContentId, facts: &FileFacts) -> Result<(), StoreError> {
        let bytes = facts.to_bytes().map_err(|error| StoreError::Unusable(error.to_string()))?;
        debug_assert!(
            FileFacts::from_foreign_bytes(&bytes).is_ok(),
            "facts that others would refuse"
        );
        self.facts.put(id, &bytes);
        Ok(())
    }

    /// Returns what an update takes of the facts of the file at `path`.
    pub(super) fn pack(
        &self,
        path: &str,
        facts: FileFacts,
    ) -> Result<LoadedSourceFile, StoreError> {
        let facts = facts.named_by(path);
        let summary = FileSummary::of(&facts, facts.language.capabilities());
        let encoded_summary = checksummed_record::encode(&summary)?;
        let omission = facts.omission();
        let kept = self.kept_bytes.fetch_add(facts.weight(), Ordering::Relaxed);
        let facts = (kept < MAX_KEPT_BYTES).then_some(facts);
        Ok(LoadedSourceFile { summary, omission, encoded_summary, facts })
    }
}

/// A source file, and the key of its facts.
pub(super) struct SourceContent {
    pub(super) path: String,
    pub(super) key: FileKey,
    /// The key of its facts.
    pub(super) id: FactsContentId,
}

/// The facts of all files: some kept in memory, the others stored by content.
pub(super) struct StoredFacts<'s> {
    pub(super) stores: GraphAndFactsStores<'s>,
    /// In the order of the files' numbers.
    pub(super) files: &'s [SourceContent],
    /// Each is handed out once.
    pub(super) kept: Mutex<BTreeMap<FileKey, FileFacts>>,
}

impl FactsSource for StoredFacts<'_> {
    fn facts(&self, file: FileId) -> Result<Arc<FileFacts>, StoreError> {
        let file = &self.files[file.index()];
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).remove(&file.key);
        let known = kept.or_else(|| self.stores.known_facts(file.id));
        let facts = known.map_or_else(|| self.read_again(file), Ok)?;
        Ok(Arc::new(facts.named_by(&file.path)))
    }
}

impl StoredFacts<'_> {
    /// Reads a file whose facts are gone. Errors if it has changed since the tree was scanned.
    fn read_again(&self, file: &SourceContent) -> Result<FileFacts, StoreError> {
        let workspace = self.stores.workspace.ok_or_else(StoreError::inconsistent)?;
        let sources = SourceReader::new(self.stores.facts, self.stores.cancellation);
        let facts = sources.read_known(workspace, &file.path, file.id);
        self.stores.cancellation.check()?;
        facts.ok_or(StoreError::Changed)
    }
}
