//! Estimates whether the results answer a query.

use crate::{
    candidate::Candidate,
    candidate_search::CandidateSet,
    query::{Term, TermForm},
};

/// Weight of a content word.
const CONTENT_WEIGHT: f64 = 0.5;

/// How far the results fit a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatchQuality {
    /// They may be what is asked for.
    Plausible,
    /// What is asked for may not be there.
    Doubtful,
    /// The query has no content word, and nothing is named with one of its words.
    NoContent,
}

impl MatchQuality {
    pub(super) fn of(found: &CandidateSet) -> Self {
        let terms = &found.query.terms;
        let words: Vec<&Term> = terms.iter().filter(|term| term.form == TermForm::Word).collect();
        let has_content = words.iter().any(|term| term.weight >= CONTENT_WEIGHT);
        let is_named = || found.candidates.iter().any(|found| names_any(found, &words));
        if !found.query.names_code() && !has_content && !is_named() {
            Self::NoContent
        } else if found.no_answer.is_some() {
            Self::Doubtful
        } else {
            Self::Plausible
        }
    }
}

/// Whether a declaration of a candidate is named with one of `words`.
fn names_any(candidate: &Candidate, words: &[&Term]) -> bool {
    let is_name = |name: &str| words.iter().any(|term| name.eq_ignore_ascii_case(&term.text));
    candidate.symbols.iter().any(|symbol| is_name(&symbol.name))
}
