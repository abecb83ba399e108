//! The graph in the store, read part by part as questions reach it. Damage that comes to light on the way is kept and ends
//! the answer: [`StoredGraph::fault`] has to be asked before an answer is believed.

use std::{
    ops::Range,
    sync::{Mutex, OnceLock, PoisonError},
};

use rustc_hash::FxHashMap;

use crate::{
    graph::{
        Edge, Heading, Node, NodeId, NodeKind, OpenCall, View,
        view::{inward, outward, run},
    },
    store::{
        Store, StoreError, Table,
        records::{self, IncomingEdges, Key, Names, OutgoingEdge, OutgoingEdges, PackedNodeRecord},
    },
};

/// One state of the store, open for questions.
pub(crate) struct StoredGraph {
    store: Store,
    files: Vec<StoredFile>,
    /// Where the nodes of each file end.
    ends: Vec<u32>,
    by_key: FxHashMap<Key, usize>,
    buckets: Vec<OnceLock<Names>>,
    names: OnceLock<Vec<(String, usize)>>,
    fault: Mutex<Option<StoreError>>,
}

struct StoredFile {
    key: Key,
    path: String,
    nodes: Range<u32>,
    loaded: OnceLock<Loaded>,
    outward: OnceLock<ByNode>,
    inward: OnceLock<ByNode>,
}

/// Edges by the node of a file that is one end of theirs.
#[derive(Default)]
struct ByNode {
    edges: Vec<Edge>,
    /// Where the edges of each node end.
    ends: Vec<usize>,
}

impl ByNode {
    /// Those of the node at a place of its file.
    fn at(&self, node: usize) -> &[Edge] {
        let start = node.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let range = start.unwrap_or_default()..self.ends.get(node).copied().unwrap_or_default();
        self.edges.get(range).unwrap_or_default()
    }
}

#[derive(Default)]
struct Loaded {
    part: Option<PackedNodeRecord>,
    /// The nodes that were asked for.
    nodes: Vec<OnceLock<Option<Box<Node>>>>,
    /// Calls that are bound to nothing, once they were asked for.
    open: OnceLock<Vec<OpenCall>>,
}

impl StoredGraph {
    /// Opens the state that `store` has begun to read; `files` are number, path and number of nodes, sorted by path.
    pub(crate) fn new(store: Store, files: impl Iterator<Item = (Key, String, u32)>) -> Self {
        let mut end = 0;
        let files: Vec<StoredFile> = files
            .filter(|(_, _, nodes)| *nodes > 0)
            .map(|(key, path, nodes)| {
                let start = end;
                end += nodes;
                StoredFile {
                    key,
                    path,
                    nodes: start..end,
                    loaded: OnceLock::new(),
                    outward: OnceLock::new(),
                    inward: OnceLock::new(),
                }
            })
            .collect();
        Self {
            ends: files.iter().map(|file| file.nodes.end).collect(),
            by_key: files.iter().enumerate().map(|(at, file)| (file.key, at)).collect(),
            files,
            store,
            buckets: (0..records::BUCKETS).map(|_| OnceLock::new()).collect(),
            names: OnceLock::new(),
            fault: Mutex::new(None),
        }
    }

    /// What is wrong with the store, when something is.
    pub(crate) fn fault(&self) -> Option<StoreError> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Gives the store back.
    pub(crate) fn into_store(self) -> Store {
        self.store
    }

    /// Ends the reading. What was read is taken apart by nobody who is waited for: it can be as much work as many an answer.
    pub(crate) fn end(self) {
        let Self { store, files, buckets, names, .. } = self;
        drop(store);
        rayon::spawn(move || drop((files, buckets, names)));
    }

    fn file_of(&self, id: NodeId) -> Option<&StoredFile> {
        self.files.get(self.ends.partition_point(|end| *end <= id.0))
    }

    fn note<T: Default>(&self, result: Result<T, StoreError>) -> T {
        result.unwrap_or_else(|error| {
            let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
            fault.get_or_insert(error);
            T::default()
        })
    }

