//! The parts of a sentence that can be cut from it: steps of a flow, clauses behind a semicolon or a connective, and
//! parentheses.

use std::sync::LazyLock;

use regex::Regex;

use crate::prose_normalization::{is_listed, literal_regex, opens_code, sentences, truncate};

/// A step: a part between arrows, semicolons and "then", with what separates it from the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DescribedFlowStep<'a> {
    pub(crate) text: &'a str,
    /// `" → "`, `"; "`, `", then "`; empty for the last one.
    pub(crate) separator: &'a str,
}

const SEPARATORS: [&str; 9] =
    [" → ", " -> ", " => ", "; then ", "; ", ", then ", " and then ", " — ", " – "];

/// Splits a sentence into steps. Separators in backticks or parentheses do not count.
pub(crate) fn steps(sentence: &str) -> Vec<DescribedFlowStep<'_>> {
    let mut all = Vec::new();
    let (mut start, mut depth, mut in_code) = (0, 0_usize, false);
    let mut skip_to = 0;
    for (at, c) in sentence.char_indices() {
        if at < skip_to {
            continue;
        }
        match c {
            '`' => in_code = !in_code && opens_code(sentence, at),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if in_code || depth > 0 {
            continue;
        }
        let rest = &sentence[at..];
        if let Some(separator) = SEPARATORS.iter().find(|separator| rest.starts_with(**separator)) {
            let end = at + separator.len();
            all.push(DescribedFlowStep {
                text: &sentence[start..at],
                separator: &sentence[at..end],
            });
            (start, skip_to) = (end, end);
        }
    }
    all.push(DescribedFlowStep { text: &sentence[start..], separator: "" });
    all
}

/// Joins the kept steps. Where an arrow stood before a step that was cut, an ellipsis says so.
pub(crate) fn join(steps: &[(DescribedFlowStep<'_>, Option<String>)]) -> String {
    let mut text = String::new();
    let mut pending = "";
    let mut has_gap = false;
    for (step, kept) in steps {
        match kept {
            Some(kept) => {
                if !text.is_empty() {
                    let arrow = pending.contains(['→', '>']);
                    text.push_str(pending);
                    if has_gap && arrow {
                        text.push('…');
                        text.push_str(pending);
                    }
                }
                text.push_str(kept.trim());
                has_gap = false;
                pending = step.separator;
            }
            None => {
                has_gap = true;
                if !step.separator.is_empty() {
                    pending = step.separator;
                }
            }
        }
    }
    text
}

/// Returns `step` after each possible single cut, longest first: without one parenthesis, or without the tail from a comma or
/// a connective on.
pub(crate) fn cuts(step: &str) -> Vec<String> {
    let mut all = Vec::new();
    let (mut depth, mut open, mut in_code) = (0_usize, 0, false);
    let mut tails = Vec::new();
    for (at, c) in step.char_indices() {
        match c {
            '`' => in_code = !in_code && opens_code(step, at),
            '(' if !in_code => {
                if depth == 0 {
                    open = at;
                }
                depth += 1;
            }
            ')' if !in_code && depth > 0 => {
                depth -= 1;
                let is_aside = depth == 0 && step[..open].ends_with(' ');
                if is_aside {
                    all.push(format!("{}{}", step[..open].trim_end(), &step[at + 1..]));
                }
            }
            _ => {}
        }
        let (before, rest) = step.split_at(at);
        let ends = || is_tail(rest) || goes_on(before, rest) || has_more_callees(before, rest);
        if !in_code && depth == 0 && ends() {
            tails.push(at);
        }
    }
    let end = if step.trim_end().ends_with('.') { "." } else { "" };
    all.extend(tails.iter().rev().map(|at| format!("{}{end}", step[..*at].trim_end())));
    all
}

/// Returns at most `limit` characters of `text`: up to the end of a sentence, step or clause, or without a parenthesis, if that
/// keeps at least half of them; else up to the last word.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    let chars = |text: &str| text.chars().count();
    if chars(text) <= limit {
        return text.to_owned();
    }
    let stop = if text.trim_end().ends_with('.') { "." } else { "" };
    // A submission may be very long, and each cut is a copy.
    let head_end = text.char_indices().nth(limit * 2).map_or(text.len(), |(at, _)| at);
    let (text, has_more) = (&text[..head_end], head_end < text.len());
    let mut end = 0;
    let of_steps = steps(text).into_iter().map(|step| {
        let kept = text[..end + step.text.len()].trim_end();
        end += step.text.len() + step.separator.len();
        format!("{}{stop}", kept.trim_end_matches(['.', ',', ':']))
    });
    let mut end = 0;
    let of_sentences = sentences(text).into_iter().map(|sentence| {
        end += sentence.len();
        text[..end].trim_end().to_owned()
    });
    let all = of_steps.chain(of_sentences).chain(cuts(text));
    // Without a parenthesis the end of the head is left, which may be anywhere in a sentence.
    let ends_well = |cut: &String| !has_more || text.starts_with(cut.trim_end_matches('.'));
    let fitting =
        all.filter(|cut| chars(cut) <= limit && chars(cut) * 2 >= limit && ends_well(cut));
    fitting.max_by_key(|cut| chars(cut)).unwrap_or_else(|| truncate(text, limit))
}

/// Whether a clause starts here that its sentence can do without.
fn is_tail(rest: &str) -> bool {
    const CONNECTIVES: [&str; 24] = [
        ", which ",
        ", and ",
        ", so ",
        ", but ",
        ", while ",
        ", where ",
        ", with ",
        ", by ",
        ", as ",
        ", or ",
        ", who ",
        ", using ",
        ", via ",
        ", from ",
        ", through ",
        ", for ",
        ", in ",
        ", to ",
        ", after ",
        ", before ",
        " before ",
        " after ",
        ": ",
        ", that ",
    ];
    CONNECTIVES.iter().any(|connective| rest.starts_with(connective))
}

/// Whether a relative clause goes on with another verb: ", which reads `a`| and writes `b`".
fn goes_on(before: &str, rest: &str) -> bool {
    rest.strip_prefix(" and ").is_some_and(starts_with_verb) && before.contains(", which ")
}

/// Whether a list of callees goes on: "calls `a`|, `b` and `c`".
pub(crate) fn has_more_callees(before: &str, rest: &str) -> bool {
    static LISTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"\bcalls (?:`?[\w.:]+(?:\(\))?`?, )*`?[\w.:]+(?:\(\))?`?$")
    });
    static NEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"^(?:, |,? and (?:then )?)`?[\w.:]+(?:\(\))?`?(?:[,.;]| and |$)")
    });
    let is_list = |form: &'static LazyLock<Option<Regex>>, text| {
        form.as_ref().is_some_and(|form| form.is_match(text))
    };
    rest.starts_with([',', ' ']) && is_list(&NEXT, rest) && is_list(&LISTED, before)
}

