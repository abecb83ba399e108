//! Term coverage: which share of the weight of a query's words stands in the parts of a passage, in the words themselves
//! or in related ones.

use std::collections::BTreeMap;

use super::{
    ranking_features::{FeatureVector, RankingFeature},
    term_weights::TermWeights,
};
use crate::{
    index::{TermField, TermHit},
    query::{ExpandedQuery, TermForm},
    retrieval_channels::Passage,
};

/// Lines within which words stand close together.
const CLOSE_LINES: u32 = 8;

/// Measures coverage for one query.
pub(crate) struct TermCoverage<'a> {
    query: &'a ExpandedQuery,
    weights: &'a TermWeights,
    /// For each term the concept that it covers, with the most weight that it can give; none for a term that covers no own word.
    covers: Vec<Option<(u8, f64)>>,
    /// Weight of all own words, of the heaviest, and their number.
    sum: f64,
    heaviest: f64,
    count: usize,
    /// Weight of all own pairs.
    pairs: f64,
}

/// The weight of each concept that a text covers; there are few.
#[derive(Default)]
pub(super) struct CoveredConcepts(Vec<(u8, f64)>);

/// What the parts of a passage cover, and what stands around it. One after the other, the passages of a file share its memory.
#[derive(Default)]
pub(super) struct CoveredParts {
    name: CoveredConcepts,
    own_line: CoveredConcepts,
    body: CoveredConcepts,
    comment: CoveredConcepts,
    pub(super) any: CoveredConcepts,
    pub(super) owner: CoveredConcepts,
    /// A few lines.
    close: CoveredConcepts,
    by_own_words: CoveredConcepts,
    name_by_own_words: CoveredConcepts,
    /// Weights of pairs.
    pairs: BTreeMap<u8, f64>,
    lines_with_hits: u32,
}

impl CoveredParts {
    fn clear(&mut self) {
        let all = [
            &mut self.name,
            &mut self.own_line,
            &mut self.body,
            &mut self.comment,
            &mut self.any,
            &mut self.owner,
            &mut self.by_own_words,
            &mut self.name_by_own_words,
        ];
        all.into_iter().for_each(|covered| covered.0.clear());
        self.pairs.clear();
        self.lines_with_hits = 0;
    }
}

impl<'a> TermCoverage<'a> {
    pub(crate) fn new(query: &'a ExpandedQuery, weights: &'a TermWeights) -> Self {
        let own = || weights.terms().filter(|term| query.is_own_word(*term));
        let own_weights = || own().map(|term| weights.get(term));
        let is_own_pair =
            |term: &u8| query.is_own(*term) && query.form(*term) == Some(TermForm::Pair);
        let covers = |term: u8| {
            let concept = query.concept(term);
            let is_word = query.form(term) == Some(TermForm::Word) && query.is_own_word(concept);
            is_word.then(|| (concept, weights.get(term).min(weights.get(concept))))
        };
        Self {
            query,
            weights,
            covers: weights.terms().map(covers).collect(),
            sum: own_weights().sum(),
            heaviest: own_weights().fold(0.0, f64::max),
            count: own_weights().filter(|weight| *weight > 0.0).count(),
            pairs: weights.terms().filter(is_own_pair).map(|term| weights.get(term)).sum(),
        }
    }

    /// Adds an occurrence of a term to what is covered.
    pub(super) fn add(&self, term: u8, strength: f32, covered: &mut CoveredConcepts) {
        if let Some((concept, most)) = self.covers.get(usize::from(term)).copied().flatten() {
            let weight = most * f64::from(strength);
            match covered.0.iter_mut().find(|(known, _)| *known == concept) {
                Some((_, known)) => *known = known.max(weight),
                None => covered.0.push((concept, weight)),
            }
        }
    }

    /// Returns the share of the query that is covered.
    pub(super) fn share(&self, covered: &CoveredConcepts) -> f64 {
        if self.sum > 0.0 {
            (covered.0.iter().map(|(_, weight)| weight).sum::<f64>() / self.sum).min(1.0)
        } else {
            0.0
        }
    }

