//! What is kept of a graph, as bytes: a file's nodes, the edges that leave them, who points at a file, names. Every
//! blob begins with a hash of the rest, so that a damaged one is found when it is read, and only what is asked for has to
//! be read.

use std::{collections::BTreeMap, ops::Range};

use retriever_workspace::storage;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use strum::VariantArray;

use crate::{
    graph::{EdgeKind, Language, Resolution},
    store::{
        StoreError,
        packed_nodes::{Bytes, Nodes, Packed},
    },
};

/// Blobs that names are spread over.
pub(crate) const BUCKETS: u32 = 64;

/// A file's number in the store; it stays the same while the file is there.
pub(crate) type Key = i64;

/// A file's nodes, and what they call that isn't known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) language: Language,
    pub(crate) nodes: Nodes,
    pub(crate) open: Vec<Open>,
}

/// A call bound to nothing: node, name, line, and whether it is known to lead outside.
pub(crate) type Open = (u32, String, u32, bool);

/// A [`Part`] as it is kept: where in its bytes is what. Of most parts little is read.
#[derive(Debug)]
pub(super) struct PackedNodeRecord {
    sealed: Vec<u8>,
    pub(super) language: Language,
    ends: Range<usize>,
    nodes: Range<usize>,
}

impl PackedNodeRecord {
    pub(super) fn new(sealed: Vec<u8>) -> Result<Self, StoreError> {
        let part = open(&sealed)?;
        let (language, rest): (Language, &[u8]) = take(part)?;
        let (ends, rest): (&[u8], &[u8]) = take(rest)?;
        let ends_end = sealed.len() - rest.len();
        let ends = ends_end - ends.len()..ends_end;
        let (nodes, rest): (&[u8], &[u8]) = take(rest)?;
        let nodes_end = sealed.len() - rest.len();
        let nodes = nodes_end - nodes.len()..nodes_end;
        Ok(Self { sealed, language, ends, nodes })
    }

    pub(super) fn nodes(&self) -> Packed<'_> {
        let bytes = |range: &Range<usize>| self.sealed.get(range.clone()).unwrap_or_default();
        Packed { ends: bytes(&self.ends), bytes: bytes(&self.nodes) }
    }

    /// The calls that are bound to nothing.
    pub(super) fn open_calls(&self) -> Result<Vec<Open>, StoreError> {
        let rest = self.sealed.get(self.nodes.end..).unwrap_or_default();
        postcard::from_bytes(rest).map_err(|_| not_understood())
    }
}

fn take<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<(T, &'a [u8]), StoreError> {
    postcard::take_from_bytes(bytes).map_err(|_| not_understood())
}

/// The edges that start in a file. They are apart from the nodes, since an edit elsewhere can change them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct OutgoingEdges {
    /// The files that edges lead to, sorted.
    pub(crate) targets: Vec<Key>,
    /// Edges that were found here.
    own: Vec<PackedEdge>,
    /// Edges that were found in other files, by file.
    foreign: Vec<(Key, Vec<PackedEdge>)>,
    /// Edges that follow from all files together.
    structural: Vec<PackedEdge>,
}

/// An edge that starts in a file: its node, and the other end by file and node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct OutgoingEdge {
    pub(crate) from: u32,
    pub(crate) kind: EdgeKind,
    pub(crate) target: Key,
    pub(crate) to: u32,
    pub(crate) line: u32,
    pub(crate) resolution: Resolution,
}

/// The edges that start in a file, by where they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edges {
    pub(crate) own: Vec<OutgoingEdge>,
    pub(crate) foreign: BTreeMap<Key, Vec<OutgoingEdge>>,
    pub(crate) structural: Vec<OutgoingEdge>,
}

/// The edges that arrive at a file, packed, by the file that they start in: who asks what arrives somewhere needn't read what
/// else leaves there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IncomingEdges(BTreeMap<Key, Bytes>);

/// From a node of the file to a node of one of its targets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct PackedEdge {
    from: u32,
    kind: u8,
    /// Place among the targets.
    target: u32,
    to: u32,
    line: u32,
    resolution: u8,
}

/// The names of one bucket: name, file, number of nodes.
pub(crate) type Names = Vec<(String, Key, u32)>;

impl OutgoingEdges {
    pub(crate) fn new(edges: &Edges) -> Self {
        let all = edges.own.iter().chain(edges.foreign.values().flatten()).chain(&edges.structural);
        let mut targets: Vec<Key> = all.map(|edge| edge.target).collect();
        targets.sort_unstable();
        targets.dedup();
        let cut = |edges: &[OutgoingEdge]| edges.iter().map(|edge| cut(*edge, &targets)).collect();
        let foreign = edges.foreign.iter().filter(|(_, edges)| !edges.is_empty());
        Self {
            own: cut(&edges.own),
            foreign: foreign.map(|(key, edges)| (*key, cut(edges))).collect(),
            structural: cut(&edges.structural),
            targets,
        }
    }

