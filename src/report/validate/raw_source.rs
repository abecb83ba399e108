//! A report describes code and never repeats it: the planner reads code from disk, where it is right. Fenced blocks go, and
//! so does any text that holds 60 characters in a row of a delivered line.

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;

use super::{Judgement, Work, evidence::Cut, facts::neutral};
use crate::report::{
    code::{Code, Reason},
    prose::{clean, pattern, sentences},
};

const RUN: usize = 60;

pub(super) fn apply(work: &mut Work, judgement: &Judgement<'_>) {
    let lines = long_lines(work, judgement);
    let copies = |text: &str| repeats(text, &lines);
    let reasons = &mut work.reasons;
    for (field, text) in [("summary", &mut work.summary), ("flow", &mut work.flow)] {
        let open = unfenced(text);
        let kept: String =
            sentences(&open).into_iter().filter(|sentence| !copies(sentence)).collect();
        let kept = kept.trim().to_owned();
        if kept != *text {
            reasons.push(Reason::new(Code::RawSource, field, "source code was taken out"));
            *text = kept;
        }
    }
    work.findings.retain(|fact| {
        let raw = fact.text.contains("```") || copies(&fact.text);
        if raw {
            reasons.push(Reason::new(Code::RawSource, &fact.label, "is source code, not a fact"));
        }
        !raw
    });
    for item in work.primary.iter_mut().chain(&mut work.secondary).chain(&mut work.read_targets) {
        if item.text.contains("```") || copies(&item.text) {
            let detail = "source code was taken out";
            reasons.push(Reason::new(Code::RawSource, item.reference.cut(), detail));
            item.text = neutral(&item.spot, judgement);
        }
    }
    work.missing.retain(|gap| {
        let raw = gap.what.contains("```") || copies(&gap.what);
        if raw {
            reasons.push(Reason::new(Code::RawSource, "missing", "is source code, not a gap"));
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
        Some(fenced) if text.contains("```") => clean(&fenced.replace_all(text, " ")),
        _ => text.to_owned(),
    }
}
