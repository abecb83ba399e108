//! Numbers with their units.

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuantityKind {
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
    pub(super) kind: QuantityKind,
    pub(super) scales: &'static [f64],
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
    /// Another number that says the same: "more than one" is two or more, the third element has the index 2, "99%" is 0.99.
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
    /// "every 256"
    Every,
}

/// Returns the unit that a word of prose or a part of an identifier names.
pub(crate) fn unit_named(word: &str) -> Option<QuantityUnit> {
    let (kind, scales): (QuantityKind, &'static [f64]) = match word {
        "ns" | "nsec" | "nsecs" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => {
            (QuantityKind::Time, &[1e-9])
        }
        "us" | "µs" | "usec" | "usecs" | "micro" | "micros" | "microsecond" | "microseconds" => {
            (QuantityKind::Time, &[1e-6])
        }
        "ms" | "msec" | "msecs" | "milli" | "millis" | "millisecond" | "milliseconds" => {
            (QuantityKind::Time, &[1e-3])
        }
        "s" | "sec" | "secs" | "second" | "seconds" => (QuantityKind::Time, &[1.0]),
        "min" | "mins" | "minute" | "minutes" => (QuantityKind::Time, &[60.0]),
        "h" | "hour" | "hours" | "hrs" => (QuantityKind::Time, &[3_600.0]),
        "day" | "days" => (QuantityKind::Time, &[86_400.0]),
        "week" | "weeks" => (QuantityKind::Time, &[604_800.0]),
        "byte" | "bytes" => (QuantityKind::Size, &[1.0]),
        "kib" => (QuantityKind::Size, &[1_024.0]),
        "mib" => (QuantityKind::Size, &[1_048_576.0]),
        "gib" => (QuantityKind::Size, &[1_073_741_824.0]),
        "kb" | "kilobyte" | "kilobytes" => (QuantityKind::Size, &[1_000.0, 1_024.0]),
        "mb" | "megabyte" | "megabytes" => (QuantityKind::Size, &[1e6, 1_048_576.0]),
        "gb" | "gigabyte" | "gigabytes" => (QuantityKind::Size, &[1e9, 1_073_741_824.0]),
        "px" | "pixel" | "pixels" => (QuantityKind::Pixels, &[1.0]),
        _ => return None,
    };
    Some(QuantityUnit { kind, scales })
}

pub(super) fn parse_number(text: &str) -> Option<f64> {
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
}

/// Whether a number is one of the two that most code has everywhere.
pub(crate) fn is_zero_or_one(value: f64) -> bool {
    is_same(value, 0.0) || is_same(value, 1.0)
}

/// Whether two numbers are equal but for the rounding of a computation. Whole numbers of ten digits that differ by one are not.
pub(crate) fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-11 * a.abs().max(b.abs())
}
