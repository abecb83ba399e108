//! Whether what a question asks for is there at all. Some place always ranks first, so that it does says nothing; this says
//! when the evidence for all of them is thin.

use crate::{
    candidate::{Candidate, ScoreParts},
    query::{expansion::ExpandedQuery, parsed::TermForm},
    ranking::files::Ranking,
};

/// A best place worth less than so many words that stand nowhere else may hold a question's words by chance.
const THIN: f64 = 2.5;
/// Share of the question's own words, by worth, from which on it is about something that nothing here is named after.
const UNKNOWN: f64 = 0.5;
/// IndexSnapshot that are named.
const MOST: usize = 5;

/// Why what is asked for may not be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAnswer {
    /// IndexSnapshot of the question after which nothing is named here, and after nothing that means the same; rarest first.
    pub words: Vec<String>,
}

/// Says why what `query` asks for may not be there. A question that points at a file or names what is declared here is
/// about that, whatever else it says.
pub(crate) fn of(
    query: &ExpandedQuery,
    ranking: &Ranking,
    candidates: &[Candidate],
) -> Option<NoAnswer> {
    let is_pointed_at = |candidate: &Candidate| {
        let parts = &candidate.score.0;
        parts.iter().any(|(part, _)| matches!(*part, "mentioned" | "hint" | "quoted line"))
    };
    let terms = || (0..u8::MAX).zip(&query.terms);
    let is_named = |index: u8| ranking.named.get(usize::from(index)).is_some_and(|named| *named);
    let names_code = terms().any(|(index, term)| {
        term.form == TermForm::Whole && query.is_own(index) && is_named(index)
    });
    if names_code || candidates.iter().any(is_pointed_at) {
        return None;
    }
    let worth = |index: u8| ranking.worth.get(usize::from(index)).copied().unwrap_or_default();
    let is_known = |word: u8| {
        is_named(word) || terms().any(|(other, _)| query.concept(other) == word && is_named(other))
    };
    let own: Vec<u8> =
        terms().map(|(index, _)| index).filter(|index| query.is_own_word(*index)).collect();
    let mut unknown: Vec<u8> = own.iter().copied().filter(|word| !is_known(*word)).collect();
    let all: f64 = own.iter().map(|word| worth(*word)).sum();
    let share = unknown.iter().map(|word| worth(*word)).sum::<f64>() / all.max(f64::MIN_POSITIVE);
    let best = candidates
        .iter()
        .filter(|candidate| !candidate.is_secondary())
        .map(|candidate| evidence(&candidate.score))
        .fold(0.0, f64::max);
    (best < THIN * ranking.rare || share > UNKNOWN).then(|| {
        unknown.sort_by(|a, b| worth(*b).total_cmp(&worth(*a)).then(a.cmp(b)));
        let word = |index: u8| Some(query.terms.get(usize::from(index))?.text.clone());
        NoAnswer { words: unknown.into_iter().filter_map(word).take(MOST).collect() }
    })
}

/// Points for what a place says, not for what it is like, since something is always most alike, and not for what other places say.
fn evidence(score: &ScoreParts) -> f64 {
    let aside = ["meaning", "topic", "company", "common name"];
    let said = score.0.iter().filter(|(part, _)| !aside.contains(part));
    said.map(|(_, points)| points).sum()
}
