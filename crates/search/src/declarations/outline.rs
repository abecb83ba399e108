//! What a file's text says of its places before anything is asked: what it declares, where the lines around that belong (comments
//! and attributes to the declaration below them, imports to none), and how much each place does. It is kept beside the packed
//! words.

use serde::{Deserialize, Serialize};

use super::{self as declarations, Declared, DeclaredNames, body_weight};
use crate::declarations::declaration::Declaration;
use retriever_workspace::{LineRange, LineSet, TextFile};

/// Lines of a doc comment that count for the declaration below them.
const LEAD: usize = 40;

/// The places of one file.
pub(crate) struct FileOutline {
    /// By first line.
    pub(crate) declared: Vec<Declared>,
    /// One a declaration.
    pub(crate) asides: Vec<DeclarationFacts>,
    /// Lines that only bring names of other files in.
    pub(crate) imports: LineSet,
}

/// What else is known of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DeclarationFacts {
    /// First line of the comments and attributes directly above it.
    pub(crate) lead: u32,
    /// Whether it is a test that stands beside the code, or holds some.
    pub(crate) is_test: bool,
    /// Calls and branches, in halves, see [`body_weight::work`].
    pub(crate) work: u32,
}

/// A declaration as it is kept: its first line and the lines behind it, its name and kind, and the number of the one around it, from
/// 1.
type Row<'a> = ((u32, u32), &'a str, &'a str, usize, DeclarationFacts);

impl FileOutline {
    /// Returns the outline of a file, and what came to light of its single lines on the way.
    pub(crate) fn read(file: &TextFile) -> (Self, DeclaredNames) {
        let (declared, names) = declarations::read(file.path.extension(), file.text());
        // How much the lines before each one do.
        let mut works = Vec::with_capacity(file.line_count() as usize + 1);
        let mut sum = 0;
        if !declared.is_empty() {
            works.push(0);
            works.extend(file.all_lines().map(|(_, line)| {
                sum += body_weight::work(line, false);
                sum
            }));
        }
        let aside = |found: &Declared| {
            let Declaration { range, .. } = found.declaration;
            let lead = lead(file, range.start());
            let end = range.end().min(file.line_count());
            let heading = file.line(range.start()).map_or(0, |line| body_weight::work(line, true));
            let upto = |line: u32| works.get(line as usize).copied().unwrap_or_default();
            let work = heading + upto(end).saturating_sub(upto(range.start()));
            DeclarationFacts { lead, is_test: is_test(file, found, lead), work }
        };
        let asides = declared.iter().map(aside).collect();
        (Self { asides, declared, imports: imports(file) }, names)
    }

    /// Adds it to `bytes`.
    pub(crate) fn pack(&self, bytes: Vec<u8>) -> Vec<u8> {
        let rows = self.declared.iter().zip(&self.asides).map(|(found, aside)| -> Row<'_> {
            let Declaration { range, name, kind } = &found.declaration;
            let parent = found.parent.map_or(0, |parent| parent + 1);
            ((range.start(), range.end() - range.start()), name, kind, parent, *aside)
        });
        let imports = self.imports.runs().iter().map(|run| (run.start(), run.end()));
        let whole = (rows.collect::<Vec<_>>(), imports.collect::<Vec<_>>());
        // Bytes in memory take everything.
        postcard::to_extend(&whole, bytes).unwrap_or_default()
    }

    /// Reads what [`FileOutline::pack`] wrote; none when it is something else.
    pub(crate) fn unpack(bytes: &[u8]) -> Option<Self> {
        let (rows, imports): (Vec<Row<'_>>, Vec<(u32, u32)>) = postcard::from_bytes(bytes).ok()?;
        let mut outline = Self {
            declared: Vec::with_capacity(rows.len()),
            asides: Vec::with_capacity(rows.len()),
            imports: LineSet::new(),
        };
        for (start, end) in imports {
            outline.imports.insert(LineRange::new(start, end)?);
        }
        for ((start, more), name, kind, parent, aside) in rows {
            let range = LineRange::new(start, start.checked_add(more)?)?;
            let declaration = Declaration { range, name: name.to_owned(), kind: kind.to_owned() };
            // What is around something stands before it.
            let parent = parent.checked_sub(1);
            if parent.is_some_and(|parent| parent >= outline.declared.len()) {
                return None;
            }
            outline.declared.push(Declared { declaration, parent });
            outline.asides.push(aside);
        }
        Some(outline)
    }

    /// Returns the outline of a file.
    pub(crate) fn of(file: &TextFile) -> Self {
        Self::read(file).0
    }

    /// Whether a line lies in a test that stands beside the code.
    pub(crate) fn is_test(&self, line: u32) -> bool {
        self.around(self.innermost(line)).any(|at| self.asides[at].is_test)
    }

    /// Returns the innermost declaration that holds `line`, the comments above it included.
    pub(crate) fn innermost(&self, line: u32) -> Option<usize> {
        // Sorted by first line, so the last that starts at or above the line and still holds it is the innermost.
        let end = self.asides.partition_point(|aside| aside.lead <= line);
        (0..end).rev().find(|at| self.declared[*at].declaration.range.end() >= line)
    }

    /// The numbers of a declaration and of those around it, from the inside out.
    pub(crate) fn around(&self, at: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(at, |at| self.declared[*at].parent)
    }
}

/// Returns the first line of the comments and attributes directly above line `start`.
fn lead(file: &TextFile, start: u32) -> u32 {
    let above = (1..start.min(file.line_count() + 1)).rev().take(LEAD);
    let count = above.take_while(|line| file.line(*line).is_some_and(is_lead)).count();
    start - u32::try_from(count).unwrap_or_default()
}

/// Whether a line is a comment or an attribute.
pub(crate) fn is_lead(line: &str) -> bool {
    let start = line.trim_start();
    match start.as_bytes() {
        [b'*' | b'#' | b'@', ..] | [b'/', b'/' | b'*', ..] | [b'-', b'-', ..] => true,
        [b'<', ..] => start.starts_with("<!--"),
        _ => false,
    }
}

/// Whether a declaration, whose comments and attributes begin with line `lead`, is a test that stands beside the code, or holds some.
fn is_test(file: &TextFile, found: &Declared, lead: u32) -> bool {
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
fn imports(file: &TextFile) -> LineSet {
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
