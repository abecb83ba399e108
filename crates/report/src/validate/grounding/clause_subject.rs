//! Checks the subject of a clause: the function or type that it is about has to be the one that its cited lines belong
//! to. If these are of another function, which has far more of the clause's words than the one that it names, it is true of
//! the other one.

use std::{borrow::Cow, collections::BTreeSet, sync::LazyLock};

use regex::{Captures, Regex};
use retriever_search::Declaration;
use retriever_workspace::RepoPath;
use rustc_hash::FxHashMap;

use super::{
    code_names::{NAME, declared_as, has_body, own_name, owner_of},
    evidence::{DeliveredFunction, LetterCase, MentionEvidence, RunEvidence, rarity, words_of},
    word_forms::stems,
};
use crate::{
    code_mentions_in_prose::{Mention, is_identifier_spelling, mentions},
    prose_normalization::{has_word, is_listed, literal_regex},
    sentence_clauses::{claims, clauses, refers_back, steps},
    validate::citation::Citation,
};

/// Returns the function or type that a fact is about by its first words, if none of its lines is of it. That they name it is
/// not enough.
pub(super) fn other_first_subject<'s>(
    fact: &'s str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<&'s str> {
    let first = steps(fact).first().map_or(fact, |step| step.text);
    let subject = first_subject(first, evidence);
    if let Some(subject) = subject.filter(|subject| !is_described(first, subject)) {
        let is_other = refs.iter().all(|citation| is_about_other(subject, citation, evidence));
        return (is_other && !is_shown_by(first, subject, evidence)).then_some(subject);
    }
    let subject = first_name(first).filter(|name| has_body(own_name(name), evidence))?;
    let is_named = |citation| evidence.is_cited(own_name(subject), citation, LetterCase::Sensitive);
    let is_other = !refs.iter().any(is_named) && !is_shown_by(first, subject, evidence);
    is_other.then_some(subject)
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
        let subject = subjects(step.text, evidence).find(|name| {
            !is_described(step.text, name)
                && refs.iter().all(|citation| {
                    is_about_other(name, citation, evidence)
                        && !evidence.is_cited(own_name(name), citation, LetterCase::Sensitive)
                })
        })?;
        (!is_shown_by(step.text, subject, evidence)).then_some(subject)
    })
}

/// Returns the function or type that the reason of a place is about by its first words, if the place is inside of a function
/// that neither is it nor names it.
pub(super) fn other_place_subject<'s>(
    why: &'s str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<&'s str> {
    let first = steps(why).first().map_or(why, |step| step.text);
    let subject = first_subject(first, evidence)?;
    let is_other = refs.iter().all(|citation| {
        evidence.overlapping(citation).any(|declaration| declaration.kind == "function")
            && is_about_other(subject, citation, evidence)
            && !evidence.is_cited(own_name(subject), citation, LetterCase::Sensitive)
    });
    (is_other && !is_shown_by(first, subject, evidence)).then_some(subject)
}

/// Returns the function or type that a clause is about if none of the cited lines is of it, or if nothing at all was delivered
/// of it. That other lines of the run name it, or an edge of the graph, does not show what it does.
pub(super) fn unshown_subject<'s>(
    step: &'s str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<&'s str> {
    let subject = first_subject(step, evidence).filter(|_| !refs.is_empty())?;
    let own = own_name(subject);
    if is_described(step, subject) && evidence.is_delivered(own) {
        return None;
    }
    let is_named = |citation| evidence.is_cited(own, citation, LetterCase::Sensitive);
    let is_other = refs.iter().all(|citation| is_about_other(subject, citation, evidence))
        || (!refs.iter().any(is_named) && has_body(own, evidence))
        || (is_identifier_spelling(own)
            && !evidence.is_delivered(own)
            && !has_word(&evidence.context.question.text, own));
    is_other.then_some(subject)
}

