//! Finds clauses that are true of another function: the cited lines belong to a function that has far more of the
//! clause's words than the function that the clause names.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;
use retriever_search::Declaration;
use retriever_workspace::RepoPath;
use rustc_hash::FxHashMap;

use super::{
    code_names::{NAME, declared_as, is_code, own_name},
    evidence::{DeliveredFunction, RunEvidence, rarity, words_of},
    imperative_objects::is_third_person,
    subject_of_clause::{first_subject, is_described},
    word_forms::stems,
};
use crate::{
    code_mentions_in_prose::{Mention, mentions},
    prose_normalization::literal_regex,
    sentence_clauses::{clauses, refers_back, steps},
    validate::citation::{Citation, cites_part},
};

// The unit is one rare word (`rarity`), of which a frequent one is a part. The values were set by hand. A change of them is
// judged by `retriever eval grounding --half build`; no figures for other values are recorded.

/// How many times better a clause must fit another function than the function that it names.
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
    /// The one that it describes, if lines of both are cited.
    pub(super) described: Option<String>,
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
        let callees = callees_beside(clause, &owners, evidence);
        let mut rivals = rivals(&owners, refs, evidence);
        rivals.retain(|rival| !callees.iter().any(|callee| std::ptr::eq(*callee, *rival)));
        let is_near = |function: &&DeliveredFunction<'_>| {
            refs.iter().any(|own| own.path == *function.path)
                || owners.iter().any(|owner| owner.path == function.path)
        };
        let near = evidence.functions().iter().filter(is_near);
        let description = Description::new(clause, named, near);
        let best = |all: &[&DeliveredFunction<'_>]| {
            all.iter().map(|function| description.fit(function)).fold(0.0, f64::max)
        };
        let (own_fit, other_fit) = (best(&owners).max(best(&callees)), best(&rivals));
        let exceeds = |margin: f64| other_fit >= margin + RATIO * own_fit;
        let is_certain = exceeds(CERTAIN_MARGIN) && own.is_some();
        let described = || {
            let both_cited = owners.iter().any(|owner| owner.is_cited(refs));
            let mut fitting = rivals.iter().filter(|one| description.fit(one) >= other_fit);
            Some(fitting.next().filter(|_| both_cited)?.declaration.name.clone())
        };
        exceeds(MARGIN).then(|| Attribution { named, described: described(), is_certain })
    })
}

/// Returns the functions that a clause names beside what its subject does, and that one of `owners` calls, directly or not: "`a`
/// asks the nearest (`b`)", "through `b`". What is said may be their doing.
fn callees_beside<'e, 'a>(
    clause: &str,
    owners: &[&'e DeliveredFunction<'a>],
    evidence: &'e RunEvidence<'a>,
) -> Vec<&'e DeliveredFunction<'a>> {
    static BESIDE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"\s\({NAME}\)|\b(?:through|via|using|by\s+way\s+of)\s+(?:the\s+)?{NAME}"
        ))
    });
    let found = BESIDE.as_ref().into_iter().flat_map(|form| form.captures_iter(clause));
    let named: Vec<&str> = found
        .filter_map(|found| found.get(1).or_else(|| found.get(2)))
        .map(|name| own_name(name.as_str()))
        .collect();
    let mut reached = if named.is_empty() { Vec::new() } else { owners.to_vec() };
    let mut at = 0;
    while let Some(caller) = reached.get(at).copied() {
        at += 1;
        let (path, range) = (caller.path, caller.declaration.range);
        let called = evidence.functions().iter().filter(|function| {
            evidence.is_in_code(path, range, &function.declaration.name)
                && !reached.iter().any(|known| std::ptr::eq(*known, *function))
        });
        let called: Vec<_> = called.collect();
        reached.extend(called);
    }
    reached.retain(|function| named.contains(&function.declaration.name.as_str()));
    reached
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
            r"[^\s`)](?P<join>,\s+(?:and\s+|or\s+)?|\s+(?:and|or)\s+){NAME}\s+(?P<next>\w{{2,}}s|to|for|from|by|with|only|on|in|at)\b"
        ))
    });
    let is_cited = |name: &str| {
        let declared = declared_as(name, evidence);
        declared.iter().any(|(path, declaration)| {
            declaration.is_function() && cites_part(refs, path, declaration.range)
        })
    };
    let first = first_subject(clause, evidence).filter(|name| is_cited(name));
    let others = first.into_iter().flat_map(|first| {
        let found = OTHER.as_ref().into_iter().flat_map(|form| form.captures_iter(clause));
        let names = found.filter_map(|found| {
            let name = found.get(2)?;
            // A plain word is a name where it does something: "and next returns".
            let is_doing = found["join"].ends_with("d ") && is_third_person(&found["next"]);
            let is_meant = is_doing || is_code(own_name(name.as_str()), clause);
            (is_meant && is_cited(name.as_str())).then_some(name)
        });
        names.filter(move |name| own_name(name.as_str()) != own_name(first))
    });
    let mut parts = Vec::new();
    let (mut subject, mut start) = (None, 0);
    for name in others {
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
    let is_cited =
        |(path, declaration): &(&RepoPath, &Declaration)| cites_part(refs, path, declaration.range);
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
