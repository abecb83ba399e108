//! Quantities: a number with or without a unit, in prose and in code. Two quantities are compared as amounts, and only
//! units of one kind are converted into each other.

use std::sync::LazyLock;

use regex::Regex;

use crate::prose::literal_regex;

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnitKind {
    /// In seconds.
    Time,
    /// In bytes.
    Size,
    /// In pixels.
    Pixels,
}

/// A unit: what it measures and how much it is. Units of size in thousands have a decimal and a binary reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    kind: UnitKind,
    scales: &'static [f64],
}

/// A number of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quantity {
    /// The number.
    pub(crate) value: f64,
    /// Its unit.
    pub(crate) unit: Option<Unit>,
    /// Another number that says the same: "more than one" is two or more, the third element has the index 2.
    pub(crate) or: Option<f64>,
    /// As it is written.
    pub(crate) text: String,
}

/// Returns the unit that a word of prose or a part of an identifier names.
pub(crate) fn unit_named(word: &str) -> Option<Unit> {
    let (kind, scales): (UnitKind, &'static [f64]) = match word {
        "ns" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => (UnitKind::Time, &[1e-9]),
        "us" | "µs" | "micro" | "micros" | "microsecond" | "microseconds" => {
            (UnitKind::Time, &[1e-6])
        }
        "ms" | "msec" | "msecs" | "milli" | "millis" | "millisecond" | "milliseconds" => {
            (UnitKind::Time, &[1e-3])
        }
        "s" | "sec" | "secs" | "second" | "seconds" => (UnitKind::Time, &[1.0]),
        "min" | "mins" | "minute" | "minutes" => (UnitKind::Time, &[60.0]),
        "h" | "hour" | "hours" | "hrs" => (UnitKind::Time, &[3_600.0]),
        "day" | "days" => (UnitKind::Time, &[86_400.0]),
        "week" | "weeks" => (UnitKind::Time, &[604_800.0]),
        "byte" | "bytes" => (UnitKind::Size, &[1.0]),
        "kib" => (UnitKind::Size, &[1_024.0]),
        "mib" => (UnitKind::Size, &[1_048_576.0]),
        "gib" => (UnitKind::Size, &[1_073_741_824.0]),
        "kb" | "kilobyte" | "kilobytes" => (UnitKind::Size, &[1_000.0, 1_024.0]),
        "mb" | "megabyte" | "megabytes" => (UnitKind::Size, &[1e6, 1_048_576.0]),
        "gb" | "gigabyte" | "gigabytes" => (UnitKind::Size, &[1e9, 1_073_741_824.0]),
        "px" | "pixel" | "pixels" => (UnitKind::Pixels, &[1.0]),
        _ => return None,
    };
    Some(Unit { kind, scales })
}

/// Returns the numbers of `text`, each with the unit behind it. Numbers inside names, versions and line numbers are left
/// out.
pub(crate) fn quantities(text: &str) -> Vec<Quantity> {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?:0[xX][0-9a-fA-F_]+|\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[\s\u{a0}-]?(?P<unit>[A-Za-zµ]+))?",
        )
    });
    static NOT_AN_AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?i)(?:\blines?|\brfc|\bversions?|\bipv|\bhttp|\butf|\bsha|\bes|\bc\+\+)[\s/-]*$",
        )
    });
    let (Some(number), Some(excluded)) = (NUMBER.as_ref(), NOT_AN_AMOUNT.as_ref()) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for found in number.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        let before = &text[..whole.start()];
        let word = found.name("unit");
        let digits = &text[whole.start()..word.map_or(whole.end(), |word| word.start())];
        let digits = digits.trim_end_matches([' ', '\u{a0}', '-']);
        let after = &text[whole.start() + digits.len()..];
        if is_inside_name(before, after) || excluded.is_match(before) {
            continue;
        }
        let unit = word.and_then(|word| unit_named(&word.as_str().to_lowercase()));
        // "4len" is a name, "4ms" is not.
        if unit.is_none() && after.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        if let Some(value) = parse_number(digits) {
            let end = if unit.is_some() { whole.end() } else { whole.start() + digits.len() };
            let text = text[whole.start()..end].to_owned();
            all.push(Quantity { value, unit, or: None, text });
        }
    }
    all.extend(spelled_numbers(text));
    all.extend(spelled_bounds(text));
    all
}

/// Spelled numbers that code must hold: bounds ("more than two") and positions ("the third element").
fn spelled_bounds(text: &str) -> Vec<Quantity> {
    static BOUND: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?i)\b(?:more|fewer|less|greater) than (?P<bound>one|two|three|four|five|six|seven|eight|nine|ten)\b|\b(?P<place>first|second|third|fourth|fifth) (?:element|argument|item|entry|byte)\b",
        )
    });
    const BOUNDS: [&str; 10] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    const PLACES: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
    let Some(bound) = BOUND.as_ref() else { return Vec::new() };
    let found = bound.captures_iter(text).filter_map(|found| {
        let (word, names, offset) = match (found.name("bound"), found.name("place")) {
            (Some(word), _) => (word, &BOUNDS[..], 1.0),
            (None, Some(word)) => (word, &PLACES[..], -1.0),
            _ => return None,
        };
        let lower = word.as_str().to_lowercase();
        let value =
            f64::from(u8::try_from(names.iter().position(|name| *name == lower)?).ok()?) + 1.0;
        let text = found.get(0)?.as_str().to_owned();
        Some(Quantity { value, unit: None, or: Some(value + offset), text })
    });
    found.collect()
}

