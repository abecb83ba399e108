//! Source as an exploration prints it: without control characters, and long lines cut.

use retriever_workspace::{LineRange, TextFile, escape_control, truncate_line};

use super::exploration::SourceExcerpt;

/// Characters of a signature.
const SIGNATURE_CHARS: usize = 160;
/// Bytes of a line that count for the room it takes.
const MAX_LINE_COST: usize = 420;

/// Returns the lines of a range as one section.
pub(super) fn section(file: &TextFile, range: LineRange) -> Option<SourceExcerpt> {
    let lines: Vec<String> = file.lines(range).map(|(_, line)| printable(line)).collect();
    let end = range.start() + u32::try_from(lines.len()).ok()?.checked_sub(1)?;
    Some(SourceExcerpt { start: range.start(), end, source: lines.join("\n") })
}

/// Returns the characters that lines take, without their numbers.
pub(super) fn cost(file: &TextFile, range: LineRange) -> usize {
    file.lines(range).map(|(_, line)| line.trim_end().len().min(MAX_LINE_COST) + 1).sum()
}

/// Returns text of the repository as a part of a line.
pub(super) fn one_line(text: &str) -> String {
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = escape_control(&text.join(" "));
    match text.char_indices().nth(SIGNATURE_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// Returns a line of source as it is printed.
fn printable(line: &str) -> String {
    escape_control(&truncate_line(line.trim_end()))
}
