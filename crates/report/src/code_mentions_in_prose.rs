//! Code-like mentions in prose: identifiers, file names and quantities that can be checked against code.

use std::sync::LazyLock;

use regex::Regex;

use crate::{
    evidence_ledger::EvidenceId,
    prose_normalization::{is_listed, is_word_char_or_dollar, literal_regex},
    quantity::{Quantity, quantities},
};
use retriever_graph::indexing::Language;

/// Part of a text that can be looked up in code.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mention {
    /// A name that is spelled like an identifier; compared case-sensitively.
    Identifier(String),
    /// A plain word in backticks; compared case-insensitively.
    Word(String),
    /// A file name or path.
    File(String),
    /// A number, with or without a unit.
    Quantity(Quantity),
    /// A unit without a number: "in milliseconds".
    Unit(String),
    /// Words joined by hyphens that code spells so: a header, an option, a key. Compared in any case.
    Hyphenated(String),
    /// Words in backticks that read as a command line; compared as a whole.
    Command(String),
    /// A word between quotation marks, as a literal of the code.
    Literal(String),
    /// A call in backticks with its receiver and arguments; compared as a whole, without spaces and quotes.
    Call(String),
}

impl Mention {
    /// Returns the name or word of code.
    pub(crate) fn name(&self) -> Option<&String> {
        match self {
            Self::Identifier(name) | Self::Word(name) => Some(name),
            _ => None,
        }
    }
}

/// Returns the checkable mentions of `text`.
///
/// Identifiers are words with an inner underscore or an inner capital, the parts of `a::b` and `a.b`, names before `(`, and
/// all words in backticks. A single word between quotation marks is a literal. Capitalised words and acronyms are prose.
/// Numbers up to ten that are spelled are counts of what a sentence lists; all others are quantities.
pub(crate) fn mentions(text: &str) -> Vec<Mention> {
    static IN_BACKTICKS: LazyLock<Option<Regex>> = LazyLock::new(|| literal_regex(r"`+([^`]+)`+"));
    static BARE_UNIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"\b(?:in|per|to|into|of|as) ((?:(?:nano|micro|milli)?second|minute|hour|day|week|(?:kilo|mega|giga)?byte)s?)\b",
        )
    });
    static HEADER_OR_OPTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"(?:^|[\s('])([A-Z][a-z]*(?:-[A-Z][A-Za-z]*)+|--[a-z][a-z-]+)\b")
    });
    static LITERAL: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r#"["“]([^"“”\s]{1,40})["”]"#));
    let mut all = Vec::new();
    let mut rest = text.to_owned();
    if let Some(in_backticks) = IN_BACKTICKS.as_ref() {
        for span in in_backticks.captures_iter(text).filter_map(|span| span.get(1)) {
            if is_command(span.as_str()) {
                all.push(Mention::Command(span.as_str().to_owned()));
                continue;
            }
            code_mentions(span.as_str(), &mut all);
            hyphenated_mentions(span.as_str(), &mut all);
            if is_qualified_call(span.as_str()) {
                all.push(Mention::Call(span.as_str().to_owned()));
            }
            all.extend(quantities(span.as_str()).into_iter().map(Mention::Quantity));
        }
        // A number and its unit stay together: "5 `ms`" is two mentions.
        rest = in_backticks.replace_all(text, " \u{1} ").into_owned();
    }
    prose_mentions(&rest, &mut all);
    if let Some(literal) = LITERAL.as_ref() {
        let found = literal.captures_iter(&rest).filter_map(|found| found.get(1));
        let found = found.map(|found| found.as_str().trim_end_matches(['.', ',', ';', ':']));
        // An ellipsis between quotation marks stands for any text.
        let found = found.filter(|literal| literal.contains(char::is_alphanumeric));
        all.extend(found.map(|literal| Mention::Literal(literal.to_owned())));
    }
    let methods =
        rest.split(|c: char| !is_word_char_or_dollar(c)).filter(|word| is_http_method(word));
    all.extend(methods.map(|method| Mention::Word(method.to_owned())));
    if let Some(form) = HEADER_OR_OPTION.as_ref() {
        let found = form.captures_iter(&rest).filter_map(|found| found.get(1));
        all.extend(found.map(|found| Mention::Hyphenated(found.as_str().to_owned())));
    }
    all.extend(quantities(&rest).into_iter().map(Mention::Quantity));
    if let Some(bare_unit) = BARE_UNIT.as_ref() {
        let units = bare_unit.captures_iter(&rest).filter_map(|found| found.get(1));
        all.extend(units.map(|unit| Mention::Unit(unit.as_str().to_owned())));
    }
    all
}

/// Whether a code span is a call with a receiver and arguments: `a.b(c)`, `A::b(c)`. A type and its method, `Type.method(c)`,
/// are no code.
fn is_qualified_call(span: &str) -> bool {
    let Some((callee, arguments)) = span.split_once('(') else { return false };
    let has_arguments = arguments.starts_with(|c: char| c != ')');
    let is_name = !callee.contains(char::is_whitespace);
    let is_method = callee.contains(['.', '>']) && !callee.starts_with(char::is_uppercase);
    has_arguments && is_name && (is_method || callee.contains("::"))
}

