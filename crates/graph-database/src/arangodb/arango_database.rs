//! The database: runs statements, and converts their results.

use super::{aql_queries, publish_documents};
use super::{
    arango_client::ArangoClient,
    arango_documents::{
        EdgeRow, ImportUseDocument, NodeRow, PackageDocument, PublicationDocument, key_of,
    },
    arango_server_address::ArangoServerAddress,
};
use crate::{
    graph_database::{
        DatabaseError, DatabaseFuture, EdgeDirection, GraphDatabase, NameFilter, NameMatches,
        NodeKey, PublishedRepository, RepositoryScope, SnapshotKey, StoredEdge, StoredExternalUse,
        StoredNode, StoredPackage, by_snapshot,
    },
    packages::Ecosystem,
    repository_snapshot::RepositorySnapshot,
};
use futures::FutureExt;
use retriever_graph::EdgeKind;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::time::{Duration, UNIX_EPOCH};

/// Most nodes in one statement.
const KEYS: usize = 2_000;

/// A database of an ArangoDB server, 3.11 or newer, or of a cluster of them.
pub struct ArangoDatabase {
    client: ArangoClient,
}

impl ArangoDatabase {
    /// Returns the server at `address`: `arangodb+https://user:password@host:port/database`. It is not contacted yet.
    /// `arangodb+http://` is for servers on this machine, and for others when the address ends with `?insecure=true`.
    ///
    /// # Errors
    ///
    /// [`DatabaseError::Address`] when it is not such an address. The message does not repeat it.
    pub fn new(address: &str) -> Result<Self, DatabaseError> {
        Ok(Self { client: ArangoClient::new(ArangoServerAddress::parse(address)?)? })
    }

    /// Runs a statement and returns its decoded rows.
    async fn found<R, T>(&self, statement: &str, values: Value) -> Result<Vec<T>, DatabaseError>
    where
        R: DeserializeOwned,
        T: From<R>,
    {
        let rows: Vec<R> = self.client.rows(statement, values).await?;
        Ok(rows.into_iter().map(T::from).collect())
    }
}

#[derive(Deserialize)]
struct RepositoryRow {
    name: String,
    commit: String,
    nodes: u64,
    edges: u64,
    /// Milliseconds since 1970.
    touched: u64,
}

#[derive(Deserialize)]
struct NamesRow {
    folded: Vec<String>,
    total: u64,
}

impl GraphDatabase for ArangoDatabase {
    fn address(&self) -> &str {
        self.client.shown()
    }

    fn publish<'a>(&'a self, snapshot: &'a RepositorySnapshot) -> DatabaseFuture<'a, SnapshotKey> {
        publish_documents::publish(&self.client, snapshot).boxed()
    }

