//! What a database does for graphs: it keeps snapshots and looks up nodes and edges by key. Each call is one request to one
//! server, or a few at once; nothing here follows relations.

use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;
use retriever_graph::{EdgeKind, EdgeResolution, NodeKind};

use crate::{
    packages::{Ecosystem, PackageMention},
    repository_snapshot::{RepositoryId, RepositorySnapshot},
};

/// The future of a server's answer.
pub type DatabaseFuture<'a, T> = BoxFuture<'a, Result<T, DatabaseError>>;

/// A server that keeps the graphs of repositories.
///
/// Readers see a repository as it was published, whole: a key names one publication, and what a newer one replaces can be
/// read until the one after that.
pub trait GraphDatabase: Send + Sync {
    /// Returns where the server is, without user and password.
    fn address(&self) -> &str;

    /// Stores a snapshot and then makes it visible to questions as a whole.
    fn publish<'a>(&'a self, snapshot: &'a RepositorySnapshot) -> DatabaseFuture<'a, SnapshotKey>;

    /// Returns what is published, by name.
    fn repositories(&self) -> DatabaseFuture<'_, Vec<PublishedRepository>>;

    /// Returns at most `limit` nodes.
    fn named<'a>(
        &'a self,
        scope: &'a RepositoryScope,
        wanted: NameFilter<'a>,
        limit: u32,
    ) -> DatabaseFuture<'a, Vec<StoredNode>>;

    /// Returns at most `limit` names that hold every word: those that are one of the words first, then the shortest.
    fn names<'a>(
        &'a self,
        scope: &'a RepositoryScope,
        words: &'a [String],
        limit: u32,
    ) -> DatabaseFuture<'a, NameMatches>;

    /// Returns the nodes of these keys, in any order.
    fn nodes<'a>(&'a self, keys: &'a [NodeKey]) -> DatabaseFuture<'a, Vec<StoredNode>>;

    /// Returns the edges of some kinds that start or end at one of these nodes, in any order.
    fn edges<'a>(
        &'a self,
        ends: &'a [NodeKey],
        direction: EdgeDirection,
        kinds: &'a [EdgeKind],
    ) -> DatabaseFuture<'a, Vec<StoredEdge>>;

    /// Returns what the manifests of these publications publish and require.
    fn packages_of<'a>(
        &'a self,
        snapshots: &'a [SnapshotKey],
    ) -> DatabaseFuture<'a, Vec<StoredPackage>>;

    /// Returns the newest publications that publish or require one of these packages.
    fn packages_named<'a>(
        &'a self,
        scope: &'a RepositoryScope,
        names: &'a [(Ecosystem, String)],
    ) -> DatabaseFuture<'a, Vec<StoredPackage>>;

    /// Returns the uses of imports whose last name is one of these.
    fn uses_of<'a>(
        &'a self,
        snapshots: &'a [SnapshotKey],
        names: &'a [String],
    ) -> DatabaseFuture<'a, Vec<StoredExternalUse>>;

    /// Returns the uses of imports in these nodes.
    fn uses_at<'a>(&'a self, nodes: &'a [NodeKey]) -> DatabaseFuture<'a, Vec<StoredExternalUse>>;

    /// Removes repositories that were not published for `keep`, by the clock of the server. Returns how many.
    fn prune(&self, keep: Duration) -> DatabaseFuture<'_, u64>;
}

/// One publication of one repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotKey {
    /// The repository.
    pub repository: RepositoryId,
    /// Counts the publications of the repository.
    pub number: i32,
}

/// A node of one publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeKey {
    /// The publication.
    pub snapshot: SnapshotKey,
    /// The node's number there. Numbers have the order of paths and lines.
    pub node: u32,
}

/// A repository that questions can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedRepository {
    /// Its name.
    pub name: String,
    /// The commit, when it is known.
    pub commit: String,
    /// How many nodes its graph has.
    pub nodes: u64,
    /// How many edges its graph has.
    pub edges: u64,
    /// When it was published, by the clock of the server.
    pub published: SystemTime,
}

