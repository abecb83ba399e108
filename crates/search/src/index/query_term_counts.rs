//! What the word counts of a file say of a query's terms.

use super::{
    query_term_matcher::ABBREVIATED, source_tokenizer::TermField, word_counts::WordCounts,
};

/// Occurrences of terms in one file. They tell all that a scan of its tokens would, unless terms have to be adjacent.
#[derive(Default)]
pub(crate) struct TermTally {
    /// By term: words that are the term, and abbreviations of it.
    counts: Vec<(WordCounts, WordCounts)>,
    found: Vec<u8>,
    /// Identifiers of the query, a bit each, that begin or end with a word of the file.
    pub(super) begins: u64,
    pub(super) ends: u64,
}

impl TermTally {
    /// Returns the empty tally for a query with so many terms.
    pub(crate) fn new(terms: usize) -> Self {
        let counts = vec![Default::default(); terms];
        Self { counts, found: Vec::new(), begins: 0, ends: 0 }
    }

    /// Adds words that are a term.
    pub(super) fn add(&mut self, term: u8, counts: WordCounts) {
        if let Some((words, _)) = self.counts_of(term) {
            words.add(counts);
        }
    }

    /// Adds abbreviations of a term.
    pub(super) fn add_abbreviations(&mut self, term: u8, counts: WordCounts) {
        if let Some((_, abbreviations)) = self.counts_of(term) {
            abbreviations.add(counts);
        }
    }

    /// Returns the counts of a term, which has been found.
    fn counts_of(&mut self, term: u8) -> Option<&mut (WordCounts, WordCounts)> {
        let known = self.counts.get_mut(usize::from(term))?;
        if *known == Default::default() {
            self.found.push(term);
        }
        Some(known)
    }

    pub(super) fn has(&self, term: u8) -> bool {
        self.counts.get(usize::from(term)).is_some_and(|counts| *counts != Default::default())
    }

    /// Whether a sum of strengths depends on the order in which words and abbreviations occur.
    pub(super) fn is_mixed(&self) -> bool {
        self.found.iter().any(|term| {
            let (whole, short) = self.counts[usize::from(*term)];
            let both = |one: u32, other: u32| one > 0 && other > 0;
            both(whole.body, short.body)
                || both(whole.comment, short.comment)
                || both(whole.declared, short.declared)
        })
    }

    pub(crate) fn clear(&mut self) {
        for term in self.found.drain(..) {
            self.counts[usize::from(term)] = Default::default();
        }
        (self.begins, self.ends) = (0, 0);
    }

    /// Calls `found` with the sum of the strengths of each term in each field, and is empty then.
    pub(crate) fn drain(&mut self, mut found: impl FnMut(u8, TermField, f32)) {
        for term in &self.found {
            let (whole, short) = self.counts[usize::from(*term)];
            let fields = [
                (TermField::Body, whole.body, short.body),
                (TermField::Comment, whole.comment, short.comment),
                (TermField::Declared, whole.declared, short.declared),
            ];
            for (field, whole, short) in fields.into_iter().filter(|(_, a, b)| a + b > 0) {
                found(*term, field, strength_of(whole, short));
            }
        }
        self.clear();
    }
}

/// Returns the sum as a scan adds it up, one after the other.
fn strength_of(whole: u32, short: u32) -> f32 {
    // A file has fewer words than there are integers without a fraction.
    (0..short).fold(whole as f32, |sum, _| sum + ABBREVIATED)
}
