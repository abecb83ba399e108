//! One state of a store as far as questions have read it, and the files that it has. Graphs of one state share it, one after the
//! other or at the same time; how records are read is known by [`super::Graph`].

use std::{
    any::{Any, TypeId},
    ops::Range,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use rustc_hash::FxHashMap;

use super::{
    FactsContentId, FileKey, StoreError, checksummed_record::NAME_BUCKETS,
    name_record::ChecksummedNameRecord, node_encoding::NodeHeading,
    node_record::ChecksummedNodeRecord,
};
use crate::{
    facts::FileOmission,
    graph_model::{Edge, Node, NodeId, UnresolvedCall},
};

/// Bytes of records of files from which on what was read of these is not handed on to the next graph. In memory they take a few
/// times as many.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// One state of a store, as far as it was read. Graphs of that state share it.
pub(crate) struct GraphState {
    pub(super) files: Arc<GraphFiles>,
    /// What was read of each file.
    opened: Vec<OnceLock<Box<OpenedFile>>>,
    pub(super) names: OnceLock<Vec<(String, usize)>>,
    /// Bytes of the records of files that were read.
    bytes: AtomicUsize,
    fault: Mutex<Option<StoreError>>,
    lasting: Arc<LastingParts>,
}

/// What is kept however much was read of files: it does not grow with that.
struct LastingParts {
    buckets: Vec<OnceLock<ChecksummedNameRecord>>,
    /// What others keep beside the state, by type.
    kept: Mutex<FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

/// The files of one state of a store.
pub(crate) struct GraphFiles {
    /// Those with nodes, sorted by path.
    pub(super) files: Vec<GraphFile>,
    /// Where the nodes of each file end.
    pub(super) ends: Vec<u32>,
    by_key: FxHashMap<FileKey, usize>,
}

/// A file that a graph is read from.
pub(crate) struct GraphSource {
    pub(crate) key: FileKey,
    pub(crate) content: FactsContentId,
    pub(crate) path: String,
    /// How many nodes it has.
    pub(crate) nodes: u32,
    pub(crate) omissions: Vec<FileOmission>,
}

pub(super) struct GraphFile {
    pub(super) key: FileKey,
    pub(super) content: FactsContentId,
    pub(super) path: String,
    pub(super) nodes: Range<u32>,
    pub(super) omissions: Vec<FileOmission>,
}

/// What was read of a file.
#[derive(Default)]
pub(super) struct OpenedFile {
    pub(super) loaded: OnceLock<LoadedNodes>,
    pub(super) outgoing: OnceLock<OutgoingOfFile>,
    pub(super) incoming: OnceLock<EdgesByNode>,
}

/// The edges that start in a file.
#[derive(Default)]
pub(super) struct OutgoingOfFile {
    pub(super) edges: EdgesByNode,
    /// Those that the text of another file makes, with the node of that file; sorted.
    pub(super) made_elsewhere: Vec<(Edge, NodeId)>,
}

/// The nodes of a file as far as they were asked for.
#[derive(Default)]
pub(super) struct LoadedNodes {
    pub(super) record: Option<ChecksummedNodeRecord>,
    pub(super) nodes: Vec<OnceLock<Option<Box<Node>>>>,
    pub(super) headings: Vec<OnceLock<Option<Box<NodeHeading>>>>,
    pub(super) open_calls: OnceLock<Vec<UnresolvedCall>>,
}

/// Edges sorted by the node of one file that is an end of theirs.
#[derive(Default)]
pub(super) struct EdgesByNode {
    edges: Vec<Edge>,
    /// Where the edges of each node end.
    ends: Vec<usize>,
}

impl GraphFiles {
    /// Takes the files that have nodes; `files` are sorted by path.
    pub(crate) fn new(files: impl IntoIterator<Item = GraphSource>) -> Self {
        let mut end = 0;
        let with_nodes = files.into_iter().filter(|file| file.nodes > 0);
        let file = |file: GraphSource| {
            let GraphSource { key, content, path, nodes, omissions } = file;
            let start = end;
            end += nodes;
            GraphFile { key, content, path, nodes: start..end, omissions }
        };
        let files: Vec<GraphFile> = with_nodes.map(file).collect();
        Self {
            ends: files.iter().map(|file| file.nodes.end).collect(),
            by_key: files.iter().enumerate().map(|(at, file)| (file.key, at)).collect(),
            files,
        }
    }

    pub(super) fn of_key(&self, key: FileKey) -> Result<&GraphFile, StoreError> {
        self.number_of_key(key).map(|at| &self.files[at])
    }

    pub(super) fn number_of_key(&self, key: FileKey) -> Result<usize, StoreError> {
        self.by_key.get(&key).copied().ok_or_else(StoreError::inconsistent)
    }

    pub(super) fn end(&self) -> u32 {
        self.ends.last().copied().unwrap_or_default()
    }
}

impl GraphState {
    /// Returns the state that has these files, of which nothing was read.
    pub(crate) fn new(files: Arc<GraphFiles>) -> Self {
        let lasting = LastingParts {
            buckets: (0..NAME_BUCKETS).map(|_| OnceLock::new()).collect(),
            kept: Mutex::default(),
        };
        Self::with_lasting(files, Arc::new(lasting))
    }

    fn with_lasting(files: Arc<GraphFiles>, lasting: Arc<LastingParts>) -> Self {
        Self {
            opened: files.files.iter().map(|_| OnceLock::new()).collect(),
            files,
            names: OnceLock::new(),
            bytes: AtomicUsize::new(0),
            fault: Mutex::new(None),
            lasting,
        }
    }

    /// Returns what the next graph of the same state begins with, if that is not this one: after a fault nothing that was read,
    /// and after much was read what is not of single files.
    pub(crate) fn successor(&self) -> Option<Self> {
        if self.fault().is_some() {
            return Some(Self::new(Arc::clone(&self.files)));
        }
        let is_large = self.bytes.load(Ordering::Relaxed) >= MAX_KEPT_BYTES;
        is_large.then(|| Self::with_lasting(Arc::clone(&self.files), Arc::clone(&self.lasting)))
    }

    /// The first error that reading met.
    pub(super) fn fault(&self) -> Option<StoreError> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn note_fault(&self, error: StoreError) {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    pub(super) fn note_bytes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn opened(&self, file: usize) -> &OpenedFile {
        self.opened[file].get_or_init(Box::default)
    }

    pub(super) fn bucket(&self, number: u32) -> &OnceLock<ChecksummedNameRecord> {
        &self.lasting.buckets[number as usize]
    }

    pub(super) fn kept<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut kept = self.lasting.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let value = kept.entry(TypeId::of::<T>()).or_insert_with(|| Arc::<T>::default());
        Arc::clone(value).downcast().unwrap_or_default()
    }
}

impl EdgesByNode {
    /// Sorts the edges of a file; each is kept once. `ends` returns the end in the file, then the other one.
    ///
    /// This is a counting sort by node followed by a small sort for each node: a file has thousands of edges and a node a
    /// few.
    pub(super) fn new(
        nodes: &Range<u32>,
        edges: &[Edge],
        ends: impl Fn(&Edge) -> (NodeId, NodeId),
    ) -> Self {
        let Some(first) = edges.first() else { return Self::default() };
        let place = |edge: &Edge| (ends(edge).0.0 - nodes.start) as usize;
        let mut node_ends = vec![0_usize; nodes.len()];
        edges.iter().for_each(|edge| node_ends[place(edge)] += 1);
        let mut sum = 0;
        for end in &mut node_ends {
            sum += std::mem::replace(end, sum);
        }
        let mut sorted = vec![*first; edges.len()];
        for edge in edges {
            let end = &mut node_ends[place(edge)];
            sorted[*end] = *edge;
            *end += 1;
        }
        let (mut start, mut kept) = (0, 0);
        for end in &mut node_ends {
            let of_node = &mut sorted[start..*end];
            of_node.sort_unstable_by_key(|edge| sort_key(edge, ends(edge).1));
            start = *end;
            let first_kept = kept;
            for at in start - of_node.len()..start {
                if kept == first_kept || sorted[kept - 1] != sorted[at] {
                    sorted[kept] = sorted[at];
                    kept += 1;
                }
            }
            *end = kept;
        }
        sorted.truncate(kept);
        Self { edges: sorted, ends: node_ends }
    }

    /// The edges of the node at a place of its file.
    pub(super) fn of_node(&self, at: usize) -> &[Edge] {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let range = start.unwrap_or_default()..self.ends.get(at).copied().unwrap_or_default();
        self.edges.get(range).unwrap_or_default()
    }
}

/// Kind, other end, line and resolution as one number.
fn sort_key(edge: &Edge, other: NodeId) -> u128 {
    let kind = u128::from(edge.kind as u8) << 72;
    kind | u128::from(other.0) << 40 | u128::from(edge.line) << 8 | edge.resolution as u128
}
