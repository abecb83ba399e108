//! The records of edges. The edges that start in a file are kept apart from its nodes, since an edit of another file can
//! change them, and by the file whose resolution found them, so that resolving that file again replaces exactly these.
//! The edges that end in a file are a second copy, by the file that they start in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::{
    FileKey, StoreError,
    checksummed_record::{decode_borrowed, take, variant_at, variant_index},
    node_encoding::PackedBytes,
};
use crate::graph_model::{CallDispatch, EdgeKind, EdgeResolution};

/// An edge that starts in a given file: the node there, and the other end by file and node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct OutgoingEdge {
    pub(crate) from: u32,
    pub(crate) kind: EdgeKind,
    pub(crate) target: FileKey,
    pub(crate) to: u32,
    pub(crate) line: u32,
    pub(crate) resolution: EdgeResolution,
    pub(crate) dispatch: CallDispatch,
}

/// The edges that start in a file, by the step of resolution that found them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileEdgeRecords {
    /// By resolving the file itself.
    pub(crate) own: Vec<OutgoingEdge>,
    /// By resolving other files.
    pub(crate) foreign: BTreeMap<FileKey, Vec<OutgoingEdge>>,
    /// By comparing all files.
    pub(crate) structural: Vec<OutgoingEdge>,
}

/// The record of [`FileEdgeRecords`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct OutgoingEdges {
    /// The files that edges lead to, sorted.
    targets: Vec<FileKey>,
    own: Vec<EdgeRecord>,
    foreign: Vec<(FileKey, Vec<EdgeRecord>)>,
    structural: Vec<EdgeRecord>,
}

/// The edges that end in a file, packed, by the file that they start in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IncomingEdges(BTreeMap<FileKey, PackedEdges>);

/// The edges between two files as bytes.
pub(crate) type PackedEdges = PackedBytes;

/// An edge from a node of one file to a node of another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct EdgeRecord {
    from: u32,
    kind: u8,
    /// Place among the targets; 0 where the target follows from the record.
    target: u32,
    to: u32,
    line: u32,
    resolution: u8,
    dispatch: u8,
}

impl OutgoingEdges {
    pub(crate) fn new(edges: &FileEdgeRecords) -> Self {
        let all = edges.own.iter().chain(edges.foreign.values().flatten()).chain(&edges.structural);
        let mut targets: Vec<FileKey> = all.map(|edge| edge.target).collect();
        targets.sort_unstable();
        targets.dedup();
        let records = |edges: &[OutgoingEdge]| {
            edges.iter().map(|edge| EdgeRecord::new(*edge, &targets)).collect()
        };
        let foreign = edges.foreign.iter().filter(|(_, edges)| !edges.is_empty());
        Self {
            own: records(&edges.own),
            foreign: foreign.map(|(key, edges)| (*key, records(edges))).collect(),
            structural: records(&edges.structural),
            targets,
        }
    }

    /// The edges by what they were found by.
    pub(crate) fn edges(&self) -> Result<FileEdgeRecords, StoreError> {
        let edges = |records: &[EdgeRecord]| -> Result<Vec<OutgoingEdge>, StoreError> {
            records.iter().map(|record| self.edge(record)).collect()
        };
        let foreign = self.foreign.iter().map(|(key, records)| Ok((*key, edges(records)?)));
        Ok(FileEdgeRecords {
            own: edges(&self.own)?,
            foreign: foreign.collect::<Result<_, StoreError>>()?,
            structural: edges(&self.structural)?,
        })
    }

    /// All edges, in no order; the same one may be there twice.
    fn all(&self) -> impl Iterator<Item = Result<OutgoingEdge, StoreError>> {
        self.with_origins().map(|(_, edge)| edge)
    }

    /// All edges, in no order, each with the other file whose resolution found it, if there is one.
    pub(super) fn with_origins(
        &self,
    ) -> impl Iterator<Item = (Option<FileKey>, Result<OutgoingEdge, StoreError>)> {
        let own = self.own.iter().chain(&self.structural).map(|record| (None, record));
        let foreign = self.foreign.iter();
        let foreign =
            foreign.flat_map(|(key, records)| records.iter().map(|record| (Some(*key), record)));
        own.chain(foreign).map(|(origin, record)| (origin, self.edge(record)))
    }

    /// The edges to each target, as [`IncomingEdges`] holds them.
    pub(crate) fn by_target(&self) -> Result<BTreeMap<FileKey, PackedEdges>, StoreError> {
        let mut edges: Vec<OutgoingEdge> = self.all().collect::<Result<_, _>>()?;
        edges.sort_unstable();
        edges.dedup();
        let mut packed: BTreeMap<FileKey, PackedEdges> = BTreeMap::new();
        for edge in edges {
            let PackedBytes(bytes) = packed.entry(edge.target).or_default();
            *bytes = postcard::to_extend(&EdgeRecord::new(edge, &[]), std::mem::take(bytes))
                .map_err(|error| StoreError::Unusable(error.to_string()))?;
        }
        Ok(packed)
    }

    fn edge(&self, record: &EdgeRecord) -> Result<OutgoingEdge, StoreError> {
        let target = self.targets.get(record.target as usize);
        record.edge_to(*target.ok_or_else(StoreError::inconsistent)?)
    }
}

impl IncomingEdges {
    /// Replaces the edges that start in `source`.
    pub(crate) fn replace(&mut self, source: FileKey, edges: Option<PackedEdges>) {
        match edges {
            Some(edges) => drop(self.0.insert(source, edges)),
            None => drop(self.0.remove(&source)),
        }
    }

    /// The files that the edges start in.
    pub(crate) fn sources(&self) -> impl Iterator<Item = FileKey> {
        self.0.keys().copied()
    }

    /// Calls `found` with every edge of a checksummed record and the file that it starts in; `target` is the record's file.
    pub(super) fn read(
        encoded: &[u8],
        target: FileKey,
        mut found: impl FnMut(FileKey, &OutgoingEdge) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        // A map is written as a list of pairs. The bytes of its values need not be copied.
        let sources: Vec<(FileKey, &[u8])> = decode_borrowed(encoded)?;
        for (source, mut rest) in sources {
            while !rest.is_empty() {
                let record: EdgeRecord;
                (record, rest) = take(rest)?;
                found(source, &record.edge_to(target)?)?;
            }
        }
        Ok(())
    }
}

impl EdgeRecord {
    fn new(edge: OutgoingEdge, targets: &[FileKey]) -> Self {
        let target = targets.partition_point(|key| *key < edge.target);
        Self {
            from: edge.from,
            kind: variant_index(EdgeKind::VARIANTS, edge.kind),
            target: u32::try_from(target).unwrap_or(u32::MAX),
            to: edge.to,
            line: edge.line,
            resolution: variant_index(EdgeResolution::VARIANTS, edge.resolution),
            dispatch: variant_index(CallDispatch::VARIANTS, edge.dispatch),
        }
    }

    fn edge_to(&self, target: FileKey) -> Result<OutgoingEdge, StoreError> {
        Ok(OutgoingEdge {
            from: self.from,
            kind: variant_at(EdgeKind::VARIANTS, self.kind)?,
            target,
            to: self.to,
            line: self.line,
            resolution: variant_at(EdgeResolution::VARIANTS, self.resolution)?,
            dispatch: variant_at(CallDispatch::VARIANTS, self.dispatch)?,
        })
    }
}
