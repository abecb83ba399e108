//! The table of synonyms: the words of people for software, and those of code. Words are compared by stem.

use std::{collections::BTreeMap, sync::LazyLock};

use crate::words::{self, StemPrefixes, WordSpecificity};

/// Synonyms by phrase. A phrase is its words' stems, joined by `_`.
pub(super) struct Synonyms(BTreeMap<String, Vec<Synonym>>);

/// A row of the table: the phrases that are said, each behind its first word, and what is written instead.
type SynonymRow = (Vec<(&'static str, &'static str)>, &'static str);

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
        for (said, written) in rows() {
            let mut written_stems: Option<Vec<Synonym>> = None;
            for (first, phrase) in said {
                let is_asked = prefixes.may_match(first.as_bytes())
                    && stems.contains(&words::kept_stem(first));
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

fn rows() -> &'static [SynonymRow] {
    static ROWS: LazyLock<Vec<SynonymRow>> = LazyLock::new(|| {
        let lines = include_str!("synonyms.txt").lines().filter(|line| !line.starts_with('#'));
        let row = |line: &'static str| {
            let (said, written) = line.split_once('>').unwrap_or((line, line));
            let first = |phrase: &'static str| phrase.split('_').next().unwrap_or_default();
            let phrases = said.split_whitespace().map(|phrase| (first(phrase), phrase));
            (phrases.collect(), written)
        };
        lines.map(row).collect()
    });
    &ROWS
}

fn phrase_stem(phrase: &str) -> String {
    let stems: Vec<String> = phrase.split('_').map(words::kept_stem).collect();
    stems.join("_")
}
