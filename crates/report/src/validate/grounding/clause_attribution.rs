//! Finds clauses that name the wrong function: everything that they say is in another function, and nothing of it in the
//! one that they name.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;
use rustc_hash::FxHashMap;

use super::{
    clause_subject::{first_subject, is_described},
    code_names::{NAME, declared_as},
    evidence::{RunEvidence, words_of},
    sentence_clauses::{clauses, refers_back, steps},
    word_forms::stems,
};
use crate::{
    mentions_in_prose::{Mention, mentions},
    prose::literal_regex,
    validate::citation::Citation,
};
use retriever_search::Declaration;
use retriever_workspace::{LineRange, RepoPath};

/// That a clause is true of another function than the one it names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Attribution<'s> {
    /// The function that it names.
    pub(super) named: &'s str,
    /// Whether names of code show it, not only words.
    pub(super) is_certain: bool,
}

/// Returns the first clause of `text` that describes another function than it names.
pub(super) fn misattributed<'s>(
    text: &'s str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<Attribution<'s>> {
    let mut last = None;
    let mut all = steps(text).into_iter().flat_map(|step| clauses(step.text));
    all.find_map(|clause| {
        // "`a` is true" tells no doing of `a`.
        let doer = || first_subject(clause, evidence).filter(|name| !is_described(clause, name));
        let own = agent(clause).or_else(doer);
        let named = own.or_else(|| last.filter(|_| refers_back(clause)));
        last = own.or(last);
        let named = named?;
        let owners = owners(named, refs, evidence)?;
        let rivals = rivals(&owners, refs, evidence);
        if rivals.is_empty() {
            return None;
        }
        let comparison = Comparison { clause, named, owners: &owners, rivals: &rivals, evidence };
        let is_shown = comparison.names_show();
        let is_other = is_shown || comparison.words_show();
        // A function that is not cited may do more than was looked at.
        let is_cited = owners.iter().all(|owner| owner.is_cited(refs));
        let is_certain = is_shown && is_cited && own.is_some();
        is_other.then_some(Attribution { named, is_certain })
    })
}

/// A function with its delivered text: its comment, its lines, and what the graph joins to them.
struct Body<'a> {
    path: &'a RepoPath,
    declaration: &'a Declaration,
    words: BTreeSet<&'a str>,
    parts: BTreeSet<String>,
    related: BTreeSet<&'a str>,
}

impl Body<'_> {
    fn is_cited(&self, refs: &[Citation]) -> bool {
        refs.iter().any(|own| own.path == *self.path && own.range.overlaps(self.declaration.range))
    }

    fn has(&self, name: &str) -> bool {
        self.words.contains(name)
            || self.related.contains(name)
            || self.words.iter().any(|word| word.eq_ignore_ascii_case(name))
    }
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

/// Returns the functions of a name, if all of them were delivered in full. Those in the cited lines come first, before
/// methods of that name of other types.
fn owners<'a>(name: &str, refs: &[Citation], evidence: &RunEvidence<'a>) -> Option<Vec<Body<'a>>> {
    let mut declared = declared_as(name, evidence);
    let is_cited = |(path, declaration): &(&RepoPath, &Declaration)| {
        refs.iter().any(|own| own.path == **path && own.range.overlaps(declaration.range))
    };
    if declared.iter().any(is_cited) {
        declared.retain(is_cited);
    }
    let all_known = declared.iter().all(|(path, declaration)| {
        declaration.kind == "function" && is_delivered(path, declaration.range, evidence)
    });
    (all_known && !declared.is_empty()).then(|| {
        let bodies = declared.into_iter();
        bodies.map(|(path, declaration)| body(path, declaration, evidence)).collect()
    })
}

fn is_delivered(path: &RepoPath, range: LineRange, evidence: &RunEvidence<'_>) -> bool {
    evidence.file(path).is_some_and(|file| file.delivered.covered(range) == range.width())
}

fn body<'a>(
    path: &'a RepoPath,
    declaration: &'a Declaration,
    evidence: &RunEvidence<'a>,
) -> Body<'a> {
    let mut words = BTreeSet::new();
    let mut parts = BTreeSet::new();
    let first = evidence.comment_start(path, declaration.range.start());
    let range = LineRange::new(first, declaration.range.end()).unwrap_or(declaration.range);
    for (_, line) in evidence.file(path).into_iter().flat_map(|file| file.lines_in(range)) {
        words.extend(words_of(line));
        parts.extend(stems(line));
    }
    let relations = evidence.structure(path).map_or(&[][..], |of| of.relations.as_slice());
    let joined = relations.iter().filter(|relation| relation.range.overlaps(declaration.range));
    let related = joined
        .flat_map(|relation| [Some(relation.other.as_str()), relation.other_container.as_deref()]);
    Body { path, declaration, words, parts, related: related.flatten().collect() }
}

