//! A report must not contain source code; the planner reads code from disk. Fenced blocks are removed, and so is any text
//! that contains 60 consecutive bytes of a delivered line, or 120 of several, which it may have written on one line.

use std::{collections::BTreeSet, ops::Range, sync::LazyLock};

use regex::Regex;
use rustc_hash::FxHashMap;

use super::{
    citation::place_cited,
    draft_under_validation::{DraftUnderValidation, UNDESCRIBED_GAP},
    grounding::default_reason,
    validation_input::ValidationContext,
};
use crate::{
    prose_normalization::{literal_regex, quoted_start, sentences, single_line},
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::{ReasonDetail, ReasonSubject},
};

/// Bytes of a line that a text may not repeat in a row.
const MAX_COPIED_BYTES: usize = 60;
/// The same across the ends of lines: the names of a list may stand one a line.
const MAX_COPIED_ACROSS: usize = 120;
/// Bytes of a block by which copies are found. Two of them, wherever they begin, hold a whole block that begins at a multiple
/// of its length.
const BLOCK_BYTES: usize = MAX_COPIED_BYTES / 2;
/// Most places of one block that are looked at: a file may be one line many times.
const MAX_PLACES_OF_BLOCK: usize = 64;

/// Removes fenced blocks. Runs before the grounding rule: code between fences is not prose.
pub(super) fn remove_fenced(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    const FENCE: &str = "```";
    let fence = |text: &str| text.contains(FENCE).then(|| FENCE.to_owned());
    remove(state, context, without_fenced, &fence);
}

/// Removes copied lines.
pub(super) fn remove_copied(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    let code = delivered_code(state, context);
    let blocks = blocks_of(&code);
    let copied = |text: &str| copied_code(text, &blocks);
    let without_copied = |text: &str| {
        let kept: String =
            sentences(text).into_iter().filter(|one| copied(one).is_none()).collect();
        // What looks like several sentences may be one piece of code.
        if copied(&kept).is_some() { String::new() } else { kept.trim().to_owned() }
    };
    remove(state, context, without_copied, &copied);
}

/// Removes source code from every text: sentences of summary and flow, whole findings and gaps; the reason of a place is
/// replaced. `source` returns the code in a text.
fn remove(
    state: &mut DraftUnderValidation,
    context: &ValidationContext<'_>,
    without: impl Fn(&str) -> String,
    source: &dyn Fn(&str) -> Option<String>,
) {
    let mut reasons = Vec::new();
    let mut add = |subject: ReasonSubject, code: &str| {
        let start = quoted_start(code);
        let detail = ReasonDetail::said("source code was taken out");
        let detail = detail.say_to_model(&format!(": \"{start}\""));
        reasons.push(ValidationReason::new(ReasonCode::RawSource, subject, detail));
    };
    let prose =
        [(ReasonSubject::Summary, &mut state.summary), (ReasonSubject::Flow, &mut state.flow)];
    for (field, text) in prose {
        if let Some(code) = source(text) {
            add(field, &code);
            *text = without(text);
        }
    }
    state.findings.retain(|finding| {
        let code = source(&finding.text);
        code.iter().for_each(|code| add(finding.subject(), code));
        code.is_none()
    });
    for item in state.place_items_mut() {
        if let Some(code) = source(&item.text) {
            add(place_cited(&item.reference), &code);
            item.text = default_reason(&item.citation, context);
        }
    }
    state.missing.retain_mut(|gap| {
        let Some(code) = source(&gap.what) else { return true };
        add(ReasonSubject::Part("missing"), &code);
        gap.what = UNDESCRIBED_GAP.to_owned();
        gap.critical
    });
    state.reasons.extend(reasons);
}

/// Delivered lines that follow one another, on one line.
struct CodeRun {
    text: String,
    /// Where its lines end in the text.
    ends: Vec<usize>,
}

impl CodeRun {
    /// Whether so many bytes are a copy: of one line, or of several.
    fn is_copy(&self, copied: &Range<usize>) -> bool {
        let first = self.ends.partition_point(|end| *end <= copied.start);
        let mut start = copied.start;
        let ends = self.ends[first..].iter().copied().take_while(|end| *end < copied.end);
        let within_a_line = ends.chain([copied.end]).any(|end| {
            let length = end - start;
            start = end;
            length >= MAX_COPIED_BYTES
        });
        within_a_line || copied.len() >= MAX_COPIED_ACROSS
    }
}

/// Returns the delivered code of cited files.
fn delivered_code(state: &DraftUnderValidation, context: &ValidationContext<'_>) -> Vec<CodeRun> {
    let cited: BTreeSet<&str> = state.citations().map(|citation| citation.path.as_str()).collect();
    let files = context.ledger.files().filter(|file| cited.contains(file.version.path.as_str()));
    let runs = files.flat_map(|file| file.delivered.runs().iter().map(move |run| (file, *run)));
    runs.map(|(file, run)| {
        let mut code = CodeRun { text: String::new(), ends: Vec::new() };
        for line in file.lines_in(run).map(|(_, line)| single_line(line)) {
            if !code.text.is_empty() && !line.is_empty() {
                code.text.push(' ');
            }
            code.text.push_str(&line);
            code.ends.push(code.text.len());
        }
        code
    })
    .collect()
}

/// Where blocks of code stand: the run, and the offset in it.
type CodeBlocks<'c> = FxHashMap<&'c [u8], Vec<(&'c CodeRun, usize)>>;

fn blocks_of(code: &[CodeRun]) -> CodeBlocks<'_> {
    let mut blocks = CodeBlocks::default();
    for run in code {
        for (number, block) in run.text.as_bytes().chunks_exact(BLOCK_BYTES).enumerate() {
            let places = blocks.entry(block).or_default();
            if places.len() < MAX_PLACES_OF_BLOCK {
                places.push((run, number * BLOCK_BYTES));
            }
        }
    }
    blocks
}

/// Returns the code that a text copies, if it is more than a name or a call.
fn copied_code(text: &str, blocks: &CodeBlocks<'_>) -> Option<String> {
    let text = without_short_code(&single_line(text));
    let text = text.as_bytes();
    let same = |pair: &(&u8, &u8)| pair.0 == pair.1;
    text.windows(BLOCK_BYTES).enumerate().find_map(|(at, window)| {
        blocks.get(window)?.iter().find_map(|(run, start)| {
            let code = run.text.as_bytes();
            let before = text[..at].iter().rev().zip(code[..*start].iter().rev());
            let after = text[at..].iter().zip(&code[*start..]);
            let (before, after) = (before.take_while(same).count(), after.take_while(same).count());
            let copied = start - before..start + after;
            let copy = || String::from_utf8_lossy(&code[copied.clone()]).into_owned();
            run.is_copy(&copied).then(copy)
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
