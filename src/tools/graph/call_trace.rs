//! The answer of `graph trace`: the path of calls from one definition to another, step by step, or why none was found.

use retriever_graph::{
    CallPathHop, CallTrace, EdgeKind, Graph, NameLookup, Node, NodeId, UnresolvedCall,
};
use retriever_workspace::truncate;

use super::{
    graph_answer::{Definition, GraphAnswer, kept_at},
    graph_output::GraphOutput,
    graph_question::GraphQuestion,
    language_limits::outlined_only,
    relation_notes::functions_inside,
    target_lookup::{Target, find, nothing_indexed},
};
use crate::tools::ToolOutcome;

/// One end of the path: the definitions that its name may mean.
struct End<'a> {
    name: &'a str,
    /// The most likely ones, best first; all overloads if the name is unique.
    nodes: Vec<NodeId>,
    /// Number of all definitions.
    total: usize,
    /// What to know of the name.
    note: Option<String>,
}

impl End<'_> {
    fn describe(&self, graph: &Graph) -> String {
        if let ([first, ..], 1) = (self.nodes.as_slice(), self.total) {
            return graph.node(*first).map(|it| Definition::of(it).describe()).unwrap_or_default();
        }
        let among = if self.nodes.len() < self.total {
            format!("the likeliest {} of ", self.nodes.len())
        } else {
            String::new()
        };
        format!("any of {among}{} definitions named {:?}", self.total, truncate(self.name, 120))
    }

    fn count(&self) -> String {
        let plural = if self.total == 1 { "" } else { "s" };
        format!("{} definition{plural} named {:?}", self.total, truncate(self.name, 120))
    }
}

/// Answers `question`, whose `to` is set.
pub(super) fn trace(graph: &Graph, question: &GraphQuestion<'_>) -> GraphOutput {
    let from = match end(graph, question.target, question) {
        Ok(found) => found,
        Err(answer) => return *answer,
    };
    let goal = question.to.unwrap_or_default();
    let open = GraphQuestion { file: None, kind: None, target: goal, ..*question };
    let to = match end(graph, goal, &open) {
        Ok(found) => found,
        Err(answer) => {
            let headline = format!("where to: {}", answer.headline);
            return GraphOutput { headline, ..*answer };
        }
    };
    let (mut trace, mut aside) = way_from_inside(graph, &from, &to);
    if trace.hops.is_empty() && !trace.cut {
        let made = graph.trace_made(&from.nodes, &to.nodes);
        if let [method, home, ..] = made.hops.as_slice() {
            let name =
                |hop: &CallPathHop| graph.node(hop.node).map(|node| truncate(&node.qname, 120));
            aside = name(method).zip(name(home)).map(|(method, home)| {
                format!("{method} itself doesn't lead there: the way goes by what makes a {home}")
            });
            trace = made;
        }
    }
    let (Some(first), Some(last)) = (trace.hops.first(), trace.hops.last()) else {
        return no_way(graph, &from, &to, &trace);
    };
    let (Some(start), Some(end)) = (graph.node(first.node), graph.node(last.node)) else {
        return nothing_indexed();
    };
    let taken = (from.total > 1 || to.total > 1).then(|| {
        let (from, to) = (from.count(), to.count());
        format!(
            "this is the shortest way between {from} and {to}; give full names for another pair"
        )
    });
    let steps = trace.hops.len() - 1;
    let steps = if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") };
    let (target, goal) = (Definition::of(start), Definition::of(end));
    let headline = format!("{steps} from {} to {}", target.describe(), goal.describe());
    let answers = hop_by_hop(graph, &trace.hops);
    GraphOutput {
        target: Some(target),
        total: answers.len(),
        answers,
        notes: aside.into_iter().chain(taken).chain(from.note).chain(to.note).collect(),
        ..GraphOutput::sentence(ToolOutcome::Found, headline)
    }
}

