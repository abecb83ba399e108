//! Checks numbers that a text computes: "95 (100 − 5)". If the text gives a sum or a difference with its parts, the
//! result need not be in the lines. A wrong result is refused.

use std::sync::LazyLock;

use regex::Regex;

use crate::{
    prose_normalization::literal_regex,
    quantity::{Quantity, is_same, quantities},
    validation_reason_parts::ReasonDetail,
};

/// A sum or a difference of two numbers.
pub(super) struct Computation {
    pub(super) parts: [Quantity; 2],
    result: f64,
    text: String,
    /// What the text says that it gives.
    stated: Option<Quantity>,
}

impl Computation {
    /// Whether it gives `quantity`, and is not made of it.
    pub(super) fn gives(&self, quantity: &Quantity) -> bool {
        is_same(self.result, quantity.value)
            && self.parts.iter().all(|part| !is_same(part.value, quantity.value))
    }
}

/// Returns the sums and differences of `text`. "10-20" is a range, so that a hyphen stands between spaces.
pub(super) fn computations(text: &str) -> Vec<Computation> {
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let number = r"\d[\d,_]*(?:\.\d+)?";
        literal_regex(&format!(
            r"(?:(?P<before>{number})\s*=\s*)?(?P<whole>(?P<a>{number})(?P<sign>\s*[+−]\s*|\s[-–]\s|\s(?:plus|minus)\s)(?P<b>{number}))(?:\s*(?:=|is|gives|makes|leaves)\s*(?P<after>{number}))?"
        ))
    });
    let found = FORM.as_ref().into_iter().flat_map(|form| form.captures_iter(text));
    let computed = found.filter_map(|found| {
        let number = |name| quantities(found.name(name)?.as_str()).into_iter().next();
        let (a, b) = (number("a")?, number("b")?);
        let is_sum = ["+", "plus"].contains(&found.name("sign")?.as_str().trim());
        let result = if is_sum { a.value + b.value } else { a.value - b.value };
        let stated = number("before").or_else(|| number("after"));
        let text = found.name("whole")?.as_str().to_owned();
        Some(Computation { parts: [a, b], result, text, stated })
    });
    computed.collect()
}

/// Finds a computation whose result is not what the text says.
pub(super) fn wrong_result(text: &str) -> Option<ReasonDetail> {
    computations(text).into_iter().find_map(|computation| {
        let stated = computation.stated.as_ref()?;
        (!is_same(computation.result, stated.value))
            .then(|| ReasonDetail::said(format!("{} is not {}", computation.text, stated.text)))
    })
}
