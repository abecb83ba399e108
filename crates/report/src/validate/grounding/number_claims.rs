//! Checks the numbers of a text. A number beside a name must be the number of that name in the delivered lines; any
//! other must be in a line with the words around it. Being somewhere in the cited lines is not enough: "gives up after
//! 3 retries" over `retries = 5` and `depth = 3` took its number from another line.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;
use rustc_hash::FxHashMap;

use super::{
    arithmetic_claims::computations,
    code_names::{NAME, own_name},
    evidence::{
        DeliveredLine, MentionEvidence, RunEvidence, folded, has_amount, rarity, units_around,
        words_of,
    },
    word_forms::stems,
};
use crate::{
    code_mentions_in_prose::{Mention, is_identifier_spelling, mentions},
    prose_normalization::{is_word_char, literal_regex},
    quantity::{Quantity, code_numbers, code_units, is_zero_or_one, quantities, small_numbers},
    sentence_clauses::steps,
    validate::citation::{Citation, cites_line},
    validation_reason_parts::ReasonDetail,
};

/// Words that may stand between a name and its number.
const LINKS: &str = r"(?:\s*(?:,\s*which|is|are|was|be|of|to|at|as|the|a|an|set|sets|defaults?|default|starts?|equals?|means|which|its|value|limit|up|most|least|only|currently|:|=|\()\b?)*";

/// A number as it is written, with its unit.
const NUMBER: &str = r"`?(-?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d(?:_?\d|,\d)*(?:\.\d+)?)(?:[\s\u{a0}]?[A-Za-zµ]+)?)`?";

/// A number of a text that is another one in the lines.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WrongNumber {
    /// As the text writes it.
    pub(super) number: String,
    /// What it is not.
    pub(super) detail: ReasonDetail,
}

impl WrongNumber {
    fn new(quantity: &Quantity, of: &ReasonDetail) -> Self {
        let number = quantity.text.clone();
        let detail = ReasonDetail::said(format!("{number} is not the number of "));
        Self { detail: detail.followed_by(of), number }
    }
}

/// Finds a number that the lines contradict.
pub(super) fn contradicted_number(
    text: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<WrongNumber> {
    wrong_number(text, evidence)
        .or_else(|| number_of_noun(text, refs, evidence))
        .or_else(|| displaced_number(text, refs, evidence))
}

/// Finds "version 2" where the cited lines give names that end in "version" other numbers, and nowhere this one beside them.
fn number_of_noun(
    text: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<WrongNumber> {
    static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"\b([a-z]{3,})\s+(?:is\s+|of\s+)?(-?\d[\d_]*(?:\.\d+)?)(?:[^\w%]|$)")
    });
    static GIVEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r#"([A-Za-z_]\w*)['"]?\s*(?:[=!]==?|:=|=|:)\s*(-?\d[\d_]*(?:\.\d+)?)(?:[^\w.]|$)"#,
        )
    });
    let value = |number: &str| number.replace('_', "").parse::<f64>().ok();
    let code = evidence.code_of(refs);
    SAID.as_ref()?.captures_iter(text).find_map(|found| {
        let (noun, number) = (found.get(1)?.as_str(), found.get(2)?.as_str());
        let wanted = value(number)?;
        let given = GIVEN.as_ref()?.captures_iter(&code);
        let given =
            given.filter(|found| found.get(1).is_some_and(|name| ends_in(name.as_str(), noun)));
        let given: Vec<f64> = given.filter_map(|found| value(found.get(2)?.as_str())).collect();
        let has_both = || {
            code.lines()
                .any(|line| line.to_lowercase().contains(noun) && values_of(line).contains(&wanted))
        };
        let is_percent = text[found.get(2)?.end()..].trim_start().starts_with("percent");
        let is_other = !is_percent && !given.is_empty() && !given.contains(&wanted) && !has_both();
        let quantity = quantities(number).into_iter().next().filter(|_| is_other)?;
        Some(WrongNumber::new(&quantity, &ReasonDetail::quoted(noun)))
    })
}

/// Whether the last word of a name of code is `noun`.
fn ends_in(name: &str, noun: &str) -> bool {
    let Some(at) = name.len().checked_sub(noun.len()) else { return false };
    name.get(at..).is_some_and(|last| {
        last.eq_ignore_ascii_case(noun)
            && (at == 0 || name[..at].ends_with('_') || last.starts_with(char::is_uppercase))
    })
}

