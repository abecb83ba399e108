//! The answers of `graph`: from a name to a definition, from an operation to a page of related definitions, and the words
//! beside them.

use serde_json::json;

use super::{
    Outcome, ToolContext,
    graph::{Answer, Definition, GraphOperation, GraphOutput, MAX_DEPTH, Question, is_empty},
    graph_trace::trace,
    target,
};
use retriever_graph::{
    EdgeKind, Graph, Lookup, NodeId, NodeKind, Operation, Related, Target, index::Language,
};
use retriever_workspace::LineRange;
use retriever_workspace::truncate;

/// Lines of one relation that are shown.
pub(super) const MAX_SITES: usize = 5;
/// Names of calls that lead nowhere that are listed.
const MAX_OPEN_NAMES: usize = 12;

/// Answers `question`.
pub(super) fn answer(graph: &Graph, context: &ToolContext, question: &Question<'_>) -> GraphOutput {
    if is_empty(graph) {
        return nothing_indexed();
    }
    let operation = match question.operation {
        GraphOperation::Symbols => return symbols(graph, context, question),
        GraphOperation::Search => return search(graph, question),
        GraphOperation::Trace => return trace(graph, context, question),
        GraphOperation::Callers => Operation::Callers,
        GraphOperation::Callees => Operation::Callees,
        GraphOperation::Implementations => Operation::Implementations,
        GraphOperation::Methods => Operation::Methods,
        GraphOperation::Usages => Operation::Usages,
        GraphOperation::Inheritors => Operation::Inheritors,
    };
    match find(graph, context, question.target, question) {
        Ok(id) => related(graph, operation, id, question),
        Err(answer) => *answer,
    }
}

pub(super) fn nothing_indexed() -> GraphOutput {
    let mut known: Vec<&str> = Language::ALL.iter().map(|language| language.name()).collect();
    known.dedup();
    GraphOutput::sentence(
        Outcome::NoMatch,
        "no source file here is in a language that the graph knows",
    )
    .note(format!("it knows {}; use grep and glob for anything else", known.join(", ")))
}

/// The node that `name` means: an ID, a name, or a place.
pub(super) fn find(
    graph: &Graph,
    context: &ToolContext,
    name: &str,
    question: &Question<'_>,
) -> Result<NodeId, Box<GraphOutput>> {
    let is_id = name
        .split(':')
        .next()
        .is_some_and(|id| id.parse().is_ok_and(|id| context.places.contains_key(&id)));
    if is_id && let Some(id) = at_place(graph, context, name) {
        return Ok(id);
    }
    match graph.lookup(Target { name, file: question.file, kind: question.kind }) {
        Lookup::One(id) => Ok(id),
        Lookup::Several { candidates, total } => {
            Err(Box::new(ambiguous(graph, name, &candidates, total, question)))
        }
        Lookup::Nothing { nearest } => match at_place(graph, context, name) {
            Some(id) => Ok(id),
            None => Err(Box::new(unknown(name, &nearest, question))),
        },
    }
}

/// The innermost definition at a place: `c7`, `src/a.rs:40-58`.
fn at_place(graph: &Graph, context: &ToolContext, spelled: &str) -> Option<NodeId> {
    let place = target::find(context, spelled).ok()?;
    let files = graph.files();
    let at = files.binary_search_by(|(path, _)| (*path).cmp(place.path.as_str())).ok()?;
    let nodes = files[at].1.clone();
    let Some(range) = place.range else { return Some(NodeId(nodes.start)) };
    let holds = |id: &NodeId| {
        let node = graph.node(*id)?;
        let extent = LineRange::new(node.start, node.end)?;
        extent.contains(range.start()).then(|| (extent.width(), *id))
    };
    nodes
        .map(NodeId)
        .filter_map(|id| holds(&id))
        .min_by_key(|(width, id)| (*width, std::cmp::Reverse(*id)))
        .map(|(_, id)| id)
}

