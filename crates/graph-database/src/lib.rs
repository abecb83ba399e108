//! Code graphs of many repositories on database servers, and questions across them.
//!
//! CI publishes the graph of a repository as a [`RepositorySnapshot`]; [`GraphServers`] answers questions about all that was
//! published. A server is reached through [`GraphDatabase`], which has one implementation for each kind of database. It only
//! stores and looks up; what a question means is decided in one place, in `questions`.

mod arangodb;
mod database;
mod packages;
mod postgres;
mod questions;
mod servers;
mod snapshot;

pub use self::{
    arangodb::ArangoDatabase,
    database::{
        DatabaseError, Direction, GraphDatabase, NameFilter, NameMatches, NodeKey, PackageEvidence,
        PublishedRepository, Reply, Scope, SnapshotKey, StoredEdge, StoredNode, StoredPackage,
        StoredUse,
    },
    packages::{Ecosystem, PackageMention, is_manifest_path, packages_of},
    postgres::PostgresDatabase,
    questions::{EverywhereLookup, EverywhereTrace, FoundNode, FoundPage, PageRange, TraceStep},
    servers::{GraphServers, LostServer, Question},
    snapshot::{RepositoryId, RepositorySnapshot},
};
