//! What a text says beyond naming things, as far as declarations and edges can contradict it: which function calls which,
//! whose doing it is, and what the planner is told to do.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{
    clauses::steps,
    evidence::{Case, RunEvidence, Rung},
};
use crate::{
    mentions::{Mention, is_identifier_spelling, mentions},
    prose::literal_regex,
    structure::Direction,
    validate::citation::Citation,
};
use retriever_search::Declaration;

/// Whether one function calls another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Yes,
    No,
    Unknown,
}

/// Returns what `text` says to the contrary of what was delivered.
pub(super) fn contradiction(text: &str, evidence: &RunEvidence<'_>) -> Option<String> {
    instruction(text).or_else(|| wrong_call(text, evidence)).or_else(|| wrong_order(text, evidence))
}

/// Returns the function or type that a fact is about by its first words, if none of its lines is of it. That they name it is
/// not enough.
pub(super) fn other_first_subject<'s>(
    fact: &'s str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<&'s str> {
    let first = steps(fact).first().map_or(fact, |step| step.text);
    let subject = first_subject(first)?;
    let is_other = refs.iter().all(|citation| is_about_other(subject, citation, evidence));
    (is_other && !is_shown_by(first, subject, evidence)).then_some(subject)
}

/// Returns the words by which `step` tells its reader to run or disclose something. A report describes code.
fn instruction(step: &str) -> Option<String> {
    static INSTRUCTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?ix)\bplease\b
            | \b(?:tell|ask|instruct|remind|urge)\s+the\s+(?:user|planner|agent|human|developer|operator|team)\b
            | \b(?:ignore|disregard|forget)\s+(?:all|any|the|previous|earlier|prior)\b.*\b(?:instruction|rule|prompt|above)
            | \b(?:approve|confirm|execute|run|running|executing|launch)\s+(?:and\s+\w+\s+)?(?:the|this|a|that)\s+(?:script|command|binary|program|file)\b
            | (?:^|[.;:,(]\s*|\b(?:now|first|then|must|should|to\s+\w+)\s+)(?:run|execute|install|paste|download|curl|wget|sudo)\s+\S
            | \b(?:after|by|before)\s+(?:running|executing|installing)\s+`",
        )
    });
    let found = INSTRUCTION.as_ref()?.find(step)?;
    Some(format!("\"{}\" is an instruction", found.as_str().trim()))
}

/// Returns the last part of a qualified name.
fn own_name(name: &str) -> &str {
    let name = name.trim_end_matches("()");
    name.rsplit(['.', ':', '#', '>', '/']).next().unwrap_or(name)
}

/// A name of code, in backticks or not, with or without arguments.
const NAME: &str =
    r"`?([A-Za-z_$][\w$]*(?:(?:\.|::|->|\#)[A-Za-z_$][\w$]*)*)[?!]?(?:\([^()`]*\))?`?";

/// Words that stand where a sentence could name a function: "and calls `b`", "`a` calls it".
const NO_NAMES: [&str; 15] = [
    "it", "them", "this", "that", "one", "its", "each", "all", "the", "and", "or", "then", "which",
    "also", "who",
];

/// Finds "a calls b" and "a is called by b" where the body of the caller was delivered and does not name the other.
fn wrong_call(step: &str, evidence: &RunEvidence<'_>) -> Option<String> {
    static CALLS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"{NAME},?\s+(?:which\s+|that\s+)?(?:then\s+|first\s+|also\s+|only\s+|directly\s+)?(calls|invokes|delegates to|is called by|is invoked by)\s+(?:both\s+|then\s+)?{NAME}"
        ))
    });
    for found in CALLS.as_ref()?.captures_iter(step) {
        let part = |at: usize| found.get(at).map_or("", |part| part.as_str());
        if NO_NAMES.contains(&part(1)) || NO_NAMES.contains(&part(3)) {
            continue;
        }
        let (first, verb, second) = (own_name(part(1)), part(2), own_name(part(3)));
        let (caller, callee) =
            if verb.starts_with("is ") { (second, first) } else { (first, second) };
        let is_wrong = match calls(caller, callee, evidence) {
            Call::Yes => false,
            Call::No => true,
            Call::Unknown => calls(callee, caller, evidence) == Call::Yes,
        };
        if is_wrong && caller != callee {
            return Some(format!("\"{caller}\" does not call \"{callee}\" in the delivered lines"));
        }
    }
    None
}

