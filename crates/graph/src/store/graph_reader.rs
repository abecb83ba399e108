//! The code graph as questions see it: one state of a store, read record by record as questions reach files.
//!
//! Reading can find damage. [`Graph::fault`] keeps the first error, and what could not be read counts as absent, so that
//! questions need no error handling: the caller discards the answer when there is a fault. A question that is cancelled
//! ends its walks early, which is a fault, too.

use std::{
    fmt,
    ops::Range,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use retriever_workspace::Cancellation;

use super::{
    FactsContentId, FileKey, GraphState, GraphStore, IncomingEdges, OutgoingEdge, OutgoingEdges,
    StoreError, StoreTable,
    checksummed_record::{self, NAME_BUCKETS},
    graph_state::{EdgesByNode, GraphFile, LoadedNodes, OutgoingOfFile},
    name_record::ChecksummedNameRecord,
    node_record::ChecksummedNodeRecord,
};
use crate::{
    facts::FileOmission,
    graph_model::{
        Edge, Language, LanguageFamily, Node, NodeHeader, NodeId, NodeKind, OpenCallTarget,
        UnresolvedCall,
    },
};

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
        self.state.kept()
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
        self.state.opened(file).outgoing.get_or_init(read)
    }

    /// Returns the edges that end at a node, sorted by kind, origin and line.
    pub fn incoming(&self, id: NodeId) -> &[Edge] {
        let Some((file, at)) = self.locate(id) else { return &[] };
        let read = || self.or_fault(self.read_incoming(&self.all()[file]));
        self.state.opened(file).incoming.get_or_init(read).of_node(at)
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

    /// Returns the lines of the open calls by a name in the file that a node is in, of those that lead out of the repository as
    /// far as is known, or of the others. A file without the name costs no more than a look at its bytes.
    pub(crate) fn open_calls_by_name(
        &self,
        id: NodeId,
        name: &str,
        wanted: OpenCallTarget,
    ) -> Vec<u32> {
        let Some((file, _)) = self.locate(id) else { return Vec::new() };
        let record = self.loaded(file).record.as_ref();
        if !record.is_some_and(|record| record.may_call(name)) {
            return Vec::new();
        }
        let is_wanted = |call: &&UnresolvedCall| {
            call.name == name && call.outside == (wanted == OpenCallTarget::Outside)
        };
        self.open_calls_beside(id).iter().filter(is_wanted).map(|call| call.line).collect()
    }

    /// Returns the nodes whose name in lower case is `folded`.
    pub fn named(&self, folded: &str) -> Vec<NodeId> {
        self.named_where(folded, |_| true)
    }

    /// Returns those of them that are in languages which can name each other's definitions.
    pub(crate) fn named_in(&self, family: LanguageFamily, folded: &str) -> Vec<NodeId> {
        let may_be_in =
            |path: &str| Language::of_path(path).is_none_or(|language| language.family() == family);
        self.named_where(folded, may_be_in)
    }

    /// Reads every file that has the name and a path that `may_count`.
    fn named_where(&self, folded: &str, may_count: impl Fn(&str) -> bool) -> Vec<NodeId> {
        let mut found = Vec::new();
        let is_asked = |name: &str| match name.is_ascii() {
            true => name.eq_ignore_ascii_case(folded),
            false => name.to_lowercase() == folded,
        };
        for (name, key, _) in self.bucket(checksummed_record::name_bucket(folded)) {
            if !is_asked(name) {
                continue;
            }
            let file = self.or_fault(self.state.files.number_of_key(key).map(Some));
            let file = file.filter(|file| may_count(&self.all()[*file].path));
            let Some(file) = file else { continue };
            let Some(record) = &self.loaded(file).record else { continue };
            let named = self.or_fault(record.nodes().named(name));
            found.extend(named.into_iter().map(|at| NodeId(self.all()[file].nodes.start + at)));
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
                    Some((last, total)) if last == name => *total += count as usize,
                    _ => names.push((name.to_owned(), count as usize)),
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

    /// Returns what was read, or nothing after it has noted the error.
    fn or_fault<T: Default>(&self, result: Result<T, StoreError>) -> T {
        result.unwrap_or_else(|error| {
            self.state.note_fault(error);
            T::default()
        })
    }

    /// Returns a record of a file.
    fn record(&self, table: StoreTable, key: FileKey) -> Result<Vec<u8>, StoreError> {
        let record = self.stored(table, key)?;
        self.state.note_bytes(record.len());
        Ok(record)
    }

    fn stored(&self, table: StoreTable, key: FileKey) -> Result<Vec<u8>, StoreError> {
        self.store.get(table, key)?.ok_or_else(StoreError::inconsistent)
    }

    fn loaded(&self, file: usize) -> &LoadedNodes {
        let read = || self.or_fault(self.read_nodes(&self.all()[file]));
        self.state.opened(file).loaded.get_or_init(read)
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

    /// Returns the names of a bucket, each with a file that has it and the number of nodes there.
    fn bucket(&self, number: u32) -> impl Iterator<Item = (&str, FileKey, u32)> {
        let record = self.state.bucket(number).get_or_init(|| {
            // Nothing is written for a tree without source files.
            if self.all().is_empty() {
                return ChecksummedNameRecord::default();
            }
            let record = self.stored(StoreTable::Names, number.into());
            self.or_fault(record.and_then(ChecksummedNameRecord::new))
        });
        record.entries().map_while(|entry| self.or_fault(entry.map(Some)))
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
