//! Whether a quantity of prose is one of code: the same amount, or the bound that a comparison gives.

use super::{
    NumberInCode, NumericComparison,
    quantity_with_unit::{Quantity, QuantityBound, QuantityKind, QuantityUnit, is_same},
};

/// Names that RFC 2616 and RFC 9110 give to statuses beside those of the `http` crate.
const OTHER_STATUS_NAMES: [(u16, &str); 5] = [
    (413, "Request Entity Too Large"),
    (413, "Content Too Large"),
    (414, "Request-URI Too Long"),
    (416, "Requested Range Not Satisfiable"),
    (422, "Unprocessable Content"),
];

impl Quantity {
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
        if is_negative && !number.is_negative
            || number.is_negative && self.bound.is_some_and(|bound| bound != QuantityBound::Every)
        {
            return false;
        }
        let Some(own) = self.unit else {
            let is_it = |value: f64| {
                let literals = number.factors.iter().chain(&number.octal_digits);
                is_same(value, number.value) || literals.copied().any(|own| is_same(value, own))
            };
            if self.bound == Some(QuantityBound::Every)
                && number.comparison == Some(NumericComparison::Mask)
            {
                return is_same(self.value, number.value + 1.0);
            }
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
        if own.kind == QuantityKind::Size && number.is_product() && number.value % 1_024.0 == 0.0 {
            scales = vec![1.0];
        }
        if scales.is_empty() {
            scales = of_kind(wider);
            if scales.is_empty() {
                scales.push(1.0);
                if own.kind == QuantityKind::Time {
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
        let code = self.value as u16;
        let current = http::StatusCode::from_u16(code).ok();
        let current = current.and_then(|code| code.canonical_reason()).into_iter();
        let other = OTHER_STATUS_NAMES.iter().filter(|(of, _)| *of == code).map(|(_, name)| *name);
        current.chain(other).any(|name| {
            let name: String =
                name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
            lower.contains(&name)
        })
    }
}