/// Finds "`a` → `b`" where it is `b` that calls `a`. A name behind a variable is left out: which function it is depends on
/// what the variable holds.
fn wrong_order(text: &str, evidence: &RunEvidence<'_>) -> Option<String> {
    static HEAD: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(&format!(r"^\s*(?:then\s+)?{NAME}")));
    let head = HEAD.as_ref()?;
    let parts: Vec<&str> = text.split(['→', ';']).collect();
    parts.windows(2).find_map(|pair| {
        let first = function_name(head.captures(pair[0])?.get(1)?.as_str())?;
        let second = function_name(head.captures(pair[1])?.get(1)?.as_str())?;
        let is_wrong = first != second
            && calls(second, first, evidence) == Call::Yes
            && calls(first, second, evidence) != Call::Yes
            && !evidence.is_sequence(first, second);
        is_wrong.then(|| format!("it is \"{second}\" that calls \"{first}\""))
    })
}

/// Returns the last part of a name that stands alone or behind a type or the object itself.
fn function_name(name: &str) -> Option<&str> {
    let receiver = name.split(['.', ':', '-', '#']).next().unwrap_or_default();
    let is_known = receiver == name
        || ["self", "this"].contains(&receiver)
        || receiver.starts_with(char::is_uppercase);
    let own = own_name(name);
    (is_known && !["new", "constructor"].contains(&own)).then_some(own)
}

fn calls(caller: &str, callee: &str, evidence: &RunEvidence<'_>) -> Call {
    let mut is_declared = false;
    for (path, declaration) in evidence.declared(caller) {
        if declaration.kind != "function" && declaration.range.width() == 1 {
            continue;
        }
        is_declared = true;
        let has_edge = evidence.structure(path).is_some_and(|structure| {
            structure.relations.iter().any(|relation| {
                relation.direction == Direction::Outgoing
                    && relation.other == callee
                    && declaration.range.overlaps(relation.range)
            })
        });
        let mut body = declaration.range;
        if let Some(after) = retriever_workspace::LineRange::new(body.start() + 1, body.end()) {
            body = after;
        }
        if has_edge || evidence.is_in_lines(path, body, callee) {
            return Call::Yes;
        }
    }
    if is_declared { Call::No } else { Call::Unknown }
}

/// Returns the function or type that a clause is about if its lines are of another one and do not name it either, unless all
/// that the clause names stands in the delivered lines of that one too.
pub(super) fn other_subject<'s>(
    text: &'s str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<&'s str> {
    if refs.is_empty() {
        return None;
    }
    steps(text).into_iter().find_map(|step| {
        let subject = subjects(step.text).find(|name| {
            refs.iter().all(|citation| {
                is_about_other(name, citation, evidence)
                    && !evidence.is_cited(own_name(name), citation, Case::Sensitive)
            })
        })?;
        (!is_shown_by(step.text, subject, evidence)).then_some(subject)
    })
}

/// Whether all that a clause names beside its subject stands in the delivered lines of the subject.
fn is_shown_by(step: &str, subject: &str, evidence: &RunEvidence<'_>) -> bool {
    let others: Vec<Mention> = mentions(step)
        .into_iter()
        .filter(|mention| match mention {
            Mention::Identifier(name) | Mention::Word(name) => !subject
                .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                .any(|part| part == name),
            _ => true,
        })
        .collect();
    !others.is_empty()
        && bodies(subject, evidence).any(|body| {
            let body = std::slice::from_ref(&body);
            others.iter().all(|mention| evidence.find(mention, body, &[]) == Rung::Cited)
        })
}