/// Whether a clause is about what `name` does, a function or type of which no line is cited.
pub(super) fn is_acting(
    name: &str,
    step: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> bool {
    let is_cited = || {
        evidence.declared(name).iter().any(|(path, declaration)| {
            refs.iter().any(|own| own.path == **path && own.range.overlaps(declaration.range))
        })
    };
    has_body(name, evidence)
        && subjects(step, evidence).any(|subject| own_name(subject) == name)
        && !is_cited()
}

/// Whether lines of the body of a function or type were delivered, beyond the one that names it.
pub(super) fn is_body_delivered(name: &str, evidence: &RunEvidence<'_>) -> bool {
    bodies(name, evidence).any(|body| {
        let shown = evidence.file(&body.path).map_or(0, |file| file.delivered.covered(body.range));
        shown * 2 > body.range.width()
    })
}

/// Whether the delivered lines of a function or type, one of which may be a call that the search for callers shows, have every
/// name that its first clause has beside it. What the clause says of them is not asked.
pub(super) fn is_named_by_body(step: &str, name: &str, evidence: &RunEvidence<'_>) -> bool {
    let own = own_name(name);
    let mut told = claims(step).into_iter().filter(|clause| has_word(clause, own));
    told.next().is_some_and(|clause| is_shown_by(&without_asides(clause), name, evidence))
}

/// Returns a clause without what it has in parentheses. The arguments of a call stay.
fn without_asides(clause: &str) -> Cow<'_, str> {
    static ASIDE: LazyLock<Option<Regex>> = LazyLock::new(|| literal_regex(r"\s\([^()]*\)"));
    let aside = ASIDE.as_ref();
    aside.map_or(Cow::Borrowed(clause), |aside| aside.replace_all(clause, ""))
}

/// Whether a function of this name was delivered in full and has all words of the clause of `text` that names it.
pub(super) fn is_told_by_body(text: &str, name: &str, evidence: &RunEvidence<'_>) -> bool {
    let own = own_name(name);
    let mut told = claims(text).into_iter().filter(|clause| has_word(clause, own));
    let Some(clause) = told.next() else { return false };
    let words: BTreeSet<String> = &stems(clause) - &stems(name);
    let declared = declared_as(name, evidence);
    !words.is_empty()
        && evidence.functions().iter().any(|function| {
            words.iter().all(|word| function.says(word))
                && declared.iter().any(|(path, declaration)| {
                    *path == function.path && *declaration == function.declaration
                })
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
            // `Response.json` reads like a file.
            Mention::File(name) => name != subject,
            _ => true,
        })
        .collect();
    !others.is_empty()
        && bodies(subject, evidence).any(|body| {
            let body = std::slice::from_ref(&body);
            others.iter().all(|mention| evidence.find(mention, body, &[]) == MentionEvidence::Cited)
        })
}

/// Returns the name that a clause starts with, directly or behind a lead-in. A plain word counts only in backticks, as a part
/// of a qualified name, or if a declaration has it and it does something: "Limits accepts", not "Limits accept".
pub(super) fn first_subject<'s>(step: &'s str, evidence: &RunEvidence<'_>) -> Option<&'s str> {
    static START: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"^\s*(?:(?:Only|Both|Then|then)\s+|(?:If|When|For|Before|After|Once|While|Without|With|As|On|At|Unless)\b[^,`]*,\s+)?(?:{NAME}\s+[a-z]+|In\s+{NAME})"
        ))
    });
    let found = START.as_ref()?.captures(step)?;
    // "`a` only if" is the object of the step before.
    let behind = found.get(0).map_or("", |whole| &step[whole.end()..]);
    if step[..step.len() - behind.len()].ends_with(" only") && starts_condition(behind) {
        return None;
    }
    code_name(&found).or_else(|| {
        let name = found.get(1)?.as_str();
        let (first, verb) = step.trim_start().split_once(' ')?;
        let verb = verb.split(' ').next().unwrap_or_default();
        let does = verb.len() > 3 && verb.ends_with('s') && !verb.ends_with("ss");
        (first == name && does && has_body(name, evidence)).then_some(name)
    })
}

