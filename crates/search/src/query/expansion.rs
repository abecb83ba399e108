//! What a survey looks for: the question's own terms, and words that may stand for them in code: compounds of neighbours, and
//! what the thesaurus knows. Related words fill the gaps of a question that is asked in other words than the code's; they
//! never count as much as its own.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    query::parsed::{ParsedQuery, Term, TermForm, TermKind},
    words::{
        self, StemPrefixes, Weight,
        vectors::{self, TextVector},
    },
};

/// Most related words; with the question's own terms they are at most 255.
const MAX_RELATED: usize = 96;
/// Share of a word's weight that words related to it get, before it is shared among them.
const RELATED: f64 = 1.2;
/// The same for two words of the question that are one in the code.
const COMPOUND: f64 = 0.8;
/// The same beside names of code.
const RELATED_TO_NAMED: f64 = 0.4;
/// What further terms that say the same add to the best of them.
const ALSO: f64 = 0.25;
/// What words are made of others with: to redraw is to draw.
const PREFIXES: &[&str] = &["re", "un", "de", "dis", "pre"];
/// Shortest word that others are made of, and the likeness of one to what is made of it: `redraw` is of `draw`, `report`
/// is not of `port`.
const SHORTEST_ROOT: usize = 4;
const FAMILY: f64 = 0.35;
/// IndexSnapshot of a phrase in the thesaurus.
const MAX_PHRASE: usize = 4;

/// Terms, ready to be matched.
pub(crate) struct ExpandedQuery {
    /// The question's own terms, then related words.
    pub(crate) terms: Vec<Term>,
    /// For each term the term that it speaks for: itself, unless it is related to another.
    concept: Vec<u8>,
    own: usize,
    /// What the question's words mean together.
    pub(crate) meaning: TextVector,
}

impl ExpandedQuery {
    /// Returns the terms of `reading` with what is related to them.
    pub(crate) fn of(reading: &ParsedQuery) -> Self {
        let mut query = Self {
            terms: reading.terms.clone(),
            concept: (0..u8::MAX).take(reading.terms.len()).collect(),
            own: reading.terms.len(),
            meaning: TextVector::default(),
        };
        let mut related: BTreeMap<String, (f64, u8)> = BTreeMap::new();
        let mut relate = |stem: String, weight: f64, concept: u8| {
            let known = related.entry(stem).or_insert((0.0, concept));
            // What two words of the question point at is likelier to be meant.
            *known = if weight > known.0 {
                (weight + 0.3 * known.0, concept)
            } else {
                (known.0 + 0.3 * weight, known.1)
            };
        };
        let word_of: BTreeMap<&str, u8> = reading
            .terms
            .iter()
            .zip(0..u8::MAX)
            .filter(|(term, _)| term.form == TermForm::Word)
            .map(|(term, index)| (term.stem.as_str(), index))
            .collect();
        for (term, index) in reading.terms.iter().zip(0..u8::MAX) {
            if term.form == TermForm::Pair && !term.text.contains(char::is_numeric) {
                let joined: String = term.text.split(' ').collect();
                relate(words::stem(&joined), COMPOUND * term.weight, index);
            }
        }
        for term in reading.terms.iter().filter(|term| term.form == TermForm::Word) {
            query.meaning.add_stem(&term.stem, term.weight);
        }
        let related_share = if reading.names_code() { RELATED_TO_NAMED } else { RELATED };
        for (stem, index) in &word_of {
            let weight = reading.terms.get(usize::from(*index)).map_or(0.0, |term| term.weight);
            if let Some(root) = root_of(stem) {
                relate(root.to_owned(), related_share * weight, *index);
            }
        }
        let stems: Vec<String> = reading.lead.iter().map(|word| words::stem(word)).collect();
        let thesaurus = thesaurus(&stems);
        for start in 0..stems.len() {
            for length in 1..=MAX_PHRASE.min(stems.len() - start) {
                let said = stems[start..start + length].join("_");
                let Some(written) = thesaurus.get(said.as_str()) else { continue };
                let own = |at: usize| {
                    let index = *word_of.get(stems.get(at)?.as_str())?;
                    Some((index, reading.terms.get(usize::from(index))?.weight))
                };
                let heaviest = (start..start + length).filter_map(own);
                // A phrase of grammar, `too often`, says how of what stands before it.
                let beside = || (0..start).rev().find_map(own).map(|(index, _)| (index, 0.0));
                let Some((concept, weight)) =
                    heaviest.max_by(|a, b| a.1.total_cmp(&b.1)).or_else(beside)
                else {
                    continue;
                };
                // A phrase says more than its words do.
                let weight = if length > 1 { weight.max(0.8) * 1.3 } else { weight };
                let share = (written.len() as f64).powf(0.35);
                for stem in written {
                    relate(stem.clone(), related_share * weight / share, concept);
                }
            }
        }
        let own: BTreeSet<&str> = word_of.keys().copied().collect();
        let mut related: Vec<(String, f64, u8)> = related
            .into_iter()
            .filter(|(stem, _)| !own.contains(stem.as_str()))
            .map(|(stem, (weight, concept))| (stem, weight, concept))
            .collect();
        related.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        for (stem, weight, concept) in related.into_iter().take(MAX_RELATED) {
            query.terms.push(Term {
                text: stem.clone(),
                stem,
                weight,
                kind: TermKind::Word,
                form: TermForm::Word,
            });
            query.concept.push(concept);
        }
        query
    }

