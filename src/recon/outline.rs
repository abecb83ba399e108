//! Where the lines of a file belong: comments and attributes to the declaration below them, imports to none.

use super::declarations::Declared;
use crate::{
    ledger::{Declaration, LineRange, LineSet},
    workspace::TextFile,
};

/// Lines of a doc comment that count for the declaration below them.
const LEAD: usize = 40;

/// Returns, for each declaration, the first line of the comments and attributes directly above it.
pub(super) fn leads(file: &TextFile, found: &[Declared]) -> Vec<u32> {
    let lead = |found: &Declared| {
        let start = found.declaration.range.start();
        let above = (1..start.min(file.line_count() + 1)).rev().take(LEAD);
        let count = above.take_while(|line| file.line(*line).is_some_and(is_lead)).count();
        start - u32::try_from(count).unwrap_or_default()
    };
    found.iter().map(lead).collect()
}

/// Whether a line is a comment or an attribute.
pub(super) fn is_lead(line: &str) -> bool {
    let start = line.trim_start();
    match start.as_bytes() {
        [b'*' | b'#' | b'@', ..] | [b'/', b'/' | b'*', ..] | [b'-', b'-', ..] => true,
        [b'<', ..] => start.starts_with("<!--"),
        _ => false,
    }
}

/// Whether a declaration, whose comments and attributes begin with line `lead`, is a test that stands beside the code, or holds some.
pub(super) fn is_test(file: &TextFile, found: &Declared, lead: u32) -> bool {
    let Declaration { range, name, kind } = &found.declaration;
    let above = || (lead..range.start()).filter_map(|line| file.line(line)).map(str::trim_start);
    match kind.as_str() {
        "test" | "describe" | "it" | "suite" | "specify" => true,
        "mod" => matches!(name.as_str(), "test" | "tests"),
        _ => above().any(|line| {
            let mark = line.strip_prefix("#[").or_else(|| line.strip_prefix('@'));
            let mark = mark.or_else(|| line.strip_prefix('['));
            mark.is_some_and(|mark| {
                let end = mark.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':')));
                let mark = &mark[..end.unwrap_or(mark.len())];
                let last = mark.rsplit("::").next().unwrap_or_default();
                matches!(
                    last,
                    "test"
                        | "Test"
                        | "bench"
                        | "ParameterizedTest"
                        | "TestMethod"
                        | "Fact"
                        | "Theory"
                )
            })
        }),
    }
}

/// Returns the lines that only bring names of other files in.
pub(super) fn imports(file: &TextFile) -> LineSet {
    let mut lines = LineSet::new();
    let mut open = false;
    for (number, line) in file.all_lines() {
        let start = line.trim_ascii_start();
        let begins = begins_import(start);
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

fn begins_import(start: &str) -> bool {
    let words: &[&str] = match start.as_bytes().first() {
        Some(b'i') => &["import ", "import{"],
        Some(b'f') => &["from "],
        Some(b'u') => &["use ", "using "],
        Some(b'p') => &["pub use ", "package "],
        Some(b'#') => &["#include"],
        Some(b'e') => &["export * from"],
        _ => return false,
    };
    words.iter().any(|word| start.starts_with(word))
}

/// Returns the innermost declaration that holds `line`, the comments above it included.
pub(super) fn innermost(found: &[Declared], leads: &[u32], line: u32) -> Option<usize> {
    // Sorted by first line, so the last that starts at or above the line and still holds it is the innermost.
    let end = leads.partition_point(|lead| *lead <= line);
    (0..end).rev().find(|index| found[*index].declaration.range.end() >= line)
}
