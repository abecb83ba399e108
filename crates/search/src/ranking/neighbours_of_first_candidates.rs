//! Finds the functions around the first candidates that a reader looks at next: what they call, what calls them, and
//! tests that call them.

use std::collections::BTreeMap;

use super::{
    named_platforms::NamedPlatforms, passage_kind_features::is_constructor,
    passage_scorer::PassageScorer,
};
use crate::{
    candidate::{CallNeighbour, CallRelation, Candidate},
    retrieval_channels::GraphForSearch,
};
use retriever_graph::{EdgeKind, Graph, NodeHeader, NodeId, NodeKind, is_test_path};
use retriever_workspace::{LineRange, RepoPath, Workspace};

/// First candidates whose neighbours are looked at.
const MAX_CANDIDATES: usize = 12;
/// Calls of one function, or to it, that are looked at.
const MAX_EDGES: usize = 200;
/// Neighbours of each relation that are kept.
const MAX_KEPT: usize = 2;
/// Minimum lines of a function that is worth reading.
const MIN_LINES: u32 = 4;
/// With so many calls a function says half as much about one of its callers.
const USUAL_CALLERS: f64 = 6.0;
/// A function with this many calls says nothing about any one of its callers.
const MAX_CALLERS: usize = 60;

/// What is needed to judge neighbours.
struct NeighbourSearch<'a, 'g> {
    graph: &'a GraphForSearch<'g>,
    workspace: &'a Workspace,
    scorer: &'a PassageScorer<'a>,
    platforms: NamedPlatforms,
}

/// Adds the neighbours of the first of `candidates`.
pub(crate) fn add_call_neighbours(
    graph: &GraphForSearch<'_>,
    workspace: &Workspace,
    scorer: &PassageScorer<'_>,
    candidates: &mut [Candidate],
) {
    let platforms = NamedPlatforms::of_question(&scorer.context.parsed.written_words);
    let search = NeighbourSearch { graph, workspace, scorer, platforms };
    for candidate in candidates.iter_mut().take(MAX_CANDIDATES) {
        let Some(node) = graph.node_of(candidate) else { continue };
        let neighbours = search.neighbours_of(node);
        if let Some(features) = &mut candidate.graph {
            features.neighbours = neighbours;
        }
    }
}

impl NeighbourSearch<'_, '_> {
    fn neighbours_of(&self, node: NodeId) -> Vec<CallNeighbour> {
        let graph = self.graph.code_graph;
        let calls = |kind: EdgeKind| kind == EdgeKind::Calls;
        let outgoing = graph.outgoing(node).iter().filter(|edge| calls(edge.kind));
        let incoming = graph.incoming(node).iter().filter(|edge| calls(edge.kind));
        let callees = outgoing.take(MAX_EDGES).map(|edge| (edge.to, CallRelation::Callee));
        let callers = incoming.take(MAX_EDGES).map(|edge| (edge.from, CallRelation::Caller));
        let mut found: BTreeMap<NodeId, (f64, CallNeighbour)> = BTreeMap::new();
        for (other, relation) in callees.chain(callers).filter(|(other, _)| *other != node) {
            if let Some(header) = graph.heading(other).filter(|it| it.kind == NodeKind::Function)
                && let Some(neighbour) = neighbour(graph, node, other, relation)
                && let Some(points) = self.points(other, &header)
            {
                found.entry(other).or_insert((points, neighbour));
            }
        }
        let mut found: Vec<(f64, CallNeighbour)> = found.into_values().collect();
        found.sort_by(|(one, first), (other, second)| {
            let place = |it: &CallNeighbour| (it.path.clone(), it.range.start());
            other.total_cmp(one).then_with(|| place(first).cmp(&place(second)))
        });
        let mut kept: Vec<CallNeighbour> = Vec::new();
        for (_, mut neighbour) in found {
            if neighbour.relation == CallRelation::Caller && self.is_test(&neighbour) {
                neighbour.relation = CallRelation::Test;
            }
            let same = kept.iter().filter(|known| known.relation == neighbour.relation);
            let is_known = kept.iter().any(|known| known.name == neighbour.name);
            if same.count() < MAX_KEPT && !is_known {
                kept.push(neighbour);
            }
        }
        kept
    }

