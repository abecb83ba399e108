//! What the postings of a file's words say of a query's terms.

use super::{
    postings::WordCounts,
    query_term_matcher::{ABBREVIATED, TermHit},
    source_tokenizer::TermField,
};

/// What a file says of a term in one of its fields.
pub(crate) struct TermInField {
    pub(crate) term: u8,
    pub(crate) field: TermField,
    /// Sum of the strengths of its occurrences.
    pub(crate) strength: f32,
    /// Whether one of them is the term itself and no abbreviation.
    pub(crate) is_whole: bool,
}

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

    /// Adds a hit that a scan has found.
    pub(crate) fn add_hit(&mut self, hit: &TermHit) {
        let mut counts = WordCounts::default();
        *match hit.field {
            TermField::Body => &mut counts.body,
            TermField::Comment => &mut counts.comment,
            TermField::Declared => &mut counts.declared,
        } = 1;
        if hit.strength < 1.0 {
            self.add_abbreviations(hit.term, counts);
        } else {
            self.add(hit.term, counts);
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

    pub(crate) fn clear(&mut self) {
        for term in self.found.drain(..) {
            self.counts[usize::from(term)] = Default::default();
        }
        (self.begins, self.ends) = (0, 0);
    }

    /// Calls `found` with each term in each field that has it, and is empty then.
    pub(crate) fn drain(&mut self, mut found: impl FnMut(TermInField)) {
        for term in &self.found {
            let (whole, short) = self.counts[usize::from(*term)];
            let fields = [
                (TermField::Body, whole.body, short.body),
                (TermField::Comment, whole.comment, short.comment),
                (TermField::Declared, whole.declared, short.declared),
            ];
            for (field, whole, short) in fields.into_iter().filter(|(_, a, b)| a + b > 0) {
                let strength = whole as f32 + short as f32 * ABBREVIATED;
                found(TermInField { term: *term, field, strength, is_whole: whole > 0 });
            }
        }
        self.clear();
    }
}
