//! The documents of the collections, and their conversion to nodes, edges and packages.

use std::borrow::Cow;

use retriever_graph::{Edge, EdgeKind, EdgeResolution, Node, NodeKind, indexing::ImportedNameUse};
use serde::{Deserialize, Serialize};

use super::arango_collections::collection_of;
use crate::{
    graph_database::{
        NodeKey, SnapshotKey, StoredEdge, StoredExternalUse, StoredNode, StoredPackage,
    },
    packages::{Ecosystem, PackageMention},
    repository_snapshot::{RepositoryId, RepositorySnapshot, is_member, without_nul},
};

/// The publication that a document belongs to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PublicationDocument {
    repository: String,
    snapshot: i32,
}

/// A node, in the collection of its kind.
#[derive(Serialize, Deserialize)]
pub(super) struct NodeDocument<'d> {
    #[serde(rename = "_key", skip_deserializing)]
    key: String,
    #[serde(flatten)]
    publication: PublicationDocument,
    number: u32,
    kind: NodeKind,
    name: Cow<'d, str>,
    #[serde(skip_deserializing)]
    folded: String,
    qname: Cow<'d, str>,
    path: Cow<'d, str>,
    start_line: u32,
    end_line: u32,
    name_line: u32,
    signature: Cow<'d, str>,
    is_declaration: bool,
    is_member: bool,
    is_private: bool,
}

/// A node as statements return it.
#[derive(Deserialize)]
pub(super) struct NodeRow {
    node: NodeDocument<'static>,
    /// The repository's name.
    repository: String,
}

/// An edge, in the collection of its kind.
#[derive(Serialize)]
pub(super) struct EdgeDocument {
    #[serde(rename = "_from")]
    from: String,
    #[serde(rename = "_to")]
    to: String,
    #[serde(flatten)]
    row: EdgeRow,
}

/// An edge as statements return it.
#[derive(Serialize, Deserialize)]
pub(super) struct EdgeRow {
    #[serde(flatten)]
    publication: PublicationDocument,
    kind: EdgeKind,
    from_node: u32,
    from_kind: NodeKind,
    to_node: u32,
    to_kind: NodeKind,
    line: u32,
    resolution: EdgeResolution,
}

/// Number of nodes of a publication with a name.
#[derive(Serialize)]
pub(super) struct NameDocument<'d> {
    #[serde(rename = "_key")]
    key: String,
    #[serde(flatten)]
    publication: PublicationDocument,
    folded: &'d str,
    total: u32,
}

/// A package that a manifest names.
#[derive(Serialize, Deserialize)]
pub(super) struct PackageDocument {
    #[serde(rename = "_key", skip_deserializing)]
    key: String,
    #[serde(flatten)]
    publication: PublicationDocument,
    #[serde(flatten)]
    mention: PackageMention,
}

/// A use of an import.
#[derive(Serialize, Deserialize)]
pub(super) struct ImportUseDocument {
    #[serde(rename = "_key", skip_deserializing)]
    key: String,
    #[serde(flatten)]
    publication: PublicationDocument,
    from_node: u32,
    from_kind: NodeKind,
    kind: EdgeKind,
    line: u32,
    ecosystem: Ecosystem,
    module: Vec<String>,
    names: Vec<String>,
    #[serde(skip_deserializing)]
    name: String,
    is_of_value: bool,
    #[serde(default)]
    arguments: Option<Vec<String>>,
}

impl PublicationDocument {
    pub(super) fn of(key: SnapshotKey) -> Self {
        Self { repository: key.repository.to_string(), snapshot: key.number }
    }

    fn key(&self) -> SnapshotKey {
        let id = u64::from_str_radix(&self.repository, 16).unwrap_or_default();
        SnapshotKey { repository: RepositoryId(id.cast_signed()), number: self.snapshot }
    }

    fn node(&self, node: u32) -> NodeKey {
        NodeKey { snapshot: self.key(), node }
    }

    /// Returns the key of the document with this number. A cluster shards by the part before the colon, the repository.
    fn document(&self, number: u32) -> String {
        format!("{}:{}-{number}", self.repository, self.snapshot)
    }
}

/// Returns the document key of a node.
pub(super) fn key_of(node: NodeKey) -> String {
    PublicationDocument::of(node.snapshot).document(node.node)
}

/// The documents of one publication.
pub(super) struct PublicationBatch<'s> {
    pub(super) snapshot: &'s RepositorySnapshot,
    pub(super) publication: PublicationDocument,
}