/// Whether a text goes on with when something is done, not with what is done.
fn starts_condition(text: &str) -> bool {
    const CONDITIONS: &str = "if when once after before for while until on in from at by to with";
    text.split_whitespace().next().is_some_and(|word| is_listed(CONDITIONS, word))
}

/// Returns the first name of code in a clause, unless it stands as an object.
fn first_name(step: &str) -> Option<&str> {
    static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| literal_regex(NAME));
    let mut names = CODE.as_ref()?.captures_iter(step).filter_map(|found| {
        let (whole, name) = (found.get(0)?, found.get(1)?.as_str());
        let is_code = whole.as_str().starts_with('`') || is_identifier_spelling(name);
        is_code.then_some((&step[..whole.start()], name))
    });
    names.next().filter(|(before, _)| !is_object(before)).map(|(_, name)| name)
}

/// Returns the names that a clause is about: its first one, those before a verb, one behind a final "in".
fn subjects<'s>(step: &'s str, evidence: &RunEvidence<'_>) -> impl Iterator<Item = &'s str> {
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

/// Whether `step` says what `subject` is or has rather than what it does. Lines that only name it can show that.
pub(super) fn is_described(step: &str, subject: &str) -> bool {
    // "`a` is what calls it" and "`a` is used to call it" are about a doing.
    const DOINGS: &str = "what that which responsible used";
    // "`a` runs on every change" is about whoever runs it.
    const OCCASIONS: &str = "on when whenever at after before once during in from only";
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = step.match_indices(subject).map(|(at, _)| (at, at + subject.len()));
    let own = found
        .find(|(at, end)| !step[..*at].ends_with(is_name) && !step[*end..].starts_with(is_name));
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

/// Returns the lines of every declaration of a name of which lines were delivered.
fn bodies(name: &str, evidence: &RunEvidence<'_>) -> impl Iterator<Item = Citation> {
    let delivered =
        |path, range| evidence.file(path).is_some_and(|file| file.delivered.covered(range) > 0);
    declared_as(name, evidence)
        .into_iter()
        .filter(move |(path, declaration)| delivered(path, declaration.range))
        .map(|(path, declaration)| Citation { path: path.clone(), range: declaration.range })
}

/// Whether the cited lines stand inside declarations and none of them is `name`, a function or type that is declared
/// elsewhere. Of `Type.name` the type has to be around the lines too, or be related to what is.
fn is_about_other(name: &str, citation: &Citation, evidence: &RunEvidence<'_>) -> bool {
    let own = own_name(name);
    let declared = evidence.declared(own);
    if !has_body(own, evidence)
        || evidence.overlapping(citation).next().is_none()
        || sets_member(citation, own, evidence)
    {
        return false;
    }
    let is_around = declared.iter().any(|(path, declaration)| {
        **path == citation.path
            && evidence.with_comment(path, declaration.range).overlaps(citation.range)
    }) || evidence.is_member_of(citation, own);
    let is_other_owner = owner_of(name).is_some_and(|owner| {
        evidence.declared(owner).iter().any(|(_, declaration)| declaration.range.width() > 1)
            && !evidence.is_cited(owner, citation, LetterCase::Sensitive)
    });
    !is_around || is_other_owner
}

/// Whether cited lines set a member of their object that has the name, which may be declared as its reader elsewhere:
/// `@name = `, `self.name = `.
fn sets_member(citation: &Citation, name: &str, evidence: &RunEvidence<'_>) -> bool {
    const OBJECTS: [&str; 5] = ["@", "self.", "this.", "$this->", "this->"];
    let lines = evidence.file(&citation.path).into_iter();
    let mut lines = lines.flat_map(|file| file.lines_in(citation.range));
    lines.any(|(_, line)| {
        let line = line.trim_start();
        let member = OBJECTS.iter().find_map(|object| line.strip_prefix(object));
        let after = member.and_then(|member| member.strip_prefix(name)).map(str::trim_start);
        let is_set = |after: &str| {
            let value = after.strip_prefix('=').filter(|value| !value.starts_with(['=', '~', '>']));
            value.is_some() || after.starts_with("||=")
        };
        after.is_some_and(is_set)
    })
}

/// How many times better a clause has to fit another function than the one that it names.
const RATIO: f64 = 2.0;
/// How much of a clause the other function has to have besides.
const MARGIN: f64 = 0.3;
/// How much for certainty.
const CERTAIN_MARGIN: f64 = 1.5;
/// What a name of code counts beside the words of which it consists.
const NAME_WEIGHT: f64 = 0.5;

/// That a clause is true of another function than the one it names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Attribution<'s> {
    /// The function that it names.
    pub(super) named: &'s str,
    /// Whether it fits the other one beyond doubt.
    pub(super) is_certain: bool,
}

/// Returns the first clause of `text` that describes another function than it names.
pub(super) fn misattributed<'s>(
    text: &'s str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<Attribution<'s>> {
    let mut last = None;
    let clauses = steps(text).into_iter().flat_map(|step| clauses(step.text));
    let mut all = clauses.flat_map(|clause| parts_by_subject(clause, refs, evidence));
    all.find_map(|(subject, clause)| {
        // "`a` is true" tells no doing of `a`.
        let doer = || first_subject(clause, evidence).filter(|name| !is_described(clause, name));
        let own = agent(clause).or(subject).or_else(doer);
        let named = own.or_else(|| last.filter(|_| refers_back(clause)));
        last = own.or(last);
        let named = named?;
        let owners = owners(named, refs, evidence)?;
        let rivals = rivals(&owners, refs, evidence);
        let is_near = |function: &&DeliveredFunction<'_>| {
            refs.iter().any(|own| own.path == *function.path)
                || owners.iter().any(|owner| owner.path == function.path)
        };
        let near = evidence.functions().iter().filter(is_near);
        let description = Description::new(clause, named, near);
        let best = |all: &[&DeliveredFunction<'_>]| {
            all.iter().map(|function| description.fit(function)).fold(0.0, f64::max)
        };
        let (own_fit, other_fit) = (best(&owners), best(&rivals));
        let exceeds = |margin: f64| other_fit >= margin + RATIO * own_fit;
        let is_certain = exceeds(CERTAIN_MARGIN) && own.is_some();
        exceeds(MARGIN).then_some(Attribution { named, is_certain })
    })
}

