//! What is kept of a graph, as bytes: a file's nodes with the edges that leave them, who points at a file, names. Every
//! blob begins with a hash of the rest, so that a damaged one is found when it is read, and only what is asked for has to
//! be read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::StoreError;
use crate::graph::{EdgeKind, Graph, Language, Node, NodeId, NodeKind, Resolution, View};

/// Bytes of the hash in front.
pub(crate) const SEAL: usize = 8;
/// Blobs that names are spread over.
pub(crate) const BUCKETS: u32 = 64;

/// A file's number in the store; it stays the same while the file is there.
pub(crate) type Key = i64;

/// A file's share of the graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) language: Language,
    pub(crate) nodes: Vec<PartNode>,
    /// The files that edges lead to, sorted.
    pub(crate) targets: Vec<Key>,
    pub(crate) edges: Vec<PartEdge>,
    /// Calls bound to nothing: node, name, line, and whether they are known to lead outside.
    pub(crate) open: Vec<(u32, String, u32, bool)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartNode {
    kind: u8,
    name: String,
    qname: String,
    start: u32,
    end: u32,
    name_line: u32,
    signature: String,
    doc: String,
    marks: u8,
}

/// From a node of the file to a node of one of its targets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartEdge {
    pub(crate) from: u32,
    kind: u8,
    /// Place in the part's targets.
    pub(crate) target: u32,
    pub(crate) to: u32,
    pub(crate) line: u32,
    resolution: u8,
}

/// The names of one bucket: name, file, number of nodes.
pub(crate) type Names = Vec<(String, Key, u32)>;

impl PartNode {
    fn of(node: &Node) -> Self {
        let mark = |holds: bool, bit: u8| u8::from(holds) << bit;
        Self {
            kind: place(NodeKind::ALL, node.kind),
            name: node.name.clone(),
            qname: node.qname.clone(),
            start: node.start,
            end: node.end,
            name_line: node.name_line,
            signature: node.signature.clone(),
            doc: node.doc.clone(),
            marks: mark(node.is_method, 0)
                | mark(node.is_async, 1)
                | mark(node.is_private, 2)
                | mark(node.is_declaration, 3),
        }
    }

    pub(super) fn into_node(self, path: &str, language: Language) -> Result<Node, StoreError> {
        let mark = |bit: u8| self.marks >> bit & 1 == 1;
        Ok(Node {
            kind: member(NodeKind::ALL, self.kind)?,
            is_method: mark(0),
            is_async: mark(1),
            is_private: mark(2),
            is_declaration: mark(3),
            name: self.name,
            qname: self.qname,
            path: path.to_owned(),
            start: self.start,
            end: self.end,
            name_line: self.name_line,
            signature: self.signature,
            doc: self.doc,
            language,
        })
    }
}

impl PartEdge {
    pub(super) fn kind(&self) -> Result<EdgeKind, StoreError> {
        member(EdgeKind::ALL, self.kind)
    }

    pub(super) fn resolution(&self) -> Result<Resolution, StoreError> {
        member(Resolution::ALL, self.resolution)
    }
}

impl Part {
    /// Names of the nodes with their number.
    pub(crate) fn names(&self) -> BTreeMap<&str, u32> {
        let mut names = BTreeMap::new();
        for node in &self.nodes {
            *names.entry(node.name.as_str()).or_default() += 1;
        }
        names
    }
}

/// Cuts a graph into the parts of its files; `keys` are the files' numbers by path.
pub(crate) fn parts(graph: &Graph, keys: &BTreeMap<&str, Key>) -> BTreeMap<Key, Part> {
    let files: Vec<(Key, std::ops::Range<u32>)> = graph
        .files()
        .into_iter()
        .filter_map(|(path, nodes)| Some((*keys.get(path)?, nodes)))
        .collect();
    let home = |id: NodeId| {
        let at = files.partition_point(|(_, nodes)| nodes.end <= id.0);
        files.get(at).map(|(key, nodes)| (*key, id.0 - nodes.start))
    };
    let mut parts = BTreeMap::new();
    for (key, range) in &files {
        let ids = || range.clone().map(NodeId);
        let Some(language) = graph.node(NodeId(range.start)).map(|node| node.language) else {
            continue;
        };
        let edges = || ids().flat_map(|id| graph.outgoing(id));
        let mut targets: Vec<Key> = edges().filter_map(|edge| Some(home(edge.to)?.0)).collect();
        targets.sort_unstable();
        targets.dedup();
        let cut = edges().filter_map(|edge| {
            let (target, to) = home(edge.to)?;
            let target = u32::try_from(targets.binary_search(&target).ok()?).ok()?;
            Some(PartEdge {
                from: edge.from.0 - range.start,
                kind: place(EdgeKind::ALL, edge.kind),
                target,
                to,
                line: edge.line,
                resolution: place(Resolution::ALL, edge.resolution),
            })
        });
        let part = Part {
            language,
            nodes: ids().filter_map(|id| graph.node(id)).map(PartNode::of).collect(),
            edges: cut.collect(),
            open: ids()
                .flat_map(|id| View::open_calls(graph, id))
                .map(|call| (call.from.0 - range.start, call.name.clone(), call.line, call.outside))
                .collect(),
            targets,
        };
        parts.insert(*key, part);
    }
    parts
}

/// The bucket of a name.
pub(crate) fn bucket(name: &str) -> u32 {
    let hash = blake3::hash(name.to_lowercase().as_bytes());
    u32::from(hash.as_bytes()[0]) % BUCKETS
}

/// Returns a value as bytes behind their hash.
pub(crate) fn seal(value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    let payload =
        postcard::to_stdvec(value).map_err(|error| StoreError::Unusable(error.to_string()))?;
    Ok(seal_bytes(&payload))
}

/// Returns bytes behind their hash.
pub(crate) fn seal_bytes(payload: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(SEAL + payload.len());
    sealed.extend_from_slice(&blake3::hash(payload).as_bytes()[..SEAL]);
    sealed.extend_from_slice(payload);
    sealed
}

/// Returns what stands behind a hash that fits.
pub(crate) fn open(sealed: &[u8]) -> Result<&[u8], StoreError> {
    match sealed.split_at_checked(SEAL) {
        Some((seal, payload)) if blake3::hash(payload).as_bytes()[..SEAL] == *seal => Ok(payload),
        _ => Err(StoreError::Damaged("a record does not fit its hash".to_owned())),
    }
}

/// Reads back what [`seal`] wrote.
pub(crate) fn unseal<T: DeserializeOwned>(sealed: &[u8]) -> Result<T, StoreError> {
    postcard::from_bytes(open(sealed)?)
        .map_err(|_| StoreError::Damaged("a record can't be understood".to_owned()))
}

fn place<T: Copy + PartialEq>(all: &[T], one: T) -> u8 {
    all.iter()
        .position(|known| *known == one)
        .and_then(|at| u8::try_from(at).ok())
        .unwrap_or(u8::MAX)
}

fn member<T: Copy>(all: &[T], place: u8) -> Result<T, StoreError> {
    all.get(usize::from(place))
        .copied()
        .ok_or_else(|| StoreError::Damaged("a record holds an unknown kind".to_owned()))
}
