//! The quantities that a text of prose names.

use std::sync::LazyLock;

use regex::Regex;

use super::{Quantity, QuantityBound, QuantityUnit, is_zero_or_one, parse_number, unit_named};
use crate::prose_normalization::{is_word_char, is_word_char_or_dollar, literal_regex};
use retriever_search::words_in;

/// Returns the numbers of `text`, each with the unit behind it. Numbers inside names, versions and line numbers are left
/// out.
pub(crate) fn quantities(text: &str) -> Vec<Quantity> {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[\s\u{a0}-]?(?P<unit>[A-Za-zµ]+))?",
        )
    });
    static NOT_AN_AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?i)(?:\blines?|\brfc|\bversions?|\bipv|\bhttp|\butf|\bsha|\bes|\bc\+\+)[\s/-]*$",
        )
    });
    let (Some(number), Some(excluded)) = (NUMBER.as_ref(), NOT_AN_AMOUNT.as_ref()) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for found in number.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        let before = &text[..whole.start()];
        let word = found.name("unit");
        let digits = &text[whole.start()..word.map_or(whole.end(), |word| word.start())];
        let digits = digits.trim_end_matches([' ', '\u{a0}', '-']);
        let after = &text[whole.start() + digits.len()..];
        if is_inside_name(before, after) || excluded.is_match(before) {
            continue;
        }
        let next = word.and_then(|word| unit_named(&word.as_str().to_lowercase()));
        let unit = next.or_else(|| unit_behind_adjective(after));
        if unit.is_none() && (is_name_behind(digits, after) || counts_what_follows(digits, after)) {
            continue;
        }
        if let Some(value) = parse_number(digits) {
            let end = if next.is_some() { whole.end() } else { whole.start() + digits.len() };
            let bound = bound_of(before, &text[end..]);
            let is_signed = before
                .strip_suffix('-')
                .is_some_and(|head| head.is_empty() || head.ends_with([' ', '(', ',', '`', '=']));
            let text = text[whole.start() - usize::from(is_signed)..end].to_owned();
            // C writes an octal number without the letter.
            let octal = digits.strip_prefix("0o").and_then(parse_number);
            let or = octal.or_else(|| share_of_percent(value, after));
            all.push(Quantity { value, unit, or, bound, text });
        }
    }
    all.extend(spelled_numbers(text));
    all
}

/// Returns the numbers that a text spells, in words or parts of names: "once", "the first", `two_phase`.
pub(crate) fn small_numbers(text: &str) -> impl Iterator<Item = Quantity> {
    words_in(text).into_iter().filter_map(|word| {
        let value = match word.as_str() {
            "zero" => 0.0,
            "once" | "single" | "first" => 1.0,
            word => spelled_value(word)?,
        };
        Some(Quantity { value, unit: None, or: None, bound: None, text: word })
    })
}

/// Returns 0.99 for "99%" and "99 percent", given what follows the number. 0 and 1 are too common to be one.
fn share_of_percent(value: f64, after: &str) -> Option<f64> {
    let sign = after.trim_start_matches([' ', '\u{a0}']);
    let share = value / 100.0;
    let is_percent = sign.starts_with('%') || sign.starts_with("percent");
    (is_percent && !is_zero_or_one(share)).then_some(share)
}

/// Whether digits go on as a name: "4len", not "4ms" and "128th". A small ordinal is a place in a list.
fn is_name_behind(digits: &str, after: &str) -> bool {
    let word: String = after.chars().take_while(|c| is_word_char(*c)).collect();
    let is_ordinal = digits.len() > 1 && ["st", "nd", "rd", "th"].contains(&word.as_str());
    !word.is_empty() && !is_ordinal
}

