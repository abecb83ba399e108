//! Where a variable or a field is read and written. Such uses make no edges. When they are asked for, the files that
//! contain the name, or import it under another, are resolved.

use std::collections::BTreeSet;

use retriever_graph::{
    EdgeKind, Graph, NodeId, NodeKind, NodeQuery, RelatedNodesPage, indexing::GraphIndex,
};

use super::graph_question::GraphQuestion;
use crate::tools::grep::paths_with_word;

/// Most files that are looked at: those that import the value before others that hold its name.
pub(super) const MAX_FILES_WITH_NAME: usize = 2_000;

/// Whether a question is about the uses of a value, which are looked for here.
pub(super) fn are_asked(graph: &Graph, operation: NodeQuery, at: NodeId) -> bool {
    let is_value = |kind: NodeKind| kind.keeps_callbacks() || kind == NodeKind::Variant;
    operation == NodeQuery::Usages && graph.kind(at).is_some_and(is_value)
}

/// Returns a page of what uses the value `set`; `None` when that can't be read.
pub(super) fn page(
    graph: &Graph,
    index: &GraphIndex,
    set: &[NodeId],
    question: &GraphQuestion<'_>,
) -> Option<RelatedNodesPage> {
    let value = graph.heading(*set.first()?)?;
    let holding = paths_with_word(question.context, value.name);
    let edges = set.iter().flat_map(|at| graph.incoming(*at));
    let importing = edges.filter(|edge| edge.kind == EdgeKind::Imports);
    let importing = importing.filter_map(|edge| graph.path_of(edge.from));
    let mut looked_at: BTreeSet<&str> = importing.take(MAX_FILES_WITH_NAME).collect();
    let mut others = holding.iter().map(|path| path.as_str()).filter(|it| !looked_at.contains(it));
    let room = MAX_FILES_WITH_NAME.saturating_sub(looked_at.len());
    let first: Vec<&str> = others.by_ref().take(room).collect();
    let cut = others.next().is_some();
    looked_at.extend(first);
    let cancellation = &question.context.cancellation;
    let lines = index.uses_of_values(graph, set, &looked_at, cancellation).ok()?;
    let page = graph.usages_of_value(set, &lines, question.offset, question.limit);
    Some(RelatedNodesPage { cut, ..page })
}
