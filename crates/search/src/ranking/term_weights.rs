//! The weight of each term: how the query wrote it, times its rarity in the tree.

use rayon::prelude::*;

use crate::{query::ExpandedQuery, retrieval_channels::FileTerms};

/// Factor of a related term when something is named with the query's own word: the query uses the words of the code.
const OWN_WORD_IS_DECLARED: f64 = 0.5;
/// Files for a task.
const MIN_COUNTED_AT_ONCE: usize = 1 << 12;
/// Exponent of the inverse document frequency: a word that is rare by chance must not outweigh several that are apt.
const RARITY_EXPONENT: f64 = 0.65;

/// Weights by term, and what the tree says of each.
pub(crate) struct TermWeights {
    weights: Vec<f64>,
    is_declared: Vec<bool>,
    is_found: Vec<bool>,
    /// Weight of a plain word that occurs in one file.
    pub(crate) unique: f64,
}

/// Numbers of files that have a term.
#[derive(Clone, Copy, Default)]
struct TermFiles {
    whole: u32,
    /// Those that have only abbreviations of it.
    abbreviated: u32,
    /// Those that declare a name with it.
    declaring: u32,
}

impl TermFiles {
    /// Returns the number that its rarity follows from. That `class` is everywhere does not make `classifier` common where code
    /// says so.
    const fn counted(self) -> u32 {
        if self.whole > 0 { self.whole } else { self.abbreviated }
    }
}

impl TermWeights {
    /// Weighs the terms of a query by the files that have them.
    pub(super) fn of(query: &ExpandedQuery, files: &[FileTerms<'_>]) -> Self {
        let none = || vec![TermFiles::default(); query.terms.len()];
        let count = |mut found: Vec<TermFiles>, file: &FileTerms<'_>| {
            for (term, counts) in file.counts.iter() {
                let of_term = &mut found[usize::from(term)];
                of_term.whole += u32::from(counts.is_whole);
                of_term.abbreviated += u32::from(!counts.is_whole);
                of_term.declaring += u32::from(counts.declared > 0.0);
            }
            found
        };
        let add = |mut found: Vec<TermFiles>, others: Vec<TermFiles>| {
            for (found, others) in found.iter_mut().zip(others) {
                found.whole += others.whole;
                found.abbreviated += others.abbreviated;
                found.declaring += others.declaring;
            }
            found
        };
        let parts = files.par_iter().with_min_len(MIN_COUNTED_AT_ONCE);
        let found = parts.fold(none, count).reduce(none, add);
        let all = f64::from(u32::try_from(files.len()).unwrap_or(u32::MAX));
        let weight = |at: usize| {
            let index = u8::try_from(at).unwrap_or(u8::MAX);
            let own_word_is_declared =
                !query.is_own(index) && found[usize::from(query.concept(index))].declaring > 0;
            let factor = if own_word_is_declared { OWN_WORD_IS_DECLARED } else { 1.0 };
            query.terms[at].weight * rarity(all, f64::from(found[at].counted())) * factor
        };
        Self {
            weights: (0..query.terms.len()).map(weight).collect(),
            is_declared: found.iter().map(|files| files.declaring > 0).collect(),
            is_found: found.iter().map(|files| files.counted() > 0).collect(),
            unique: rarity(all, 1.0),
        }
    }

    /// Returns the weight of a term.
    pub(crate) fn get(&self, term: u8) -> f64 {
        self.weights.get(usize::from(term)).copied().unwrap_or_default()
    }

    /// Whether something is named with a term.
    pub(crate) fn is_declared(&self, term: u8) -> bool {
        self.is_declared.get(usize::from(term)).is_some_and(|declared| *declared)
    }

    /// Whether any file has a term.
    pub(crate) fn is_found(&self, term: u8) -> bool {
        self.is_found.get(usize::from(term)).is_some_and(|found| *found)
    }

    /// Returns the numbers of all terms.
    pub(crate) fn terms(&self) -> impl Iterator<Item = u8> + use<> {
        (0..u8::MAX).take(self.weights.len())
    }

    /// Returns the weights by number.
    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.weights
    }
}

/// Returns the inverse document frequency of a word that `containing` of `all` files have.
fn rarity(all: f64, containing: f64) -> f64 {
    (1.0 + (all - containing + 0.5) / (containing + 0.5)).ln().max(0.0).powf(RARITY_EXPONENT)
}
