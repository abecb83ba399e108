//! A report must not contain source code; the planner reads code from disk. Fenced blocks are removed, and so is any text
//! that contains 60 consecutive bytes of a delivered line.

use std::{
    collections::{BTreeSet, HashSet},
    sync::LazyLock,
};

use regex::Regex;

use super::{
    citation::place_cited, draft_under_validation::DraftUnderValidation, grounding::default_reason,
    validation_input::ValidationContext,
};
use crate::{
    prose_normalization::{literal_regex, sentences, single_line},
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::ReasonSubject,
};

/// Bytes of a line that a text may not repeat in a row.
const MAX_COPIED_BYTES: usize = 60;

/// Removes fenced blocks. Runs before the grounding rule: code between fences is not prose.
pub(super) fn remove_fenced(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    remove(state, context, without_fenced, &|text| text.contains("```"));
}

/// Removes copied lines.
pub(super) fn remove_copied(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    let lines = long_lines(state, context);
    let is_copied = |text: &str| repeats_line(text, &lines);
    let without_copied = |text: &str| {
        let kept: String = sentences(text).into_iter().filter(|one| !is_copied(one)).collect();
        kept.trim().to_owned()
    };
    remove(state, context, without_copied, &is_copied);
}

/// Removes source code from every text: sentences of summary and flow, whole findings and gaps; the reason of a place is
/// replaced.
fn remove(
    state: &mut DraftUnderValidation,
    context: &ValidationContext<'_>,
    without: impl Fn(&str) -> String,
    is_source: &dyn Fn(&str) -> bool,
) {
    let mut reasons = Vec::new();
    let mut add = |subject: ReasonSubject, detail: &'static str| {
        reasons.push(ValidationReason::new(ReasonCode::RawSource, subject, detail));
    };
    let prose =
        [(ReasonSubject::Summary, &mut state.summary), (ReasonSubject::Flow, &mut state.flow)];
    for (field, text) in prose {
        if is_source(text) {
            add(field, "source code was taken out");
            *text = without(text);
        }
    }
    state.findings.retain(|finding| {
        let is_source = is_source(&finding.text);
        if is_source {
            add(finding.subject(), "is source code, not a fact");
        }
        !is_source
    });
    for item in state.place_items_mut().filter(|item| is_source(&item.text)) {
        add(place_cited(&item.reference), "source code was taken out");
        item.text = default_reason(&item.citation, context);
    }
    state.missing.retain(|gap| {
        let is_source = is_source(&gap.what);
        if is_source {
            add(ReasonSubject::Part("missing"), "is source code, not a gap");
        }
        !is_source
    });
    state.reasons.extend(reasons);
}

/// Returns the delivered lines of cited files that are long enough to be compared, on one line each.
fn long_lines(state: &DraftUnderValidation, context: &ValidationContext<'_>) -> Vec<String> {
    let cited: BTreeSet<&str> = state.citations().map(|citation| citation.path.as_str()).collect();
    context
        .ledger
        .files()
        .filter(|file| cited.contains(file.version.path.as_str()))
        .flat_map(|file| file.delivered.runs().iter().flat_map(|run| file.lines_in(*run)))
        .map(|(_, line)| single_line(line))
        .filter(|line| line.len() >= MAX_COPIED_BYTES)
        .collect()
}

fn repeats_line(text: &str, lines: &[String]) -> bool {
    let text = without_short_code(&single_line(text));
    let parts: HashSet<&[u8]> = text.as_bytes().windows(MAX_COPIED_BYTES).collect();
    let mut lines = lines.iter();
    !parts.is_empty()
        && lines
            .any(|line| line.as_bytes().windows(MAX_COPIED_BYTES).any(|part| parts.contains(part)))
}

/// Removes fenced blocks. A fence that is not closed extends to the end of the text.
fn without_fenced(text: &str) -> String {
    static FENCED: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"(?s)```.*?(?:```|$)"));
    match FENCED.as_ref() {
        Some(fenced) => single_line(&fenced.replace_all(text, " ")),
        None => text.replace("```", " "),
    }
}

/// Returns `text` without its code spans and quoted messages, except for those that are long enough to be a line.
fn without_short_code(text: &str) -> String {
    /// Longest call, expression or message that is quoted as such.
    const MAX_QUOTED_BYTES: usize = 110;
    let without = |text: &str, mark: char| -> String {
        let parts = text.split(mark).enumerate();
        let is_quoted = |at: usize, part: &str| at % 2 == 1 && part.len() <= MAX_QUOTED_BYTES;
        parts.map(|(at, part)| if is_quoted(at, part) { " " } else { part }).collect()
    };
    without(&without(text, '`'), '"')
}
