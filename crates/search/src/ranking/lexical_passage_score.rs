//! The lexical score of a passage: points for the query's terms in its name, in its body, together, and in its owner's
//! name.

use std::collections::BTreeMap;

use super::term_weights::TermWeights;
use crate::{
    index::TermField,
    query::TermForm,
    retrieval_channels::{Passage, QueryContext},
    score_parts::{ScorePart, ScoreParts},
};

/// BM25: saturation, the influence of length, the lines of a usual passage, and the least relative length.
const K1: f64 = 1.2;
const B: f64 = 0.45;
const USUAL_LINES: f64 = 30.0;
const MIN_LENGTH: f64 = 0.3;
/// Weight of an occurrence in the name and in a comment; one in code has 1.
const IN_NAME: f64 = 3.0;
const IN_COMMENT: f64 = 0.7;
/// Points per weight of a term, by part of the score.
const NAME: f64 = 0.9;
const WHOLE_NAME: f64 = 0.8;
const BODY: f64 = 0.6;
/// Points of a name by the share of its words that the query has.
const NAME_BASE: f64 = 0.4;
const NAME_SHARE: f64 = 0.6;
/// Points for the share of the query's words that stand in one passage, the exponent of the share, and the lines at which
/// they count half: without that `known` loses (`README.md`).
const TOGETHER: f64 = 6.0;
const TOGETHER_EXPONENT: f64 = 1.5;
const SPREAD_LINES: f64 = 200.0;
/// Points per weight of a term in the owner's name, and if the member is named as a whole: then that is as good as a
/// qualified name.
const OWNER: f64 = 0.25;
const QUALIFIED: f64 = 0.7;
/// Share of its points that a window loses.
const NO_DECLARATION: f64 = 0.7;
/// Terms by which copies of a passage are told.
const MAX_MAIN_TERMS: usize = 4;

/// Occurrences of one term in a passage.
#[derive(Clone, Copy, Default)]
struct Count {
    term: u8,
    occurrences: f64,
    is_in_name: bool,
}

/// Scores passages lexically.
#[derive(Clone, Copy)]
pub(super) struct LexicalScorer<'a> {
    context: QueryContext<'a>,
    weights: &'a TermWeights,
    /// Weight of all own words.
    own_words: f64,
}

/// What the names of a passage and of its owner say.
#[derive(Clone, Copy)]
pub(super) struct PassageNames<'a> {
    /// Words of its name that are no stop words.
    pub(super) words: usize,
    /// Terms of its name, each with its strength, and those of its owner's.
    pub(super) terms: &'a [(u8, f32)],
    pub(super) owner_terms: &'a [(u8, f32)],
}

impl<'a> LexicalScorer<'a> {
    pub(super) fn new(context: QueryContext<'a>, weights: &'a TermWeights) -> Self {
        let own = weights.terms().filter(|term| context.expanded.is_own_word(*term));
        Self { context, weights, own_words: own.map(|term| weights.get(term)).sum() }
    }