/// Numbers that are spelled and too large to be a count of what a sentence lists.
fn spelled_numbers(text: &str) -> impl Iterator<Item = Quantity> + '_ {
    const SPELLED: [(&str, f64); 14] = [
        ("eleven", 11.0),
        ("twelve", 12.0),
        ("thirteen", 13.0),
        ("fourteen", 14.0),
        ("fifteen", 15.0),
        ("sixteen", 16.0),
        ("twenty", 20.0),
        ("thirty", 30.0),
        ("forty", 40.0),
        ("fifty", 50.0),
        ("sixty", 60.0),
        ("hundred", 100.0),
        ("thousand", 1_000.0),
        ("million", 1_000_000.0),
    ];
    text.split(|c: char| !c.is_alphabetic()).filter_map(|word| {
        let lower = word.to_lowercase();
        let (_, value) = SPELLED.iter().find(|(name, _)| *name == lower)?;
        Some(Quantity { value: *value, unit: None, or: None, text: word.to_owned() })
    })
}

fn is_inside_name(before: &str, after: &str) -> bool {
    let mut back = before.chars().rev();
    let (last, second) = (back.next(), back.next());
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    last.is_some_and(is_name)
        || (matches!(last, Some('.' | ':')) && second.is_some_and(is_name))
        || (matches!(last, Some('-' | '/')) && second.is_some_and(char::is_alphabetic))
        || (after.starts_with('.') && after[1..].starts_with(|c: char| c.is_ascii_digit()))
}

fn parse_number(text: &str) -> Option<f64> {
    let digits: String = text.chars().filter(|c| !matches!(c, '_' | ',')).collect();
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok().map(|value| value as f64),
        None => digits.parse().ok(),
    }
}

/// A number of a line of code.
#[derive(Clone, Debug)]
pub(crate) struct CodeNumber {
    /// With products and shifts of literals evaluated.
    value: f64,
    /// The literals.
    factors: Vec<f64>,
    /// Byte offset in the line.
    pub(crate) at: usize,
}

/// Returns the numbers of a line of code.
pub(crate) fn code_numbers(line: &str) -> Vec<CodeNumber> {
    static TERM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?:0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?)[uUlLfFdD]{0,3}(?:\s*(?:\*\*|\*|<<)\s*(?:0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?)[uUlLfFdD]{0,3})*",
        )
    });
    static LITERAL: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"(\*\*|\*|<<)?\s*(0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?)"));
    let (Some(term), Some(literal)) = (TERM.as_ref(), LITERAL.as_ref()) else { return Vec::new() };
    let mut all = Vec::new();
    for found in term.find_iter(line) {
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
            all.push(CodeNumber { value, factors, at: found.start() });
        }
    }
    all
}

/// Returns the units that the identifiers and words of a line of code name.
pub(crate) fn code_units(line: &str) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
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
    if line.contains("TimeInterval") {
        units.extend(unit_named("s"));
    }
    units
}

impl Quantity {
    /// Whether `number`, on a line that names `units`, is this amount. `wider` are the units named around the line; they
    /// count when the line names none.
    pub(crate) fn is_amount(&self, number: &CodeNumber, units: &[Unit], wider: &[Unit]) -> bool {
        let Some(own) = self.unit else {
            let is_it = |value: f64| {
                is_same(value, number.value) || number.factors.iter().any(|f| is_same(value, *f))
            };
            return is_it(self.value) || self.or.is_some_and(is_it);
        };
        let of_kind = |units: &[Unit]| -> Vec<f64> {
            let same = units.iter().filter(|unit| unit.kind == own.kind);
            same.flat_map(|unit| unit.scales.iter().copied()).collect()
        };
        let mut scales = of_kind(units);
        if scales.is_empty() {
            scales = of_kind(wider);
            if scales.is_empty() {
                scales.push(1.0);
                if own.kind == UnitKind::Time {
                    scales.push(1e-3);
                }
            }
        }
        own.scales.iter().any(|scale| {
            scales.iter().any(|other| is_same(self.value * scale, number.value * other))
        })
    }

    /// Whether this is a status code of HTTP whose name, in the spelling of any language, occurs in `lower`, which is in
    /// lower case without separators.
    pub(crate) fn is_status_named_in(&self, lower: &str) -> bool {
        if self.unit.is_some() || self.value.fract() != 0.0 || !(100.0..600.0).contains(&self.value)
        {
            return false;
        }
        let code = http::StatusCode::from_u16(self.value as u16).ok();
        code.and_then(|code| code.canonical_reason()).is_some_and(|name| {
            let name: String =
                name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
            lower.contains(&name)
        })
    }
}

fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}
