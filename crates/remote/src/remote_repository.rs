//! The published indexes of one repository: their location, requests and errors.

use std::{fmt, future::Future, path::PathBuf, sync::Arc, time::Duration};

use retriever_workspace::{Cancellation, GitFolders};

use super::{
    blocking_runtime::BlockingRuntime, git::GitRepository,
    object_store_credentials::ObjectStoreCredentials, remote_error::RemoteError,
    remote_location::RemoteLocation,
};

/// Options of a remote.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// `file://`, `http://` or `https://`; with the feature `clouds` also `s3://`, `gs://` or `az://`.
    pub address: String,
    /// Environment variables with credentials.
    pub credentials: ObjectStoreCredentials,
    /// The repository's name; `None` for the address of its git remote.
    pub repository: Option<String>,
    /// The repository's git folders.
    pub git: GitFolders,
    /// The version of the code that makes graphs, words and facts.
    pub version: String,
    /// Time that a reader may lose to the remote before it goes on without it.
    pub patience: Duration,
    /// File in which a reader stores the manifest that it took.
    pub note: Option<PathBuf>,
}

/// A remote of one repository.
#[derive(Clone)]
pub struct RemoteIndex {
    shared: Arc<Shared>,
}

struct Shared {
    location: RemoteLocation,
    runtime: BlockingRuntime,
    git: GitRepository,
    repository: String,
    options: RemoteOptions,
}

impl RemoteIndex {
    /// Opens a remote. Nothing is requested yet.
    ///
    /// # Errors
    ///
    /// [`RemoteError::Address`], [`RemoteError::NoRepository`].
    pub fn open(options: RemoteOptions) -> Result<Self, RemoteError> {
        let git = GitRepository::new(options.git.clone());
        let configured = options.repository.as_deref().and_then(super::repository_name);
        let repository = configured.or_else(|| git.identity());
        let name = repository.as_deref().unwrap_or_default();
        let RemoteOptions { address, credentials, patience, .. } = &options;
        let location = RemoteLocation::open(address, credentials, name, *patience)?;
        let repository = repository.ok_or(RemoteError::NoRepository)?;
        let runtime = BlockingRuntime::new("remote");
        let runtime = runtime.map_err(|error| RemoteError::Failed(error.to_string()))?;
        Ok(Self { shared: Arc::new(Shared { location, runtime, git, repository, options }) })
    }

    /// Checks an address without opening it, when there is no repository.
    ///
    /// # Errors
    ///
    /// [`RemoteError::Address`].
    pub fn check_address(
        address: &str,
        credentials: &ObjectStoreCredentials,
    ) -> Result<(), RemoteError> {
        RemoteLocation::open(address, credentials, "", Duration::ZERO).map(drop)
    }

    /// Returns the repository's name.
    pub fn repository(&self) -> &str {
        &self.shared.repository
    }

    /// Returns the address for messages.
    pub fn address(&self) -> &str {
        &self.shared.location.shown
    }

    pub(crate) fn location(&self) -> &RemoteLocation {
        &self.shared.location
    }

    pub(crate) fn git(&self) -> &GitRepository {
        &self.shared.git
    }

    pub(crate) fn options(&self) -> &RemoteOptions {
        &self.shared.options
    }

    /// Runs `work` on the runtime's thread and waits for it. The calling thread may be one that must not block its own
    /// runtime.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, RemoteError>> + Send + 'static,
    ) -> Result<T, RemoteError> {
        self.run_until(&Cancellation::new(), work)
    }

    /// As [`RemoteIndex::run`].
    ///
    /// # Errors
    ///
    /// [`RemoteError::Cancelled`], and the errors of `work`.
    pub(crate) fn run_until<T: Send + 'static>(
        &self,
        cancellation: &Cancellation,
        work: impl Future<Output = Result<T, RemoteError>> + Send + 'static,
    ) -> Result<T, RemoteError> {
        self.shared.runtime.run(cancellation, work)?
    }

    /// Runs `work` on the runtime's thread.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.shared.runtime.spawn(work);
    }
}

impl fmt::Debug for RemoteIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("address", &self.address()).finish_non_exhaustive()
    }
}