/// Whether a code span reads as a command line: a program in lower case and its arguments, among them an option, a
/// subcommand or a path, and none of the signs of an expression.
fn is_command(span: &str) -> bool {
    let mut words = span.split_whitespace();
    let Some(program) = words.next() else { return false };
    let arguments: Vec<&str> = words.collect();
    let is_program = program.starts_with(|c: char| c.is_ascii_lowercase())
        && program.chars().all(|c| c.is_ascii_alphanumeric() || "-._/".contains(c));
    // `def handle` and `class Handler` are code.
    const DECLARING: &str = "\
        def fn fun func function class struct enum interface trait impl type let var val const \
        return import from use new public private protected static yield raise throw \
        if else elif for foreach while match case switch select package module mod namespace with";
    let is_option = |word: &&str| {
        word.starts_with('-') && word[1..].starts_with(|c: char| c == '-' || c.is_alphabetic())
    };
    is_program
        && (!is_listed(DECLARING, program) || arguments.iter().any(|word| word.starts_with("--")))
        && !arguments.is_empty()
        && (arguments.iter().any(is_option)
            || span.contains(" && ")
            || span.contains(" | ")
            || arguments[0].chars().all(|c| c.is_alphanumeric() || "-_./:@*=".contains(c)))
        && !arguments.iter().any(|word| {
            [
                "==", "!=", "<", ">", "<=", ">=", "+", "=", "=>", "->", "?", "is", "in", "not",
                "and", "or", "as",
            ]
            .contains(word)
        })
}

fn code_mentions(code: &str, mentions: &mut Vec<Mention>) {
    for token in code.split(|c: char| c.is_whitespace() || "()[]{}<>,;=&|\"'!?*+".contains(c)) {
        let token = trim(token);
        if is_example_host(token) {
            continue;
        }
        if is_file_name(token) {
            mentions.push(Mention::File(token.to_owned()));
            continue;
        }
        for part in
            token.split(|c: char| !is_word_char_or_dollar(c)).filter(|part| may_be_name(part))
        {
            let plain = part.chars().all(char::is_alphabetic) && !is_identifier_spelling(part);
            mentions.push(if plain {
                Mention::Word(part.to_owned())
            } else {
                Mention::Identifier(part.to_owned())
            });
        }
    }
}

fn hyphenated_mentions(code: &str, mentions: &mut Vec<Mention>) {
    static HYPHENATED: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"(?:--)?[A-Za-z]+(?:-[A-Za-z]+)+"));
    let Some(hyphenated) = HYPHENATED.as_ref() else { return };
    let is_apart = |found: &regex::Match<'_>| {
        found.len() >= 5
            && !code[..found.start()].ends_with(|c: char| c.is_alphanumeric() || "_/.-".contains(c))
            && !code[found.end()..].starts_with(|c: char| c.is_alphanumeric() || "_/.-".contains(c))
    };
    let found = hyphenated.find_iter(code).filter(is_apart);
    mentions.extend(found.map(|found| Mention::Hyphenated(found.as_str().to_owned())));
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
        if is_example_host(token) {
            continue;
        }
        if is_file_name(token) {
            mentions.push(Mention::File(token.to_owned()));
            continue;
        }
        let qualified = token.contains("::")
            || (token.contains('.') && !token.split('.').any(|part| part.chars().count() < 2));
        for part in
            token.split(|c: char| !is_word_char_or_dollar(c)).filter(|part| may_be_name(part))
        {
            if called || is_identifier_spelling(part) || qualified {
                mentions.push(Mention::Identifier(part.to_owned()));
            }
        }
    }
}

/// Whether `token` is a host that RFC 2606 reserves for examples, which no code need have: `sub.example.com`.
fn is_example_host(token: &str) -> bool {
    const HOSTS: [&str; 3] = ["example.com", "example.net", "example.org"];
    let is_of = |host: &str| {
        token.strip_suffix(host).is_some_and(|head| head.is_empty() || head.ends_with('.'))
    };
    HOSTS.into_iter().any(is_of)
}

/// Whether a word in capitals names a method of HTTP, which code names in any case.
pub(crate) fn is_http_method(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_uppercase())
        && ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].contains(&word)
}

fn trim(token: &str) -> &str {
    let token = token.trim_matches(|c: char| ".,:;!?()[]\"'#*".contains(c));
    token.strip_suffix("'s").unwrap_or(token)
}

/// Whether `part` may be a name in code. Excludes numbers, single letters, keywords of module paths, and evidence IDs.
fn may_be_name(part: &str) -> bool {
    part.chars().count() > 1
        && part.chars().next().is_some_and(|c| !c.is_numeric())
        && !["crate", "self", "super", "this"].contains(&part)
        && part.parse::<EvidenceId>().is_err()
}

/// Whether `word` is spelled like an identifier rather than a word of prose.
pub(crate) fn is_identifier_spelling(word: &str) -> bool {
    /// Languages and protocols that prose spells with an inner capital. Names of products are looked up as names of code are.
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

/// Whether `token` is a path or file name with the extension of a language or of another text file.
pub(crate) fn is_file_name(token: &str) -> bool {
    const OTHER_TEXT: &str =
        "md json yaml yml toml ini cfg conf ps1 bat html css scss xml erl clj gradle";
    // Another letter behind a dot is a member: `i18n.t`.
    const OF_ONE_LETTER: &str = "c h";
    static FILE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^(?:[\w@./-]+:)?(?P<path>[\w@./-]*\w\.(?P<extension>[a-z][a-z0-9+]*))(?::\d+(?:-\d+)?)?$",
        )
    });
    let found = FILE.as_ref().and_then(|file| file.captures(token));
    found.is_some_and(|found| {
        let (path, extension) = (&found["path"], &found["extension"]);
        let is_of_language = || {
            (extension.len() > 1 || is_listed(OF_ONE_LETTER, extension))
                && (Language::of_path(path).is_some() || Language::left_out(path).is_some())
        };
        is_listed(OTHER_TEXT, extension) || is_of_language()
    })
}