/// Returns the delivered functions of the cited files that are neither `owners`, nor around or inside of one, nor called by
/// one, nor its callers.
fn rivals<'a>(owners: &[Body<'a>], refs: &[Citation], evidence: &RunEvidence<'a>) -> Vec<Body<'a>> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for citation in refs {
        for declaration in evidence.overlapping(citation) {
            let Some(file) = evidence.file(&citation.path) else { continue };
            let path = &file.stamp.path;
            let range = declaration.range;
            let is_apart = owners
                .iter()
                .all(|owner| owner.path != path || !owner.declaration.range.overlaps(range));
            if declaration.kind != "function"
                || !is_apart
                || !is_delivered(path, range, evidence)
                || !seen.insert((path, range))
            {
                continue;
            }
            let rival = body(path, declaration, evidence);
            let is_joined = owners.iter().any(|owner| {
                owner.has(&declaration.name)
                    || rival.has(&owner.declaration.name)
                    || owner.declaration.name == declaration.name
            });
            if !is_joined {
                all.push(rival);
            }
        }
    }
    all
}

/// A clause, and the functions that it may be true of.
struct Comparison<'c, 'a> {
    clause: &'c str,
    named: &'c str,
    owners: &'c [Body<'a>],
    rivals: &'c [Body<'a>],
    evidence: &'c RunEvidence<'a>,
}

impl Comparison<'_, '_> {
    /// Whether a rival has every name of the clause, and no owner has all of them, itself or in a function that it calls.
    fn names_show(&self) -> bool {
        let Self { clause, named, owners, rivals, evidence } = *self;
        let qualifiers: BTreeSet<&str> = words_of(named).collect();
        let names: BTreeSet<String> = mentions(clause)
            .into_iter()
            .filter_map(|mention| match mention {
                Mention::Identifier(name) | Mention::Word(name) => Some(name),
                _ => None,
            })
            .filter(|name| !qualifiers.contains(name.as_str()))
            .collect();
        if names.is_empty() {
            return false;
        }
        let lacks = |owner: &Body<'_>| {
            names.iter().any(|name| !owner.has(name) && !is_reached(name, owner, evidence))
        };
        owners.iter().all(lacks)
            && rivals.iter().any(|rival| names.iter().all(|name| rival.has(name)))
    }

    /// Whether the words of a clause are those of a rival rather than of an owner. Rare words count more.
    fn words_show(&self) -> bool {
        const LEAST: f64 = 2.0;
        let Self { clause, named, owners, rivals, evidence } = *self;
        let own = stems(named);
        let words: BTreeSet<String> =
            stems(clause).into_iter().filter(|word| !own.contains(word)).collect();
        let weights = weights(&words, evidence);
        let score = |body: &Body<'_>| -> f64 {
            let held = words.iter().filter(|word| body.parts.contains(*word));
            held.filter_map(|word| weights.get(word.as_str())).sum()
        };
        let best_owner = owners.iter().map(score).fold(0.0, f64::max);
        let best_rival = rivals.iter().map(score).fold(0.0, f64::max);
        best_rival >= LEAST && best_rival >= 2.5 * best_owner.max(0.5)
    }
}

/// Whether a function that `owner` names, or one that was not delivered, can have `name`.
fn is_reached(name: &str, owner: &Body<'_>, evidence: &RunEvidence<'_>) -> bool {
    let called = owner.words.iter().flat_map(|word| evidence.declared(word));
    let mut called = called.filter(|(path, found)| {
        found.range.width() > 1 && (*path, found.range) != (owner.path, owner.declaration.range)
    });
    called.any(|(path, found)| {
        evidence.is_in_lines(path, found.range, name)
            && !found.range.covers(owner.declaration.range)
    })
}

/// Returns the weight of each word that is delivered: the rarer in the lines, the more.
fn weights<'w>(words: &'w BTreeSet<String>, evidence: &RunEvidence<'_>) -> FxHashMap<&'w str, f64> {
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    let mut lines = 0_u32;
    for parts in evidence.line_stems() {
        lines += 1;
        for word in words.iter().filter(|word| parts.contains(*word)) {
            *counts.entry(word).or_default() += 1;
        }
    }
    let total = f64::from(lines.max(2));
    let weight = |count: u32| (total / f64::from(count)).ln() / total.ln();
    counts.into_iter().map(|(word, count)| (word, weight(count))).collect()
}
