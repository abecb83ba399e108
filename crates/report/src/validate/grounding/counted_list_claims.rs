//! Checks the number before a list: "two events: open, close and error" contradicts itself.

use std::sync::LazyLock;

use regex::Regex;

use crate::{
    prose_normalization::literal_regex,
    quantity::{listed_behind, spelled_value},
    validation_reason_parts::ReasonDetail,
};

/// Returns a number that is not that of the things listed behind it.
pub(super) fn miscounted_list(text: &str) -> Option<ReasonDetail> {
    static NUMBER: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"(?i)(?:^|[\s(])(?P<number>\d{1,2}|[a-z]{3,5})\b"));
    NUMBER.as_ref()?.captures_iter(text).find_map(|found| {
        let number = found.name("number")?;
        let said = number.as_str().to_lowercase();
        let said = said.parse().ok().or_else(|| spelled_value(&said))?;
        let listed = listed_behind(&text[number.end()..])?;
        (said != listed as f64)
            .then(|| ReasonDetail::said(format!("{} counts {listed} things", number.as_str())))
    })
}
