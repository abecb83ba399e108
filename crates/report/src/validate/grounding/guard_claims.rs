//! Checks the conditions of a call: "also when `flag` is set" contradicts lines that call only behind `!flag`, and
//! "always calls" contradicts lines that call only behind a condition.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{
    code_names::{NAME, is_code, own_name},
    evidence::{RunEvidence, words_of},
    word_forms::stems,
};
use crate::{
    prose_normalization::{has_word, is_listed, is_word_char, literal_regex},
    sentence_clauses::steps,
    validate::citation::Citation,
    validation_reason_parts::ReasonDetail,
};
use retriever_workspace::{LineRange, RepoPath};

/// Returns a call that `text` says to be made when its lines do not make it.
pub(super) fn wrong_guard(
    text: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<ReasonDetail> {
    steps(text).into_iter().find_map(|step| {
        opposite_condition(step.text, refs, evidence)
            .or_else(|| guarded_always(step.text, refs, evidence))
    })
}

/// Finds "`a` is called if `b`" where all calls of `a` in the cited lines are behind `!b`, or the other way round.
fn opposite_condition(
    step: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<ReasonDetail> {
    const CALLING: &str = "call calls called run runs invoke invokes invoked";
    static WHEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"{NAME}(?P<between>[^`,;:]{{0,30}}?)\s(?P<word>if|when|unless|without)\s(?P<before>[^`,;:]{{0,20}}?){NAME}(?P<after>[^`,;:.]{{0,30}})"
        ))
    });
    WHEN.as_ref()?.captures_iter(step).find_map(|found| {
        let part = |name: &str| found.name(name).map_or("", |part| part.as_str());
        let (call, flag) = (own_name(found.get(1)?.as_str()), own_name(found.get(5)?.as_str()));
        let between = part("between");
        let around = format!("{} {}", part("before"), part("after"));
        // Of two conditions, or of an alternative, either may hold.
        let is_single = !has_word(between, "or") && !has_word(&around, "or");
        let lead = &step[..found.get(0)?.start()];
        let before = || lead.split_whitespace().rev().take(3);
        let doing: Vec<&str> = before().chain(between.split_whitespace()).collect();
        // "Stops it with `halt()`" calls, too, and "skips `halt`" does not.
        let is_call = doing.iter().any(|word| is_listed(CALLING, word))
            || before().next().is_some_and(|word| is_listed("with by via through", word));
        if call == flag || !is_single || !is_call || !is_code(call, step) || !is_code(flag, step) {
            return None;
        }
        let is_inverse = ["unless", "without"].contains(&part("word"));
        let denies_call = doing.iter().any(|word| denies(word));
        let said = Condition::of(is_inverse ^ is_denied(&around)? ^ denies_call);
        let guards = guards_of(call, Some(flag), refs, evidence)?;
        let is_opposite =
            !guards.is_empty() && guards.iter().all(|guard| *guard == said.opposite());
        is_opposite.then(|| {
            let detail = ReasonDetail::said("the lines do it only where ");
            detail.quote(flag).say(" is the opposite")
        })
    })
}

/// Finds "always calls `a`" where every call of `a` in the cited lines is behind a condition that the text does not name.
fn guarded_always(
    step: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<ReasonDetail> {
    static ALWAYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"\b(?:always|unconditionally|invariably)\s+(?:calls|runs|invokes)\s+(?:the\s+)?{NAME}|{NAME}\s+is\s+(?:always|unconditionally)\s+(?:called|run|invoked)\b"
        ))
    });
    const CONDITIONS: &str = "\
        if when unless once after before only while where for on with without until whenever in as";
    let (said, even) = step.split_once(" even ").unwrap_or((step, ""));
    // "For every line" is no condition.
    let said = said.replace(" for every ", " ").replace(" for each ", " ");
    if said.split_whitespace().any(|word| is_listed(CONDITIONS, &word.to_lowercase())) {
        return None;
    }
    let found = ALWAYS.as_ref()?.captures(step)?;
    let call = own_name(found.get(1).or_else(|| found.get(2))?.as_str());
    if is_skipped(call, &stems(even), refs, evidence) {
        let detail = ReasonDetail::said("the lines leave before ");
        return Some(detail.quote(call).say(" in that case"));
    }
    let guards = guards_of(call, None, refs, evidence).filter(|_| is_code(call, step))?;
    let is_guarded = !guards.is_empty() && guards.iter().all(|guard| *guard != Condition::None);
    is_guarded.then(|| ReasonDetail::said("the lines do not do ").quote(call).say(" in every case"))
}

