//! Code graphs of many repositories on database servers, and questions across them.
//!
//! CI publishes the graph of a repository as a [`RepositorySnapshot`]; [`GraphDatabaseServers`] answers questions about
//! all that was published. A server is reached through [`GraphDatabase`], which has one implementation for each kind of
//! database. It only stores and looks up; what a question means is decided in one place, in `cross_repository_queries`.

mod arangodb;
mod cross_repository_queries;
mod database_query;
mod database_servers;
mod graph_database;
mod packages;
mod postgres;
mod repository_homes;
mod repository_snapshot;

pub use self::{
    arangodb::ArangoDatabase,
    cross_repository_queries::{
        CallTraceStep, CrossRepositoryLookup, CrossRepositoryRelatedNode,
        CrossRepositoryRelatedNodesPage, CrossRepositoryTrace, PageRange,
    },
    database_query::{DatabaseQuery, UnreachableServer},
    database_servers::GraphDatabaseServers,
    graph_database::{
        CrossRepositoryEvidence, DatabaseError, DatabaseFuture, EdgeDirection, GraphDatabase,
        NameFilter, NameMatches, NodeKey, PublishedRepository, RepositoryScope, SnapshotKey,
        StoredEdge, StoredExternalUse, StoredNode, StoredPackage,
    },
    packages::{Ecosystem, PackageMention, is_manifest_path, packages_of},
    postgres::PostgresDatabase,
    repository_snapshot::{RepositoryId, RepositorySnapshot},
};