    /// The edges by where they were found.
    pub(crate) fn edges(&self) -> Result<Edges, StoreError> {
        let whole = |edges: &[PackedEdge]| -> Result<Vec<OutgoingEdge>, StoreError> {
            edges.iter().map(|edge| self.whole(edge)).collect()
        };
        let foreign = self.foreign.iter().map(|(key, edges)| Ok((*key, whole(edges)?)));
        Ok(Edges {
            own: whole(&self.own)?,
            foreign: foreign.collect::<Result<_, StoreError>>()?,
            structural: whole(&self.structural)?,
        })
    }

    /// All edges.
    pub(super) fn all(&self) -> impl Iterator<Item = Result<OutgoingEdge, StoreError>> {
        let foreign = self.foreign.iter().flat_map(|(_, edges)| edges);
        let all = self.own.iter().chain(foreign).chain(&self.structural);
        all.map(|edge| self.whole(edge))
    }

    /// The edges to each of the targets, packed as [`IncomingEdges`] have them.
    pub(crate) fn by_target(&self) -> Result<BTreeMap<Key, Bytes>, StoreError> {
        let mut edges: Vec<OutgoingEdge> = self.all().collect::<Result<_, _>>()?;
        edges.sort_unstable();
        edges.dedup();
        let mut packed: BTreeMap<Key, Bytes> = BTreeMap::new();
        for edge in edges {
            let Bytes(bytes) = packed.entry(edge.target).or_default();
            *bytes = postcard::to_extend(&cut(edge, &[]), std::mem::take(bytes))
                .map_err(|error| StoreError::Unusable(error.to_string()))?;
        }
        Ok(packed)
    }

    fn whole(&self, edge: &PackedEdge) -> Result<OutgoingEdge, StoreError> {
        edge.to(*self.targets.get(edge.target as usize).ok_or_else(missing)?)
    }
}

impl IncomingEdges {
    /// Takes the edges of a file for those that it had before; none are removed.
    pub(crate) fn put(&mut self, source: Key, edges: Option<Bytes>) {
        match edges {
            Some(edges) => drop(self.0.insert(source, edges)),
            None => drop(self.0.remove(&source)),
        }
    }

    /// The files that edges come from.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Key> {
        self.0.keys().copied()
    }

    /// Calls `found` with every edge and the file that it starts in; `target` is the file of these arrivals.
    pub(super) fn read(
        sealed: &[u8],
        target: Key,
        mut found: impl FnMut(Key, &OutgoingEdge) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        // As a map is written, in the bytes that it is written in.
        let sources: Vec<(Key, &[u8])> = unseal_in(sealed)?;
        for (source, mut rest) in sources {
            while !rest.is_empty() {
                let edge: PackedEdge;
                (edge, rest) = take(rest)?;
                found(source, &edge.to(target)?)?;
            }
        }
        Ok(())
    }
}

impl PackedEdge {
    fn to(&self, target: Key) -> Result<OutgoingEdge, StoreError> {
        Ok(OutgoingEdge {
            from: self.from,
            kind: member(EdgeKind::VARIANTS, self.kind)?,
            target,
            to: self.to,
            line: self.line,
            resolution: member(Resolution::VARIANTS, self.resolution)?,
        })
    }
}

fn missing() -> StoreError {
    StoreError::Damaged("records don't fit together".to_owned())
}

fn cut(edge: OutgoingEdge, targets: &[Key]) -> PackedEdge {
    PackedEdge {
        from: edge.from,
        kind: place(EdgeKind::VARIANTS, edge.kind),
        target: u32::try_from(targets.partition_point(|key| *key < edge.target))
            .unwrap_or(u32::MAX),
        to: edge.to,
        line: edge.line,
        resolution: place(Resolution::VARIANTS, edge.resolution),
    }
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
    Ok(storage::seal(&payload))
}

/// Returns the payload of a record.
///
/// # Errors
///
/// [`StoreError::Damaged`] when the record does not fit its hash.
pub(crate) fn open(sealed: &[u8]) -> Result<&[u8], StoreError> {
    storage::unseal(sealed)
        .ok_or_else(|| StoreError::Damaged("a record does not fit its hash".to_owned()))
}

/// Reads back what [`seal`] wrote.
pub(crate) fn unseal<T: DeserializeOwned>(sealed: &[u8]) -> Result<T, StoreError> {
    unseal_in(sealed)
}

fn unseal_in<'a, T: Deserialize<'a>>(sealed: &'a [u8]) -> Result<T, StoreError> {
    postcard::from_bytes(open(sealed)?).map_err(|_| not_understood())
}

fn not_understood() -> StoreError {
    StoreError::Damaged("a record can't be understood".to_owned())
}

pub(super) fn place<T: Copy + PartialEq>(all: &[T], one: T) -> u8 {
    all.iter()
        .position(|known| *known == one)
        .and_then(|at| u8::try_from(at).ok())
        .unwrap_or(u8::MAX)
}

pub(super) fn member<T: Copy>(all: &[T], place: u8) -> Result<T, StoreError> {
    all.get(usize::from(place))
        .copied()
        .ok_or_else(|| StoreError::Damaged("a record holds an unknown kind".to_owned()))
}