/// Splits a step where another subject may begin: behind a contrast, and at "and" before a name with a verb.
pub(crate) fn clauses(step: &str) -> Vec<&str> {
    static BOUNDARY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r",?\s+(?:while|whereas|although|though|unlike)\s|,\s+(?:but|yet|otherwise|else|so|which)\s|:\s|,?\s+(?:and|or)\s+(`[^`]+`\s+\w+s\b|(?:[A-Za-z]\w*(?:\.|::)\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w*[A-Za-z0-9]_\w+)\s+[a-z]+s\b)",
        )
    });
    let mut all = Vec::new();
    let mut start = 0;
    for found in BOUNDARY.as_ref().into_iter().flat_map(|form| form.captures_iter(step)) {
        let (Some(whole), name) = (found.get(0), found.get(1)) else { continue };
        let is_in_code = step[..whole.start()].matches('`').count() % 2 == 1;
        if is_in_code {
            continue;
        }
        all.push(&step[start..whole.start()]);
        // "which `a` reads" keeps its pronoun.
        let is_relative = whole.as_str().trim_end().ends_with("which");
        start = name.map_or(whole.end(), |name| name.start());
        if is_relative {
            start = whole.start() + 1;
        }
    }
    all.push(&step[start..]);
    all
}

/// Whether a step leans on the one before it: it begins with a word that refers back.
pub(crate) fn refers_back(step: &str) -> bool {
    const BACK: &str =
        "it its they their this that these those there otherwise else which and or but so such";
    let first = step.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    is_listed(BACK, &first.to_lowercase())
}

/// Whether a text begins with an indirect question.
pub(crate) fn is_question(text: &str) -> bool {
    const QUESTIONS: &str = "whether how what where when which who why if";
    let first = text.split_whitespace().next().unwrap_or_default();
    is_listed(QUESTIONS, &first.to_lowercase())
}

/// Whether a sentence says what is not there, or asks.
pub(crate) fn is_gap(sentence: &str) -> bool {
    is_question(sentence)
        || sentence.split_whitespace().any(|word| {
            is_negation(&word.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase())
        })
}

/// Whether a clause says that something is not there: "no `retry`", "`retry` was not found".
pub(crate) fn denies_existence(clause: &str) -> bool {
    static ABSENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?i)\b(?:no|neither|nor|none|nothing|absent|not\s+(?:found|seen|shown|there|present|in)|(?:not|n't)\s+exist)\b",
        )
    });
    ABSENT.as_ref().is_some_and(|form| form.is_match(clause))
}

/// Whether a clause says that its names belong to another project. Merely mentioning one does not.
pub(crate) fn is_outside(sentence: &str) -> bool {
    static OUTSIDE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?i)\b(?:outside(?:\s+of)?\s+(?:this|the)\s+(?:repositor|project|code)|(?:is|are|lives?|comes?|stands?)\s+(?:\w+\s+)?(?:in|from|of)\s+(?:an?\s+|the\s+)?(?:(?:external|third-party)\s+(?:crate|package|librar|module|gem|dependenc|project)|(?:\w+\s+)?standard\s+library))",
        )
    });
    OUTSIDE.as_ref().is_some_and(|form| form.is_match(sentence))
}

/// Returns the clauses of a text. A contrast such as ", not `a`" is a clause of its own.
pub(crate) fn claims(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    for clause in steps(text).into_iter().flat_map(|step| clauses(step.text)) {
        let is_prose = |at: &usize| clause[..*at].matches('`').count() % 2 == 0;
        let at = clause.find(", not ").filter(is_prose).unwrap_or(clause.len());
        let (said, denied) = clause.split_at(at);
        all.extend([said, denied].into_iter().filter(|part| !part.is_empty()));
    }
    all
}

/// Whether a word in lower case denies what follows it.
pub(crate) fn is_negation(word: &str) -> bool {
    is_listed("no not never nor neither none nothing cannot", word) || word.ends_with("n't")
}

/// Whether a step has no subject of its own: "and then calls `a`".
pub(crate) fn starts_with_verb(step: &str) -> bool {
    let first = step.split_whitespace().next().unwrap_or_default();
    first.len() > 2 && first.ends_with('s') && first.chars().all(|c| c.is_ascii_lowercase())
}
