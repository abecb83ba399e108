//! Checks the subject of a clause. The cited lines must belong to the function or type that the clause is about, or
//! that function's own lines must show the claim.

use std::{borrow::Cow, collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{
    code_names::{NAME, declared_as, has_body, own_name, owner_of},
    evidence::{LetterCase, MentionEvidence, RunEvidence},
    subject_of_clause::{first_name, first_subject, is_described, subjects},
    word_forms::stems,
};
use crate::{
    code_mentions_in_prose::{Mention, is_identifier_spelling, mentions},
    prose_normalization::{has_word, is_word_char, literal_regex},
    sentence_clauses::{claims, steps},
    validate::citation::{Citation, cites_part},
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
        let is_other = refs.iter().all(|citation| is_about_other(subject, citation, evidence))
            && !is_told_of_call(first, subject, refs, evidence);
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
        evidence.overlapping(citation).any(|declaration| declaration.is_function())
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
    let is_described = is_described(step, subject) && evidence.is_delivered(own);
    if is_described || is_told_of_call(step, subject, refs, evidence) {
        return None;
    }
    let is_named = |citation| evidence.is_cited(own, citation, LetterCase::Sensitive);
    let is_other = refs.iter().all(|citation| is_about_other(subject, citation, evidence))
        || (!refs.iter().any(is_named) && has_body(own, evidence))
        || (is_identifier_spelling(own)
            && !evidence.is_delivered(own)
            && !refs.iter().any(|citation| is_module(own, citation))
            && !has_word(&evidence.context.question.text, own));
    is_other.then_some(subject)
}

/// Whether the cited file or one of its folders is called `name`; then the cited lines show what `name` does.
fn is_module(name: &str, citation: &Citation) -> bool {
    citation.path.as_str().split('/').any(|part| part.split('.').next() == Some(name))
}

/// Whether a clause is about what `name` does, a function or type of which no line is cited.
pub(super) fn is_acting(
    name: &str,
    step: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> bool {
    let is_cited = || {
        evidence
            .declared(name)
            .iter()
            .any(|(path, declaration)| cites_part(refs, path, declaration.range))
    };
    has_body(name, evidence)
        && subjects(step, evidence).any(|subject| own_name(subject) == name)
        && !is_cited()
}

/// Whether lines of a function or type were delivered besides the one that names it.
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
            Mention::Identifier(name) | Mention::Word(name) => {
                !subject.split(|c: char| !is_word_char(c)).any(|part| part == name)
            }
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

/// Whether `step` says when `subject` is called, and cited lines name it, or what a call of it gets, and cited lines have that in
/// such a call: "`send` is used only if", "`send` goes to `owner`". What it says of a getter may be what follows where a condition
/// of the cited lines asks it.
fn is_told_of_call(
    step: &str,
    subject: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> bool {
    /// Most lines of a call.
    const CALL_LINES: usize = 6;
    static GETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(r"^`?(?:\(\))?\s+(?:goes\s+to|gets|receives|takes)\s+{NAME}"))
    });
    static IS_CALLED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^`?(?:\(\))?\s+(?:is|was)\s+(?:used|called|run|asked)\s+(?:only\s+)?(?:if|when|whenever|once|after|before|while|unless)\b",
        )
    });
    if is_getter_of_condition(own_name(subject), refs, evidence) {
        return true;
    }
    let behind = step.find(subject).map_or("", |at| &step[at + subject.len()..]);
    if IS_CALLED.as_ref().is_some_and(|form| form.is_match(behind)) {
        let own = own_name(subject);
        return refs.iter().any(|it| evidence.is_cited(own, it, LetterCase::Sensitive));
    }
    let got = GETS.as_ref().and_then(|form| form.captures(behind)).and_then(|found| found.get(1));
    let Some(got) = got.map(|got| own_name(got.as_str())) else { return false };
    refs.iter().any(|citation| {
        let lines = evidence.file(&citation.path).into_iter();
        let lines: Vec<&str> =
            lines.flat_map(|file| file.lines_in(citation.range)).map(|(_, line)| line).collect();
        let call = format!("{}(", own_name(subject));
        (0..lines.len()).any(|at| {
            let Some((_, rest)) = lines[at].split_once(&call) else { return false };
            let following = lines[at + 1..].iter().take(CALL_LINES).copied();
            let mut depth = 1_i32;
            std::iter::once(rest).chain(following).any(|line| {
                let inside = line.find(|c: char| {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    depth == 0
                });
                let had_end = depth <= 0;
                let is_open = !had_end || inside.is_some();
                is_open && has_word(&line[..inside.unwrap_or(line.len())], got)
            })
        })
    })
}

/// Whether a function of few lines has this name and a condition of the cited lines names it: `if (settings.searchesAll())`.
fn is_getter_of_condition(name: &str, refs: &[Citation], evidence: &RunEvidence<'_>) -> bool {
    const GETTER_LINES: u32 = 5;
    const CONDITIONS: [&str; 5] = ["if", "elif", "unless", "while", "when"];
    let declared = evidence.declared(name);
    let is_getter = declared
        .iter()
        .all(|(_, found)| found.is_function() && found.range.width() <= GETTER_LINES);
    is_getter
        && !declared.is_empty()
        && refs.iter().any(|citation| {
            let lines = evidence.file(&citation.path).into_iter();
            let mut lines = lines.flat_map(|file| file.lines_in(citation.range));
            lines.any(|(_, line)| {
                has_word(line, name) && CONDITIONS.iter().any(|word| has_word(line, word))
            })
        })
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
