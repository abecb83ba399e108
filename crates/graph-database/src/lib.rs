//! Code graphs of many repositories on database servers, and questions across them.
//!
//! CI publishes the graph of a repository as a [`RepositorySnapshot`]; [`GraphDatabaseServers`] answers questions about
//! all that was published. A server is reached through [`GraphDatabase`], which has one implementation for each kind of
//! database. It only stores and looks up; what a question means is decided in one place, in `cross_repository_queries`.

mod arangodb;
mod cross_repository_queries;
mod graph_database;
mod packages;
mod postgres;
mod query_all_servers;
mod repository_locations;
mod repository_sharding;
mod repository_snapshot;

pub use self::{
    arangodb::ArangoDatabase,
    cross_repository_queries::{
        CallTraceStep, CrossRepositoryLookup, CrossRepositoryRelatedNode,
        CrossRepositoryRelatedNodesPage, CrossRepositoryTrace, PageRange,
    },
    graph_database::{
        CrossRepositoryEvidence, DatabaseError, DatabaseFuture, EdgeDirection, GraphDatabase,
        NameFilter, NameMatches, NodeKey, PublishedRepository, RepositoryScope, SnapshotKey,
        StoredEdge, StoredExternalUse, StoredNode, StoredPackage,
    },
    packages::{Ecosystem, PackageMention, is_manifest_path, packages_of},
    postgres::PostgresDatabase,
    query_all_servers::{DatabaseQuery, UnreachableServer},
    repository_sharding::GraphDatabaseServers,
    repository_snapshot::{RepositoryId, RepositorySnapshot},
};
