//! The servers that together store all published graphs. The name of a repository decides its server, so the servers
//! need not know one another.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::Duration,
};

use futures::future::join_all;
use tokio::sync::OnceCell;

use crate::{
    arangodb::ArangoDatabase,
    graph_database::{DatabaseError, GraphDatabase, SnapshotKey},
    postgres::PostgresDatabase,
    query_all_servers::DatabaseQuery,
    repository_locations::home_by_name,
    repository_snapshot::RepositorySnapshot,
};

/// All servers.
#[derive(Clone)]
pub struct GraphDatabaseServers {
    servers: Arc<[Arc<dyn GraphDatabase>]>,
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
            // The addresses decide the server of a repository.
            let reason = format!("two servers are called {}", twice.address());
            return Err(DatabaseError::Address(reason));
        }
        Ok(Self::new(servers))
    }

    /// Returns the servers. Their order does not matter.
    pub fn new(servers: impl Into<Arc<[Arc<dyn GraphDatabase>]>>) -> Self {
        Self { servers: servers.into() }
    }

    /// Publishes a snapshot to the server of its repository.
    ///
    /// # Errors
    ///
    /// When that server can't be reached or refuses; nothing is changed then.
    pub async fn publish(
        &self,
        snapshot: &RepositorySnapshot,
    ) -> Result<SnapshotKey, DatabaseError> {
        let home = home_by_name(&self.servers, snapshot.id());
        match home.and_then(|home| self.servers.get(home)) {
            Some(server) => server.publish(snapshot).await,
            None => Err(DatabaseError::Address("there is no server".to_owned())),
        }
    }

    /// Removes repositories that were not published for `keep`. Returns their number.
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
            listed: OnceCell::new(),
            homes: OnceCell::new(),
            known: Mutex::default(),
            is_cut: AtomicBool::new(false),
        }
    }
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
