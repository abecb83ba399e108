//! Finds the last line of a declaration by brackets, by indentation, by `end`, or by the next heading.

use super::{
    line_patterns::{DeclarationEndRule, DeclarationLinePatterns, DeclarationPattern},
    stripped_lines::StrippedLines,
};
use retriever_workspace::{WorkBudget, WorkBudgetExhausted};

/// Lines that are searched for the end of a declaration in brackets.
const MAX_LINES: usize = 20_000;

/// Returns the index of the last line of what line `index` declares; none if the line turns out to declare nothing, and the
/// line itself when the budget ends first.
pub(super) fn last_line(
    rules: &DeclarationLinePatterns,
    rule: &DeclarationPattern,
    lines: &StrippedLines<'_>,
    index: usize,
    budget: &WorkBudget,
) -> Option<usize> {
    let found = match rules.extent {
        DeclarationEndRule::Braces => by_brackets(rule, lines, index, budget),
        DeclarationEndRule::Indentation => by_indentation(lines, index, budget).map(Some),
        DeclarationEndRule::End => by_end_word(&lines.text, index, budget).map(Some),
        DeclarationEndRule::Equations => by_equations(rule, lines, index, budget).map(Some),
        DeclarationEndRule::Section => by_heading(&lines.text, index, budget).map(Some),
    };
    found.unwrap_or(Some(index))
}

fn by_brackets(
    rule: &DeclarationPattern,
    lines: &StrippedLines<'_>,
    first: usize,
    budget: &WorkBudget,
) -> Result<Option<usize>, WorkBudgetExhausted> {
    let text = lines.text.as_slice();
    if rule.kind == "macro" && text[first].trim_start().starts_with('#') {
        return by_continuations(text, first, budget).map(Some);
    }
    let indent = indentation(text[first]);
    let mut body = Body::default();
    let mut open_conditionals: Vec<Body> = Vec::new();
    for index in first..text.len().min(first + MAX_LINES + 1) {
        let brackets = lines.brackets(index);
        budget.spend(1 + brackets.len() as u64)?;
        match conditional(text[index]) {
            Some(Conditional::If) => open_conditionals.push(body),
            // Each branch begins with the brackets that are open before the first one.
            Some(Conditional::Else) => body = open_conditionals.last().copied().unwrap_or(body),
            Some(Conditional::EndIf) => drop(open_conditionals.pop()),
            None => {}
        }
        for (column, byte) in brackets {
            match body.read(*byte, &text[index][*column + 1..]) {
                Step::Inside => {}
                Step::EndOfBody => return Ok(Some(index)),
                Step::EndOfStatement => {
                    return Ok((body.was_opened || !rule.needs_body).then_some(index));
                }
                Step::EndOfOuter => {
                    return Ok((!rule.needs_body).then(|| index.saturating_sub(1).max(first)));
                }
            }
        }
        if body.is_closed() && !body.was_opened && !continues(text, index, indent) {
            return Ok((!rule.needs_body).then_some(index));
        }
    }
    let last = if body.was_opened { (first + MAX_LINES).min(text.len() - 1) } else { first };
    Ok((!rule.needs_body || body.was_opened).then_some(last))
}

/// Goes on while a line ends with a backslash.
fn by_continuations(
    lines: &[&str],
    first: usize,
    budget: &WorkBudget,
) -> Result<usize, WorkBudgetExhausted> {
    for (index, line) in lines.iter().enumerate().skip(first) {
        budget.spend(1)?;
        if !goes_on_behind(line) {
            return Ok(index);
        }
    }
    Ok(lines.len() - 1)
}

/// Whether a line of a macro ends with the mark that the next one belongs to it.
pub(super) fn goes_on_behind(line: &str) -> bool {
    line.trim_end().ends_with('\\')
}

/// A line of the preprocessor that begins or ends one of several versions of the text.
enum Conditional {
    If,
    Else,
    EndIf,
}

fn conditional(line: &str) -> Option<Conditional> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let word = directive.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    match word {
        "if" | "ifdef" | "ifndef" => Some(Conditional::If),
        "else" | "elif" | "elseif" | "elifdef" | "elifndef" => Some(Conditional::Else),
        "endif" => Some(Conditional::EndIf),
        _ => None,
    }
}

/// Open brackets of a declaration.
#[derive(Clone, Copy, Default)]
struct Body {
    /// Open round and square brackets.
    round: i32,
    curly: i32,
    /// Whether a brace was met outside of round brackets.
    was_opened: bool,
}

/// Where a declaration is behind a bracket or semicolon.
enum Step {
    Inside,
    EndOfBody,
    EndOfStatement,
    /// Behind the end of what is around the declaration.
    EndOfOuter,
}

impl Body {
    fn is_closed(&self) -> bool {
        self.curly == 0 && self.round <= 0
    }

    /// Takes a bracket or semicolon; `rest` is the line behind it.
    fn read(&mut self, byte: u8, rest: &str) -> Step {
        match byte {
            b'(' | b'[' => self.round += 1,
            b')' | b']' => {
                self.round -= 1;
                // A property among the parameters of a constructor ends with them, not with the body behind.
                if self.round < 0 && !self.was_opened {
                    return Step::EndOfOuter;
                }
            }
            b'{' => {
                self.curly += 1;
                self.was_opened |= self.round <= 0;
            }
            b'}' => {
                self.curly -= 1;
                if self.curly < 0 {
                    return Step::EndOfOuter;
                }
                // A type in braces may stand before the body: `): { a: string } {`.
                let goes_on = || rest.trim_start().starts_with(['{', '|', '&', '[', '=', '>']);
                if self.was_opened && self.is_closed() && !goes_on() {
                    return Step::EndOfBody;
                }
            }
            b';' if self.is_closed() => return Step::EndOfStatement,
            _ => {}
        }
        Step::Inside
    }
}

