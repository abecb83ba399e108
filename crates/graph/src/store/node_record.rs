//! The record of the nodes of a file.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{
    StoreError,
    checksummed_record::{malformed, payload, take},
    node_encoding::{FileNodes, PackedNodes},
};
use crate::graph_model::Language;

/// The nodes of a file, and its calls that are bound to no definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NodeRecord {
    pub(crate) language: Language,
    pub(crate) nodes: FileNodes,
    pub(crate) open_calls: Vec<PackedUnresolvedCall>,
}

/// An open call: node of the caller, name, line, and whether it leads out of the repository.
pub(crate) type PackedUnresolvedCall = (u32, String, u32, bool);

/// An encoded [`NodeRecord`] and where its parts are. Most questions read few of the nodes.
#[derive(Debug)]
pub(super) struct ChecksummedNodeRecord {
    encoded: Vec<u8>,
    pub(super) language: Language,
    ends: Range<usize>,
    nodes: Range<usize>,
}

impl ChecksummedNodeRecord {
    pub(super) fn new(encoded: Vec<u8>) -> Result<Self, StoreError> {
        let (language, rest): (Language, &[u8]) = take(payload(&encoded)?)?;
        let (ends, rest): (&[u8], &[u8]) = take(rest)?;
        let ends_end = encoded.len() - rest.len();
        let ends = ends_end - ends.len()..ends_end;
        let (nodes, rest): (&[u8], &[u8]) = take(rest)?;
        let nodes_end = encoded.len() - rest.len();
        let nodes = nodes_end - nodes.len()..nodes_end;
        Ok(Self { encoded, language, ends, nodes })
    }

    pub(super) fn nodes(&self) -> PackedNodes<'_> {
        let bytes = |range: &Range<usize>| self.encoded.get(range.clone()).unwrap_or_default();
        PackedNodes { ends: bytes(&self.ends), bytes: bytes(&self.nodes) }
    }

    /// Whether an open call may have the name: its bytes are among those of the calls.
    pub(super) fn may_call(&self, name: &str) -> bool {
        let rest = self.encoded.get(self.nodes.end..).unwrap_or_default();
        memchr::memmem::find(rest, name.as_bytes()).is_some()
    }

    pub(super) fn open_calls(&self) -> Result<Vec<PackedUnresolvedCall>, StoreError> {
        let rest = self.encoded.get(self.nodes.end..).unwrap_or_default();
        postcard::from_bytes(rest).map_err(|_| malformed())
    }
}
