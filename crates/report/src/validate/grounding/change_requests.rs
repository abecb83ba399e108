//! Whether a question asks how to change code.

use std::sync::LazyLock;

use regex::Regex;

use crate::prose_normalization::literal_regex;
use retriever_search::{Intent, Question};

/// Whether a question asks how to change code, by its intent or by its words.
pub(super) fn asks_for_change(question: &Question) -> bool {
    static CHANGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let verb = r"(?:add|adapt|change|edit|extend|implement|insert|introduce|modify|move|put|register|remove|rename|replace|ship|support|touch|update)";
        literal_regex(&format!(
            r"(?i)^\s*{verb}\b|\b(?:i|we)\s+(?:want|need|would\s+like)\s+(?:to\s+{verb}\b|(?:an?|another)\s+new\b)|\b(?:can|could|do|should|would|must)\s+(?:i|we|one)\s+(?:\w+\s+)?{verb}\b|\b(?:have|has|need|needs)\s+to\s+{verb}\b|\b(?:must|should|to)\s+be\s+(?:{verb}e?d|put)\b|\bmust\s+(?:also\s+)?change\b"
        ))
    });
    question.intent == Intent::Edit
        || CHANGE.as_ref().is_some_and(|form| form.is_match(&question.text))
}
