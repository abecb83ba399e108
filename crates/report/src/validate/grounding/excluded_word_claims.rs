//! Words of which code has one or the other: "raises a `LookupError`" contradicts lines that raise other types only, "logs at
//! warning level" lines that log at others, "from the tail" lines that have the head only.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;
use retriever_search::words_in;

use super::{
    code_names::{NAME, own_name},
    evidence::RunEvidence,
};
use crate::{
    prose_normalization::{has_word, is_listed, literal_regex},
    validate::citation::Citation,
};

/// Returns what `text` says where the cited lines have what excludes it.
pub(super) fn excluded_word(
    text: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<String> {
    let code = evidence.code_of(refs);
    other_exception(text, &code)
        .or_else(|| other_level(text, &code))
        .or_else(|| opposite_word(text, &code, refs, evidence))
}

/// Finds "throws an `a`" where the cited lines throw other types, and do not name this one.
fn other_exception(text: &str, code: &str) -> Option<String> {
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
        Some(format!("the cited lines throw \"{}\", not \"{name}\"", other.as_str()))
    })
}

/// Finds "logs at debug level" where the cited lines log at other levels only.
fn other_level(text: &str, code: &str) -> Option<String> {
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
    (!is_named).then(|| format!("the cited lines log as \"{level}\", not as \"{said}\""))
}

/// Words of which one is the opposite of the other. What has been encoded, loaded or acquired stands beside the opposite, too, so
/// that such pairs are not among them.
const OPPOSITES: [(&str, &str); 8] = [
    ("head", "tail"),
    ("push", "pop"),
    ("append", "prepend"),
    ("upper", "lower"),
    ("prefix", "suffix"),
    ("ascending", "descending"),
    ("increment", "decrement"),
    ("inclusive", "exclusive"),
];

/// What may follow such a word: "appends", "uppercase".
const ENDINGS: &str = "s es ed ing case cased cases";

/// Finds a plain word of `text` where the cited lines have its opposite, and not the word itself.
fn opposite_word(
    text: &str,
    code: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<String> {
    // Names of code are looked up elsewhere.
    let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let plain = words_in(&plain);
    let is_form = |word: &str, of: &str| {
        word.strip_prefix(of).is_some_and(|rest| rest.is_empty() || is_listed(ENDINGS, rest))
    };
    let has = |words: &BTreeSet<String>, of: &str| words.iter().any(|word| is_form(word, of));
    let mut pairs = OPPOSITES.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]);
    let (said, other) = pairs.find(|(said, other)| has(&plain, said) && !has(&plain, other))?;
    let mut cited = String::new();
    for citation in refs {
        cited.push_str(&citation.text(&evidence.context));
        cited.push_str(citation.path.as_str());
        for declaration in evidence.overlapping(citation) {
            cited.push(' ');
            cited.push_str(&declaration.name);
        }
    }
    let is_opposite = has(&words_in(code), other) && !has(&words_in(&cited), said);
    let word = plain.iter().find(|word| is_form(word, said))?;
    is_opposite.then(|| format!("the cited lines have the opposite of \"{word}\""))
}