    /// Returns the term that a term speaks for.
    pub(crate) fn concept(&self, term: u8) -> u8 {
        self.concept.get(usize::from(term)).copied().unwrap_or(term)
    }

    /// Whether a term is the question's own.
    pub(crate) fn is_own(&self, term: u8) -> bool {
        usize::from(term) < self.own
    }

    /// Whether a term is one of the question's words, and not a name or a pair made of words that count by themselves.
    pub(crate) fn is_own_word(&self, term: u8) -> bool {
        self.is_own(term) && self.form(term) == Some(TermForm::Word)
    }

    /// How a term is compared.
    pub(crate) fn form(&self, term: u8) -> Option<TermForm> {
        self.terms.get(usize::from(term)).map(|term| term.form)
    }

    /// Joins what terms are worth somewhere by what they speak for: the best counts, others that say the same add a little.
    pub(crate) fn joined(&self, worth: impl Iterator<Item = (u8, f64)>) -> f64 {
        // By concept: few, so that a tree of them would be slower.
        let mut concepts: Vec<(u8, f64, f64)> = Vec::with_capacity(16);
        for (term, worth) in worth {
            let concept = self.concept(term);
            let at = concepts.partition_point(|(known, ..)| *known < concept);
            match concepts.get_mut(at) {
                Some((known, best, all)) if *known == concept => {
                    *best = best.max(worth);
                    *all += worth;
                }
                _ => concepts.insert(at, (concept, 0_f64.max(worth), worth)),
            }
        }
        concepts.iter().map(|(_, best, all)| best + ALSO * (all - best)).sum()
    }
}

/// Returns the word that a stem is made of with a prefix.
fn root_of(stem: &str) -> Option<&str> {
    let roots = PREFIXES.iter().filter_map(|prefix| stem.strip_prefix(prefix));
    let mut roots = roots.filter(|root| root.len() >= SHORTEST_ROOT);
    roots.find(|root| vectors::alike(stem, root) > FAMILY)
}

/// The part of the thesaurus that begins with one of `stems`: stems of what is said, joined by `_`, and stems of what may be
/// written for it. A question needs a few lines, and to find out the stems of all takes longer than to look for them.
fn thesaurus(stems: &[String]) -> BTreeMap<String, Vec<String>> {
    let begin = StemPrefixes::of(stems.iter().map(String::as_str));
    let mut related: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let stem = |word: &str| {
        let stems: Vec<String> = word.split('_').map(words::stem).collect();
        stems.join("_")
    };
    for line in include_str!("synonyms.txt").lines().filter(|line| !line.starts_with('#')) {
        let (said, written) = line.split_once('>').unwrap_or((line, line));
        let mut stems_written: Option<Vec<String>> = None;
        for said in said.split_whitespace() {
            let first = said.split('_').next().unwrap_or_default();
            let is_said = begin.may_be(first) && stems.contains(&words::stem(first));
            if !is_said || words::weight_of(said) == Weight::Stop {
                continue;
            }
            let said = stem(said);
            let written =
                stems_written.get_or_insert_with(|| written.split_whitespace().map(stem).collect());
            let known = related.entry(said.clone()).or_default();
            for written in written {
                if *written != said && !known.contains(written) {
                    known.push(written.clone());
                }
            }
        }
    }
    related
}
