//! Who calls the functions around matches, so that a search for a name also tells where its code takes effect.

use std::collections::BTreeMap;

use crate::tools::{ToolContext, graph::short_name};
use retriever_graph::{Graph, NodeKind, NodeQuery, indexing::GraphIndex};
use retriever_workspace::{RepoPath, truncate};

/// Functions of one result whose callers are looked up.
const MAX_FUNCTIONS: usize = 12;
/// Callers of a function that are named.
const NAMED_CALLERS: usize = 3;
/// Characters of the name of a caller.
const MAX_NAME: usize = 60;

/// A declaration: its file and its first line.
pub(super) type DeclarationStart = (RepoPath, u32);

/// Returns `called by a, b +2` for those of the first of `functions` that are known to be called.
pub(super) fn called_by(
    index: &GraphIndex,
    context: &ToolContext,
    functions: &[DeclarationStart],
) -> BTreeMap<DeclarationStart, String> {
    if functions.is_empty() {
        return BTreeMap::new();
    }
    let say = |graph: &Graph| {
        let first = functions.iter().take(MAX_FUNCTIONS);
        let said = first.filter_map(|at| Some((at.clone(), callers(graph, at)?)));
        said.collect::<BTreeMap<_, _>>()
    };
    // What is only said besides is left out if it can't be had at once.
    index.ask_if_current(&context.cancellation, say).unwrap_or_default()
}

fn callers(graph: &Graph, (path, line): &DeclarationStart) -> Option<String> {
    let is_meant = |id| {
        let node = graph.node(id);
        node.is_some_and(|node| node.kind == NodeKind::Function && node.name_line == *line)
    };
    let function = graph.symbols(path.as_str()).into_iter().find(|id| is_meant(*id))?;
    let set = graph.overloads(function);
    let page = graph.related(NodeQuery::Callers, &set, 1, 0, NAMED_CALLERS);
    let named: Vec<String> = page
        .items
        .iter()
        .filter_map(|caller| graph.node(caller.node))
        .map(|node| truncate(&short_name(node), MAX_NAME))
        .collect();
    let more = match page.total.saturating_sub(named.len()) {
        0 => String::new(),
        more => format!(" +{more}"),
    };
    (!named.is_empty()).then(|| format!("called by {}{more}", named.join(", ")))
}
