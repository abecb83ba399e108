//! The flow of a question: the main call path between its candidates, for the source that an exploration prints and for a
//! report.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::{
    call_flow_anchors::anchors,
    concept_coverage::ConceptCoverage,
    file_symbols::SymbolPlace,
    main_call_path::{CallFlowAnchor, MainCallPath, find_spine},
    match_quality::MatchQuality,
    symbol_table::SymbolTable,
};
use crate::{
    call_flow::{CallFlowLink, CallFlowPlace},
    candidate::Candidate,
    candidate_search::CandidateSet,
    query::QueryConcepts,
    search_corpus::SearchCorpus,
    texts_of_one_search::TextCache,
};
use retriever_graph::{CallPathHop, NodeId};
use retriever_workspace::{Cancellation, LineRange, RepoPath};

/// The first places, one of which a spine passes.
const FIRST_PLACES: usize = 3;
/// The best places, and how many of them a spine has to join that expresses little of the query.
const BEST_PLACES: usize = 5;
const MIN_JOINED: usize = 2;

/// Returns the flow that [`explore`](crate::explore::explore) shows for the same question; empty without a graph, and when the
/// candidates don't call each other or may not be what is asked for.
pub fn find_flow(
    corpus: &SearchCorpus<'_>,
    found: &CandidateSet,
    cancellation: &Cancellation,
) -> Vec<CallFlowPlace> {
    let Some(graph) = corpus.graph else { return Vec::new() };
    let fit = MatchQuality::of(found);
    if fit != MatchQuality::Plausible {
        return Vec::new();
    }
    let texts = TextCache::new(corpus.workspace, Some(corpus.index));
    let index = Some(corpus.index);
    let symbols = SymbolTable::new(corpus.workspace, graph, &texts, index, cancellation);
    let concepts = QueryConcepts::of(&found.query, &found.expanded);
    let results = places_of(&symbols, found);
    let flow = QuestionFlow::find(&symbols, &concepts, found, &results, fit);
    let places: Option<Vec<_>> = flow.spine.hops.iter().map(|hop| place(&symbols, hop)).collect();
    places.unwrap_or_default()
}

fn place(symbols: &SymbolTable<'_>, hop: &CallPathHop) -> Option<CallFlowPlace> {
    let header = symbols.graph.heading(hop.node)?;
    Some(CallFlowPlace {
        name: symbols.full_name(hop.node),
        path: RepoPath::parse(header.path, "").ok()?,
        range: LineRange::new(header.start, header.end)?,
        name_line: header.name_line,
        link: CallFlowLink::of(hop, || symbols.is_property(hop.node)),
    })
}

/// Returns the candidates that have lines, each with its place.
pub(super) fn places_of<'f>(
    symbols: &SymbolTable<'_>,
    found: &'f CandidateSet,
) -> Vec<(&'f Candidate, SymbolPlace)> {
    let candidates = found.candidates.par_iter().with_max_len(1);
    candidates.filter_map(|candidate| Some((candidate, symbols.place_of(candidate)?))).collect()
}

/// The main call path between the candidates of a question, and what it was found by.
pub(super) struct QuestionFlow<'a> {
    /// The nodes of the candidates, best first.
    pub(super) ranked: Vec<NodeId>,
    pub(super) anchors: Vec<CallFlowAnchor>,
    pub(super) coverage: ConceptCoverage<'a>,
    pub(super) spine: MainCallPath,
}

impl<'a> QuestionFlow<'a> {
    /// Finds it; a path is looked for only between candidates that are plausible.
    pub(super) fn find(
        symbols: &'a SymbolTable<'a>,
        concepts: &'a QueryConcepts,
        found: &CandidateSet,
        results: &[(&Candidate, SymbolPlace)],
        fit: MatchQuality,
    ) -> Self {
        let best = results.first().map_or(1.0, |(found, _)| found.score.total()).max(1e-9);
        let ranked: Vec<(NodeId, f64)> = results
            .iter()
            .filter_map(|(candidate, place)| Some((place.node?, candidate.score.total() / best)))
            .collect();
        let nodes: Vec<NodeId> = ranked.iter().map(|(node, _)| *node).collect();
        let anchors = match fit {
            MatchQuality::Plausible => anchors(symbols, &found.query, &ranked),
            MatchQuality::Doubtful | MatchQuality::NoContent => Vec::new(),
        };
        let coverage = ConceptCoverage::new(symbols, concepts, &nodes);
        let spine = find_spine(symbols, &coverage, &anchors, &leading(found, results));
        let is_shown =
            is_of_question(&spine, &nodes) && passes_what_is_asked_for(symbols, &spine, results);
        let spine = if is_shown { spine } else { MainCallPath::default() };
        Self { ranked: nodes, anchors, coverage, spine }
    }
}

/// Returns those of a report's first places that the graph knows.
fn leading(found: &CandidateSet, results: &[(&Candidate, SymbolPlace)]) -> BTreeSet<NodeId> {
    let main = results.iter().filter(|(candidate, _)| !candidate.is_excluded(&found.query.scope));
    main.take(FIRST_PLACES).filter_map(|(_, place)| place.node).collect()
}

/// Whether a spine is more than a chain between places that rank well: it expresses enough of the query, or it joins some of
/// the best of `ranked`.
fn is_of_question(spine: &MainCallPath, ranked: &[NodeId]) -> bool {
    let best = &ranked[..ranked.len().min(BEST_PLACES)];
    let joined = spine.hops.iter().filter(|hop| best.contains(&hop.node)).count();
    spine.is_relevant || joined >= MIN_JOINED
}

/// Whether a spine goes through the declaration, or a member of it, whose name is all that is asked for; true when the query
/// is no such name.
fn passes_what_is_asked_for(
    symbols: &SymbolTable<'_>,
    spine: &MainCallPath,
    results: &[(&Candidate, SymbolPlace)],
) -> bool {
    let asked_for: BTreeSet<NodeId> = results
        .iter()
        .filter(|(candidate, _)| candidate.is_asked_for())
        .filter_map(|(_, place)| place.node)
        .collect();
    let is_of = |node: NodeId| {
        asked_for.contains(&node)
            || symbols.owner(node).is_some_and(|owner| asked_for.contains(&owner))
    };
    asked_for.is_empty() || spine.hops.iter().any(|hop| is_of(hop.node))
}
