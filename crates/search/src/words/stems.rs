//! Stems: the form in which words of queries and of code are compared. English suffix stripping, joined by a table of
//! lemmas for irregular forms and by American spelling.

use std::{collections::BTreeMap, sync::LazyLock};

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

use crate::bounded_memo::BoundedMemo;

/// Shortest abbreviation of a longer word (`auth` for `authentication`), in bytes of stems.
const SHORTEST_ABBREVIATION: usize = 4;

/// Returns the stem of a lower-case word: that of its lemma when the table has one. A word of another script is its own
/// stem.
pub(crate) fn stem(word: &str) -> String {
    let stem = suffix_stripped(word);
    lemmas().lemma_of.get(&stem).cloned().unwrap_or(stem)
}

/// Returns the same; what it has found for a question is kept for the next ones.
pub(crate) fn kept_stem(word: &str) -> String {
    static KEPT: LazyLock<BoundedMemo<String, String>> = LazyLock::new(BoundedMemo::default);
    KEPT.get(word, || stem(word))
}

/// Returns the other stems that forms of the word with this stem have before the table of lemmas joins them.
pub(crate) fn stem_variants(stem: &str) -> &'static [String] {
    lemmas().variants_of.get(stem).map_or(&[], Vec::as_slice)
}

/// Whether one of two stems is an abbreviation of the other: `auth` and `authent`, `config` and `configur`.
pub(crate) fn is_abbreviation(one: &[u8], other: &[u8]) -> bool {
    let shorter = one.len().min(other.len());
    shorter >= SHORTEST_ABBREVIATION
        && one.len() != other.len()
        && one[..shorter] == other[..shorter]
}

/// Returns the stem that the rules of suffix stripping give.
fn suffix_stripped(word: &str) -> String {
    static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let british = if word.contains("is") { SPELLINGS } else { &[] };
    let american = british.iter().find_map(|(british, american)| {
        let at = word.rfind(british)?;
        let suffix = &word[at + british.len()..];
        SUFFIXES.contains(&suffix).then(|| [&word[..at], american, suffix].concat())
    });
    let stem = STEMMER.stem(american.as_deref().unwrap_or(word));
    // The rules take the double letter of `adding` for a doubled consonant; it has to keep the stem of `add`.
    if stem.len() < 3 { word[..3].to_owned() } else { stem.into_owned() }
}

/// British and American spelling of what stands in front of a suffix.
const SPELLINGS: &[(&str, &str)] = &[
    ("alis", "aliz"),
    ("elis", "eliz"),
    ("imis", "imiz"),
    ("onis", "oniz"),
    ("enis", "eniz"),
    ("oris", "oriz"),
    ("itis", "itiz"),
    ("domis", "domiz"),
    ("tomis", "tomiz"),
    ("anis", "aniz"),
    ("mois", "moiz"),
];
/// The suffixes in question.
const SUFFIXES: &[&str] = &["e", "ed", "er", "ers", "es", "ing", "ation", "ations", "able"];

/// Words with forms that suffix stripping leaves apart.
struct Lemmas {
    lemma_of: FxHashMap<String, String>,
    variants_of: BTreeMap<String, Vec<String>>,
}

fn lemmas() -> &'static Lemmas {
    static LEMMAS: LazyLock<Lemmas> = LazyLock::new(|| {
        let mut lemmas = Lemmas { lemma_of: FxHashMap::default(), variants_of: BTreeMap::new() };
        for line in include_str!("lemmas.txt").lines().filter(|line| !line.starts_with('#')) {
            let mut stems = line.split_whitespace().map(suffix_stripped);
            let Some(lemma) = stems.next() else { continue };
            for form in stems.filter(|form| *form != lemma) {
                lemmas.lemma_of.insert(form.clone(), lemma.clone());
                lemmas.variants_of.entry(lemma.clone()).or_default().push(form);
            }
        }
        lemmas
    });
    &LEMMAS
}

/// The first two letters that words with one of some stems can have: a cheap test before a word is stemmed.
pub(crate) struct StemPrefixes([bool; LETTERS * LETTERS]);

const LETTERS: usize = 26;

impl Default for StemPrefixes {
    fn default() -> Self {
        Self([false; LETTERS * LETTERS])
    }
}

impl StemPrefixes {
    /// Returns those of `stems`.
    pub(crate) fn of<'a>(stems: impl Iterator<Item = &'a str>) -> Self {
        let mut prefixes = Self::default();
        for stem in stems {
            let variants = stem_variants(stem).iter().map(String::as_str);
            for index in variants.chain([stem]).filter_map(|stem| Self::index_of(stem.as_bytes())) {
                prefixes.0[index] = true;
            }
        }
        prefixes
    }

    /// Whether a word can have one of the stems. There are false positives and no false negatives.
    pub(crate) fn may_match(&self, word: &[u8]) -> bool {
        Self::index_of(word).is_none_or(|index| self.0[index])
    }

    /// Returns the first two letters as a number; none for a word that begins with anything else. `y` counts as `i`,
    /// since `dying` and its stem `die` differ there.
    fn index_of(word: &[u8]) -> Option<usize> {
        let letter = |byte: u8| match byte.to_ascii_lowercase() {
            b'y' => Some(usize::from(b'i' - b'a')),
            lower @ b'a'..=b'z' => Some(usize::from(lower - b'a')),
            _ => None,
        };
        let [first, second, ..] = word else { return None };
        Some(LETTERS * letter(*first)? + letter(*second)?)
    }
}
