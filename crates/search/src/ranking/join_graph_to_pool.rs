//! Joins the code graph to the pool: what is close to the best candidates gains points, definitions that no word led to
//! are added, and ranges become those of the definitions.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::{
    candidate_pool::{ScoredCandidate, ScoredPool, sort},
    passage_scorer::PassageScorer,
    roles_from_graph::add_graph_roles,
};
use crate::{
    candidate::Candidate,
    retrieval_channels::{GraphForSearch, MAX_WIDTH, ReachedNode},
    score_parts::ScorePart,
};
use retriever_graph::{Node, NodeId, NodeKind};
use retriever_workspace::{Cancellation, LineRange, Workspace};

/// Candidates from which the graph is expanded, and those that are looked up in it.
const MAX_ROOTS: usize = 24;
const LOOKED_UP: usize = 150;
/// Definitions that are added.
const MAX_ADDED: usize = 24;
/// Share of the best score that the closest place gets: the first if words found it, too, the second if only the graph did.
const KNOWN: f64 = 0.22;
const ADDED: f64 = 0.4;
/// What is left of that when the query names code, and for what is no function: a type is close to all its members, and
/// their work is not its own.
const NAMED: f64 = 0.4;
const NO_FUNCTION: f64 = 0.4;
/// Least closeness of a place that is added.
const MIN_CLOSENESS: f64 = 0.08;

/// Expands the graph from the best of `pool` and joins what was reached. `ranked` are the ranked files.
pub(crate) fn add_graph_candidates(
    graph: &GraphForSearch<'_>,
    workspace: &Workspace,
    scorer: &PassageScorer<'_>,
    pool: &mut ScoredPool,
    cancellation: &Cancellation,
) {
    sort(pool);
    let best_score = pool.first().map_or(0.0, |first| first.total());
    if best_score <= 0.0 {
        return;
    }
    let expansion = Expansion { graph, workspace, scorer, best_score };
    let (known, roots) = expansion.look_up(pool);
    let reached = graph.expand(&roots, |path| expansion.may_enter(path), cancellation);
    for (node, index) in &known {
        expansion.set_definition(*node, &mut pool[*index].candidate);
    }
    let mut added: BTreeSet<NodeId> = BTreeSet::new();
    for reached in &reached {
        if let Some(index) = known.get(&reached.node) {
            expansion.lift(&mut pool[*index].candidate, reached);
        } else if reached.closeness >= MIN_CLOSENESS
            && added.len() < MAX_ADDED
            && added.insert(reached.node)
        {
            let candidate = expansion.candidate(reached);
            pool.extend(candidate.map(ScoredCandidate::bare));
        }
    }
}

struct Expansion<'a, 'v> {
    graph: &'a GraphForSearch<'v>,
    workspace: &'a Workspace,
    scorer: &'a PassageScorer<'a>,
    best_score: f64,
}

impl Expansion<'_, '_> {
    /// Looks the best candidates up; returns their numbers in the pool by node, and the weights of the roots.
    fn look_up(&self, pool: &ScoredPool) -> (BTreeMap<NodeId, usize>, BTreeMap<NodeId, f64>) {
        let first = &pool[..pool.len().min(LOOKED_UP)];
        let nodes = first.par_iter().with_max_len(1);
        let nodes = nodes.map(|scored| self.graph.node_of(&scored.candidate));
        let nodes: Vec<Option<NodeId>> = nodes.collect();
        let mut known: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut roots: BTreeMap<NodeId, f64> = BTreeMap::new();
        for (index, (scored, node)) in first.iter().zip(nodes).enumerate() {
            let Some(node) = node else { continue };
            known.entry(node).or_insert(index);
            let may_lead = self.wants_tests() || !scored.candidate.is_secondary();
            if may_lead && roots.len() < MAX_ROOTS {
                roots.entry(node).or_insert((scored.total() / self.best_score).powi(2));
            }
        }
        (known, roots)
    }

    fn wants_tests(&self) -> bool {
        self.scorer.context.parsed.scope.wants_tests
    }

    /// Whether the expansion may enter a file.
    fn may_enter(&self, path: &str) -> bool {
        self.workspace.normalize(path).is_ok_and(|path| {
            let by_path = || self.workspace.traits(&path, "").is_secondary();
            let known = self.scorer.context.scanner.index.is_secondary(&path);
            self.wants_tests() || !known.unwrap_or_else(by_path)
        })
    }

    /// Gives a candidate the features of its definition, and its range where the text only guessed it.
    fn set_definition(&self, node: NodeId, candidate: &mut Candidate) {
        candidate.graph = Some(self.graph.features(node));
        if let (Some(range), Some(node)) = (candidate.range, self.graph.code_graph.node(node))
            && !candidate.symbols.is_empty()
            && let Some(exact) = LineRange::new(node.start, node.end)
            && exact.covers(range) != range.covers(exact)
            && exact.width() <= MAX_WIDTH
        {
            candidate.range = Some(exact);
        }
    }

    /// Returns the score that closeness is a share of. A query that names code leads there by itself.
    fn attainable_score(&self, node: NodeId) -> f64 {
        let node = self.graph.code_graph.node(node);
        let is_function = node.is_some_and(|node| node.kind == NodeKind::Function);
        if is_function { self.best_score } else { self.best_score * NO_FUNCTION }
    }

    fn trust(&self) -> f64 {
        if self.scorer.context.parsed.names_code() { NAMED } else { 1.0 }
    }

    /// Adds the points of a place that words led to, too.
    fn lift(&self, candidate: &mut Candidate, reached: &ReachedNode) {
        let share = self.trust() * KNOWN;
        let attainable = self.attainable_score(reached.node);
        candidate.score.add(ScorePart::Graph, share * attainable * reached.closeness);
        if reached.closeness >= MIN_CLOSENESS {
            candidate.provenance.push(self.graph.relation(reached));
        }
    }

    /// Returns the candidate of a place that only the graph leads to.
    fn candidate(&self, reached: &ReachedNode) -> Option<Candidate> {
        let node = self.graph.code_graph.node(reached.node)?;
        if !is_worth_adding(node) {
            return None;
        }
        let file = self.scorer.texts.read(&self.workspace.normalize(&node.path).ok()?)?;
        let mut candidate = self.scorer.of_definition(&file, node)?;
        if let Some((_, ranked)) = self.scorer.ranking.of_path(&node.path) {
            candidate.score = ranked.score;
        }
        let attainable = self.attainable_score(reached.node);
        let points = self.trust() * ADDED * attainable * reached.closeness;
        candidate.score.add(ScorePart::Graph, points);
        candidate.provenance.push(self.graph.relation(reached));
        candidate.graph = Some(self.graph.features(reached.node));
        Some(candidate)
    }
}

/// Whether a definition is worth showing without a match of its text: functions and small types are.
fn is_worth_adding(node: &Node) -> bool {
    use NodeKind::{Field, Function, Macro, Variable, Variant};
    let is_small = node.end - node.start < MAX_WIDTH;
    let is_part = matches!(node.kind, Field | Variant | Variable);
    !node.is_declaration && (matches!(node.kind, Function | Macro) || is_small && !is_part)
}

/// Adds the roles that only the graph shows.
pub(crate) fn add_roles_of_graph(graph: &GraphForSearch<'_>, candidates: &mut [Candidate]) {
    for candidate in candidates {
        if let Some(node) = graph.node_of(candidate) {
            add_graph_roles(graph.code_graph, node, candidate);
        }
    }
}
