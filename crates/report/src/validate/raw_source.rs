//! A report describes code and never repeats it: the planner reads code from disk, where it is right. Fenced blocks go, and
//! so does any text that holds 60 characters in a row of a delivered line.

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;

use super::{Judgement, Work, evidence::short, facts::neutral};
use crate::{
    code::{Code, Reason},
    prose::{clean, pattern, sentences},
};

const RUN: usize = 60;

/// Takes out what stands between fences.
pub(super) fn fences(work: &mut Work, judgement: &Judgement<'_>) {
    take_out(work, judgement, unfenced, &|text| text.contains("```"));
}

/// Takes out what was copied.
pub(super) fn apply(work: &mut Work, judgement: &Judgement<'_>) {
    let lines = long_lines(work, judgement);
    let copies = |text: &str| repeats(text, &lines);
    let without = |text: &str| {
        let kept: String = sentences(text).into_iter().filter(|one| !copies(one)).collect();
        kept.trim().to_owned()
    };
    take_out(work, judgement, without, &copies);
}

fn take_out(
    work: &mut Work,
    judgement: &Judgement<'_>,
    without: impl Fn(&str) -> String,
    is_raw: &dyn Fn(&str) -> bool,
) {
    let reasons = &mut work.reasons;
    let mut note = |reference: &str, detail: &str| {
        reasons.push(Reason::new(Code::RawSource, reference, detail));
    };
    for (field, text) in [("summary", &mut work.summary), ("flow", &mut work.flow)] {
        if is_raw(text) {
            note(field, "source code was taken out");
            *text = without(text);
        }
    }
    work.findings.retain(|fact| {
        let raw = is_raw(&fact.text);
        if raw {
            note(&fact.label, "is source code, not a fact");
        }
        !raw
    });
    for item in work.primary.iter_mut().chain(&mut work.secondary).chain(&mut work.read_targets) {
        if is_raw(&item.text) {
            note(&short(&item.reference), "source code was taken out");
            item.text = neutral(&item.spot, judgement);
        }
    }
    work.missing.retain(|gap| {
        let raw = is_raw(&gap.what);
        if raw {
            note("missing", "is source code, not a gap");
        }
        !raw
    });
}

/// Delivered lines of cited files that are long enough to be recognised, spaces collapsed.
fn long_lines(work: &Work, judgement: &Judgement<'_>) -> Vec<String> {
    let cited: std::collections::BTreeSet<&str> =
        work.spots().map(|spot| spot.path.as_str()).collect();
    judgement
        .ledger
        .files()
        .filter(|file| cited.contains(file.stamp.path.as_str()))
        .flat_map(|file| file.delivered.runs().iter().flat_map(|run| file.text_of(*run)))
        .map(|(_, line)| clean(line))
        .filter(|line| line.len() >= RUN)
        .collect()
}

fn repeats(text: &str, lines: &[String]) -> bool {
    let text = clean(text);
    let runs: HashSet<&[u8]> = text.as_bytes().windows(RUN).collect();
    !runs.is_empty()
        && lines.iter().any(|line| line.as_bytes().windows(RUN).any(|run| runs.contains(run)))
}

/// Takes out fenced blocks; a fence that is never closed takes everything behind it along.
fn unfenced(text: &str) -> String {
    static FENCED: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?s)```.*?(?:```|$)"));
    match FENCED.as_ref() {
        Some(fenced) => clean(&fenced.replace_all(text, " ")),
        None => text.replace("```", " "),
    }
}