    /// Adds the parts of a passage's own score to that of its file, which is `score`; returns the terms that are worth most, the
    /// heaviest first.
    pub(super) fn add(
        &self,
        passage: &Passage<'_>,
        names: PassageNames<'_>,
        score: &mut ScoreParts,
    ) -> Vec<u8> {
        let file_points = score.total();
        let counts = self.counts(passage);
        let query = self.context.expanded;
        // What stands above a declaration counts for it, and so does its length.
        let lines = passage.range.width() + passage.leading_lines;
        let norm = 1.0 - B + B * (f64::from(lines) / USUAL_LINES).max(MIN_LENGTH);
        let saturated = |count: &Count| {
            let frequency = count.occurrences / norm;
            self.weights.get(count.term) * frequency / (frequency + K1)
        };
        let in_name = || counts.iter().filter(|count| count.is_in_name);
        let is_whole = |count: &&Count| query.form(count.term) == Some(TermForm::Whole);
        let name = in_name().map(|count| (count.term, self.weights.get(count.term)));
        let name = NAME * query.sum_by_concept(name) * self.name_factor(passage, names, &counts);
        let mut whole_name = 0.0;
        for count in in_name().filter(is_whole) {
            whole_name += WHOLE_NAME * self.weights.get(count.term);
        }
        let body = counts.iter().map(|count| (count.term, saturated(count)));
        score.add(ScorePart::Name, name);
        score.add(ScorePart::WholeName, whole_name);
        score.add(ScorePart::Body, BODY * query.sum_by_concept(body));
        let share = self.word_share(&counts);
        let spread = 1.0 / (1.0 + (f64::from(passage.range.width()) / SPREAD_LINES));
        score.add(ScorePart::Together, TOGETHER * share.powf(TOGETHER_EXPONENT) * spread);
        if passage.owner.is_some() {
            let weight =
                |(term, strength): &(u8, f32)| self.weights.get(*term) * f64::from(*strength);
            let factor = if whole_name > 0.0 { QUALIFIED } else { OWNER };
            score.add(ScorePart::Owner, factor * names.owner_terms.iter().map(weight).sum::<f64>());
        }
        if passage.declared.is_none() {
            let own = (score.total() - file_points).max(0.0);
            score.add(ScorePart::NoDeclaration, -NO_DECLARATION * own);
        }
        self.main_terms(&counts, saturated)
    }

    /// Counts the terms of a passage, by number.
    fn counts(&self, passage: &Passage<'_>) -> Vec<Count> {
        let mut counts: Vec<Option<Count>> = vec![None; self.weights.as_slice().len()];
        let own_line = passage.declared.map(|found| found.declaration.range.start());
        for hit in &passage.hits {
            let Some(count) = counts.get_mut(usize::from(hit.term)) else { continue };
            let count = count.get_or_insert(Count { term: hit.term, ..Count::default() });
            let is_in_name = hit.field == TermField::Declared && Some(hit.line) == own_line;
            count.is_in_name |= is_in_name && hit.strength >= 1.0;
            let weight = match hit.field {
                _ if is_in_name => IN_NAME,
                TermField::Comment => IN_COMMENT,
                _ => 1.0,
            };
            count.occurrences += weight * f64::from(hit.strength);
        }
        counts.into_iter().flatten().collect()
    }

    /// Returns the factor of the points for a name: one with further words fits less.
    fn name_factor(&self, passage: &Passage<'_>, names: PassageNames<'_>, counts: &[Count]) -> f64 {
        if passage.declared.is_none() {
            return 1.0;
        }
        let parts = names.words.max(1);
        let is_word = |count: &&Count| {
            count.is_in_name && self.context.expanded.form(count.term) == Some(TermForm::Word)
        };
        let known = counts.iter().filter(is_word).count().min(parts);
        NAME_BASE + NAME_SHARE * (known as f64 / parts as f64)
    }

    /// Returns the share of the weight of the query's words that stand in the passage, in the words or in related ones.
    fn word_share(&self, counts: &[Count]) -> f64 {
        let (query, weights, all) = (self.context.expanded, self.weights, self.own_words);
        let mut present: BTreeMap<u8, f64> = BTreeMap::new();
        for count in counts.iter().filter(|count| query.form(count.term) == Some(TermForm::Word)) {
            let concept = query.concept(count.term);
            if query.is_own_word(concept) {
                let most = present.entry(concept).or_default();
                *most = most.max(weights.get(count.term).min(weights.get(concept)));
            }
        }
        if all > 0.0 { present.values().sum::<f64>() / all } else { 0.0 }
    }

    fn main_terms(&self, counts: &[Count], points: impl Fn(&Count) -> f64) -> Vec<u8> {
        let points = |count: &Count| {
            if count.is_in_name { 2.0 * self.weights.get(count.term) } else { points(count) }
        };
        let mut terms: Vec<(f64, u8)> = counts.iter().map(|it| (points(it), it.term)).collect();
        terms.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        terms.into_iter().take(MAX_MAIN_TERMS).map(|(_, term)| term).collect()
    }
}