/// Returns the unit of "8 random bytes", given what follows the number.
fn unit_behind_adjective(after: &str) -> Option<QuantityUnit> {
    const JOINING: [&str; 14] = [
        "and", "or", "of", "in", "to", "per", "for", "at", "by", "as", "than", "from", "with", "a",
    ];
    let mut words = after.strip_prefix(' ')?.split(' ');
    let (adjective, unit) = (words.next()?, words.next()?);
    let is_word = adjective.len() > 2 && adjective.chars().all(|c| c.is_ascii_lowercase());
    let unit = unit.trim_end_matches(|c: char| ".,;:)".contains(c));
    (is_word && !JOINING.contains(&adjective) && unit.len() > 2)
        .then(|| unit_named(&unit.to_lowercase()))?
}

/// Returns which side of a limit a number names that stands between `before` and `after`.
fn bound_of(before: &str, after: &str) -> Option<QuantityBound> {
    const FORMS: [(&str, QuantityBound); 18] = [
        ("up to", QuantityBound::AtMost),
        ("at most", QuantityBound::AtMost),
        ("no more than", QuantityBound::AtMost),
        ("through", QuantityBound::AtMost),
        ("at least", QuantityBound::AtLeast),
        ("no less than", QuantityBound::AtLeast),
        ("from", QuantityBound::AtLeast),
        ("more than", QuantityBound::Above),
        ("greater than", QuantityBound::Above),
        ("above", QuantityBound::Above),
        ("over", QuantityBound::Above),
        ("less than", QuantityBound::Below),
        ("fewer than", QuantityBound::Below),
        ("below", QuantityBound::Below),
        ("under", QuantityBound::Below),
        ("every", QuantityBound::Every),
        ("each", QuantityBound::Every),
        ("once in", QuantityBound::Every),
    ];
    const TAILS: [(&str, QuantityBound); 4] = [
        (" or more", QuantityBound::AtLeast),
        (" or above", QuantityBound::AtLeast),
        (" or less", QuantityBound::AtMost),
        (" or fewer", QuantityBound::AtMost),
    ];
    let head = before.trim_end().to_lowercase();
    let form = FORMS.iter().find(|(words, _)| head.ends_with(words));
    form.or_else(|| TAILS.iter().find(|(words, _)| after.starts_with(words)))
        .map(|(_, bound)| *bound)
}

/// Spelled numbers that code must hold: limits ("more than two"), positions ("the third element"), multiples ("doubles") and
/// amounts with a unit ("five seconds"). Other spelled numbers up to ten are counts of what a sentence lists.
fn spelled_numbers(text: &str) -> Vec<Quantity> {
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?ix)\b(?:
            (?:more|fewer|less|greater)\ than\ (?P<bound>one|two|three|four|five|six|seven|eight|nine|ten)
            | (?P<place>second|third|fourth|fifth)\ (?:element|item|entry|byte)
            | (?P<amount>two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|twenty|thirty|forty|fifty|sixty)[\ -](?P<unit>(?:nano|micro|milli)?seconds?|minutes?|hours?|days?|weeks?|(?:kilo|mega|giga)?bytes?)
            | (?P<offset>two|three|four|five|six|seven|eight|nine|ten)\ [a-z]+s\ (?:before|after|earlier|later|ahead|behind)
            | (?P<multiple>doubles|doubled|doubling|triples|tripled|tripling|halves|halved|halving)
            | (?P<large>eleven|twelve|thirteen|fourteen|fifteen|sixteen|twenty|thirty|forty|fifty|sixty|hundred|thousand|million)
            )\b",
        )
    });
    let Some(form) = FORM.as_ref() else { return Vec::new() };
    let found = form.captures_iter(text).filter_map(|found| {
        let part = |name| found.name(name).map(|part| part.as_str().to_lowercase());
        let whole = found.get(0)?.as_str();
        let (mut unit, mut or) = (None, None);
        let value = if let Some(word) = part("bound") {
            let value = spelled_value(&word)?;
            or = Some(value + 1.0);
            value
        } else if let Some(word) = part("place") {
            const PLACES: [&str; 4] = ["second", "third", "fourth", "fifth"];
            let index = PLACES.iter().position(|place| *place == word)? + 1;
            let index = f64::from(u8::try_from(index).ok()?);
            or = Some(index);
            index + 1.0
        } else if let Some(word) = part("amount") {
            unit = unit_named(&part("unit")?);
            spelled_value(&word)?
        } else if let Some(word) = part("offset") {
            spelled_value(&word)?
        } else if let Some(word) = part("multiple") {
            if word.ends_with("es") && !has_object(&text[found.get(0)?.end()..]) {
                return None;
            }
            or = word
                .starts_with('h')
                .then_some(0.5)
                .or(Some(1.0).filter(|_| word.starts_with('d')));
            if word.starts_with('t') { 3.0 } else { 2.0 }
        } else {
            spelled_value(&part("large")?)?
        };
        Some(Quantity { value, unit, or, bound: None, text: whole.to_owned() })
    });
    found.collect()
}

