//! What a text says beyond naming things, as far as declarations and edges can contradict it: which function calls which, and
//! what the planner is told to do.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    evidence::RunEvidence,
    names::{NAME, declared_as, is_code, own_name},
};
use crate::{mentions::is_identifier_spelling, prose::literal_regex, structure::Direction};

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

/// Returns the words by which `step` tells its reader to run or disclose something. A report describes code.
fn instruction(step: &str) -> Option<String> {
    static INSTRUCTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?ix)\bplease\b
            | \b(?:tell|ask|instruct|remind|urge)\s+the\s+(?:user|planner|agent|human|developer|operator|team)\b
            | \b(?:ignore|disregard|forget)\s+(?:all|any|the|previous|earlier|prior)\b.*\b(?:instruction|rule|prompt|above)
            | (?:^|[.;:,(]\s*|\b(?:now|first|then|must|should|and|by|before|after)\s+)(?:approve|confirm|execute|run|running|executing|launch)\s+(?:and\s+\w+\s+)?(?:the|this|a|that)\s+(?:script|command|binary|program|file)\b
            | (?:^|[.;:,]\s+|\(\s*|\b(?:now|first|then|must|should|to\s+\w+)\s+)(?:run|execute|install|paste|download|curl|wget|sudo)\s+\S
            | \b(?:after|by|before)\s+(?:running|executing|installing)\s+`",
        )
    });
    // "Run loops poll …" is about things that are called so.
    static NOUN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^\s*Run\s+(?:loops?|queues?|modes?|levels?|times?|states?|groups?|ids?|configurations?)\s+[a-z]",
        )
    });
    let noun = NOUN.as_ref()?.find(step).map_or(0, |noun| noun.end());
    let mut found = INSTRUCTION.as_ref()?.find_iter(step).filter(|found| found.start() >= noun);
    found.next().map(|found| format!("\"{}\" is an instruction", found.as_str().trim()))
}

/// Words that stand where a sentence could name a function: "and calls `b`", "`a` calls it".
const NO_NAMES: [&str; 21] = [
    "it", "them", "this", "that", "one", "its", "each", "all", "the", "and", "or", "then", "which",
    "also", "who", "is", "are", "was", "be", "gets", "but",
];

/// Finds "a calls b" and "a is called by b" where the body of the caller was delivered and does not name the other, and "a runs
/// b" where it is b that calls a.
fn wrong_call(step: &str, evidence: &RunEvidence<'_>) -> Option<String> {
    claimed_calls(step).find_map(|ClaimedCall { caller, callee, is_literal }| {
        let calls_back = || calls(callee, caller, evidence) == Call::Yes;
        let is_wrong = match calls(caller, callee, evidence) {
            Call::Yes => false,
            _ if !is_literal => is_code(caller, step) && is_code(callee, step) && calls_back(),
            Call::No => true,
            Call::Unknown => {
                let are_code = is_code(caller, step) && is_code(callee, step);
                calls_back()
                    || (are_code && !evidence.is_followed(own_name(caller), own_name(callee)))
            }
        };
        is_wrong.then(|| format!("\"{caller}\" does not call \"{callee}\" in the delivered lines"))
    })
}

/// Returns a call that `step` claims where nothing was delivered of the caller.
pub(super) fn unshown_call(step: &str, evidence: &RunEvidence<'_>) -> Option<String> {
    let call = claimed_calls(step).find(|call| {
        call.is_literal
            && is_code(call.caller, step)
            && calls(call.caller, call.callee, evidence) == Call::Unknown
    })?;
    Some(format!("that \"{}\" calls \"{}\"", call.caller, call.callee))
}

/// That one function calls another, as a text says.
struct ClaimedCall<'s> {
    caller: &'s str,
    callee: &'s str,
    /// Whether it says "calls", not "uses" or "runs", which can mean more.
    is_literal: bool,
}

/// Returns the callers and callees of "a calls b" and "a is called by b".
fn claimed_calls(step: &str) -> impl Iterator<Item = ClaimedCall<'_>> {
    // "`a`, which `b` calls"
    static RELATIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"{NAME},?\s+(?:which|that)\s+{NAME}\s+(?:then\s+|also\s+|only\s+)?(?:calls|invokes|runs)\b"
        ))
    });
    let relative = RELATIVE.as_ref().into_iter().flat_map(|form| form.captures_iter(step));
    let relative = relative.filter_map(|found| {
        let (callee, caller) = (found.get(1)?.as_str(), found.get(2)?.as_str());
        let is_literal = !found.get(0)?.as_str().ends_with("runs");
        Some(ClaimedCall { caller, callee, is_literal })
    });
    static CALLS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"{NAME},?\s+(?:which\s+|that\s+)?(?:then\s+|first\s+|also\s+|only\s+|directly\s+)?(calls?|invokes?|delegates to|runs|triggers|executes|awaits|starts|uses|wraps|forwards to|dispatches to|falls back to|goes through|(?:is |are |gets )?(?:called|invoked|run|used|started|wrapped|triggered) by)\s+(?:both\s+|then\s+)?{NAME}"
        ))
    });
    let found = CALLS.as_ref().into_iter().flat_map(|form| form.captures_iter(step));
    let found = found.filter_map(|found| {
        let (first, verb, second) =
            (found.get(1)?.as_str(), found.get(2)?.as_str(), found.get(3)?.as_str());
        if NO_NAMES.contains(&first)
            || NO_NAMES.contains(&second)
            || own_name(first) == own_name(second)
        {
            return None;
        }
        // "to call `b`" names no caller.
        if ["call", "invoke"].contains(&verb) && !is_code(first, step) {
            return None;
        }
        let is_passive = verb.ends_with(" by");
        let (caller, callee) = if is_passive { (second, first) } else { (first, second) };
        let is_literal = ["call", "invoke", "delegates"].iter().any(|word| verb.contains(word));
        Some(ClaimedCall { caller, callee, is_literal })
    });
    relative.chain(found)
}

/// Finds "`a` → `b`" where it is `b` that calls `a`. A name behind a variable is left out: which function it is depends on
/// what the variable holds.
fn wrong_order(text: &str, evidence: &RunEvidence<'_>) -> Option<String> {
    successive(text).into_iter().find_map(|(first, second)| {
        let is_wrong = calls(second, first, evidence) == Call::Yes
            && calls(first, second, evidence) != Call::Yes
            && !evidence.is_sequence(first, second);
        is_wrong.then(|| format!("it is \"{second}\" that calls \"{first}\""))
    })
}

/// Returns a step of a flow that the delivered lines have after the next one, or that could be seen to lead to it and does
/// not.
pub(super) fn unshown_succession(text: &str, evidence: &RunEvidence<'_>) -> Option<String> {
    successive(text).into_iter().find_map(|(first, second)| {
        let call = calls(first, second, evidence);
        let is_later = call == Call::No || evidence.is_sequence(second, first);
        let is_unshown = call != Call::Yes && is_later && !evidence.is_sequence(first, second);
        is_unshown.then(|| format!("that \"{second}\" follows \"{first}\""))
    })
}

/// Returns the functions that a flow names one after the other: those that two steps start with.
fn successive(text: &str) -> Vec<(&str, &str)> {
    static HEAD: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(&format!(r"^\s*(?:then\s+)?{NAME}(\s*$)?")));
    let named = |part| {
        let found = HEAD.as_ref()?.captures(part)?;
        let name = found.get(1)?.as_str();
        let is_code = found.get(0)?.as_str().contains('`')
            || found.get(2).is_some()
            || is_identifier_spelling(name);
        if is_code { function_name(name) } else { None }
    };
    let parts: Vec<&str> = text.split('→').collect();
    let pairs = parts.windows(2).filter_map(|pair| Some((named(pair[0])?, named(pair[1])?)));
    pairs.filter(|(first, second)| first != second).collect()
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
    let callee = own_name(callee);
    for (path, declaration) in declared_as(caller, evidence) {
        if declaration.kind != "function" && declaration.range.width() == 1 {
            continue;
        }
        // Of a body that was not delivered in full nothing can be denied.
        is_declared |= evidence.file(path).is_some_and(|file| {
            file.delivered.covered(declaration.range) == declaration.range.width()
        });
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
        if has_edge || evidence.is_in_code(path, body, callee) {
            return Call::Yes;
        }
    }
    if is_declared { Call::No } else { Call::Unknown }
}
