//! No-answer detection: whether the repository has what a query asks for at all. Some place always ranks first; here it is
//! said when the evidence for all of them is thin.

use super::{file_ranking::FileRanking, term_weights::TermWeights};
use crate::{
    candidate::{Candidate, ScoreParts},
    query::{ExpandedQuery, TermForm},
    words,
};

/// Evidence that the best candidate needs, in words that occur in one file: less can be chance.
const MIN_EVIDENCE: f64 = 2.5;
/// Share of the query's words, by weight, after which nothing is named, for it to be about something that isn't there.
const MAX_UNKNOWN: f64 = 0.5;
/// Words that are told.
const MAX_WORDS: usize = 5;
/// Parts that are no evidence: something is always most similar, and what other places say is counted there.
const OTHER_PARTS: &[&str] = &["meaning", "topic", "company", "common name", "file order"];

/// Why what is asked for may not be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAnswer {
    /// Words of the question after which nothing is named here, and after nothing that means the same; rarest first.
    pub words: Vec<String>,
}

/// Says why what `question` asks for may not be there. A question that points at a file, or has a name that is declared here,
/// is about that, whatever else it says; and one of which only verbs and other words in passing are unknown is about what is
/// known of it.
pub(crate) fn no_answer(
    question: &str,
    query: &ExpandedQuery,
    ranking: &FileRanking,
    candidates: &[Candidate],
) -> Option<NoAnswer> {
    let weights = &ranking.term_weights;
    let names_declaration = weights.terms().any(|term| {
        query.form(term) == Some(TermForm::Whole) && query.is_own(term) && weights.is_declared(term)
    });
    if names_declaration || candidates.iter().any(|candidate| candidate.score.is_pointed_at()) {
        return None;
    }
    let own: Vec<u8> = weights.terms().filter(|term| query.is_own_word(*term)).collect();
    let mut unknown: Vec<u8> =
        own.iter().copied().filter(|word| !is_known(*word, query, weights)).collect();
    let weight = |words: &[u8]| words.iter().map(|word| weights.get(*word)).sum::<f64>();
    let unknown_share = weight(&unknown) / weight(&own).max(f64::MIN_POSITIVE);
    let best = candidates
        .iter()
        .filter(|candidate| !candidate.is_secondary())
        .map(|candidate| evidence(&candidate.score))
        .fold(0.0, f64::max);
    let names_thing = |word: &u8| words::may_name_thing(query.text(*word), question);
    let is_in_passing = !unknown.is_empty() && !unknown.iter().any(names_thing);
    let is_doubted = best < MIN_EVIDENCE * weights.unique || unknown_share > MAX_UNKNOWN;
    (is_doubted && !is_in_passing).then(|| {
        unknown.sort_by(|a, b| weights.get(*b).total_cmp(&weights.get(*a)).then(a.cmp(b)));
        let words = unknown.into_iter().map(|word| query.text(word).to_owned());
        NoAnswer { words: words.take(MAX_WORDS).collect() }
    })
}

/// Whether something is named with a word or with a related one.
fn is_known(word: u8, query: &ExpandedQuery, weights: &TermWeights) -> bool {
    let is_related = |term: &u8| query.concept(*term) == word;
    weights.is_declared(word)
        || weights.terms().filter(is_related).any(|term| weights.is_declared(term))
}

fn evidence(score: &ScoreParts) -> f64 {
    let parts = score.0.iter().filter(|(part, _)| !OTHER_PARTS.contains(part));
    parts.map(|(_, points)| points).sum()
}
