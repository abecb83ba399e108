//! Notes beside the relations of a definition: what may be missing, what is farther away, what to ask instead.

use std::{cmp::Reverse, collections::BTreeSet};

use retriever_graph::{
    Edge, EdgeKind, EdgeResolution, Graph, Node, NodeId, NodeKind, NodeQuery, OpenCallTarget,
    RelatedNode, RelatedNodesPage, indexing::GraphIndex,
};
use retriever_workspace::{shared_folders, truncate};

use super::{
    calls_without_edge,
    graph_question::{GraphOperation, GraphQuestion, MAX_DEPTH, MAX_FILES},
    language_limits::{outlined_file, unread},
    target_lookup::is_secondary_path,
    uses_of_values::{self, MAX_FILES_WITH_NAME},
};

/// Other declarations of a definition that are named.
pub(super) const MAX_OVERLOADS: usize = 4;
/// Bodies of a declaration that are named.
const MAX_VARIANTS: usize = 12;
/// Functions whose inner functions are looked for.
const MAX_INSIDE: usize = 64;

/// Says what is beyond the answers of a page: what is farther away.
pub(super) fn limits(
    graph: &Graph,
    operation: NodeQuery,
    at: NodeId,
    page: &RelatedNodesPage,
    question: &GraphQuestion<'_>,
) -> Vec<String> {
    let is_member = graph.kind(at) == Some(NodeKind::Field);
    let untyped = (operation == NodeQuery::Usages && is_member && page.total > 0).then(|| {
        "on a value whose type isn't known it may be used as well: grep for its name".to_owned()
    });
    let is_value = uses_of_values::are_asked(graph, operation, at);
    let cut = page.cut.then(|| match is_value {
        true => format!(
            "its name stands in more files than are read: {MAX_FILES_WITH_NAME}, those that import it before others"
        ),
        false => "it reaches too much: what is farther away is not counted".to_owned(),
    });
    let depth = question.depth > MAX_DEPTH;
    let depth = depth.then(|| format!("depth is at most {MAX_DEPTH}"));
    let built_on = built_on_in_turn(graph, operation, &page.items, question);
    let may_lack = |item: &RelatedNode| {
        (item.kind, item.resolution) == (EdgeKind::Implements, EdgeResolution::Dynamic)
    };
    let embedding = page.items.iter().any(may_lack).then(|| {
        "it embeds an interface of another module, whose methods are not known: those that are dynamic have all others, and more may \
         implement it"
            .to_owned()
    });
    [cut, built_on, embedding, depth, untyped].into_iter().flatten().collect()
}

/// Says how many of the types that answer have more built on them.
fn built_on_in_turn(
    graph: &Graph,
    operation: NodeQuery,
    items: &[RelatedNode],
    question: &GraphQuestion<'_>,
) -> Option<String> {
    let is_asked = matches!(operation, NodeQuery::Implementations | NodeQuery::Inheritors);
    let builds = |edge: &Edge| edge.kind.is_inheritance();
    let has_more = |item: &&RelatedNode| graph.incoming(item.node).iter().any(builds);
    let count = items.iter().filter(|_| is_asked && question.depth == 1).filter(has_more).count();
    let depth = question.depth + 1;
    match count {
        0 => None,
        1 => Some(format!("1 of them is built on in turn: depth {depth} shows by what")),
        count => Some(format!("{count} of them are built on in turn: depth {depth} shows by what")),
    }
}

/// Says how many unresolved calls have the name of a node, so that some may mean it. It is said beside callers, and where no
/// usage is found; calls that the page lists do not count. Where there are neither, those that are taken for a library's.
pub(super) fn unresolved_calls(
    graph: &Graph,
    index: &GraphIndex,
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
    let mut calls = graph.open_calls_by_name_of(node, OpenCallTarget::Unknown);
    calls.retain(|call| !listed.contains(call));
    calls_without_edge::drop_imported(graph, index, &mut calls, &node.name, question);
    // A value whose type is a library's may be one of a type that builds on it here.
    let outside = if calls.is_empty() && total == 0 && node.is_method {
        graph.open_calls_by_name_of(node, OpenCallTarget::Outside)
    } else {
        Vec::new()
    };
    let (calls, what) = match outside.is_empty() {
        true => (calls, "unresolved"),
        false => (outside, "taken for a library's"),
    };
    // The one nearest to the definition is the likeliest.
    let firsts = calls.chunk_by(|one, other| one.0 == other.0).map(|of_file| of_file[0]);
    let distance = |path: &str| {
        (is_secondary_path(question.context, path), Reverse(shared_folders(path, &node.path)))
    };
    let (path, line) = firsts.min_by_key(|(path, _)| distance(path))?;
    let are = if calls.len() == 1 { "call of that name is" } else { "calls of that name are" };
    Some(format!("{} {are} {what}, for example {path}:{line}", calls.len()))
}

