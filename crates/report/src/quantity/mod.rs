//! Quantities: a number with or without a unit, in prose and in code. Two quantities are compared as amounts, and only
//! units of one kind are converted into each other.

mod numbers_in_code;
mod numbers_in_prose;

use self::numbers_in_code::NumericComparison;
pub(crate) use self::{
    numbers_in_code::{NumberInCode, code_numbers, code_units},
    numbers_in_prose::{listed_behind, quantities, small_numbers, spelled_value},
};

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
pub(crate) struct QuantityUnit {
    kind: UnitKind,
    scales: &'static [f64],
}

impl QuantityUnit {
    /// Whether both measure the same.
    pub(crate) fn is_of_kind(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// A number of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quantity {
    /// The number.
    pub(crate) value: f64,
    /// Its unit.
    pub(crate) unit: Option<QuantityUnit>,
    /// Another number that says the same: "more than one" is two or more, the third element has the index 2.
    pub(crate) or: Option<f64>,
    /// Which side of a limit it names.
    pub(crate) bound: Option<QuantityBound>,
    /// As it is written.
    pub(crate) text: String,
}

/// How a text limits an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuantityBound {
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
pub(crate) fn unit_named(word: &str) -> Option<QuantityUnit> {
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
    Some(QuantityUnit { kind, scales })
}

fn parse_number(text: &str) -> Option<f64> {
    let digits: String = text.chars().filter(|c| !matches!(c, '_' | ',')).collect();
    let lower = digits.to_lowercase();
    let bases = [("0x", 16), ("0o", 8), ("0b", 2)];
    let based = bases.iter().find_map(|(sign, base)| Some((lower.strip_prefix(sign)?, *base)));
    match based {
        Some((digits, base)) => u64::from_str_radix(digits, base).ok().map(|value| value as f64),
        None => digits.parse().ok(),
    }
}

impl Quantity {
    /// Whether it is [`is_zero_or_one`], without a unit.
    pub(crate) fn is_zero_or_one(&self) -> bool {
        self.unit.is_none() && is_zero_or_one(self.value)
    }

    /// Whether `number`, on a line that names `units`, is this amount. `wider` are the units named around the line; they
    /// count when the line names none.
    pub(crate) fn is_amount(
        &self,
        number: &NumberInCode,
        units: &[QuantityUnit],
        wider: &[QuantityUnit],
    ) -> bool {
        let is_negative = self.text.starts_with('-');
        // "the last 6" is `[-6:]`; a limit has its sign.
        if is_negative && !number.is_negative || number.is_negative && self.bound.is_some() {
            return false;
        }
        let Some(own) = self.unit else {
            let is_it = |value: f64| {
                let literals = number.factors.iter().chain(&number.octal_digits);
                is_same(value, number.value) || literals.copied().any(|own| is_same(value, own))
            };
            return is_it(self.value)
                || self.or.is_some_and(is_it)
                || self.neighbour(number.comparison).is_some_and(is_it);
        };
        let of_kind = |units: &[QuantityUnit]| -> Vec<f64> {
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

    /// Returns the number that says the same in a comparison: "up to 299" is `< 300`.
    fn neighbour(&self, comparison: Option<NumericComparison>) -> Option<f64> {
        match (self.bound?, comparison?) {
            (QuantityBound::AtMost, NumericComparison::Below)
            | (QuantityBound::Above, NumericComparison::Below) => Some(self.value + 1.0),
            (QuantityBound::AtLeast, NumericComparison::Above)
            | (QuantityBound::Below, NumericComparison::Above) => Some(self.value - 1.0),
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

/// Whether a number is one of the two that most code has everywhere.
pub(crate) fn is_zero_or_one(value: f64) -> bool {
    is_same(value, 0.0) || is_same(value, 1.0)
}

fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}
