//! Finds the function or type that a clause is about: the name that it begins with, those before a verb, or one after a
//! final "in". [`super::clause_subject`] checks it against the lines.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{
    code_names::{NAME, has_body, own_name},
    evidence::RunEvidence,
};
use crate::{
    code_mentions_in_prose::is_identifier_spelling,
    prose_normalization::{is_listed, is_word_char, literal_regex},
};

/// Returns the name that a clause starts with, directly or behind a lead-in. A plain word counts only in backticks, as a part
/// of a qualified name, or if a declaration has it and it does something: "Limits accepts", not "Limits accept".
pub(super) fn first_subject<'s>(step: &'s str, evidence: &RunEvidence<'_>) -> Option<&'s str> {
    static START: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"^\s*(?:(?:Only|Both|Then|then)\s+|(?:If|When|For|Before|After|Once|While|Without|With|As|On|At|Unless)\b[^,`]*,\s+)?(?:{NAME}\s+[a-z]+|In\s+{NAME})"
        ))
    });
    let found = START.as_ref()?.captures(step)?;
    // "`a` only if" is the object of the step before, "`a` values" a thing of it.
    let behind = found.get(0).map_or("", |whole| &step[whole.end()..]);
    let named = &step[..step.len() - behind.len()];
    if named.ends_with(" only") && starts_condition(behind) || ends_in_plural(named, behind) {
        return None;
    }
    code_name(&found).or_else(|| {
        let name = found.get(1)?.as_str();
        let (first, verb) = step.trim_start().split_once(' ')?;
        let verb = verb.split(' ').next().unwrap_or_default();
        let does = verb.len() > 3 && verb.ends_with('s') && !verb.ends_with("ss");
        let does = does && !has_plural_verb(step);
        (first == name && does && has_body(name, evidence)).then_some(name)
    })
}

/// Whether the second word of `step` is a noun in the plural, which a verb and its object follow: "scrape errors raise the count".
fn has_plural_verb(step: &str) -> bool {
    const ARTICLES: &str = "a an the this that these those its their all each every both no";
    const AUXILIARIES: &str = "are were have do can may must will";
    const NO_VERBS: &str = "\
        and or to from in on at by with into for of as when if once after before until while only also first then";
    let mut words = step.split_whitespace().skip(2);
    let (verb, next) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_base = verb.chars().all(|c| c.is_ascii_lowercase())
        && !["s", "ed", "ing", "ly"].iter().any(|end| verb.ends_with(end))
        && ![ARTICLES, NO_VERBS].iter().any(|words| is_listed(words, verb));
    is_listed(AUXILIARIES, verb) || (is_base && is_listed(ARTICLES, next))
}

/// Whether `named` ends in a noun in the plural that nothing is said of: "`a` values".
fn ends_in_plural(named: &str, behind: &str) -> bool {
    const NOUNS: &str = "\
        arguments classes entries errors events fields files flags headers items keys lines messages names nodes options \
        pairs parameters parts paths properties rows rules settings strings tags tokens types values variables";
    let noun = named.rsplit(char::is_whitespace).next().unwrap_or_default();
    is_listed(NOUNS, noun) && !behind.contains(char::is_alphanumeric)
}

/// Whether a text goes on with when something is done, not with what is done.
fn starts_condition(text: &str) -> bool {
    const CONDITIONS: &str = "if when once after before for while until on in from at by to with";
    text.split_whitespace().next().is_some_and(|word| is_listed(CONDITIONS, word))
}

/// Returns the first name of code in a clause, unless it stands as an object.
pub(super) fn first_name(step: &str) -> Option<&str> {
    static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| literal_regex(NAME));
    let mut names = CODE.as_ref()?.captures_iter(step).filter_map(|found| {
        let (whole, name) = (found.get(0)?, found.get(1)?.as_str());
        let is_code = whole.as_str().starts_with('`') || is_identifier_spelling(name);
        is_code.then_some((&step[..whole.start()], name))
    });
    names.next().filter(|(before, _)| !is_object(before)).map(|(_, name)| name)
}

