//! Ranks places, selects what is printed of them, and sizes the answer to the query.

use super::{
    answer_size_limits::AnswerSizeLimits,
    exploration::{Exploration, PlaceSummary, RankedPlace, RelatedPlaces, VERSION},
    explore_options::ExploreOptions,
};
use super::{
    call_flow_anchors::anchors,
    concept_coverage::ConceptCoverage,
    exploration_truncation::truncate,
    main_call_path::{MainCallPath, find_spine},
    match_quality::MatchQuality,
    place_relations::PlaceRelations,
    sibling_definitions::SiblingDefinitions,
    skeleton::add_skeletons,
    snippet_selection::SnippetSelector,
    source_printer::{SourcePrinter, assemble},
    symbol_table::{SymbolPlace, SymbolTable, one_line},
};
use crate::{
    candidate::Candidate,
    candidate_search::{CandidateSet, find_bare_candidates, text_roles},
    query::{PlaceRole, QueryConcepts, Question},
    search_corpus::SearchCorpus,
    text_cache::TextCache,
};
use rayon::prelude::*;
use retriever_graph::{Graph, NodeId};
use retriever_workspace::Cancellation;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a query that are repeated.
const MAX_QUERY_CHARS: usize = 300;

/// Results whose source is printed when they are doubtful.
const DOUBTFUL_RESULTS: usize = 4;

/// Results whose callers and callees are listed: those of the second are hardly ever what was missing.
const EXPANDED_RESULTS: usize = 1;

/// Explores `query` in a corpus and its graph. The same tree and query always give the same answer.
///
/// A cancelled exploration returns what it has found, and says so.
pub fn explore(
    corpus: &SearchCorpus<'_>,
    graph: &Graph,
    query: &str,
    options: &ExploreOptions,
    cancellation: &Cancellation,
) -> Exploration {
    let corpus = SearchCorpus { graph: Some(graph), ..*corpus };
    let texts = TextCache::new(corpus.workspace, Some(corpus.index));
    let found = find_bare_candidates(&corpus, &texts, &Question::new(query), cancellation);
    let index = Some(corpus.index);
    let symbols = SymbolTable::new(corpus.workspace, graph, &texts, index, cancellation);
    let tier = symbols.tier().unwrap_or(found.tier);
    let sizing = AnswerSizeLimits::of(tier, options.budget);
    let limit = options.limit.unwrap_or(sizing.results);
    let groups = SiblingDefinitions::new(&symbols);
    let results: Vec<(&Candidate, SymbolPlace)> = found
        .candidates
        .par_iter()
        .with_max_len(1)
        .filter_map(|candidate| Some((candidate, symbols.place_of(candidate)?)))
        .collect();
    let fit = MatchQuality::of(&symbols, &found.query, &results);
    let explorer = Explorer { symbols: &symbols, groups: &groups, found: &found, fit };
    let (source, spine) = explorer.source(&results, limit, &sizing, options);
    let listed = &results[..results.len().min(limit)];
    let roles = |(candidate, _): &(&Candidate, SymbolPlace)| {
        text_roles(corpus.role_cues, &texts, candidate)
    };
    let roles: Vec<BTreeSet<PlaceRole>> = listed.par_iter().with_max_len(1).map(roles).collect();
    let exploration = Exploration {
        version: VERSION,
        query: clipped(query),
        tier,
        results: explorer.cards(listed, &roles, &source, options.depth),
        files: source.files,
        flow: spine.steps(&symbols),
        truncated: source.left_out || cancellation.is_cancelled(),
        notes: notes(&found, fit, cancellation),
    };
    truncate(exploration, sizing.chars, cancellation)
}

/// What the parts of an exploration are made from.
struct Explorer<'a> {
    symbols: &'a SymbolTable<'a>,
    groups: &'a SiblingDefinitions<'a>,
    found: &'a CandidateSet,
    fit: MatchQuality,
}

