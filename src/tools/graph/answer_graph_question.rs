//! The answers of `graph`: from a name to a definition, from an operation to a page of related definitions, and the words
//! beside them.

use std::collections::{BTreeMap, BTreeSet};

use retriever_graph::{
    Edge, EdgeKind, Graph, Node, NodeId, NodeKind, NodeQuery, RelatedNode, RelatedNodesPage,
    indexing::GraphIndex,
};
use retriever_workspace::{RepoPath, truncate};
use serde_json::json;

use super::{
    call_trace::trace,
    calls_without_edge,
    graph_answer::{Definition, GraphAnswer, kept_at},
    graph_output::GraphOutput,
    graph_question::{GraphOperation, GraphQuestion, MAX_DEPTH},
    language_limits::{left_out, outlined_file, outlined_only, unread},
    target_lookup::{
        find, is_empty, namesakes_in_tests, namesakes_not_asked_for, nothing_indexed,
        overloads_beside,
    },
    text_definitions::definitions_in_text,
};
use crate::tools::{ToolContext, ToolOutcome, place_argument};

/// Other declarations of a definition that are named.
const MAX_OVERLOADS: usize = 4;
/// Bodies of a declaration that are named.
const MAX_VARIANTS: usize = 12;

/// Files of a tree from which on nothing is looked for that would read each of them: unresolved calls, uses of imported names.
pub(super) const MAX_FILES: usize = 50_000;

