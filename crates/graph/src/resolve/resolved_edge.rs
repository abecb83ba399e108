//! Edges between definitions, before nodes have numbers.

use std::collections::BTreeSet;

use crate::{
    graph_model::{CallDispatch, EdgeKind},
    resolve::{
        file_and_definition_ids::{DefRef, FileId},
        inference_results::InferenceCertainty,
    },
};

/// An edge between definitions, or from or to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DefinitionEdge {
    pub(super) kind: EdgeKind,
    pub(super) from: EdgeEnd,
    pub(super) to: EdgeEnd,
    pub(super) line: u32,
    pub(super) certainty: InferenceCertainty,
    pub(super) dispatch: CallDispatch,
}

/// Edges that follow from a comparison of all files.
#[derive(Debug, Default)]
pub(crate) struct StructuralTypingEdges {
    pub(crate) edges: Vec<DefinitionEdge>,
    /// Files with a type whose comparison takes more than its budget. Some of its edges are missing.
    pub(crate) incomplete: BTreeSet<FileId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum EdgeEnd {
    File(FileId),
    Def(DefRef),
}

impl DefinitionEdge {
    pub(crate) fn new(kind: EdgeKind, from: EdgeEnd, to: EdgeEnd, line: u32) -> Self {
        Self {
            kind,
            from,
            to,
            line,
            certainty: InferenceCertainty::Exact,
            dispatch: CallDispatch::Open,
        }
    }

    /// One whose end is chosen when the program runs.
    pub(crate) fn dynamic(kind: EdgeKind, from: EdgeEnd, to: EdgeEnd, line: u32) -> Self {
        Self {
            kind,
            from,
            to,
            line,
            certainty: InferenceCertainty::Dynamic,
            dispatch: CallDispatch::Open,
        }
    }
}

/// An edge that a reference makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ReferenceEdge {
    pub(crate) kind: ReferenceEdgeKind,
    pub(crate) from: Option<DefRef>,
    pub(crate) to: DefRef,
    pub(crate) line: u32,
    pub(crate) certainty: InferenceCertainty,
    pub(crate) dispatch: CallDispatch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ReferenceEdgeKind {
    Calls,
    DecoratedBy,
    References,
    Constructs,
}
