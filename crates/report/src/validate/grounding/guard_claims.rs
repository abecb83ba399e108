//! When a call is made: "also when `flag` is set" contradicts lines that make it behind `!flag`, and "always calls" lines that
//! make it behind a condition only.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    code_names::{NAME, is_code, own_name},
    evidence::RunEvidence,
};
use crate::{
    prose_normalization::{has_word, is_listed, literal_regex},
    sentence_clauses::steps,
    validate::citation::Citation,
};
use retriever_workspace::{LineRange, RepoPath};

/// Returns a call that `text` says to be made when its lines do not make it.
pub(super) fn wrong_guard(
    text: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<String> {
    steps(text).into_iter().find_map(|step| {
        opposite_condition(step.text, refs, evidence)
            .or_else(|| guarded_always(step.text, refs, evidence))
    })
}

/// Finds "`a` is called if `b`" where all calls of `a` in the cited lines are behind `!b`, or the other way round.
fn opposite_condition(step: &str, refs: &[Citation], evidence: &RunEvidence<'_>) -> Option<String> {
    static WHEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"{NAME}(?P<between>[^`,;:]{{0,30}}?)\s(?P<word>if|when|unless|without)\s(?P<before>[^`,;:]{{0,20}}?){NAME}(?P<after>[^`,;:.]{{0,30}})"
        ))
    });
    WHEN.as_ref()?.captures_iter(step).find_map(|found| {
        let (call, flag) = (own_name(found.get(1)?.as_str()), own_name(found.get(5)?.as_str()));
        let between = found.name("between")?.as_str();
        let around = [found.name("before")?, found.name("after")?].map(|part| part.as_str());
        // Of two conditions, or of an alternative, either may hold.
        let is_single = ![between, around[0], around[1]].iter().any(|part| has_word(part, "or"));
        if call == flag || !is_single || !is_code(call, step) || !is_code(flag, step) {
            return None;
        }
        let is_inverse = ["unless", "without"].contains(&found.name("word")?.as_str());
        let is_denied = around.iter().any(|part| part.split_whitespace().any(denies));
        let verb = step[..found.get(0)?.start()].split_whitespace().rev().take(3);
        let denies_call = between.split_whitespace().chain(verb).any(denies);
        let said = Condition::of(is_inverse ^ is_denied ^ denies_call);
        let guards = guards_of(call, Some(flag), refs, evidence)?;
        let is_opposite =
            !guards.is_empty() && guards.iter().all(|guard| *guard == said.opposite());
        is_opposite.then(|| format!("the lines do it only where \"{flag}\" is the opposite"))
    })
}

/// Finds "always calls `a`" where every call of `a` in the cited lines is behind a condition that the text does not name.
fn guarded_always(step: &str, refs: &[Citation], evidence: &RunEvidence<'_>) -> Option<String> {
    static ALWAYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"\b(?:always|unconditionally|invariably)\s+[a-z]+s\s+(?:the\s+)?{NAME}|{NAME}\s+is\s+(?:always|unconditionally)\s+(?:called|run|invoked)\b"
        ))
    });
    const CONDITIONS: &str = "\
        if when unless once after before only while where for on with without until whenever in as";
    if step.split_whitespace().any(|word| is_listed(CONDITIONS, &word.to_lowercase())) {
        return None;
    }
    let found = ALWAYS.as_ref()?.captures(step)?;
    let call = own_name(found.get(1).or_else(|| found.get(2))?.as_str());
    let guards = guards_of(call, None, refs, evidence).filter(|_| is_code(call, step))?;
    let is_guarded = !guards.is_empty() && guards.iter().all(|guard| *guard != Condition::None);
    is_guarded.then(|| format!("the lines do not do \"{call}\" in every case"))
}

fn denies(word: &str) -> bool {
    const DENYING: &str = "not no never isn't hasn't aren't wasn't doesn't unset false off null nil none \
        empty missing absent disabled zero";
    is_listed(DENYING, &word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
}

/// What has to hold where a call is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    /// Nothing.
    None,
    /// That a flag is set, or anything.
    Set,
    /// That it is not.
    Unset,
}

impl Condition {
    fn of(is_denied: bool) -> Self {
        if is_denied { Self::Unset } else { Self::Set }
    }

    fn opposite(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Set => Self::Unset,
            Self::Unset => Self::Set,
        }
    }
}