/// Answers `question`.
pub(super) fn answer(
    graph: &Graph,
    index: &GraphIndex,
    context: &ToolContext,
    question: &GraphQuestion<'_>,
) -> GraphOutput {
    if is_empty(graph) && question.operation != GraphOperation::Symbols {
        return nothing_indexed();
    }
    let operation = match question.operation {
        GraphOperation::Symbols => return symbols(graph, context, question),
        GraphOperation::Search => return search(graph, question),
        GraphOperation::Trace => return trace(graph, context, question),
        GraphOperation::Callers => NodeQuery::Callers,
        GraphOperation::Callees => NodeQuery::Callees,
        GraphOperation::Implementations => NodeQuery::Implementations,
        GraphOperation::Methods => NodeQuery::Methods,
        GraphOperation::Usages => NodeQuery::Usages,
        GraphOperation::Inheritors => NodeQuery::Inheritors,
    };
    match find(graph, context, question.target, question) {
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
    let page = graph.related(operation, set, question.depth, question.offset, question.limit);
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
    match unresolved_calls(graph, node, &page, question) {
        Some(calls) if page.total == 0 => {
            output.headline = format!("no {relations} found; {calls}");
        }
        calls => output.notes.extend(calls),
    }
    if output.outcome == ToolOutcome::Found && more > 0 {
        output.outcome = ToolOutcome::Truncated;
    }
    output.notes.extend(other_declarations(graph, set));
    output.notes.extend(
        namesakes_in_tests(graph, question).or_else(|| namesakes_not_asked_for(graph, question)),
    );
    if matches!(operation, NodeQuery::Callers | NodeQuery::Callees) {
        output.notes.extend(overloads_beside(graph, set));
    }
    output.notes.extend(limits(graph, operation, &page, question));
    if operation == NodeQuery::Callees {
        output.notes.extend(calls_without_edge::notes(graph, index, set, question));
    }
    output.notes.extend(omission(graph, operation, &definition.path));
    match outlined_only(&definition.path) {
        Some(note) => output.notes.push(note),
        None if page.total == 0 => {
            output.notes.extend(why_none(graph, operation, set[0]).map(str::to_owned));
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

/// Answers a question that has no answer by the one that is meant: what builds on a type that nothing names, the calls of a
/// macro, those that make an object of a constructor's type.
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
    let (operation_meant, target) = meant
        .iter()
        .copied()
        .find(|(operation, target)| graph.related(*operation, &[*target], 1, 0, 1).total > 0)?;
    let asked =
        format!("no {} of {}", noun(operation, 0), Definition::of(graph.node(first)?).describe());
    let set = if target == first { set.to_vec() } else { vec![target] };
    let answer = related(graph, index, operation_meant, &set, question);
    let headline = format!("{asked}; {}", answer.headline);
    Some(GraphOutput { headline, ..answer })
}

/// Says what is beyond the answers of a page: what is farther away.
fn limits(
    graph: &Graph,
    operation: NodeQuery,
    page: &RelatedNodesPage,
    question: &GraphQuestion<'_>,
) -> Vec<String> {
    let cut =
        page.cut.then(|| "it reaches too much: what is farther away is not counted".to_owned());
    let depth = question.depth > MAX_DEPTH;
    let depth = depth.then(|| format!("depth is at most {MAX_DEPTH}"));
    let built_on = built_on_in_turn(graph, operation, &page.items, question);
    [cut, built_on, depth].into_iter().flatten().collect()
}

/// Says how many of the types that answer have more built on them.
fn built_on_in_turn(
    graph: &Graph,
    operation: NodeQuery,
    items: &[RelatedNode],
    question: &GraphQuestion<'_>,
) -> Option<String> {
    let is_asked = matches!(operation, NodeQuery::Implementations | NodeQuery::Inheritors);
    let builds = |edge: &Edge| matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements);
    let has_more = |item: &&RelatedNode| graph.incoming(item.node).iter().any(builds);
    let count = items.iter().filter(|_| is_asked && question.depth == 1).filter(has_more).count();
    let depth = question.depth + 1;
    match count {
        0 => None,
        1 => Some(format!("1 of them is built on in turn: depth {depth} shows by what")),
        count => Some(format!("{count} of them are built on in turn: depth {depth} shows by what")),
    }
}

/// Says how many calls by a node's name are bound to nothing, so that some may mean it: beside callers, and where no usage is
/// found. What the page lists is not among them.
fn unresolved_calls(
    graph: &Graph,
    node: &Node,
    page: &RelatedNodesPage,
    question: &GraphQuestion<'_>,
) -> Option<String> {
    let total = page.total;
    let listed: BTreeSet<(&str, u32)> = page
        .items
        .iter()
        .filter_map(|item| Some((graph.path_of(item.node)?, &item.lines)))
        .flat_map(|(path, lines)| lines.iter().map(move |line| (path, *line)))
        .collect();
    let is_asked = match question.operation {
        GraphOperation::Callers => true,
        GraphOperation::Usages => total == 0,
        _ => false,
    };
    if !is_asked || question.offset > 0 {
        return None;
    }
    if graph.file_count() > MAX_FILES {
        return Some("unresolved calls of that name were not counted: grep for it".to_owned());
    }
    let mut calls = graph.unresolved_calls_by_name_of(node, &question.context.cancellation);
    calls.retain(|call| !listed.contains(call));
    let (path, line) = calls.first()?;
    let are = if calls.len() == 1 { "call of that name is" } else { "calls of that name are" };
    Some(format!("{} {are} unresolved, for example {path}:{line}", calls.len()))
}

/// Names the other nodes of one definition.
fn other_declarations(graph: &Graph, set: &[NodeId]) -> Option<String> {
    let nodes: Vec<&Node> = set.iter().filter_map(|id| graph.node(*id)).collect();
    let bodies = nodes.iter().filter(|node| !node.is_declaration);
    let files: BTreeSet<&str> = bodies.map(|node| node.path.as_str()).collect();
    let is_declared = nodes.first().is_some_and(|node| node.is_declaration);
    let are_variants = is_declared && files.len() > 1;
    let most = if are_variants { MAX_VARIANTS } else { MAX_OVERLOADS };
    let others: Vec<String> = set[1..]
        .iter()
        .take(most)
        .filter_map(|id| graph.node(*id))
        .map(|node| format!("{}:{}", node.path, node.name_line))
        .collect();
    let more = if set.len() - 1 > others.len() { " …" } else { "" };
    let what =
        if are_variants { "its bodies, of which a build takes one:" } else { "also declared at" };
    (!others.is_empty()).then(|| format!("{what} {}{more}", others.join(", ")))
}

/// Says how many answers follow those `shown`, and the call that gives them.
fn next_page(question: &GraphQuestion<'_>, more: usize, shown: usize) -> String {
    format!("{more} more: {}", question.call_from(question.offset + shown))
}

/// Returns the first sentence of a page of `shown` answers.
pub(super) fn headline(relations: &str, total: usize, offset: usize, shown: usize) -> GraphOutput {
    if total == 0 {
        return GraphOutput::sentence(ToolOutcome::NoMatch, format!("no {relations}"));
    }
    if shown == 0 {
        let sentence = format!("{total} {relations}: offset {offset} is behind the last");
        return GraphOutput::sentence(ToolOutcome::BadArguments, sentence);
    }
    let part = if shown == total {
        String::new()
    } else {
        format!("{}-{} of ", offset + 1, offset + shown)
    };
    GraphOutput::sentence(ToolOutcome::Found, format!("{part}{total} {relations}"))
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

pub(super) const fn noun(operation: NodeQuery, total: usize) -> &'static str {
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

/// Returns why a definition has no relations of the kind that is asked for, or what to ask instead.
fn why_none(graph: &Graph, operation: NodeQuery, at: NodeId) -> Option<&'static str> {
    if operation == NodeQuery::Callers && graph.is_run_unnamed(at) {
        return Some(
            "it may run where its name isn't written, by an operator or a form of the language: such calls make no edge; grep for what uses its type",
        );
    }
    instead(operation, graph.kind(at)?)
}

/// Returns what to ask in place of a question that a thing of this kind can't answer.
const fn instead(operation: NodeQuery, kind: NodeKind) -> Option<&'static str> {
    match (operation, kind) {
        (
            NodeQuery::Callers | NodeQuery::Callees,
            NodeKind::Interface | NodeKind::Trait | NodeKind::Enum | NodeKind::Alias,
        ) => Some("it is a type: ask for its usages, implementations or methods"),
        (NodeQuery::Usages | NodeQuery::Methods | NodeQuery::Inheritors, NodeKind::Function) => {
            Some("it is a function: ask for its callers or callees")
        }
        (NodeQuery::Usages | NodeQuery::Callers, NodeKind::Field | NodeKind::Variable) => {
            Some("reading and writing a value makes no edge: grep for its name")
        }
        (
            NodeQuery::Usages,
            NodeKind::Class
            | NodeKind::Struct
            | NodeKind::Interface
            | NodeKind::Trait
            | NodeKind::Enum
            | NodeKind::Alias
            | NodeKind::Module,
        ) => Some("what builds on the type are its inheritors, what makes one its callers"),
        (NodeQuery::Callers, NodeKind::Variant) => {
            Some("a case is named and not called: ask for its usages")
        }
        (NodeQuery::Usages, NodeKind::Variant) => {
            Some("a case named on its own, without its type, may make no edge: grep for its name")
        }
        (NodeQuery::Callers, _) => Some(
            "it may be called from outside, on a value whose type isn't known, or in a way that only shows when it runs; grep for its name",
        ),
        _ => None,
    }
}

/// Says that relations may be missing, since a file takes more work or memory than a file may.
fn omission(graph: &Graph, operation: NodeQuery, path: &str) -> Option<String> {
    let goes_out = matches!(operation, NodeQuery::Callees | NodeQuery::Methods);
    outlined_file(graph, path)
        .or_else(|| {
            graph.omissions().iter().any(|(file, _)| *file == path).then(|| {
                format!(
                    "{path} is too large to be read and resolved in full: relations may be missing"
                )
            })
        })
        .or_else(|| if goes_out { None } else { unread(graph, "relations from there") })
}

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
    is_asked.then(|| listed(graph, &taken, taken.len(), &what, question))
}

