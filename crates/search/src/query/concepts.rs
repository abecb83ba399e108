//! What a question speaks of, a concept a word, and how surely a name or a line says each of them: in the question's own
//! word, or in one that may stand for it. Where that is looked for is the caller's.

use std::collections::BTreeMap;

use crate::{
    memo::Memo,
    query::{
        expansion::ExpandedQuery,
        parsed::{ParsedQuery, TermForm},
    },
    words::{self, StemPrefixes, Weight},
};

/// Most concepts; the heaviest words are taken.
const MOST: usize = 12;
/// Least weight of a word that is one.
const LIGHTEST: f64 = 0.2;
/// What a related word says of a concept at most.
const RELATED: f64 = 0.75;

/// IndexSnapshot behind which a question says where something leads; before them, it says where that comes from.
const TOWARDS: &[&str] = &[
    "to", "into", "onto", "until", "reach", "reaches", "become", "becomes", "trigger", "triggers",
];
/// IndexSnapshot before the first that can be one.
const SUBJECT: usize = 3;

/// The concepts of a question.
pub(crate) struct Concepts {
    weights: Vec<f64>,
    positions: Vec<f64>,
    /// The concept that a stem says, and how surely.
    stems: BTreeMap<String, (usize, f64)>,
    heard: Memo<String, Option<(usize, f64)>>,
    begin: StemPrefixes,
}

impl Concepts {
    /// Returns those of a question.
    pub(crate) fn of(reading: &ParsedQuery) -> Self {
        let query = ExpandedQuery::of(reading);
        let lead: Vec<String> = reading.lead.iter().map(|word| words::stem(word)).collect();
        let last = lead.len().saturating_sub(1);
        let turn = reading
            .lead
            .iter()
            .enumerate()
            .skip(SUBJECT)
            .rfind(|(at, word)| *at < last && TOWARDS.contains(&word.as_str()))
            .map(|(at, _)| at);
        let mut concepts = Self {
            weights: Vec::new(),
            positions: Vec::new(),
            stems: BTreeMap::new(),
            heard: Memo::default(),
            begin: StemPrefixes::default(),
        };
        let mut of_term: BTreeMap<u8, usize> = BTreeMap::new();
        for (term, index) in reading.terms.iter().zip(0..u8::MAX) {
            let is_one = term.form == TermForm::Word && term.weight >= LIGHTEST;
            if is_one && concepts.weights.len() < MOST {
                let at = lead.iter().position(|stem| *stem == term.stem).unwrap_or_default();
                of_term.insert(index, concepts.weights.len());
                concepts.stems.insert(term.stem.clone(), (concepts.weights.len(), 1.0));
                concepts.weights.push(term.weight);
                concepts.positions.push(match turn {
                    Some(turn) => f64::from(u8::from(at > turn)),
                    None => 0.5,
                });
            }
        }
        for (term, index) in query.terms.iter().zip(0..u8::MAX).skip(reading.terms.len()) {
            let Some(concept) = of_term.get(&query.concept(index)) else { continue };
            let share = (term.weight / concepts.weights[*concept]).min(RELATED);
            concepts.stems.entry(term.stem.clone()).or_insert((*concept, share));
        }
        concepts.begin = StemPrefixes::of(concepts.stems.keys().map(String::as_str));
        concepts
    }

    /// What each concept weighs in the question.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// On which side of the question's turn each concept stands: 0 before it, 1 behind it; the middle when it has none.
    pub(crate) fn positions(&self) -> &[f64] {
        &self.positions
    }

    /// Raises `said`, one number a concept, to what `text` says, of which `share` counts.
    pub(crate) fn hear(&self, text: &str, share: f64, said: &mut [f64]) {
        words::split_identifier(text.as_bytes(), |word| {
            let Ok(word) = std::str::from_utf8(word) else { return };
            if let Some((concept, surely)) = self.concept_of(word)
                && let Some(known) = said.get_mut(concept)
            {
                *known = known.max(surely * share);
            }
        });
    }

    fn concept_of(&self, word: &str) -> Option<(usize, f64)> {
        if !self.begin.may_be(word) {
            return None;
        }
        self.heard.get(word, || {
            let lower = word.to_lowercase();
            let says_nothing = words::weight_of(&lower) == Weight::Stop;
            if says_nothing { None } else { self.stems.get(&words::stem(&lower)).copied() }
        })
    }
}