/// Whether what follows "doubles" shows that it is a verb: "doubles the delay", "doubles from there". In "converts strings
/// to doubles" it is a noun.
fn has_object(after: &str) -> bool {
    const OBJECTS: [&str; 16] = [
        "the", "its", "it", "that", "this", "each", "every", "their", "them", "a", "an", "from",
        "on", "with", "until", "up",
    ];
    let first = after.split_whitespace().next().unwrap_or_default();
    OBJECTS.contains(&first) || first.starts_with('\u{1}')
}

pub(crate) fn spelled_value(word: &str) -> Option<f64> {
    const SMALL: [&str; 16] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
    ];
    const LARGE: [(&str, f64); 8] = [
        ("twenty", 20.0),
        ("thirty", 30.0),
        ("forty", 40.0),
        ("fifty", 50.0),
        ("sixty", 60.0),
        ("hundred", 100.0),
        ("thousand", 1_000.0),
        ("million", 1_000_000.0),
    ];
    if let Some(at) = SMALL.iter().position(|name| *name == word) {
        return Some(f64::from(u8::try_from(at).ok()?) + 1.0);
    }
    LARGE.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

/// Returns how many things a text lists behind a number and what that counts: three behind the number of "3 states: ready,
/// running or stopped".
pub(crate) fn listed_behind(after: &str) -> Option<usize> {
    static LIST: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^ (?:[a-z-]+ ){0,2}[a-z-]+s: (?P<items>(?:[^\s,;:.()→]+ ){0,2}[^\s,;:.()→]+(?:, (?:[^\s,;:.()→]+ ){0,2}[^\s,;:.()→]+)*,? (?:and|or) (?:[^\s,;:.()→]+ ){0,2}[^\s,;:.()→]+)(?:[.;)→]|$)",
        )
    });
    let items = LIST.as_ref()?.captures(after)?.name("items")?.as_str();
    let is_open = ["such as", "example", "among", "others", "more", "etc"];
    if is_open.iter().any(|word| items.contains(word)) {
        return None;
    }
    let items = items.replace(", and ", ", ").replace(", or ", ", ");
    Some(items.replace(" and ", ", ").replace(" or ", ", ").split(", ").count())
}

/// Whether a number counts the code spans after it, which [`mentions`](crate::code_mentions_in_prose) has replaced by a sign: "3 times,
/// for `a`, `b` and `c`", or what is listed behind a colon.
fn counts_what_follows(digits: &str, after: &str) -> bool {
    if listed_behind(after).is_some_and(|listed| digits.parse() == Ok(listed)) {
        return true;
    }
    let clause = after.split(['.', ';', '→', '(']).next().unwrap_or_default();
    let spans = clause.matches('\u{1}').count();
    spans > 1 && digits.parse() == Ok(spans)
}

fn is_inside_name(before: &str, after: &str) -> bool {
    let mut back = before.chars().rev();
    let (last, second) = (back.next(), back.next());
    last.is_some_and(is_word_char_or_dollar)
        || (matches!(last, Some('.' | ':')) && second.is_some_and(is_word_char_or_dollar))
        || (matches!(last, Some('-' | '/')) && second.is_some_and(char::is_alphabetic))
        || (after.starts_with('.') && after[1..].starts_with(|c: char| c.is_ascii_digit()))
}