fn symbols(graph: &Graph, context: &ToolContext, question: &GraphQuestion<'_>) -> GraphOutput {
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
        return no_symbols(graph, context, &place.path, question);
    }
    let mut output = listed(graph, &ids, ids.len(), &what, question);
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
fn no_symbols(
    graph: &Graph,
    context: &ToolContext,
    path: &RepoPath,
    question: &GraphQuestion<'_>,
) -> GraphOutput {
    let what = format!("definitions in {path}");
    let left_out = left_out(path.as_str());
    if let Some(why) = &left_out {
        let mut found = definitions_in_text(context, path);
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

fn search(graph: &Graph, question: &GraphQuestion<'_>) -> GraphOutput {
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
    listed(graph, &ids, total, &what, question)
}

const fn definitions(total: usize) -> &'static str {
    if total == 1 { "definition" } else { "definitions" }
}

/// A page of definitions.
fn listed(
    graph: &Graph,
    ids: &[NodeId],
    total: usize,
    what: &str,
    question: &GraphQuestion<'_>,
) -> GraphOutput {
    let shown = ids.iter().skip(question.offset).take(question.limit);
    let shown = shown.filter_map(|id| graph.node(*id)).map(Definition::of).collect();
    page(shown, total, what, question)
}

/// A page with the definitions `shown`.
fn page(
    shown: Vec<Definition>,
    total: usize,
    what: &str,
    question: &GraphQuestion<'_>,
) -> GraphOutput {
    let answers: Vec<GraphAnswer> = shown.into_iter().map(GraphAnswer::of).collect();
    if answers.is_empty() {
        let offset = question.offset;
        return GraphOutput::sentence(
            ToolOutcome::BadArguments,
            format!("{total} {what}: offset {offset} is behind the last"),
        );
    }
    let more = total.saturating_sub(question.offset + answers.len());
    let part = if answers.len() == total {
        String::new()
    } else {
        format!("{}-{} of ", question.offset + 1, question.offset + answers.len())
    };
    let outcome = if more > 0 { ToolOutcome::Truncated } else { ToolOutcome::Found };
    let mut output = GraphOutput::sentence(outcome, format!("{part}{total} {what}"));
    if more > 0 {
        output = output.note(next_page(question, more, answers.len()));
    }
    GraphOutput { answers, total, ..output }
}