/// Splits a clause where its subject gives way to another one and both have cited lines: "`a` gives 1 and `b` 2". Each part but the
/// first comes with its subject.
fn parts_by_subject<'s>(
    clause: &'s str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Vec<(Option<&'s str>, &'s str)> {
    static OTHER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // Behind a name, a further one belongs to the same list.
        literal_regex(&format!(
            r"[^\s`)](?:,\s+(?:and\s+|or\s+)?|\s+(?:and|or)\s+){NAME}\s+(?:\w{{2,}}s|to|for|from|by|with|only|on|in|at)\b"
        ))
    });
    let is_cited = |name: &str| {
        let declared = declared_as(name, evidence);
        declared.iter().any(|(path, declaration)| {
            declaration.kind == "function"
                && refs
                    .iter()
                    .any(|own| own.path == **path && own.range.overlaps(declaration.range))
        })
    };
    let first = first_subject(clause, evidence).filter(|name| is_cited(name));
    let others = first.into_iter().flat_map(|first| {
        let found = OTHER.as_ref().into_iter().flat_map(|form| form.captures_iter(clause));
        let names = found.filter_map(|found| found.get(1));
        names.filter(move |name| own_name(name.as_str()) != own_name(first))
    });
    let mut parts = Vec::new();
    let (mut subject, mut start) = (None, 0);
    let is_meant =
        |name: &str| is_cited(name) && super::code_names::is_code(own_name(name), clause);
    for name in others.filter(|name| is_meant(name.as_str())) {
        parts.push((subject, &clause[start..name.start()]));
        (subject, start) = (Some(name.as_str()), name.start());
    }
    parts.push((subject, &clause[start..]));
    parts
}

