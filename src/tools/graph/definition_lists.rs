//! The answers of `graph` that list definitions: those of a file, and those whose names hold some words.

use retriever_graph::{EdgeKind, Graph, NodeId, NodeKind};
use retriever_workspace::{RepoPath, truncate};
use serde_json::json;

use super::{
    answer_pages::{headline, next_page},
    graph_answer::{Definition, GraphAnswer},
    graph_output::GraphOutput,
    graph_question::{GraphOperation, GraphQuestion},
    language_limits::{left_out, outlined_file},
    target_lookup::{is_empty, nothing_indexed},
    text_definitions::definitions_in_text,
};
use crate::tools::{ToolOutcome, place_argument};

/// Lists what a file without definitions imports, or offers from others.
fn passed_on(graph: &Graph, path: &str, question: &GraphQuestion<'_>) -> Option<GraphOutput> {
    let files = graph.files();
    let file = files.iter().find(|(known, _)| *known == path)?.1.start;
    let edges = graph.outgoing(NodeId(file)).iter();
    let mut taken: Vec<NodeId> =
        edges.filter(|edge| edge.kind == EdgeKind::Imports).map(|edge| edge.to).collect();
    taken.sort_unstable();
    taken.dedup();
    let what = format!("imports and re-exports of {path}, which defines nothing");
    let is_asked = !taken.is_empty() && question.kind.is_none();
    is_asked.then(|| listed(graph, &taken, &what, question))
}

/// Lists the definitions of the file that is the target.
pub(super) fn symbols(graph: &Graph, question: &GraphQuestion<'_>) -> GraphOutput {
    let context = question.context;
    let place = match place_argument::find(context, question.target) {
        Ok(place) => place,
        Err(miss) => {
            return GraphOutput::sentence(miss.outcome, miss.sentence.clone())
                .note(miss.advice(context));
        }
    };
    let mut ids = graph.symbols(place.path.as_str());
    let has_kind = |id: &NodeId, kind| graph.node(*id).is_some_and(|node| node.kind == kind);
    let mut fields = 0;
    match question.kind {
        Some(kind) => ids.retain(|id| has_kind(id, kind)),
        None if ids.iter().any(|id| !has_kind(id, NodeKind::Field)) => {
            let all = ids.len();
            ids.retain(|id| !has_kind(id, NodeKind::Field));
            fields = all - ids.len();
        }
        None => {}
    }
    let what = format!("{} in {}", definitions(ids.len()), place.path);
    if ids.is_empty() {
        return no_symbols(graph, &place.path, question);
    }
    let mut output = listed(graph, &ids, &what, question);
    output.notes.extend(outlined_file(graph, place.path.as_str()));
    if fields == 0 {
        return output;
    }
    let plural = if fields == 1 { "" } else { "s" };
    let call = context.suggest(
        "graph",
        &[
            ("operation", json!(GraphOperation::Symbols.as_ref())),
            ("target", json!(place.path)),
            ("kind", json!(NodeKind::Field.as_ref())),
        ],
    );
    output.note(format!("{fields} field{plural} left out: {call}"))
}

/// What is said of a file in which the graph has no definition that was asked for.
fn no_symbols(graph: &Graph, path: &RepoPath, question: &GraphQuestion<'_>) -> GraphOutput {
    let what = format!("definitions in {path}");
    let left_out = left_out(path.as_str());
    if let Some(why) = &left_out {
        let mut found = definitions_in_text(question.context, path);
        found.retain(|it| question.kind.is_none_or(|kind| it.kind == kind));
        if !found.is_empty() {
            let (total, first) = (found.len(), question.offset);
            let what = format!("{} in {path}", definitions(total));
            let shown = found.into_iter().skip(first).take(question.limit).collect();
            return page(shown, total, &what, question).note(format!("by its lines: {why}"));
        }
    }
    if let Some(output) = passed_on(graph, path.as_str(), question) {
        return output;
    }
    let known = graph.files().iter().any(|(known, _)| *known == path.as_str());
    let why = match left_out {
        _ if known => outlined_file(graph, path.as_str())
            .unwrap_or_else(|| "the file defines nothing".to_owned()),
        Some(why) => why,
        None if is_empty(graph) => return nothing_indexed(),
        None => "it is no source file that the graph knows".to_owned(),
    };
    GraphOutput::sentence(ToolOutcome::NoMatch, format!("no {what}"))
        .note(format!("{why}; read shows its text"))
}

/// Lists the definitions whose names hold the words of the target.
pub(super) fn search(graph: &Graph, question: &GraphQuestion<'_>) -> GraphOutput {
    let (mut ids, _) = graph.search(question.target, usize::MAX);
    ids.retain(|id| {
        graph.heading(*id).is_some_and(|node| {
            // A file is no definition; its lines would not be shown.
            question.kind.map_or(node.kind != NodeKind::File, |kind| node.kind == kind)
                && question.file.is_none_or(|file| node.path.contains(file))
        })
    });
    let total = ids.len();
    let whose = if total == 1 { "whose name holds" } else { "whose names hold" };
    let what = format!("{} {whose} {:?}", definitions(total), truncate(question.target, 120));
    if total == 0 {
        let call = question.context.suggest("grep", &[("pattern", json!(question.target))]);
        return GraphOutput::sentence(ToolOutcome::NoMatch, format!("no {what}"))
            .note(format!("fewer words, or {call}"));
    }
    listed(graph, &ids, &what, question)
}

const fn definitions(total: usize) -> &'static str {
    if total == 1 { "definition" } else { "definitions" }
}

/// Returns a page of definitions, of which there is at least one.
fn listed(graph: &Graph, ids: &[NodeId], what: &str, question: &GraphQuestion<'_>) -> GraphOutput {
    let shown = ids.iter().skip(question.offset).take(question.limit);
    let shown = shown.filter_map(|id| graph.node(*id)).map(Definition::of).collect();
    page(shown, ids.len(), what, question)
}

/// Returns the page with the definitions `shown` of `total`, which is at least one.
fn page(
    shown: Vec<Definition>,
    total: usize,
    what: &str,
    question: &GraphQuestion<'_>,
) -> GraphOutput {
    let answers: Vec<GraphAnswer> = shown.into_iter().map(GraphAnswer::of).collect();
    let mut output = headline(what, total, question.offset, answers.len());
    if answers.is_empty() {
        return output;
    }
    let more = total.saturating_sub(question.offset + answers.len());
    if more > 0 {
        output.outcome = ToolOutcome::Truncated;
        output = output.note(next_page(question, more, answers.len()));
    }
    GraphOutput { answers, total, ..output }
}
