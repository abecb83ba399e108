//! The configured remote: the source of the first graph and the first full-text index of a workspace, and the place
//! where both are published. Only whole repositories are published; other roots take the facts of their files from such
//! a publication.

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
use retriever_workspace::{Cancellation, GitFolders, Workspace};

/// File beside a graph that names the published index which it came from.
const NOTE: &str = "remote";

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// The graph cannot be published.
    #[error("the code graph can't be published: {0}")]
    Index(#[from] IndexError),
    /// The remote cannot be written.
    #[error("the remote index can't be written: {0}")]
    Remote(#[from] RemoteError),
}

/// Opens the configured remote of a workspace that is one whole repository, for readers, or with a longer time limit
/// for publishers; `None` when none is configured.
///
/// # Errors
///
/// [`RemoteError`], also when the workspace is not a working tree of a repository.
pub fn open_remote(
    workspace: &Workspace,
    config: &IndexConfig,
    note: Option<PathBuf>,
) -> Result<Option<RemoteIndex>, RemoteError> {
    if config.remote.is_empty() {
        return Ok(None);
    }
    let Some(git) = workspace.git_folders() else {
        RemoteIndex::check_address(&config.remote, &config.remote_credentials)?;
        let is_below = || !workspace.enclosing_working_trees().is_empty();
        return Err(match workspace.roots().count() {
            0 | 1 if is_below() => RemoteError::BelowWorkingTree,
            0 | 1 => RemoteError::NoWorkingTree,
            _ => RemoteError::SeveralRoots,
        });
    };
    let name = Some(config.repository.clone()).filter(|name| !name.is_empty());
    RemoteIndex::open(RemoteOptions { note, ..options(config, name, git) }).map(Some)
}

/// Opens the configured remote for readers of the repositories that contain the roots of a workspace.
///
/// # Errors
///
/// [`RemoteError`], also when none of the roots is in a repository that has a name.
fn open_readers(
    workspace: &Workspace,
    config: &IndexConfig,
    note: Option<PathBuf>,
) -> Result<RemoteReaders, RemoteError> {
    match open_remote(workspace, config, note) {
        Ok(whole) => {
            let whole = whole.map(RemoteReader::new);
            return Ok(RemoteReaders { whole, enclosing: Vec::new() });
        }
        Err(RemoteError::BelowWorkingTree | RemoteError::SeveralRoots) => {}
        Err(error) => return Err(error),
    }
    let trees = workspace.enclosing_working_trees();
    // A configured name is that of a single repository.
    let name = Some(&config.repository).filter(|name| trees.len() == 1 && !name.is_empty());
    let mut enclosing: Vec<RemoteReader> = Vec::new();
    for git in trees {
        let remote = match RemoteIndex::open(options(config, name.cloned(), git)) {
            Err(RemoteError::NoRepository) => continue,
            opened => opened?,
        };
        let reader = match enclosing.first() {
            Some(first) => first.for_repository(remote),
            None => RemoteReader::new(remote),
        };
        enclosing.push(reader);
    }
    if enclosing.is_empty() {
        return Err(RemoteError::NoRepository);
    }
    Ok(RemoteReaders { whole: None, enclosing })
}

/// Checks whether the configured remote can serve a workspace. Nothing is requested.
///
/// # Errors
///
/// [`RemoteError`].
pub fn check(workspace: &Workspace, config: &IndexConfig) -> Result<(), RemoteError> {
    open_readers(workspace, config, None).map(drop)
}

fn options(config: &IndexConfig, repository: Option<String>, git: GitFolders) -> RemoteOptions {
    RemoteOptions {
        address: config.remote.clone(),
        credentials: config.remote_credentials.clone(),
        repository,
        git,
        version: format!("{}-{}", indexing::version(), retriever_search::words_version()),
        patience: Duration::from_millis(config.remote_patience_ms),
        note: None,
    }
}

/// Publishes the index of the checked-out commit. The index has just been refreshed.
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

/// Makes the configured remote the source of an index.
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
        readers: OnceLock::new(),
        warnings: Mutex::default(),
    });
    let words = Arc::clone(&remote);
    let words = move |cancellation: &Cancellation| words.reader()?.words(cancellation);
    let upstream = Arc::clone(&remote) as Arc<dyn RemoteGraphSource>;
    let index = index.with_upstream(upstream);
    (index, tokens.with_upstream(Box::new(words)), Some(remote))
}

/// Returns the warning that an index is made without the remote.
pub fn unused(error: &RemoteError) -> String {
    format!("the remote index is not used: {error}; this machine reads every file")
}

/// The configured remote of an index. It is opened when local data is missing.
pub struct ConfiguredRemote {
    workspace: Arc<Workspace>,
    config: IndexConfig,
    note: PathBuf,
    readers: OnceLock<RemoteReaders>,
    warnings: Mutex<Vec<String>>,
}

/// The readers of the remote for a workspace.
#[derive(Debug, Default)]
struct RemoteReaders {
    /// The reader of the workspace's repository, whose graph and words are those of the workspace.
    whole: Option<RemoteReader>,
    /// The readers of repositories that contain roots of the workspace; only facts by content can be used.
    enclosing: Vec<RemoteReader>,
}

impl RemoteReaders {
    fn all(&self) -> impl Iterator<Item = &RemoteReader> {
        self.whole.iter().chain(&self.enclosing)
    }
}

impl ConfiguredRemote {
    /// Returns the reader of the workspace's repository; `None` when the workspace is not a repository, or when the
    /// remote cannot be used.
    pub fn reader(&self) -> Option<&RemoteReader> {
        self.readers().whole.as_ref()
    }

    fn readers(&self) -> &RemoteReaders {
        self.readers.get_or_init(|| {
            let opened = open_readers(&self.workspace, &self.config, Some(self.note.clone()));
            opened.unwrap_or_else(|error| {
                // A remote is configured for all folders, most of which may be in no repository.
                if !matches!(error, RemoteError::NoRepository | RemoteError::NoWorkingTree) {
                    self.lock_warnings().push(error.to_string());
                }
                RemoteReaders::default()
            })
        })
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
        self.readers().all().for_each(|reader| reader.facts(content, cancellation, keep));
    }

    fn address(&self) -> String {
        self.config.remote.clone()
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = std::mem::take(&mut *self.lock_warnings());
        let readers = self.readers.get();
        warnings.extend(
            readers.iter().flat_map(|readers| readers.all()).flat_map(RemoteReader::warnings),
        );
        warnings
    }
}

impl fmt::Debug for ConfiguredRemote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexRemote").field("readers", &self.readers).finish_non_exhaustive()
    }
}
