//! A number beside a name has to be the number of that name in the delivered lines.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    code_names::{NAME, own_name},
    evidence::{RunEvidence, folded, has_amount, units_around, words_of},
};
use crate::{
    code_mentions_in_prose::is_identifier_spelling,
    prose_text::literal_regex,
    quantity::{Quantity, code_numbers, quantities},
};

/// Words that may stand between a name and its number.
const LINKS: &str = r"(?:\s*(?:,\s*which|is|are|was|be|of|to|at|as|the|a|an|set|sets|defaults?|default|starts?|equals?|means|which|its|value|limit|up|most|least|only|currently|:|=|\()\b?)*";

/// A number as it is written, with its unit.
const NUMBER: &str = r"`?(-?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d[\d,_]*(?:\.\d+)?)(?:[\s\u{a0}]?[A-Za-zµ]+)?)`?";

/// Finds a number beside a name to which the delivered lines assign other numbers only.
pub(super) fn wrong_number(text: &str, evidence: &RunEvidence<'_>) -> Option<String> {
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
        let is_other = gives_other_number(own_name(name), &quantity, evidence);
        is_other.then(|| format!("{} is not the number of \"{name}\"", quantity.text))
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
