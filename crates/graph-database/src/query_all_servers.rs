//! One question to all servers with published graphs. If a server does not answer, only its own repositories are
//! missing from the answer.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use futures::future::join_all;
use tokio::sync::OnceCell;

use crate::{
    graph_database::{
        CrossRepositoryEvidence, DatabaseError, DatabaseFuture, GraphDatabase, NodeKey,
        PublishedRepository, RepositoryScope, SnapshotKey, StoredPackage,
    },
    packages::Ecosystem,
    repository_locations::{RepositoryHomes, home_by_name},
    repository_snapshot::RepositoryId,
};

/// One question to all servers. It goes on without servers that do not answer, and records them.
pub struct DatabaseQuery<'s> {
    pub(crate) servers: &'s [Arc<dyn GraphDatabase>],
    pub(crate) lost: Mutex<BTreeMap<String, DatabaseError>>,
    /// The publications of each server, once they are read.
    pub(crate) listed: OnceCell<Vec<Vec<PublishedRepository>>>,
    pub(crate) homes: OnceCell<RepositoryHomes>,
    pub(crate) known: Mutex<KnownPackages>,
    pub(crate) is_cut: AtomicBool,
}

/// A server that did not answer; the answer lacks its repositories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachableServer {
    /// Its address.
    pub address: String,
    /// Why it did not answer.
    pub error: DatabaseError,
}

/// The packages that a question has looked up so far.
#[derive(Default)]
pub(crate) struct KnownPackages {
    pub(crate) of_snapshot: BTreeMap<SnapshotKey, Vec<StoredPackage>>,
    pub(crate) by_name: BTreeMap<(Ecosystem, String), Vec<StoredPackage>>,
    pub(crate) evidence: BTreeMap<(NodeKey, NodeKey), CrossRepositoryEvidence>,
}

impl DatabaseQuery<'_> {
    /// Returns the servers that did not answer so far.
    pub fn lost(&self) -> Vec<UnreachableServer> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.iter()
            .map(|(address, error)| UnreachableServer {
                address: address.clone(),
                error: error.clone(),
            })
            .collect()
    }

    /// Whether no server has answered all of its requests.
    pub fn is_all_lost(&self) -> bool {
        self.servers.iter().all(|server| self.is_lost(server.address()))
    }

    /// Returns the repositories that are on another server than their name assigns, sorted, as far as they were read.
    pub fn displaced(&self) -> &[String] {
        self.homes.get().map(RepositoryHomes::displaced).unwrap_or_default()
    }

    /// Whether a name has more definitions than were read, so that some may be missing.
    pub fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed)
    }

    pub(crate) fn note_cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }

    /// Returns the published repositories, by name; of each the newest publication.
    pub async fn repositories(&self) -> Vec<PublishedRepository> {
        let homes = self.homes().await;
        let mut all: Vec<PublishedRepository> = Vec::new();
        for ((place, server), listed) in self.servers.iter().enumerate().zip(self.listed().await) {
            if self.is_lost(server.address()) {
                continue;
            }
            let home = |it: &PublishedRepository| homes.server(RepositoryId::of(&it.name));
            let newest = listed.iter().filter(|it| home(it).is_none_or(|home| home == place));
            all.extend(newest.cloned());
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// Returns the publications of each server; empty for those that do not answer.
    async fn listed(&self) -> &[Vec<PublishedRepository>] {
        let ask = || async {
            let listed = self.servers.iter().map(|server| async {
                if self.is_lost(server.address()) {
                    return Vec::new();
                }
                server.repositories().await.unwrap_or_else(|error| {
                    self.lose(server.address(), error);
                    Vec::new()
                })
            });
            join_all(listed).await
        };
        self.listed.get_or_init(ask).await
    }

    /// Returns the server of each repository. One server serves all.
    async fn homes(&self) -> &RepositoryHomes {
        let read = || async {
            if self.servers.len() < 2 {
                return RepositoryHomes::default();
            }
            RepositoryHomes::new(self.servers, self.listed().await)
        };
        self.homes.get_or_init(read).await
    }

    /// Returns the repositories of `scope` that each server serves.
    pub(crate) async fn scopes(&self, scope: &RepositoryScope) -> Vec<RepositoryScope> {
        let homes = self.homes().await;
        (0..self.servers.len()).map(|server| homes.scope(server, scope)).collect()
    }

    /// Asks every server about the repositories that it serves, and merges the answers.
    pub(crate) async fn all<'a, T>(
        &'a self,
        scopes: &'a [RepositoryScope],
        ask: impl Fn(&'a dyn GraphDatabase, &'a RepositoryScope) -> DatabaseFuture<'a, Vec<T>>,
    ) -> Vec<T> {
        let servers = self.servers.iter().map(AsRef::as_ref).zip(scopes);
        self.gather(servers.map(|(server, scope)| (server, ask(server, scope)))).await
    }

    /// Groups keys by the server of their repository.
    pub(crate) async fn by_server<K: Copy>(
        &self,
        keys: &[K],
        repository: impl Fn(&K) -> RepositoryId,
    ) -> Vec<(&dyn GraphDatabase, Vec<K>)> {
        let mut by_repository: BTreeMap<RepositoryId, Vec<K>> = BTreeMap::new();
        for key in keys {
            by_repository.entry(repository(key)).or_default().push(*key);
        }
        let homes = self.homes().await;
        let mut parts: BTreeMap<usize, Vec<K>> = BTreeMap::new();
        for (repository, keys) in by_repository {
            let home = homes.server(repository);
            let Some(home) = home.or_else(|| home_by_name(self.servers, repository)) else {
                continue;
            };
            parts.entry(home).or_default().extend(keys);
        }
        let part = |(home, keys): (usize, Vec<K>)| Some((self.servers.get(home)?.as_ref(), keys));
        parts.into_iter().filter_map(part).collect()
    }

    /// Merges the answers of servers, without those of servers that do not answer.
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
