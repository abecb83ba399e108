//! What is published of a repository: its graph at one commit, in rows that every database stores alike.

use std::fmt;

use retriever_graph::{Edge, Graph, Node};

/// The key of a repository: a hash of its name, so that every program and every server gives it the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepositoryId(pub i64);

impl RepositoryId {
    /// Returns the key of the repository called `name`.
    pub fn of(name: &str) -> Self {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&blake3::hash(name.as_bytes()).as_bytes()[..8]);
        Self(i64::from_be_bytes(bytes))
    }
}

impl fmt::Display for RepositoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A repository's graph at one commit.
#[derive(Clone, Debug, Default)]
pub struct RepositorySnapshot {
    /// The repository's name, such as `github.com/acme/store`. Who publishes the same name replaces what is there.
    pub repository: String,
    /// The commit that the graph was made from; empty when it is not known.
    pub commit: String,
    /// Paths of source files; nodes refer to them by their place.
    pub files: Vec<String>,
    /// The file of each node.
    pub file_of: Vec<u32>,
    /// The nodes, in the order of their numbers.
    pub nodes: Vec<Node>,
    /// The edges; their ends are places among the nodes.
    pub edges: Vec<Edge>,
}

impl RepositorySnapshot {
    /// Copies everything that `graph` holds.
    pub fn new(repository: impl Into<String>, commit: impl Into<String>, graph: &Graph) -> Self {
        let mut snapshot = Self {
            repository: repository.into(),
            commit: commit.into(),
            nodes: graph.nodes().cloned().collect(),
            edges: graph.edges().copied().collect(),
            ..Self::default()
        };
        for (place, (path, nodes)) in (0..).zip(graph.files()) {
            snapshot.files.push(path.to_owned());
            snapshot.file_of.extend(nodes.map(|_| place));
        }
        snapshot
    }

    /// The key of the repository.
    pub fn id(&self) -> RepositoryId {
        RepositoryId::of(&self.repository)
    }
}
