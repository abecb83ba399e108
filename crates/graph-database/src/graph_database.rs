//! The interface of a database of graphs: it stores snapshots and looks up nodes and edges by key. Each call is one
//! request to one server, or a few at once; no call follows relations.

use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;
use retriever_graph::{EdgeKind, EdgeResolution, NodeKind};

use crate::{
    packages::{Ecosystem, PackageMention},
    repository_snapshot::{RepositoryId, RepositorySnapshot},
};

/// The future of a server's answer.
pub type DatabaseFuture<'a, T> = BoxFuture<'a, Result<T, DatabaseError>>;

/// A server that stores the graphs of repositories.
///
/// A question sees one publication of a repository as a whole. A publication can be read until the second one after it.
pub trait GraphDatabase: Send + Sync {
    /// Returns the server's address, without user and password.
    fn address(&self) -> &str;

    /// Stores a snapshot, and then makes it visible to questions at once.
    fn publish<'a>(&'a self, snapshot: &'a RepositorySnapshot) -> DatabaseFuture<'a, SnapshotKey>;

    /// Returns the published repositories, by name.
    fn repositories(&self) -> DatabaseFuture<'_, Vec<PublishedRepository>>;

    /// Returns at most `limit` nodes.
    fn named<'a>(
        &'a self,
        scope: &'a RepositoryScope,
        wanted: NameFilter<'a>,
        limit: u32,
    ) -> DatabaseFuture<'a, Vec<StoredNode>>;

    /// Returns at most `limit` names that contain every word: names that are one of the words first, then the shortest.
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

    /// Returns the packages that the manifests of these publications publish and require.
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

    /// Removes repositories that were not published for `keep`, by the clock of the server. Returns their number.
    fn prune(&self, keep: Duration) -> DatabaseFuture<'_, u64>;
}

/// One publication of one repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotKey {
    /// The repository.
    pub repository: RepositoryId,
    /// Number of the publication within its repository.
    pub number: i32,
}

/// A node of one publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeKey {
    /// The publication.
    pub snapshot: SnapshotKey,
    /// The node's number within the publication. Numbers are ordered by path and line.
    pub node: u32,
}

/// A repository that questions can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedRepository {
    /// Its name.
    pub name: String,
    /// The commit; empty if it is not known.
    pub commit: String,
    /// Number of nodes of its graph.
    pub nodes: u64,
    /// Number of edges of its graph.
    pub edges: u64,
    /// Time of publication, by the clock of the server.
    pub published: SystemTime,
}

/// A node as a database stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredNode {
    /// Its key.
    pub key: NodeKey,
    /// The repository's name.
    pub repository: String,
    /// The kind.
    pub kind: NodeKind,
    /// The name.
    pub name: String,
    /// The qualified name.
    pub qname: String,
    /// The file, below the root of its repository.
    pub path: String,
    /// First line, from 1.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// The line of its name.
    pub name_line: u32,
    /// Its signature, on one line.
    pub signature: String,
    /// Whether it is declared without a body.
    pub is_declaration: bool,
    /// Whether it belongs to a type.
    pub is_member: bool,
    /// Whether it is not visible outside its type or module.
    pub is_private: bool,
}

/// A package that a manifest of a repository names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPackage {
    /// The publication of the repository.
    pub snapshot: SnapshotKey,
    /// The mention in the manifest.
    pub mention: PackageMention,
}

impl StoredPackage {
    /// Returns the key that all mentions of the package share.
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

/// A use of something that an import brings from outside of its repository, before resolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredExternalUse {
    /// The node with the use.
    pub from: NodeKey,
    /// The kind of that node.
    pub from_kind: NodeKind,
    /// The relation of the use.
    pub kind: EdgeKind,
    /// The line, in the file of `from`.
    pub line: u32,
    /// Where packages of the file's language are published.
    pub ecosystem: Ecosystem,
    /// The module as the import writes it; empty for a name without a module.
    pub module: Vec<String>,
    /// The names after the module.
    pub names: Vec<String>,
    /// Whether the last name is a member of a value.
    pub is_of_value: bool,
    /// The labels of a call's arguments, `_` where they have none; `None` for uses that are no calls.
    pub arguments: Option<Vec<String>>,
}

impl StoredExternalUse {
    /// Whether it records the name under which a package exports `from`, see [`RepositorySnapshot::add_exports`].
    pub(crate) fn is_export(&self) -> bool {
        self.kind == EdgeKind::Imports
    }
}

/// An edge as a database stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredEdge {
    /// The start of the edge.
    pub from: NodeKey,
    /// The kind of its start.
    pub from_kind: NodeKind,
    /// The kind of the edge.
    pub kind: EdgeKind,
    /// The end of the edge.
    pub to: NodeKey,
    /// The kind of its end.
    pub to_kind: NodeKind,
    /// The line of the relation, in the file of `from`.
    pub line: u32,
    /// The certainty.
    pub resolution: EdgeResolution,
}

/// The names that contain the words of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameMatches {
    /// Names in lower case, best first.
    pub folded: Vec<String>,
    /// Number of nodes with any such name, including names that are not listed.
    pub total: u64,
}

/// A filter on nodes by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameFilter<'a> {
    /// Their names, in lower case.
    pub folded: &'a [String],
    /// Their kind; `None` for any.
    pub kind: Option<NodeKind>,
    /// A part of `repository:path`.
    pub place: Option<&'a str>,
}

/// The repositories of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RepositoryScope {
    /// All published ones.
    #[default]
    All,
    /// These.
    Only(Vec<RepositoryId>),
    /// All but these.
    Except(Vec<RepositoryId>),
}

/// The end of an edge that is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeDirection {
    /// The edge starts there.
    Outgoing,
    /// The edge ends there.
    Incoming,
}

/// Why a server gave no answer. No message contains a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseError {
    /// The address is not valid.
    #[error("the address of the graph database can't be used: {0}")]
    Address(String),
    /// The server can't be reached, or the connection was lost.
    #[error("the graph database {server} can't be reached: {reason}")]
    Unreachable {
        /// Its address.
        server: String,
        /// The reason.
        reason: String,
    },
    /// The server returned an error.
    #[error("the graph database {server} failed: {reason}")]
    Failed {
        /// Its address.
        server: String,
        /// The reason.
        reason: String,
    },
}

/// Rows of one answer of a server: more than a question follows.
pub(crate) const MAX_ROWS: usize = 500_000;

/// Returns the numbers of nodes by publication.
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
