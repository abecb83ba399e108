//! The answer of `graph trace`: the way that calls take from one definition to another, hop by hop, or why none was found.

use super::{
    Outcome, ToolContext,
    lookup::{find, nothing_indexed},
    output::{Answer, Definition, GraphOutput},
    question::Question,
};
use retriever_graph::{EdgeKind, Graph, Hop, Lookup, Node, NodeId, NodeKind, Target};
use retriever_workspace::truncate;

/// Answers `question`, which has where to.
pub(super) fn trace(graph: &Graph, context: &ToolContext, question: &Question<'_>) -> GraphOutput {
    let (from, starts) = match ends(graph, context, question.target, question) {
        Ok(found) => found,
        Err(answer) => return *answer,
    };
    let goal = question.to.unwrap_or_default();
    let open = Question { file: None, kind: None, target: goal, ..*question };
    let (to, goals) = match ends(graph, context, goal, &open) {
        Ok(found) => found,
        Err(answer) => {
            let headline = format!("where to: {}", answer.headline);
            return GraphOutput { headline, ..*answer };
        }
    };
    let mut trace = graph.trace_any(&from, &to);
    let mut aside = None;
    if trace.hops.is_empty() && !trace.cut {
        let made = graph.trace_made(&from, &to);
        if let [method, home, ..] = made.hops.as_slice() {
            let name = |hop: &Hop| graph.node(hop.node).map(|node| truncate(&node.qname, 120));
            aside = name(method).zip(name(home)).map(|(method, home)| {
                format!("{method} itself doesn't lead there: the way goes by what makes a {home}")
            });
            trace = made;
        }
    }
    let described = |ids: &[NodeId], name: &str, total: usize| match ids {
        [one] => graph.node(*one).map(|node| Definition::of(node).describe()).unwrap_or_default(),
        ids => {
            let among = if ids.len() < total {
                format!("the likeliest {} of ", ids.len())
            } else {
                String::new()
            };
            format!("any of {among}{total} definitions named {:?}", truncate(name, 120))
        }
    };
    let (Some(first), Some(last)) = (trace.hops.first(), trace.hops.last()) else {
        let ends = format!(
            "{} to {}",
            described(&from, question.target, starts),
            described(&to, goal, goals)
        );
        let why = if trace.cut {
            "none was found before the search got too large"
        } else {
            "there is none"
        };
        let output = GraphOutput::sentence(Outcome::NoMatch, format!("no way from {ends}: {why}"))
            .note("try the other direction, an end farther in, or callers of the goal");
        let ambiguous = if from.len() > 1 { &from } else { &to };
        let candidates = ambiguous.iter().filter(|_| ambiguous.len() > 1);
        let candidates = candidates.filter_map(|id| graph.node(*id)).map(Definition::of).collect();
        return GraphOutput { candidates, ..output };
    };
    let (Some(start), Some(end)) = (graph.node(first.node), graph.node(last.node)) else {
        return nothing_indexed();
    };
    let ends =
        format!("{} to {}", Definition::of(start).describe(), Definition::of(end).describe());
    let taken = (starts > 1 || goals > 1).then(|| {
        let named = |name: &str, total: usize| match total {
            1 => format!("1 definition named {:?}", truncate(name, 120)),
            _ => format!("{total} definitions named {:?}", truncate(name, 120)),
        };
        format!(
            "this is the shortest way between {} and {}; give full names for another pair",
            named(question.target, starts),
            named(goal, goals)
        )
    });
    let mut answers = Vec::new();
    let mut before: Option<&Hop> = None;
    for hop in &trace.hops {
        let Some(node) = graph.node(hop.node) else { continue };
        let came = before.and_then(|hop| graph.node(hop.node));
        // A callback is registered where it stands, not where it is kept.
        let keeps = |node: &&Node| {
            hop.kind == Some(EdgeKind::Triggers)
                && matches!(node.kind, NodeKind::Field | NodeKind::Variable)
        };
        let kept_in = came.filter(keeps);
        let site = if kept_in.is_some() { Some(node) } else { came }.map(|node| node.path.clone());
        answers.push(Answer {
            definition: Definition::of(node),
            relation: hop.kind,
            resolution: hop.kind.map(|_| hop.resolution),
            depth: None,
            through: kept_in.map(|field| field.qname.clone()),
            site: site.filter(|_| hop.line > 0),
            lines: Vec::from_iter((hop.line > 0).then_some(hop.line)),
        });
        before = Some(hop);
    }
    let steps = trace.hops.len() - 1;
    let steps = if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") };
    GraphOutput {
        target: Some(Definition::of(start)),
        total: answers.len(),
        answers,
        notes: aside.into_iter().chain(taken).collect(),
        ..GraphOutput::sentence(Outcome::Found, format!("{steps} from {ends}"))
    }
}

/// The nodes that an end of a way may mean, likeliest first, and how many there are in all.
fn ends(
    graph: &Graph,
    context: &ToolContext,
    name: &str,
    question: &Question<'_>,
) -> Result<(Vec<NodeId>, usize), Box<GraphOutput>> {
    match graph.lookup(Target { name, file: question.file, kind: question.kind }) {
        Lookup::Several { candidates, total } => Ok((candidates, total)),
        _ => find(graph, context, name, question).map(|id| (vec![id], 1)),
    }
}
