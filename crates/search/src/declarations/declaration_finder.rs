//! Finds declarations in text: a line pattern names them, and brackets, indentation or a closing word end them.

use std::ops::Range;

use retriever_workspace::{Cancellation, LineRange, WorkBudget, WorkBudgetExhausted};

use super::line_patterns::DeclarationPattern;
use crate::{
    declarations::{
        Declaration, NestedDeclaration, comment_line, comment_stripper, declaration_end,
        line_patterns::{self, DeclarationEndRule, DeclarationLinePatterns},
        stripped_lines::StrippedLines,
    },
    per_file_limits,
};

/// The names that lines declare, each line judged by itself.
pub(crate) struct DeclaredNames {
    pub(super) rules: Option<&'static DeclarationLinePatterns>,
    /// For each line the bytes of the declared name, if it has one; unknown for a line with strings or comments.
    pub(super) by_line: Vec<Option<Option<Range<u16>>>>,
}

impl DeclaredNames {
    /// Returns those of a file of which no line was looked at.
    pub(crate) fn unknown(extension: &str) -> Self {
        Self { rules: DeclarationLinePatterns::of(extension), by_line: Vec::new() }
    }

    /// Whether `line` is a comment.
    pub(crate) fn is_comment(&self, line: &str) -> bool {
        comment_line::begins_comment(self.rules, line)
    }

    /// Returns the bytes of the name that `line` declares; `index` is the number of the line from 0.
    pub(crate) fn on_line(&self, index: usize, line: &str) -> Option<Range<usize>> {
        match self.by_line.get(index).filter(|_| !line.ends_with('\r')) {
            Some(Some(name)) => name.as_ref().map(|name| name.start.into()..name.end.into()),
            _ => match_line(self.rules?, line).map(|matched| matched.name),
        }
    }
}

/// Returns the declarations in a file with this extension, by first line; none for an unknown language, or once cancelled.
pub fn declarations(
    extension: &str,
    text: &str,
    cancellation: &Cancellation,
) -> Vec<NestedDeclaration> {
    let budget = per_file_limits::file_budget(text.len(), cancellation);
    find(extension, text, &budget).map_or_else(|_| Vec::new(), |(declared, _)| declared)
}

/// Returns the declarations in a file, and the names on its lines. A line takes an operation, and so does each line and
/// bracket that is looked at to find the end of a declaration; a declaration whose end is not found within the budget ends
/// with its first line.
///
/// # Errors
///
/// [`WorkBudgetExhausted::Cancelled`].
pub(crate) fn find(
    extension: &str,
    text: &str,
    budget: &WorkBudget,
) -> Result<(Vec<NestedDeclaration>, DeclaredNames), WorkBudgetExhausted> {
    let mut names =
        DeclaredNames { rules: DeclarationLinePatterns::of(extension), by_line: Vec::new() };
    let Some(rules) = names.rules else { return Ok((Vec::new(), names)) };
    let masked = comment_stripper::blank(text, rules);
    let lines = StrippedLines::of(&masked);
    let mut found: Vec<NestedDeclaration> = Vec::new();
    let mut last_function: Option<usize> = None;
    for (index, span) in lines.spans.iter().enumerate() {
        if budget.spend(1) == Err(WorkBudgetExhausted::Cancelled) {
            return Err(WorkBudgetExhausted::Cancelled);
        }
        let original = text.get(span.clone()).unwrap_or_default();
        let matched = if is_in_macro(&found, &lines, index) {
            None
        } else {
            match_line(rules, lines.text[index])
        };
        let matched = matched.filter(|matched| {
            let function = last_function.map(|at| &found[at].declaration);
            rules.extent != DeclarationEndRule::Equations
                || !is_equation(function, index, &lines.text[index][matched.name.clone()])
        });
        let name = matched.as_ref().and_then(|matched| narrow(&matched.name));
        names.by_line.push((original == lines.text[index]).then_some(name));
        let Some(LineMatch { rule, name, kind, owner }) = matched else { continue };
        let before = index.checked_sub(1).map_or("", |before| lines.text[before].trim_end());
        if rules.has_initializers() && rule.needs_body && before.ends_with(',') {
            continue;
        }
        let Some(end) = declaration_end::last_line(rules, rule, &lines, index, budget) else {
            continue;
        };
        let (Ok(start), Ok(end)) = (u32::try_from(index + 1), u32::try_from(end + 1)) else {
            break;
        };
        let Some(range) = LineRange::new(start, end) else { continue };
        let name_column = u16::try_from(name.start).unwrap_or(u16::MAX);
        // A name in quotes was blanked; the original text still has it.
        let name = original.get(name.clone()).unwrap_or(&lines.text[index][name]).trim();
        if !name.is_empty() {
            let declaration = Declaration { range, name: name.to_owned(), kind: kind.to_owned() };
            let named_owner = owner.map(str::to_owned);
            if kind == "function" {
                last_function = Some(found.len());
            }
            found.push(NestedDeclaration { named_owner, declaration, parent: None, name_column });
        }
    }
    nest(&mut found);
    Ok((found, names))
}

