//! The declarations of one file with their IDs and places, each made when it is asked for.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use retriever_graph::{Graph, NodeId};
use retriever_workspace::LineRange;

use super::place_id::{PlaceId, PlaceIdGenerator};
use crate::bounded_memo::KeptValue;

/// A place with an ID.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SymbolPlace {
    pub(super) id: String,
    pub(super) path: String,
    pub(super) range: LineRange,
    /// The line that names it.
    pub(super) line: u32,
    pub(super) kind: String,
    /// With the type it belongs to.
    pub(super) name: String,
    pub(super) signature: String,
    pub(super) doc: String,
    pub(super) node: Option<NodeId>,
}

/// About how many bytes a declaration takes: its entry and its ID, and the place, which few have.
const DECLARATION_BYTES: usize = 360;

/// The declarations of one file, in the order of lines.
pub(super) struct FileSymbols {
    pub(super) entries: Vec<Entry>,
    ids: Mutex<FileIds>,
}

/// The IDs of a file's first declarations. Each depends on those before it, and few files are asked for their last.
pub(super) struct FileIds {
    generator: PlaceIdGenerator,
    pub(super) ids: Vec<PlaceId>,
}

/// A declaration; its place is made when it is asked for.
pub(super) struct Entry {
    pub(super) range: LineRange,
    pub(super) line: u32,
    pub(super) node: Option<NodeId>,
    pub(super) place: OnceLock<Box<SymbolPlace>>,
}

impl FileSymbols {
    /// Takes the declarations of a file, and the IDs of the first that were made.
    pub(super) fn new(entries: Vec<Entry>, generator: PlaceIdGenerator, ids: Vec<PlaceId>) -> Self {
        Self { entries, ids: Mutex::new(FileIds { generator, ids }) }
    }

    /// Returns the IDs of a file's first `count` declarations, at least.
    pub(super) fn ids(&self, graph: &Graph, count: usize) -> MutexGuard<'_, FileIds> {
        let mut known = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        let made = known.ids.len();
        for entry in self.entries.iter().take(count).skip(made) {
            let heading = entry.node.and_then(|node| graph.heading(node));
            let (kind, name) = heading.as_ref().map_or(("", ""), |it| (it.kind.as_ref(), it.qname));
            let id = known.generator.next_id(&[kind, " ", name]);
            known.ids.push(id);
        }
        known
    }
}

impl KeptValue for Arc<FileSymbols> {
    fn bytes(&self) -> usize {
        self.entries.len() * DECLARATION_BYTES
    }
}