fn unknown(name: &str, nearest: &[String], question: &Question<'_>) -> GraphOutput {
    let name = truncate(name, 120);
    let within = match (question.file, question.kind) {
        (None, None) => String::new(),
        (file, kind) => {
            let file = file
                .map(|file| format!(" in files like {}", truncate(file, 120)))
                .unwrap_or_default();
            let kind = kind.map(|kind| format!(" of kind {kind}")).unwrap_or_default();
            format!("{kind}{file}")
        }
    };
    let answer =
        GraphOutput::sentence(Outcome::NoMatch, format!("no definition is named {name:?}{within}"));
    if nearest.is_empty() {
        let call =
            target::call("graph", &[("operation", json!("search")), ("target", json!(name))]);
        return answer.note(format!("look for parts of the name: {call}; or grep for it"));
    }
    let names: Vec<String> = nearest.iter().map(|name| truncate(name, 80)).collect();
    answer.note(format!("did you mean {}?", names.join(", ")))
}

fn ambiguous(
    graph: &Graph,
    name: &str,
    candidates: &[NodeId],
    total: usize,
    question: &Question<'_>,
) -> GraphOutput {
    let candidates: Vec<Definition> =
        candidates.iter().filter_map(|id| graph.node(*id)).map(Definition::of).collect();
    let outcome = if candidates.len() < total { Outcome::Truncated } else { Outcome::Found };
    let shown = if candidates.len() < total {
        format!("; the best {}", candidates.len())
    } else {
        String::new()
    };
    let mut answer = GraphOutput::sentence(
        outcome,
        format!(
            "{total} definitions are named {:?}{shown}: ask again for one of them",
            truncate(name, 120)
        ),
    );
    if let Some(best) = candidates.first() {
        let call = target::call(
            "graph",
            &[
                ("operation", json!(question.operation.as_ref())),
                ("target", json!(best.qname)),
                ("file", json!(best.path)),
            ],
        );
        answer =
            answer.note(format!("for example: {call}; or give an ID from above as the target"));
    }
    GraphOutput { candidates, total, ..answer }
}

fn related(
    graph: &Graph,
    operation: Operation,
    id: NodeId,
    question: &Question<'_>,
) -> GraphOutput {
    let Some(node) = graph.node(id) else { return nothing_indexed() };
    let definition = Definition::of(node);
    let page = graph.related(operation, id, question.depth, question.offset, question.limit);
    let answers: Vec<Answer> = page
        .items
        .iter()
        .filter_map(|related| answer_of(graph, operation, &definition, related))
        .collect();
    let noun = noun(operation, page.total);
    let more = page.total.saturating_sub(question.offset + page.items.len());
    let mut output = match (page.total, answers.is_empty()) {
        (0, _) => GraphOutput::sentence(
            Outcome::NoMatch,
            format!("no {noun} of {}", definition.describe()),
        ),
        (total, true) => GraphOutput::sentence(
            Outcome::BadArguments,
            format!(
                "{total} {noun} of {}: offset {} is behind the last",
                definition.describe(),
                question.offset
            ),
        ),
        (total, false) => {
            let part = if answers.len() == total {
                String::new()
            } else {
                format!("{}-{} of ", question.offset + 1, question.offset + answers.len())
            };
            let outcome = if more > 0 { Outcome::Truncated } else { Outcome::Found };
            GraphOutput::sentence(
                outcome,
                format!("{part}{total} {noun} of {}", definition.describe()),
            )
        }
    };
    if page.cut {
        output = output.note("it reaches too much: what is farther away is not counted");
    }
    if question.depth > MAX_DEPTH {
        output = output.note(format!("depth is at most {MAX_DEPTH}"));
    }
    if operation == Operation::Callees {
        output.notes.extend(open_calls(graph, id));
    }
    if page.total == 0 {
        output.notes.extend(instead(operation, definition.kind).map(str::to_owned));
    }
    if more > 0 {
        let call = target::call(
            "graph",
            &[
                ("operation", json!(question.operation.as_ref())),
                ("target", json!(question.target)),
                ("file", json!(question.file)),
                ("kind", json!(question.kind.as_ref().map(NodeKind::as_ref))),
                ("depth", json!((question.depth > 1).then_some(question.depth))),
                ("offset", json!(question.offset + answers.len())),
            ],
        );
        output = output.note(format!("{more} more: {call}"));
    }
    GraphOutput { target: Some(definition), answers, total: page.total, ..output }
}

