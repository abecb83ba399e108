//! Query expansion: the query's own terms, and words that code may use instead: roots of prefixed words, and synonyms. A
//! related term is an alternative of one of the query's own and never counts as much.
//!
//! Design notes. Alternatives of one term are joined into a *concept*: the best of them counts, the others add little, so
//! that a file in which all synonyms occur does not outrank one that says the word. Each related term gets a share of its
//! term's weight; a term that two words of the query lead to gets more. When the query names code its author knows the
//! code's words, and related terms get a third of that share.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    parsed_query::ParsedQuery,
    synonyms::Synonyms,
    term::{Term, TermForm},
};
use crate::words::{self, MeasuredVector, TextVector};

/// Most related terms. With the query's own (at most 152) they are no more than 255: terms are numbered by bytes.
const MAX_RELATED: usize = 96;
/// Share of a term's weight that a related term gets.
const RELATED: f64 = 1.2;
const RELATED_OF_NAMED: f64 = 0.4;
/// Share of a further weight that a related term gets when several words lead to it.
const FURTHER_WEIGHT: f64 = 0.3;
/// Exponent of the number of synonyms that share the weight of one phrase.
const SYNONYMS_EXPONENT: f64 = 0.35;
/// Least weight of a phrase of several words, and its factor: a phrase says more than its words.
const MIN_PHRASE: f64 = 0.8;
const PHRASE: f64 = 1.3;
/// Share of their values that the alternatives beside the best of a concept add.
const ALTERNATIVES: f64 = 0.25;
/// Prefixes of verbs whose root means nearly the same.
const PREFIXES: &[&str] = &["re", "un", "de", "dis", "pre"];
/// Minimum length of a root in bytes, and minimum similarity of a word and its root: `draw` is the root of `redraw`, `port`
/// is not that of `report`.
const SHORTEST_ROOT: usize = 4;
const ROOT_SIMILARITY: f64 = 0.35;
/// Most words of a phrase in the table of synonyms.
const MAX_PHRASE_WORDS: usize = 4;

/// A query's own terms with related ones.
#[derive(Debug)]
pub(crate) struct ExpandedQuery {
    /// The query's own terms, then related ones.
    pub(crate) terms: Vec<Term>,
    /// For each term the number of the own term that it stands for; an own term stands for itself.
    concepts: Vec<u8>,
    own: usize,
    /// Sum of the vectors of the query's words.
    pub(crate) vector: MeasuredVector,
}

impl ExpandedQuery {
    /// Expands `parsed`.
    pub(crate) fn of(parsed: &ParsedQuery) -> Self {
        let mut vector = TextVector::default();
        for term in parsed.terms.iter().filter(|term| term.form == TermForm::Word) {
            vector.add_stem(&term.stem, term.weight);
        }
        let mut expanded = Self {
            terms: parsed.terms.clone(),
            concepts: (0..u8::MAX).take(parsed.terms.len()).collect(),
            own: parsed.terms.len(),
            vector: vector.measured(),
        };
        let words = OwnWords::of(parsed);
        let mut related = RelatedTerms::default();
        related.add_roots(&words);
        related.add_synonyms(&words, parsed);
        related.add_joined_words(&words, parsed);
        for (stem, related) in related.heaviest(&words) {
            let (form, is_named) = (TermForm::Word, false);
            let text = related.text.unwrap_or(&stem).to_owned();
            expanded.terms.push(Term { text, stem, weight: related.weight, is_named, form });
            expanded.concepts.push(related.concept);
        }
        expanded
    }

    /// Returns the number of the term that a term is an alternative of.
    pub(crate) fn concept(&self, term: u8) -> u8 {
        self.concepts.get(usize::from(term)).copied().unwrap_or(term)
    }

    /// Whether a term is the query's own.
    pub(crate) fn is_own(&self, term: u8) -> bool {
        usize::from(term) < self.own
    }

    /// Whether a term is one of the query's words, and no identifier or pair.
    pub(crate) fn is_own_word(&self, term: u8) -> bool {
        self.is_own(term) && self.form(term) == Some(TermForm::Word)
    }

    /// Returns what a term is compared with.
    pub(crate) fn form(&self, term: u8) -> Option<TermForm> {
        self.terms.get(usize::from(term)).map(|term| term.form)
    }

    /// Returns the text of a term.
    pub(crate) fn text(&self, term: u8) -> &str {
        self.terms.get(usize::from(term)).map_or("", |term| term.text.as_str())
    }

    /// Returns the stem of a term.
    pub(crate) fn stem(&self, term: u8) -> &str {
        self.terms.get(usize::from(term)).map_or("", |term| term.stem.as_str())
    }

    /// Sums values of terms by concept: of each concept the best value, and a share of the others.
    pub(crate) fn sum_by_concept(&self, values: impl Iterator<Item = (u8, f64)>) -> f64 {
        // Sorted by concept. There are few, so that a map would be slower.
        let mut concepts: Vec<(u8, f64, f64)> = Vec::with_capacity(16);
        for (term, value) in values {
            let concept = self.concept(term);
            let at = concepts.partition_point(|(known, ..)| *known < concept);
            match concepts.get_mut(at) {
                Some((known, best, sum)) if *known == concept => {
                    *best = best.max(value);
                    *sum += value;
                }
                _ => concepts.insert(at, (concept, 0_f64.max(value), value)),
            }
        }
        concepts.iter().map(|(_, best, sum)| best + ALTERNATIVES * (sum - best)).sum()
    }
}