/// Finds a number beside a name to which the delivered lines assign other numbers only.
fn wrong_number(text: &str, evidence: &RunEvidence<'_>) -> Option<WrongNumber> {
    static AFTER: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(&format!(r"{NAME}{LINKS}\s+{NUMBER}")));
    static BEFORE: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(&format!(r"{NUMBER}\s+\({NAME}\)")));
    let pairs = |form: &'static LazyLock<Option<Regex>>, name: usize, number: usize| {
        let found = form.as_ref().into_iter().flat_map(|form| form.captures_iter(text));
        found.filter_map(move |found| {
            Some((found.get(0)?.as_str(), found.get(name)?.as_str(), found.get(number)?.as_str()))
        })
    };
    pairs(&AFTER, 1, 2).chain(pairs(&BEFORE, 2, 1)).find_map(|(whole, name, number)| {
        // A name that is the last word of a code span is not the whole of what is named.
        let is_span = whole.contains('`') && !whole.starts_with(|c: char| c.is_alphanumeric());
        let is_code = is_span || is_identifier_spelling(name);
        // Many a name starts at 0 and has another value later.
        let quantity = quantities(number).into_iter().find(|found| is_code && found.value > 0.0)?;
        let is_computed = computations(text).iter().any(|found| found.gives(&quantity));
        let is_other = !is_computed && gives_other_number(own_name(name), &quantity, evidence);
        is_other.then(|| WrongNumber::new(&quantity, &ReasonDetail::quoted(name)))
    })
}

/// Whether delivered lines assign numbers to `name`, and none of them is `quantity`.
fn gives_other_number(name: &str, quantity: &Quantity, evidence: &RunEvidence<'_>) -> bool {
    let wanted = folded(name);
    let mut has_other = false;
    for (path, number, line) in evidence.current_lines() {
        let Some(value) = value_given(line, &wanted) else { continue };
        let Some(file) = evidence.file(path) else { continue };
        let units = units_around(file, number);
        let is_it = |text| {
            has_amount(quantity, text, &units).or_else(|| has_amount(quantity, text, &[])).is_some()
        };
        if is_it(value) || is_it(line) {
            return false;
        }
        has_other |= !code_numbers(value).is_empty();
    }
    has_other
}

/// Returns the expression that a line assigns to a name: the text after `=`, `:` or `=>`, up to a comma or semicolon.
fn value_given<'l>(line: &'l str, wanted: &str) -> Option<&'l str> {
    let mut end = 0;
    words_of(line).find(|word| {
        end += line[end..].find(word).unwrap_or_default() + word.len();
        folded(word) == *wanted
    })?;
    let after = &line[end..];
    if line.trim_start().starts_with("#define") && after.starts_with(char::is_whitespace) {
        let value = after.split("/*").next().unwrap_or(after);
        return Some(value).filter(|value| !value.contains(char::is_alphabetic));
    }
    let (sign, length) = [("=>", 2), (":=", 2), ("=", 1), (":", 1)]
        .into_iter()
        .filter_map(|(sign, length)| after.find(sign).map(|at| (at, length)))
        .min_by_key(|(at, length)| (*at, usize::MAX - length))?;
    let is_head = |c: char| c.is_alphanumeric() || " _<>[]?|.:\"'".contains(c);
    let rest = &after[sign + length..];
    let is_comparison = rest.starts_with('=') || after[..sign].ends_with(['<', '>', '!', '=']);
    if !after[..sign].chars().all(is_head) || is_comparison {
        return None;
    }
    // A type stands between a colon and the value.
    let rest = match rest.split_once('=') {
        Some((head, value)) if !head.contains([',', ';', '(', ')']) => value,
        _ => rest,
    };
    // A comparison or a choice gives no number.
    let value = rest.split([',', ';']).next().unwrap_or(rest);
    Some(value).filter(|value| !value.contains(['?', '<', '>', '&', '|']))
}

// The unit is one rare word next to the number (`Surroundings`). The values were set by hand. A change of them is
// judged by `retriever eval grounding --half build`; no figures for other values are recorded.

/// How much better the words around a number have to fit a line with other numbers than one with this.
const MARGIN: f64 = 0.4;
/// The same for 0 and 1, which code has everywhere.
const ZERO_OR_ONE_MARGIN: f64 = 1.0;
/// What a word counts that stands one, two or three lines from the number itself.
const OWN_REACH: [f64; 3] = [0.5, 0.4, 0.3];
/// The same for a line with other numbers.
const OTHER_REACH: [f64; 1] = [0.35];
/// What a name of code counts beside the words of which it consists.
const NAME_WEIGHT: f64 = 0.5;

