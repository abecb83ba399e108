//! The table of synonyms: the words of people for software, and those of code. Words are compared by stem.

use std::collections::BTreeMap;

use crate::words::{self, StemPrefixes, WordSpecificity};

/// Synonyms by phrase. A phrase is its words' stems, joined by `_`.
pub(super) struct Synonyms(BTreeMap<String, Vec<Synonym>>);

/// A word that code may use instead.
#[derive(Clone)]
pub(super) struct Synonym {
    pub(super) stem: String,
    /// As the table writes it.
    pub(super) text: &'static str,
}

impl Synonyms {
    /// Reads the rows of the table that begin with one of `stems`. A question needs a few of them, and to stem the whole
    /// table takes longer than to search it.
    pub(super) fn beginning_with(stems: &[String]) -> Self {
        let prefixes = StemPrefixes::of(stems.iter().map(String::as_str));
        let mut synonyms: BTreeMap<String, Vec<Synonym>> = BTreeMap::new();
        for line in include_str!("synonyms.txt").lines().filter(|line| !line.starts_with('#')) {
            let (said, written) = line.split_once('>').unwrap_or((line, line));
            let mut written_stems: Option<Vec<Synonym>> = None;
            for phrase in said.split_whitespace() {
                let first = phrase.split('_').next().unwrap_or_default();
                let is_asked =
                    prefixes.may_match(first.as_bytes()) && stems.contains(&words::stem(first));
                if !is_asked || words::word_class(phrase) == WordSpecificity::Stop {
                    continue;
                }
                let phrase = phrase_stem(phrase);
                let synonym = |text| Synonym { stem: phrase_stem(text), text };
                let written = written_stems
                    .get_or_insert_with(|| written.split_whitespace().map(synonym).collect());
                let known = synonyms.entry(phrase.clone()).or_default();
                for synonym in written {
                    let is_known = known.iter().any(|known| known.stem == synonym.stem);
                    if synonym.stem != phrase && !is_known {
                        known.push(synonym.clone());
                    }
                }
            }
        }
        Self(synonyms)
    }

    /// Returns the synonyms of a phrase.
    pub(super) fn of(&self, phrase: &str) -> Option<&[Synonym]> {
        self.0.get(phrase).map(Vec::as_slice)
    }
}

fn phrase_stem(phrase: &str) -> String {
    let stems: Vec<String> = phrase.split('_').map(words::stem).collect();
    stems.join("_")
}
