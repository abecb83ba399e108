//! Code-like mentions in prose: identifiers, file names and quantities that can be checked against code.

use std::sync::LazyLock;

use regex::Regex;

use crate::{ledger::EvidenceId, prose::literal_regex};

/// Part of a text that can be looked up in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mention {
    /// A name that is spelled like an identifier; compared case-sensitively.
    Identifier(String),
    /// A plain word in backticks; compared case-insensitively.
    Word(String),
    /// A file name or path.
    File(String),
    /// The digits of a number with a unit.
    Quantity(u64),
}

/// Returns the checkable mentions of `text`.
///
/// Identifiers are words with an inner underscore or an inner capital, the parts of `a::b` and `a.b`, names before `(`, and
/// all words in backticks. Capitalised words and acronyms are prose. A number is a quantity only with a unit of time or
/// size or after "port": other numbers in prose are counts, line numbers, versions, or status codes that code spells by
/// name.
pub(crate) fn mentions(text: &str) -> Vec<Mention> {
    static IN_BACKTICKS: LazyLock<Option<Regex>> = LazyLock::new(|| literal_regex(r"`+([^`]+)`+"));
    let mut all = Vec::new();
    let mut rest = text.to_owned();
    if let Some(in_backticks) = IN_BACKTICKS.as_ref() {
        for span in in_backticks.captures_iter(text).filter_map(|span| span.get(1)) {
            code_mentions(span.as_str(), &mut all);
        }
        rest = in_backticks.replace_all(text, " ").into_owned();
    }
    prose_mentions(&rest, &mut all);
    quantity_mentions(&rest, &mut all);
    all
}

fn code_mentions(code: &str, mentions: &mut Vec<Mention>) {
    for token in code.split(|c: char| c.is_whitespace() || "()[]{}<>,;=&|\"'!?*+".contains(c)) {
        let token = trim(token);
        if is_file_name(token) {
            mentions.push(Mention::File(token.to_owned()));
            continue;
        }
        for part in token.split(|c: char| !is_identifier_char(c)).filter(|part| may_be_name(part)) {
            let plain = part.chars().all(char::is_alphabetic) && !is_identifier_spelling(part);
            mentions.push(if plain {
                Mention::Word(part.to_owned())
            } else {
                Mention::Identifier(part.to_owned())
            });
        }
    }
}

fn prose_mentions(text: &str, mentions: &mut Vec<Mention>) {
    for token in text.split(|c: char| c.is_whitespace() || ",;\"'’[]{}<>=|“”→".contains(c))
    {
        let (token, called) = match token.split_once('(') {
            // "function(s)" is English; "save(order)" is a call.
            Some((name, rest)) if !name.is_empty() => (name, !rest.starts_with("s)")),
            _ => (token, false),
        };
        let token = trim(token);
        if is_file_name(token) {
            mentions.push(Mention::File(token.to_owned()));
            continue;
        }
        let qualified = token.contains("::")
            || (token.contains('.') && !token.split('.').any(|part| part.chars().count() < 2));
        for part in token.split(|c: char| !is_identifier_char(c)).filter(|part| may_be_name(part)) {
            if called || is_identifier_spelling(part) || qualified {
                mentions.push(Mention::Identifier(part.to_owned()));
            }
        }
    }
}

fn quantity_mentions(text: &str, mentions: &mut Vec<Mention>) {
    static UNIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?i)\bport\s+(\d{2,5})\b|\b(\d[\d_,]*\d)[\s-]?(?:ms|s|sec|secs|seconds?|milliseconds?|minutes?|mins?|hours?|days?|weeks?|bytes?|[kmg]i?b|kilobytes?|megabytes?|px|pixels?)\b",
        )
    });
    let Some(unit) = UNIT.as_ref() else { return };
    for span in unit.captures_iter(text) {
        if let Some(digits) = span.get(1).or_else(|| span.get(2)) {
            let digits: String = digits.as_str().chars().filter(char::is_ascii_digit).collect();
            mentions.extend(digits.parse().ok().map(Mention::Quantity));
        }
    }
}

fn trim(token: &str) -> &str {
    let token = token.trim_matches(|c: char| ".,:;!?()[]\"'#*".contains(c));
    token.strip_suffix("'s").unwrap_or(token)
}

fn is_identifier_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Whether `part` may be a name in code. Excludes numbers, single letters, keywords of module paths, and evidence IDs.
fn may_be_name(part: &str) -> bool {
    part.chars().count() > 1
        && part.chars().next().is_some_and(|c| !c.is_numeric())
        && !["crate", "self", "super", "this"].contains(&part)
        && part.parse::<EvidenceId>().is_err()
}

/// Whether `word` is spelled like an identifier rather than a word of prose.
fn is_identifier_spelling(word: &str) -> bool {
    /// Names of languages and protocols that have an inner capital in prose.
    const PROSE: [&str; 5] = ["JavaScript", "TypeScript", "GraphQL", "WebSocket", "OAuth"];
    if PROSE.contains(&word) {
        return false;
    }
    if word.trim_matches('_').contains('_') || word.contains('$') {
        return true;
    }
    let chars: Vec<char> = word.chars().collect();
    let Some(capital) =
        chars.windows(2).position(|pair| pair[0].is_lowercase() && pair[1].is_uppercase())
    else {
        return false;
    };
    // "iOS", "gRPC", "macOS" and plural acronyms ("APIs") have an inner capital too. An identifier continues in lower case
    // or has a whole word before the capital.
    let tail = &chars[capital + 1..];
    tail.iter().any(|c| c.is_lowercase()) || (capital >= 2 && tail != ['O', 'S'])
}

/// Whether `token` is a path or file name with a known extension.
fn is_file_name(token: &str) -> bool {
    static FILE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^[\w@./-]*\w\.(?:rs|go|py|pyi|ts|tsx|mts|cts|js|jsx|mjs|cjs|java|kt|kts|swift|c|h|cc|cpp|cxx|hpp|hh|cs|rb|php|scala|sc|vue|svelte|sql|proto|graphql|md|json|ya?ml|toml|ini|cfg|conf|sh|bash|html|css|scss|xml|lua|ex|exs|erl|hs|ml|clj|dart|zig|gradle|tf)(?::\d+(?:-\d+)?)?$",
        )
    });
    FILE.as_ref().is_some_and(|file| file.is_match(token))
}

/// Returns every number in `code`, with products and shifts of literals evaluated.
pub(crate) fn numbers_in(code: &str) -> Vec<u64> {
    static TERM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"\b(?:0[xX][0-9a-fA-F_]+|\d[\d_]*)(?:\s*(?:\*|<<)\s*(?:0[xX][0-9a-fA-F_]+|\d[\d_]*))*",
        )
    });
    let Some(term) = TERM.as_ref() else { return Vec::new() };
    let mut all = Vec::new();
    for span in term.find_iter(code) {
        let mut value: Option<u64> = None;
        for (at, factor) in span.as_str().split('*').enumerate() {
            let mut shifted = factor.split("<<").map(parse_literal);
            let first = shifted.next().flatten();
            all.extend(first);
            let shifted =
                shifted.fold(first, |base, by| base?.checked_shl(u32::try_from(by?).ok()?));
            value = if at == 0 {
                shifted
            } else {
                value.zip(shifted).and_then(|(a, b)| a.checked_mul(b))
            };
        }
        all.extend(value);
    }
    all
}

fn parse_literal(text: &str) -> Option<u64> {
    let digits: String = text.trim().chars().filter(|c| *c != '_').collect();
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}
