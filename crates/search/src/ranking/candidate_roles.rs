//! Describes the chosen candidates with what no score depends on: the roles that they may play, and the entry point whose
//! line led to them. Few candidates are chosen, so the others do without.

use std::collections::{BTreeMap, BTreeSet};

use super::{candidate_pool::ScoredCandidate, passage_scorer::PassageScorer};
use crate::{
    candidate::{Candidate, CandidateSource},
    index::{TermField, TermHit},
    place_roles::WordSplitText,
    query::PlaceRole,
    retrieval_channels::{entry_point, text_of},
};
use retriever_workspace::TextFile;

/// Lines of a candidate that are looked at for an entry point.
const MAX_ENTRY_LINES: usize = 6;

/// Adds roles and entry point to a candidate.
pub(crate) fn describe(scorer: &PassageScorer<'_>, scored: &mut ScoredCandidate) {
    let ScoredCandidate { candidate, hits, .. } = scored;
    let Some(file) = scorer.texts.read(&candidate.file.path) else { return };
    add_roles(scorer, candidate, &file);
    if let Some(published) = entry_point_of(scorer, &file, hits) {
        let quotes = candidate.score.has_any(&["quoted line"]);
        candidate.provenance.insert(usize::from(quotes), published);
        let is_named = candidate.score.has_any(&["name", "whole name"]);
        if candidate.source == CandidateSource::Lexical && !is_named {
            candidate.source = CandidateSource::EntryPoint;
        }
    }
}

/// Adds the roles that the lines of a candidate may play, and the one with the most evidence, of the requested roles if it
/// may play one.
fn add_roles(scorer: &PassageScorer<'_>, candidate: &mut Candidate, file: &TextFile) {
    let Some(range) = candidate.range else { return };
    let (cues, traits) = (scorer.cues, &file.traits);
    let text = text_of(file, range);
    let text = WordSplitText::of(&text);
    let roles = cues.roles_in(&text, traits);
    let asked: BTreeSet<PlaceRole> =
        roles.intersection(&scorer.context.parsed.scope.roles).copied().collect();
    let among = if asked.is_empty() { &roles } else { &asked };
    let file_name = candidate.file.path.file_name();
    let name = candidate.symbols.first().map_or(file_name, |symbol| symbol.name.as_str());
    let strongest = cues.strongest(among, name, &text, traits);
    candidate.leading_role = strongest.or_else(|| asked.first().copied());
    candidate.evidence_roles = roles;
}

/// Returns the entry point in a candidate on which the query's words stand, those first that weigh most. Its line is no
/// better an answer than what it wires up, so it adds no points.
fn entry_point_of(scorer: &PassageScorer<'_>, file: &TextFile, hits: &[TermHit]) -> Option<String> {
    let mut lines: BTreeMap<u32, Vec<(u8, f64)>> = BTreeMap::new();
    for hit in hits.iter().filter(|hit| hit.field == TermField::Body) {
        let weight = scorer.ranking.term_weights.get(hit.term) * f64::from(hit.strength);
        lines.entry(hit.line).or_default().push((hit.term, weight));
    }
    let query = scorer.context.expanded;
    let mut lines: Vec<(f64, u32)> = lines
        .into_iter()
        .map(|(line, terms)| (query.sum_by_concept(terms.into_iter()), line))
        .collect();
    lines.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    lines.into_iter().take(MAX_ENTRY_LINES).find_map(|(_, line)| {
        let found = file.line(line).and_then(entry_point)?;
        let name = found.name.map_or_else(String::new, |name| format!(" \"{name}\""));
        Some(format!("{}{name}", found.kind))
    })
}
