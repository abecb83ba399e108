//! The outline of a file: what it declares, which comments and attributes belong to each declaration, how much each does,
//! and which lines are imports. It does not depend on a query, and is stored beside the file's tokens.

use serde::{Deserialize, Serialize};

use super::{
    Declaration, DeclarationLine, DeclaredNames, NestedDeclaration,
    call_and_branch_density::call_count, comment_line::is_comment_or_attribute,
};
use retriever_workspace::{LineRange, LineSet, TextFile, WorkBudget, WorkBudgetExhausted};

/// Lines of comments and attributes above a declaration that belong to it.
const MAX_LEADING_LINES: usize = 40;

/// What a file declares.
#[derive(Debug)]
pub(crate) struct FileOutline {
    /// By first line.
    pub(crate) declared: Vec<NestedDeclaration>,
    /// One for each declaration.
    pub(crate) facts: Vec<DeclarationFacts>,
    /// Lines of imports.
    pub(crate) imports: LineSet,
}

/// Further facts of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DeclarationFacts {
    /// First line of the comments and attributes directly above it.
    pub(crate) leading_line: u32,
    /// Whether it is a test inside a file that is not one of tests, or contains some.
    pub(crate) is_test: bool,
    /// See [`call_count`].
    pub(crate) calls: u32,
}

/// A declaration as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredDeclaration<'a> {
    start: u32,
    /// Number of further lines.
    more: u32,
    named_owner: Option<&'a str>,
    name: &'a str,
    name_column: u16,
    kind: &'a str,
    /// Index of the parent plus one.
    parent: usize,
    facts: DeclarationFacts,
}

impl FileOutline {
    /// Returns the outline of a file, and the names on its lines.
    ///
    /// # Errors
    ///
    /// [`WorkBudgetExhausted::Cancelled`].
    pub(crate) fn of(
        file: &TextFile,
        budget: &WorkBudget,
    ) -> Result<(Self, DeclaredNames), WorkBudgetExhausted> {
        let (declared, names) = super::find(file.extension(), file.text(), budget)?;
        let calls_before = if declared.is_empty() { Vec::new() } else { running_calls(file) };
        let facts = |found: &NestedDeclaration| {
            let range = found.declaration.range;
            let leading_line = leading_line(file, range.start());
            let end = range.end().min(file.line_count());
            let heading = file
                .line(range.start())
                .map_or(0, |line| call_count(line, DeclarationLine::Heading));
            let up_to = |line: u32| calls_before.get(line as usize).copied().unwrap_or_default();
            let calls = heading + up_to(end).saturating_sub(up_to(range.start()));
            DeclarationFacts { leading_line, is_test: is_test(file, found, leading_line), calls }
        };
        let facts = declared.iter().map(facts).collect();
        Ok((Self { facts, declared, imports: imports(file) }, names))
    }

    /// Appends the stored form to `bytes`.
    pub(crate) fn encode(&self, bytes: Vec<u8>) -> Vec<u8> {
        let rows = self.declared.iter().zip(&self.facts).map(|(found, facts)| {
            let Declaration { range, name, kind } = &found.declaration;
            StoredDeclaration {
                start: range.start(),
                more: range.end() - range.start(),
                named_owner: found.named_owner.as_deref(),
                name,
                name_column: found.name_column,
                kind,
                parent: found.parent.map_or(0, |parent| parent + 1),
                facts: *facts,
            }
        });
        let imports = self.imports.runs().iter().map(|run| (run.start(), run.end()));
        let whole = (rows.collect::<Vec<_>>(), imports.collect::<Vec<_>>());
        // Writing to memory does not fail.
        postcard::to_extend(&whole, bytes).unwrap_or_default()
    }

