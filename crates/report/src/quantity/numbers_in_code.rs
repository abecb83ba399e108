//! The numbers and units of a line of code.

use std::sync::LazyLock;

use regex::Regex;

use super::{QuantityUnit, numbers_in_prose::quantities, parse_number, unit_named};
use crate::prose_normalization::{is_word_char, literal_regex};

/// A literal number.
const LITERAL: &str = r"(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\d[\d_]*(?:\.\d+)?)";

/// A number of a line of code.
#[derive(Clone, Debug)]
pub(crate) struct NumberInCode {
    /// With products and shifts of literals evaluated.
    pub(crate) value: f64,
    /// The literals.
    pub(super) factors: Vec<f64>,
    /// The digits of an octal literal without their base: a text writes 0600 for `0o600`.
    pub(super) octal_digits: Option<f64>,
    /// Whether a minus stands before it that subtracts nothing.
    pub(super) is_negative: bool,
    /// How a value is compared with it.
    pub(super) comparison: Option<NumericComparison>,
    /// Byte offset in the line.
    pub(crate) at: usize,
}

impl NumberInCode {
    /// Whether it is computed from several literals, as an amount in a smaller unit is.
    pub(crate) fn is_product(&self) -> bool {
        self.factors.len() > 1
    }
}

/// A comparison of a value with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumericComparison {
    /// `value < number`, or what it denies, `value >= number`.
    Below,
    /// `value > number`, or what it denies, `value <= number`.
    Above,
    /// `value & number`, of which all bits are set: what is done where nothing is left happens every `number + 1` times.
    Mask,
}

/// Returns how a value is compared with the number between `before` and `after`.
fn comparison_of(before: &str, after: &str) -> Option<NumericComparison> {
    let (before, after) = (before.trim_end(), after.trim_start());
    let is_shift = before.ends_with("<<") || before.ends_with(">>") || before.ends_with("=>");
    if !is_shift && (before.ends_with(">=") || (before.ends_with('<') && !before.ends_with("<<"))) {
        return Some(NumericComparison::Below);
    }
    if !is_shift && (before.ends_with("<=") || (before.ends_with('>') && !before.ends_with("->"))) {
        return Some(NumericComparison::Above);
    }
    // The number stands first: `5 <= value`.
    if after.starts_with("<=") || (after.starts_with('>') && !after.starts_with(">=")) {
        return Some(NumericComparison::Below);
    }
    let is_first = after.starts_with(">=") || (after.starts_with('<') && !after.starts_with("<<"));
    is_first.then_some(NumericComparison::Above)
}

/// Whether a value is masked with `number`, which has all bits set.
fn is_mask(before: &str, number: f64, after: &str) -> bool {
    let (before, after) = (before.trim_end(), after.trim_start());
    let operand = before.strip_suffix('&').or_else(|| before.strip_suffix("&=")).map(str::trim_end);
    // `&255` is a reference, `a && 255` is a condition.
    let is_masked = operand
        .is_some_and(|operand| operand.ends_with([')', ']']) || operand.ends_with(is_word_char));
    (is_masked || (after.starts_with('&') && !after.starts_with("&&")))
        && number >= 1.0
        && (number + 1.0).log2().fract() == 0.0
}

/// Returns what a choice of values in parentheses is multiplied by, if the number between `before` and `after` is one of them:
/// `(fast ? 5 : 8) * 60`, `(wait ?? 5) * 60`, `60 * (5)`.
fn factors_of_choice(before: &str, after: &str) -> Vec<f64> {
    static FACTORS: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(&format!(r"^(?:\s*\*\s*{LITERAL}\b)+")));
    static FACTORS_BEFORE: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(&format!(r"(?:\b{LITERAL}\s*\*\s*)+$")));
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| literal_regex(LITERAL));
    const LAST: [&str; 5] = [":", "??", "||", " or", " else"];
    let Some((inside, behind)) = after.split_once(')') else { return Vec::new() };
    let (head, inside) = (before.trim_end(), inside.trim());
    let is_value = if head.ends_with('?') && !head.ends_with("??") {
        inside.starts_with(':')
    } else if head.ends_with('(') {
        inside.is_empty() || inside.starts_with("if ")
    } else {
        inside.is_empty() && LAST.iter().any(|sign| head.ends_with(sign))
    };
    let mut depth = 0_i32;
    let open = head.rfind(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth > 0
    });
    // The value of a call is another one.
    let open = open.map(|at| &head[..at]).filter(|head| !head.ends_with(is_word_char));
    let Some(head) = open.filter(|_| is_value && !inside.contains('(')) else { return Vec::new() };
    let parts = [
        FACTORS_BEFORE.as_ref().and_then(|form| form.find(head)),
        FACTORS.as_ref().and_then(|form| form.find(behind)),
    ];
    let numbers = parts.into_iter().flatten().flat_map(|part| {
        NUMBER.as_ref().into_iter().flat_map(move |form| form.find_iter(part.as_str()))
    });
    numbers.filter_map(|number| parse_number(number.as_str())).collect()
}