    fn repositories(&self) -> DatabaseFuture<'_, Vec<PublishedRepository>> {
        async move { self.found::<RepositoryRow, _>(&aql_queries::repositories(), json!({})).await }
            .boxed()
    }

    fn named<'a>(
        &'a self,
        scope: &'a RepositoryScope,
        wanted: NameFilter<'a>,
        limit: u32,
    ) -> DatabaseFuture<'a, Vec<StoredNode>> {
        async move {
            let NameFilter { folded, kind, place } = wanted;
            let values = json!({
                "folded": folded, "kind": kind, "place": place.unwrap_or_default(), "only": only(scope),
                "except": except(scope), "limit": limit,
            });
            self.found::<NodeRow, _>(&aql_queries::named(), values).await
        }
        .boxed()
    }

    fn names<'a>(
        &'a self,
        scope: &'a RepositoryScope,
        words: &'a [String],
        limit: u32,
    ) -> DatabaseFuture<'a, NameMatches> {
        async move {
            let mut values = json!({
                "words": words, "only": only(scope), "except": except(scope), "limit": limit,
            });
            for (number, word) in words.iter().enumerate() {
                values[format!("word{number}")] = json!(word);
            }
            let rows: Vec<NamesRow> =
                self.client.rows(&aql_queries::names(words.len()), values).await?;
            let matches = rows.into_iter().next();
            Ok(matches
                .map(|NamesRow { folded, total }| NameMatches { folded, total })
                .unwrap_or_default())
        }
        .boxed()
    }

    fn nodes<'a>(&'a self, keys: &'a [NodeKey]) -> DatabaseFuture<'a, Vec<StoredNode>> {
        async move {
            let mut found = Vec::with_capacity(keys.len());
            for part in keys.chunks(KEYS) {
                let values = json!({ "keys": documents(part) });
                found.extend(self.found::<NodeRow, _>(&aql_queries::nodes(), values).await?);
            }
            Ok(found)
        }
        .boxed()
    }

    fn edges<'a>(
        &'a self,
        ends: &'a [NodeKey],
        direction: EdgeDirection,
        kinds: &'a [EdgeKind],
    ) -> DatabaseFuture<'a, Vec<StoredEdge>> {
        async move {
            let statement = aql_queries::edges(direction);
            let mut found = Vec::new();
            for part in ends.chunks(KEYS) {
                let values = json!({ "keys": documents(part), "kinds": kinds });
                found.extend(self.found::<EdgeRow, StoredEdge>(&statement, values).await?);
            }
            Ok(found)
        }
        .boxed()
    }

    fn packages_of<'a>(
        &'a self,
        snapshots: &'a [SnapshotKey],
    ) -> DatabaseFuture<'a, Vec<StoredPackage>> {
        async move {
            let values = json!({ "snapshots": publications(snapshots) });
            self.found::<PackageDocument, _>(&aql_queries::packages_of(), values).await
        }
        .boxed()
    }

    fn packages_named<'a>(
        &'a self,
        scope: &'a RepositoryScope,
        names: &'a [(Ecosystem, String)],
    ) -> DatabaseFuture<'a, Vec<StoredPackage>> {
        async move {
            let names_of: Vec<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
            let values = json!({ "names": names_of, "only": only(scope), "except": except(scope) });
            let mut found: Vec<StoredPackage> =
                self.found::<PackageDocument, _>(&aql_queries::packages_named(), values).await?;
            found.retain(|package| names.contains(&package.name()));
            Ok(found)
        }
        .boxed()
    }

    fn uses_of<'a>(
        &'a self,
        snapshots: &'a [SnapshotKey],
        names: &'a [String],
    ) -> DatabaseFuture<'a, Vec<StoredExternalUse>> {
        async move {
            let values = json!({ "snapshots": publications(snapshots), "names": names });
            self.found::<ImportUseDocument, _>(&aql_queries::uses_of(), values).await
        }
        .boxed()
    }

    fn uses_at<'a>(&'a self, nodes: &'a [NodeKey]) -> DatabaseFuture<'a, Vec<StoredExternalUse>> {
        async move {
            let part = |(snapshot, nodes)| {
                let mut part = json!(PublicationDocument::of(snapshot));
                part["nodes"] = json!(nodes);
                part
            };
            let parts: Vec<Value> = by_snapshot(nodes).into_iter().map(part).collect();
            self.found::<ImportUseDocument, _>(&aql_queries::uses_at(), json!({ "parts": parts }))
                .await
        }
        .boxed()
    }

    fn prune(&self, keep: Duration) -> DatabaseFuture<'_, u64> {
        publish_documents::prune(&self.client, keep).boxed()
    }
}

impl From<RepositoryRow> for PublishedRepository {
    fn from(RepositoryRow { name, commit, nodes, edges, touched }: RepositoryRow) -> Self {
        let published = UNIX_EPOCH + Duration::from_millis(touched);
        Self { name, commit, nodes, edges, published }
    }
}

/// Returns the repositories that a scope is limited to; null for all.
pub(super) fn only(scope: &RepositoryScope) -> Option<Vec<String>> {
    match scope {
        RepositoryScope::All | RepositoryScope::Except(_) => None,
        RepositoryScope::Only(repositories) => {
            Some(repositories.iter().map(ToString::to_string).collect())
        }
    }
}

/// Returns the repositories that a scope excludes.
fn except(scope: &RepositoryScope) -> Vec<String> {
    match scope {
        RepositoryScope::All | RepositoryScope::Only(_) => Vec::new(),
        RepositoryScope::Except(repositories) => {
            repositories.iter().map(ToString::to_string).collect()
        }
    }
}

/// Returns the document keys of nodes.
pub(super) fn documents(nodes: &[NodeKey]) -> Vec<String> {
    nodes.iter().map(|node| key_of(*node)).collect()
}

pub(super) fn publications(snapshots: &[SnapshotKey]) -> Vec<PublicationDocument> {
    snapshots.iter().map(|snapshot| PublicationDocument::of(*snapshot)).collect()
}
