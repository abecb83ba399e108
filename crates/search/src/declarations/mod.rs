//! Finds declarations in the text of any common language without parsing it: a line pattern names them, brackets,
//! indentation or `end` give their extent. Where there is a code graph, its ranges are exact and win over these.

mod blanking;
pub(crate) mod body_weight;
pub(crate) mod declaration;
mod line_rules;
pub(crate) mod outline;

use crate::declarations::declaration::Declaration;
use crate::declarations::line_rules::{Extent, Rule};
pub(crate) use line_rules::LineRules;
use retriever_workspace::LineRange;

/// Most lines that are searched for the end of a declaration.
const MOST_LINES: usize = 20_000;

/// A declaration found in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Extent, name and kind.
    pub declaration: Declaration,
    /// Index of the innermost declaration around this one.
    pub parent: Option<usize>,
}

/// Returns the declarations in a file with this extension, by first line; nothing for languages that aren't known.
pub fn declarations(extension: &str, text: &str) -> Vec<Declared> {
    read(extension, text).0
}

/// Does as [`declarations`] does, and says what came to light of single lines on the way.
pub(crate) fn read(extension: &str, text: &str) -> (Vec<Declared>, DeclaredNames) {
    let mut names = DeclaredNames { syntax: LineRules::of(extension), known: Vec::new() };
    let Some(syntax) = names.syntax else { return (Vec::new(), names) };
    let masked = blanking::mask(text, syntax);
    let page = Page::of(&masked);
    let lines = &page.lines;
    let mut found: Vec<Declared> = Vec::new();
    for (at, (start, end)) in page.places.iter().copied().enumerate() {
        let original = text.get(start..end).unwrap_or_default();
        let declared = declared_by(syntax, lines[at]);
        let place = |name: &str| {
            let start = name.as_ptr() as usize - lines[at].as_ptr() as usize;
            Some((u32::try_from(start).ok()?, u32::try_from(name.len()).ok()?))
        };
        let name = declared.as_ref().and_then(|(_, name, _)| place(name));
        names.known.push((original == lines[at]).then_some(name));
        let Some((rule, name, kind)) = declared else { continue };
        let Some(end) = extent(syntax, rule, &page, at) else { continue };
        let (Ok(start), Ok(end)) = (u32::try_from(at + 1), u32::try_from(end + 1)) else { break };
        let Some(range) = LineRange::new(start, end) else { continue };
        // A name in quotes was blanked; the text still has it, at the same place.
        let offset = name.as_ptr() as usize - lines[at].as_ptr() as usize;
        let name = original.get(offset..offset + name.len()).unwrap_or(name).trim();
        if name.is_empty() {
            continue;
        }
        found.push(Declared {
            declaration: Declaration { range, name: name.to_owned(), kind: kind.to_owned() },
            parent: None,
        });
    }
    nest(&mut found);
    (found, names)
}

/// The names that lines declare, each judged by its line alone.
pub(crate) struct DeclaredNames {
    syntax: Option<&'static LineRules>,
    /// By number: where the name stands and how long it is, of lines without strings and comments.
    known: Vec<Option<Option<(u32, u32)>>>,
}

impl DeclaredNames {
    /// Returns those of a text of which no line was looked at.
    pub(crate) fn of(extension: &str) -> Self {
        Self { syntax: LineRules::of(extension), known: Vec::new() }
    }

    /// Returns the name that `line`, which stands at place `at` of the text, declares.
    pub(crate) fn on<'a>(&self, at: usize, line: &'a str) -> Option<&'a str> {
        match self.known.get(at).filter(|_| !line.ends_with('\r')) {
            Some(Some(name)) => {
                let (start, length) = (*name)?;
                line.get(start as usize..(start + length) as usize)
            }
            _ => declared_by(self.syntax?, line).map(|(_, name, _)| name),
        }
    }
}

