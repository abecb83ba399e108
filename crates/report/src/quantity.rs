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
    /// Which side of a limit it names.
    pub(crate) bound: Option<Bound>,
    /// As it is written.
    pub(crate) text: String,
}

/// How a text limits an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// "up to 299"
    AtMost,
    /// "at least 1", "from 400 on"
    AtLeast,
    /// "more than 5"
    Above,
    /// "fewer than 5"
    Below,
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
        let next = word.and_then(|word| unit_named(&word.as_str().to_lowercase()));
        let unit = next.or_else(|| unit_behind_adjective(after));
        // "4len" is a name, "4ms" is not.
        if unit.is_none()
            && (after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
                || counts_what_follows(digits, after))
        {
            continue;
        }
        if let Some(value) = parse_number(digits) {
            let end = if next.is_some() { whole.end() } else { whole.start() + digits.len() };
            let bound = bound_of(before, &text[end..]);
            let is_signed = before
                .strip_suffix('-')
                .is_some_and(|head| head.is_empty() || head.ends_with([' ', '(', ',', '`', '=']));
            let text = text[whole.start() - usize::from(is_signed)..end].to_owned();
            all.push(Quantity { value, unit, or: None, bound, text });
        }
    }
    all.extend(spelled_numbers(text));
    all
}

/// Returns the unit of "8 random bytes", given what follows the number.
fn unit_behind_adjective(after: &str) -> Option<Unit> {
    const JOINING: [&str; 14] = [
        "and", "or", "of", "in", "to", "per", "for", "at", "by", "as", "than", "from", "with", "a",
    ];
    let mut words = after.strip_prefix(' ')?.split(' ');
    let (adjective, unit) = (words.next()?, words.next()?);
    let is_word = adjective.len() > 2 && adjective.chars().all(|c| c.is_ascii_lowercase());
    let unit = unit.trim_end_matches(|c: char| ".,;:)".contains(c));
    (is_word && !JOINING.contains(&adjective) && unit.len() > 2)
        .then(|| unit_named(&unit.to_lowercase()))?
}

/// Returns which side of a limit a number names that stands between `before` and `after`.
fn bound_of(before: &str, after: &str) -> Option<Bound> {
    const FORMS: [(&str, Bound); 15] = [
        ("up to", Bound::AtMost),
        ("at most", Bound::AtMost),
        ("no more than", Bound::AtMost),
        ("through", Bound::AtMost),
        ("at least", Bound::AtLeast),
        ("no less than", Bound::AtLeast),
        ("from", Bound::AtLeast),
        ("more than", Bound::Above),
        ("greater than", Bound::Above),
        ("above", Bound::Above),
        ("over", Bound::Above),
        ("less than", Bound::Below),
        ("fewer than", Bound::Below),
        ("below", Bound::Below),
        ("under", Bound::Below),
    ];
    const TAILS: [(&str, Bound); 4] = [
        (" or more", Bound::AtLeast),
        (" or above", Bound::AtLeast),
        (" or less", Bound::AtMost),
        (" or fewer", Bound::AtMost),
    ];
    let head = before.trim_end().to_lowercase();
    let form = FORMS.iter().find(|(words, _)| head.ends_with(words));
    form.or_else(|| TAILS.iter().find(|(words, _)| after.starts_with(words)))
        .map(|(_, bound)| *bound)
}