fn answer_of(
    graph: &Graph,
    operation: Operation,
    target: &Definition,
    related: &Related,
) -> Option<Answer> {
    let node = graph.node(related.node)?;
    // A call stands in the file of its caller; which one that is, is only clear for the first step.
    let (site, lines) = match operation {
        Operation::Callees if related.depth == 1 => {
            (Some(target.path.clone()), related.lines.clone())
        }
        Operation::Callees => (None, Vec::new()),
        Operation::Methods => (None, Vec::new()),
        _ => (Some(node.path.clone()), related.lines.clone()),
    };
    Some(Answer {
        definition: Definition::of(node),
        relation: Some(related.kind),
        resolution: Some(related.resolution),
        depth: Some(related.depth),
        through: related.through.and_then(|id| graph.node(id)).map(|node| node.qname.clone()),
        site,
        lines,
    })
}

const fn noun(operation: Operation, total: usize) -> &'static str {
    match (operation, total == 1) {
        (Operation::Callers, true) => "caller",
        (Operation::Callers, false) => "callers",
        (Operation::Callees, true) => "callee",
        (Operation::Callees, false) => "callees",
        (Operation::Implementations, true) => "implementation",
        (Operation::Implementations, false) => "implementations",
        (Operation::Methods, true) => "member",
        (Operation::Methods, false) => "members",
        (Operation::Usages, true) => "usage",
        (Operation::Usages, false) => "usages",
        (Operation::Inheritors, true) => "inheritor",
        (Operation::Inheritors, false) => "inheritors",
    }
}

/// What to ask in place of a question that a thing of this kind can't answer.
const fn instead(operation: Operation, kind: NodeKind) -> Option<&'static str> {
    match (operation, kind) {
        (
            Operation::Callers | Operation::Callees,
            NodeKind::Interface | NodeKind::Trait | NodeKind::Enum | NodeKind::Alias,
        ) => Some("it is a type: ask for its usages, implementations or methods"),
        (Operation::Usages | Operation::Methods | Operation::Inheritors, NodeKind::Function) => {
            Some("it is a function: ask for its callers or callees")
        }
        (Operation::Callers, _) => Some(
            "it may be called from outside, or in a way that only shows when it runs; grep for its name",
        ),
        _ => None,
    }
}

fn open_calls(graph: &Graph, id: NodeId) -> Option<String> {
    let calls = graph.open_calls(id);
    let mut names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    names.dedup();
    if names.is_empty() {
        return None;
    }
    let shown: Vec<String> =
        names.iter().take(MAX_OPEN_NAMES).map(|name| truncate(name, 40)).collect();
    let more = if names.len() > shown.len() { " …" } else { "" };
    Some(format!(
        "calls of {} names that are not defined here, or not known to be: {}{more}",
        names.len(),
        shown.join(", ")
    ))
}

fn symbols(graph: &Graph, context: &ToolContext, question: &Question<'_>) -> GraphOutput {
    let place = match target::find(context, question.target) {
        Ok(place) => place,
        Err(miss) => {
            return GraphOutput::sentence(miss.outcome, miss.sentence.clone()).note(miss.advice());
        }
    };
    let mut ids = graph.symbols(place.path.as_str());
    if let Some(kind) = question.kind {
        ids.retain(|id| graph.node(*id).is_some_and(|node| node.kind == kind));
    }
    let what = format!("definitions in {}", place.path);
    if ids.is_empty() {
        let known = Language::of_path(place.path.as_str()).is_some();
        let why = if known {
            "the file defines nothing"
        } else {
            "it is no source file that the graph knows"
        };
        return GraphOutput::sentence(Outcome::NoMatch, format!("no {what}"))
            .note(format!("{why}; read shows its text"));
    }
    listed(graph, &ids, ids.len(), &what, question)
}

