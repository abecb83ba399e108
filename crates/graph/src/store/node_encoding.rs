//! The nodes of a file as bytes, one after the other. A question that reaches a file reads few of its nodes, and only
//! those are unpacked.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Visitor},
};
use strum::VariantArray;

use crate::{
    graph_model::{Language, Node, NodeHeader, NodeKind},
    store::{
        StoreError,
        checksummed_record::{variant_at, variant_index},
    },
};

/// The nodes of one file, in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileNodes {
    /// Where each one ends, as numbers of four bytes, the lowest first.
    ends: PackedBytes,
    bytes: PackedBytes,
}

/// The nodes of one file inside the bytes of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedNodes<'a> {
    pub(super) ends: &'a [u8],
    pub(super) bytes: &'a [u8],
}

/// Bytes that are written and read as a whole, not one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PackedBytes(pub(crate) Vec<u8>);

/// A node. The name comes first, so that it can be read alone; what a search compares comes before what it prints.
#[derive(Serialize, Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    front: Front<'a>,
    signature: &'a str,
    doc: &'a str,
    flags: u8,
}

/// The front of a record: a [`NodeHeader`].
#[derive(Serialize, Deserialize)]
struct Front<'a> {
    name: &'a str,
    kind: u8,
    qname: &'a str,
    start: u32,
    end: u32,
    name_line: u32,
}

impl FileNodes {
    pub(crate) fn new(nodes: &[Node]) -> Result<Self, StoreError> {
        let mut packed = Self::default();
        for node in nodes {
            let flag = |holds: bool, bit: u8| u8::from(holds) << bit;
            let front = Front {
                name: &node.name,
                kind: variant_index(NodeKind::VARIANTS, node.kind),
                qname: &node.qname,
                start: node.start,
                end: node.end,
                name_line: node.name_line,
            };
            let record = Record {
                front,
                signature: &node.signature,
                doc: &node.doc,
                flags: flag(node.is_method, 0)
                    | flag(node.is_async, 1)
                    | flag(node.is_private, 2)
                    | flag(node.is_declaration, 3),
            };
            packed.bytes.0 = postcard::to_extend(&record, std::mem::take(&mut packed.bytes.0))
                .map_err(|error| StoreError::Unusable(error.to_string()))?;
            let end = u32::try_from(packed.bytes.0.len()).unwrap_or(u32::MAX);
            packed.ends.0.extend(end.to_le_bytes());
        }
        Ok(packed)
    }

    pub(crate) fn len(&self) -> usize {
        self.packed().len()
    }

    /// The names, each with the number of nodes that have it.
    pub(crate) fn names(&self) -> Result<BTreeMap<&str, u32>, StoreError> {
        let mut names = BTreeMap::new();
        for at in 0..self.len() {
            *names.entry(self.packed().name(at)?).or_default() += 1;
        }
        Ok(names)
    }

    fn packed(&self) -> PackedNodes<'_> {
        PackedNodes { ends: &self.ends.0, bytes: &self.bytes.0 }
    }
}

/// The heading of a node, without the path of its file.
pub(super) struct NodeHeading {
    /// The name, and the full name behind it.
    names: Box<str>,
    name_length: usize,
    kind: NodeKind,
    start: u32,
    end: u32,
    name_line: u32,
}

impl NodeHeading {
    /// The heading as one of a node of the file at `path`.
    pub(super) fn of_file<'a>(&'a self, path: &'a str) -> NodeHeader<'a> {
        let (name, qname) = self.names.split_at(self.name_length);
        let Self { kind, start, end, name_line, .. } = *self;
        NodeHeader { path, kind, name, qname, start, end, name_line }
    }
}

impl<'a> PackedNodes<'a> {
    pub(super) fn len(self) -> usize {
        self.ends.as_chunks::<4>().0.len()
    }

    fn record(self, at: usize) -> Result<&'a [u8], StoreError> {
        let end = |at: usize| {
            let end = self.ends.as_chunks().0.get(at)?;
            Some(u32::from_le_bytes(*end) as usize)
        };
        let start = at.checked_sub(1).and_then(end).unwrap_or_default();
        end(at).and_then(|end| self.bytes.get(start..end)).ok_or_else(malformed_node)
    }

    fn read<T: Deserialize<'a>>(self, at: usize) -> Result<T, StoreError> {
        let value = postcard::take_from_bytes(self.record(at)?);
        value.map(|(value, _)| value).map_err(|_| malformed_node())
    }

    /// The places of the nodes that have a name. It is compared as it is encoded: a file has many nodes, few of that name.
    pub(super) fn named(self, name: &str) -> Result<Vec<u32>, StoreError> {
        let name = postcard::to_stdvec(name).map_err(|_| malformed_node())?;
        let mut found = Vec::new();
        for (at, number) in (0..self.len()).zip(0..) {
            if self.record(at)?.starts_with(&name) {
                found.push(number);
            }
        }
        Ok(found)
    }

    /// The name of one node.
    pub(super) fn name(self, at: usize) -> Result<&'a str, StoreError> {
        self.read(at)
    }

    /// The kind of one node.
    pub(super) fn kind(self, at: usize) -> Result<NodeKind, StoreError> {
        let (_, kind): (&[u8], u8) = self.read(at)?;
        variant_at(NodeKind::VARIANTS, kind)
    }

    /// The heading of one node.
    pub(super) fn heading(self, at: usize) -> Result<NodeHeading, StoreError> {
        let Front { name, kind, qname, start, end, name_line } = self.read(at)?;
        let kind = variant_at(NodeKind::VARIANTS, kind)?;
        let names = [name, qname].concat().into_boxed_str();
        Ok(NodeHeading { names, name_length: name.len(), kind, start, end, name_line })
    }

    /// One node of the file at `path`.
    pub(super) fn node(
        self,
        at: usize,
        path: &str,
        language: Language,
    ) -> Result<Node, StoreError> {
        let record: Record<'_> = self.read(at)?;
        let Front { name, kind, qname, start, end, name_line } = record.front;
        let flag = |bit: u8| record.flags >> bit & 1 == 1;
        Ok(Node {
            kind: variant_at(NodeKind::VARIANTS, kind)?,
            name: name.to_owned(),
            qname: qname.to_owned(),
            path: path.to_owned(),
            start,
            end,
            name_line,
            signature: record.signature.to_owned(),
            doc: record.doc.to_owned(),
            language,
            is_method: flag(0),
            is_async: flag(1),
            is_private: flag(2),
            is_declaration: flag(3),
        })
    }
}

fn malformed_node() -> StoreError {
    StoreError::Damaged("a node can't be decoded".to_owned())
}

impl Serialize for PackedBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for PackedBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BytesVisitor;
        impl Visitor<'_> for BytesVisitor {
            type Value = PackedBytes;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<PackedBytes, E> {
                Ok(PackedBytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(BytesVisitor)
    }
}
