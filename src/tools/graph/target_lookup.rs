//! Resolves the target of a `graph` call to a definition, or answers with the candidates.

use retriever_graph::{Graph, NameLookup, NodeId, NodeKind, indexing::Language, name_parts};
use retriever_workspace::{LineRange, RepoPath, truncate};
use serde_json::json;

use super::{
    graph_answer::Definition,
    graph_output::GraphOutput,
    graph_question::{DEFAULT_LIMIT, GraphOperation, GraphQuestion},
    language_limits::unread,
};
use crate::tools::{
    ToolContext, ToolOutcome, place_argument,
    qualified_names::{SEPARATORS, SHOWN_NAME},
};

/// Kinds of what others build on.
const BUILT_ON: &[NodeKind] = &[
    NodeKind::Interface,
    NodeKind::Trait,
    NodeKind::Class,
    NodeKind::Struct,
    NodeKind::Enum,
    NodeKind::Module,
];
/// Other definitions that are named.
const MAX_NAMED: usize = 6;
/// Definitions that an ambiguous name lists, unless the question sets a limit.
const CANDIDATES: usize = 5;

/// Whether the graph holds anything.
pub(super) fn is_empty(graph: &Graph) -> bool {
    graph.files().is_empty()
}

pub(super) fn nothing_indexed() -> GraphOutput {
    let all = Language::ALL.iter().copied().chain(Language::outlined());
    let mut known: Vec<&str> = all.map(Language::name).collect();
    known.dedup();
    GraphOutput::sentence(
        ToolOutcome::NoMatch,
        "no source file here is in a language that the graph knows",
    )
    .note(format!("it knows {}; use grep and glob for anything else", known.join(", ")))
}

/// The nodes of the definition that a name means, at least one.
pub(super) struct Target {
    pub(super) nodes: Vec<NodeId>,
    /// What to know of the name.
    pub(super) note: Option<String>,
}

impl From<Vec<NodeId>> for Target {
    fn from(nodes: Vec<NodeId>) -> Self {
        Self { nodes, note: None }
    }
}

/// The definition that `name` means. An ID or a place means one node; a name means its overloads, too, those of
/// `question.file` when that is given.
pub(super) fn find(
    graph: &Graph,
    name: &str,
    question: &GraphQuestion<'_>,
) -> Result<Target, Box<GraphOutput>> {
    let context = question.context;
    let is_id = name
        .split(':')
        .next()
        .is_some_and(|id| id.parse().is_ok_and(|id| context.places.contains_key(&id)));
    if is_id && let Some(id) = at_place(graph, context, name) {
        return Ok(vec![id].into());
    }
    match look_up(graph, name, question) {
        NameLookup::One(id) => {
            let mut set = graph.overloads(id);
            // What a file only declares is defined elsewhere.
            let is_defined = graph.node(id).is_some_and(|node| !node.is_declaration);
            if question.file.is_some() && is_defined {
                let path = graph.path_of(id);
                set.retain(|other| graph.path_of(*other) == path);
            }
            Ok(set.into())
        }
        NameLookup::Several { candidates, .. } => match meant(graph, &candidates, question) {
            Some(Meant::Primary(only)) => Ok(graph.overloads(only).into()),
            Some(Meant::AskedFor(set)) => Ok(set.into()),
            None => Err(Box::new(ambiguous(graph, name, &candidates, question))),
        },
        NameLookup::Nothing { nearest } => match at_place(graph, context, name) {
            Some(id) => Ok(vec![id].into()),
            None => inherited(graph, name, &nearest, question),
        },
    }
}

