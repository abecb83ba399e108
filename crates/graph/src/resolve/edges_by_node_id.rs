//! Turns edges between definitions into edges between numbered nodes.

use crate::{
    graph_model::{CallDispatch, EdgeKind, EdgeResolution},
    resolve::{
        file_nodes::{NodeRef, node_ref},
        program_facts::{DefRef, FileId, ProgramFacts},
        reference_edges::ResolvedReferences,
        resolved_edge::{DefinitionEdge, EdgeEnd, ReferenceEdge, ReferenceEdgeKind},
        type_inference::InferenceCertainty,
    },
};

/// An edge between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeEdge {
    pub(crate) from: NodeRef,
    pub(crate) kind: EdgeKind,
    pub(crate) to: NodeRef,
    pub(crate) line: u32,
    pub(crate) resolution: EdgeResolution,
    pub(crate) dispatch: CallDispatch,
}

/// A call bound to nothing: node of the caller, name, line, and whether it is known to lead outside.
pub(crate) type UnboundCall<'p> = (u32, &'p str, u32, bool);

/// The edges and unresolved calls of one file, sorted.
#[derive(Debug, Default)]
pub(crate) struct ResolvedFileEdges<'p> {
    pub(crate) links: Vec<NodeEdge>,
    pub(crate) unbound: Vec<UnboundCall<'p>>,
}

/// Edges between definitions as edges between nodes; those to what is no node are left out.
pub(crate) fn links(program: &ProgramFacts<'_>, edges: Vec<DefinitionEdge>) -> Vec<NodeEdge> {
    let link = |DefinitionEdge { kind, from, to, line, certainty, dispatch }| {
        let (from, to) = (node_ref(program, from)?, node_ref(program, to)?);
        Some(NodeEdge { from, kind, to, line, resolution: resolution(certainty), dispatch })
    };
    let mut links: Vec<NodeEdge> = edges.into_iter().filter_map(link).collect();
    links.sort_unstable();
    // Of two calls on a line, the one that may run more tells what runs.
    links.dedup_by(|next, first| NodeEdge { dispatch: first.dispatch, ..*next } == *first);
    links
}

/// Returns the edges of a file between numbered nodes.
pub(crate) fn join<'p>(
    program: &'p ProgramFacts<'_>,
    file: FileId,
    references: ResolvedReferences,
    mut edges: Vec<DefinitionEdge>,
) -> ResolvedFileEdges<'p> {
    let caller = |from: Option<DefRef>| from.map_or(EdgeEnd::File(file), EdgeEnd::Def);
    edges.extend(references.found.into_iter().filter_map(
        |ReferenceEdge { kind, from, to, line, certainty, dispatch }| {
            let kind = match kind {
                ReferenceEdgeKind::Calls => EdgeKind::Calls,
                ReferenceEdgeKind::DecoratedBy => EdgeKind::DecoratedBy,
                ReferenceEdgeKind::References => EdgeKind::References,
                ReferenceEdgeKind::Constructs => EdgeKind::Constructs,
            };
            let to = EdgeEnd::Def(program.named(to)?);
            Some(DefinitionEdge { kind, from: caller(from), to, line, certainty, dispatch })
        },
    ));
    let mut unbound: Vec<UnboundCall<'p>> = references
        .open
        .into_iter()
        .filter_map(|(place, outside)| {
            let reference = &program.facts(file).refs[place as usize];
            let from = reference.from.and_then(|def| program.caller(DefRef { file, def }));
            let name = program.facts(file).open_call_name(reference.target)?;
            let from = node_ref(program, caller(from))?;
            Some((from.node, name, reference.line, outside))
        })
        .collect();
    unbound.sort_unstable();
    unbound.dedup();
    ResolvedFileEdges { links: links(program, edges), unbound }
}

fn resolution(certainty: InferenceCertainty) -> EdgeResolution {
    match certainty {
        InferenceCertainty::Exact => EdgeResolution::Exact,
        InferenceCertainty::Inferred => EdgeResolution::Inferred,
        InferenceCertainty::Dynamic => EdgeResolution::Dynamic,
    }
}
