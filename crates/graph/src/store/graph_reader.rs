//! The code graph as questions see it: one state of a store, read record by record as questions reach files.
//!
//! Reading can find damage. [`Graph::fault`] keeps the first error, and what could not be read counts as absent, so that
//! questions need no error handling: the caller discards the answer when there is a fault. A question that is cancelled
//! ends its walks early, which is a fault, too.

use std::{
    any::{Any, TypeId},
    fmt,
    ops::Range,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use retriever_workspace::Cancellation;
use rustc_hash::FxHashMap;

use super::{
    FactsContentId, FileKey, GraphStore, IncomingEdges, NameTableBucket, OutgoingEdge,
    OutgoingEdges, StoreError, StoreTable,
    checksummed_record::{self, NAME_BUCKETS},
    node_encoding::NodeHeading,
    node_record::ChecksummedNodeRecord,
};
use crate::{
    facts::FileOmission,
    graph_model::{Edge, Node, NodeHeader, NodeId, NodeKind, UnresolvedCall},
};

/// Bytes of records from which on what was read of a state is not handed on to the next graph. In memory they take a few times
/// as many.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// Nodes or names between two looks at the cancellation.
const CHECK_INTERVAL: usize = 64;

/// A code graph. Nodes are numbered in the order of paths and lines, so that the nodes of a file are a range.
pub struct Graph {
    store: Arc<GraphStore>,
    state: Arc<GraphState>,
    cancellation: Cancellation,
    /// Whether a walk ended early.
    is_cut_short: AtomicBool,
}

/// One state of a store, as far as it was read. Graphs of that state share it.
pub(crate) struct GraphState {
    files: Arc<GraphFiles>,
    /// What was read of each file.
    opened: Vec<OnceLock<Box<OpenedFile>>>,
    buckets: Vec<OnceLock<NameTableBucket>>,
    names: OnceLock<Vec<(String, usize)>>,
    /// Bytes of the records that were read.
    bytes: AtomicUsize,
    fault: Mutex<Option<StoreError>>,
    /// What others keep beside it, by type.
    kept: Mutex<FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

/// The files of one state of a store.
pub(crate) struct GraphFiles {
    /// Those with nodes, sorted by path.
    files: Vec<GraphFile>,
    /// Where the nodes of each file end.
    ends: Vec<u32>,
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

struct GraphFile {
    key: FileKey,
    content: FactsContentId,
    path: String,
    nodes: Range<u32>,
    omissions: Vec<FileOmission>,
}

/// What was read of a file.
#[derive(Default)]
struct OpenedFile {
    loaded: OnceLock<LoadedNodes>,
    outgoing: OnceLock<OutgoingOfFile>,
    incoming: OnceLock<EdgesByNode>,
}

/// The edges that start in a file.
#[derive(Default)]
struct OutgoingOfFile {
    edges: EdgesByNode,
    /// Those that the text of another file makes, with the node of that file; sorted.
    made_elsewhere: Vec<(Edge, NodeId)>,
}

/// The nodes of a file as far as they were asked for.
#[derive(Default)]
struct LoadedNodes {
    record: Option<ChecksummedNodeRecord>,
    nodes: Vec<OnceLock<Option<Box<Node>>>>,
    headings: Vec<OnceLock<Option<Box<NodeHeading>>>>,
    open_calls: OnceLock<Vec<UnresolvedCall>>,
}

/// Edges sorted by the node of one file that is an end of theirs.
#[derive(Default)]
struct EdgesByNode {
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

    fn of_key(&self, key: FileKey) -> Result<&GraphFile, StoreError> {
        let file = self.by_key.get(&key).and_then(|at| self.files.get(*at));
        file.ok_or_else(StoreError::inconsistent)
    }

    fn end(&self) -> u32 {
        self.ends.last().copied().unwrap_or_default()
    }
}

impl GraphState {
    /// Returns the state that has these files, of which nothing was read.
    pub(crate) fn new(files: Arc<GraphFiles>) -> Self {
        Self {
            opened: files.files.iter().map(|_| OnceLock::new()).collect(),
            files,
            buckets: (0..NAME_BUCKETS).map(|_| OnceLock::new()).collect(),
            names: OnceLock::new(),
            bytes: AtomicUsize::new(0),
            fault: Mutex::new(None),
            kept: Mutex::default(),
        }
    }

    /// Whether the next graph of the same state begins with this one: not if something could not be read, or much was.
    pub(crate) fn may_be_handed_on(&self) -> bool {
        self.fault().is_none() && self.bytes.load(Ordering::Relaxed) < MAX_KEPT_BYTES
    }

    fn fault(&self) -> Option<StoreError> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Graph {
    /// Reads `store` in the state that it has, or that it has begun to read, for one question.
    pub(crate) fn new(
        store: Arc<GraphStore>,
        state: Arc<GraphState>,
        cancellation: &Cancellation,
    ) -> Self {
        let (cancellation, is_cut_short) = (cancellation.clone(), AtomicBool::new(false));
        Self { store, state, cancellation, is_cut_short }
    }

    /// Whether a walk has to end, because the question is cancelled. What it found until then is no answer.
    pub(crate) fn is_cancelled(&self) -> bool {
        let is_cancelled = self.cancellation.is_cancelled();
        if is_cancelled {
            self.is_cut_short.store(true, Ordering::Relaxed);
        }
        is_cancelled
    }

    /// Returns `items` one by one until the question is cancelled.
    pub(crate) fn until_cancelled<T>(
        &self,
        items: impl IntoIterator<Item = T>,
    ) -> impl Iterator<Item = T> {
        let is_due = |at: usize| at.is_multiple_of(CHECK_INTERVAL);
        let items = items.into_iter().enumerate();
        items.take_while(move |(at, _)| !is_due(*at) || !self.is_cancelled()).map(|(_, item)| item)
    }

    /// The store that it is read from.
    pub(crate) fn store(&self) -> &GraphStore {
        &self.store
    }

    /// Returns the paths and contents of all files.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&str, FactsContentId)> {
        self.all().iter().map(|file| (file.path.as_str(), file.content))
    }

    /// Returns the value of a type that is kept as long as this state of the graph: for what follows from the graph alone, so
    /// that the next question about the same state need not find it out again. Whoever keeps something bounds its size.
    pub fn kept<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut kept = self.state.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let value = kept.entry(TypeId::of::<T>()).or_insert_with(|| Arc::<T>::default());
        Arc::clone(value).downcast().unwrap_or_default()
    }

    /// Returns one node; `None` for a number of another graph.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        let (file, at) = self.locate(id)?;
        let loaded = self.loaded(file);
        let read = || {
            let record = loaded.record.as_ref()?;
            let node = record.nodes().node(at, &self.all()[file].path, record.language);
            self.or_fault(node.map(|node| Some(Box::new(node))))
        };
        loaded.nodes.get(at)?.get_or_init(read).as_deref()
    }

    /// Returns the file of a node.
    pub fn path_of(&self, id: NodeId) -> Option<&str> {
        self.locate(id).map(|(file, _)| self.all()[file].path.as_str())
    }

    /// Returns where a node is and what it is called. Cheaper than [`Graph::node`].
    pub fn heading(&self, id: NodeId) -> Option<NodeHeader<'_>> {
        let (file, at) = self.locate(id)?;
        let loaded = self.loaded(file);
        // Searches ask for some of them many times.
        let read = || {
            let nodes = loaded.record.as_ref()?.nodes();
            self.or_fault(nodes.heading(at).map(|heading| Some(Box::new(heading))))
        };
        let heading = loaded.headings.get(at)?.get_or_init(read).as_deref()?;
        Some(heading.of_file(&self.all()[file].path))
    }

    /// Returns what a node is. Cheaper than [`Graph::heading`].
    pub fn kind(&self, id: NodeId) -> Option<NodeKind> {
        let (file, at) = self.locate(id)?;
        let nodes = self.loaded(file).record.as_ref()?.nodes();
        self.or_fault(nodes.kind(at).map(Some))
    }

    /// Returns the edges that start at a node, sorted by kind, target and line.
    pub fn outgoing(&self, id: NodeId) -> &[Edge] {
        let Some((file, at)) = self.locate(id) else { return &[] };
        self.outgoing_of(file).edges.of_node(at)
    }

    /// Returns the files that make an edge, when its line is not one of the file that it starts in: an `impl` block may stand
    /// in another file than its type.
    pub(crate) fn made_elsewhere(&self, edge: &Edge) -> impl Iterator<Item = NodeId> {
        let file = self.locate(edge.from).map(|(file, _)| file);
        let all = file.map_or(&[][..], |file| &self.outgoing_of(file).made_elsewhere);
        let first = all.partition_point(|(known, _)| known < edge);
        all[first..].iter().take_while(move |(known, _)| known == edge).map(|(_, file)| *file)
    }

    fn outgoing_of(&self, file: usize) -> &OutgoingOfFile {
        let read = || self.or_fault(self.read_outgoing(&self.all()[file]));
        self.opened(file).outgoing.get_or_init(read)
    }

    /// Returns the edges that end at a node, sorted by kind, origin and line.
    pub fn incoming(&self, id: NodeId) -> &[Edge] {
        let Some((file, at)) = self.locate(id) else { return &[] };
        let read = || self.or_fault(self.read_incoming(&self.all()[file]));
        self.opened(file).incoming.get_or_init(read).of_node(at)
    }

    /// Returns the calls of a node that are bound to no definition, sorted by name and line.
    pub fn open_calls(&self, id: NodeId) -> &[UnresolvedCall] {
        let calls = self.open_calls_beside(id);
        let start = calls.partition_point(|call| call.from < id);
        let len = calls[start..].partition_point(|call| call.from == id);
        &calls[start..start + len]
    }

    /// Returns the same for all nodes of the file that a node is in.
    pub(crate) fn open_calls_beside(&self, id: NodeId) -> &[UnresolvedCall] {
        let Some((file, _)) = self.locate(id) else { return &[] };
        let loaded = self.loaded(file);
        let read = || self.or_fault(read_open_calls(&self.all()[file], loaded));
        loaded.open_calls.get_or_init(read)
    }

    /// Returns the lines of the open calls by a name in the file that a node is in, without those that are known to lead out of
    /// the repository. A file without the name costs no more than a look at its bytes.
    pub(crate) fn open_calls_by_name(&self, id: NodeId, name: &str) -> Vec<u32> {
        let Some((file, _)) = self.locate(id) else { return Vec::new() };
        let record = self.loaded(file).record.as_ref();
        if !record.is_some_and(|record| record.may_call(name)) {
            return Vec::new();
        }
        let calls = self.open_calls_beside(id).iter();
        calls.filter(|call| call.name == name && !call.outside).map(|call| call.line).collect()
    }

    /// Returns the nodes whose name in lower case is `folded`.
    pub fn named(&self, folded: &str) -> Vec<NodeId> {
        let mut found = Vec::new();
        for (name, key, _) in self.bucket(checksummed_record::name_bucket(folded)) {
            if name.to_lowercase() != folded {
                continue;
            }
            let Some(file) = self.state.files.by_key.get(key).copied() else {
                self.or_fault::<()>(Err(StoreError::inconsistent()));
                continue;
            };
            let Some(record) = &self.loaded(file).record else { continue };
            for (at, id) in self.all()[file].nodes.clone().enumerate() {
                if self.or_fault(record.nodes().name(at).map(Some)) == Some(name) {
                    found.push(NodeId(id));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Returns every name as it is spelled, sorted, with the number of nodes that have it.
    pub fn names(&self) -> Vec<(&str, usize)> {
        let names = self.state.names.get_or_init(|| {
            let mut names: Vec<(String, usize)> = Vec::new();
            for (name, _, count) in (0..NAME_BUCKETS).flat_map(|number| self.bucket(number)) {
                match names.last_mut() {
                    Some((last, total)) if last == name => *total += *count as usize,
                    _ => names.push((name.clone(), *count as usize)),
                }
            }
            names.sort_unstable();
            names
        });
        names.iter().map(|(name, count)| (name.as_str(), *count)).collect()
    }

    /// Returns every file with its nodes, sorted by path. The first node of a file is the file's own.
    pub fn files(&self) -> Vec<(&str, Range<u32>)> {
        self.all().iter().map(|file| (file.path.as_str(), file.nodes.clone())).collect()
    }

    /// Returns the number of files with nodes.
    pub fn file_count(&self) -> usize {
        self.all().len()
    }

    /// Returns what the graph leaves out of which files, sorted by path. Nothing is left out of ordinary code.
    pub fn omissions(&self) -> Vec<(&str, FileOmission)> {
        let files = self.all().iter();
        files
            .flat_map(|file| file.omissions.iter().map(|what| (file.path.as_str(), *what)))
            .collect()
    }

    /// Returns the nodes of one file; an empty range when the file is not in the graph.
    pub fn nodes_of(&self, path: &str) -> Range<u32> {
        let at = self.all().binary_search_by(|file| file.path.as_str().cmp(path));
        at.map_or(0..0, |at| self.all()[at].nodes.clone())
    }

    /// Returns every node, in the order of their numbers.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.node_ids().filter_map(|id| self.node(id))
    }

    /// Returns every edge, in the order of the nodes that they start at.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.node_ids().flat_map(|id| self.outgoing(id))
    }

    fn node_ids(&self) -> impl Iterator<Item = NodeId> {
        (0..self.state.files.end()).map(NodeId)
    }

    /// The first error that reading met, or that the question was cut short. An answer is not to be believed when there is one.
    pub(crate) fn fault(&self) -> Option<StoreError> {
        let cut_short =
            || self.is_cut_short.load(Ordering::Relaxed).then_some(StoreError::Cancelled);
        self.state.fault().or_else(cut_short)
    }

    /// Ends the reading. What was read is freed on another thread, unless it is handed on: that can take as long as an answer.
    pub(crate) fn end(self) {
        let Self { store, state, .. } = self;
        drop(store);
        if let Some(state) = Arc::into_inner(state) {
            rayon::spawn(move || drop(state));
        }
    }

    /// The files, sorted by path.
    fn all(&self) -> &[GraphFile] {
        &self.state.files.files
    }

    /// Returns the number of a node's file, and the node's place in that.
    fn locate(&self, id: NodeId) -> Option<(usize, usize)> {
        let at = self.state.files.ends.partition_point(|end| *end <= id.0);
        Some((at, (id.0 - self.all().get(at)?.nodes.start) as usize))
    }

    fn opened(&self, file: usize) -> &OpenedFile {
        self.state.opened[file].get_or_init(Box::default)
    }

    /// Returns what was read, or nothing after it has noted the error.
    fn or_fault<T: Default>(&self, result: Result<T, StoreError>) -> T {
        result.unwrap_or_else(|error| {
            let mut fault = self.state.fault.lock().unwrap_or_else(PoisonError::into_inner);
            fault.get_or_insert(error);
            T::default()
        })
    }

    fn record(&self, table: StoreTable, key: FileKey) -> Result<Vec<u8>, StoreError> {
        let record = self.store.get(table, key)?.ok_or_else(StoreError::inconsistent)?;
        self.state.bytes.fetch_add(record.len(), Ordering::Relaxed);
        Ok(record)
    }

    fn loaded(&self, file: usize) -> &LoadedNodes {
        let read = || self.or_fault(self.read_nodes(&self.all()[file]));
        self.opened(file).loaded.get_or_init(read)
    }

    fn read_nodes(&self, file: &GraphFile) -> Result<LoadedNodes, StoreError> {
        let record = ChecksummedNodeRecord::new(self.record(StoreTable::Nodes, file.key)?)?;
        if record.nodes().len() != file.nodes.len() {
            return Err(StoreError::inconsistent());
        }
        Ok(LoadedNodes {
            nodes: file.nodes.clone().map(|_| OnceLock::new()).collect(),
            headings: file.nodes.clone().map(|_| OnceLock::new()).collect(),
            record: Some(record),
            open_calls: OnceLock::new(),
        })
    }

    fn read_outgoing(&self, file: &GraphFile) -> Result<OutgoingOfFile, StoreError> {
        let record: OutgoingEdges =
            checksummed_record::decode(&self.record(StoreTable::OutgoingEdges, file.key)?)?;
        let (mut edges, mut made_elsewhere) = (Vec::new(), Vec::new());
        for (origin, edge) in record.with_origins() {
            let edge = edge?;
            let target = self.state.files.of_key(edge.target)?;
            let edge = edge_between(&file.nodes, &target.nodes, &edge)?;
            edges.push(edge);
            if let Some(origin) = origin {
                made_elsewhere.push((edge, NodeId(self.state.files.of_key(origin)?.nodes.start)));
            }
        }
        made_elsewhere.sort_unstable();
        let edges = EdgesByNode::new(&file.nodes, &edges, |edge| (edge.from, edge.to));
        Ok(OutgoingOfFile { edges, made_elsewhere })
    }

    fn read_incoming(&self, file: &GraphFile) -> Result<EdgesByNode, StoreError> {
        let mut edges = Vec::new();
        let record = self.record(StoreTable::IncomingEdges, file.key)?;
        IncomingEdges::read(&record, file.key, |source, edge| {
            let source = self.state.files.of_key(source)?;
            edges.push(edge_between(&source.nodes, &file.nodes, edge)?);
            Ok(())
        })?;
        Ok(EdgesByNode::new(&file.nodes, &edges, |edge| (edge.to, edge.from)))
    }

    fn bucket(&self, number: u32) -> &NameTableBucket {
        self.state.buckets[number as usize].get_or_init(|| {
            // Nothing is written for a tree without source files.
            if self.all().is_empty() {
                return NameTableBucket::default();
            }
            let record = self.record(StoreTable::Names, number.into());
            self.or_fault(record.and_then(|record| checksummed_record::decode(&record)))
        })
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, nodes) = (self.all().len(), self.state.files.end());
        f.debug_struct("Graph").field("files", &files).field("nodes", &nodes).finish()
    }
}

fn read_open_calls(
    file: &GraphFile,
    loaded: &LoadedNodes,
) -> Result<Vec<UnresolvedCall>, StoreError> {
    let Some(record) = &loaded.record else { return Ok(Vec::new()) };
    let calls = record.open_calls()?.into_iter().map(|(from, name, line, outside)| {
        let from = NodeId(file.nodes.start.saturating_add(from));
        UnresolvedCall { from, name, line, outside }
    });
    Ok(calls.collect())
}

fn edge_between(
    from: &Range<u32>,
    to: &Range<u32>,
    edge: &OutgoingEdge,
) -> Result<Edge, StoreError> {
    let OutgoingEdge { kind, line, resolution, dispatch, .. } = *edge;
    let ends = (from.start.saturating_add(edge.from), to.start.saturating_add(edge.to));
    if !from.contains(&ends.0) || !to.contains(&ends.1) {
        return Err(StoreError::inconsistent());
    }
    Ok(Edge { from: NodeId(ends.0), kind, to: NodeId(ends.1), line, resolution, dispatch })
}

impl EdgesByNode {
    /// Sorts the edges of a file; each is kept once. `ends` returns the end in the file, then the other one.
    ///
    /// This is a counting sort by node followed by a small sort for each node: a file has thousands of edges and a node a
    /// few.
    fn new(nodes: &Range<u32>, edges: &[Edge], ends: impl Fn(&Edge) -> (NodeId, NodeId)) -> Self {
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
    fn of_node(&self, at: usize) -> &[Edge] {
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
