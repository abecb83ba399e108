//! Checks the relation that a text claims between two names: which function calls which, which type extends which, what
//! is put into what. Declarations, edges and the order of the lines can contradict it.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{
    call_argument_claims::is_nested,
    code_names::{NAME, declared_as, is_code, own_name},
    evidence::{RunEvidence, words_of},
    imperative_objects::is_third_person,
};
use crate::{
    code_mentions_in_prose::{is_file_name, is_identifier_spelling},
    file_structure::RelationDirection,
    prose_normalization::{has_word, is_listed, literal_regex},
    validation_reason_parts::ReasonDetail,
};
use retriever_search::words_in;
use retriever_workspace::RepoPath;

/// Whether one function calls another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Yes,
    No,
    Unknown,
}

/// Returns what `text` says to the contrary of what was delivered.
pub(super) fn contradiction(text: &str, evidence: &RunEvidence<'_>) -> Option<ReasonDetail> {
    wrong_call(text, evidence)
        .or_else(|| wrong_caller(text, evidence))
        .or_else(|| wrong_order(text, evidence))
        .or_else(|| wrong_base(text, evidence))
        .or_else(|| wrong_nesting(text, evidence))
}

/// Finds "`a` extends `b`" where it is `b` that is declared with `a` in its head.
fn wrong_base(text: &str, evidence: &RunEvidence<'_>) -> Option<ReasonDetail> {
    static EXTENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"{NAME},?\s+(?:(?:which|that)\s+)?(?:(?:is\s+)?(?:an?|the)\s+(?:\w+\s+){{0,3}}?(?:on\s+top\s+of|of|over|derived\s+from|based\s+on)|extends|inherits(?:\s+from)?|subclasses|derives\s+from|implements|conforms\s+to|(?:is\s+)?built\s+on(?:\s+top\s+of)?|builds\s+on)\s+(?:the\s+|an?\s+)?(?:\w+\s+)?{NAME}"
        ))
    });
    let mut found = EXTENDS.as_ref()?.captures_iter(text).filter_map(|found| {
        Some((own_name(found.get(1)?.as_str()), own_name(found.get(2)?.as_str())))
    });
    found.find_map(|(derived, base)| {
        let is_wrong = derived != base
            && has_in_head(base, derived, evidence)
            && !has_in_head(derived, base, evidence);
        is_wrong.then(|| {
            let detail = ReasonDetail::said("it is ").quote(base);
            detail.say(" that is declared with ").quote(derived)
        })
    })
}

/// Whether the delivered head of a type called `declared` names `other`.
fn has_in_head(declared: &str, other: &str, evidence: &RunEvidence<'_>) -> bool {
    evidence.declared(declared).iter().any(|(path, declaration)| {
        let lines = evidence.file(path).into_iter();
        let mut lines = lines.flat_map(|file| file.lines_in(declaration.range));
        let heads = evidence.structure(path).into_iter().flat_map(|of| &of.heads);
        let mut heads = heads.filter(|(range, _)| *range == declaration.range);
        !declaration.is_function()
            && (heads.any(|(_, head)| has_word(head, other) && has_word(head, declared))
                || lines
                    .find(|(_, line)| has_word(line, declared))
                    .is_some_and(|(_, line)| has_word(line, other)))
    })
}

/// Finds "wraps `a` into `b`" and "passes `a` to `b`" where the lines have `b` among the arguments of `a` and nowhere `a` among
/// those of `b`.
fn wrong_nesting(text: &str, evidence: &RunEvidence<'_>) -> Option<ReasonDetail> {
    static INTO: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"\b(?:wraps?|wrapping|wrapped|passe[sd]|pass|passing|hands?|handed|gives?|given|feeds?|fed|puts?)\s+(?P<a>[^,;.→]{2,60}?)\s+(?:into|in|to|inside)\s+(?P<b>[^,;.→]{2,60})",
        )
    });
    INTO.as_ref()?.captures_iter(text).find_map(|found| {
        let inner = shown_name(found.name("a")?.as_str(), evidence)?;
        let outer = shown_name(found.name("b")?.as_str(), evidence)?;
        let is_wrong = inner != outer
            && is_argument(&outer, &inner, evidence)
            && !is_argument(&inner, &outer, evidence);
        is_wrong.then(|| {
            let detail = ReasonDetail::said("it is ").quote(&outer);
            detail.say(" that is put into ").quote(&inner)
        })
    })
}