/// The query's words by stem: their numbers and weights.
struct OwnWords<'a> {
    by_stem: BTreeMap<&'a str, (u8, f64)>,
    /// What is left of a term's weight for a related one.
    share: f64,
}

impl<'a> OwnWords<'a> {
    fn of(parsed: &'a ParsedQuery) -> Self {
        let words = parsed.terms.iter().zip(0..u8::MAX);
        let words = words.filter(|(term, _)| term.form == TermForm::Word);
        let share = if parsed.names_code() { RELATED_OF_NAMED } else { RELATED };
        let by_stem = words.map(|(term, index)| (term.stem.as_str(), (index, term.weight)));
        Self { by_stem: by_stem.collect(), share }
    }
}

/// Related terms by stem.
#[derive(Default)]
struct RelatedTerms(BTreeMap<String, RelatedTerm>);

#[derive(Clone, Copy)]
struct RelatedTerm {
    /// As the table of synonyms writes it; a root is shown by its stem.
    text: Option<&'static str>,
    weight: f64,
    /// The number of the term that it is an alternative of.
    concept: u8,
}

impl RelatedTerms {
    fn add(&mut self, stem: String, found: RelatedTerm) {
        let (weight, concept) = (found.weight, found.concept);
        let known = self.0.entry(stem).or_insert(RelatedTerm { weight: 0.0, ..found });
        (known.weight, known.concept) = if weight > known.weight {
            (weight + FURTHER_WEIGHT * known.weight, concept)
        } else {
            (known.weight + FURTHER_WEIGHT * weight, known.concept)
        };
    }

    /// Adds the roots of prefixed words.
    fn add_roots(&mut self, words: &OwnWords<'_>) {
        for (stem, (index, weight)) in &words.by_stem {
            if let Some(root) = root_of(stem) {
                let weight = words.share * weight;
                self.add(root.to_owned(), RelatedTerm { text: None, weight, concept: *index });
            }
        }
    }

    /// Adds the synonyms of the words and phrases that say what is wanted.
    fn add_synonyms(&mut self, words: &OwnWords<'_>, parsed: &ParsedQuery) {
        let stems: Vec<String> =
            parsed.lead_words.iter().map(|word| words::kept_stem(word)).collect();
        let synonyms = Synonyms::beginning_with(&stems);
        let own = |at: usize| words.by_stem.get(stems.get(at)?.as_str()).copied();
        for start in 0..stems.len() {
            for length in 1..=MAX_PHRASE_WORDS.min(stems.len() - start) {
                let phrase = stems[start..start + length].join("_");
                let Some(written) = synonyms.of(&phrase) else { continue };
                let heaviest = (start..start + length).filter_map(own);
                // A phrase of stop words, `too often`, qualifies the word in front of it.
                let before = || (0..start).rev().find_map(own).map(|(index, _)| (index, 0.0));
                let Some((concept, weight)) =
                    heaviest.max_by(|a, b| a.1.total_cmp(&b.1)).or_else(before)
                else {
                    continue;
                };
                let weight = if length > 1 { weight.max(MIN_PHRASE) * PHRASE } else { weight };
                let count = (written.len() as f64).powf(SYNONYMS_EXPONENT);
                for synonym in written {
                    let weight = words.share * weight / count;
                    let found = RelatedTerm { text: Some(synonym.text), weight, concept };
                    self.add(synonym.stem.clone(), found);
                }
            }
        }
    }

    /// Adds adjacent words, and the words of a name, as one: a "web seed" may be a `webseed` in code, and a `WebSocket` one of
    /// the `websockets`.
    fn add_joined_words(&mut self, words: &OwnWords<'_>, parsed: &ParsedQuery) {
        let pairs = parsed.lead_words.windows(2).map(<[String]>::to_vec);
        let names = parsed.terms.iter().filter(|term| term.form == TermForm::Whole);
        let names = names.map(|term| words::subwords(&term.text)).filter(|parts| parts.len() > 1);
        for parts in pairs.chain(names) {
            let own = |word: &String| words.by_stem.get(words::kept_stem(word).as_str()).copied();
            let Some(own) = parts.iter().map(own).collect::<Option<Vec<_>>>() else { continue };
            let heaviest = own.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((concept, weight)) = heaviest else { continue };
            let weight = words.share * weight;
            self.add(
                words::kept_stem(&parts.concat()),
                RelatedTerm { text: None, weight, concept },
            );
        }
    }

    /// Returns the heaviest terms that are not the query's own.
    fn heaviest(self, words: &OwnWords<'_>) -> impl Iterator<Item = (String, RelatedTerm)> {
        let own: BTreeSet<&str> = words.by_stem.keys().copied().collect();
        let mut related: Vec<(String, RelatedTerm)> = self.0.into_iter().collect();
        related.retain(|(stem, _)| !own.contains(stem.as_str()));
        related.sort_by(|a, b| b.1.weight.total_cmp(&a.1.weight).then_with(|| a.0.cmp(&b.0)));
        related.into_iter().take(MAX_RELATED)
    }
}

/// Returns the root of a prefixed word.
fn root_of(stem: &str) -> Option<&str> {
    let roots = PREFIXES.iter().filter_map(|prefix| stem.strip_prefix(prefix));
    let mut roots = roots.filter(|root| root.len() >= SHORTEST_ROOT);
    roots.find(|root| words::similarity(stem, root) > ROOT_SIMILARITY)
}
