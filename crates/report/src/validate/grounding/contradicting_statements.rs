//! Statements of one report that contradict each other: one denies what another says in nearly the same words, or two put the
//! same names in opposite orders. One of them is wrong, and nothing here says which.

use std::collections::BTreeSet;

use super::{
    order_claims::claimed,
    word_forms::{is_function_word, stems},
};
use crate::{
    code_mentions_in_prose::{Mention, mentions},
    prose_normalization::sentences,
    sentence_clauses::{claims, is_negation},
};

/// Share of the words of two clauses that both have, from which on they say the same.
const SAME_SHARE: f64 = 0.7;
/// How many words that is at least.
const SAME_WORDS: usize = 3;

/// Returns the pairs of texts, by index, that cannot both be true, each with the two clauses.
pub(super) fn contradictions<'t>(texts: &[&'t str]) -> Vec<[(usize, &'t str); 2]> {
    let claims_of = |text: &&'t str| -> Vec<Claim<'t>> {
        sentences(text).into_iter().flat_map(claims).map(Claim::of).collect()
    };
    let claims: Vec<_> = texts.iter().map(claims_of).collect();
    let mut found = Vec::new();
    for (later, own) in claims.iter().enumerate() {
        for (earlier, others) in claims[..later].iter().enumerate() {
            let pairs = others.iter().flat_map(|other| own.iter().map(move |own| (other, own)));
            let mut pairs = pairs.filter(|(other, own)| other.contradicts(own));
            if let Some((other, own)) = pairs.next() {
                found.push([(earlier, other.text), (later, own.text)]);
            }
        }
    }
    found
}

/// A clause, as far as another one can contradict it.
struct Claim<'t> {
    text: &'t str,
    names: BTreeSet<String>,
    /// Its words beside those that deny.
    words: BTreeSet<String>,
    is_denied: bool,
    /// The names that it puts earlier, and those that it puts later.
    order: Option<[BTreeSet<String>; 2]>,
}

impl<'t> Claim<'t> {
    fn of(text: &'t str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let lower = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let denies = |at: usize| {
            let next = words.get(at + 1).map(|next| lower(next)).unwrap_or_default();
            let word = lower(words[at]);
            (is_negation(&word) || ["without", "unless"].contains(&word.as_str()))
                && !["longer", "more", "only"].contains(&next.as_str())
        };
        let (denying, said): (Vec<usize>, Vec<usize>) =
            (0..words.len()).partition(|at| denies(*at));
        let said: Vec<&str> = said.into_iter().map(|at| words[at]).collect();
        Self {
            text,
            names: names(text),
            words: stems(&said.join(" ")),
            is_denied: denying.len() % 2 == 1,
            order: claimed(text).map(|(earlier, later)| [names(earlier), names(later)]),
        }
    }

    fn contradicts(&self, other: &Self) -> bool {
        self.denies(other) || self.reverses(other).unwrap_or(false)
    }

    /// Whether one says what the other denies.
    fn denies(&self, other: &Self) -> bool {
        let shared = self.words.intersection(&other.words).count();
        let all = self.words.union(&other.words).count();
        let names = self.names.intersection(&other.names).count();
        let is_of_same = names >= 2 || (names == 1 && self.names == other.names);
        self.is_denied != other.is_denied
            && is_of_same
            && shared >= SAME_WORDS
            && shared as f64 >= SAME_SHARE * all as f64
    }

    /// Whether a name that one puts only earlier is put only later by the other, and one the other way round.
    fn reverses(&self, other: &Self) -> Option<bool> {
        let ([earlier, later], [other_earlier, other_later]) =
            (self.order.as_ref()?, other.order.as_ref()?);
        let moves = |from: [&BTreeSet<String>; 2], to: [&BTreeSet<String>; 2]| {
            from[0].iter().any(|name| {
                to[0].contains(name) && !from[1].contains(name) && !to[1].contains(name)
            })
        };
        Some(
            moves([earlier, later], [other_later, other_earlier])
                && moves([later, earlier], [other_earlier, other_later]),
        )
    }
}

fn names(text: &str) -> BTreeSet<String> {
    let mentions = mentions(text);
    let names = mentions.iter().filter_map(Mention::name);
    names.filter(|name| !is_function_word(name)).cloned().collect()
}