fn search(graph: &Graph, question: &Question<'_>) -> GraphOutput {
    let what = format!("definitions whose names hold {:?}", truncate(question.target, 120));
    let filtered = question.file.is_some() || question.kind.is_some();
    let wanted = if filtered { usize::MAX } else { question.offset.saturating_add(question.limit) };
    let (mut ids, mut total) = graph.search(question.target, wanted);
    if filtered {
        ids.retain(|id| {
            graph.node(*id).is_some_and(|node| {
                question.kind.is_none_or(|kind| node.kind == kind)
                    && question.file.is_none_or(|file| node.path.contains(file))
            })
        });
        total = ids.len();
    }
    if total == 0 {
        let call = target::call("grep", &[("pattern", json!(question.target))]);
        return GraphOutput::sentence(Outcome::NoMatch, format!("no {what}"))
            .note(format!("fewer words, or {call}"));
    }
    listed(graph, &ids, total, &what, question)
}

/// A page of definitions.
fn listed(
    graph: &Graph,
    ids: &[NodeId],
    total: usize,
    what: &str,
    question: &Question<'_>,
) -> GraphOutput {
    let shown = ids.iter().skip(question.offset).take(question.limit);
    let answers: Vec<Answer> = shown
        .filter_map(|id| graph.node(*id))
        .map(|node| Answer {
            definition: Definition::of(node),
            relation: None,
            resolution: None,
            depth: None,
            through: None,
            site: None,
            lines: Vec::new(),
        })
        .collect();
    if answers.is_empty() {
        let offset = question.offset;
        return GraphOutput::sentence(
            Outcome::BadArguments,
            format!("{total} {what}: offset {offset} is behind the last"),
        );
    }
    let more = total.saturating_sub(question.offset + answers.len());
    let part = if answers.len() == total {
        String::new()
    } else {
        format!("{}-{} of ", question.offset + 1, question.offset + answers.len())
    };
    let outcome = if more > 0 { Outcome::Truncated } else { Outcome::Found };
    let mut output = GraphOutput::sentence(outcome, format!("{part}{total} {what}"));
    if more > 0 {
        let call = target::call(
            "graph",
            &[
                ("operation", json!(question.operation.as_ref())),
                ("target", json!(question.target)),
                ("file", json!(question.file)),
                ("kind", json!(question.kind.as_ref().map(NodeKind::as_ref))),
                ("offset", json!(question.offset + answers.len())),
            ],
        );
        output = output.note(format!("{more} more: {call}"));
    }
    GraphOutput { answers, total, ..output }
}

/// What stands beside the lines of an answer: `login calls it at src/a.py:4, 9 (exact)`.
pub(super) fn relation_in_words(answer: &Answer) -> Option<String> {
    let (Some(relation), Some(resolution)) = (answer.relation, answer.resolution) else {
        return None;
    };
    let definition = &answer.definition;
    let verb = match relation {
        EdgeKind::References => "references: handed over as a value",
        EdgeKind::Triggers if answer.through.is_some() => {
            "triggers: runs as a callback that is kept"
        }
        EdgeKind::Triggers if matches!(definition.kind, NodeKind::Field | NodeKind::Variable) => {
            "triggers: the callbacks that it keeps are called"
        }
        EdgeKind::Triggers => "triggers: made to run without being called by name",
        ref other => other.as_ref(),
    };
    let lines: Vec<String> = answer.lines.iter().take(MAX_SITES).map(ToString::to_string).collect();
    let more = answer.lines.len().saturating_sub(MAX_SITES);
    let more = if more > 0 { format!(" and {more} more lines") } else { String::new() };
    let at = match &answer.site {
        Some(site) if !lines.is_empty() => format!(" at {site}:{}{more}", lines.join(",")),
        _ => String::new(),
    };
    let through = answer
        .through
        .as_ref()
        .map(|name| format!(", through {}", truncate(name, 120)))
        .unwrap_or_default();
    let depth = answer
        .depth
        .filter(|depth| *depth > 1)
        .map(|depth| format!(", step {depth}"))
        .unwrap_or_default();
    Some(format!("{}: {verb}{at}, {resolution}{through}{depth}", definition.describe()))
}