fn denies(word: &str) -> bool {
    const DENYING: &str = "not no never isn't hasn't aren't wasn't doesn't unset false off null nil none \
        empty missing absent disabled zero";
    is_listed(DENYING, &plain(word))
}

/// Whether the words around a flag deny it: "is not set". Returns `None` if they say something else of it.
fn is_denied(around: &str) -> Option<bool> {
    const AFFIRMING: &str = "a also an and are be been even has have is it its only set still the then \
        there too true on given present enabled was were";
    let words = || around.split_whitespace().filter(|word| !plain(word).is_empty());
    let is_known = words().all(|word| denies(word) || is_listed(AFFIRMING, &plain(word)));
    // "Not null" denies twice.
    is_known.then(|| words().filter(|word| denies(word)).count() % 2 == 1)
}

fn plain(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
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
                .filter(|found| found.is_function() && found.range.contains(line.number))
                .min_by_key(|found| found.range.width())?;
            if function.range.start() != line.number {
                all.push(guard_of(line, flag, (&citation.path, function.range), evidence)?);
            }
        }
    }
    Some(all)
}

/// Whether what stands before every call of `call` in the cited lines leaves its block in a case that has a word of `case`.
fn is_skipped(
    call: &str,
    case: &BTreeSet<String>,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> bool {
    let calls = refs.iter().flat_map(|citation| {
        let lines = evidence.code_lines(citation);
        let at = (0..lines.len()).filter(|at| calls(lines[*at].text, call)).collect::<Vec<_>>();
        at.into_iter().map(move |at| lines[..=at].to_vec())
    });
    let skips: Vec<bool> = calls
        .map(|lines| cases_before(&lines).iter().any(|text| !stems(text).is_disjoint(case)))
        .collect();
    !case.is_empty() && !skips.is_empty() && skips.iter().all(|skip| *skip)
}

/// Returns the condition and the body of each `if` before the last line that leaves a block around it.
fn cases_before(lines: &[CodeLine<'_>]) -> Vec<String> {
    const LEAVING: &str = "return continue break throw raise goto";
    let Some((last, above)) = lines.split_last() else { return Vec::new() };
    let (mut indent, mut nested, mut cases) = (last.indent, Vec::new(), Vec::new());
    for line in above.iter().rev() {
        if line.indent > indent {
            nested.push(line.text);
            continue;
        }
        let is_case = ["if ", "if("].iter().any(|word| line.text.starts_with(word));
        nested.push(line.text);
        let mut words = nested.iter().flat_map(|text| words_of(text));
        if is_case && line.indent == indent && words.any(|word| is_listed(LEAVING, word)) {
            cases.push(nested.join(" "));
        }
        indent = line.indent;
        if !line.text.starts_with(['}', ')']) {
            nested.clear();
        }
    }
    cases
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

/// Returns the condition on `flag` around a line of a function, by the indentation of the lines above it. Returns `None` if a
/// condition there cannot be read.
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
        let Some(condition) = LineCondition::of(above, line) else { continue };
        if !condition.is_readable() {
            return None;
        }
        match flag {
            // The call may be a part of the condition.
            None if condition.is_own => return None,
            None => found = Condition::Set,
            Some(flag) if has_word(condition.text, flag) => return condition.on(flag),
            Some(_) => {}
        }
    }
    Some(found)
}

/// The condition that a line of code has.
#[derive(Clone, Copy, Debug)]
struct LineCondition<'a> {
    /// What the line has before the word of the condition.
    before: &'a str,
    word: &'a str,
    /// What follows the word.
    text: &'a str,
    /// Whether the line is that of the call.
    is_own: bool,
}