/// Returns the member that `Type.member` means where a supertype declares it.
fn inherited(
    graph: &Graph,
    name: &str,
    nearest: &[String],
    question: &GraphQuestion<'_>,
) -> Result<Target, Box<GraphOutput>> {
    let members = graph.inherited_members(question.lookup_target(name));
    let Some(first) = members.first() else {
        let mut answer = unknown(name, nearest, question);
        answer.notes.extend(unread(graph, question.context, Some(name), "definitions"));
        return Err(Box::new(answer));
    };
    let nodes = graph.overloads(*first);
    if !members.iter().all(|member| nodes.contains(member)) {
        return Err(Box::new(ambiguous(graph, name, &members, question)));
    }
    let note = graph.node(*first).and_then(|node| {
        let owner = node.qname.strip_suffix(&node.name)?.trim_end_matches(SEPARATORS);
        let (member, owner) = (truncate(&node.name, 80), truncate(owner, SHOWN_NAME));
        Some(format!("`{member}` is inherited from `{owner}`"))
    });
    Ok(Target { nodes, note })
}

/// Looks a name up. Only a type or a method can be built on: if the question asks for that and the name is a type's, functions
/// of the name are left out, and so are functions whose name differs in case.
fn look_up(graph: &Graph, name: &str, question: &GraphQuestion<'_>) -> NameLookup {
    let found = graph.lookup_all(question.lookup_target(name));
    let known = match &found {
        NameLookup::One(id) => vec![*id],
        NameLookup::Several { candidates, .. } => candidates.clone(),
        NameLookup::Nothing { .. } => return found,
    };
    if question.operation.asks_for_inheritors() && question.kind.is_none() {
        let headings = || known.iter().filter_map(|id| graph.heading(*id));
        let is_built_on =
            |id: &&NodeId| graph.kind(**id).is_some_and(|kind| BUILT_ON.contains(&kind));
        let types: Vec<&NodeId> = known.iter().filter(is_built_on).collect();
        let outside = types.iter().copied().filter(|id| !graph.is_in_test(**id));
        let outside: Vec<&NodeId> = outside.collect();
        if let ([only], _) | (_, [only]) = (types.as_slice(), outside.as_slice()) {
            return NameLookup::One(**only);
        }
        let is_other = |own: &str| name_parts(name).last().is_some_and(|wanted| *wanted != own);
        if headings().all(|node| node.kind == NodeKind::Function && is_other(node.name)) {
            return NameLookup::Nothing {
                nearest: headings().take(MAX_NAMED).map(|node| node.qname.to_owned()).collect(),
            };
        }
    }
    match found {
        NameLookup::Several { mut candidates, total } => {
            let rank = |id: &NodeId| graph.kind(*id).map_or(u8::MAX, |kind| rank(question, kind));
            candidates.sort_by_key(rank);
            NameLookup::Several { candidates, total }
        }
        found => found,
    }
}

/// Ranks kinds by how much a question is about them, lowest first.
const fn rank(question: &GraphQuestion<'_>, kind: NodeKind) -> u8 {
    let is_value = kind.keeps_callbacks();
    match (question.operation, kind) {
        (operation, NodeKind::Enum) if operation.asks_for_inheritors() => 2,
        (_, NodeKind::File | NodeKind::Module) => 4,
        _ if is_value => 3,
        (GraphOperation::Callees, NodeKind::Function) => 0,
        (_, kind) if kind.is_type() => 0,
        _ => 1,
    }
}

/// What a question means of several definitions by one name.
enum Meant {
    /// The only one that is neither part of the tests, an example, generated nor copied in.
    Primary(NodeId),
    /// The one that such a question can be about: a type with its constructors, a function with its overloads.
    AskedFor(Vec<NodeId>),
}

fn meant(graph: &Graph, candidates: &[NodeId], question: &GraphQuestion<'_>) -> Option<Meant> {
    if question.file.is_none()
        && let Some(only) = only_primary(graph, question.context, candidates)
    {
        return Some(Meant::Primary(only));
    }
    type_with_constructors(graph, candidates)
        .or_else(|| only_one_asked_for(graph, candidates, question))
        .map(Meant::AskedFor)
}