/// Masked text by lines, with where its brackets and semicolons stand: they say how far a declaration goes.
struct Page<'a> {
    lines: Vec<&'a str>,
    /// Where each line starts and ends.
    places: Vec<(usize, usize)>,
    /// Column and byte of each, line after line.
    marks: Vec<(usize, u8)>,
    /// Where the marks of each line end.
    ends: Vec<usize>,
}

impl<'a> Page<'a> {
    fn of(masked: &'a str) -> Self {
        let (mut marks, mut ends, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        for (at, byte) in masked.bytes().enumerate() {
            if !MARKS[usize::from(byte)] {
                continue;
            }
            if byte == b'\n' {
                ends.push(marks.len());
                let is_long = at > start && masked.as_bytes()[at - 1] == b'\r';
                places.push((start, at - usize::from(is_long)));
                start = at + 1;
            } else {
                marks.push((at - start, byte));
            }
        }
        // The last line may have no end.
        if start < masked.len() {
            ends.push(marks.len());
            places.push((start, masked.len()));
        }
        let line = |(start, end): &(usize, usize)| masked.get(*start..*end).unwrap_or_default();
        Self { lines: places.iter().map(line).collect(), places, marks, ends }
    }

    fn marks(&self, line: usize) -> &[(usize, u8)] {
        let start = line.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.marks[start..self.ends[line]]
    }
}

/// Brackets, semicolons and ends of lines, by byte.
static MARKS: [bool; 256] = table(b"()[]{};\n");

/// A table that says of every byte whether it is one of `bytes`.
const fn table(bytes: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}

fn declared_by<'a>(
    syntax: &'static LineRules,
    line: &'a str,
) -> Option<(&'static Rule, &'a str, &'a str)> {
    let start = line.trim_start();
    // No declaration of any language begins like this, and about a third of all lines do.
    let is_rest = start.starts_with(['}', ')', '{', '(', ';', '"', '\'', '/', '=', '|']);
    if start.is_empty() || is_rest || line.len() > 600 {
        return None;
    }
    let (rule, groups) = syntax.rule_of(line)?;
    let first_word = start.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
    let name = line.get(groups.name("name")?.range())?;
    let statement = line_rules::is_statement(first_word) && first_word != name;
    if rule.needs_body && (statement || line_rules::is_control(name)) {
        return None;
    }
    let kind = groups.name("kind").and_then(|kind| line.get(kind.range())).unwrap_or(rule.kind);
    Some((rule, name, kind))
}

/// Returns the index of the last line of what line `at` declares.
fn extent(syntax: &LineRules, rule: &Rule, page: &Page<'_>, at: usize) -> Option<usize> {
    let lines = page.lines.as_slice();
    match syntax.extent {
        Extent::Braces => braces(rule, page, at),
        Extent::Indentation => Some(indentation(page, at)),
        Extent::End => Some(end_word(lines, at)),
        Extent::Section => {
            let level = |line: &str| line.bytes().take_while(|byte| *byte == b'#').count();
            let own = level(lines[at]);
            let next = (at + 1..lines.len()).find(|line| (1..=own).contains(&level(lines[*line])));
            Some(last_text(lines, at, next.unwrap_or(lines.len())))
        }
    }
}