    fn loaded<'a>(&'a self, file: &'a StoredFile) -> &'a Loaded {
        file.loaded.get_or_init(|| self.note(self.load(file)))
    }

    fn departing(&self, file: &StoredFile) -> Result<ByNode, StoreError> {
        let departures: OutgoingEdges =
            records::unseal(&self.blob(Table::OutgoingEdges, file.key)?)?;
        let mut edges = Vec::new();
        for edge in departures.all() {
            let edge = edge?;
            let at = self.by_key.get(&edge.target).ok_or_else(missing)?;
            edges.push(between(&file.nodes, &self.files[*at].nodes, &edge)?);
        }
        Ok(in_order(&file.nodes, &edges, |edge| edge.from, outward))
    }

    fn load(&self, file: &StoredFile) -> Result<Loaded, StoreError> {
        let part = PackedNodeRecord::new(self.blob(Table::Parts, file.key)?)?;
        if part.nodes().len() != file.nodes.len() {
            return Err(missing());
        }
        Ok(Loaded {
            nodes: std::iter::repeat_with(OnceLock::new).take(file.nodes.len()).collect(),
            part: Some(part),
            open: OnceLock::new(),
        })
    }

    fn open<'a>(&'a self, file: &'a StoredFile) -> &'a [OpenCall] {
        let loaded = self.loaded(file);
        let read = || {
            let Some(part) = &loaded.part else { return Ok(Vec::new()) };
            let calls = part.open_calls()?.into_iter().map(|(from, name, line, outside)| {
                let from = NodeId(file.nodes.start.saturating_add(from));
                OpenCall { from, name, line, outside }
            });
            Ok(calls.collect())
        };
        loaded.open.get_or_init(|| self.note(read()))
    }

    fn arriving(&self, file: &StoredFile) -> Result<ByNode, StoreError> {
        let mut edges = Vec::new();
        IncomingEdges::read(&self.blob(Table::Inward, file.key)?, file.key, |source, edge| {
            let at = self.by_key.get(&source).ok_or_else(missing)?;
            edges.push(between(&self.files[*at].nodes, &file.nodes, edge)?);
            Ok(())
        })?;
        Ok(in_order(&file.nodes, &edges, |edge| edge.to, inward))
    }

    fn blob(&self, table: Table, key: Key) -> Result<Vec<u8>, StoreError> {
        self.store.get(table, key)?.ok_or_else(missing)
    }

    fn bucket(&self, number: u32) -> &Names {
        self.buckets[number as usize].get_or_init(|| {
            self.note(
                self.blob(Table::Names, number.into()).and_then(|blob| records::unseal(&blob)),
            )
        })
    }
}

impl View for StoredGraph {
    fn node(&self, id: NodeId) -> Option<&Node> {
        let file = self.file_of(id)?;
        let loaded = self.loaded(file);
        let at = (id.0 - file.nodes.start) as usize;
        let make = || {
            let part = loaded.part.as_ref()?;
            let node = part.nodes().node(at, &file.path, part.language);
            self.note(node.map(|node| Some(Box::new(node))))
        };
        loaded.nodes.get(at)?.get_or_init(make).as_deref()
    }

    fn path_of(&self, id: NodeId) -> Option<&str> {
        self.file_of(id).map(|file| file.path.as_str())
    }

