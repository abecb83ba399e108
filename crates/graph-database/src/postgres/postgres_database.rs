//! The database: connections and statements, and conversion of results.

use super::kind_codes::UnknownKindCode;
use super::row_decoding::{stored_edge, stored_node, stored_package, stored_use, whole};
use super::{copy_rows, kind_codes, postgres_tables, sql_queries};
use crate::{
    graph_database::{
        DatabaseError, DatabaseFuture, EdgeDirection, GraphDatabase, MAX_ROWS, NameFilter,
        NameMatches, NodeKey, PublishedRepository, RepositoryScope, SnapshotKey, StoredEdge,
        StoredExternalUse, StoredNode, StoredPackage, by_snapshot,
    },
    packages::Ecosystem,
    repository_snapshot::RepositorySnapshot,
};
use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, TimeoutType, Timeouts,
};
use futures::{FutureExt, future::try_join_all};
use retriever_graph::EdgeKind;
use retriever_workspace::is_loopback_host;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::time::timeout;
use tokio_postgres::{
    Config, NoTls, Row,
    config::{Host, SslMode},
    error::SqlState,
    types::ToSql,
};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Most connections of the pool.
const MAX_CONNECTIONS: usize = 8;

/// Longest wait for a connection, unless the address has another limit.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Longest wait for a free connection of the pool.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(30);

/// Time for which a server that did not answer is not asked again.
const SILENCE: Duration = Duration::from_secs(30);

/// Time limit of a statement of a question. Publications have none.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Most queries that one request sends at once.
const MAX_PIPELINED: usize = 32;

/// A PostgreSQL server.
pub struct PostgresDatabase {
    pool: Pool,
    address: String,
    /// `None` if connections are not encrypted.
    tls: Option<MakeRustlsConnect>,
    /// Time of the last connection that failed by timeout.
    silent: Mutex<Option<Instant>>,
}