    fn heaviest_share(&self, covered: &CoveredConcepts) -> f64 {
        let heaviest = covered.0.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
        if self.heaviest > 0.0 { heaviest / self.heaviest } else { 0.0 }
    }

    /// Sets the features of what the parts of a passage cover, and leaves that in `parts`.
    pub(super) fn set_features(
        &self,
        passage: &Passage<'_>,
        parts: &mut CoveredParts,
        features: &mut FeatureVector,
    ) {
        self.cover_parts(passage, parts);
        let shares = [
            (RankingFeature::Name, &parts.name),
            (RankingFeature::Head, &parts.own_line),
            (RankingFeature::Body, &parts.body),
            (RankingFeature::Comment, &parts.comment),
            (RankingFeature::Any, &parts.any),
            (RankingFeature::Own, &parts.by_own_words),
            (RankingFeature::OwnName, &parts.name_by_own_words),
        ];
        for (feature, covered) in shares {
            features.set(feature, self.share(covered));
        }
        let hits = &passage.hits;
        let words = parts.any.0.len() as f64;
        let lines = f64::from(passage.range.width() + passage.leading_lines);
        let close = self.greatest_close_share(hits, &mut parts.close);
        features.set(RankingFeature::Close, close);
        features.set(RankingFeature::Words, words);
        features.set(RankingFeature::WordsShare, words / self.count.max(1) as f64);
        features.set(RankingFeature::BestName, self.heaviest_share(&parts.name));
        if self.pairs > 0.0 {
            features.set(RankingFeature::Pairs, parts.pairs.values().sum::<f64>() / self.pairs);
        }
        features.set(RankingFeature::Density, f64::from(parts.lines_with_hits) / lines.max(1.0));
        features.set(RankingFeature::Hits, (hits.len() as f64).ln_1p());
        features.set(RankingFeature::Lines, lines.ln_1p());
        features.set(RankingFeature::QuestionWords, self.count as f64);
    }

    fn cover_parts(&self, passage: &Passage<'_>, parts: &mut CoveredParts) {
        let own_line = passage.declared.map(|found| found.declaration.range.start());
        parts.clear();
        let mut last_line = 0;
        for hit in &passage.hits {
            let TermHit { term, strength, .. } = *hit;
            let is_on_own_line = Some(hit.line) == own_line;
            let is_own = self.query.is_own(term);
            if is_own && self.query.form(term) == Some(TermForm::Pair) {
                parts.pairs.insert(term, self.weights.get(term));
            }
            self.add(term, strength, &mut parts.any);
            if is_own {
                self.add(term, strength, &mut parts.by_own_words);
            }
            let part = match hit.field {
                TermField::Comment => &mut parts.comment,
                TermField::Declared if is_on_own_line => &mut parts.name,
                TermField::Body if is_on_own_line => &mut parts.own_line,
                TermField::Declared | TermField::Body => &mut parts.body,
            };
            self.add(term, strength, part);
            if is_own && is_on_own_line && hit.field == TermField::Declared {
                self.add(term, strength, &mut parts.name_by_own_words);
            }
            if hit.line != last_line {
                parts.lines_with_hits += 1;
                last_line = hit.line;
            }
        }
    }

    /// Returns the greatest share that is covered within a few lines.
    fn greatest_close_share(&self, hits: &[TermHit], covered: &mut CoveredConcepts) -> f64 {
        let mut greatest: f64 = 0.0;
        // Blocks of lines, and those shifted by half a block.
        for shift in [0, CLOSE_LINES / 2] {
            let block_of = |hit: &TermHit| (hit.line + shift) / CLOSE_LINES;
            for block in hits.chunk_by(|one, other| block_of(one) == block_of(other)) {
                covered.0.clear();
                for hit in block {
                    self.add(hit.term, hit.strength, covered);
                }
                greatest = greatest.max(self.share(covered));
            }
        }
        greatest
    }
}
