//! Checks what is thrown and at which level is logged: "raises a `LookupError`" contradicts lines that raise only other
//! types, "logs at warning level" contradicts lines that log at other levels.

use std::sync::LazyLock;

use regex::Regex;
use retriever_search::words_in;

use super::{
    code_names::{NAME, own_name},
    evidence::RunEvidence,
};
use crate::{
    prose_normalization::{has_word, literal_regex},
    validate::citation::Citation,
    validation_reason_parts::ReasonDetail,
};

/// Returns what `text` says to be thrown or logged where the cited lines do it otherwise.
pub(super) fn thrown_or_logged(
    text: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<ReasonDetail> {
    let code = evidence.code_of(refs);
    other_exception(text, &code).or_else(|| other_level(text, &code))
}

/// Finds "throws an `a`" where the cited lines throw other types, and do not name this one.
fn other_exception(text: &str, code: &str) -> Option<ReasonDetail> {
    static THROWS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"\b(?:throws?|raises?|throwing|raising)\s+(?:an?\s+|the\s+|its\s+)?{NAME}"
        ))
    });
    static THROWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"\b(?:throw|raise)\s+(?:new\s+)?\\?(?:[A-Za-z_]\w*(?:\.|::|\\))*([A-Z]\w+)\s*(?:\(|$)",
        )
    });
    let mut said = THROWS.as_ref()?.captures_iter(text).filter_map(|found| found.get(1));
    said.find_map(|name| {
        let name = own_name(name.as_str());
        let is_type = name.starts_with(char::is_uppercase) && !has_word(code, name);
        let thrown = THROWN.as_ref().filter(|_| is_type)?;
        let other = code.lines().find_map(|line| thrown.captures(line)?.get(1))?;
        let detail = ReasonDetail::said("the cited lines throw ").quote(other.as_str());
        Some(detail.say(", not ").quote(name))
    })
}

/// Finds "logs at debug level" where the cited lines log at other levels only.
fn other_level(text: &str, code: &str) -> Option<ReasonDetail> {
    static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"\b(debug|info|warn|error|fatal)(?:ing)?[- ]level\b|\bas (DEBUG|INFO|WARN|ERROR|FATAL)(?:ING)?\b|`(?:\w+\.)+(debug|info|warn|error|fatal)(?:ing)?(?:\([^`]*\))?`",
        )
    });
    static LOGGED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"(?i)(?:\.|->|::|log_?)(debug|info|warn|error|fatal)(?:ing)?\b")
    });
    let found = SAID.as_ref()?.captures(text)?;
    let said = found.iter().skip(1).flatten().next()?.as_str().to_lowercase();
    let level = LOGGED.as_ref()?.captures_iter(code).find_map(|found| found.get(1))?.as_str();
    let is_named = words_in(code).iter().any(|word| word.starts_with(&said));
    (!is_named).then(|| {
        let detail = ReasonDetail::said("the cited lines log as ").quote(level);
        detail.say(", not as ").quote(&said)
    })
}
