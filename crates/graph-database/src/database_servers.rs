//! The servers that together hold all published graphs. A repository lives on one of them, which follows from its name, so
//! that no server needs to know of the others. A server that does not answer takes only its own repositories out of an answer.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::future::join_all;

use crate::{
    arangodb::ArangoDatabase,
    graph_database::{
        DatabaseError, DatabaseFuture, GraphDatabase, NodeKey, PackageEvidence,
        PublishedRepository, SnapshotKey, StoredPackage,
    },
    packages::Ecosystem,
    postgres::PostgresDatabase,
    repository_snapshot::{RepositoryId, RepositorySnapshot},
};

/// All servers.
#[derive(Clone)]
pub struct GraphDatabaseServers {
    servers: Arc<[Arc<dyn GraphDatabase>]>,
}

/// A server that did not answer. What its repositories would add to the answer is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachableServer {
    /// Its address.
    pub address: String,
    /// Why it did not answer.
    pub error: DatabaseError,
}

impl GraphDatabaseServers {
    /// Returns the servers of a configuration: addresses that begin with `postgres://`, `arangodb+https://` or
    /// `arangodb+http://`, separated by commas.
    ///
    /// # Errors
    ///
    /// [`DatabaseError::Address`] when there is none, one that can't be used, or one twice.
    pub fn from_addresses(addresses: &str) -> Result<Self, DatabaseError> {
        let addresses = addresses.split(',').map(str::trim).filter(|address| !address.is_empty());
        let servers: Vec<Arc<dyn GraphDatabase>> =
            addresses.map(connect).collect::<Result<_, _>>()?;
        if servers.is_empty() {
            return Err(DatabaseError::Address("it is empty".to_owned()));
        }
        let mut addresses = BTreeSet::new();
        if let Some(twice) = servers.iter().find(|server| !addresses.insert(server.address())) {
            // A repository's server follows from the addresses.
            let reason = format!("two servers are called {}", twice.address());
            return Err(DatabaseError::Address(reason));
        }
        Ok(Self::new(servers))
    }

    /// Returns the servers as one. Their order does not matter.
    pub fn new(servers: impl Into<Arc<[Arc<dyn GraphDatabase>]>>) -> Self {
        Self { servers: servers.into() }
    }

    /// Publishes a snapshot on the server of its repository.
    ///
    /// # Errors
    ///
    /// When that server can't be reached or refuses; nothing is changed then.
    pub async fn publish(
        &self,
        snapshot: &RepositorySnapshot,
    ) -> Result<SnapshotKey, DatabaseError> {
        match self.home(snapshot.id()) {
            Some(server) => server.publish(snapshot).await,
            None => Err(DatabaseError::Address("there is no server".to_owned())),
        }
    }

    /// Removes repositories that were not published for `keep`. Returns how many.
    ///
    /// # Errors
    ///
    /// Those of the first server that fails; the others have been asked.
    pub async fn prune(&self, keep: Duration) -> Result<u64, DatabaseError> {
        let removed = join_all(self.servers.iter().map(|server| server.prune(keep))).await;
        removed.into_iter().sum()
    }

    /// Begins a question.
    pub fn question(&self) -> DatabaseQuery<'_> {
        DatabaseQuery {
            servers: &self.servers,
            lost: Mutex::default(),
            known: Mutex::default(),
            is_cut: AtomicBool::new(false),
        }
    }

    /// Returns the server of a repository, by rendezvous hashing: adding or removing a server moves only the repositories
    /// that it gains or loses.
    fn home(&self, repository: RepositoryId) -> Option<&Arc<dyn GraphDatabase>> {
        home(&self.servers, repository)
    }
}

fn home(
    servers: &[Arc<dyn GraphDatabase>],
    repository: RepositoryId,
) -> Option<&Arc<dyn GraphDatabase>> {
    let weight = |server: &&Arc<dyn GraphDatabase>| {
        let mut hasher = blake3::Hasher::new();
        hasher.update(server.address().as_bytes()).update(&repository.0.to_be_bytes());
        *hasher.finalize().as_bytes()
    };
    servers.iter().max_by_key(weight)
}

