//! Edges between definitions, before nodes have numbers.

use crate::{
    graph::EdgeKind,
    resolve::{
        entities::Certainty,
        ids::{DefRef, FileId},
    },
};

/// An edge between definitions, or from or to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DefEdge {
    pub(super) kind: EdgeKind,
    pub(super) from: EdgeEnd,
    pub(super) to: EdgeEnd,
    pub(super) line: u32,
    pub(super) certainty: Certainty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum EdgeEnd {
    File(FileId),
    Def(DefRef),
}

impl DefEdge {
    pub(crate) fn new(kind: EdgeKind, from: EdgeEnd, to: EdgeEnd, line: u32) -> Self {
        Self { kind, from, to, line, certainty: Certainty::Exact }
    }

    /// One whose end is chosen when the program runs.
    pub(crate) fn dynamic(kind: EdgeKind, from: EdgeEnd, to: EdgeEnd, line: u32) -> Self {
        Self { kind, from, to, line, certainty: Certainty::Dynamic }
    }
}

/// An edge that a reference makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ReferenceEdge {
    pub(crate) kind: ReferenceEdgeKind,
    pub(crate) from: Option<DefRef>,
    pub(crate) to: DefRef,
    pub(crate) line: u32,
    pub(crate) certainty: Certainty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ReferenceEdgeKind {
    Calls,
    DecoratedBy,
    References,
}
