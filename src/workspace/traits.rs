//! What kind of file a path is: test, support, generated, docs, vendored, and the part that its place in the tree
//! suggests. Tables, no guesses about any one repository.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::vocabulary::vocabulary;

vocabulary! {
    /// The part that a file's path suggests by general convention.
    PathKind {
        /// A route, page or screen.
        Route = "route",
        /// A user-interface component.
        Component = "component",
        /// A hook.
        Hook = "hook",
        /// A service.
        Service = "service",
        /// An API boundary.
        Api = "api",
        /// A store, reducer or model of state.
        Store = "store",
        /// An action or command.
        Action = "action",
        /// Types only.
        Type = "type",
        /// Configuration.
        Config = "config",
    }
}

/// What is known of a file from its path and its first lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileTraits {
    /// A test.
    pub test: bool,
    /// Test support: fixtures, mocks, snapshots, stories, helpers.
    pub support: bool,
    /// Made by a program.
    pub generated: bool,
    /// Documentation or an example.
    pub docs_example: bool,
    /// Somebody else's code, copied in.
    pub vendored: bool,
    /// The parts that the path suggests.
    pub path_kinds: BTreeSet<PathKind>,
}

impl FileTraits {
    /// Whether the file is kept out of a report's primary places unless the question asks for its kind.
    pub fn is_secondary(&self) -> bool {
        self.test || self.support || self.generated || self.docs_example || self.vendored
    }
}
