//! The root of a question's repository and the one door to its files: confinement, ignore rules, text, traits. Nothing
//! above this module opens a file of the workspace by itself, and nothing here knows of models, tools or reports.

mod path;
mod traits;

use std::fmt;

pub use path::{PathError, RepoPath};
pub use traits::{FileTraits, PathKind};

/// A cryptographic hash of a file's whole content: evidence is tied to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Returns the hash of `content`.
    pub fn of(content: &[u8]) -> Self {
        Self(*blake3::hash(content).as_bytes())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "ContentHash({:02x}{:02x}{:02x}{:02x})",
            self.0[0], self.0[1], self.0[2], self.0[3]
        )
    }
}

/// A repository root, opened once; every path below it is resolved through it.
pub struct Workspace {
    root: String,
}

impl Workspace {
    /// The root's absolute path.
    pub fn root(&self) -> &str {
        &self.root
    }
}

/// How a file stands now, for judging evidence that was delivered earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is a regular file with this content.
    Current(ContentHash),
    /// It isn't there, or isn't a regular file, or can't be read.
    Missing,
    /// The path leads out of the root.
    Outside,
}
