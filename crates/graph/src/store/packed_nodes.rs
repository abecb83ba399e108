//! A file's nodes as bytes, one after the other: a question that reaches a file wants a few of them, and only those are
//! made.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Visitor},
};
use strum::VariantArray;

use crate::{
    graph::{Heading, Language, Node, NodeKind},
    store::{
        StoreError,
        records::{member, place},
    },
};

/// The nodes of one file, in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Nodes {
    /// Where each one ends, as numbers of four bytes.
    ends: Bytes,
    bytes: Bytes,
}

/// The nodes of one file in the bytes that they are kept in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed<'a> {
    pub(super) ends: &'a [u8],
    pub(super) bytes: &'a [u8],
}

/// Bytes that are read in one piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

/// The name comes first, so that it can be read alone, and what finds a node before what tells of it.
#[derive(Serialize, Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    beginning: Beginning<'a>,
    signature: &'a str,
    doc: &'a str,
    marks: u8,
}

/// How a record begins.
#[derive(Serialize, Deserialize)]
struct Beginning<'a> {
    name: &'a str,
    kind: u8,
    qname: &'a str,
    start: u32,
    end: u32,
    name_line: u32,
}

impl Nodes {
    pub(crate) fn new(nodes: &[Node]) -> Result<Self, StoreError> {
        let mut packed = Self::default();
        for node in nodes {
            let mark = |holds: bool, bit: u8| u8::from(holds) << bit;
            let beginning = Beginning {
                name: &node.name,
                kind: place(NodeKind::VARIANTS, node.kind),
                qname: &node.qname,
                start: node.start,
                end: node.end,
                name_line: node.name_line,
            };
            let record = Record {
                beginning,
                signature: &node.signature,
                doc: &node.doc,
                marks: mark(node.is_method, 0)
                    | mark(node.is_async, 1)
                    | mark(node.is_private, 2)
                    | mark(node.is_declaration, 3),
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

    /// Names with the number of nodes that have them.
    pub(crate) fn names(&self) -> Result<BTreeMap<&str, u32>, StoreError> {
        let mut names = BTreeMap::new();
        for at in 0..self.len() {
            *names.entry(self.packed().name(at)?).or_default() += 1;
        }
        Ok(names)
    }

    fn packed(&self) -> Packed<'_> {
        Packed { ends: &self.ends.0, bytes: &self.bytes.0 }
    }
}

impl<'a> Packed<'a> {
    pub(super) fn len(self) -> usize {
        self.ends.as_chunks::<4>().0.len()
    }

    fn read<T: Deserialize<'a>>(self, at: usize) -> Result<T, StoreError> {
        let unfit = || StoreError::Damaged("a node can't be understood".to_owned());
        let end = |at: usize| {
            let end = self.ends.as_chunks().0.get(at)?;
            Some(u32::from_le_bytes(*end) as usize)
        };
        let start = at.checked_sub(1).and_then(end).unwrap_or_default();
        let bytes = end(at).and_then(|end| self.bytes.get(start..end)).ok_or_else(unfit)?;
        postcard::take_from_bytes(bytes).map(|(value, _)| value).map_err(|_| unfit())
    }

    /// The name of one node.
    pub(super) fn name(self, at: usize) -> Result<&'a str, StoreError> {
        self.read(at)
    }

    /// What one node is.
    pub(super) fn kind(self, at: usize) -> Result<NodeKind, StoreError> {
        let (_, kind): (&[u8], u8) = self.read(at)?;
        member(NodeKind::VARIANTS, kind)
    }

    /// What one node of the file at `path` is called and where it stands.
    pub(super) fn heading(self, at: usize, path: &'a str) -> Result<Heading<'a>, StoreError> {
        let Beginning { name, kind, qname, start, end, name_line } = self.read(at)?;
        let kind = member(NodeKind::VARIANTS, kind)?;
        Ok(Heading { path, kind, name, qname, start, end, name_line })
    }

    /// One node of the file at `path`.
    pub(super) fn node(
        self,
        at: usize,
        path: &str,
        language: Language,
    ) -> Result<Node, StoreError> {
        let record: Record<'_> = self.read(at)?;
        let Beginning { name, kind, qname, start, end, name_line } = record.beginning;
        let mark = |bit: u8| record.marks >> bit & 1 == 1;
        Ok(Node {
            kind: member(NodeKind::VARIANTS, kind)?,
            name: name.to_owned(),
            qname: qname.to_owned(),
            path: path.to_owned(),
            start,
            end,
            name_line,
            signature: record.signature.to_owned(),
            doc: record.doc.to_owned(),
            language,
            is_method: mark(0),
            is_async: mark(1),
            is_private: mark(2),
            is_declaration: mark(3),
        })
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = Bytes;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Whole)
    }
}
