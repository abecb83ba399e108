//! The answers of `graph`: from a name to a definition, from an operation to a page of related definitions.

use std::collections::{BTreeMap, BTreeSet};

use retriever_graph::{
    EdgeKind, Graph, Node, NodeId, NodeKind, NodeQuery, RelatedNode, RelatedNodesPage,
    indexing::GraphIndex,
};

use super::{
    answer_pages::{headline, next_page},
    call_trace::trace,
    calls_without_edge,
    definition_lists::{search, symbols},
    graph_answer::{Definition, GraphAnswer, kept_at},
    graph_output::GraphOutput,
    graph_question::{GraphOperation, GraphQuestion},
    language_limits::outlined_only,
    relation_notes::{
        MAX_OVERLOADS, callees_inside, limits, omission, other_declarations, unresolved_calls,
        uses_a_value, why_none,
    },
    target_lookup::{find, is_empty, namesakes, nothing_indexed, overloads_beside},
    uses_of_values,
};
use crate::tools::ToolOutcome;

/// Answers `question`.
pub(super) fn answer(
    graph: &Graph,
    index: &GraphIndex,
    question: &GraphQuestion<'_>,
) -> GraphOutput {
    if is_empty(graph) && question.operation != GraphOperation::Symbols {
        return nothing_indexed();
    }
    let operation = match question.operation {
        GraphOperation::Symbols => return symbols(graph, question),
        GraphOperation::Search => return search(graph, question),
        GraphOperation::Trace => return trace(graph, question),
        GraphOperation::Callers => NodeQuery::Callers,
        GraphOperation::Callees => NodeQuery::Callees,
        GraphOperation::Implementations => NodeQuery::Implementations,
        GraphOperation::Methods => NodeQuery::Methods,
        GraphOperation::Usages => NodeQuery::Usages,
        GraphOperation::Inheritors => NodeQuery::Inheritors,
    };
    match find(graph, question.target, question) {
        Ok(target) => {
            let mut answer = related(graph, index, operation, &target.nodes, question);
            answer.notes.splice(..0, target.note);
            answer
        }
        Err(answer) => *answer,
    }
}

/// Answers about one definition; `set` are its nodes, at least one.
fn related(
    graph: &Graph,
    index: &GraphIndex,
    operation: NodeQuery,
    set: &[NodeId],
    question: &GraphQuestion<'_>,
) -> GraphOutput {
    let Some(node) = set.first().and_then(|id| graph.node(*id)) else { return nothing_indexed() };
    let definition = Definition::of(node);
    let page = page_of(graph, index, operation, set, question);
    if page.total == 0
        && let Some(answer) = answer_in_place(graph, index, operation, set, question)
    {
        return answer;
    }
    let answers =
        page.items.iter().flat_map(|it| answers_of(graph, operation, set[0], it)).collect();
    let more = page.total.saturating_sub(question.offset + page.items.len());
    let relations = format!("{} of {}", noun(operation, page.total), described(graph, set));
    let mut output = headline(&relations, page.total, question.offset, page.items.len());
    match unresolved_calls(graph, index, node, &page, question) {
        Some(calls) if page.total == 0 => {
            output.headline = format!("no {relations} found; {calls}");
        }
        calls => output.notes.extend(calls),
    }
    if output.outcome == ToolOutcome::Found && more > 0 {
        output.outcome = ToolOutcome::Truncated;
    }
    output.notes.extend(other_declarations(graph, set));
    output.notes.extend(namesakes(graph, question));
    if matches!(operation, NodeQuery::Callers | NodeQuery::Callees) {
        output.notes.extend(overloads_beside(graph, set));
    }
    output.notes.extend(limits(graph, operation, set[0], &page, question));
    if operation == NodeQuery::Callees {
        output.notes.extend(callees_inside(graph, set));
        output.notes.extend(calls_without_edge::notes(graph, index, set, question));
    }
    output.notes.extend(omission(graph, operation, set[0], question));
    match outlined_only(&definition.path) {
        Some(note) => output.notes.push(note),
        None if page.total == 0 => {
            output.notes.extend(why_none(graph, operation, set[0]).map(str::to_owned));
            if uses_a_value(operation, node.kind) {
                output.named_value = Some(node.name.clone());
            }
        }
        None => {}
    }
    if more > 0 {
        output = output.note(next_page(question, more, page.items.len()));
    }
    let first_test = page.items.iter().position(|related| graph.is_in_test(related.node));
    let tests_call = first_test
        .filter(|_| !graph.is_in_test(set[0]))
        .map(|first| question.call_from(question.offset + first));
    GraphOutput { target: Some(definition), answers, total: page.total, tests_call, ..output }
}