/// Returns a number of `text` whose words are those of a cited line with other numbers, none of which `text` states.
fn displaced_number(
    text: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<WrongNumber> {
    let stated = StatedNumbers::new(text);
    steps(text).into_iter().find_map(|step| {
        let in_digits = numbers(step.text).filter(|quantity| {
            evidence.find_quantity(quantity, refs, &[]) == MentionEvidence::Cited
                && !is_status(quantity, refs, evidence)
        });
        // "One" is a pronoun, too.
        let spelled = small_numbers(step.text).filter(|quantity| !quantity.is_zero_or_one());
        let of_digits = in_digits.map(|quantity| (quantity, Spelling::Digits));
        let of_words = spelled.map(|quantity| (quantity, Spelling::Word));
        of_digits.chain(of_words).find_map(|(quantity, spelling)| {
            let near = Surroundings::new(step.text, &quantity.text, evidence)?;
            let claim = Claim { quantity: &quantity, spelling, stated: &stated };
            let other = near.other_line(&claim, refs, evidence)?;
            let (path, line) = (other.path, other.number);
            Some(WrongNumber::new(&quantity, &ReasonDetail::said(format!("{path}:{line}"))))
        })
    })
}

/// Whether a cited line gives a number to a status: which one it is tells no amount of another line.
fn is_status(quantity: &Quantity, refs: &[Citation], evidence: &RunEvidence<'_>) -> bool {
    let is_code = quantity.unit.is_none() && (100.0..600.0).contains(&quantity.value);
    is_code
        && evidence.code_of(refs).lines().any(|line| {
            line.to_lowercase().contains("status") && values_of(line).contains(&quantity.value)
        })
}

/// How a text writes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    /// `3`. Lines that have it in another form are not seen here.
    Digits,
    /// "three". It may count what no line has a number for.
    Word,
}

/// The numbers of a text, those inside of names and versions, too.
struct StatedNumbers {
    quantities: Vec<Quantity>,
    values: Vec<f64>,
}

impl StatedNumbers {
    fn new(text: &str) -> Self {
        let digits = code_numbers(text).into_iter().map(|number| number.value);
        let values = digits.chain(small_numbers(text).map(|number| number.value)).collect();
        Self { quantities: numbers(text).collect(), values }
    }

    fn is_in(&self, line: &DeliveredLine<'_>, evidence: &RunEvidence<'_>) -> bool {
        let values = values_of(line.text);
        values.iter().any(|value| self.values.contains(value))
            || self.quantities.iter().any(|quantity| line.has_amount(quantity, evidence))
    }
}

/// A number of a text.
struct Claim<'t> {
    quantity: &'t Quantity,
    spelling: Spelling,
    stated: &'t StatedNumbers,
}

impl Claim<'_> {
    fn is_in(&self, line: &DeliveredLine<'_>, evidence: &RunEvidence<'_>) -> bool {
        line.has_amount(self.quantity, evidence)
            || small_numbers(line.text).any(|number| number.value == self.quantity.value)
            || self.is_given_by_call_in(line, evidence)
    }

    /// Whether a line calls a delivered function that returns nothing but the amount, and whose name has its unit: `ttlMinutes() * 60`.
    fn is_given_by_call_in(&self, line: &DeliveredLine<'_>, evidence: &RunEvidence<'_>) -> bool {
        let Some(unit) = self.quantity.unit else { return false };
        let gives = |name: &str| {
            code_units(name).iter().any(|own| own.is_of_kind(&unit))
                && evidence.declared(name).iter().any(|(path, function)| {
                    let lines = evidence.file(path).into_iter();
                    let lines = lines.flat_map(|file| file.lines_in(function.range));
                    let mut returns = lines.filter(|(_, text)| !code_numbers(text).is_empty());
                    let returned = returns.next().map(|(_, text)| text);
                    function.is_function()
                        && returns.next().is_none()
                        && returned.is_some_and(|text| {
                            has_amount(self.quantity, text, &code_units(name)).is_some()
                        })
                })
        };
        let called = words_of(line.text).filter(|word| line.text.contains(&format!("{word}(")));
        called.into_iter().any(gives)
    }

    /// Whether a line has numbers, but none that the text states. 0 and 1 say nothing against 30.
    fn is_other(&self, line: &DeliveredLine<'_>, evidence: &RunEvidence<'_>) -> bool {
        let values = values_of(line.text);
        values.iter().any(|value| is_zero_or_one(*value) == self.quantity.is_zero_or_one())
            && !self.stated.is_in(line, evidence)
    }
}

/// Returns the numbers of a line, in digits and in words.
fn values_of(line: &str) -> Vec<f64> {
    let digits = code_numbers(line).into_iter().map(|number| number.value);
    digits.chain(small_numbers(line).map(|number| number.value)).collect()
}

