//! Ranks places, selects what to print of them, and sizes the answer to the query.

use std::collections::BTreeSet;

use rayon::prelude::*;
use retriever_graph::Graph;
use retriever_workspace::Cancellation;

use super::{
    answer_size_limits::AnswerSizeLimits,
    build_call_flow::{QuestionFlow, places_of},
    exploration::{Exploration, PlaceSummary, RankedPlace, RelatedPlaces, VERSION},
    exploration_truncation::{SizeLimit, truncate},
    explore_options::ExploreOptions,
    file_symbols::SymbolPlace,
    main_call_path::MainCallPath,
    match_quality::MatchQuality,
    place_relations::{PlaceRelations, as_neighbour},
    printed_source::one_line,
    sibling_definitions::SiblingDefinitions,
    skeleton::add_skeletons,
    snippet_selection::SnippetSelector,
    source_printer::{SourcePrinter, assemble},
    symbol_table::SymbolTable,
};
use crate::{
    candidate::Candidate,
    candidate_search::{CandidateSet, find_bare_candidates, text_roles},
    query::{PlaceRole, QueryConcepts, Question},
    search_corpus::SearchCorpus,
    texts_of_one_search::TextCache,
};

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
    let results = places_of(&symbols, &found);
    let fit = MatchQuality::of(&found);
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
    let limit = SizeLimit { chars: sizing.chars, form: options.limited_form };
    truncate(exploration, limit, cancellation)
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
        let concepts = QueryConcepts::of(&found.query, &found.expanded);
        let QuestionFlow { ranked, anchors, coverage, spine } =
            QuestionFlow::find(symbols, &concepts, found, results, fit);
        let is_plausible = fit == MatchQuality::Plausible;
        let shown = match fit {
            MatchQuality::Plausible => results.len().min(limit),
            MatchQuality::Doubtful => results.len().min(DOUBTFUL_RESULTS),
            MatchQuality::NoContent => 0,
        };
        let best = results.first().map_or(1.0, |(found, _)| found.score.total()).max(1e-9);
        let shown: Vec<(&Candidate, &SymbolPlace, f64)> = results[..shown]
            .iter()
            .map(|(candidate, place)| (*candidate, place, candidate.score.total() / best))
            .collect();
        let selection = SnippetSelector {
            symbols,
            groups,
            query: &found.query,
            spine: &spine,
            anchors: &anchors,
            ranked: &ranked,
        };
        let mut snippets = selection.snippets(&shown, is_plausible.then_some(&coverage));
        if options.adaptive {
            add_skeletons(&mut snippets, symbols, groups, &spine);
        }
        (assemble(symbols, &snippets, sizing), spine)
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
            let adjacent = candidate.adjacent.iter().filter_map(|it| self.symbols.place_of(it));
            let adjacent = adjacent.map(as_neighbour).collect();
            let place = relations.card(place, related);
            cards.push(RankedPlace { adjacent, ..ranked(candidate, roles, place) });
        }
        cards
    }
}

/// Returns a result; `roles` are those that its lines play.
fn ranked(candidate: &Candidate, roles: &BTreeSet<PlaceRole>, place: PlaceSummary) -> RankedPlace {
    let parts = candidate.score.iter();
    let score_parts = parts.map(|(part, points)| (part.as_ref().to_owned(), rounded(points)));
    let range = candidate.place_lines().map(|range| (range.start(), range.end()));
    let (start, end) = range.unwrap_or((place.start, place.end));
    RankedPlace {
        place: PlaceSummary { start, end, ..place },
        score: rounded(candidate.score.total()),
        score_parts: score_parts.collect(),
        roles: roles.union(&candidate.evidence_roles).copied().collect(),
        adjacent: Vec::new(),
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
    let note = match (fit, &found.no_answer) {
        _ if found.candidates.is_empty() => {
            "nothing here matches the query's words; try other words, or grep".to_owned()
        }
        (MatchQuality::NoContent, _) => {
            "the query has only words that any query may have, so that no source is shown; name what is looked for".to_owned()
        }
        (MatchQuality::Doubtful, Some(why)) => format!("{why}; only the first places are shown"),
        _ => return notes,
    };
    notes.push(note);
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
