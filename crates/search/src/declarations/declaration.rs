//! A declaration and its extent.

use retriever_workspace::LineRange;

/// A declaration whose exact extent is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declaration {
    /// From its first line (doc comment and attributes left out) to its last.
    pub range: LineRange,
    /// Its own name.
    pub name: String,
    /// Its kind in the language's terms: `fn`, `class`, `method`.
    pub kind: String,
}