fn page_of(
    graph: &Graph,
    index: &GraphIndex,
    operation: NodeQuery,
    set: &[NodeId],
    question: &GraphQuestion<'_>,
) -> RelatedNodesPage {
    let is_of_value =
        set.first().is_some_and(|at| uses_of_values::are_asked(graph, operation, *at));
    let uses = is_of_value.then(|| uses_of_values::page(graph, index, set, question)).flatten();
    uses.unwrap_or_else(|| {
        graph.related(operation, set, question.depth, question.offset, question.limit)
    })
}

/// Returns what a relation is shown as: an answer for each file that has lines of it.
fn answers_of(
    graph: &Graph,
    operation: NodeQuery,
    target: NodeId,
    related: &RelatedNode,
) -> Vec<GraphAnswer> {
    let answer = answer_of(graph, operation, target, related);
    answer.map(|answer| by_file(graph, related, answer)).unwrap_or_default()
}

/// Describes a definition with the lines of its overloads in the same file, whose relations are among its own.
fn described(graph: &Graph, set: &[NodeId]) -> String {
    let nodes: Vec<&Node> = set.iter().filter_map(|id| graph.node(*id)).collect();
    let Some(first) = nodes.first() else { return String::new() };
    let has_body = |node: &&&Node| node.path == first.path && !node.is_declaration;
    let others = nodes[1..].iter().filter(has_body);
    let others: Vec<String> =
        others.take(MAX_OVERLOADS).map(|node| format!(", {}-{}", node.start, node.end)).collect();
    let described = Definition::of(first).describe();
    match described.strip_suffix(')') {
        Some(open) if !others.is_empty() => format!("{open}{})", others.concat()),
        _ => described,
    }
}

/// Answers the question that is probably meant where the one asked has no answer: what builds on a type that nothing names, the
/// calls of a macro, the calls of a type in place of its constructor.
fn answer_in_place(
    graph: &Graph,
    index: &GraphIndex,
    operation: NodeQuery,
    set: &[NodeId],
    question: &GraphQuestion<'_>,
) -> Option<GraphOutput> {
    let first = *set.first()?;
    let kind = graph.heading(first)?.kind;
    let home = graph.constructed_type(first);
    let meant: &[(NodeQuery, NodeId)] = match (operation, kind, home) {
        (NodeQuery::Callers | NodeQuery::Usages, NodeKind::Function, Some(home)) => {
            &[(NodeQuery::Callers, home)]
        }
        (NodeQuery::Usages, NodeKind::Macro | NodeKind::Function, _) => {
            &[(NodeQuery::Callers, first)]
        }
        (NodeQuery::Usages, NodeKind::File | NodeKind::Field | NodeKind::Variable, _) => &[],
        (NodeQuery::Usages, ..) => &[(NodeQuery::Inheritors, first), (NodeQuery::Callers, first)],
        (NodeQuery::Callers, NodeKind::Function | NodeKind::Macro | NodeKind::File, _) => &[],
        (NodeQuery::Callers, ..) => &[(NodeQuery::Usages, first)],
        _ => &[],
    };
    let is_answered = |operation: NodeQuery, target: NodeId| {
        page_of(graph, index, operation, &[target], question).total > 0
    };
    let (operation_meant, target) =
        meant.iter().copied().find(|(operation, target)| is_answered(*operation, *target))?;
    let set = if target == first { set.to_vec() } else { vec![target] };
    let answer = related(graph, index, operation_meant, &set, question);
    // What calls a function uses it.
    if target == first && operation_meant == NodeQuery::Callers {
        return Some(answer);
    }
    let asked =
        format!("no {} of {}", noun(operation, 0), Definition::of(graph.node(first)?).describe());
    let headline = format!("{asked}; {}", answer.headline);
    Some(GraphOutput { headline, ..answer })
}

