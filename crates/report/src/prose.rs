//! What a model writes between its references: cleaning, cutting at sentences and words, and finding the code-like
//! identifiers, file names and quantities that can be checked against code.

use std::sync::LazyLock;

use regex::Regex;

use crate::ledger::EvidenceId;

/// A pattern that is a literal of this file; one that doesn't compile matches nothing, and its tests fail.
pub(super) fn pattern(literal: &str) -> Option<Regex> {
    Regex::new(literal).ok()
}

/// Returns `text` as one line: control characters and line breaks become spaces, characters that don't show or that
/// change the reading direction go, runs of space collapse.
pub(super) fn clean(text: &str) -> String {
    let shown: String = text
        .chars()
        .filter(|c| {
            !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}')
        })
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns at most `limit` characters of `text`: up to the last sentence that fits when that keeps half of them, else
/// up to the last word, marked with `…`.
pub(super) fn clip(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let end = text.char_indices().nth(limit.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    let sentence = sentences(head).iter().rev().skip(1).map(|s| s.len()).sum::<usize>();
    if sentence * 2 >= head.len() {
        return head[..sentence].trim_end().to_owned();
    }
    let word = head.rfind(' ').filter(|at| at * 2 >= head.len()).unwrap_or(head.len());
    format!("{}…", head[..word].trim_end())
}

/// Splits `text` into sentences, each with the space behind it, so that their concatenation is `text`. A full stop inside
/// a name, a number or an abbreviation such as "e.g." ends nothing.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for (at, c) in text.char_indices() {
        let ends = matches!(c, '.' | '!' | '?') && bytes.get(at + 1) == Some(&b' ');
        if ends && !abbreviates(&text[start..=at]) {
            found.push(&text[start..at + 2]);
            start = at + 2;
        }
    }
    if start < text.len() {
        found.push(&text[start..]);
    }
    found
}

fn abbreviates(sentence: &str) -> bool {
    let last = sentence.rsplit([' ', '(']).next().unwrap_or_default();
    ["e.g.", "i.e.", "etc.", "vs.", "cf."].contains(&last.to_lowercase().as_str())
}

/// Something in a text that can be looked up in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mention {
    /// A name with the form of an identifier; it has to occur in its own case.
    Identifier(String),
    /// A word in backticks; any case will do.
    Word(String),
    /// A file name or path.
    File(String),
    /// A number with a unit, digits only.
    Quantity(u64),
}

/// The checkable mentions of `text`.
///
/// Identifiers are words with an inner underscore or hump, the parts of `a::b` and `a.b`, names before `(`, and all words
/// in backticks. Plain capitalised words and acronyms are prose. A number is a quantity only next to a unit of time
/// or size or behind "port": other numbers in prose are counts, line numbers, versions or status codes that code
/// spells by name.
pub(super) fn mentions(text: &str) -> Vec<Mention> {
    static TICKED: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"`+([^`]+)`+"));
    let mut found = Vec::new();
    let mut rest = text.to_owned();
    if let Some(ticked) = TICKED.as_ref() {
        for span in ticked.captures_iter(text).filter_map(|span| span.get(1)) {
            in_code(span.as_str(), &mut found);
        }
        rest = ticked.replace_all(text, " ").into_owned();
    }
    in_prose(&rest, &mut found);
    quantities(&rest, &mut found);
    found
}

fn in_code(code: &str, found: &mut Vec<Mention>) {
    for token in code.split(|c: char| c.is_whitespace() || "()[]{}<>,;=&|\"'!?*+".contains(c)) {
        let token = trim(token);
        if is_file(token) {
            found.push(Mention::File(token.to_owned()));
            continue;
        }
        for part in token.split(|c: char| !is_word(c)).filter(|part| is_name(part)) {
            let plain = part.chars().all(char::is_alphabetic) && !has_form(part);
            found.push(if plain {
                Mention::Word(part.to_owned())
            } else {
                Mention::Identifier(part.to_owned())
            });
        }
    }
}

fn in_prose(text: &str, found: &mut Vec<Mention>) {
    for token in text.split(|c: char| c.is_whitespace() || ",;\"'’[]{}<>=|“”→".contains(c))
    {
        let (token, called) = match token.split_once('(') {
            // "function(s)" is English; "save(order)" is a call.
            Some((name, rest)) if !name.is_empty() => (name, !rest.starts_with("s)")),
            _ => (token, false),
        };
        let token = trim(token);
        if is_file(token) {
            found.push(Mention::File(token.to_owned()));
            continue;
        }
        let qualified = token.contains("::")
            || (token.contains('.') && !token.split('.').any(|part| part.chars().count() < 2));
        for part in token.split(|c: char| !is_word(c)).filter(|part| is_name(part)) {
            if called || has_form(part) || qualified {
                found.push(Mention::Identifier(part.to_owned()));
            }
        }
    }
}