fn braces(rule: &Rule, page: &Page<'_>, at: usize) -> Option<usize> {
    let lines = page.lines.as_slice();
    let indent = indentation_of(lines[at]);
    if rule.kind == "macro" && lines[at].trim_start().starts_with('#') {
        return (at..lines.len()).find(|line| !lines[*line].trim_end().ends_with('\\'));
    }
    let (mut round, mut curly, mut body) = (0_i32, 0_i32, false);
    for (index, line) in lines.iter().enumerate().skip(at) {
        if index > at + MOST_LINES {
            break;
        }
        for (column, byte) in page.marks(index) {
            match byte {
                b'(' | b'[' => round += 1,
                b')' | b']' => round -= 1,
                b'{' => {
                    curly += 1;
                    body |= round <= 0;
                }
                b'}' => {
                    curly -= 1;
                    if curly < 0 {
                        return (!rule.needs_body).then(|| index.saturating_sub(1).max(at));
                    }
                    // A type in braces may stand before the body: `): { a: string } {`.
                    let more = line[*column + 1..].trim_start();
                    if body
                        && curly == 0
                        && round <= 0
                        && !more.starts_with(['{', '|', '&', '[', '=', '>'])
                    {
                        return Some(index);
                    }
                }
                b';' if curly == 0 && round <= 0 => {
                    return (body || !rule.needs_body).then_some(index);
                }
                _ => {}
            }
        }
        if curly == 0 && round <= 0 && !body && !continues(lines, index, indent) {
            return (!rule.needs_body).then_some(index);
        }
    }
    (!rule.needs_body || body)
        .then(|| if body { (at + MOST_LINES).min(lines.len() - 1) } else { at })
}

/// Whether a statement that is open at the end of line `index` goes on with the next line of text.
fn continues(lines: &[&str], index: usize, indent: usize) -> bool {
    let Some(next) = lines[index + 1..].iter().take(3).find(|line| !line.trim().is_empty()) else {
        return false;
    };
    let start = next.trim_start();
    let word = start.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    start.starts_with(['{', ')', ']', '.', '?', ':', '|', '&', '=', '-'])
        || matches!(word, "where" | "throws" | "extends" | "implements" | "with")
        || indentation_of(next) > indent
}

fn indentation(page: &Page<'_>, at: usize) -> usize {
    let lines = page.lines.as_slice();
    let indent = indentation_of(lines[at]);
    let mut depth = 0_i32;
    let mut end = at;
    for (index, line) in lines.iter().enumerate().skip(at) {
        let blank = line.trim().is_empty();
        if index > at && !blank && depth <= 0 && indentation_of(line) <= indent {
            break;
        }
        for (_, byte) in page.marks(index) {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
        }
        if !blank {
            end = index;
        }
    }
    end
}

fn end_word(lines: &[&str], at: usize) -> usize {
    let indent = indentation_of(lines[at]);
    let is_end = |line: &str| {
        line == "end"
            || line.starts_with("end ")
            || line.starts_with("end)")
            || line.starts_with("end,")
    };
    if lines[at].trim_end().ends_with(" end") {
        return at;
    }
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        let start = line.trim();
        if !start.is_empty() && indentation_of(line) <= indent {
            return if is_end(start) && indentation_of(line) == indent {
                index
            } else {
                last_text(lines, at, index)
            };
        }
    }
    lines.len() - 1
}

/// Returns the last line with text from `at` on and before `end`.
fn last_text(lines: &[&str], at: usize, end: usize) -> usize {
    (at..end).rev().find(|line| !lines[*line].trim().is_empty()).unwrap_or(at)
}

fn indentation_of(line: &str) -> usize {
    line.bytes()
        .take_while(u8::is_ascii_whitespace)
        .map(|byte| if byte == b'\t' { 4 } else { 1 })
        .sum()
}

/// Finds the innermost declaration around each; functions inside types become methods.
fn nest(found: &mut [Declared]) {
    let mut open: Vec<usize> = Vec::new();
    for index in 0..found.len() {
        let range = found[index].declaration.range;
        while open.last().is_some_and(|outer| found[*outer].declaration.range.end() < range.start())
        {
            open.pop();
        }
        found[index].parent = open.last().copied();
        if let Some(outer) = found[index].parent
            && is_type(&found[outer].declaration.kind)
            && matches!(
                found[index].declaration.kind.as_str(),
                "fn" | "def" | "fun" | "func" | "function"
            )
        {
            "method".clone_into(&mut found[index].declaration.kind);
        }
        open.push(index);
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

/// Whether declarations can be found in files with this extension; headings of documents don't count.
pub(crate) fn knows(extension: &str) -> bool {
    LineRules::of(extension).is_some_and(|syntax| syntax.extent != Extent::Section)
}