/// Spelled numbers that code must hold: limits ("more than two"), positions ("the third element"), multiples ("doubles") and
/// amounts with a unit ("five seconds"). Other spelled numbers up to ten are counts of what a sentence lists.
fn spelled_numbers(text: &str) -> Vec<Quantity> {
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?ix)\b(?:
            (?:more|fewer|less|greater)\ than\ (?P<bound>one|two|three|four|five|six|seven|eight|nine|ten)
            | (?P<place>second|third|fourth|fifth)\ (?:element|argument|item|entry|byte)
            | (?P<amount>two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|twenty|thirty|forty|fifty|sixty)[\ -](?P<unit>(?:nano|micro|milli)?seconds?|minutes?|hours?|days?|weeks?|(?:kilo|mega|giga)?bytes?)
            | (?P<offset>two|three|four|five|six|seven|eight|nine|ten)\ [a-z]+s\ (?:before|after|earlier|later|ahead|behind)
            | (?P<multiple>doubles|doubled|doubling|triples|tripled|tripling|halves|halved|halving)
            | (?P<large>eleven|twelve|thirteen|fourteen|fifteen|sixteen|twenty|thirty|forty|fifty|sixty|hundred|thousand|million)
            )\b",
        )
    });
    let Some(form) = FORM.as_ref() else { return Vec::new() };
    let found = form.captures_iter(text).filter_map(|found| {
        let part = |name| found.name(name).map(|part| part.as_str().to_lowercase());
        let whole = found.get(0)?.as_str();
        let (mut unit, mut or) = (None, None);
        let value = if let Some(word) = part("bound") {
            let value = spelled_value(&word)?;
            or = Some(value + 1.0);
            value
        } else if let Some(word) = part("place") {
            const PLACES: [&str; 4] = ["second", "third", "fourth", "fifth"];
            let index = PLACES.iter().position(|place| *place == word)? + 1;
            let index = f64::from(u8::try_from(index).ok()?);
            or = Some(index);
            index + 1.0
        } else if let Some(word) = part("amount") {
            unit = unit_named(&part("unit")?);
            spelled_value(&word)?
        } else if let Some(word) = part("offset") {
            spelled_value(&word)?
        } else if let Some(word) = part("multiple") {
            if word.ends_with("es") && !has_object(&text[found.get(0)?.end()..]) {
                return None;
            }
            or = word
                .starts_with('h')
                .then_some(0.5)
                .or(Some(1.0).filter(|_| word.starts_with('d')));
            if word.starts_with('t') { 3.0 } else { 2.0 }
        } else {
            spelled_value(&part("large")?)?
        };
        Some(Quantity { value, unit, or, bound: None, text: whole.to_owned() })
    });
    found.collect()
}

/// Whether what follows "doubles" shows that it is a verb: "doubles the delay", "doubles from there". In "converts strings
/// to doubles" it is a noun.
fn has_object(after: &str) -> bool {
    const OBJECTS: [&str; 16] = [
        "the", "its", "it", "that", "this", "each", "every", "their", "them", "a", "an", "from",
        "on", "with", "until", "up",
    ];
    let first = after.split_whitespace().next().unwrap_or_default();
    OBJECTS.contains(&first) || first.starts_with('\u{1}')
}

fn spelled_value(word: &str) -> Option<f64> {
    const SMALL: [&str; 16] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
    ];
    const LARGE: [(&str, f64); 8] = [
        ("twenty", 20.0),
        ("thirty", 30.0),
        ("forty", 40.0),
        ("fifty", 50.0),
        ("sixty", 60.0),
        ("hundred", 100.0),
        ("thousand", 1_000.0),
        ("million", 1_000_000.0),
    ];
    if let Some(at) = SMALL.iter().position(|name| *name == word) {
        return Some(f64::from(u8::try_from(at).ok()?) + 1.0);
    }
    LARGE.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

/// Whether a number is that of the code spans behind it, which [`mentions`](crate::mentions) has replaced by a sign: "3 times,
/// for `a`, `b` and `c`".
fn counts_what_follows(digits: &str, after: &str) -> bool {
    let clause = after.split(['.', ';', '→', '(']).next().unwrap_or_default();
    let spans = clause.matches('\u{1}').count();
    spans > 1 && digits.parse() == Ok(spans)
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
    /// Whether a minus stands before it that subtracts nothing.
    is_negative: bool,
    /// How a value is compared with it.
    comparison: Option<Comparison>,
    /// Byte offset in the line.
    pub(crate) at: usize,
}

/// A comparison of a value with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    /// `value < number`, or what it denies, `value >= number`.
    Below,
    /// `value > number`, or what it denies, `value <= number`.
    Above,
}

/// Returns how a value is compared with the number between `before` and `after`.
fn comparison_of(before: &str, after: &str) -> Option<Comparison> {
    let (before, after) = (before.trim_end(), after.trim_start());
    let is_shift = before.ends_with("<<") || before.ends_with(">>") || before.ends_with("=>");
    if !is_shift && (before.ends_with(">=") || (before.ends_with('<') && !before.ends_with("<<"))) {
        return Some(Comparison::Below);
    }
    if !is_shift && (before.ends_with("<=") || (before.ends_with('>') && !before.ends_with("->"))) {
        return Some(Comparison::Above);
    }
    // The number stands first: `5 <= value`.
    if after.starts_with("<=") || (after.starts_with('>') && !after.starts_with(">=")) {
        return Some(Comparison::Below);
    }
    let is_first = after.starts_with(">=") || (after.starts_with('<') && !after.starts_with("<<"));
    is_first.then_some(Comparison::Above)
}

