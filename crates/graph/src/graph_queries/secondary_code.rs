//! Which definitions stand beside the code that people work on: tests and what supports them, examples, documentation, generated
//! and copied files.

use retriever_workspace::RepoPath;

use super::qualified_names::parts;
use crate::{
    graph_model::{Node, NodeId},
    store::Graph,
};

impl Graph {
    /// Whether a definition stands beside the code that people work on: in tests and what supports them, documentation or
    /// examples, in what a program wrote or what was copied in.
    pub fn is_secondary(&self, id: NodeId) -> bool {
        self.node(id).is_some_and(|node| is_test_node(node) || is_secondary(&node.path))
    }

    /// Whether a node is part of the tests, by its file or the module around it.
    pub fn is_in_test(&self, id: NodeId) -> bool {
        self.node(id).is_some_and(is_test_node)
    }
}

/// Whether a definition is part of a test, by its file or by a module around it.
pub(super) fn is_test_node(node: &Node) -> bool {
    is_test(&node.path) || parts(&node.qname).iter().rev().skip(1).any(is_test_module)
}

pub(super) fn is_test_module(part: &&str) -> bool {
    matches!(*part, "test" | "tests")
}

/// Whether a file stands beside the code that people work on, by its path.
pub(super) fn is_secondary(path: &str) -> bool {
    RepoPath::parse(path, "").is_ok_and(|path| retriever_workspace::is_secondary(&path))
}

/// Returns whether a file is part of the tests, by its path.
pub fn is_test(path: &str) -> bool {
    path.split('/').any(|part| {
        let part = part.to_ascii_lowercase();
        matches!(part.as_str(), "test" | "tests" | "__tests__" | "spec" | "testing" | "fixtures")
            || part.contains(".test.")
            || part.contains(".spec.")
            || part.starts_with("test_")
            || part.contains("_test.")
    })
}
