//! The primary places as a diagram, with the calls between them: from the code graph, else by the names that their
//! lines use.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use retriever::{
    CodeMap, Retriever,
    graph::{EdgeKind, Graph, NodeId},
    report::{
        PrimaryPlace,
        render::{Snippets, calls_between},
    },
    workspace::{Cancellation, LineRange},
};
use retriever_page::{DiagramEdge, DiagramNode, GraphDiagram};

use super::cited_code::CitedFiles;

/// Limit of the code that is searched for names, in tokens: more than any map cites.
const MAX_CODE_TOKENS: u64 = 200_000;

/// Returns the diagram; empty without an arrow, since boxes alone would say less than the table of places.
pub(super) fn picture(map: &CodeMap, places: &CitedFiles<'_>, retriever: &Retriever) -> Markup {
    let known =
        retriever.index().ask_if_current(&Cancellation::new(), |graph| calls_in_graph(map, graph));
    let caption = match known {
        Some(_) => "a dashed one leads through a function that the map does not list",
        None => "it leads from a place to one that its lines use by name",
    };
    let edges = known.unwrap_or_else(|| uses_by_name(map, retriever));
    let nodes = map.primary.iter().map(|item| DiagramNode {
        label: name(item).to_owned(),
        place: format!("{}:{}", item.place.path, item.place.start),
        link: places.link(&item.place.path, item.place.start),
    });
    let picture = GraphDiagram { nodes: nodes.collect(), edges };
    html! {
        @if !picture.edges.is_empty() {
            figure {
                (picture.svg("The primary places and the calls between them"))
                figcaption { "The primary places. An arrow is a call: " (caption) "." }
            }
        }
    }
}

fn name(item: &PrimaryPlace) -> &str {
    let file = item.place.path.rsplit('/').next().unwrap_or_default();
    item.symbols.first().map_or(file, String::as_str)
}

/// Returns the calls of each place to another one, directly or through one function.
fn calls_in_graph(map: &CodeMap, graph: &Graph) -> Vec<DiagramEdge> {
    let nodes: Vec<Option<NodeId>> =
        map.primary.iter().map(|item| declaration(item, graph)).collect();
    let callees =
        |from: NodeId| graph.outgoing(from).iter().filter(|edge| edge.kind == EdgeKind::Calls);
    let mut edges = Vec::new();
    for (from, caller) in nodes.iter().enumerate() {
        let Some(caller) = *caller else { continue };
        let mut called: BTreeMap<NodeId, String> = BTreeMap::new();
        for edge in callees(caller) {
            called.entry(edge.to).or_insert_with(|| format!("in line {}", edge.line));
        }
        let direct: BTreeSet<NodeId> = called.keys().copied().collect();
        // A path through a place that has its own box is shown as two arrows already.
        for middle in direct.iter().filter(|middle| !nodes.contains(&Some(**middle))) {
            let through = graph.node(*middle).map_or("", |node| &node.name);
            for edge in callees(*middle) {
                called.entry(edge.to).or_insert_with(|| format!("through {through}"));
            }
        }
        for (to, callee) in nodes.iter().enumerate().filter(|(to, _)| *to != from) {
            let Some((callee, how)) = callee.and_then(|node| called.get_key_value(&node)) else {
                continue;
            };
            let label =
                format!("{} calls {} {how}", name(&map.primary[from]), name(&map.primary[to]));
            edges.push(DiagramEdge { from, to, label, is_indirect: !direct.contains(callee) });
        }
    }
    edges
}

/// Returns the declaration of a place: that of its first symbol, else the innermost declaration around it.
fn declaration(item: &PrimaryPlace, graph: &Graph) -> Option<NodeId> {
    let range = item.place.range()?;
    let all = graph.symbols(&item.place.path);
    let of = |id: &NodeId| graph.node(*id);
    let is_inside = |id: &&NodeId| of(id).is_some_and(|node| range.contains(node.name_line));
    let is_named = |id: &&NodeId| {
        let symbol = item.symbols.first();
        of(id).zip(symbol).is_some_and(|(node, symbol)| is_name_of(&node.name, symbol))
    };
    let mut around = all.iter().filter(|id| {
        let lines = of(id).and_then(|node| LineRange::new(node.start, node.end));
        lines.is_some_and(|lines| lines.covers(range))
    });
    let mut inside = all.iter().filter(is_inside);
    let found = inside.clone().find(is_named).or_else(|| inside.next());
    found.or_else(|| around.next_back()).copied()
}

/// Whether `symbol` is a name, qualified or not.
fn is_name_of(name: &str, symbol: &str) -> bool {
    let rest = symbol.strip_suffix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', ':', '#', '/', '\\']))
}

/// Returns the calls of places whose lines contain the name of another place.
fn uses_by_name(map: &CodeMap, retriever: &Retriever) -> Vec<DiagramEdge> {
    let read = |path: &str, range: LineRange| retriever.code(path, range);
    let code = Snippets { read: &read, max_tokens: MAX_CODE_TOKENS };
    let mut nodes: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, item) in map.primary.iter().enumerate() {
        nodes.entry(name(item)).or_insert(at);
    }
    let edge = |call: retriever::report::render::CallBetweenPlaces<'_>| {
        let label = format!("{} uses {} in line {}", call.caller, call.callee, call.line);
        let (from, to) = (*nodes.get(call.caller)?, *nodes.get(call.callee)?);
        Some(DiagramEdge { from, to, label, is_indirect: false })
    };
    calls_between(map, &code).into_iter().filter_map(edge).collect()
}
