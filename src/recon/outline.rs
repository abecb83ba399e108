//! Where the lines of a file belong: comments and attributes to the declaration below them, imports to none.

use super::declarations::Declared;
use crate::{
    ledger::{LineRange, LineSet},
    workspace::TextFile,
};

/// Lines of a doc comment that count for the declaration below them.
const LEAD: usize = 40;

/// Returns, for each declaration, the first line of the comments and attributes directly above it.
pub(super) fn leads(file: &TextFile, found: &[Declared]) -> Vec<u32> {
    let lines: Vec<&str> = file.text().lines().collect();
    found
        .iter()
        .map(|found| {
            let start = found.declaration.range.start();
            let above =
                usize::try_from(start.saturating_sub(1)).unwrap_or_default().min(lines.len());
            let count =
                lines[..above].iter().rev().take(LEAD).take_while(|line| is_lead(line)).count();
            start - u32::try_from(count).unwrap_or_default()
        })
        .collect()
}

/// Whether a line is a comment or an attribute.
pub(super) fn is_lead(line: &str) -> bool {
    let start = line.trim_start();
    ["//", "/*", "*", "#", "@", "--", "<!--"].iter().any(|mark| start.starts_with(mark))
}

/// Returns the lines that only bring names of other files in.
pub(super) fn imports(file: &TextFile) -> LineSet {
    let mut lines = LineSet::new();
    let mut open = false;
    for (line, number) in file.text().lines().zip(1..) {
        let start = line.trim_start();
        let begins = [
            "import ",
            "import{",
            "from ",
            "use ",
            "pub use ",
            "#include",
            "using ",
            "package ",
            "export * from",
        ]
        .iter()
        .any(|word| start.starts_with(word));
        if (open || begins)
            && let Some(line) = LineRange::line(number)
        {
            lines.insert(line);
        }
        // A list of names goes on until its bracket closes.
        open = (open || (begins && start.contains(['{', '(']))) && !start.contains(['}', ')']);
    }
    lines
}

/// Returns the innermost declaration that holds `line`, the comments above it included.
pub(super) fn innermost(found: &[Declared], leads: &[u32], line: u32) -> Option<usize> {
    // Sorted by first line, so the last that starts at or above the line and still holds it is the innermost.
    let end = leads.partition_point(|lead| *lead <= line);
    (0..end).rev().find(|index| found[*index].declaration.range.end() >= line)
}