/// Returns under which condition on `flag`, or under any without one, the cited lines have each call of `call`. Returns `None`
/// if that cannot be read off a line.
fn guards_of(
    call: &str,
    flag: Option<&str>,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<Vec<Condition>> {
    let mut all = Vec::new();
    for citation in refs {
        for line in evidence.code_lines(citation).iter().filter(|line| calls(line.text, call)) {
            let function = evidence
                .overlapping(citation)
                .filter(|found| found.kind == "function" && found.range.contains(line.number))
                .min_by_key(|found| found.range.width())?;
            if function.range.start() != line.number {
                all.push(guard_of(line, flag, (&citation.path, function.range), evidence)?);
            }
        }
    }
    Some(all)
}

/// A line of code with its indentation.
#[derive(Clone, Copy, Debug)]
struct CodeLine<'a> {
    number: u32,
    indent: usize,
    text: &'a str,
}

impl<'a> RunEvidence<'a> {
    /// Returns the delivered lines of a place that are neither empty nor comments.
    fn code_lines(&self, place: &Citation) -> Vec<CodeLine<'a>> {
        let lines = self.file(&place.path).into_iter().flat_map(|file| file.lines_in(place.range));
        let code = lines.filter(|(number, line)| {
            !line.trim().is_empty() && !self.is_comment(&place.path, *number)
        });
        code.map(|(number, line)| {
            let text = line.trim();
            CodeLine { number, indent: line.len() - line.trim_start().len(), text }
        })
        .collect()
    }
}

/// Returns the condition on `flag` around a line of a function, by the indentation of the lines above it.
fn guard_of(
    line: &CodeLine<'_>,
    flag: Option<&str>,
    (path, function): (&RepoPath, LineRange),
    evidence: &RunEvidence<'_>,
) -> Option<Condition> {
    let body = LineRange::new(function.start() + 1, line.number)?;
    let place = Citation { path: path.clone(), range: body };
    let mut indent = line.indent + 1;
    let mut found = Condition::None;
    for above in
        evidence.code_lines(&place).iter().rev().filter(|above| above.number <= line.number)
    {
        // A part of a condition that goes on in further lines has no condition of its own.
        if above.indent >= indent {
            continue;
        }
        indent = above.indent;
        let Some(condition) = condition_in(above.text) else { continue };
        let Some(flag) = flag else {
            found = Condition::Set;
            continue;
        };
        if has_word(condition, flag) {
            let is_else = above.text.trim_start_matches('}').trim_start().starts_with("else");
            return condition_on(flag, condition, above.text).filter(|_| !is_else);
        }
    }
    Some(found)
}

/// Returns what follows the word of a condition in a line.
fn condition_in(line: &str) -> Option<&str> {
    static CONDITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^[})]*\s*(?:(?:else\s+)?(?:if|unless|guard)|elif|elsif)\b(?P<condition>.*)$|\b(?:if|unless)\b(?P<behind>.*)$",
        )
    });
    let found = CONDITION.as_ref()?.captures(line)?;
    found.name("condition").or_else(|| found.name("behind")).map(|found| found.as_str())
}

/// Returns what a condition demands of a flag; nothing if it is one of several that may hold, or compares it with something.
fn condition_on(flag: &str, condition: &str, line: &str) -> Option<Condition> {
    static EMPTY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^(?:\(\))?\s*(?:(?P<not>!==?|~=|is\s+not)|===?|is)\s*(?:(?P<true>true|True)|null|nil|None|NULL|nullptr|undefined|false|False)\b",
        )
    });
    if condition.contains("||") || has_word(condition, "or") || condition.contains(['<', '>', '?'])
    {
        return None;
    }
    let at = condition.find(flag)?;
    let (before, after) = (&condition[..at], &condition[at + flag.len()..]);
    let part = before.rsplit(&['&', '('][..]).next().unwrap_or(before);
    let is_negated = part.contains('!') || has_word(part, "not");
    let compared = EMPTY.as_ref()?.captures(after);
    if compared.is_none() && after.trim_start().starts_with(['=', '!', '.', '(', '[', '-']) {
        return None;
    }
    let is_empty =
        compared.is_some_and(|found| found.name("not").is_some() == found.name("true").is_some());
    let is_unless = has_word(line, "unless") || has_word(line, "guard");
    Some(Condition::of(is_negated ^ is_empty ^ is_unless))
}

/// Whether a line calls a function.
fn calls(line: &str, name: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        let after = line[at + name.len()..].trim_start_matches(['!', '?']);
        !line[..at].ends_with(is_name) && after.starts_with('(')
    })
}