    fn heading(&self, id: NodeId) -> Option<Heading<'_>> {
        let file = self.file_of(id)?;
        let packed = self.loaded(file).part.as_ref()?.nodes();
        self.note(packed.heading((id.0 - file.nodes.start) as usize, &file.path).map(Some))
    }

    fn kind(&self, id: NodeId) -> Option<NodeKind> {
        let file = self.file_of(id)?;
        let packed = self.loaded(file).part.as_ref()?.nodes();
        self.note(packed.kind((id.0 - file.nodes.start) as usize).map(Some))
    }

    fn outgoing(&self, id: NodeId) -> &[Edge] {
        let Some(file) = self.file_of(id) else { return &[] };
        let edges = file.outward.get_or_init(|| self.note(self.departing(file)));
        edges.at((id.0 - file.nodes.start) as usize)
    }

    fn incoming(&self, id: NodeId) -> &[Edge] {
        let Some(file) = self.file_of(id) else { return &[] };
        let edges = file.inward.get_or_init(|| self.note(self.arriving(file)));
        edges.at((id.0 - file.nodes.start) as usize)
    }

    fn open_calls(&self, id: NodeId) -> &[OpenCall] {
        self.file_of(id).map_or(&[], |file| run(self.open(file), id, |call| call.from))
    }

    fn named(&self, folded: &str) -> Vec<NodeId> {
        let mut found = Vec::new();
        for (name, key, _) in self.bucket(records::bucket(folded)) {
            if name.to_lowercase() != folded {
                continue;
            }
            let Some(file) = self.by_key.get(key).map(|at| &self.files[*at]) else {
                self.note::<()>(Err(missing()));
                continue;
            };
            let Some(part) = &self.loaded(file).part else { continue };
            let packed = part.nodes();
            for (at, id) in file.nodes.clone().enumerate().take(packed.len()) {
                match packed.name(at) {
                    Ok(known) if known == name => found.push(NodeId(id)),
                    Ok(_) => {}
                    Err(error) => self.note(Err(error)),
                }
            }
        }
        found.sort_unstable();
        found
    }

    fn names(&self) -> Vec<(&str, usize)> {
        let names = self.names.get_or_init(|| {
            let mut names: Vec<(String, usize)> = Vec::new();
            let all = (0..records::BUCKETS).flat_map(|number| self.bucket(number));
            for (name, _, count) in all {
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

    fn files(&self) -> Vec<(&str, Range<u32>)> {
        self.files.iter().map(|file| (file.path.as_str(), file.nodes.clone())).collect()
    }

    fn nodes_of(&self, path: &str) -> Range<u32> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path));
        at.map_or(0..0, |at| self.files[at].nodes.clone())
    }
}

/// An edge between two files by their nodes.
fn between(from: &Range<u32>, to: &Range<u32>, edge: &OutgoingEdge) -> Result<Edge, StoreError> {
    let OutgoingEdge { kind, line, resolution, .. } = *edge;
    let ends = (from.start.saturating_add(edge.from), to.start.saturating_add(edge.to));
    if !from.contains(&ends.0) || !to.contains(&ends.1) {
        return Err(missing());
    }
    Ok(Edge { from: NodeId(ends.0), kind, to: NodeId(ends.1), line, resolution })
}

/// The edges at the nodes of a file in their order, each once: first by the node that is an `end` of theirs, then by `key`, which
/// begins with it.
fn in_order<K: Ord>(
    nodes: &Range<u32>,
    edges: &[Edge],
    end: impl Fn(&Edge) -> NodeId,
    key: impl Fn(&Edge) -> K,
) -> ByNode {
    let Some(first) = edges.first() else { return ByNode::default() };
    // A node has few edges, and a file many.
    let place = |edge: &Edge| (end(edge).0 - nodes.start) as usize;
    let mut ends = vec![0_usize; nodes.len()];
    edges.iter().for_each(|edge| ends[place(edge)] += 1);
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    let mut sorted = vec![*first; edges.len()];
    for edge in edges {
        let end = &mut ends[place(edge)];
        sorted[*end] = *edge;
        *end += 1;
    }
    let (mut start, mut kept) = (0, 0);
    for end in &mut ends {
        let of_node = &mut sorted[start..*end];
        of_node.sort_unstable_by_key(&key);
        start = *end;
        // The same edge may have been found twice.
        let first = kept;
        for at in start - of_node.len()..start {
            if kept == first || sorted[kept - 1] != sorted[at] {
                sorted[kept] = sorted[at];
                kept += 1;
            }
        }
        *end = kept;
    }
    sorted.truncate(kept);
    ByNode { edges: sorted, ends }
}

fn missing() -> StoreError {
    StoreError::Damaged("records don't fit together".to_owned())
}