/// A node as a database keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredNode {
    /// Its key.
    pub key: NodeKey,
    /// The repository's name.
    pub repository: String,
    /// What it is.
    pub kind: NodeKind,
    /// Its own name.
    pub name: String,
    /// Its full name.
    pub qname: String,
    /// The file, below the root of its repository.
    pub path: String,
    /// First line, from 1.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// The line that names it.
    pub name_line: u32,
    /// Its heading on one line.
    pub signature: String,
    /// Declared without a body.
    pub is_declaration: bool,
    /// Belongs to a type.
    pub is_member: bool,
    /// Not visible outside its type or module.
    pub is_private: bool,
}

/// A package that a manifest of a repository names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPackage {
    /// The publication of the repository.
    pub snapshot: SnapshotKey,
    /// What the manifest says.
    pub mention: PackageMention,
}

impl StoredPackage {
    /// Returns what all mentions of the package share.
    pub(crate) fn name(&self) -> (Ecosystem, String) {
        (self.mention.ecosystem, self.mention.name.clone())
    }
}

/// Why an edge leads into another repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CrossRepositoryEvidence {
    /// Where the package is published.
    pub ecosystem: Ecosystem,
    /// Its name.
    pub package: String,
    /// The versions that the user requires.
    pub requires: String,
}

/// A use of something that an import brings from outside its repository, as far as the repository knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredExternalUse {
    /// The node that it stands in.
    pub from: NodeKey,
    /// What that is.
    pub from_kind: NodeKind,
    /// The relation that the use is.
    pub kind: EdgeKind,
    /// The line, in the file of `from`.
    pub line: u32,
    /// Where packages of the file's language are published.
    pub ecosystem: Ecosystem,
    /// The module as the import writes it; empty where a name stands for itself.
    pub module: Vec<String>,
    /// The names behind it.
    pub names: Vec<String>,
    /// Whether the last name is a member of a value.
    pub is_of_value: bool,
}

impl StoredExternalUse {
    /// Whether it says under which name a package offers `from`, see
    /// [`RepositorySnapshot::add_exports`].
    pub(crate) fn is_export(&self) -> bool {
        self.kind == EdgeKind::Imports
    }
}

/// An edge as a database keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredEdge {
    /// From here.
    pub from: NodeKey,
    /// What that is.
    pub from_kind: NodeKind,
    /// The kind of the edge.
    pub kind: EdgeKind,
    /// To there.
    pub to: NodeKey,
    /// What that is.
    pub to_kind: NodeKind,
    /// The line that makes it, in the file of `from`.
    pub line: u32,
    /// How sure it is.
    pub resolution: EdgeResolution,
}

/// Names that hold the words of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameMatches {
    /// Names in lower case, best first.
    pub folded: Vec<String>,
    /// How many nodes have any such name, also one that is not listed.
    pub total: u64,
}

/// Which of the nodes with a name are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameFilter<'a> {
    /// Their names, in lower case.
    pub folded: &'a [String],
    /// Their kind; any when there is none.
    pub kind: Option<NodeKind>,
    /// A part of `repository:path`.
    pub place: Option<&'a str>,
}

/// The repositories that a question is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RepositoryScope {
    /// All that are published.
    #[default]
    All,
    /// These.
    Only(Vec<RepositoryId>),
    /// All but these.
    Except(Vec<RepositoryId>),
}

/// Which end of an edge is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeDirection {
    /// The edge starts there.
    Outgoing,
    /// The edge ends there.
    Incoming,
}

/// Why a server gave no answer. No message holds a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseError {
    /// The address can't be used.
    #[error("the address of the graph database can't be used: {0}")]
    Address(String),
    /// The server can't be reached, or the connection was lost.
    #[error("the graph database {server} can't be reached: {reason}")]
    Unreachable {
        /// Its address.
        server: String,
        /// What went wrong.
        reason: String,
    },
    /// The server refused or failed.
    #[error("the graph database {server} failed: {reason}")]
    Failed {
        /// Its address.
        server: String,
        /// What went wrong.
        reason: String,
    },
}

/// The numbers of nodes by publication.
pub(crate) fn by_snapshot(keys: &[NodeKey]) -> Vec<(SnapshotKey, Vec<i32>)> {
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    let snapshots = sorted.chunk_by(|a, b| a.snapshot == b.snapshot);
    let numbers = |nodes: &[NodeKey]| {
        let numbers = nodes.iter().filter_map(|key| i32::try_from(key.node).ok());
        Some((nodes.first()?.snapshot, numbers.collect()))
    };
    snapshots.filter_map(numbers).collect()
}
