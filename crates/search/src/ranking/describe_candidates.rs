//! Describes the chosen candidates by what no score depends on: the roles that they may play, the names in them that
//! match, and the entry point whose line led to them. Other candidates do without, since few are chosen.

use std::collections::{BTreeMap, BTreeSet};

use strum::VariantArray;

use super::{candidate_pool::ScoredCandidate, passage_scorer::PassageScorer};
use crate::{
    candidate::{Candidate, CandidateSource},
    declarations,
    index::{TermField, TermHit},
    query::PlaceRole,
    retrieval_channels::{entry_point, text_of},
    role_vocabulary::{RoleCues, WordSplitText},
    score_parts::ScorePart,
    words::{self, WordSpecificity},
};
use retriever_workspace::TextFile;

/// Lines of a candidate that are looked at for an entry point.
const MAX_ENTRY_LINES: usize = 6;

/// Lines from which on what is declared like a value may be a function.
const WRAPPED_LINES: u32 = 3;

/// Names that are told of a candidate.
const MAX_NAMES: usize = 4;

/// Adds roles, matching names and entry point to a candidate.
pub(crate) fn describe(scorer: &PassageScorer<'_>, scored: &mut ScoredCandidate) {
    let ScoredCandidate { candidate, hits, .. } = scored;
    let Some(file) = scorer.texts.read(&candidate.file.path) else { return };
    add_roles(scorer, candidate, &file);
    candidate.matching_names = matching_names(scorer, candidate, &file, hits);
    if let Some(published) = entry_point_of(scorer, &file, hits) {
        let quotes = candidate.score.has_any(&[ScorePart::QuotedLine]);
        candidate.provenance.insert(usize::from(quotes), published);
        let is_named = candidate.score.has_any(&[ScorePart::Name, ScorePart::WholeName]);
        if candidate.source == CandidateSource::Lexical && !is_named {
            candidate.source = CandidateSource::EntryPoint;
        }
    }
}

/// Adds the roles that the lines of a candidate may play, those that it shows, and the one with the most evidence: of the
/// requested roles if it shows one.
fn add_roles(scorer: &PassageScorer<'_>, candidate: &mut Candidate, file: &TextFile) {
    let Some(range) = candidate.range else { return };
    let (cues, traits) = (scorer.cues, &file.traits);
    let source = text_of(file, range);
    let text = WordSplitText::of(&source);
    candidate.evidence_roles = cues.roles_in(&text, traits);
    candidate.shown_roles = shown_roles(cues, candidate, &source);
    if candidate.is_test() {
        candidate.leading_role = Some(PlaceRole::Test);
        return;
    }
    let declared = candidate.symbols.first();
    let is_type = declared.is_some_and(|symbol| declarations::declares_type(&symbol.kind));
    // A function that another one wraps is declared like a value, but takes more lines: `const a = wrapped(async () => {`.
    let is_value = declared.is_some_and(|it| declarations::is_plain_kind(&it.kind))
        && !is_type
        && range.width() < WRAPPED_LINES;
    // A word in the name of a function does not make it a type or a test, and one in the name of a value no code that runs.
    let is_possible = |role: &PlaceRole| match role {
        PlaceRole::Type => is_type || declared.is_none(),
        PlaceRole::Handler => !is_value,
        PlaceRole::Test => false,
        _ => true,
    };
    let possible: BTreeSet<PlaceRole> =
        candidate.evidence_roles.iter().copied().filter(is_possible).collect();
    let requested = &scorer.context.parsed.scope.roles;
    let is_asked = |role: &&PlaceRole| requested.contains(role) && possible.contains(role);
    let asked: BTreeSet<PlaceRole> =
        candidate.shown_roles.iter().filter(is_asked).copied().collect();
    let among = if asked.is_empty() { &possible } else { &asked };
    let file_name = candidate.file.path.file_name();
    let name = declared.map_or(file_name, |symbol| symbol.name.as_str());
    candidate.leading_role = cues
        .strongest(among, name, &text, traits)
        .or_else(|| asked.first().copied())
        .or_else(|| is_type.then_some(PlaceRole::Type));
}

/// Returns the roles that a candidate with this source shows by itself.
fn shown_roles(cues: &RoleCues, candidate: &Candidate, source: &str) -> BTreeSet<PlaceRole> {
    let code = declarations::code_lines(candidate.file.path.extension(), source);
    let names: Vec<&str> = candidate.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    let is_shown = |role: &PlaceRole| {
        cues.shows(*role, &code, &names, &candidate.file.traits)
            || (*role == PlaceRole::Test && candidate.is_test())
    };
    PlaceRole::VARIANTS.iter().copied().filter(is_shown).collect()
}

/// Returns the names of several words in the lines of a candidate that hold terms of the question, for each term the first one, names in code
/// before those in comments; those of the heaviest terms first.
fn matching_names(
    scorer: &PassageScorer<'_>,
    candidate: &Candidate,
    file: &TextFile,
    hits: &[TermHit],
) -> Vec<String> {
    let Some(range) = candidate.range else { return Vec::new() };
    let mut first: BTreeMap<u8, (bool, u32)> = BTreeMap::new();
    for hit in hits.iter().filter(|hit| range.contains(hit.line) && hit.strength >= 1.0) {
        let place = (hit.field == TermField::Comment, hit.line);
        let known = first.entry(hit.term).or_insert(place);
        *known = place.min(*known);
    }
    let weight = |term: u8| scorer.ranking.term_weights.get(term);
    // A name with a word that any question may have tells nothing.
    let query = scorer.context.expanded;
    let tells = |term: &u8| words::word_class(query.text(*term)) == WordSpecificity::Content;
    first.retain(|term, _| tells(term));
    let mut terms: Vec<(u8, u32)> = first.into_iter().map(|(term, (_, at))| (term, at)).collect();
    terms.sort_by(|(a, _), (b, _)| weight(*b).total_cmp(&weight(*a)).then(a.cmp(b)));
    let own = candidate.symbols.first().map(|symbol| symbol.name.as_str());
    let mut names: Vec<String> = Vec::new();
    for (term, line) in terms {
        let line = file.line(line).unwrap_or_default();
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        // A name of one word says no more than the question does.
        let has_term = |word: &&str| {
            words::subwords(word).len() > 1
                && scorer.context.matcher.terms_in(word).iter().any(|(it, _)| *it == term)
        };
        if let Some(name) = words.find(has_term)
            && Some(name) != own
            && !names.iter().any(|known| known == name)
            && names.len() < MAX_NAMES
        {
            names.push(name.to_owned());
        }
    }
    names
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
