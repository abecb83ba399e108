//! The passages of a file: its declarations in which a term stands, and, of what stands in none, the densest windows of
//! lines.

use std::borrow::Cow;

use crate::{
    declarations::{self, FileOutline, NestedDeclaration},
    index::TermHit,
};
use retriever_workspace::{LineRange, TextFile, WorkBudget};

/// A declaration with more lines is narrowed to a window.
pub(crate) const MAX_WIDTH: u32 = 120;
/// Lines of a window.
pub(crate) const WINDOW_LINES: u32 = 40;
/// Windows of one file.
const MAX_WINDOWS: usize = 2;
/// Lines of a window in front of its first hit and behind its last.
const LINES_BEFORE: u32 = 2;
const LINES_BEHIND: u32 = 3;
/// Characters of a signature.
const SIGNATURE_CHARS: usize = 160;

/// A part of a file that may answer a query.
pub(crate) struct Passage<'a> {
    pub(crate) range: LineRange,
    /// Number of lines of the comments and attributes directly above it.
    pub(crate) leading_lines: u32,
    /// Number of the declaration in the outline; none for a window.
    pub(crate) number: Option<usize>,
    /// The declaration; none for a window.
    pub(crate) declared: Option<&'a NestedDeclaration>,
    /// The declaration around it.
    pub(crate) owner: Option<&'a NestedDeclaration>,
    /// Number of declarations around it.
    pub(crate) depth: u32,
    /// Whether it is a test inside a file that is not one of tests.
    pub(crate) in_test: bool,
    /// Calls and branches of a declaration, see [`declarations::call_count`].
    pub(crate) calls: Option<u32>,
    /// Where terms stand in it.
    pub(crate) hits: Vec<TermHit>,
}

/// A file with the terms in it.
pub(crate) struct FileTermHits<'a> {
    pub(crate) file: &'a TextFile,
    pub(crate) outline: &'a FileOutline,
    pub(crate) hits: &'a [TermHit],
    /// Lines that the question points at; what is declared there is a passage without any term.
    pub(crate) pointed_lines: Vec<u32>,
    /// Weight of each term.
    pub(crate) term_weights: &'a [f64],
}

/// Gives every hit to the declaration that it stands in and to those around that, and what stands in none to windows.
/// Hits take their memory from `budget`; without any left, only the innermost declaration gets a hit.
pub(crate) fn passages<'a>(file: &FileTermHits<'a>, budget: &WorkBudget) -> Vec<Passage<'a>> {
    let (by_declaration, loose) = distributed(file, budget);
    let found = by_declaration.into_iter().enumerate();
    let declared = found.filter_map(|(index, hits)| Some(declared_passage(file, index, hits?)));
    let mut passages: Vec<Passage<'a>> = declared.collect();
    add_windows(file, loose, &mut passages);
    passages
}

/// Returns the hits of each declaration, none for one that is no passage, and the hits outside of all.
fn distributed(
    file: &FileTermHits<'_>,
    budget: &WorkBudget,
) -> (Vec<Option<Vec<TermHit>>>, Vec<TermHit>) {
    let FileOutline { declared, imports, .. } = file.outline;
    let mut by_declaration: Vec<Option<Vec<TermHit>>> = vec![None; declared.len()];
    let mut loose: Vec<TermHit> = Vec::new();
    for hit in file.hits {
        let Some(innermost) = file.outline.innermost(hit.line) else {
            if !LineRange::line(hit.line).is_some_and(|line| imports.contains(line)) {
                loose.push(*hit);
            }
            continue;
        };
        // What a nested function says, the function around it says, too; a type does not say what its methods do.
        let mut at = Some(innermost);
        while let Some(index) = at {
            by_declaration[index].get_or_insert_default().push(*hit);
            let parent = declared[index].parent;
            let parent =
                parent.filter(|at| !declarations::is_type(&declared[*at].declaration.kind));
            at = parent.filter(|_| budget.allocate(size_of::<TermHit>() as u64).is_ok());
        }
    }
    for line in &file.pointed_lines {
        if let Some(index) = file.outline.innermost(*line) {
            by_declaration[index].get_or_insert_default();
        }
    }
    (by_declaration, loose)
}