/// Whether a statement that is open at the end of line `index` goes on with the next line of text.
fn continues(lines: &[&str], index: usize, indent: usize) -> bool {
    let Some(next) = lines[index + 1..].iter().take(3).find(|line| !line.trim().is_empty()) else {
        return false;
    };
    let start = next.trim_start();
    let word = start.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    start.starts_with(['{', ')', ']', '.', '?', ':', '|', '&', '=', '-', '>'])
        || matches!(word, "where" | "throws" | "extends" | "implements" | "with")
        || indentation(next) > indent
}

fn by_indentation(
    lines: &StrippedLines<'_>,
    first: usize,
    budget: &WorkBudget,
) -> Result<usize, WorkBudgetExhausted> {
    let indent = indentation(lines.text[first]);
    let mut open_brackets = 0_i32;
    let mut last = first;
    for (index, line) in lines.text.iter().enumerate().skip(first) {
        let brackets = lines.brackets(index);
        budget.spend(1 + brackets.len() as u64)?;
        let is_blank = line.trim().is_empty();
        if index > first && !is_blank && open_brackets <= 0 && indentation(line) <= indent {
            break;
        }
        for (_, byte) in brackets {
            match byte {
                b'(' | b'[' | b'{' => open_brackets += 1,
                b')' | b']' | b'}' => open_brackets -= 1,
                _ => {}
            }
        }
        if !is_blank {
            last = index;
        }
    }
    Ok(last)
}

/// Goes on while what follows begins with the same word: the equations of a function, behind its signature.
fn by_equations(
    rule: &DeclarationPattern,
    lines: &StrippedLines<'_>,
    first: usize,
    budget: &WorkBudget,
) -> Result<usize, WorkBudgetExhausted> {
    let mut last = by_indentation(lines, first, budget)?;
    if rule.kind != "function" {
        return Ok(last);
    }
    let name = first_word(lines.text[first]);
    loop {
        let mut behind =
            (last + 1..lines.text.len()).filter(|at| !lines.text[*at].trim().is_empty());
        match behind.next() {
            Some(next) if first_word(lines.text[next]) == name => {
                last = by_indentation(lines, next, budget)?;
            }
            _ => break,
        }
    }
    Ok(last)
}

/// Returns the word that a line begins with; none for one that is indented.
fn first_word(line: &str) -> Option<&str> {
    let end = line.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'')));
    Some(&line[..end.unwrap_or(line.len())]).filter(|word| !word.is_empty())
}

fn by_end_word(
    lines: &[&str],
    first: usize,
    budget: &WorkBudget,
) -> Result<usize, WorkBudgetExhausted> {
    let indent = indentation(lines[first]);
    let is_end = |line: &str| {
        line == "end"
            || line.starts_with("end ")
            || line.starts_with("end)")
            || line.starts_with("end,")
    };
    if lines[first].trim_end().ends_with(" end") {
        return Ok(first);
    }
    for (index, line) in lines.iter().enumerate().skip(first + 1) {
        budget.spend(1)?;
        let text = line.trim();
        if !text.is_empty() && indentation(line) <= indent && !is_inner_keyword(text) {
            return Ok(if is_end(text) && indentation(line) == indent {
                index
            } else {
                last_with_text(lines, first, index)
            });
        }
    }
    Ok(lines.len() - 1)
}

/// Whether a line belongs to a declaration although it is not indented deeper: `private` in a class, `rescue` in a method.
fn is_inner_keyword(line: &str) -> bool {
    const ALONE: [&str; 4] = ["private", "protected", "public", "module_function"];
    const BRANCHES: [&str; 6] = ["rescue", "ensure", "else", "elsif", "catch", "after"];
    let word = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    ALONE.contains(&line) || BRANCHES.contains(&word)
}

fn by_heading(
    lines: &[&str],
    first: usize,
    budget: &WorkBudget,
) -> Result<usize, WorkBudgetExhausted> {
    let level = |line: &str| line.bytes().take_while(|byte| *byte == b'#').count();
    let own = level(lines[first]);
    for (index, line) in lines.iter().enumerate().skip(first + 1) {
        budget.spend(1)?;
        if (1..=own).contains(&level(line)) {
            return Ok(last_with_text(lines, first, index));
        }
    }
    Ok(last_with_text(lines, first, lines.len()))
}

/// Returns the last line with text from `first` on and before `end`.
fn last_with_text(lines: &[&str], first: usize, end: usize) -> usize {
    (first..end).rev().find(|line| !lines[*line].trim().is_empty()).unwrap_or(first)
}

/// Returns the columns in front of the first letter; a tab has four.
fn indentation(line: &str) -> usize {
    line.bytes()
        .take_while(u8::is_ascii_whitespace)
        .map(|byte| if byte == b'\t' { 4 } else { 1 })
        .sum()
}
