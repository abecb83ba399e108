//! The graph in the store, read part by part as questions reach it. Damage that comes to light on the way is kept and ends
//! the answer: [`StoredGraph::fault`] has to be asked before an answer is believed.

use std::{
    ops::Range,
    sync::{Mutex, OnceLock, PoisonError},
};

use rustc_hash::FxHashMap;

use super::{
    Store, StoreError, Table,
    blob::{self, Departures, Key, Leaving, Names, Part, Routes},
    nodes::Nodes,
};
use crate::graph::{
    Edge, Heading, Language, Node, NodeId, NodeKind, OpenCall, View,
    view::{inward, outward, run},
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
    routes: OnceLock<Routes>,
    outward: OnceLock<Vec<Edge>>,
    inward: OnceLock<Vec<Edge>>,
}

#[derive(Default)]
struct Loaded {
    language: Option<Language>,
    packed: Nodes,
    /// Those that were asked for.
    nodes: Vec<OnceLock<Option<Node>>>,
    /// Calls that are bound to nothing, packed, and as they are asked for.
    rest: Vec<u8>,
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
                    routes: OnceLock::new(),
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
            buckets: (0..blob::BUCKETS).map(|_| OnceLock::new()).collect(),
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

    fn outward<'a>(&'a self, file: &'a StoredFile) -> &'a [Edge] {
        file.outward.get_or_init(|| self.note(self.departing(file)))
    }

    fn routes<'a>(&'a self, file: &'a StoredFile) -> &'a Routes {
        let read = || {
            let departures: Departures = blob::unseal(&self.blob(Table::Departures, file.key)?)?;
            departures.routes()
        };
        file.routes.get_or_init(|| self.note(read()))
    }

    fn departing(&self, file: &StoredFile) -> Result<Vec<Edge>, StoreError> {
        let mut edges = Vec::new();
        for (target, routes) in self.routes(file).all().filter(|(_, routes)| !routes.is_empty()) {
            let at = self.by_key.get(&target).ok_or_else(missing)?;
            let target = &self.files[*at].nodes;
            for edge in routes {
                edges.push(between(&file.nodes, target, edge)?);
            }
        }
        Ok(in_order(&file.nodes, &edges, |edge| edge.from, outward))
    }

    fn load(&self, file: &StoredFile) -> Result<Loaded, StoreError> {
        let sealed = self.blob(Table::Parts, file.key)?;
        let (part, rest) = Part::head(&sealed)?;
        if part.nodes.len() != file.nodes.len() {
            return Err(missing());
        }
        Ok(Loaded {
            language: Some(part.language),
            nodes: std::iter::repeat_with(OnceLock::new).take(part.nodes.len()).collect(),
            packed: part.nodes,
            rest: rest.to_vec(),
            open: OnceLock::new(),
        })
    }

    fn open<'a>(&'a self, file: &'a StoredFile) -> &'a [OpenCall] {
        let loaded = self.loaded(file);
        let read = || {
            let calls = Part::open(&loaded.rest)?.into_iter().map(|(from, name, line, outside)| {
                let from = NodeId(file.nodes.start.saturating_add(from));
                OpenCall { from, name, line, outside }
            });
            Ok(calls.collect())
        };
        loaded.open.get_or_init(|| self.note(read()))
    }

    fn arriving(&self, file: &StoredFile) -> Result<Vec<Edge>, StoreError> {
        let sources: Vec<Key> = blob::unseal(&self.blob(Table::Inward, file.key)?)?;
        let mut edges = Vec::new();
        for key in sources {
            let source = self.by_key.get(&key).map(|at| &self.files[*at]).ok_or_else(missing)?;
            // Of most sources nothing else is asked, so that their edges aren't put in order.
            for edge in self.routes(source).towards(file.key) {
                edges.push(between(&source.nodes, &file.nodes, edge)?);
            }
        }
        Ok(in_order(&file.nodes, &edges, |edge| edge.to, inward))
    }

    fn blob(&self, table: Table, key: Key) -> Result<Vec<u8>, StoreError> {
        self.store.get(table, key)?.ok_or_else(missing)
    }

    fn bucket(&self, number: u32) -> &Names {
        self.buckets[number as usize].get_or_init(|| {
            self.note(self.blob(Table::Names, number.into()).and_then(|blob| blob::unseal(&blob)))
        })
    }
}

impl View for StoredGraph {
    fn node(&self, id: NodeId) -> Option<&Node> {
        let file = self.file_of(id)?;
        let loaded = self.loaded(file);
        let at = (id.0 - file.nodes.start) as usize;
        let make = || self.note(loaded.packed.node(at, &file.path, loaded.language?).map(Some));
        loaded.nodes.get(at)?.get_or_init(make).as_ref()
    }

    fn path_of(&self, id: NodeId) -> Option<&str> {
        self.file_of(id).map(|file| file.path.as_str())
    }

    fn heading(&self, id: NodeId) -> Option<Heading<'_>> {
        let file = self.file_of(id)?;
        let packed = &self.loaded(file).packed;
        let at = (id.0 - file.nodes.start) as usize;
        (at < packed.len()).then(|| self.note(packed.heading(at, &file.path).map(Some))).flatten()
    }

    fn kind(&self, id: NodeId) -> Option<NodeKind> {
        let file = self.file_of(id)?;
        let packed = &self.loaded(file).packed;
        let at = (id.0 - file.nodes.start) as usize;
        (at < packed.len()).then(|| self.note(packed.kind(at).map(Some))).flatten()
    }

    fn outgoing(&self, id: NodeId) -> &[Edge] {
        self.file_of(id).map_or(&[], |file| run(self.outward(file), id, |edge| edge.from))
    }

    fn incoming(&self, id: NodeId) -> &[Edge] {
        let Some(file) = self.file_of(id) else { return &[] };
        let edges = file.inward.get_or_init(|| self.note(self.arriving(file)));
        run(edges, id, |edge| edge.to)
    }

    fn open_calls(&self, id: NodeId) -> &[OpenCall] {
        self.file_of(id).map_or(&[], |file| run(self.open(file), id, |call| call.from))
    }

    fn named(&self, folded: &str) -> Vec<NodeId> {
        let mut found = Vec::new();
        for (name, key, _) in self.bucket(blob::bucket(folded)) {
            if name.to_lowercase() != folded {
                continue;
            }
            let Some(file) = self.by_key.get(key).map(|at| &self.files[*at]) else {
                self.note::<()>(Err(missing()));
                continue;
            };
            let packed = &self.loaded(file).packed;
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
            let all = (0..blob::BUCKETS).flat_map(|number| self.bucket(number));
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
fn between(from: &Range<u32>, to: &Range<u32>, edge: &Leaving) -> Result<Edge, StoreError> {
    let Leaving { kind, line, resolution, .. } = *edge;
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
) -> Vec<Edge> {
    let Some(first) = edges.first() else { return Vec::new() };
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
    let mut start = 0;
    for end in ends {
        sorted[start..end].sort_unstable_by_key(&key);
        start = end;
    }
    sorted.dedup();
    sorted
}

fn missing() -> StoreError {
    StoreError::Damaged("records don't fit together".to_owned())
}
