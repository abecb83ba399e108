//! What a text says of numbers: a number beside a name has to be the number of that name in the delivered lines, and a limit
//! may be written as the number next to it (`< 300` is "up to 299").

use std::{borrow::Cow, collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{
    code_names::{NAME, own_name},
    evidence::{RunEvidence, SupportLevel, folded, has_amount, units_around, words_of},
    stems::stems,
};
use crate::{
    mentions::{Mention, is_identifier_spelling, mentions},
    prose::{has_word, literal_regex},
    quantity::{NumberInCode, Quantity, code_numbers, code_units, quantities},
    validate::citation::Citation,
};
use retriever_workspace::LineRange;

/// Words that may stand between a name and its number.
const LINKS: &str = r"(?:\s*(?:,\s*which|is|are|was|be|of|to|at|as|the|a|an|set|sets|defaults?|default|starts?|equals?|means|which|its|value|limit|up|most|least|only|currently|:|=|\()\b?)*";

/// A number as it is written, with its unit.
const NUMBER: &str = r"`?(-?(?:0[xX][0-9a-fA-F]+|\d[\d,_]*(?:\.\d+)?)(?:[\s\u{a0}]?[A-Za-zµ]+)?)`?";

/// Finds a number that stands beside a name, where the delivered lines give that name other numbers only.
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

/// Returns a number of `step` that stands in no cited line beside a word of the step, nor where a name of the step gets its
/// value.
pub(super) fn stray_number(
    step: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<String> {
    let words = stems(step);
    let names: Vec<&str> = words_of(step).collect();
    let spans: Vec<String> = step.split('`').skip(1).step_by(2).map(squeezed).collect();
    let prose: String = step.split('`').step_by(2).collect();
    let claim = Claim { words: &words, spans: &spans, prose: &prose };
    let is_stray = |mention: &Mention| {
        let Mention::Quantity(quantity) = mention else { return false };
        let is_cited = evidence.find(mention, refs, &names) == SupportLevel::Cited;
        is_cited
            && refs.iter().any(|citation| is_written(quantity, citation, evidence))
            && !refs.iter().any(|citation| claim.is_beside(quantity, citation, evidence))
    };
    let quantity = mentions(step).into_iter().find(is_stray)?;
    if let Mention::Quantity(quantity) = quantity { Some(quantity.text) } else { None }
}

/// Whether a cited line has the amount as a number. The name of a status code and digits of names are none.
fn is_written(quantity: &Quantity, citation: &Citation, evidence: &RunEvidence<'_>) -> bool {
    evidence.file(&citation.path).is_some_and(|file| {
        let mut lines = file.lines_in(citation.range);
        lines
            .any(|(number, line)| has_amount(quantity, line, &units_around(file, number)).is_some())
    })
}

/// The words of a text, and its code spans without spaces.
struct Claim<'c> {
    words: &'c BTreeSet<String>,
    spans: &'c [String],
    /// What stands outside of the spans.
    prose: &'c str,
}

impl Claim<'_> {
    /// Whether a line of `citation`, or one next to it, has the amount and one of `words`. A number below 3 stands
    /// anywhere; its words have to be on the same line. One of three digits stands for itself.
    fn is_beside(
        &self,
        quantity: &Quantity,
        citation: &Citation,
        evidence: &RunEvidence<'_>,
    ) -> bool {
        let Some(file) = evidence.file(&citation.path) else { return false };
        let is_small = quantity.value < 3.0;
        let is_large = quantity.value >= 100.0;
        let declared = evidence.overlapping(citation).filter(|found| found.range.width() < 40);
        let declared: String = declared.map(|found| format!("{} ", found.name)).collect();
        let has_word = |text: &str| !stems(text).is_disjoint(self.words);
        let own_units = code_units(&declared);
        file.lines_in(citation.range).any(|(number, line)| {
            let units = units_around(file, number);
            let has_unit = !quantity.needs_unit()
                || quantity.has_unit_in(&units)
                || quantity.has_unit_in(&own_units)
                || code_numbers(line).iter().any(NumberInCode::is_product);
            let reach = if is_small { 0 } else { 2 };
            let around = LineRange::new(number.saturating_sub(reach).max(1), number + reach);
            let has_word_around = || {
                let mut lines = around.into_iter().flat_map(|around| file.lines_in(around));
                lines.any(|(_, line)| has_word(line))
            };
            has_unit
                && has_amount(quantity, &self.without_spans(line, quantity), &units).is_some()
                && (is_large || (!is_small && has_word(&declared)) || has_word_around())
        })
    }

    /// Returns `line` without the code that the text quotes: its numbers say nothing of others. Where the number itself is
    /// in a quote only, all of the line counts.
    fn without_spans<'l>(&self, line: &'l str, quantity: &Quantity) -> Cow<'l, str> {
        let is_quoted = !has_word(self.prose, &quantity.text);
        let is_long = |span: &&String| span.chars().any(|c| !c.is_alphanumeric());
        let mut left = squeezed(line);
        let mut is_changed = false;
        for span in self.spans.iter().filter(is_long).filter(|_| !is_quoted) {
            if left.contains(span.as_str()) && span.contains(quantity.text.as_str()) {
                left = left.replace(span.as_str(), " ");
                is_changed = true;
            }
        }
        if is_changed { Cow::Owned(left) } else { Cow::Borrowed(line) }
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether delivered lines give `name` a number, and none of them is `quantity`.
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

/// Returns the expression that a line gives to a name: what follows its `=`, `:` or `=>`, up to a comma or semicolon.
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