impl<'s> PublicationBatch<'s> {
    /// Returns the nodes in `collection`.
    pub(super) fn nodes(&self, collection: &str) -> impl Iterator<Item = NodeDocument<'s>> {
        let RepositorySnapshot { nodes, files, file_of, .. } = self.snapshot;
        let nodes =
            (0..).zip(nodes).filter(move |(_, node)| collection_of(node.kind) == collection);
        nodes.map(move |(number, node): (u32, &Node)| {
            let file = file_of.get(number as usize).and_then(|file| files.get(*file as usize));
            NodeDocument {
                key: self.publication.document(number),
                publication: self.publication.clone(),
                number,
                kind: node.kind,
                name: without_nul(&node.name),
                folded: without_nul(&node.name).to_lowercase(),
                qname: without_nul(&node.qname),
                path: file.map(|path| path.as_str()).unwrap_or_default().into(),
                start_line: node.start,
                end_line: node.end,
                name_line: node.name_line,
                signature: without_nul(&node.signature),
                is_declaration: node.is_declaration,
                is_member: is_member(node),
                is_private: node.is_private,
            }
        })
    }

    /// Returns the edges of a kind, without edges to or from a missing node.
    pub(super) fn edges(&self, kind: EdgeKind) -> impl Iterator<Item = EdgeDocument> {
        let kind_of = |node: u32| self.snapshot.nodes.get(node as usize).map(|node| node.kind);
        let edges = self.snapshot.edges.iter().filter(move |edge| edge.kind == kind);
        edges.filter_map(move |Edge { from, kind, to, line, resolution, .. }| {
            let (from_kind, to_kind) = (kind_of(from.0)?, kind_of(to.0)?);
            let id =
                |node, kind| format!("{}/{}", collection_of(kind), self.publication.document(node));
            Some(EdgeDocument {
                from: id(from.0, from_kind),
                to: id(to.0, to_kind),
                row: EdgeRow {
                    publication: self.publication.clone(),
                    kind: *kind,
                    from_node: from.0,
                    from_kind,
                    to_node: to.0,
                    to_kind,
                    line: *line,
                    resolution: *resolution,
                },
            })
        })
    }

    pub(super) fn names<'n>(
        &self,
        names: impl Iterator<Item = (&'n str, u32)>,
    ) -> impl Iterator<Item = NameDocument<'n>> {
        (0..).zip(names).map(|(number, (folded, total))| NameDocument {
            key: self.publication.document(number),
            publication: self.publication.clone(),
            folded,
            total,
        })
    }

    pub(super) fn packages(&self) -> impl Iterator<Item = PackageDocument> {
        (0..).zip(&self.snapshot.packages).map(|(number, mention)| PackageDocument {
            key: self.publication.document(number),
            publication: self.publication.clone(),
            mention: mention.clone(),
        })
    }

    pub(super) fn uses(&self) -> impl Iterator<Item = ImportUseDocument> {
        let uses = (0..).zip(&self.snapshot.uses);
        uses.filter_map(|(number, (ecosystem, site))| {
            let ImportedNameUse { from, kind, line, module, names, is_of_value, arguments, .. } =
                site.clone();
            Some(ImportUseDocument {
                key: self.publication.document(number),
                publication: self.publication.clone(),
                from_node: from,
                from_kind: self.snapshot.nodes.get(from as usize)?.kind,
                kind,
                line,
                ecosystem: *ecosystem,
                name: names.last().cloned().unwrap_or_default(),
                module,
                names,
                is_of_value,
                arguments,
            })
        })
    }
}

impl From<NodeRow> for StoredNode {
    fn from(row: NodeRow) -> Self {
        let NodeRow { node, repository } = row;
        Self {
            key: node.publication.node(node.number),
            repository,
            kind: node.kind,
            name: node.name.into_owned(),
            qname: node.qname.into_owned(),
            path: node.path.into_owned(),
            start: node.start_line,
            end: node.end_line,
            name_line: node.name_line,
            signature: node.signature.into_owned(),
            is_declaration: node.is_declaration,
            is_member: node.is_member,
            is_private: node.is_private,
        }
    }
}

impl From<EdgeRow> for StoredEdge {
    fn from(row: EdgeRow) -> Self {
        Self {
            from: row.publication.node(row.from_node),
            from_kind: row.from_kind,
            kind: row.kind,
            to: row.publication.node(row.to_node),
            to_kind: row.to_kind,
            line: row.line,
            resolution: row.resolution,
        }
    }
}

impl From<PackageDocument> for StoredPackage {
    fn from(document: PackageDocument) -> Self {
        Self { snapshot: document.publication.key(), mention: document.mention }
    }
}

impl From<ImportUseDocument> for StoredExternalUse {
    fn from(document: ImportUseDocument) -> Self {
        Self {
            from: document.publication.node(document.from_node),
            from_kind: document.from_kind,
            kind: document.kind,
            line: document.line,
            ecosystem: document.ecosystem,
            module: document.module,
            names: document.names,
            is_of_value: document.is_of_value,
            arguments: document.arguments,
        }
    }
}