/// Returns the one of `candidates` that is neither part of the tests, an example, generated nor copied in.
fn only_primary(graph: &Graph, context: &ToolContext, candidates: &[NodeId]) -> Option<NodeId> {
    let is_in_primary =
        |id| !graph.path_of(id).is_some_and(|path| is_secondary_path(context, path));
    let is_primary = |id: &NodeId| !graph.is_secondary(*id) && is_in_primary(*id);
    let mut outside = candidates.iter().copied().filter(is_primary);
    outside.next().filter(|_| outside.next().is_none())
}

/// Whether a file is part of the tests, an example, generated or copied in, by its path and the configuration.
pub(super) fn is_secondary_path(context: &ToolContext, path: &str) -> bool {
    let path = RepoPath::parse(path, "").ok();
    path.is_some_and(|path| context.workspace.traits(&path, "").is_secondary())
}

/// Returns the one of `candidates` that the question can be about: the function beside fields and variables when it is about
/// calls, the type beside modules when it is about what builds on it.
fn only_one_asked_for(
    graph: &Graph,
    candidates: &[NodeId],
    question: &GraphQuestion<'_>,
) -> Option<Vec<NodeId>> {
    if !question.operation.asks_for_inheritors() {
        return only_function(graph, candidates, question);
    }
    let is_module =
        |id: &&NodeId| graph.heading(**id).is_some_and(|node| node.kind == NodeKind::Module);
    let mut types = candidates.iter().filter(|id| !is_module(id));
    types.next().filter(|_| types.next().is_none()).map(|id| vec![*id])
}

/// Returns the one function of `candidates` whose others are fields and variables, when the question is about calls.
fn only_function(
    graph: &Graph,
    candidates: &[NodeId],
    question: &GraphQuestion<'_>,
) -> Option<Vec<NodeId>> {
    let asks_calls =
        matches!(question.operation, GraphOperation::Callers | GraphOperation::Callees);
    let kind = |id: &NodeId| graph.heading(*id).map(|node| node.kind);
    let (functions, values): (Vec<NodeId>, Vec<NodeId>) =
        candidates.iter().copied().partition(|id| kind(id) == Some(NodeKind::Function));
    let is_value = |id| matches!(kind(id), Some(NodeKind::Field | NodeKind::Variable));
    let set = graph.overloads(*functions.first().filter(|_| asks_calls)?);
    (functions.iter().all(|id| set.contains(id)) && values.iter().all(is_value)).then_some(set)
}

/// Names the definitions under the name that `question` asks for which its answer is not about.
pub(super) fn namesakes(graph: &Graph, question: &GraphQuestion<'_>) -> Option<String> {
    let found = graph.lookup_all(question.lookup_target(question.target));
    let NameLookup::Several { candidates, .. } = found else { return None };
    match meant(graph, &candidates, question)? {
        Meant::Primary(chosen) => {
            let others = candidates.iter().filter(|id| **id != chosen);
            let are_tests = others.clone().all(|id| graph.is_in_test(*id));
            let who = if are_tests {
                "tests define"
            } else {
                "tests, examples or generated files define"
            };
            let others: Vec<String> = others
                .filter_map(|id| graph.node(*id))
                .map(|node| format!("{}:{}", node.path, node.name_line))
                .collect();
            (!others.is_empty())
                .then(|| format!("{who} another at {}; `file` asks for it", few(&others)))
        }
        Meant::AskedFor(set) => {
            let others = candidates.iter().filter(|id| !set.contains(id));
            let others: Vec<String> = others
                .filter_map(|id| graph.node(*id))
                .map(|node| format!("{} {}:{}", node.kind, node.path, node.name_line))
                .collect();
            (!others.is_empty()).then(|| format!("also named so: {}", few(&others)))
        }
    }
}

/// Names the first of some definitions.
fn few(named: &[String]) -> String {
    let more = if named.len() > MAX_NAMED { " …" } else { "" };
    named.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ") + more
}

