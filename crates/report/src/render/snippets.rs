//! The numbered code of a map's ranges. Each line is printed once, within a token budget.

use std::{collections::BTreeMap, fmt::Write};

use super::places_by_file::FilePlaces;
use retriever_workspace::{LineRange, LineSet, escape_control, estimate_tokens};

/// The source of inlined code, and its budget.
#[derive(Clone, Copy)]
pub struct Snippets<'a> {
    /// Reads lines of a file from disk; `None` if it cannot be read.
    pub read: &'a dyn Fn(&str, LineRange) -> Option<Vec<String>>,
    /// Estimated tokens of all code together.
    pub max_tokens: u64,
}

/// Consecutive lines.
pub(super) struct SnippetBlock {
    pub(super) range: LineRange,
    pub(super) lines: Vec<String>,
}

/// The code of one file.
#[derive(Default)]
pub(super) struct FileSnippets {
    pub(super) blocks: Vec<SnippetBlock>,
    /// Lines beyond the budget, and lines that could not be read.
    pub(super) omitted: LineSet,
}

/// Reads the code of all groups. The budget is spent in the order of the groups and their ranges; a range beyond the
/// budget is cut after the last line that fits.
pub(super) fn collect(groups: &[FilePlaces<'_>], snippets: &Snippets<'_>) -> Vec<FileSnippets> {
    let mut tokens_left = snippets.max_tokens;
    groups.iter().map(|group| file_code(group, snippets, &mut tokens_left)).collect()
}

fn file_code(
    group: &FilePlaces<'_>,
    snippets: &Snippets<'_>,
    tokens_left: &mut u64,
) -> FileSnippets {
    let mut seen = LineSet::new();
    let mut printed: BTreeMap<u32, String> = BTreeMap::new();
    let mut omitted = LineSet::new();
    for range in &group.ranges {
        for part in without(*range, &seen) {
            seen.insert(part);
            let Some(lines) = (snippets.read)(group.path, part) else {
                omitted.insert(part);
                continue;
            };
            let mut fits = true;
            for (number, line) in (part.start()..=part.end()).zip(lines) {
                // The line's number and its break cost two tokens.
                let cost = estimate_tokens(&line) + 2;
                fits = fits && cost <= *tokens_left;
                if fits {
                    *tokens_left -= cost;
                    printed.insert(number, line);
                } else if let Some(line) = LineRange::line(number) {
                    omitted.insert(line);
                }
            }
        }
    }
    FileSnippets { blocks: blocks(printed), omitted }
}

/// Returns the parts of `range` that are not in `seen`.
fn without(range: LineRange, seen: &LineSet) -> Vec<LineRange> {
    let mut parts = Vec::new();
    let mut start = range.start();
    for known in seen.within(range) {
        parts.extend(LineRange::new(start, known.start().saturating_sub(1)));
        start = known.end().saturating_add(1);
    }
    parts.extend(LineRange::new(start, range.end()));
    parts
}

fn blocks(lines: BTreeMap<u32, String>) -> Vec<SnippetBlock> {
    let mut blocks: Vec<SnippetBlock> = Vec::new();
    for (number, line) in lines {
        match blocks.last_mut() {
            Some(block) if block.range.end().checked_add(1) == Some(number) => {
                block.lines.push(line);
                if let Some(range) = LineRange::new(block.range.start(), number) {
                    block.range = range;
                }
            }
            _ => blocks.extend(
                LineRange::line(number).map(|range| SnippetBlock { range, lines: vec![line] }),
            ),
        }
    }
    blocks
}

/// Returns the block's lines with their numbers; control and direction characters are escaped.
pub(super) fn numbered(block: &SnippetBlock) -> String {
    let width = block.range.end().to_string().len();
    let mut text = String::new();
    for (number, line) in (block.range.start()..).zip(&block.lines) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{number:>width$}  {}", escape_control(line.trim_end()));
    }
    text
}