    /// Reads the stored form; none for bytes that are something else.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (rows, imports): (Vec<StoredDeclaration<'_>>, Vec<(u32, u32)>) =
            postcard::from_bytes(bytes).ok()?;
        let mut outline = Self {
            declared: Vec::with_capacity(rows.len()),
            facts: Vec::with_capacity(rows.len()),
            imports: LineSet::new(),
        };
        for (start, end) in imports {
            outline.imports.insert(LineRange::new(start, end)?);
        }
        for row in rows {
            let range = LineRange::new(row.start, row.start.checked_add(row.more)?)?;
            let (name, kind) = (row.name.to_owned(), row.kind.to_owned());
            let declaration = Declaration { range, name, kind };
            // A parent stands before its members, so every chain of parents ends.
            let parent = row.parent.checked_sub(1);
            if parent.is_some_and(|parent| parent >= outline.declared.len()) {
                return None;
            }
            let (named_owner, name_column) = (row.named_owner.map(str::to_owned), row.name_column);
            let declared = NestedDeclaration { named_owner, declaration, parent, name_column };
            outline.declared.push(declared);
            outline.facts.push(row.facts);
        }
        Some(outline)
    }

    /// Whether a line lies in a test inside a file that is not one of tests.
    pub(crate) fn is_test(&self, line: u32) -> bool {
        self.ancestors(self.innermost(line)).any(|at| self.facts[at].is_test)
    }

    /// Returns the innermost declaration that contains `line`; the comments above it belong to it.
    pub(crate) fn innermost(&self, line: u32) -> Option<usize> {
        // Whatever begins before the last that does, and contains the line, is an ancestor of that.
        let last = self.facts.partition_point(|facts| facts.leading_line <= line).checked_sub(1);
        let mut around = self.ancestors(last);
        around.find(|at| self.declared[*at].declaration.range.end() >= line)
    }

    /// Returns the indexes of a declaration and of those around it, from the inside out.
    pub(crate) fn ancestors(&self, at: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(at, |at| self.declared[*at].parent)
    }
}

/// Returns for each line number the sum of calls up to it.
fn running_calls(file: &TextFile) -> Vec<u32> {
    let mut sums = Vec::with_capacity(file.line_count() as usize + 1);
    let mut sum = 0;
    sums.push(0);
    sums.extend(file.all_lines().map(|(_, line)| {
        sum += call_count(line, DeclarationLine::Body);
        sum
    }));
    sums
}

/// Returns the first line of the comments and attributes directly above line `start`.
fn leading_line(file: &TextFile, start: u32) -> u32 {
    let above = (1..start.min(file.line_count() + 1)).rev().take(MAX_LEADING_LINES);
    let extension = file.extension();
    let is_leading =
        |line: &u32| file.line(*line).is_some_and(|line| is_comment_or_attribute(extension, line));
    let count = above.take_while(is_leading).count();
    start - u32::try_from(count).unwrap_or_default()
}

/// Whether a declaration is a test or a module of tests, by its kind, name and attributes.
fn is_test(file: &TextFile, found: &NestedDeclaration, leading_line: u32) -> bool {
    let Declaration { range, name, kind } = &found.declaration;
    match kind.as_str() {
        "test" | "describe" | "it" | "suite" | "specify" => true,
        "mod" => matches!(name.as_str(), "test" | "tests"),
        _ => {
            let above = (leading_line..range.start()).filter_map(|line| file.line(line));
            above.map(str::trim_start).any(is_test_attribute)
        }
    }
}

/// Whether a line is an attribute, annotation or decorator that marks a test.
fn is_test_attribute(line: &str) -> bool {
    let attribute = line.strip_prefix("#[").or_else(|| line.strip_prefix('@'));
    attribute.or_else(|| line.strip_prefix('[')).is_some_and(|attribute| {
        let end = attribute.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':')));
        let path = &attribute[..end.unwrap_or(attribute.len())];
        matches!(
            path.rsplit("::").next().unwrap_or_default(),
            "test" | "Test" | "bench" | "ParameterizedTest" | "TestMethod" | "Fact" | "Theory"
        )
    })
}

/// Returns the lines of imports.
fn imports(file: &TextFile) -> LineSet {
    let mut lines = LineSet::new();
    let mut is_open = false;
    for (number, line) in file.all_lines() {
        let start = line.trim_ascii_start();
        let begins = begins_import(start);
        if (is_open || begins)
            && let Some(line) = LineRange::line(number)
        {
            lines.insert(line);
        }
        // A list of names goes on until its bracket closes.
        is_open =
            (is_open || (begins && start.contains(['{', '(']))) && !start.contains(['}', ')']);
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
