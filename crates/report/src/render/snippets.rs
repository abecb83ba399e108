//! The code of a map's ranges, numbered, each line once, within a token budget.

use std::{collections::BTreeMap, fmt::Write};

use super::{Group, Snippets};
use retriever_workspace::{LineRange, LineSet, estimate_tokens};

/// Code of one run of lines.
pub(super) struct Block {
    pub(super) range: LineRange,
    pub(super) lines: Vec<String>,
}

/// What of a file was printed, and what was left out.
#[derive(Default)]
pub(super) struct Code {
    pub(super) blocks: Vec<Block>,
    /// Lines that didn't fit or couldn't be read.
    pub(super) left_out: LineSet,
}

/// Reads the code of all groups. The budget is spent in the order of importance, so that the best places are whole; a
/// range that doesn't fit is cut behind the last line that does.
pub(super) fn collect(groups: &[Group<'_>], snippets: &Snippets<'_>) -> Vec<Code> {
    let mut left = snippets.max_tokens;
    let mut files = Vec::new();
    for group in groups {
        let mut done = LineSet::new();
        let mut lines: BTreeMap<u32, String> = BTreeMap::new();
        let mut left_out = LineSet::new();
        for range in &group.ranges {
            for part in without(*range, &done) {
                done.insert(part);
                let Some(code) = (snippets.read)(group.path, part) else {
                    left_out.insert(part);
                    continue;
                };
                let mut fits = true;
                for (number, line) in (part.start()..=part.end()).zip(code) {
                    // The line's number and its break cost too.
                    let cost = estimate_tokens(&line) + 2;
                    fits = fits && cost <= left;
                    if fits {
                        left -= cost;
                        lines.insert(number, line);
                    } else if let Some(line) = LineRange::line(number) {
                        left_out.insert(line);
                    }
                }
            }
        }
        files.push(Code { blocks: blocks(lines), left_out });
    }
    files
}

/// The parts of `range` that are not in `done`.
fn without(range: LineRange, done: &LineSet) -> Vec<LineRange> {
    let mut parts = Vec::new();
    let mut start = range.start();
    for known in done.within(range) {
        parts.extend(LineRange::new(start, known.start().saturating_sub(1)));
        start = known.end().saturating_add(1);
    }
    parts.extend(LineRange::new(start, range.end()));
    parts
}

fn blocks(lines: BTreeMap<u32, String>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (number, line) in lines {
        match blocks.last_mut() {
            Some(block) if block.range.end().checked_add(1) == Some(number) => {
                block.lines.push(line);
                if let Some(range) = LineRange::new(block.range.start(), number) {
                    block.range = range;
                }
            }
            _ => blocks
                .extend(LineRange::line(number).map(|range| Block { range, lines: vec![line] })),
        }
    }
    blocks
}

/// The block's lines with their numbers, control characters made harmless.
pub(super) fn numbered(block: &Block) -> String {
    let width = block.range.end().to_string().len();
    let mut text = String::new();
    for (number, line) in (block.range.start()..).zip(&block.lines) {
        let line: String = line
            .chars()
            .map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c })
            .collect();
        // Writing to a string can't fail.
        let _ = writeln!(text, "{number:>width$}  {}", line.trim_end());
    }
    text
}