/// Returns the name of code in a phrase, or the delivered name whose parts are its words: "a logged throttle" is
/// `newLoggedThrottle`.
fn shown_name(phrase: &str, evidence: &RunEvidence<'_>) -> Option<String> {
    static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| literal_regex(r"`([^`]+)`"));
    if let Some(code) = CODE.as_ref()?.captures(phrase).and_then(|found| found.get(1)) {
        return words_of(code.as_str()).last().map(str::to_owned);
    }
    let words: Vec<&str> = words_of(phrase).filter(|word| word.len() > 3).collect();
    if words.len() < 2 {
        return None;
    }
    let is_it = |name: &&str| {
        let parts = words_in(name);
        parts.len() > 1 && words.iter().all(|word| parts.contains(*word))
    };
    let lines = evidence.current_lines().map(|(_, _, line)| line);
    lines.flat_map(words_of).find(is_it).map(str::to_owned)
}

/// Whether a delivered statement has `inner` between the parentheses behind `outer`.
fn is_argument(inner: &str, outer: &str, evidence: &RunEvidence<'_>) -> bool {
    evidence.context.ledger.files().any(|file| {
        file.delivered.runs().iter().any(|run| {
            let lines: Vec<&str> = file.lines_in(*run).map(|(_, line)| line).collect();
            is_nested(&lines.join("\n"), inner, outer)
        })
    })
}

/// Words that stand where a sentence could name a function: "and calls `b`", "`a` calls it".
const NO_NAMES: &str =
    "it them this that one its each all the and or then which also who is are was be gets but";

/// Words before a noun that says when or where something is called.
const PREPOSITIONS: &str = "on at after before during upon under in for";

/// Words before what something is done with.
const INSTRUMENTS: &str = "by from through using via with";

/// Words before what something is handed to.
const RECIPIENTS: &str = "to into with";

/// Finds "a calls b" and "a is called by b" where the body of the caller was delivered and does not name the other, and "a runs
/// b" where it is b that calls a.
fn wrong_call(step: &str, evidence: &RunEvidence<'_>) -> Option<ReasonDetail> {
    let is_name = |name: &str| is_code(name, step) || !evidence.declared(own_name(name)).is_empty();
    // "All codes except `NO_ERROR` …, then calls `a`" is not about the constant.
    let is_constant = |name: &str| {
        let is_spelled_so = !own_name(name).contains(|c: char| c.is_lowercase());
        is_spelled_so && !evidence.declared(own_name(name)).iter().any(|it| it.1.is_function())
    };
    let claimed = claimed_calls(step).filter(|call| is_name(call.caller) && is_name(call.callee));
    // "Marks the scope closed, then calls `a`", "picks `b`, calls `a`", "does it by `b`, calls `a`": what stands before a comma is
    // the object of another verb or a preposition.
    let is_object = |name: &str| {
        let forms = [format!(" {name}, "), format!(" `{name}`, ")];
        let mut parts = forms.iter().filter_map(|form| step.split_once(form.as_str()));
        parts.next().is_some_and(|(before, behind)| {
            let last = before.split_whitespace().next_back();
            let verb = last.filter(|word| is_third_person(word) || is_listed(INSTRUMENTS, word));
            let is_relative = ["which ", "that "].iter().any(|word| behind.starts_with(word));
            !is_code(name, step) || (verb.is_some() && !is_relative)
        })
    };
    let mut claimed = claimed.filter(|call| !is_constant(call.caller) && !is_object(call.caller));
    claimed.find_map(|ClaimedCall { caller, callee, is_literal }| {
        let calls_back = || calls(callee, caller, evidence) == Call::Yes;
        let is_wrong = match calls(caller, callee, evidence) {
            Call::Yes => false,
            _ if is_call_through_another(step, caller, callee, evidence) => false,
            _ if !is_literal => is_code(caller, step) && is_code(callee, step) && calls_back(),
            Call::No => true,
            Call::Unknown => {
                let are_code = is_code(caller, step) && is_code(callee, step);
                (calls_back() && !has_unread_overload(caller, callee, evidence))
                    || (are_code && !evidence.is_followed(own_name(caller), own_name(callee)))
            }
        };
        is_wrong.then(|| {
            let detail = ReasonDetail::quoted(caller).say(" does not call ").quote(callee);
            detail.say(" in the delivered lines")
        })
    })
}

/// Finds "`a`, its caller" and "`a`, which called it" where `a` calls nothing that the text names, and something of that calls `a`.
fn wrong_caller(text: &str, evidence: &RunEvidence<'_>) -> Option<ReasonDetail> {
    static CALLER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"{NAME},\s+(?:its\s+(?:only\s+)?caller\b|which\s+(?:called|invoked)\s+it\b)"
        ))
    });
    static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| literal_regex(NAME));
    let caller = CALLER.as_ref()?.captures(text)?.get(1)?.as_str();
    let names = CODE.as_ref()?.captures_iter(text).filter_map(|found| found.get(1));
    let others: Vec<&str> = names
        .map(|name| name.as_str())
        .filter(|name| is_code(name, text) && own_name(name) != own_name(caller))
        .collect();
    let is_wrong = others.iter().all(|other| calls(caller, other, evidence) != Call::Yes)
        && others.iter().any(|other| calls(other, caller, evidence) == Call::Yes);
    is_wrong.then(|| ReasonDetail::quoted(caller).say(" is called there, and is not the caller"))
}

