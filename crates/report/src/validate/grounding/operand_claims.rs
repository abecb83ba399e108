//! Numbers that a text says of a word rather than of a name: operands ("total + 1", "while `alive` is 0") and counts of a thing
//! ("two threads").

use std::sync::LazyLock;

use regex::Regex;

use super::{
    code_names::{NAME, own_name},
    evidence::{RunEvidence, folded, words_of},
};
use crate::{prose::literal_regex, quantity::unit_named, validate::citation::Citation};

/// Finds an operand of a name, or a number that it is compared with, where the delivered lines have that operator
/// behind the name with other numbers only.
pub(super) fn wrong_operand(text: &str, evidence: &RunEvidence<'_>) -> Option<String> {
    static OPERATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"(?:\b(?P<if>if|when|while|unless|until|once|as\s+long\s+as)\s+)?{NAME}\s*(?P<op>\+|−|-|\*|/|%|==|===|!=|\bis\b)\s*`?(?P<number>\d+(?:\.\d+)?)\b"
        ))
    });
    OPERATION.as_ref()?.captures_iter(text).find_map(|found| {
        let name = own_name(found.get(1)?.as_str());
        let (sign, number) = (found.name("op")?.as_str(), found.name("number")?.as_str());
        let is_condition = sign == "is";
        if is_condition && found.name("if").is_none()
            || text[found.get(0)?.end()..].starts_with('.')
        {
            return None;
        }
        let sign = match sign {
            "is" | "==" | "===" | "!=" => "=",
            "−" => "-",
            sign => sign,
        };
        let operands: Vec<&str> = evidence
            .current_lines()
            .flat_map(|(_, _, line)| operands_in(line, name, sign))
            .collect();
        let is_wrong = !operands.is_empty() && !operands.contains(&number);
        is_wrong.then(|| format!("{number} is not what \"{name}\" is taken with"))
    })
}

/// Returns the numbers behind `name` and an operator in a line. Comparisons of any kind with a number are `=`.
fn operands_in<'l>(line: &'l str, name: &str, sign: &str) -> Vec<&'l str> {
    static BEHIND: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"^[)\]\s]*(===?|!==?|~=|\+|-|\*|/|%)\s*(\d+(?:\.\d+)?)\b"));
    let Some(behind) = BEHIND.as_ref() else { return Vec::new() };
    let wanted = folded(name);
    let mut end = 0;
    let mut all = Vec::new();
    for word in words_of(line) {
        end += line[end..].find(word).unwrap_or_default() + word.len();
        if folded(word) != wanted {
            continue;
        }
        let Some(found) = behind.captures(&line[end..]) else { continue };
        let (Some(operator), Some(number)) = (found.get(1), found.get(2)) else { continue };
        let operator = operator.as_str();
        let is_comparison = operator.contains('=');
        if operator == sign || (is_comparison && sign == "=") {
            all.push(number.as_str());
        }
    }
    all
}

/// Numbers as words, with the digits that they stand for.
const SPELLED: [(&str, &str); 12] = [
    ("single", "1"),
    ("one", "1"),
    ("two", "2"),
    ("both", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
];

/// Returns a count of things of which the cited lines say another number only.
pub(super) fn other_count(
    step: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<String> {
    let said = counts(step);
    if said.is_empty() {
        return None;
    }
    let lines: Vec<(String, String)> =
        refs.iter().flat_map(|citation| counts(&citation.text(&evidence.context))).collect();
    said.into_iter().find_map(|(number, thing)| {
        let mut shown = lines.iter().filter(|(_, other)| *other == thing).peekable();
        let is_other = shown.peek().is_some() && shown.all(|(other, _)| *other != number);
        is_other.then(|| format!("{number} {thing}"))
    })
}

/// Words next to a number that are no things.
const OTHERS: [&str; 20] = [
    "than", "from", "with", "after", "before", "over", "under", "about", "least", "most", "line",
    "and", "into", "only", "until", "return", "case", "else", "when", "below",
];

/// Returns the counts of a text: a number, as digits, and the singular of the word behind it or behind one adjective; or a word
/// and the number right behind it ("version 2", `version: 2`).
fn counts(text: &str) -> Vec<(String, String)> {
    static COUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?i)\b(single|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,6})\s+(?:[a-z]{3,}\s+)??([a-z]{4,})\b",
        )
    });
    static LABEL: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"\b([a-z]{4,})[\x22']?(?:\s*[:=]\s*|\s+)(\d{1,6})\b"));
    let digits = |word: &str| {
        let word = word.to_lowercase();
        let spelled = SPELLED.iter().find(|(name, _)| *name == word);
        spelled.map_or(word, |(_, digits)| (*digits).to_owned())
    };
    let singular = |word: &str| {
        let word = word.to_lowercase();
        word.strip_suffix('s').map_or_else(|| word.clone(), str::to_owned)
    };
    let pairs = |form: &'static LazyLock<Option<Regex>>, number: usize, thing: usize| {
        let found = form.as_ref().into_iter().flat_map(|form| form.captures_iter(text));
        found.filter_map(move |found| {
            Some((found.get(number)?.as_str(), found.get(thing)?.as_str()))
        })
    };
    let counted = pairs(&COUNT, 1, 2).map(|(number, thing)| (digits(number), singular(thing)));
    let labelled = pairs(&LABEL, 2, 1).map(|(number, thing)| (number.to_owned(), singular(thing)));
    // Amounts are compared elsewhere.
    let is_thing = |thing: &str| unit_named(thing).is_none() && !OTHERS.contains(&thing);
    counted.chain(labelled).filter(|(_, thing)| is_thing(thing)).collect()
}
