//! Finds statements of one report that contradict each other: one denies what another says in nearly the same words, or
//! two put the same names in opposite orders. One of the two is wrong; this check cannot tell which.

use std::collections::BTreeSet;

use super::{
    order_claims::{claimed, is_conditional},
    word_forms::{is_function_word, stems},
};
use crate::{
    code_mentions_in_prose::{Mention, mentions},
    prose_normalization::{is_listed, sentences},
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

/// The parts of a clause that another clause can contradict.
struct Claim<'t> {
    text: &'t str,
    names: BTreeSet<String>,
    /// Its words before the condition, beside those that deny.
    words: BTreeSet<String>,
    /// When it holds, word by word: one number or one short word makes another case.
    condition: Vec<&'t str>,
    is_denied: bool,
    /// Whether it says what ought to be or may be; a statement of fact cannot contradict that.
    is_wish: bool,
    /// The names that it puts earlier, and those that it puts later.
    order: Option<[BTreeSet<String>; 2]>,
}

impl<'t> Claim<'t> {
    fn of(text: &'t str) -> Self {
        const CONDITIONS: &str =
            "if when unless where until once while on for before after during in at";
        const WISHES: &str = "should must may might could ought needs need";
        let words: Vec<&str> = text.split_whitespace().map(trimmed).collect();
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        // "With none left, `a` returns" tells of a case, too; "returns it with `a`" does not.
        let is_case = lower.first().is_some_and(|word| is_listed("with without given", word));
        let said = lower.iter().take_while(|word| !is_case && !is_listed(CONDITIONS, word)).count();
        let (main, condition) = (&lower[..said], &words[said..]);
        let denies = |at: &usize| {
            let next = main.get(at + 1).map_or("", String::as_str);
            (is_negation(&main[*at]) || main[*at] == "without")
                && !is_listed("longer more only", next)
        };
        let (denying, saying): (Vec<usize>, Vec<usize>) = (0..said).partition(denies);
        // "neither … nor" denies once.
        let negations = denying.iter().skip(1).filter(|at| main[**at] != "nor").count();
        let is_negated = !denying.is_empty() && negations % 2 == 0;
        let is_unless = condition.first().is_some_and(|word| word.eq_ignore_ascii_case("unless"));
        let has_duty =
            main.windows(2).any(|pair| ["has", "have"].contains(&&*pair[0]) && pair[1] == "to");
        let saying: Vec<&str> = saying.into_iter().map(|at| words[at]).collect();
        let order = claimed(text).map(|(earlier, later)| [earlier, later]);
        // "Saves nothing before" a name does not put what it saves there.
        let is_said = |order: &[&str; 2]| {
            !is_negated && !order.iter().any(|part| is_conditional(&part.to_lowercase()))
        };
        Self {
            text,
            names: names(text),
            words: stems(&saying.join(" ")),
            condition: condition
                .iter()
                .map(|word| if *word == "unless" { "if" } else { *word })
                .collect(),
            is_denied: is_negated != is_unless,
            is_wish: has_duty || main.iter().any(|word| is_listed(WISHES, word)),
            order: order.filter(is_said).map(|parts| parts.map(names)),
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
            && self.condition == other.condition
            && !self.is_wish
            && !other.is_wish
            && is_of_same
            && shared >= SAME_WORDS
            && shared as f64 >= SAME_SHARE * all as f64
    }

    /// Whether a name that one puts only earlier is put only later by the other, and one the other way round, where both are
    /// about the same names: another function may have the other order.
    fn reverses(&self, other: &Self) -> Option<bool> {
        let ([earlier, later], [other_earlier, other_later]) =
            (self.order.as_ref()?, other.order.as_ref()?);
        let moves = |from: [&BTreeSet<String>; 2], to: [&BTreeSet<String>; 2]| {
            from[0].iter().any(|name| {
                to[0].contains(name) && !from[1].contains(name) && !to[1].contains(name)
            })
        };
        Some(
            self.names == other.names
                && moves([earlier, later], [other_later, other_earlier])
                && moves([later, earlier], [other_earlier, other_later]),
        )
    }
}

/// Returns a word without the signs of prose around it. Those of code stay: "-1", "<".
fn trimmed(word: &str) -> &str {
    word.trim_matches(|c| "`'\"()[],.;:".contains(c))
}

fn names(text: &str) -> BTreeSet<String> {
    let mentions = mentions(text);
    let names = mentions.iter().filter_map(Mention::name);
    names.filter(|name| !is_function_word(name)).cloned().collect()
}
