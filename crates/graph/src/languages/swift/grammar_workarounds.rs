//! Text that the grammar would misread, rewritten at the same length.

use crate::{
    languages::same_length_rewriting::{blanked, by_line, replaced},
    syntax::SyntaxNode,
};

/// Names of directives that stand on lines of their own.
const DIRECTIVES: &[&str] =
    &["if", "elseif", "else", "endif", "error", "warning", "sourceLocation"];
/// What the grammar doesn't know before a declaration inside of a function, and what stands behind it.
const MARKS: &[(&str, &str)] = &[("@Sendable ", "func "), ("nonisolated(unsafe) ", "")];

/// Rewrites what the grammar misreads: blanks compiler directives, so that all of their branches are read, and marks of local
/// declarations; replaces `()` as a statement or result by a name that nothing has, and blanks it behind a matched case.
pub(super) fn readable(source: &str) -> String {
    let (mut in_text, mut condition) = (false, Condition::Ended);
    by_line(source, |line| {
        let code = line.trim();
        let begins_in_text = in_text;
        let is_comment = code.starts_with("//");
        in_text ^= !is_comment && code.matches("\"\"\"").count() % 2 == 1;
        if begins_in_text || in_text || is_comment {
            return None;
        }
        condition = condition.after(code);
        if directive(code).is_some() || condition != Condition::Ended {
            return Some(blanked(line));
        }
        let (at, length, known) = misread(code)?;
        let at = line.len() - line.trim_start().len() + at;
        Some(replaced(line, at..at + length, known))
    })
}

/// Puts a semicolon before parentheses at the start of a line that the tree reads as the arguments of a call on the line above:
/// in Swift arguments begin on the line of the callee. Returns `None` if there are none.
pub(super) fn separated(source: &str, root: SyntaxNode<'_>) -> Option<String> {
    let mut plain = None;
    let mut end = 0;
    for line in source.split_inclusive('\n') {
        let code = line.trim_start_matches([' ', '\t']);
        let at = end + line.len() - code.len();
        let may_be_called = end < at && code.starts_with('(');
        end += line.len();
        if may_be_called && is_argument_list(root, at) {
            plain.get_or_insert_with(|| source.to_owned()).replace_range(at - 1..at, ";");
        }
    }
    plain
}

fn is_argument_list(root: SyntaxNode<'_>, at: usize) -> bool {
    let mut kinds = root.kinds_at(at);
    (kinds.next(), kinds.next()) == (Some("("), Some("value_arguments"))
        && kinds.next().is_some_and(|kind| matches!(kind, "call_suffix" | "constructor_suffix"))
}

/// What lines of a condition that was begun above may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Condition {
    Ended,
    /// It goes on if the next line begins with an operator.
    MayGoOn,
    /// It goes on with the next line.
    GoesOn,
}

impl Condition {
    fn after(self, code: &str) -> Self {
        let is_part = matches!(directive(code), Some("if" | "elseif"))
            || self == Self::GoesOn
            || self == Self::MayGoOn && is_operator(code, str::starts_with);
        let code = code.split("//").next().unwrap_or_default().trim_end();
        match is_part {
            true if is_operator(code, str::ends_with) => Self::GoesOn,
            true => Self::MayGoOn,
            false => Self::Ended,
        }
    }
}

fn is_operator(code: &str, at: fn(&str, &'static str) -> bool) -> bool {
    at(code, "&&") || at(code, "||")
}

/// The name of the directive that a line is.
fn directive(code: &str) -> Option<&str> {
    let rest = code.strip_prefix('#')?;
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| DIRECTIVES.contains(name))
}

/// Where a line holds what the grammar misreads, how long that is, and what is read in its place.
fn misread(code: &str) -> Option<(usize, usize, &'static str)> {
    if let Some((mark, _)) = MARKS.iter().find(|(mark, behind)| {
        code.strip_prefix(*mark).is_some_and(|rest| rest.trim_start().starts_with(behind))
    }) {
        return Some((0, mark.len(), ""));
    }
    if let Some(name) = code.strip_prefix("case .") {
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        let is_matched = name[end..].starts_with("():");
        return is_matched.then_some(("case .".len() + end, 2, ""));
    }
    let at = if code.starts_with("return ()") { "return ".len() } else { 0 };
    let rest = code[at..].strip_prefix("()")?.trim_start();
    (rest.is_empty() || rest.starts_with("//")).then_some((at, 2, "__"))
}
