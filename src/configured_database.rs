//! The graph database of a configuration: graphs of many repositories are published to it, and it answers questions
//! about all of them. A caller may be on any thread, so requests run on their own thread.

use std::{
    future::Future,
    path::Path,
    sync::{Arc, OnceLock},
    time::Duration,
};

use crate::config::GraphConfig;
use retriever_graph::indexing::{GraphIndex, IndexError};
use retriever_graph_database::{
    DatabaseError, GraphDatabaseServers, PackageMention, RepositorySnapshot, is_manifest_path,
    packages_of,
};
use retriever_remote::{BlockingRuntime, GitRepository, UnfinishedRequest};
use retriever_workspace::{Cancellation, DirectoryWalk, FoundFile, Workspace};

/// The servers of a configuration. They are connected to at the first request.
#[derive(Clone)]
pub struct ConfiguredDatabase {
    addresses: String,
    connected: Arc<OnceLock<Result<Connection, ConfiguredDatabaseError>>>,
}

struct Connection {
    servers: GraphDatabaseServers,
    runtime: BlockingRuntime,
}

/// The name of a publication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedGraphName {
    /// The repository.
    pub repository: String,
    /// The checked-out commit; empty when there is none.
    pub commit: String,
    /// Whether the name is that of the folder, which another repository may have, too.
    pub is_folder: bool,
}

impl PublishedGraphName {
    /// Returns the name of the repository that is the only root of `workspace`: `configured`, unless it is empty; else
    /// the normalised address of git's remote, so that two clones are one repository; else the folder's name. `None`
    /// when there are several roots, or the only one has no name.
    pub fn of(workspace: &Workspace, configured: &str) -> Option<Self> {
        let mut roots = workspace.roots();
        let (Some((_, root)), None) = (roots.next(), roots.next()) else { return None };
        let git = workspace.git_folders().map(GitRepository::new);
        let folder = || Some(Path::new(root).file_name()?.to_str()?.to_owned());
        let configured = Some(configured.trim()).filter(|name| !name.is_empty());
        let named = configured.map(str::to_owned).or_else(|| git.as_ref()?.identity());
        let is_folder = named.is_none();
        let repository = named.or_else(folder)?;
        let commit = git.and_then(|git| git.head()).unwrap_or_default();
        Some(Self { repository, commit, is_folder })
    }
}

/// A graph that was published.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PublishedGraph {
    /// The name of the repository.
    pub repository: String,
    /// The commit; empty when it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// Number of its nodes.
    pub nodes: usize,
    /// Number of its edges.
    pub edges: usize,
    /// Number of packages that its manifests publish and require.
    pub packages: usize,
}

/// Why a publication or a question failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConfiguredDatabaseError {
    /// No server is configured.
    #[error("no graph database is configured")]
    NotConfigured,
    /// A server can't be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The graph of this repository cannot be built.
    #[error("{0}")]
    Graph(String),
    /// The work was cancelled, or its time was up.
    #[error("the graph database did not answer in time")]
    Cancelled,
    /// No thread can be started for the request.
    #[error("no thread can be started: {0}")]
    Thread(String),
}

impl ConfiguredDatabase {
    /// Returns the servers that `config` names.
    pub fn new(config: &GraphConfig) -> Self {
        Self { addresses: config.database.trim().to_owned(), connected: Arc::default() }
    }

    /// Returns whether any server is configured.
    pub fn is_configured(&self) -> bool {
        !self.addresses.is_empty()
    }

    /// Publishes the graph of `index` under the name of its repository and its commit.
    ///
    /// # Errors
    ///
    /// [`ConfiguredDatabaseError`]; what was published before is unchanged then.
    pub fn publish(
        &self,
        index: &GraphIndex,
        PublishedGraphName { repository, commit, .. }: &PublishedGraphName,
    ) -> Result<PublishedGraph, ConfiguredDatabaseError> {
        if !self.is_configured() {
            return Err(ConfiguredDatabaseError::NotConfigured);
        }
        let never = Cancellation::new();
        let snapshot = index.ask_on_walk(&never, |walk, graph| {
            let mut snapshot = RepositorySnapshot::new(repository, commit, graph);
            snapshot.packages = read_packages(index.workspace(), walk);
            snapshot.add_uses(index.uses_of_imported_names(graph, &never)?);
            snapshot.add_exports(index.package_exports(graph)?);
            Ok(snapshot)
        });
        let snapshot = snapshot
            .and_then(|made| made)
            .map_err(|error: IndexError| ConfiguredDatabaseError::Graph(error.to_string()))?;
        let published = PublishedGraph {
            repository: repository.clone(),
            commit: commit.clone(),
            nodes: snapshot.nodes.len(),
            edges: snapshot.edges.len(),
            packages: snapshot.packages.len(),
        };
        let publish =
            move |servers: GraphDatabaseServers| async move { servers.publish(&snapshot).await };
        self.run(&Cancellation::new(), publish)??;
        Ok(published)
    }

    /// Removes the repositories that were not published for `keep`. Returns their number.
    ///
    /// # Errors
    ///
    /// [`ConfiguredDatabaseError`].
    pub fn prune(&self, keep: Duration) -> Result<u64, ConfiguredDatabaseError> {
        let prune = move |servers: GraphDatabaseServers| async move { servers.prune(keep).await };
        Ok(self.run(&Cancellation::new(), prune)??)
    }

    /// Runs a request and waits for it, or until the work is cancelled.
    pub(crate) fn run<T, F>(
        &self,
        cancellation: &Cancellation,
        request: impl FnOnce(GraphDatabaseServers) -> F,
    ) -> Result<T, ConfiguredDatabaseError>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send + 'static,
    {
        let connected = self.connected.get_or_init(|| self.connect());
        let Connection { servers, runtime } = connected.as_ref().map_err(Clone::clone)?;
        runtime.run(cancellation, request(servers.clone())).map_err(|unfinished| match unfinished {
            UnfinishedRequest::Cancelled => ConfiguredDatabaseError::Cancelled,
            UnfinishedRequest::EndedEarly => {
                ConfiguredDatabaseError::Thread(unfinished.to_string())
            }
        })
    }

    fn connect(&self) -> Result<Connection, ConfiguredDatabaseError> {
        if !self.is_configured() {
            return Err(ConfiguredDatabaseError::NotConfigured);
        }
        let servers = GraphDatabaseServers::from_addresses(&self.addresses)?;
        let runtime = BlockingRuntime::new("graph-database");
        let runtime =
            runtime.map_err(|error| ConfiguredDatabaseError::Thread(error.to_string()))?;
        Ok(Connection { servers, runtime })
    }
}

/// Returns the packages that the manifests of a walk publish and require.
fn read_packages(workspace: &Workspace, walk: &DirectoryWalk) -> Vec<PackageMention> {
    let manifests = walk.files.iter().filter(|file| is_manifest_path(file.path.as_str()));
    let read = |file: &FoundFile| {
        let text = workspace.read(&file.path).ok()?;
        Some(packages_of(file.path.as_str(), text.text()))
    };
    manifests.filter_map(read).flatten().collect()
}
