//! Where a variable or a field is read and written. That makes no edges: the files that hold its name, and those that import it under
//! another, are resolved when it is asked for.

use std::collections::BTreeSet;

use retriever_graph::{EdgeKind, Graph, NodeId, RelatedNodesPage, indexing::GraphIndex};

use super::graph_question::GraphQuestion;
use crate::tools::grep::paths_with_word;

/// Most files that are looked at.
const MAX_FILES: usize = 2_000;

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
    let paths: BTreeSet<&str> = importing.chain(holding.iter().map(|path| path.as_str())).collect();
    let looked_at = paths.iter().copied().take(MAX_FILES).collect();
    let cancellation = &question.context.cancellation;
    let lines = index.uses_of_values(graph, set, &looked_at, cancellation).ok()?;
    let page = graph.usages_of_value(set, &lines, question.offset, question.limit);
    Some(RelatedNodesPage { cut: paths.len() > MAX_FILES, ..page })
}