/// Returns the names that a clause is about: its first one, those before a verb, one behind a final "in".
pub(super) fn subjects<'s>(
    step: &'s str,
    evidence: &RunEvidence<'_>,
) -> impl Iterator<Item = &'s str> {
    static BEFORE_VERB: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"{NAME}\s+(?:(?:only|first|then|also|never|always|just|simply|itself|directly|either|neither|still|later|again|immediately|already|silently|finally|usually|ever|even)\s+)?[a-z]{{2,}}s\b"
        ))
    });
    static FINAL: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(&format!(r"\bin\s+{NAME}\s*[.,]?\s*$")));
    let others = [&BEFORE_VERB, &FINAL].into_iter().filter_map(|form| form.as_ref());
    let others = others.flat_map(|form| form.captures_iter(step)).filter(|found| {
        let before = found.get(0).map_or("", |whole| &step[..whole.start()]);
        !is_object(before)
    });
    let others = others.filter(|found| !is_attribute(found, step));
    let others = others.filter_map(|found| code_name(&found));
    first_subject(step, evidence).into_iter().chain(others)
}

/// Whether a match of a name and a word in "s" is one of a noun: "the `a` hooks run".
fn is_attribute(found: &Captures<'_>, step: &str) -> bool {
    const ARTICLES: &str = "the its their all these those any no";
    const PLURAL_VERBS: &str = "are were run have do get go fire happen stay may can must will";
    let Some(whole) = found.get(0) else { return false };
    let last = step[..whole.start()].split_whitespace().next_back().unwrap_or_default();
    let next = step[whole.end()..].split_whitespace().next().unwrap_or_default();
    is_listed(ARTICLES, last) && is_listed(PLURAL_VERBS, next)
}

/// Whether what follows `before` is no subject: "…, which is what `a` takes" is not about `a`, nor is "the code of an `a`
/// decides".
fn is_object(before: &str) -> bool {
    const ARTICLES: &str = "a an the its each every any";
    const PREPOSITIONS: &str = "what of by from with into per";
    let mut words = before.split_whitespace().rev().peekable();
    if words.peek().is_some_and(|word| is_listed(ARTICLES, word)) {
        words.next();
    }
    words.next().is_some_and(|word| is_listed(PREPOSITIONS, word))
}

/// Returns the name, with its qualifiers, of a match of [`NAME`] if it reads as code and no copula or connective follows.
fn code_name<'s>(found: &Captures<'s>) -> Option<&'s str> {
    const NO_VERBS: &str = "\
        and or if with of for in on as this its unless across towards us less when while once until after before because \
        from to by at but so which that it they";
    let (name, whole) = (found.get(1).or_else(|| found.get(2))?, found.get(0)?);
    let own = own_name(name.as_str());
    let is_code = whole.as_str().contains('`')
        || is_identifier_spelling(name.as_str())
        || own != name.as_str();
    let last = whole.as_str().rsplit(char::is_whitespace).next().unwrap_or_default();
    (is_code && !is_listed(NO_VERBS, last)).then_some(name.as_str())
}

/// Whether `step` says what `subject` is or has, not what it does. Lines that only name `subject` can show that.
pub(super) fn is_described(step: &str, subject: &str) -> bool {
    // "`a` is what calls it" and "`a` is used to call it" are about a doing.
    const DOINGS: &str = "what that which responsible used";
    // "`a` runs on every change" is about whoever runs it.
    const OCCASIONS: &str = "on when whenever at after before once during in from only";
    let mut found = step.match_indices(subject).map(|(at, _)| (at, at + subject.len()));
    let own = found.find(|(at, end)| {
        !step[..*at].ends_with(is_word_char) && !step[*end..].starts_with(is_word_char)
    });
    let after = own.map_or("", |(_, end)| &step[end..]);
    let mut words = after.trim_start_matches(['`', '(', ')', ' ']).split(' ');
    let verb = words.next().unwrap_or_default();
    let bare = verb.trim_end_matches([',', '.', ';', ':']);
    let next = if bare == verb { words.next().unwrap_or_default() } else { "" };
    match (bare, next) {
        ("is" | "was", next) => !is_listed(DOINGS, next),
        ("has", _) | ("does", "not") => true,
        ("runs" | "fires" | "happens", next) => next.is_empty() || is_listed(OCCASIONS, next),
        _ => false,
    }
}