/// Whether the minus that `before` ends with, if any, is a sign.
fn is_negated(before: &str) -> bool {
    // A minus that subtracts has its number behind a space, or touches what is before it.
    let Some(before) = before.strip_suffix('-') else { return false };
    before.is_empty()
        || before.ends_with(|c: char| c.is_whitespace() || "=(,[:<>?{|&*/+%".contains(c))
}

/// Returns the numbers of a line of code. Digits of names are none.
pub(crate) fn code_numbers(line: &str) -> Vec<CodeNumber> {
    static TERM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"\b(?:0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?)[uUlLfFdD]{0,3}(?:\s*(?:\*\*|\*|<<)\s*(?:0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?)[uUlLfFdD]{0,3})*",
        )
    });
    static LITERAL: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"(\*\*|\*|<<)?\s*(0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?)"));
    let (Some(term), Some(literal)) = (TERM.as_ref(), LITERAL.as_ref()) else { return Vec::new() };
    let mut all = Vec::new();
    for found in term.find_iter(line) {
        let before = &line[..found.start()];
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
            let comparison = comparison_of(before, &line[found.end()..]);
            let (is_negative, at) = (is_negated(before), found.start());
            all.push(CodeNumber { value, factors, is_negative, comparison, at });
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
    // What functions of the systems take.
    for (name, unit) in [("TimeInterval", "s"), ("usleep", "µs"), ("nanosleep", "ns")] {
        if line.contains(name) {
            units.extend(unit_named(unit));
        }
    }
    units
}

impl CodeNumber {
    /// Whether it is computed from several literals, as an amount in a smaller unit is.
    pub(crate) fn is_product(&self) -> bool {
        self.factors.len() > 1
    }
}

impl Quantity {
    /// Whether `number`, on a line that names `units`, is this amount. `wider` are the units named around the line; they
    /// count when the line names none.
    pub(crate) fn is_amount(&self, number: &CodeNumber, units: &[Unit], wider: &[Unit]) -> bool {
        let is_negative = self.text.starts_with('-');
        // "the last 6" is `[-6:]`; a limit has its sign.
        if is_negative && !number.is_negative || number.is_negative && self.bound.is_some() {
            return false;
        }
        let Some(own) = self.unit else {
            let is_it = |value: f64| {
                is_same(value, number.value) || number.factors.iter().any(|f| is_same(value, *f))
            };
            return is_it(self.value)
                || self.or.is_some_and(is_it)
                || self.neighbour(number.comparison).is_some_and(is_it);
        };
        let of_kind = |units: &[Unit]| -> Vec<f64> {
            let same = units.iter().filter(|unit| unit.kind == own.kind);
            same.flat_map(|unit| unit.scales.iter().copied()).collect()
        };
        let mut scales = of_kind(units);
        // A product of sizes is in bytes, whatever a comment beside it says.
        if own.kind == UnitKind::Size && number.is_product() && number.value % 1_024.0 == 0.0 {
            scales = vec![1.0];
        }
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

    /// Whether a line that names no unit can mean another amount: one of time.
    pub(crate) fn needs_unit(&self) -> bool {
        self.unit.is_some_and(|unit| unit.kind == UnitKind::Time)
    }

    /// Whether one of `units` measures what this does.
    pub(crate) fn has_unit_in(&self, units: &[Unit]) -> bool {
        self.unit.is_some_and(|own| units.iter().any(|unit| unit.kind == own.kind))
    }

    /// Returns the number that says the same in a comparison: "up to 299" is `< 300`.
    fn neighbour(&self, comparison: Option<Comparison>) -> Option<f64> {
        match (self.bound?, comparison?) {
            (Bound::AtMost, Comparison::Below) | (Bound::Above, Comparison::Below) => {
                Some(self.value + 1.0)
            }
            (Bound::AtLeast, Comparison::Above) | (Bound::Below, Comparison::Above) => {
                Some(self.value - 1.0)
            }
            _ => None,
        }
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