/// Returns the way from one end to another. Where there is none, it may begin in a function inside of the first, which is then
/// said.
fn way_from_inside(graph: &Graph, from: &End<'_>, to: &End<'_>) -> (CallTrace, Option<String>) {
    let trace = graph.trace_any(&from.nodes, &to.nodes);
    let mut inside = functions_inside(graph, &from.nodes);
    inside.retain(|inner| !to.nodes.contains(inner));
    if !trace.hops.is_empty() || trace.cut || inside.is_empty() {
        return (trace, None);
    }
    let inner = graph.trace_any(&inside, &to.nodes);
    if inner.hops.is_empty() {
        return (trace, None);
    }
    let name = truncate(from.name, 120);
    let aside =
        format!("{name} itself doesn't lead there: the way begins in a function inside of it");
    (inner, Some(aside))
}

fn no_way(graph: &Graph, from: &End<'_>, to: &End<'_>, trace: &CallTrace) -> GraphOutput {
    let ends = format!("{} to {}", from.describe(graph), to.describe(graph));
    let why = match (trace.visited, trace.cut) {
        (visited, true) => format!("the search got too large after {visited} definitions"),
        (1, false) => "nothing that is known leads on from the start".to_owned(),
        (visited, false) => format!("{visited} definitions were reached"),
    };
    let mut output =
        GraphOutput::sentence(ToolOutcome::NoMatch, format!("no way from {ends} was found: {why}"));
    output.notes.extend(from.note.iter().chain(&to.note).cloned());
    output.notes.extend(stops(graph, &trace.open));
    let ends = from.nodes.first().into_iter().chain(to.nodes.first());
    output.notes.extend(ends.filter_map(|id| outlined_only(graph.path_of(*id)?)).take(1));
    let output = output.note("try the other direction, an end farther in, or callers of the goal");
    let ambiguous = if from.total > 1 { from } else { to };
    let candidates = ambiguous.nodes.iter().filter(|_| ambiguous.total > 1);
    let candidates = candidates.filter_map(|id| graph.node(*id)).map(Definition::of).collect();
    GraphOutput { candidates, ..output }
}

/// Names calls that the search could not follow.
fn stops(graph: &Graph, open: &[UnresolvedCall]) -> Option<String> {
    let place = |call: &UnresolvedCall| {
        let path = graph.path_of(call.from)?;
        Some(format!("{} ({path}:{})", truncate(&call.name, 60), call.line))
    };
    let calls: Vec<String> = open.iter().filter_map(place).collect();
    (!calls.is_empty())
        .then(|| format!("it stopped at calls whose target is not known: {}", calls.join(", ")))
}

fn hop_by_hop(graph: &Graph, hops: &[CallPathHop]) -> Vec<GraphAnswer> {
    let mut answers = Vec::new();
    let mut before: Option<&CallPathHop> = None;
    for hop in hops {
        let Some(node) = graph.node(hop.node) else { continue };
        let came = before.and_then(|hop| graph.node(hop.node));
        let keeps =
            |node: &&Node| hop.kind == Some(EdgeKind::Triggers) && node.kind.keeps_callbacks();
        let kept_in = came.filter(keeps);
        let line = [hop.line];
        let lines = if hop.line > 0 { &line[..] } else { &[] };
        let (site, lines) = match kept_in {
            Some(_) => kept_at(graph, hop.node, lines),
            None => (came.map(|node| node.path.as_str()), lines),
        };
        answers.push(GraphAnswer {
            definition: Definition::of(node),
            relation: hop.kind,
            resolution: hop.kind.map(|_| hop.resolution),
            depth: None,
            through: kept_in.map(|field| field.qname.clone()),
            literal_lines: before
                .filter(|_| kept_in.is_some())
                .and_then(|field| graph.literal_lines(field.node, hop.node))
                .unwrap_or_default(),
            package: None,
            site: site.filter(|_| !lines.is_empty()).map(str::to_owned),
            lines: lines.to_vec(),
            handed_on: Vec::new(),
            dispatched: Vec::new(),
            is_test: false,
            is_at_target: false,
        });
        before = Some(hop);
    }
    answers
}

/// Returns the nodes that an end of a path may mean.
fn end<'a>(
    graph: &Graph,
    name: &'a str,
    question: &GraphQuestion<'_>,
) -> Result<End<'a>, Box<GraphOutput>> {
    match graph.lookup(question.lookup_target(name)) {
        NameLookup::Several { candidates, total } => {
            Ok(End { name, nodes: candidates, total, note: None })
        }
        _ => {
            let Target { nodes, note } = find(graph, name, question)?;
            Ok(End { name, nodes, total: 1, note })
        }
    }
}
