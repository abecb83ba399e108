//! A report must not contain source code; the planner reads code from disk. Fenced blocks are removed, and so is any text
//! that contains 60 consecutive bytes of delivered lines, which it may have written on one line.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;
use rustc_hash::FxHashMap;

use super::{
    citation::place_cited,
    draft_under_validation::{DraftUnderValidation, UNDESCRIBED_GAP},
    grounding::default_reason,
    validation_input::ValidationContext,
};
use crate::{
    prose_normalization::{literal_regex, sentences, single_line},
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::ReasonSubject,
};

/// Bytes of code that a text may not repeat in a row.
const MAX_COPIED_BYTES: usize = 60;
/// Bytes of a block by which copies are found. Two of them, wherever they begin, hold a whole block that begins at a multiple
/// of its length.
const BLOCK_BYTES: usize = MAX_COPIED_BYTES / 2;

/// Removes fenced blocks. Runs before the grounding rule: code between fences is not prose.
pub(super) fn remove_fenced(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    remove(state, context, without_fenced, &|text| text.contains("```"));
}

/// Removes copied lines.
pub(super) fn remove_copied(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    let code = delivered_code(state, context);
    let blocks = blocks_of(&code);
    let is_copied = |text: &str| repeats_code(text, &blocks);
    let without_copied = |text: &str| {
        let kept: String = sentences(text).into_iter().filter(|one| !is_copied(one)).collect();
        // What looks like several sentences may be one piece of code.
        if is_copied(&kept) { String::new() } else { kept.trim().to_owned() }
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
    state.missing.retain_mut(|gap| {
        let is_source = is_source(&gap.what);
        if is_source {
            add(ReasonSubject::Part("missing"), "is source code, not a gap");
            gap.what = UNDESCRIBED_GAP.to_owned();
        }
        !is_source || gap.critical
    });
    state.reasons.extend(reasons);
}

/// Returns the delivered code of cited files: each run of lines on one line.
fn delivered_code(state: &DraftUnderValidation, context: &ValidationContext<'_>) -> Vec<String> {
    let cited: BTreeSet<&str> = state.citations().map(|citation| citation.path.as_str()).collect();
    let files = context.ledger.files().filter(|file| cited.contains(file.version.path.as_str()));
    let runs = files.flat_map(|file| file.delivered.runs().iter().map(move |run| (file, *run)));
    runs.map(|(file, run)| {
        let lines: Vec<&str> = file.lines_in(run).map(|(_, line)| line).collect();
        single_line(&lines.join("\n"))
    })
    .collect()
}

/// Where blocks of code stand: the code, and the offset in it.
type CodeBlocks<'c> = FxHashMap<&'c [u8], Vec<(&'c [u8], usize)>>;

fn blocks_of(code: &[String]) -> CodeBlocks<'_> {
    let mut blocks = CodeBlocks::default();
    for run in code {
        let run = run.as_bytes();
        for (number, block) in run.chunks_exact(BLOCK_BYTES).enumerate() {
            blocks.entry(block).or_default().push((run, number * BLOCK_BYTES));
        }
    }
    blocks
}

fn repeats_code(text: &str, blocks: &CodeBlocks<'_>) -> bool {
    let text = without_short_code(&single_line(text));
    let text = text.as_bytes();
    text.windows(BLOCK_BYTES).enumerate().any(|(at, window)| {
        blocks.get(window).into_iter().flatten().any(|(code, start)| {
            let before = text[..at].iter().rev().zip(code[..*start].iter().rev());
            let after = text[at..].iter().zip(&code[*start..]);
            before.take_while(|(own, other)| own == other).count()
                + after.take_while(|(own, other)| own == other).count()
                >= MAX_COPIED_BYTES
        })
    })
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