impl PostgresDatabase {
    /// Returns the server at `url`: `postgres://user:password@host:port/database`. It is not contacted yet. Connections to
    /// other machines are encrypted unless `sslmode=disable` is in the URL.
    ///
    /// # Errors
    ///
    /// [`DatabaseError::Address`] when it is not such a URL. The message does not repeat the URL.
    pub fn new(url: &str) -> Result<Self, DatabaseError> {
        // The parser's messages contain names of options, never values.
        let mut config: Config = url
            .parse()
            .map_err(|error: tokio_postgres::Error| DatabaseError::Address(error.to_string()))?;
        // The connection goes to the host's address if there is one, whatever the name of the host is.
        let is_local = config.get_hosts().iter().all(is_local)
            && config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback);
        if config.get_ssl_mode() == SslMode::Prefer && !is_local {
            config.ssl_mode(SslMode::Require);
        }
        let connect = config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT);
        config.connect_timeout(connect);
        config.application_name("retriever").tcp_user_timeout(ANSWER_TIMEOUT);
        let address = address(&config);
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let is_encrypted = config.get_ssl_mode() == SslMode::Require;
        let tls = is_encrypted.then(tls).transpose();
        let tls = tls.map_err(|error| DatabaseError::Address(error.to_string()))?;
        let manager = match tls.clone() {
            Some(tls) => Manager::from_config(config, tls, recycling),
            None => Manager::from_config(config, NoTls, recycling),
        };
        // A server that accepts a connection and sends nothing counts as unreachable.
        let (wait, create) = (Some(QUEUE_TIMEOUT), Some(connect));
        let timeouts = Timeouts { wait, create, ..Timeouts::default() };
        let pool = Pool::builder(manager)
            .max_size(MAX_CONNECTIONS)
            .runtime(deadpool_postgres::Runtime::Tokio1)
            .timeouts(timeouts);
        let pool = pool.build().map_err(|error| DatabaseError::Address(error.to_string()))?;
        Ok(Self { pool, address, tls, silent: Mutex::default() })
    }

    /// Returns a connection. After a timeout, later calls fail at once for a while instead of waiting again.
    async fn client(&self) -> Result<Object, DatabaseError> {
        let silent = || self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        if silent().is_some_and(|since| since.elapsed() < SILENCE) {
            return Err(self.unreachable(format!(
                "it accepted no connection a moment ago; the next attempt is in {} s",
                SILENCE.as_secs()
            )));
        }
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => self.failed(&error),
            PoolError::Timeout(TimeoutType::Create) => {
                *silent() = Some(Instant::now());
                self.unreachable("it accepts no connection: there was no answer in time".to_owned())
            }
            other => self.unreachable(other.to_string()),
        })
    }

    fn unreachable(&self, reason: String) -> DatabaseError {
        DatabaseError::Unreachable { server: self.address.clone(), reason }
    }

    /// Returns the error of the server or of the connection.
    fn failed(&self, error: &tokio_postgres::Error) -> DatabaseError {
        match error.as_db_error() {
            Some(error) => DatabaseError::Failed {
                server: self.address.clone(),
                reason: error.message().to_owned(),
            },
            None => {
                let cause = std::error::Error::source(error);
                let reason = cause.map_or_else(|| error.to_string(), ToString::to_string);
                match cause.is_some_and(|cause| cause.is::<UnknownKindCode>()) {
                    true => DatabaseError::Failed { server: self.address.clone(), reason },
                    false => self.unreachable(reason),
                }
            }
        }
    }

    /// Cancels the running statement of a connection. A setting of the connection would need no second connection, but
    /// a pooler may pass the setting on to another client.
    async fn cancel(&self, client: &Object) {
        let token = client.cancel_token();
        let cancel = async {
            match self.tls.clone() {
                Some(tls) => token.cancel_query(tls).await,
                None => token.cancel_query(NoTls).await,
            }
        };
        // If the server cannot be reached, it finishes the statement, and the result is dropped.
        let _ = timeout(CONNECT_TIMEOUT, cancel).await;
    }

    /// Runs a query. A server without publications has no rows.
    async fn rows(
        &self,
        client: &Object,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, DatabaseError> {
        let query = async {
            let statement = client.prepare_cached(sql).await?;
            client.query(&statement, parameters).await
        };
        match timeout(ANSWER_TIMEOUT, query).await {
            Ok(Err(error)) if is_unpublished(&error) => Ok(Vec::new()),
            Ok(Ok(rows)) if rows.len() > MAX_ROWS => Err(DatabaseError::Failed {
                server: self.address.clone(),
                reason: format!("its answer has more than {MAX_ROWS} rows"),
            }),
            Ok(rows) => rows.map_err(|error| self.failed(&error)),
            Err(_) => {
                self.cancel(client).await;
                let reason = format!("no answer within {} seconds", ANSWER_TIMEOUT.as_secs());
                Err(DatabaseError::Failed { server: self.address.clone(), reason })
            }
        }
    }

    async fn nodes_where(
        &self,
        condition: &sql_queries::NodeRowFilter,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<StoredNode>, DatabaseError> {
        let client = self.client().await?;
        let rows = self.rows(&client, &sql_queries::select_nodes(condition), parameters).await?;
        rows.iter().map(stored_node).collect::<Result<_, _>>().map_err(|error| self.failed(&error))
    }

    async fn packages(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<StoredPackage>, DatabaseError> {
        let client = self.client().await?;
        let rows = self.rows(&client, sql, parameters).await?;
        let found: Result<_, _> = rows.iter().map(stored_package).collect();
        found.map_err(|error| self.failed(&error))
    }

    /// Returns the uses in publications with one of some values in a column.
    async fn uses<V: ToSql + Sync>(
        &self,
        column: &str,
        parts: &[(SnapshotKey, V)],
    ) -> Result<Vec<StoredExternalUse>, DatabaseError> {
        let sql = sql_queries::select_uses(column);
        let client = &self.client().await?;
        let of = async |(snapshot, wanted): &(SnapshotKey, V)| {
            let SnapshotKey { repository, number } = *snapshot;
            let rows = self.rows(client, &sql, &[&repository.0, &number, wanted]).await?;
            let found: Result<Vec<_>, _> =
                rows.iter().map(|row| stored_use(*snapshot, row)).collect();
            found.map_err(|error| self.failed(&error))
        };
        let mut found = Vec::new();
        for part in parts.chunks(MAX_PIPELINED) {
            found.extend(try_join_all(part.iter().map(of)).await?.into_iter().flatten());
        }
        Ok(found)
    }

    async fn edges_of(
        &self,
        client: &Object,
        snapshot: SnapshotKey,
        nodes: Vec<i32>,
        direction: EdgeDirection,
        kinds: &[i16],
    ) -> Result<Vec<StoredEdge>, DatabaseError> {
        let sql = sql_queries::select_edges(direction);
        let SnapshotKey { repository, number } = snapshot;
        let rows = self.rows(client, &sql, &[&repository.0, &number, &nodes, &kinds]).await?;
        rows.iter()
            .map(|row| stored_edge(snapshot, row))
            .collect::<Result<_, _>>()
            .map_err(|error| self.failed(&error))
    }
}

impl GraphDatabase for PostgresDatabase {
    fn address(&self) -> &str {
        &self.address
    }

    fn publish<'a>(&'a self, snapshot: &'a RepositorySnapshot) -> DatabaseFuture<'a, SnapshotKey> {
        async move {
            let mut client = self.client().await?;
            postgres_tables::create(&mut client).await.map_err(|error| self.failed(&error))?;
            copy_rows::publish(&mut client, snapshot).await.map_err(|error| self.failed(&error))
        }
        .boxed()
    }

    fn repositories(&self) -> DatabaseFuture<'_, Vec<PublishedRepository>> {
        async move {
            let client = self.client().await?;
            let rows = self.rows(&client, &sql_queries::select_repositories(), &[]).await?;
            let read = |row: &Row| {
                Ok(PublishedRepository {
                    name: row.try_get("name")?,
                    commit: row.try_get("commit")?,
                    nodes: whole(row, "nodes")?,
                    edges: whole(row, "edges")?,
                    published: row.try_get("published")?,
                })
            };
            let found: Result<_, tokio_postgres::Error> = rows.iter().map(read).collect();
            found.map_err(|error| self.failed(&error))
        }
        .boxed()
    }

    fn named<'a>(
        &'a self,
        scope: &'a RepositoryScope,
        NameFilter { folded, kind, place }: NameFilter<'a>,
        limit: u32,
    ) -> DatabaseFuture<'a, Vec<StoredNode>> {
        async move {
            let (kind, place) = (kind.map(kind_codes::of), place.unwrap_or_default());
            let limit = i64::from(limit);
            let repositories = repositories_of(scope);
            let mut values: Vec<&(dyn ToSql + Sync)> = vec![&folded, &kind, &place, &limit];
            values.extend(repositories.iter().map(|it| it as &(dyn ToSql + Sync)));
            self.nodes_where(&sql_queries::named(scope), &values).await
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
            let client = self.client().await?;
            let repositories = repositories_of(scope);
            let patterns: Vec<String> = words.iter().map(|word| containing(word)).collect();
            let limit = i64::from(limit);
            let longest = patterns.iter().max_by_key(|pattern| pattern.chars().count());
            let longest = longest.map_or("%", String::as_str);
            let mut values: Vec<&(dyn ToSql + Sync)> = vec![&patterns, &words, &limit, &longest];
            values.extend(repositories.iter().map(|it| it as &(dyn ToSql + Sync)));
            let rows = self.rows(&client, &sql_queries::select_names(scope), &values).await?;
            let folded: Result<_, _> = rows.iter().map(|row| row.try_get("folded")).collect();
            let total = rows.first().map_or(Ok(0), |row| whole(row, "total"));
            let matches = total.and_then(|total| Ok(NameMatches { folded: folded?, total }));
            matches.map_err(|error| self.failed(&error))
        }
        .boxed()
    }

    fn nodes<'a>(&'a self, keys: &'a [NodeKey]) -> DatabaseFuture<'a, Vec<StoredNode>> {
        async move {
            let mut found = Vec::with_capacity(keys.len());
            for part in by_snapshot(keys).chunks(MAX_PIPELINED) {
                let nodes = part.iter().map(|(snapshot, nodes)| async move {
                    let SnapshotKey { repository, number } = snapshot;
                    self.nodes_where(&sql_queries::NUMBERED, &[&repository.0, number, nodes]).await
                });
                found.extend(try_join_all(nodes).await?.into_iter().flatten());
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
            if ends.is_empty() {
                return Ok(Vec::new());
            }
            let kinds: Vec<i16> = kinds.iter().map(|kind| kind_codes::of(*kind)).collect();
            let client = self.client().await?;
            let mut found = Vec::new();
            for part in by_snapshot(ends).chunks(MAX_PIPELINED) {
                let edges = part.iter().map(|(snapshot, nodes)| {
                    self.edges_of(&client, *snapshot, nodes.clone(), direction, &kinds)
                });
                found.extend(try_join_all(edges).await?.into_iter().flatten());
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
            let of = snapshots.iter().map(|snapshot| (snapshot.repository.0, snapshot.number));
            let (repositories, numbers): (Vec<i64>, Vec<i32>) = of.unzip();
            self.packages(&sql_queries::select_packages_of(), &[&repositories, &numbers]).await
        }
        .boxed()
    }

    fn packages_named<'a>(
        &'a self,
        scope: &'a RepositoryScope,
        names: &'a [(Ecosystem, String)],
    ) -> DatabaseFuture<'a, Vec<StoredPackage>> {
        async move {
            let only: Vec<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
            let repositories = repositories_of(scope);
            let mut values: Vec<&(dyn ToSql + Sync)> = vec![&only];
            values.extend(repositories.iter().map(|it| it as &(dyn ToSql + Sync)));
            let mut found =
                self.packages(&sql_queries::select_packages_named(scope), &values).await?;
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
            let parts: Vec<_> = snapshots.iter().map(|snapshot| (*snapshot, names)).collect();
            self.uses("name", &parts).await
        }
        .boxed()
    }

    fn uses_at<'a>(&'a self, nodes: &'a [NodeKey]) -> DatabaseFuture<'a, Vec<StoredExternalUse>> {
        async move { self.uses("from_node", &by_snapshot(nodes)).await }.boxed()
    }

    fn prune(&self, keep: Duration) -> DatabaseFuture<'_, u64> {
        async move {
            let mut client = self.client().await?;
            match copy_rows::prune(&mut client, keep).await {
                Err(error) if is_unpublished(&error) => Ok(0),
                removed => removed.map_err(|error| self.failed(&error)),
            }
        }
        .boxed()
    }
}