/// Whether the text says "`caller` calls `callee` through `b`", and `caller` calls `b`, which calls `callee`.
fn is_call_through_another(
    step: &str,
    caller: &str,
    callee: &str,
    evidence: &RunEvidence<'_>,
) -> bool {
    static THROUGH: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(r"^[`()]*,?\s+(?:through|via|by\s+way\s+of)\s+(?:the\s+)?{NAME}"))
    });
    let form = THROUGH.as_ref();
    let mut found = step.match_indices(callee).filter_map(|(at, _)| {
        form?.captures(&step[at + callee.len()..])?.get(1).map(|name| name.as_str())
    });
    found.any(|between| {
        calls(caller, between, evidence) == Call::Yes
            && calls(between, callee, evidence) == Call::Yes
    })
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
            r"{NAME},?\s+(?:which\s+|that\s+)?(?:then\s+|first\s+|also\s+|only\s+|directly\s+|itself\s+)?(calls?|invokes?|delegates to|passes (?:it|them|this|these) (?:on )?to|runs|triggers|executes|awaits|starts|uses|wraps|forwards to|dispatches to|falls back to|goes through|(?:is |are |gets )?(?:called|invoked|run|used|started|wrapped|triggered|asked) by|is a call of)\s+(?:both\s+|then\s+)?{NAME}"
        ))
    });
    let found = CALLS.as_ref().map(|form| chained_captures(form, step)).unwrap_or_default();
    let found = found.into_iter().flat_map(|found| claims_of_match(step, &found));
    relative.chain(conjoined_calls(step)).chain(found)
}

/// Returns the calls that a match of "`a` calls `b`" claims, with those of a list: "`a` calls `b`, `c` and then `d`".
fn claims_of_match<'s>(step: &'s str, found: &Captures<'s>) -> Vec<ClaimedCall<'s>> {
    let (Some(whole), Some(first), Some(verb), Some(second)) =
        (found.get(0), found.get(1), found.get(2), found.get(3))
    else {
        return Vec::new();
    };
    let (verb, second) = (verb.as_str(), second.as_str());
    // "`a` of `T` calls `b`": `a` does.
    let member = member_of(&step[..whole.start()]);
    let first = member.unwrap_or(first.as_str());
    // "to call `b`" names no caller, nor does "on shutdown calls `b`" or "`a` in run.py calls `b`".
    let before = step[..whole.start()].split_whitespace().next_back().unwrap_or_default();
    let is_adverbial = is_listed(PREPOSITIONS, before);
    let names_no_caller =
        (["call", "invoke"].contains(&verb) || is_adverbial) && !is_code(first, step);
    // "passes a callback to `a` that calls `b`": it is the callback that does.
    let is_of_object = is_listed(RECIPIENTS, before) && whole.as_str().contains(" that ");
    let is_none = is_listed(NO_NAMES, first) || is_listed(NO_NAMES, second);
    if is_none || names_no_caller || is_of_object || is_file_name(first) || is_file_name(second) {
        return Vec::new();
    }
    let is_passive = verb.ends_with(" by");
    let is_literal = ["call", "invoke", "delegates"].iter().any(|word| verb.contains(word));
    let listed = if is_passive { Vec::new() } else { listed_names(&step[whole.end()..]) };
    let others = std::iter::once(second).chain(listed);
    let others = others.filter(|other| own_name(first) != own_name(other));
    others
        .map(|other| {
            let (caller, callee) = if is_passive { (other, first) } else { (first, other) };
            ClaimedCall { caller, callee, is_literal }
        })
        .collect()
}

/// Returns the name of code in front of a final "of".
fn member_of(before: &str) -> Option<&str> {
    static MEMBER: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(&format!(r"{NAME}\s+of\s+(?:the\s+)?$")));
    MEMBER.as_ref()?.captures(before)?.get(1).map(|name| name.as_str())
}

/// Returns the names of code at the start of `text` that go on with a list of objects: ", `c` and then `d`". A name that a verb
/// follows begins another clause.
fn listed_names(text: &str) -> Vec<&str> {
    static NEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"^(?:,\s+(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?|\s+or\s+){NAME}"
        ))
    });
    static END: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^(?:\s*(?:[.;,)]|$)|\s+(?:and|or|in|before|after|with|on|for|when|if|once|until)\b)",
        )
    });
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(found) = NEXT.as_ref().and_then(|form| form.captures(rest)) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { break };
        rest = &rest[whole.end()..];
        let ends = END.as_ref().is_some_and(|form| form.is_match(rest));
        let is_name = is_code(name.as_str(), text) && !is_file_name(name.as_str());
        if !ends || !is_name {
            break;
        }
        all.push(name.as_str());
    }
    all
}

