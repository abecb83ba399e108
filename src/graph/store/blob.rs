//! What is kept of a graph, as bytes: a file's nodes, the edges that leave them, who points at a file, names. Every
//! blob begins with a hash of the rest, so that a damaged one is found when it is read, and only what is asked for has to
//! be read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{StoreError, nodes::Nodes};
use crate::graph::{EdgeKind, Language, Resolution};

/// Bytes of the hash in front.
pub(crate) const SEAL: usize = 8;
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

/// What a [`Part`] begins with.
#[derive(Deserialize)]
pub(super) struct PartHead {
    pub(super) language: Language,
    pub(super) nodes: Nodes,
}

impl Part {
    /// The beginning of a part, and what [`Part::open`] reads. Few ask for that.
    pub(super) fn head(sealed: &[u8]) -> Result<(PartHead, &[u8]), StoreError> {
        postcard::take_from_bytes(open(sealed)?).map_err(|_| not_understood())
    }

    pub(super) fn open(rest: &[u8]) -> Result<Vec<Open>, StoreError> {
        // What isn't there was found out when the head was read.
        if rest.is_empty() {
            Ok(Vec::new())
        } else {
            postcard::from_bytes(rest).map_err(|_| not_understood())
        }
    }
}

/// The edges that start in a file. They are apart from the nodes, since who asks what arrives somewhere reads the edges of
/// many files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Departures {
    /// The files that edges lead to, sorted.
    pub(crate) targets: Vec<Key>,
    /// Edges that were found here.
    own: Vec<PartEdge>,
    /// Edges that were found in other files, by file.
    foreign: Vec<(Key, Vec<PartEdge>)>,
    /// Edges that follow from all files together.
    structural: Vec<PartEdge>,
}

/// An edge that starts in a file: its node, and the other end by file and node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Leaving {
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
    pub(crate) own: Vec<Leaving>,
    pub(crate) foreign: BTreeMap<Key, Vec<Leaving>>,
    pub(crate) structural: Vec<Leaving>,
}

/// The edges that start in a file, by the file that they lead to.
#[derive(Debug, Default)]
pub(super) struct Routes {
    /// Sorted.
    targets: Vec<Key>,
    /// Where the edges to each target end.
    ends: Vec<usize>,
    edges: Vec<Leaving>,
}

/// From a node of the file to a node of one of its targets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct PartEdge {
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

impl Departures {
    pub(crate) fn new(edges: &Edges) -> Self {
        let all = edges.own.iter().chain(edges.foreign.values().flatten()).chain(&edges.structural);
        let mut targets: Vec<Key> = all.map(|edge| edge.target).collect();
        targets.sort_unstable();
        targets.dedup();
        let cut = |edges: &[Leaving]| edges.iter().map(|edge| cut(*edge, &targets)).collect();
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
        let whole = |edges: &[PartEdge]| -> Result<Vec<Leaving>, StoreError> {
            edges.iter().map(|edge| self.whole(edge)).collect()
        };
        let foreign = self.foreign.iter().map(|(key, edges)| Ok((*key, whole(edges)?)));
        Ok(Edges {
            own: whole(&self.own)?,
            foreign: foreign.collect::<Result<_, StoreError>>()?,
            structural: whole(&self.structural)?,
        })
    }

    /// The edges by the file that they lead to.
    pub(super) fn routes(self) -> Result<Routes, StoreError> {
        let foreign = self.foreign.iter().map(|(_, edges)| edges);
        let lists = || [&self.own].into_iter().chain(foreign.clone()).chain([&self.structural]);
        let mut ends = vec![0_usize; self.targets.len()];
        for edge in lists().flatten() {
            *ends.get_mut(edge.target as usize).ok_or_else(missing)? += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        let mut edges = Vec::new();
        if let Some(first) = lists().flatten().next() {
            edges.resize(sum, self.whole(first)?);
        }
        for edge in lists().flatten() {
            let end = &mut ends[edge.target as usize];
            edges[*end] = self.whole(edge)?;
            *end += 1;
        }
        Ok(Routes { targets: self.targets, ends, edges })
    }

    fn whole(&self, edge: &PartEdge) -> Result<Leaving, StoreError> {
        Ok(Leaving {
            from: edge.from,
            kind: member(EdgeKind::ALL, edge.kind)?,
            target: *self.targets.get(edge.target as usize).ok_or_else(missing)?,
            to: edge.to,
            line: edge.line,
            resolution: member(Resolution::ALL, edge.resolution)?,
        })
    }
}

impl Routes {
    /// The edges that lead to a file.
    pub(super) fn towards(&self, target: Key) -> &[Leaving] {
        self.targets.binary_search(&target).map_or(&[], |at| self.to(at))
    }

    /// The files that edges lead to, each with these edges.
    pub(super) fn all(&self) -> impl Iterator<Item = (Key, &[Leaving])> {
        self.targets.iter().enumerate().map(|(at, target)| (*target, self.to(at)))
    }

    fn to(&self, at: usize) -> &[Leaving] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[start..self.ends[at]]
    }
}

fn missing() -> StoreError {
    StoreError::Damaged("records don't fit together".to_owned())
}

fn cut(edge: Leaving, targets: &[Key]) -> PartEdge {
    PartEdge {
        from: edge.from,
        kind: place(EdgeKind::ALL, edge.kind),
        target: u32::try_from(targets.partition_point(|key| *key < edge.target))
            .unwrap_or(u32::MAX),
        to: edge.to,
        line: edge.line,
        resolution: place(Resolution::ALL, edge.resolution),
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