fn answer_of(
    graph: &Graph,
    operation: NodeQuery,
    target: NodeId,
    related: &RelatedNode,
) -> Option<GraphAnswer> {
    let node = graph.node(related.node)?;
    let asked = graph.heading(target)?;
    let is_kept = |keeper: NodeKind| related.kind == EdgeKind::Triggers && keeper.keeps_callbacks();
    // A call stands in the file of its caller; which one that is, is only clear for the first step.
    let (site, lines) = match operation {
        NodeQuery::Callees if related.depth > 1 => (None, &[][..]),
        NodeQuery::Methods => (None, &[][..]),
        NodeQuery::Callees if is_kept(asked.kind) => kept_at(graph, related.node, &related.lines),
        NodeQuery::Callers if is_kept(node.kind) => kept_at(graph, target, &related.lines),
        NodeQuery::Callees => (Some(asked.path), &related.lines[..]),
        _ => (Some(node.path.as_str()), &related.lines[..]),
    };
    let kept_by = match operation {
        NodeQuery::Callees if is_kept(asked.kind) => Some(target),
        NodeQuery::Callees => related.through,
        _ => None,
    };
    Some(GraphAnswer {
        definition: Definition::of(node),
        relation: Some(related.kind),
        resolution: Some(related.resolution),
        depth: Some(related.depth),
        through: related.through.and_then(|id| graph.node(id)).map(|node| node.qname.clone()),
        literal_lines: kept_by
            .and_then(|field| graph.literal_lines(field, related.node))
            .unwrap_or_default(),
        package: None,
        site: site.map(str::to_owned),
        lines: lines.to_vec(),
        handed_on: related.handed_on.clone(),
        dispatched: related.dispatched.clone(),
        is_test: graph.is_in_test(related.node),
        is_at_target: operation == NodeQuery::Callees,
    })
}

/// Returns an answer for each file that has lines of the relation: `impl` blocks stand apart from their types, bodies from
/// their prototypes.
fn by_file(graph: &Graph, related: &RelatedNode, answer: GraphAnswer) -> Vec<GraphAnswer> {
    let mut elsewhere: BTreeMap<NodeId, BTreeSet<u32>> = BTreeMap::new();
    for (file, line) in &related.elsewhere {
        elsewhere.entry(*file).or_default().insert(*line);
    }
    let elsewhere = elsewhere.into_iter().map(|(file, lines)| GraphAnswer {
        site: graph.path_of(file).map(str::to_owned),
        lines: lines.into_iter().collect(),
        ..answer.clone()
    });
    let mut answers: Vec<GraphAnswer> = elsewhere.collect();
    if answers.is_empty() || !answer.lines.is_empty() {
        answers.insert(0, answer);
    }
    answers
}

const fn noun(operation: NodeQuery, total: usize) -> &'static str {
    match (operation, total == 1) {
        (NodeQuery::Callers, true) => "caller",
        (NodeQuery::Callers, false) => "callers",
        (NodeQuery::Callees, true) => "callee",
        (NodeQuery::Callees, false) => "callees",
        (NodeQuery::Implementations, true) => "implementation",
        (NodeQuery::Implementations, false) => "implementations",
        (NodeQuery::Methods, true) => "member",
        (NodeQuery::Methods, false) => "members",
        (NodeQuery::Usages, true) => "usage",
        (NodeQuery::Usages, false) => "usages",
        (NodeQuery::Inheritors, true) => "inheritor",
        (NodeQuery::Inheritors, false) => "inheritors",
    }
}