/// Returns the name that a clause starts with, directly or behind a lead-in. A plain word counts only in backticks or as a
/// part of a qualified name.
fn first_subject(step: &str) -> Option<&str> {
    static START: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"^\s*(?:(?:Only|Both|Then|then)\s+|(?:If|When|For|Before|After|Once|While|Without|With|As|On|At|Unless)\b[^,`]*,\s+)?(?:{NAME}\s+[a-z]+|In\s+{NAME})"
        ))
    });
    code_name(&START.as_ref()?.captures(step)?)
}

/// Returns the names that a clause is about: its first one, those before a verb, one behind a final "in".
fn subjects(step: &str) -> impl Iterator<Item = &str> {
    static BEFORE_VERB: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"{NAME}\s+(?:(?:only|first|then|also|never|always|just|simply|itself|directly|either|neither|still|later|again|immediately|already|silently|finally|usually|ever|even)\s+)?[a-z]{{2,}}s\b"
        ))
    });
    static FINAL: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(&format!(r"\bin\s+{NAME}\s*[.,]?\s*$")));
    let others = [&BEFORE_VERB, &FINAL].into_iter().filter_map(|form| form.as_ref());
    let others =
        others.flat_map(|form| form.captures_iter(step).filter_map(|found| code_name(&found)));
    first_subject(step).into_iter().chain(others)
}

/// Returns the name, with its qualifiers, of a match of [`NAME`] if it reads as code and no copula or connective follows.
fn code_name<'s>(found: &Captures<'s>) -> Option<&'s str> {
    const NO_VERBS: [&str; 20] = [
        "and", "or", "if", "with", "of", "for", "in", "on", "is", "was", "has", "as", "this",
        "its", "does", "unless", "across", "towards", "us", "less",
    ];
    let (name, whole) = (found.get(1).or_else(|| found.get(2))?, found.get(0)?);
    let own = own_name(name.as_str());
    let is_code = whole.as_str().contains('`')
        || is_identifier_spelling(name.as_str())
        || own != name.as_str();
    let last = whole.as_str().rsplit(char::is_whitespace).next().unwrap_or_default();
    (is_code && !NO_VERBS.contains(&last)).then_some(name.as_str())
}

/// Returns the lines of every function or type with this name of which something was delivered.
fn bodies(name: &str, evidence: &RunEvidence<'_>) -> impl Iterator<Item = Citation> {
    let named: Vec<_> = evidence.declared(own_name(name)).to_vec();
    named
        .into_iter()
        .filter(|(path, declaration)| {
            evidence.file(path).is_some_and(|file| file.delivered.covered(declaration.range) > 0)
        })
        .map(|(path, declaration)| Citation { path: path.clone(), range: declaration.range })
}

/// Whether the cited lines stand inside declarations and none of them is `name`, a function or type that is declared
/// elsewhere. Of `Type.name` the type has to be around the lines too, or be related to what is.
fn is_about_other(name: &str, citation: &Citation, evidence: &RunEvidence<'_>) -> bool {
    let own = own_name(name);
    let declared = evidence.declared(own);
    let has_body = |declaration: &&Declaration| {
        declaration.kind == "function" || declaration.range.width() > 1
    };
    if !declared.iter().any(|(_, declaration)| has_body(declaration))
        || evidence.overlapping(citation).next().is_none()
    {
        return false;
    }
    let is_around = declared.iter().any(|(path, declaration)| {
        **path == citation.path && declaration.range.overlaps(citation.range)
    });
    let owner = name
        .strip_suffix(own)
        .map(|owner| own_name(owner.trim_end_matches(['.', ':', '#', '>', '-'])));
    let is_other_owner =
        owner.filter(|owner| owner.starts_with(char::is_uppercase)).is_some_and(|owner| {
            evidence.declared(owner).iter().any(|(_, declaration)| declaration.range.width() > 1)
                && !evidence.is_cited(owner, citation, Case::Sensitive)
        });
    !is_around || is_other_owner
}