/// Returns the function behind "by `a`" or "which `a` reads".
fn agent(clause: &str) -> Option<&str> {
    static AGENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"(?:\b(?:is|are|gets?)\s+(?:\w+ly\s+|only\s+|also\s+)?\w+(?:ed|en|wn|ne|id|lt|pt|ad|un|et)\s+by|\b(?:which|that))\s+{NAME}(?:\s+\w+s\b|\s*[.,;)]|\s*$|\s+(?:as|in|for|from|to|on|at|when|if))"
        ))
    });
    let found = AGENT.as_ref()?.captures(clause)?;
    let is_code = found.get(0)?.as_str().contains('`');
    found.get(1).map(|name| name.as_str()).filter(|_| is_code)
}

/// Returns the functions that a name stands for, if all of them were delivered in full. Those of the cited lines come before
/// others of that name, such as the methods of other types.
fn owners<'e, 'a>(
    name: &str,
    refs: &[Citation],
    evidence: &'e RunEvidence<'a>,
) -> Option<Vec<&'e DeliveredFunction<'a>>> {
    let mut declared = declared_as(name, evidence);
    let is_cited = |(path, declaration): &(&RepoPath, &Declaration)| {
        refs.iter().any(|own| own.path == **path && own.range.overlaps(declaration.range))
    };
    if declared.iter().any(is_cited) {
        declared.retain(is_cited);
    }
    let delivered = |(path, declaration): (&RepoPath, &Declaration)| {
        let mut functions = evidence.functions().iter();
        functions.find(|function| function.path == path && function.declaration == declaration)
    };
    let owners: Option<Vec<_>> = declared.into_iter().map(delivered).collect();
    owners.filter(|owners| !owners.is_empty())
}

/// Returns the delivered functions of the cited lines that are neither `owners`, nor around or inside of one, nor called by
/// one, nor its callers, nor members of an object that one names.
fn rivals<'e, 'a>(
    owners: &[&DeliveredFunction<'a>],
    refs: &[Citation],
    evidence: &'e RunEvidence<'a>,
) -> Vec<&'e DeliveredFunction<'a>> {
    let is_apart = |function: &&DeliveredFunction<'_>| {
        let name = &function.declaration.name;
        let object = evidence.object_around(function);
        !owners.iter().any(|owner| {
            owner.overlaps(function)
                || owner.has(name)
                || object.is_some_and(|object| owner.has(object))
                || function.has(&owner.declaration.name)
                || owner.declaration.name == *name
        })
    };
    let cited = evidence.functions().iter().filter(|function| function.is_cited(refs));
    cited.filter(is_apart).collect()
}

/// What a clause says beside the function that it names.
struct Description {
    /// Its words, each with how much it tells among the functions of the files in question.
    words: FxHashMap<String, f64>,
    names: BTreeSet<String>,
}

impl Description {
    fn new<'f>(
        clause: &str,
        named: &str,
        functions: impl Iterator<Item = &'f DeliveredFunction<'f>>,
    ) -> Self {
        let own = stems(named);
        let words: Vec<String> =
            stems(clause).into_iter().filter(|word| !own.contains(word)).collect();
        let qualifiers: BTreeSet<&str> = words_of(named).collect();
        let names = mentions(clause).into_iter().filter_map(|mention| match mention {
            Mention::Identifier(name) | Mention::Word(name) => Some(name),
            _ => None,
        });
        let names = names.filter(|name| !qualifiers.contains(name.as_str())).collect();
        Self { words: rarity(&words, functions.map(|function| &function.stems)), names }
    }

    /// Returns how much of it a function has.
    fn fit(&self, function: &DeliveredFunction<'_>) -> f64 {
        let words = self.words.iter().filter(|(word, _)| function.stems.contains(*word));
        let names = self.names.iter().filter(|name| function.has(name)).count();
        words.map(|(_, weight)| weight).sum::<f64>() + NAME_WEIGHT * names as f64
    }
}