/// Whether line `index` is a further line of the macro that was found last: it declares nothing by itself, and where every line
/// of a file looks like a macro the end of each would be searched for.
fn is_in_macro(found: &[NestedDeclaration], lines: &StrippedLines<'_>, index: usize) -> bool {
    let last = found.last().map(|found| &found.declaration);
    last.is_some_and(|last| last.kind == "macro" && last.range.end() as usize > index)
        && index.checked_sub(1).is_some_and(|at| declaration_end::goes_on_behind(lines.text[at]))
}

/// Whether line `index` is a further equation of `function`, the last that was found.
fn is_equation(function: Option<&Declaration>, index: usize, name: &str) -> bool {
    function.is_some_and(|function| function.name == name && function.range.end() as usize > index)
}

fn match_line<'a>(rules: &'static DeclarationLinePatterns, line: &'a str) -> Option<LineMatch<'a>> {
    let start = line.trim_start();
    // No declaration of any language begins like this, and about a third of all lines do.
    let is_continuation = start.starts_with(['}', ')', '{', '(', ';', '"', '\'', '/', '=', '|']);
    if start.is_empty() || is_continuation || line.len() > MAX_LINE_BYTES {
        return None;
    }
    let (rule, groups) = rules.first_match(line)?;
    let first_word = start.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
    let range = groups.name("name")?.range();
    let name = line.get(range.clone())?;
    let is_statement = line_patterns::is_statement(first_word) && first_word != name;
    if rule.needs_body && (is_statement || line_patterns::is_control_word(name)) {
        return None;
    }
    let kind = groups.name("kind").and_then(|kind| line.get(kind.range())).unwrap_or(rule.kind);
    let owner = groups.name("owner").and_then(|owner| line.get(owner.range()));
    Some(LineMatch { rule, name: range, kind, owner })
}

/// Finds the innermost declaration around each; functions of types become methods.
fn nest(found: &mut [NestedDeclaration]) {
    let mut open: Vec<usize> = Vec::new();
    for index in 0..found.len() {
        let range = found[index].declaration.range;
        while open.last().is_some_and(|outer| found[*outer].declaration.range.end() < range.start())
        {
            open.pop();
        }
        found[index].parent = open.last().copied();
        let outer = found[index].parent.map(|outer| found[outer].declaration.kind.as_str());
        let in_type = outer.is_some_and(|kind| is_type(kind) && kind != "namespace");
        if (in_type || found[index].named_owner.is_some())
            && is_function_keyword(&found[index].declaration.kind)
        {
            "method".clone_into(&mut found[index].declaration.kind);
        }
        if open.len() < MAX_NESTING {
            open.push(index);
        }
    }
}

/// Whether a kind names a type or another container of members.
pub(crate) fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "struct"
            | "class"
            | "interface"
            | "trait"
            | "enum"
            | "impl"
            | "instance"
            | "contract"
            | "object"
            | "protocol"
            | "extension"
            | "actor"
            | "record"
            | "union"
            | "module"
            | "defmodule"
            | "namespace"
            | "mod"
            | "enum class"
            | "mixin"
            | "service"
            | "@interface"
            | "@implementation"
            | "@protocol"
    )
}

/// Whether a kind is a type that others name, rather than a container of code.
pub(crate) fn declares_type(kind: &str) -> bool {
    let is_container = matches!(
        kind,
        "impl" | "instance" | "module" | "defmodule" | "namespace" | "mod" | "extension" | "macro"
    );
    (is_type(kind) || is_plain_type(kind) || kind == "variant") && !is_container
}

/// Whether a kind is a type that has no members of its own kind in the text.
pub(crate) fn is_plain_type(kind: &str) -> bool {
    matches!(
        kind,
        "type"
            | "typealias"
            | "alias"
            | "type alias"
            | "data"
            | "newtype"
            | "enum"
            | "annotation class"
            | "macro"
    )
}

/// Longest line that can declare something, in bytes.
const MAX_LINE_BYTES: usize = 600;

/// Levels of nesting that are told apart; deeper declarations count as members of the deepest level.
const MAX_NESTING: usize = 256;

/// A line that declares something.
struct LineMatch<'a> {
    rule: &'static DeclarationPattern,
    /// Bytes of the name in the line.
    name: Range<usize>,
    kind: &'a str,
    owner: Option<&'a str>,
}

/// Returns a range in few bytes; lines that declare something are short.
fn narrow(range: &Range<usize>) -> Option<Range<u16>> {
    Some(u16::try_from(range.start).ok()?..u16::try_from(range.end).ok()?)
}

fn is_function_keyword(kind: &str) -> bool {
    matches!(kind, "fn" | "def" | "fun" | "func" | "function")
}
