//! The callers of the functions around matches, so that a search for a name also shows where its code is used.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crate::tools::{ToolContext, qualified_names::short_name};
use retriever_graph::{
    EdgeResolution, Graph, NodeId, NodeKind, NodeQuery, RelatedNode, indexing::GraphIndex,
};
use retriever_workspace::{RepoPath, truncate};

/// Most functions of one result whose callers are named.
const MAX_FUNCTIONS: usize = 12;
/// Most functions whose callers are looked up.
const READ_FUNCTIONS: usize = 48;
/// Most callers of a function that are read.
const READ_CALLERS: usize = 200;
/// Most callers of a function that are named.
const NAMED_CALLERS: usize = 3;
/// Longest wait for the graph to be brought up to date.
const GRAPH_PATIENCE: Duration = Duration::from_millis(500);
/// Most characters of the name of a caller.
const MAX_NAME: usize = 60;

/// A declaration: its file and its first line.
pub(super) type DeclarationStart = (RepoPath, u32);

/// Names callers by a graph that is already there.
pub(super) struct CallersOfMatches {
    index: Arc<GraphIndex>,
    patience: Duration,
    /// The graph was not brought up to date in time: until it is current again, no search waits for it.
    is_late: AtomicBool,
}

impl CallersOfMatches {
    pub(super) const fn new(index: Arc<GraphIndex>) -> Self {
        Self { index, patience: GRAPH_PATIENCE, is_late: AtomicBool::new(false) }
    }

    /// Sets the longest wait for the graph to be brought up to date.
    pub(super) fn waiting(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Returns `called by a, b +2` for the first of `functions` with known callers; `None` when the graph that would tell
    /// them is not up to date.
    pub(super) fn called_by(
        &self,
        context: &ToolContext,
        functions: &[DeclarationStart],
    ) -> Option<BTreeMap<DeclarationStart, String>> {
        if functions.is_empty() {
            return Some(BTreeMap::new());
        }
        let Self { index, patience, is_late } = self;
        let say = |graph: &Graph| callers_of_all(graph, functions);
        // This is an addition to the result: no first graph is made for it.
        let told = if is_late.load(Ordering::Relaxed) {
            index.ask_if_current(&context.cancellation, say)
        } else {
            index.ask_within(*patience, &context.cancellation, say)
        };
        if context.is_cancelled() {
            return Some(told.unwrap_or_default());
        }
        let is_missed = told.is_none() && index.has_graph();
        is_late.store(is_missed, Ordering::Relaxed);
        (!is_missed).then(|| told.unwrap_or_default())
    }
}

fn callers_of_all(
    graph: &Graph,
    functions: &[DeclarationStart],
) -> BTreeMap<DeclarationStart, String> {
    let mut said = BTreeSet::new();
    let read = functions.iter().take(READ_FUNCTIONS);
    let told = read.filter_map(|at| Some((at.clone(), callers(graph, at)?)));
    // Methods of one interface may have the same callers, which are named for the first of them only.
    let told = told.filter(|(_, callers)| callers.are_sure || said.insert(callers.text.clone()));
    told.take(MAX_FUNCTIONS).map(|(at, callers)| (at, callers.text)).collect()
}

/// The callers of a function, as text.
struct Callers {
    text: String,
    /// Whether the calls are certain.
    are_sure: bool,
}

fn callers(graph: &Graph, (path, line): &DeclarationStart) -> Option<Callers> {
    let is_meant = |id| {
        let node = graph.node(id);
        node.is_some_and(|node| node.kind == NodeKind::Function && node.name_line == *line)
    };
    let function = graph.symbols(path.as_str()).into_iter().find(|id| is_meant(*id))?;
    let set = graph.overloads(function);
    // Tests come last.
    let mut page = graph.related(NodeQuery::Callers, &set, 1, 0, READ_CALLERS);
    let is_sure = |caller: &RelatedNode| caller.resolution != EdgeResolution::Dynamic;
    let are_sure = page.items.iter().any(is_sure);
    if are_sure {
        let all = page.items.len();
        page.items.retain(is_sure);
        page.total -= all - page.items.len();
    } else if page.total > NAMED_CALLERS {
        // A possible call of many functions says little about one of them.
        return None;
    }
    let (tests, others): (Vec<NodeId>, Vec<NodeId>) =
        page.items.iter().map(|caller| caller.node).partition(|id| graph.is_in_test(*id));
    let named = if others.is_empty() { &tests } else { &others };
    let mut names: Vec<(String, usize)> = Vec::new();
    for node in named.iter().filter_map(|id| graph.node(*id)) {
        let name = truncate(&short_name(node), MAX_NAME);
        match names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, times)) => *times += 1,
            None => names.push((name, 1)),
        }
    }
    names.truncate(NAMED_CALLERS);
    let told: usize = names.iter().map(|(_, times)| times).sum();
    let in_tests = if others.is_empty() { 0 } else { tests.len() };
    let more = page.total.saturating_sub(told + in_tests);
    let say = |(name, times): &(String, usize)| match times {
        1 => name.clone(),
        times => format!("{name} ×{times}"),
    };
    let named: Vec<String> = names.iter().map(say).collect();
    let more = if more > 0 { format!(" +{more}") } else { String::new() };
    // Of many callers only the first are read.
    let or_more = if page.total > page.items.len() { "+" } else { "" };
    let in_tests = match in_tests {
        0 => String::new(),
        in_tests => format!(", {in_tests}{or_more} in tests"),
    };
    let text = format!("called by {}{more}{in_tests}", named.join(", "));
    (!named.is_empty()).then_some(Callers { text, are_sure })
}