fn declared_passage<'a>(file: &FileTermHits<'a>, index: usize, hits: Vec<TermHit>) -> Passage<'a> {
    let outline = file.outline;
    let FileOutline { declared, facts, .. } = outline;
    let ancestors = || outline.ancestors(Some(index));
    let range = declared[index].declaration.range;
    Passage {
        range,
        leading_lines: range.start().saturating_sub(facts[index].leading_line),
        number: Some(index),
        declared: Some(&declared[index]),
        owner: declared[index].parent.map(|owner| &declared[owner]),
        depth: u32::try_from(ancestors().count() - 1).unwrap_or_default(),
        in_test: ancestors().any(|at| facts[at].is_test),
        calls: Some(facts[index].calls),
        hits,
    }
}

/// Adds the densest windows of the hits that stand in no declaration.
fn add_windows<'a>(
    file: &FileTermHits<'a>,
    mut loose: Vec<TermHit>,
    passages: &mut Vec<Passage<'a>>,
) {
    for _ in 0..MAX_WINDOWS {
        let all_lines = LineRange::new(1, file.file.line_count());
        let window = all_lines.and_then(|all| densest_window(&loose, file.term_weights, all));
        let Some(range) = window else { break };
        let (inside, outside) = loose.into_iter().partition(|hit| range.contains(hit.line));
        passages.push(Passage {
            range,
            leading_lines: 0,
            number: None,
            declared: None,
            owner: None,
            depth: 0,
            in_test: file.outline.is_test(range.start()),
            calls: None,
            hits: inside,
        });
        loose = outside;
    }
}

/// Returns the window of lines within `bounds` whose terms weigh most, each counted once, with a few lines around it.
pub(crate) fn densest_window(
    hits: &[TermHit],
    term_weights: &[f64],
    bounds: LineRange,
) -> Option<LineRange> {
    let mut best: Option<(f64, u32, u32)> = None;
    let mut counts = [0_u32; 1 << u8::BITS];
    let mut first = 0;
    // What a hit adds to a window that has the term so many times without it.
    let gain = |hit: &TermHit, others: u32| {
        let weight = term_weights.get(usize::from(hit.term)).copied().unwrap_or_default();
        weight * f64::from(hit.strength) * if others == 0 { 1.0 } else { 0.0 }
    };
    let mut weight = 0.0;
    for hit in hits {
        while hits[first].line + WINDOW_LINES <= hit.line + 4 {
            let left = &hits[first];
            let count = &mut counts[usize::from(left.term)];
            *count = count.saturating_sub(1);
            weight -= gain(left, *count);
            first += 1;
        }
        let count = &mut counts[usize::from(hit.term)];
        weight += gain(hit, *count);
        *count += 1;
        if best.is_none_or(|(most, ..)| weight > most + 1e-9) {
            best = Some((weight, hits[first].line, hit.line));
        }
    }
    let (_, start, end) = best?;
    let first = start.saturating_sub(LINES_BEFORE).max(bounds.start()).max(1);
    LineRange::new(first, (end + LINES_BEHIND).min(bounds.end()).max(start))
}

/// Returns `window` with as many of the lines behind it, and then in front of it, as a window may have: a few lines around the words
/// of a question rarely hold what a long function does with them.
pub(crate) fn widened(window: LineRange, bounds: LineRange) -> LineRange {
    let end = window.end().max(window.start() + WINDOW_LINES - 1).min(bounds.end());
    let start = window.start().min((end + 1).saturating_sub(WINDOW_LINES)).max(bounds.start());
    LineRange::new(start, end).unwrap_or(window)
}

/// Returns the lines of a range, joined by `\n`.
pub(crate) fn text_of(file: &TextFile, range: LineRange) -> Cow<'_, str> {
    let end = range.end().min(file.line_count());
    let text = file.text();
    let offset = |line: &str| line.as_ptr() as usize - text.as_ptr() as usize;
    if let (Some(first), Some(last)) = (file.line(range.start()), file.line(end))
        && let Some(whole) = text.get(offset(first)..offset(last) + last.len())
        && memchr::memchr(b'\r', whole.as_bytes()).is_none()
    {
        return Cow::Borrowed(whole);
    }
    Cow::Owned(file.lines(range).map(|(_, line)| line).collect::<Vec<_>>().join("\n"))
}

/// Returns a line cut to the length of a signature.
pub(crate) fn clip_signature(line: &str) -> String {
    match line.char_indices().nth(SIGNATURE_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}
