//! The concepts of a query, one a word, and how certainly a name or a line of text expresses each: with the query's own
//! word, or with a related one.

use std::collections::BTreeMap;

use super::{ExpandedQuery, ParsedQuery, TermForm};
use crate::{
    shared_memo::SharedMemo,
    words::{self, StemPrefixes, WordSpecificity},
};

/// Most concepts; the heaviest words are taken.
const MAX_CONCEPTS: usize = 12;
/// Least weight of a word that is a concept.
const MIN_WEIGHT: f64 = 0.2;
/// Certainty of a related word at most.
const RELATED: f64 = 0.75;

/// Words behind which a question names the end of a flow; what stands before them is its start.
const DIRECTION_WORDS: &[&str] = &[
    "to", "into", "onto", "until", "reach", "reaches", "become", "becomes", "trigger", "triggers",
];
/// Words of a question before the first that can be such a word.
const MIN_SUBJECT_WORDS: usize = 3;

/// The concepts of a query.
pub(crate) struct QueryConcepts {
    weights: Vec<f64>,
    positions: Vec<f64>,
    /// The concept that a stem expresses, and how certainly.
    by_stem: BTreeMap<String, (usize, f64)>,
    by_word: SharedMemo<String, Option<(usize, f64)>>,
    prefixes: StemPrefixes,
}

impl QueryConcepts {
    /// Returns the concepts of a query.
    pub(crate) fn of(parsed: &ParsedQuery, expanded: &ExpandedQuery) -> Self {
        let lead: Vec<String> =
            parsed.lead_words.iter().map(|word| words::kept_stem(word)).collect();
        let turn = direction_word(&parsed.lead_words);
        let (mut weights, mut positions) = (Vec::new(), Vec::new());
        let mut by_stem: BTreeMap<String, (usize, f64)> = BTreeMap::new();
        let mut of_term: BTreeMap<u8, usize> = BTreeMap::new();
        for (term, index) in parsed.terms.iter().zip(0..u8::MAX) {
            let is_concept = term.form == TermForm::Word && term.weight >= MIN_WEIGHT;
            if is_concept && weights.len() < MAX_CONCEPTS {
                let at = lead.iter().position(|stem| *stem == term.stem).unwrap_or_default();
                of_term.insert(index, weights.len());
                by_stem.insert(term.stem.clone(), (weights.len(), 1.0));
                weights.push(term.weight);
                positions.push(turn.map_or(0.5, |turn| f64::from(u8::from(at > turn))));
            }
        }
        let related = expanded.terms.iter().zip(0..u8::MAX).skip(parsed.terms.len());
        for (term, index) in related {
            let Some(concept) = of_term.get(&expanded.concept(index)) else { continue };
            let certainty = (term.weight / weights[*concept]).min(RELATED);
            by_stem.entry(term.stem.clone()).or_insert((*concept, certainty));
        }
        let prefixes = StemPrefixes::of(by_stem.keys().map(String::as_str));
        Self { weights, positions, by_stem, by_word: SharedMemo::default(), prefixes }
    }

    /// Returns the weight of each concept in the query.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Returns where each concept stands in a question about a flow: 0 at its start, 1 at its end, 0.5 if the question
    /// has no direction.
    pub(crate) fn positions(&self) -> &[f64] {
        &self.positions
    }

    /// Raises `coverage`, one value a concept, to the certainty with which `text` expresses each, times `factor`.
    pub(crate) fn cover(&self, text: &str, factor: f64, coverage: &mut [f64]) {
        words::split_identifier(text.as_bytes(), |word| {
            if !self.prefixes.may_match(word) {
                return;
            }
            let Ok(word) = std::str::from_utf8(word) else { return };
            if let Some((concept, certainty)) = self.concept_of(word)
                && let Some(known) = coverage.get_mut(concept)
            {
                *known = known.max(certainty * factor);
            }
        });
    }

    fn concept_of(&self, word: &str) -> Option<(usize, f64)> {
        self.by_word.get(word, || {
            let lower = word.to_lowercase();
            let is_stop_word = words::word_class(&lower) == WordSpecificity::Stop;
            if is_stop_word { None } else { self.by_stem.get(&words::kept_stem(&lower)).copied() }
        })
    }
}

/// Returns the position of the last word that says where a flow leads.
fn direction_word(lead_words: &[String]) -> Option<usize> {
    let last = lead_words.len().saturating_sub(1);
    let words = lead_words.iter().enumerate().skip(MIN_SUBJECT_WORDS);
    let mut turns =
        words.filter(|(at, word)| *at < last && DIRECTION_WORDS.contains(&word.as_str()));
    turns.next_back().map(|(at, _)| at)
}