fn numbers(text: &str) -> impl Iterator<Item = Quantity> {
    mentions(text).into_iter().filter_map(|mention| match mention {
        Mention::Quantity(quantity) => Some(quantity),
        _ => None,
    })
}

/// The words around a number, each with what it counts: the nearer and the rarer, the more.
struct Surroundings {
    /// What the number counts: "eight digits".
    counted: BTreeSet<String>,
    words: FxHashMap<String, f64>,
    names: FxHashMap<String, f64>,
}

impl Surroundings {
    fn new(step: &str, number: &str, evidence: &RunEvidence<'_>) -> Option<Self> {
        let (at, _) = step.match_indices(number).find(|(at, _)| {
            !step[..*at].ends_with(is_word_char)
                && !step[at + number.len()..].starts_with(is_word_char)
        })?;
        let before: Vec<&str> = words_of(&step[..at]).collect();
        let after: Vec<&str> = words_of(&step[at + number.len()..]).collect();
        let counted = after.iter().map(|word| stems(word)).find(|stems| !stems.is_empty());
        let counted = counted.unwrap_or_default();
        let (words, names) = (FxHashMap::default(), FxHashMap::default());
        let mut near = Self { counted, words, names };
        for (distance, word) in
            before.into_iter().rev().enumerate().chain(after.into_iter().enumerate())
        {
            let nearness = 1.0 / (1.25 + 0.25 * distance as f64);
            let add = |all: &mut FxHashMap<String, f64>, word| {
                let known = all.entry(word).or_default();
                *known = nearness.max(*known);
            };
            stems(word).into_iter().for_each(|stem| add(&mut near.words, stem));
            if is_identifier_spelling(word) {
                add(&mut near.names, folded(word));
            }
        }
        let words: Vec<String> = near.words.keys().cloned().collect();
        let rarity = rarity(&words, evidence.lines().iter().map(|line| &line.stems));
        let tells = |word| rarity.get(word).copied().unwrap_or_default();
        near.words.iter_mut().for_each(|(word, weight)| *weight *= tells(word));
        Some(near)
    }

    /// Returns the cited line that the words fit better than any with the number.
    fn other_line<'l, 'a>(
        &self,
        claim: &Claim<'_>,
        refs: &[Citation],
        evidence: &'l RunEvidence<'a>,
    ) -> Option<&'l DeliveredLine<'a>> {
        let lines = evidence.lines();
        let is_cited = |line: &DeliveredLine<'_>| cites_line(refs, line.path, line.number);
        let is_word = claim.spelling == Spelling::Word;
        let (mut own, mut best) = (is_word.then_some(0.0), None);
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_cited(line)) {
            if claim.is_in(line, evidence) {
                let fit = self.fit(lines, at, &OWN_REACH);
                own = Some(fit.max(own.unwrap_or_default()));
            } else if claim.is_other(line, evidence)
                && !(is_word && self.counted.is_disjoint(&line.stems))
            {
                let fit = self.fit(lines, at, &OTHER_REACH);
                best = best.filter(|(known, _)| *known >= fit).or(Some((fit, line)));
            }
        }
        let is_everywhere = claim.quantity.is_zero_or_one();
        let limit = own? + if is_everywhere { ZERO_OR_ONE_MARGIN } else { MARGIN };
        best.filter(|(fit, _)| *fit > limit).map(|(_, line)| line)
    }

    /// Returns how much of the words a line has, or the lines next to it.
    fn fit(&self, lines: &[DeliveredLine<'_>], at: usize, reach: &[f64]) -> f64 {
        let line = &lines[at];
        let is_next = |other: &&DeliveredLine<'_>, distance: usize| {
            other.path == line.path && other.number.abs_diff(line.number) as usize == distance
        };
        let held = |word: &String| {
            if line.stems.contains(word) {
                return 1.0;
            }
            let near = reach.iter().enumerate().filter(|(step, _)| {
                let distance = step + 1;
                let both = [at.checked_sub(distance), at.checked_add(distance)];
                let mut both = both.into_iter().flatten().filter_map(|at| lines.get(at));
                both.any(|other| is_next(&other, distance) && other.stems.contains(word))
            });
            near.map(|(_, share)| *share).fold(0.0, f64::max)
        };
        let words = self.words.iter().map(|(word, weight)| weight * held(word));
        let named: BTreeSet<String> = words_of(line.text).map(folded).collect();
        let names = self.names.iter().filter(|(name, _)| named.contains(*name));
        words.sum::<f64>() + NAME_WEIGHT * names.map(|(_, nearness)| *nearness).fold(0.0, f64::max)
    }
}