/// Returns the matches of `form`, each of which may begin with the third group of the one before: "`a` calls `b`, which calls
/// `c`" has two.
fn chained_captures<'s>(form: &Regex, step: &'s str) -> Vec<Captures<'s>> {
    let mut all = Vec::new();
    let mut start = 0;
    while let Some(found) = form.captures_at(step, start) {
        let Some(last) = found.get(3).filter(|last| last.start() > start) else { break };
        start = last.start();
        all.push(found);
    }
    all
}

/// Returns the call of "`a` clears `c` and calls `b`".
fn conjoined_calls(step: &str) -> Option<ClaimedCall<'_>> {
    static CONJOINED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"^\s*{NAME}\s+[a-z]+s\s(?P<between>[^;.→]*?)\s+and\s+(?:then\s+|also\s+|itself\s+)?(?P<verb>calls|invokes|is\s+(?:called|invoked)\s+by)\s+{NAME}"
        ))
    });
    let found = CONJOINED.as_ref()?.captures(step)?;
    let between = found.name("between")?.as_str();
    let has_other_subject = [" which ", " that ", " where ", ", ", " -> ", " => "]
        .iter()
        .any(|word| between.contains(word));
    let (first, second) = (found.get(1)?.as_str(), found.get(4)?.as_str());
    let is_listed_or_same = is_listed(NO_NAMES, first)
        || is_listed(NO_NAMES, second)
        || own_name(first) == own_name(second);
    if has_other_subject || is_listed_or_same {
        return None;
    }
    let is_passive = found.name("verb")?.as_str().ends_with("by");
    let (caller, callee) = if is_passive { (second, first) } else { (first, second) };
    Some(ClaimedCall { caller, callee, is_literal: true })
}

/// Finds "`a` → `b`" where it is `b` that calls `a`. A name behind a variable is left out: which function it is depends on
/// what the variable holds.
fn wrong_order(text: &str, evidence: &RunEvidence<'_>) -> Option<ReasonDetail> {
    successive(text).into_iter().find_map(|(first, second)| {
        let is_wrong = calls(second, first, evidence) == Call::Yes
            && calls(first, second, evidence) != Call::Yes
            && !has_unread_overload(first, second, evidence)
            && !evidence.is_sequence(first, second);
        is_wrong.then(|| {
            let detail = ReasonDetail::said("it is ").quote(second);
            detail.say(" that calls ").quote(first)
        })
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

/// Whether a file has several functions of each name, and lines of one of the callers are missing: that one may make the call.
fn has_unread_overload(caller: &str, callee: &str, evidence: &RunEvidence<'_>) -> bool {
    let functions = |name| {
        let mut functions = declared_as(name, evidence);
        functions.retain(|(_, declaration)| declaration.is_function());
        functions
    };
    let (callers, callees) = (functions(caller), functions(callee));
    callers.iter().any(|(path, declaration)| {
        let has_several =
            |all: &[(&RepoPath, _)]| all.iter().filter(|one| one.0 == *path).count() > 1;
        let shown = evidence.file(path).map_or(0, |file| file.delivered.covered(declaration.range));
        shown < declaration.range.width() && has_several(&callers) && has_several(&callees)
    })
}

fn calls(caller: &str, callee: &str, evidence: &RunEvidence<'_>) -> Call {
    let mut is_declared = false;
    let called = callee;
    let callee = own_name(callee);
    for (path, declaration) in declared_as(caller, evidence) {
        if !declaration.is_function() && declaration.range.width() == 1 {
            continue;
        }
        // Of a body that was not delivered in full nothing can be denied.
        is_declared |= evidence.file(path).is_some_and(|file| {
            file.delivered.covered(declaration.range) == declaration.range.width()
        });
        let has_edge = evidence.structure(path).is_some_and(|structure| {
            structure.relations.iter().any(|relation| {
                relation.direction == RelationDirection::Outgoing
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
    match is_declared && !has_unread_overload(caller, callee, evidence) {
        true => Call::No,
        false if is_known_caller(own_name(caller), called, evidence) => Call::Yes,
        false => Call::Unknown,
    }
}

/// Whether the graph has a call of `callee` by `caller`, which may be of a file that nothing was delivered of.
fn is_known_caller(caller: &str, callee: &str, evidence: &RunEvidence<'_>) -> bool {
    declared_as(callee, evidence).into_iter().any(|(path, declaration)| {
        evidence.structure(path).is_some_and(|structure| {
            structure.relations.iter().any(|relation| {
                relation.direction == RelationDirection::Incoming
                    && relation.is_call
                    && relation.other == caller
                    && declaration.range.overlaps(relation.range)
            })
        })
    })
}