impl Explorer<'_> {
    /// Finds the spine and puts the source together. Of `results` the first `limit` are listed.
    fn source(
        &self,
        results: &[(&Candidate, SymbolPlace)],
        limit: usize,
        sizing: &AnswerSizeLimits,
        options: &ExploreOptions,
    ) -> (SourcePrinter, MainCallPath) {
        let Self { symbols, groups, found, fit } = *self;
        let best = results.first().map_or(1.0, |(found, _)| found.score.total()).max(1e-9);
        let relevance = |candidate: &Candidate| candidate.score.total() / best;
        let ranked: Vec<(NodeId, f64)> = results
            .iter()
            .filter_map(|(candidate, place)| Some((place.node?, relevance(candidate))))
            .collect();
        let nodes: Vec<NodeId> = ranked.iter().map(|(node, _)| *node).collect();
        let is_plausible = fit == MatchQuality::Plausible;
        let anchors =
            if is_plausible { anchors(symbols, &found.query, &ranked) } else { Vec::new() };
        let concepts = QueryConcepts::of(&found.query);
        let coverage = ConceptCoverage::new(symbols, &concepts, &nodes);
        let spine = find_spine(symbols, &coverage, &anchors);
        let spine = if self.passes_what_is_asked_for(&spine, results) {
            spine
        } else {
            MainCallPath::default()
        };
        let shown = match fit {
            MatchQuality::Plausible => results.len().min(limit),
            MatchQuality::Doubtful => results.len().min(DOUBTFUL_RESULTS),
            MatchQuality::NoContent => 0,
        };
        let shown: Vec<(&Candidate, &SymbolPlace, f64)> = results[..shown]
            .iter()
            .map(|(candidate, place)| (*candidate, place, relevance(candidate)))
            .collect();
        let selection = SnippetSelector {
            symbols,
            groups,
            query: &found.query,
            spine: &spine,
            anchors: &anchors,
            ranked: &nodes,
        };
        let mut snippets = selection.snippets(&shown, is_plausible.then_some(&coverage));
        if options.adaptive {
            add_skeletons(&mut snippets, symbols, groups, &spine);
        }
        (assemble(symbols, &snippets, sizing), spine)
    }

    /// Whether a spine goes through the declaration, or a member of it, whose name is all that is asked for; true when the query
    /// is no such name.
    fn passes_what_is_asked_for(
        &self,
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
                || self.symbols.owner(node).is_some_and(|owner| asked_for.contains(&owner))
        };
        asked_for.is_empty() || spine.hops.iter().any(|hop| is_of(hop.node))
    }

    /// Returns the listed results. The first of those whose source is printed have related places.
    fn cards(
        &self,
        listed: &[(&Candidate, SymbolPlace)],
        roles: &[BTreeSet<PlaceRole>],
        source: &SourcePrinter,
        depth: u32,
    ) -> Vec<RankedPlace> {
        let relations = PlaceRelations::new(self.symbols, self.groups);
        let depth = usize::try_from(depth).unwrap_or(usize::MAX);
        let printed: BTreeSet<&str> = source
            .files
            .iter()
            .flat_map(|file| &file.places)
            .map(|place| place.id.as_str())
            .collect();
        let mut expanded = 0;
        let mut cards = Vec::with_capacity(listed.len());
        for ((candidate, place), roles) in listed.iter().zip(roles) {
            let is_printed = printed.is_empty() || printed.contains(place.id.as_str());
            let related = if expanded < EXPANDED_RESULTS && is_printed {
                expanded += 1;
                relations.related(place, depth, &source.whole)
            } else {
                RelatedPlaces::default()
            };
            cards.push(ranked(candidate, roles, relations.card(place, related)));
        }
        cards
    }
}

/// Returns a result; `roles` are those that its lines play.
pub(super) fn ranked(
    candidate: &Candidate,
    roles: &BTreeSet<PlaceRole>,
    place: PlaceSummary,
) -> RankedPlace {
    let mut score_parts: BTreeMap<String, f64> = BTreeMap::new();
    for (part, points) in &candidate.score.0 {
        *score_parts.entry((*part).to_owned()).or_default() += points;
    }
    score_parts.values_mut().for_each(|points| *points = rounded(*points));
    let range = candidate.range.map(|range| (range.start(), range.end()));
    let (start, end) = range.unwrap_or((place.start, place.end));
    RankedPlace {
        place: PlaceSummary { start, end, ..place },
        score: rounded(candidate.score.total()),
        score_parts,
        roles: roles.union(&candidate.evidence_roles).copied().collect(),
    }
}

pub(super) fn notes(
    found: &CandidateSet,
    fit: MatchQuality,
    cancellation: &Cancellation,
) -> Vec<String> {
    let mut notes: Vec<String> = found.notes.iter().map(|note| one_line(note)).collect();
    if cancellation.is_cancelled() {
        notes.push("the search was cancelled; this is what was found until then".to_owned());
        return notes;
    }
    let note = match fit {
        _ if found.candidates.is_empty() => {
            "nothing here matches the query's words; try other words, or grep"
        }
        MatchQuality::Plausible => return notes,
        MatchQuality::Doubtful => {
            "no place has more than a small part of what is asked for, so that only the first ones are shown; it may not be here"
        }
        MatchQuality::NoContent => {
            "the query has only words that any query may have, so that no source is shown; name what is looked for"
        }
    };
    notes.push(note.to_owned());
    notes
}

fn rounded(points: f64) -> f64 {
    (points * 100.0).round() / 100.0
}

fn clipped(query: &str) -> String {
    let query = query.split_whitespace().collect::<Vec<_>>().join(" ");
    let query = retriever_workspace::escape_control(&query);
    match query.char_indices().nth(MAX_QUERY_CHARS) {
        Some((at, _)) => format!("{}…", &query[..at]),
        None => query,
    }
}