/// Returns encryption with the trust store of this machine.
fn tls() -> Result<MakeRustlsConnect, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(MakeRustlsConnect::new(versions.with_platform_verifier()?.with_no_client_auth()))
}

/// Whether the tables do not exist.
fn is_unpublished(error: &tokio_postgres::Error) -> bool {
    let code = error.code();
    code == Some(&SqlState::UNDEFINED_TABLE) || code == Some(&SqlState::INVALID_SCHEMA_NAME)
}

fn repositories_of(scope: &RepositoryScope) -> Option<Vec<i64>> {
    match scope {
        RepositoryScope::All => None,
        RepositoryScope::Only(repositories) | RepositoryScope::Except(repositories) => {
            Some(repositories.iter().map(|id| id.0).collect())
        }
    }
}

/// Returns a LIKE pattern for texts that contain `word`.
fn containing(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => is_loopback_host(name),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// Returns `postgres://host:port/database`; for a host without a name its IP address.
fn address(config: &Config) -> String {
    let hosts = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    });
    let mut hosts: Vec<String> = hosts.collect();
    if hosts.is_empty() {
        hosts = config.get_hostaddrs().iter().map(ToString::to_string).collect();
    }
    let port = config.get_ports().first().copied().unwrap_or(5432);
    format!("postgres://{}:{port}/{}", hosts.join(","), config.get_dbname().unwrap_or_default())
}