fn quantities(text: &str, found: &mut Vec<Mention>) {
    static UNIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?i)\bport\s+(\d{2,5})\b|\b(\d[\d_,]*\d)[\s-]?(?:ms|s|sec|secs|seconds?|milliseconds?|minutes?|mins?|hours?|days?|weeks?|bytes?|[kmg]i?b|kilobytes?|megabytes?|px|pixels?)\b",
        )
    });
    let Some(unit) = UNIT.as_ref() else { return };
    for span in unit.captures_iter(text) {
        if let Some(digits) = span.get(1).or_else(|| span.get(2)) {
            let digits: String = digits.as_str().chars().filter(char::is_ascii_digit).collect();
            found.extend(digits.parse().ok().map(Mention::Quantity));
        }
    }
}

fn trim(token: &str) -> &str {
    let token = token.trim_matches(|c: char| ".,:;!?()[]\"'#*".contains(c));
    token.strip_suffix("'s").unwrap_or(token)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Whether `part` could be a name of the code at all: it starts like one, isn't a single letter, a word for "here" in a
/// module path, or an ID of the run.
fn is_name(part: &str) -> bool {
    part.chars().count() > 1
        && part.chars().next().is_some_and(|c| !c.is_numeric())
        && !["crate", "self", "super", "this"].contains(&part)
        && part.parse::<EvidenceId>().is_err()
}

/// Whether `word` has the form of an identifier and not of a word of prose.
fn has_form(word: &str) -> bool {
    /// Names of languages and protocols that are written with a hump in prose too.
    const PROSE: [&str; 5] = ["JavaScript", "TypeScript", "GraphQL", "WebSocket", "OAuth"];
    if PROSE.contains(&word) {
        return false;
    }
    if word.trim_matches('_').contains('_') || word.contains('$') {
        return true;
    }
    let chars: Vec<char> = word.chars().collect();
    let Some(hump) =
        chars.windows(2).position(|pair| pair[0].is_lowercase() && pair[1].is_uppercase())
    else {
        return false;
    };
    // "iOS", "gRPC", "macOS" and plural acronyms ("APIs") have a hump too; an identifier goes on in lower case or had a
    // whole word before it.
    let tail = &chars[hump + 1..];
    tail.iter().any(|c| c.is_lowercase()) || (hump >= 2 && tail != ['O', 'S'])
}

/// Whether `token` looks like a path or file name: a slash between names, or a short known ending.
fn is_file(token: &str) -> bool {
    static FILE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"^[\w@./-]*\w\.(?:rs|go|py|pyi|ts|tsx|mts|cts|js|jsx|mjs|cjs|java|kt|kts|swift|c|h|cc|cpp|cxx|hpp|hh|cs|rb|php|scala|sc|vue|svelte|sql|proto|graphql|md|json|ya?ml|toml|ini|cfg|conf|sh|bash|html|css|scss|xml|lua|ex|exs|erl|hs|ml|clj|dart|zig|gradle|tf)(?::\d+(?:-\d+)?)?$",
        )
    });
    FILE.as_ref().is_some_and(|file| file.is_match(token))
}

/// Every number that `code` writes, products and shifts of literals worked out.
pub(super) fn numbers(code: &str) -> Vec<u64> {
    static TERM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"\b(?:0[xX][0-9a-fA-F_]+|\d[\d_]*)(?:\s*(?:\*|<<)\s*(?:0[xX][0-9a-fA-F_]+|\d[\d_]*))*",
        )
    });
    let Some(term) = TERM.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    for span in term.find_iter(code) {
        let mut value: Option<u64> = None;
        for (at, factor) in span.as_str().split('*').enumerate() {
            let mut shifted = factor.split("<<").map(literal);
            let first = shifted.next().flatten();
            found.extend(first);
            let shifted =
                shifted.fold(first, |base, by| base?.checked_shl(u32::try_from(by?).ok()?));
            value = if at == 0 {
                shifted
            } else {
                value.zip(shifted).and_then(|(a, b)| a.checked_mul(b))
            };
        }
        found.extend(value);
    }
    found
}

fn literal(text: &str) -> Option<u64> {
    let digits: String = text.trim().chars().filter(|c| *c != '_').collect();
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}