/// Names the other nodes of one definition.
pub(super) fn other_declarations(graph: &Graph, set: &[NodeId]) -> Option<String> {
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

/// Returns the functions inside of `functions`, nested ones included.
pub(super) fn functions_inside(graph: &Graph, functions: &[NodeId]) -> Vec<NodeId> {
    let is_function = |at: NodeId| graph.kind(at) == Some(NodeKind::Function);
    let mut reached: Vec<NodeId> =
        functions.iter().copied().filter(|at| is_function(*at)).collect();
    let (outer, mut next) = (reached.len(), 0);
    while let Some(at) = reached.get(next).copied()
        && next < MAX_INSIDE
    {
        next += 1;
        for inner in graph.members(at).filter(|inner| is_function(*inner)) {
            if !reached.contains(&inner) {
                reached.push(inner);
            }
        }
    }
    reached.split_off(outer)
}

/// Names the functions inside of one that call something and that it doesn't call by name, so that what they call isn't among
/// its callees.
pub(super) fn callees_inside(graph: &Graph, set: &[NodeId]) -> Option<String> {
    let outer = graph.node(*set.first()?)?;
    let calls = |at: NodeId| graph.outgoing(at).iter().filter(|edge| edge.kind == EdgeKind::Calls);
    let called: BTreeSet<NodeId> =
        set.iter().flat_map(|at| calls(*at)).map(|edge| edge.to).collect();
    let names: Vec<String> = functions_inside(graph, set)
        .into_iter()
        .filter(|inner| !called.contains(inner) && calls(*inner).next().is_some())
        .filter_map(|inner| graph.node(inner)?.qname.strip_prefix(&outer.qname))
        .map(|path| truncate(&format!("{}{path}", outer.name), 80))
        .collect();
    let shown = names.iter().take(MAX_OVERLOADS).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if names.len() > MAX_OVERLOADS { " …" } else { "" };
    match names.len() {
        0 => None,
        1 => Some(format!("a function inside of it has callees of its own: {shown}")),
        count => {
            Some(format!("{count} functions inside of it have callees of their own: {shown}{more}"))
        }
    }
}

/// Returns why a definition has no relations of the kind that is asked for, or what to ask instead.
pub(super) fn why_none(graph: &Graph, operation: NodeQuery, at: NodeId) -> Option<&'static str> {
    if operation == NodeQuery::Callers && graph.is_run_unnamed(at) {
        return Some(
            "it may run where its name isn't written, by an operator or a form of the language: such calls make no edge; grep for what uses its type",
        );
    }
    instead(operation, graph.kind(at)?)
}

/// Whether what uses a value is asked for.
pub(super) const fn uses_a_value(operation: NodeQuery, kind: NodeKind) -> bool {
    matches!(operation, NodeQuery::Usages | NodeQuery::Callers) && kind.keeps_callbacks()
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
        _ if uses_a_value(operation, kind) => {
            Some("no line that reads or writes it was resolved: grep for its name")
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
pub(super) fn omission(
    graph: &Graph,
    operation: NodeQuery,
    at: NodeId,
    question: &GraphQuestion<'_>,
) -> Option<String> {
    let path = graph.path_of(at)?;
    let goes_out = matches!(operation, NodeQuery::Callees | NodeQuery::Methods);
    outlined_file(graph, path)
        .or_else(|| {
            graph.omissions().iter().any(|(file, _)| *file == path).then(|| {
                format!(
                    "{path} is too large to be read and resolved in full: relations may be missing"
                )
            })
        })
        .or_else(|| {
            let what = "relations from there";
            (!goes_out)
                .then(|| unread(graph, question.context, written_name(graph, at), what))
                .flatten()
        })
}

/// Returns the name that is written where a definition is used: that of its type for a constructor, none for what runs without.
fn written_name(graph: &Graph, at: NodeId) -> Option<&str> {
    let named = match graph.constructed_type(at) {
        Some(home) => home,
        None if graph.is_run_unnamed(at) => return None,
        None => at,
    };
    graph.heading(named).map(|node| node.name)
}