/// Whether the minus that `before` ends with, if any, is a sign.
fn is_negated(before: &str) -> bool {
    // A minus that subtracts has its number behind a space, or touches what is before it.
    let Some(before) = before.strip_suffix('-') else { return false };
    before.is_empty()
        || before.ends_with(|c: char| c.is_whitespace() || "=(,[:<>?{|&*/+%".contains(c))
}

/// Returns the numbers of a line of code. Digits of names are none.
pub(crate) fn code_numbers(line: &str) -> Vec<NumberInCode> {
    static TERM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let one = format!("{LITERAL}[uUlLfFdD]{{0,3}}");
        literal_regex(&format!(r"\b{one}(?:\s*(?:\*\*|\*|<<)\s*{one})*"))
    });
    static FACTOR: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(&format!(r"(\*\*|\*|<<)?\s*({LITERAL})")));
    let (Some(term), Some(literal)) = (TERM.as_ref(), FACTOR.as_ref()) else { return Vec::new() };
    let mut all = Vec::new();
    for found in term.find_iter(line) {
        let (before, after) = (&line[..found.start()], &line[found.end()..]);
        if is_in_version(before, found.as_str(), after)
            || is_in_address(before)
            || is_manual_section(before, found.as_str(), after)
        {
            continue;
        }
        let octal = found.as_str().strip_prefix("0o").or(found.as_str().strip_prefix("0O"));
        let octal_digits = octal.and_then(parse_number);
        let mut factors = Vec::new();
        let mut value: f64 = 1.0;
        for part in literal.captures_iter(found.as_str()) {
            let Some(factor) = part.get(2).and_then(|digits| parse_number(digits.as_str())) else {
                continue;
            };
            value = match part.get(1).map(|operator| operator.as_str()) {
                Some("<<") => value * factor.exp2(),
                Some("**") => value.powf(factor),
                _ => value * factor,
            };
            factors.push(factor);
        }
        if !factors.is_empty() {
            let comparison = if is_mask(before, value, after) {
                Some(NumericComparison::Mask)
            } else {
                comparison_of(before, after)
            };
            let of_choice = factors_of_choice(before, after);
            value *= of_choice.iter().product::<f64>();
            factors.extend(of_choice);
            let (is_negative, at) = (is_negated(before), found.start());
            all.push(NumberInCode { value, factors, octal_digits, is_negative, comparison, at });
        }
    }
    all
}

/// Whether a number is a part of a dotted one, such as a version or an address of the network: `8.3.1`.
fn is_in_version(before: &str, number: &str, after: &str) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let goes_on = after.strip_prefix('.').is_some_and(|rest| is_digit(rest.chars().next()));
    let follows = before.strip_suffix('.').is_some_and(|rest| is_digit(rest.chars().next_back()));
    goes_on && number.contains('.') || follows
}

/// Whether a number is part of a URL and not its port.
fn is_in_address(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || "\"'`<>()".contains(c)).next();
    word.is_some_and(|word| word.contains("://") && !word.ends_with(':'))
}

/// Whether a number is the section of a manual that a comment names: `# see getpass(3)`.
fn is_manual_section(before: &str, number: &str, after: &str) -> bool {
    const COMMENTS: [&str; 4] = ["//", "#", "/*", "--"];
    // The mark of a comment stands between blanks, other than in code such as `n--` or `#define`.
    let mut words = before.split_whitespace();
    let is_in_comment =
        words.clone().next() == Some("*") || words.any(|word| COMMENTS.contains(&word));
    let is_section = number.len() == 1 && is_in_comment && after.starts_with(')');
    let page = before.strip_suffix('(').filter(|_| is_section);
    page.is_some_and(|page| page.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// Returns the units that the identifiers and words of a line of code name.
pub(crate) fn code_units(line: &str) -> Vec<QuantityUnit> {
    let mut units: Vec<QuantityUnit> = Vec::new();
    let mut add = |word: &str| {
        // "min" is the minimum, "s" and "h" are variables; behind a number they are read with it.
        let unit = unit_named(word).filter(|_| !matches!(word, "min" | "s" | "h" | "us" | "micro"));
        units.extend(unit.filter(|unit| !units.contains(unit)));
    };
    let mut word = String::new();
    let mut last = ' ';
    for c in line.chars().chain([' ']) {
        if !c.is_alphabetic() || (c.is_uppercase() && last.is_lowercase()) {
            add(&word);
            word.clear();
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    // "30s" and "100ms".
    units.extend(quantities(line).into_iter().filter_map(|quantity| quantity.unit));
    // What functions of the systems take.
    for (name, unit) in [("TimeInterval", "s"), ("usleep", "µs"), ("nanosleep", "ns")] {
        if line.contains(name) {
            units.extend(unit_named(unit));
        }
    }
    units
}