/// Lists the other overloads of one that is asked for by its ID or place.
pub(super) fn overloads_beside(graph: &Graph, set: &[NodeId]) -> Option<String> {
    let &[id] = set else { return None };
    let others = graph.overloads(id).into_iter().filter(|other| *other != id);
    let others: Vec<String> = others
        .filter_map(|other| graph.node(other))
        .filter(|other| !other.is_declaration)
        .map(|other| format!("{}:{}", other.path, other.name_line))
        .collect();
    (!others.is_empty()).then(|| format!("overloads, not asked about: {}", few(&others)))
}

/// Returns a type and its constructors, type first, if `candidates` are only these and values that have the type's name.
fn type_with_constructors(graph: &Graph, candidates: &[NodeId]) -> Option<Vec<NodeId>> {
    let kind = |id: &NodeId| graph.heading(*id).map(|node| node.kind);
    let is_value = |id: &NodeId| matches!(kind(id), Some(NodeKind::Field | NodeKind::Variable));
    let named = candidates.iter().copied().filter(|id| !is_value(id));
    let (constructors, types): (Vec<NodeId>, Vec<NodeId>) =
        named.partition(|id| kind(id) == Some(NodeKind::Function));
    let &[owner] = types.as_slice() else { return None };
    let whole = graph.heading(owner)?;
    let is_own = |id: &NodeId| {
        let above = graph.heading(*id).and_then(|node| node.qname.strip_suffix(node.name));
        above.is_some_and(|above| above.trim_end_matches(SEPARATORS) == whole.qname)
    };
    let all = constructors.iter().flat_map(|id| graph.overloads(*id));
    constructors.iter().all(is_own).then(|| std::iter::once(owner).chain(all).collect())
}

/// The innermost definition at a place: `c7`, `src/a.rs:40-58`.
fn at_place(graph: &Graph, context: &ToolContext, spelled: &str) -> Option<NodeId> {
    let place = place_argument::find(context, spelled).ok()?;
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

fn unknown(name: &str, nearest: &[String], question: &GraphQuestion<'_>) -> GraphOutput {
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
    let answer = GraphOutput {
        unknown_name: Some(name.clone()),
        ..GraphOutput::sentence(
            ToolOutcome::NoMatch,
            format!("no definition is named {name:?}{within}"),
        )
    };
    if nearest.is_empty() {
        let call = question
            .context
            .suggest("graph", &[("operation", json!("search")), ("target", json!(name))]);
        return answer.note(format!("look for parts of the name: {call}; or grep for it"));
    }
    let names: Vec<String> = nearest.iter().map(|name| truncate(name, 80)).collect();
    answer.note(format!("did you mean {}?", names.join(", ")))
}

fn ambiguous(
    graph: &Graph,
    name: &str,
    candidates: &[NodeId],
    question: &GraphQuestion<'_>,
) -> GraphOutput {
    let total = candidates.len();
    let is_default = question.limit == DEFAULT_LIMIT as usize;
    let most = if is_default { CANDIDATES } else { question.limit };
    let candidates: Vec<Definition> =
        candidates.iter().take(most).filter_map(|id| graph.node(*id)).map(Definition::of).collect();
    let outcome =
        if candidates.len() < total { ToolOutcome::Truncated } else { ToolOutcome::Found };
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
        let mut arguments = vec![
            ("operation", json!(question.operation.as_ref())),
            ("target", json!(best.qname)),
            ("file", json!(best.path)),
        ];
        let is_same = |other: &&Definition| other.qname == best.qname && other.path == best.path;
        if candidates.iter().skip(1).any(|other| is_same(&other)) {
            arguments.push(("kind", json!(best.kind.as_ref())));
        }
        let call = question.context.suggest("graph", &arguments);
        let has_ids = question.context.call_syntax.has_ids();
        let or_id = if has_ids { "; or give an ID from above as the target" } else { "" };
        answer = answer.note(format!("for example: {call}{or_id}"));
    }
    GraphOutput { candidates, total, ..answer }
}
