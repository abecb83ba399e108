//! Formats numbers, times and words of the schemas.

use maud::{Markup, html};
use serde_json::Value;

/// Returns the string that JSON has for a value.
pub(super) fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => spaced(&word),
        _ => String::new(),
    }
}

/// Returns a word of a schema as prose.
pub(super) fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

/// Returns a number with its thousands separated.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// Returns a time in milliseconds below a second, else in seconds.
pub(super) fn seconds(millis: u64) -> String {
    if millis < 1_000 {
        format!("{millis} ms")
    } else {
        format!("{:.1} s", millis as f64 / 1_000.0)
    }
}

/// Returns a bar with the length `share` of the longest bar, and its figure.
pub(super) fn bar(share: f64, figure: &str) -> Markup {
    let percent = format!("width:{:.1}%", share.clamp(0.0, 1.0) * 100.0);
    html! { span.track { span.bar style=(percent) {} } span.figure { (figure) } }
}