impl<'a> LineCondition<'a> {
    fn of(line: &CodeLine<'a>, call: &CodeLine<'_>) -> Option<Self> {
        static CONDITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
            literal_regex(
                r"^(?P<closed>[})]*\s*(?:else\s+)?)(?P<word>if|unless|elif|elsif)\b(?P<text>.*)$|^(?P<guard>guard)\b(?P<guarded>.*\belse\b.*)$|^(?P<before>.*?)\b(?P<behind>if|unless)\b(?P<last>.*)$",
            )
        });
        let found = CONDITION.as_ref()?.captures(line.text)?;
        let part = |names: &[&str]| {
            names.iter().find_map(|name| found.name(name)).map_or("", |part| part.as_str())
        };
        Some(Self {
            before: part(&["closed", "before"]),
            word: part(&["word", "guard", "behind"]),
            text: part(&["text", "guarded", "last"]),
            is_own: line.number == call.number,
        })
    }

    /// Whether the condition ends in its line, and guards what follows or, if it is of the call's own line, what precedes it.
    fn is_readable(self) -> bool {
        const GOES_ON: &str = "and or not";
        let last = self.text.split_whitespace().next_back().unwrap_or_default();
        let count = |sign: char| self.text.matches(sign).count();
        let is_whole = count('(') == count(')')
            && count('[') == count(']')
            && !last.is_empty()
            && !is_listed(GOES_ON, last)
            && !last.ends_with(['&', '|', ',', '=']);
        let before = self.before.trim_matches([' ', '}', ')']);
        let begins = before.is_empty() || before == "else";
        let is_value = before.ends_with('=') || before == "return";
        // A comment, or a text, may have the word, too.
        let is_in_text =
            before.contains(['"', '\'', '`', '#', '/', ';', '{']) || before.contains("--");
        is_whole && (begins || !is_in_text && (self.is_own || is_value))
    }

    /// Returns what it demands of a flag. Returns `None` if the flag is one of several that may hold, is compared with something, or
    /// is a part of something else.
    fn on(self, flag: &str) -> Option<Condition> {
        static BEFORE: LazyLock<Option<Regex>> =
            LazyLock::new(|| literal_regex(r"^[\s(]*(?P<not>!|not\s)?\s*[$@]*(?:\w+\.)*$"));
        static AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
            literal_regex(concat!(
                r"^(?:\(\))?\s*(?P<compared>(?:(?P<unequal>!==?|~=|is\s+not)|===?|is)\s*(?:(?P<true>true|True)|null|nil|None|NULL|nullptr|undefined|false|False)\b)?",
                r"[\s)]*(?:$|[{,]|:(?:[^:]|$)|&&|(?:and|then|else)\b)|^\s*\)+\s*(?:return\s+)?\w+(?:\.\w+)*\("
            ))
        });
        let Self { before: lead, word, text, is_own } = self;
        let is_inverse = ["unless", "guard"].contains(&word);
        let is_joint = text.contains("&&") || has_word(text, "and") || text.contains(',');
        let is_open = text.contains("||") || has_word(text, "or") || has_word(lead, "else");
        if is_open
            || is_inverse && is_joint
            || text.contains(['<', '>', '?'])
            || text.contains(":=")
        {
            return None;
        }
        let (before, after) = around_only(text, flag)?;
        let part = before.rsplit("&&").next().and_then(|last| last.rsplit(" and ").next())?;
        let own = BEFORE.as_ref()?.captures(part).filter(|_| !opens_call(before))?;
        let after_own = after.trim_end_matches(['}', ';', ' ']);
        // What else is in the line of the call may be a part of the condition, or behind what it guards.
        let is_mixed = part != before || has_word(after, "else") || after_own.contains(['}', ';']);
        let said = AFTER.as_ref()?.captures(after).filter(|_| !(is_own && is_mixed))?;
        let is_negated = own.name("not").is_some();
        let is_compared = said.name("compared").is_some();
        let is_empty = is_compared && said.name("unequal").is_some() == said.name("true").is_some();
        (!(is_negated && is_compared)).then(|| Condition::of(is_negated ^ is_empty ^ is_inverse))
    }
}

/// Returns what is before and behind a word that a text has once.
fn around_only<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let mut all = text.match_indices(word).map(|(at, _)| (&text[..at], &text[at + word.len()..]));
    let is_whole = |(before, after): &(&str, &str)| {
        !before.ends_with(is_word_char) && !after.starts_with(is_word_char)
    };
    let only = all.by_ref().find(is_whole)?;
    (!all.any(|other| is_whole(&other))).then_some(only)
}

/// Whether a parenthesis that is open at the end of a condition's part belongs to a call or a negation.
fn opens_call(part: &str) -> bool {
    let mut open = Vec::new();
    for (at, c) in part.char_indices() {
        let before = part[..at].trim_end();
        match c {
            '(' => {
                open.push(before.ends_with(|c: char| is_word_char(c) || "!?$]".contains(c)));
            }
            ')' => drop(open.pop()),
            _ => {}
        }
    }
    open.contains(&true)
}

/// Whether a line calls a function.
fn calls(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let after = line[at + name.len()..].trim_start_matches(['!', '?']);
        !line[..at].ends_with(is_word_char) && after.starts_with('(')
    })
}