fn connect(address: &str) -> Result<Arc<dyn GraphDatabase>, DatabaseError> {
    match address.split_once("://") {
        Some(("postgres" | "postgresql", _)) => Ok(Arc::new(PostgresDatabase::new(address)?)),
        Some(("arangodb+https" | "arangodb+http", _)) => {
            Ok(Arc::new(ArangoDatabase::new(address)?))
        }
        _ => Err(DatabaseError::Address(
            "it begins with neither postgres:// nor arangodb+https://".to_owned(),
        )),
    }
}

/// One question to all servers. It goes on without those that do not answer, and remembers them.
pub struct DatabaseQuery<'s> {
    servers: &'s [Arc<dyn GraphDatabase>],
    lost: Mutex<BTreeMap<String, DatabaseError>>,
    pub(crate) known: Mutex<KnownPackages>,
    is_cut: AtomicBool,
}

/// The packages that a question has looked up so far.
#[derive(Default)]
pub(crate) struct KnownPackages {
    pub(crate) of_snapshot: BTreeMap<SnapshotKey, Vec<StoredPackage>>,
    pub(crate) by_name: BTreeMap<(Ecosystem, String), Vec<StoredPackage>>,
    pub(crate) evidence: BTreeMap<(NodeKey, NodeKey), PackageEvidence>,
}

impl DatabaseQuery<'_> {
    /// The servers that did not answer so far.
    pub fn lost(&self) -> Vec<UnreachableServer> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.iter()
            .map(|(address, error)| UnreachableServer {
                address: address.clone(),
                error: error.clone(),
            })
            .collect()
    }

    /// Whether more definitions have a name than were looked at, so that some may be missing.
    pub fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed)
    }

    pub(crate) fn note_cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }

    /// Returns what is published, by name.
    pub async fn repositories(&self) -> Vec<PublishedRepository> {
        let mut all = self.all(|server| server.repositories()).await;
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// Asks every server, and puts the answers together.
    pub(crate) async fn all<'a, T>(
        &'a self,
        ask: impl Fn(&'a dyn GraphDatabase) -> DatabaseFuture<'a, Vec<T>>,
    ) -> Vec<T> {
        self.gather(self.servers.iter().map(|server| (server.as_ref(), ask(server.as_ref())))).await
    }

    /// Groups keys by the server that their repository lives on.
    pub(crate) fn by_server<K: Copy>(
        &self,
        keys: &[K],
        repository: impl Fn(&K) -> RepositoryId,
    ) -> Vec<(&dyn GraphDatabase, Vec<K>)> {
        let mut by_repository: BTreeMap<RepositoryId, Vec<K>> = BTreeMap::new();
        for key in keys {
            by_repository.entry(repository(key)).or_default().push(*key);
        }
        let mut parts: Vec<(&dyn GraphDatabase, Vec<K>)> = Vec::new();
        for (repository, keys) in by_repository {
            let Some(server) = home(self.servers, repository) else { continue };
            match parts.iter_mut().find(|(known, _)| known.address() == server.address()) {
                Some((_, part)) => part.extend(keys),
                None => parts.push((server.as_ref(), keys)),
            }
        }
        parts
    }

    /// Puts the answers of servers together; without those of servers that are lost.
    pub(crate) async fn gather<'a, T>(
        &self,
        asked: impl Iterator<Item = (&'a dyn GraphDatabase, DatabaseFuture<'a, Vec<T>>)>,
    ) -> Vec<T> {
        let asked = asked.filter(|(server, _)| !self.is_lost(server.address()));
        let answers = asked.map(|(server, reply)| async move {
            reply.await.unwrap_or_else(|error| {
                self.lose(server.address(), error);
                Vec::new()
            })
        });
        join_all(answers).await.into_iter().flatten().collect()
    }

    fn is_lost(&self, address: &str) -> bool {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).contains_key(address)
    }

    fn lose(&self, address: &str, error: DatabaseError) {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).insert(address.to_owned(), error);
    }
}
