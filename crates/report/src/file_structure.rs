//! What the syntax and the code graph say of a file: its declarations and how they are related to others. The validator
//! takes it as data, since it reads no files and asks no graph.

use crate::prose_normalization::is_word_char_or_dollar;
use retriever_graph::{EdgeKind, Graph, NodeId, NodeKind};
use retriever_search::Declaration;
use retriever_workspace::LineRange;

/// Most relations that are kept of a file.
const MAX_RELATIONS: usize = 20_000;

/// Whether the other end of a relation is its target or its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RelationDirection {
    /// The declaration of this file names the other one.
    Outgoing,
    /// The other declaration names the one of this file.
    Incoming,
}

/// An edge of the graph, seen from one file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Relation {
    /// The declaration of this file.
    pub own: String,
    /// The lines at which the edge holds: of an outgoing edge the line that makes it, of an incoming one the declaration.
    pub range: LineRange,
    /// The declaration at the other end.
    pub other: String,
    /// The type that the other declaration belongs to.
    pub other_container: Option<String>,
    /// Which end the other declaration is.
    pub direction: RelationDirection,
    /// Whether the edge is a call.
    pub is_call: bool,
}

/// Declarations and relations of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileStructure {
    /// The declarations, by lines.
    pub declarations: Vec<Declaration>,
    /// The lines of each declaration, with its signature and the name of the type or module that it belongs to.
    pub heads: Vec<(LineRange, String)>,
    /// The relations.
    pub relations: Vec<Relation>,
}

impl FileStructure {
    /// Returns what `graph` knows of the file at `path`; nothing when the file is not in it.
    pub fn from_graph(graph: &Graph, path: &str) -> Self {
        let mut structure = Self::default();
        for id in graph.nodes_of(path).map(NodeId) {
            let Some(own) = graph.heading(id) else { continue };
            let Some(range) = LineRange::new(own.start, own.end) else { continue };
            if own.kind == NodeKind::File {
                continue;
            }
            let kind = own.kind.to_string();
            structure.declarations.push(Declaration { range, name: own.name.to_owned(), kind });
            let signature = graph.node(id).map_or("", |node| node.signature.as_str());
            let owner = container(own.qname).unwrap_or_default();
            structure.heads.push((range, format!("{owner} {signature}")));
            let ends = graph
                .outgoing(id)
                .iter()
                .map(|edge| {
                    (edge, edge.to, RelationDirection::Outgoing, LineRange::line(edge.line))
                })
                .chain(
                    graph
                        .incoming(id)
                        .iter()
                        .map(|edge| (edge, edge.from, RelationDirection::Incoming, Some(range))),
                );
            for (edge, end, direction, range) in ends {
                let (Some(other), Some(range)) = (graph.heading(end), range) else { continue };
                if edge.kind == EdgeKind::Parent || other.kind == NodeKind::File {
                    continue;
                }
                if structure.relations.len() == MAX_RELATIONS {
                    break;
                }
                structure.relations.push(Relation {
                    own: own.name.to_owned(),
                    range,
                    other: other.name.to_owned(),
                    other_container: container(other.qname),
                    direction,
                    is_call: matches!(edge.kind, EdgeKind::Calls | EdgeKind::Triggers),
                });
            }
        }
        structure
    }
}

/// Returns the part before the last one of a qualified name.
fn container(qname: &str) -> Option<String> {
    let parts = qname.rsplit(|c| !is_word_char_or_dollar(c));
    // `::` separates two parts, with an empty one between them.
    parts.filter(|part| !part.is_empty()).nth(1).map(str::to_owned)
}
