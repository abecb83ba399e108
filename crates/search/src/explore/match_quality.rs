//! Estimates whether the results answer a query. Long queries and queries with names are not judged.

use super::symbol_table::{SymbolPlace, SymbolTable};
use crate::{
    candidate::Candidate,
    query::{ParsedQuery, Term, TermForm},
};

/// Numbers of content words of a query that is judged, and the weight of a content word.
const JUDGED_WORDS: std::ops::RangeInclusive<usize> = 3..=12;
const CONTENT_WEIGHT: f64 = 0.5;
/// Results that are looked at.
const JUDGED_RESULTS: usize = 8;

/// How far the results fit a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatchQuality {
    /// They may be what is asked for.
    Plausible,
    /// None has more than a small part of the query's words: these may be others than the code's.
    Doubtful,
    /// The query has no content word, and nothing is named with one of its words.
    NoContent,
}

impl MatchQuality {
    pub(super) fn of(
        symbols: &SymbolTable<'_>,
        query: &ParsedQuery,
        results: &[(&Candidate, SymbolPlace)],
    ) -> Self {
        if query.names_code() {
            return Self::Plausible;
        }
        let words: Vec<&Term> =
            query.terms.iter().filter(|term| term.form == TermForm::Word).collect();
        let content: Vec<&str> = words
            .iter()
            .filter(|term| term.weight >= CONTENT_WEIGHT)
            .map(|term| term.stem.as_str())
            .collect();
        if content.is_empty() {
            let is_named = results.iter().any(|(candidate, _)| names_any(candidate, &words));
            return if is_named { Self::Plausible } else { Self::NoContent };
        }
        if !JUDGED_WORDS.contains(&content.len()) {
            return Self::Plausible;
        }
        let mut first = results.iter().take(JUDGED_RESULTS);
        let has_some = first.any(|(_, place)| has_third_of(symbols, place, &content));
        if has_some { Self::Plausible } else { Self::Doubtful }
    }
}

/// Whether a declaration of a candidate is named with one of `words`.
fn names_any(candidate: &Candidate, words: &[&Term]) -> bool {
    let is_name = |name: &str| words.iter().any(|term| name.eq_ignore_ascii_case(&term.text));
    candidate.symbols.iter().any(|symbol| is_name(&symbol.name))
}

/// Whether more than a third of the stems stand in a place.
fn has_third_of(symbols: &SymbolTable<'_>, place: &SymbolPlace, stems: &[&str]) -> bool {
    let Some(file) = symbols.text(&place.path) else { return false };
    let mut text = format!("{} {}", place.path, place.doc).to_lowercase();
    text.extend(file.lines(place.range).map(|(_, line)| line.to_lowercase()));
    stems.iter().filter(|stem| text.contains(**stem)).count() * 3 > stems.len()
}
