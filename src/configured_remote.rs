//! The configured remote: the source of the first graph and the first full-text index of a workspace, and the place where
//! both are published.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use retriever_remote::{CommitToPublish, PortableGraphStream, RemoteOptions};
pub use retriever_remote::{
    ObjectStoreCredentials, PruneOutcome, PublishedCommit, RemoteError, RemoteIndex, RemoteReader,
    can_be_written,
};

use crate::config::IndexConfig;
use retriever_graph::indexing::{self, GraphIndex, IndexError, RemoteGraphSource};
use retriever_search::FullTextIndex;
use retriever_workspace::{Cancellation, Workspace};

/// File beside a graph that says which published index it came from.
const NOTE: &str = "remote";

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// There is nothing that can be published.
    #[error("the code graph can't be published: {0}")]
    Index(#[from] IndexError),
    /// The remote does not take it.
    #[error("the remote index can't be written: {0}")]
    Remote(#[from] RemoteError),
}

/// Opens the configured remote of a workspace, for its readers or, with more patience, for its publisher; `None` when none is
/// configured.
///
/// # Errors
///
/// [`RemoteError`], also when the workspace is no working tree of a repository.
pub fn open_remote(
    workspace: &Workspace,
    config: &IndexConfig,
    note: Option<PathBuf>,
) -> Result<Option<RemoteIndex>, RemoteError> {
    let address = &config.remote;
    if address.is_empty() {
        return Ok(None);
    }
    let Some(git) = workspace.git_folders() else {
        RemoteIndex::check_address(address, &config.remote_credentials)?;
        return Err(match workspace.roots().count() {
            0 | 1 if workspace.is_below_working_tree() => RemoteError::BelowWorkingTree,
            0 | 1 => RemoteError::NoWorkingTree,
            _ => RemoteError::SeveralRoots,
        });
    };
    let options = RemoteOptions {
        address: address.clone(),
        credentials: config.remote_credentials.clone(),
        repository: Some(config.repository.clone()).filter(|name| !name.is_empty()),
        git,
        version: format!("{}-{}", indexing::version(), retriever_search::words_version()),
        patience: Duration::from_millis(config.remote_patience_ms),
        note,
    };
    RemoteIndex::open(options).map(Some)
}

/// Publishes what is known of the commit that is checked out. The index has just been refreshed.
///
/// # Errors
///
/// [`PublishError`].
pub fn publish(
    index: &GraphIndex,
    tokens: &FullTextIndex,
    remote: &RemoteReader,
) -> Result<PublishedCommit, PublishError> {
    let graph = index.portable()?;
    let publication = CommitToPublish {
        graph: graph.parts,
        words: tokens.portable(index.workspace()),
        contents: graph.contents,
        facts: &|content| index.facts_of(content),
    };
    Ok(remote.publish(publication)?)
}

/// Lets an index begin with what the configured remote has.
pub(crate) fn with_remote(
    index: GraphIndex,
    tokens: FullTextIndex,
    config: &IndexConfig,
) -> (GraphIndex, FullTextIndex, Option<Arc<ConfiguredRemote>>) {
    let Some(folder) = index.folder().filter(|_| !config.remote.is_empty()) else {
        return (index, tokens, None);
    };
    let remote = Arc::new(ConfiguredRemote {
        workspace: Arc::clone(index.workspace()),
        config: config.clone(),
        note: folder.join(NOTE),
        reader: OnceLock::new(),
        warnings: Mutex::default(),
    });
    let words = Arc::clone(&remote);
    let words = move |cancellation: &Cancellation| words.reader()?.words(cancellation);
    let upstream = Arc::clone(&remote) as Arc<dyn RemoteGraphSource>;
    let index = index.with_upstream(upstream);
    (index, tokens.with_upstream(Box::new(words)), Some(remote))
}

/// Says that an index is made without the remote.
pub fn unused(error: &RemoteError) -> String {
    format!("the remote index is not used: {error}; this machine reads every file")
}

/// The configured remote of an index. It is opened when something is missing here.
pub struct ConfiguredRemote {
    workspace: Arc<Workspace>,
    config: IndexConfig,
    note: PathBuf,
    reader: OnceLock<Option<RemoteReader>>,
    warnings: Mutex<Vec<String>>,
}

impl ConfiguredRemote {
    /// Returns the remote; `None` when the workspace is in no repository that has one, or when it can't be used.
    pub fn reader(&self) -> Option<&RemoteReader> {
        let open = || match open_remote(&self.workspace, &self.config, Some(self.note.clone())) {
            Ok(remote) => remote.map(RemoteReader::new),
            // Most folders of somebody who has configured a remote may be in no repository that has one.
            Err(RemoteError::NoRepository | RemoteError::NoWorkingTree) => None,
            Err(error @ (RemoteError::SeveralRoots | RemoteError::BelowWorkingTree)) => {
                self.lock_warnings().push(unused(&error));
                None
            }
            Err(error) => {
                self.lock_warnings().push(error.to_string());
                None
            }
        };
        self.reader.get_or_init(open).as_ref()
    }

    fn lock_warnings(&self) -> MutexGuard<'_, Vec<String>> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RemoteGraphSource for ConfiguredRemote {
    fn graph(&self, cancellation: &Cancellation) -> Option<PortableGraphStream> {
        self.reader()?.graph(cancellation)
    }

    fn facts(
        &self,
        content: &[u8; 32],
        cancellation: &Cancellation,
        keep: &mut dyn FnMut(&[u8; 8], &[u8]),
    ) {
        if let Some(reader) = self.reader() {
            reader.facts(content, cancellation, keep);
        }
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = std::mem::take(&mut *self.lock_warnings());
        warnings.extend(self.reader.get().into_iter().flatten().flat_map(RemoteReader::warnings));
        warnings
    }
}

impl fmt::Debug for ConfiguredRemote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexRemote").field("reader", &self.reader).finish_non_exhaustive()
    }
}