    /// Whether a function is a test, or part of one inside of a file that is not one of tests.
    fn is_test(&self, function: &CallNeighbour) -> bool {
        let outline = || self.scorer.context.scanner.index.outline_of(&function.path);
        is_test_path(function.path.as_str())
            || self.workspace.traits(&function.path, "").test
            || outline().is_some_and(|outline| outline.is_test(function.range.start()))
    }

    /// Returns how much a neighbour says: more if its name has words of the question, less if it is called from many places or too
    /// short to do much; none if everything calls it, or if it is for another platform than the one that the question
    /// names.
    fn points(&self, node: NodeId, header: &NodeHeader<'_>) -> Option<f64> {
        let Self { graph, scorer, .. } = self;
        let weights = &scorer.ranking.term_weights;
        let named = scorer.context.matcher.terms_in(header.name).into_iter();
        let named: f64 =
            named.map(|(term, strength)| weights.get(term) * f64::from(strength)).sum();
        let callers =
            graph.code_graph.incoming(node).iter().filter(|edge| edge.kind == EdgeKind::Calls);
        let callers = callers.take(MAX_CALLERS + 1).count();
        let usual = (1.0 + callers as f64 / USUAL_CALLERS).recip();
        let is_short = header.end.saturating_sub(header.start) + 1 < MIN_LINES;
        let points = (1.0 + named) * usual * if is_short { 0.25 } else { 1.0 };
        let is_told = callers <= MAX_CALLERS && !self.platforms.is_for_another(header.path);
        is_told.then_some(points)
    }
}

/// Returns a function as a neighbour of `origin`: with its type when both have one name. A constructor is told by its type, and
/// tells nothing as a caller.
fn neighbour(
    graph: &Graph,
    origin: NodeId,
    node: NodeId,
    relation: CallRelation,
) -> Option<CallNeighbour> {
    let header = graph.heading(node)?;
    let made = made_type(graph, node);
    let is_namesake = graph.heading(origin).is_some_and(|origin| origin.name == header.name);
    let is_constructor = made.is_some() || is_constructor(header.name, None);
    let (relation, name) = match relation {
        CallRelation::Callee if is_constructor => (CallRelation::Constructor, made?),
        _ if is_constructor => return None,
        relation => (relation, header.name),
    };
    let name = match type_around(graph, node).filter(|_| is_namesake) {
        Some(owner) => format!("{}.{name}", owner.name),
        None => name.to_owned(),
    };
    Some(CallNeighbour {
        relation,
        name,
        path: RepoPath::parse(header.path, "").ok()?,
        range: LineRange::new(header.start, header.end)?,
    })
}

/// Returns the name of the type whose objects a constructor makes.
fn made_type(graph: &Graph, constructor: NodeId) -> Option<&str> {
    let name = graph.heading(constructor)?.name;
    let home = type_around(graph, constructor)?;
    let is_type = matches!(home.kind, NodeKind::Class | NodeKind::Struct | NodeKind::Enum);
    (is_type && is_constructor(name, Some(home.name))).then_some(home.name)
}

/// Returns the type that a definition is a member of.
fn type_around(graph: &Graph, member: NodeId) -> Option<NodeHeader<'_>> {
    use NodeKind::{Class, Enum, Interface, Struct, Trait};
    let parent = graph.outgoing(member).iter().find(|edge| edge.kind == EdgeKind::Parent)?;
    let home = graph.heading(parent.to)?;
    matches!(home.kind, Class | Struct | Interface | Trait | Enum).then_some(home)
}
