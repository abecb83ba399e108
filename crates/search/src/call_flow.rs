//! Call flow: the chain of calls between the candidates of a question.

use retriever_graph::{CallPathHop, EdgeKind};
use retriever_workspace::{LineRange, RepoPath};

/// A function that a flow goes through, or a field that keeps one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFlowPlace {
    /// Its name, with the type it belongs to.
    pub name: String,
    /// The file.
    pub path: RepoPath,
    /// The lines that declare it.
    pub range: LineRange,
    /// The line that names it.
    pub name_line: u32,
    /// How the flow gets there from the place before.
    pub link: CallFlowLink,
}

/// How a flow gets from one place to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFlowLink {
    /// The flow begins there.
    Start,
    /// The one calls the other.
    Call,
    /// The other implements the one, or overrides it.
    Implementation,
    /// The one hands the other over, to be called later.
    HandedOver,
    /// The one reads the other, a property whose function runs then.
    Read,
    /// The one keeps the other, and runs it when it is triggered.
    Triggered,
}

impl CallFlowLink {
    /// Returns how a hop leads to a function, which is a property if `is_property`.
    pub(crate) fn of(hop: &CallPathHop, is_property: impl FnOnce() -> bool) -> Self {
        match hop.kind {
            None => Self::Start,
            Some(kind) if kind.is_inheritance() => Self::Implementation,
            Some(EdgeKind::References) if is_property() => Self::Read,
            Some(EdgeKind::References) => Self::HandedOver,
            Some(EdgeKind::Triggers) => Self::Triggered,
            Some(_) => Self::Call,
        }
    }
}
