//! Changes of a text that keep every other byte: insertions when an entry is added, cuts when it is removed. A format's file
//! says where they go; parsing only finds the place and refuses what is damaged, nothing is ever printed from a tree.

pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod toml;
pub(crate) mod yaml;

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A text that is inserted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextInsertion {
    /// Byte offset in the text before the change.
    pub at: usize,
    /// What is inserted there.
    pub text: String,
}

/// What adds an entry to a text.
pub(crate) struct AddedText {
    pub(crate) insertions: Vec<TextInsertion>,
    /// Enclosing objects or mappings that were missing.
    pub(crate) made: usize,
}

/// Why a text is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpliceRefusal {
    /// The text is damaged.
    #[error("line {line}, column {column}: {reason}")]
    Syntax {
        /// 1-based line.
        line: usize,
        /// 1-based column in characters.
        column: usize,
        /// What the parser expected.
        reason: String,
    },
    /// An entry of the same name stands there and is not ours.
    #[error("line {line}: `{name}` is already there, with other contents")]
    Taken {
        /// 1-based line.
        line: usize,
        /// Name of the entry.
        name: String,
    },
    /// The text is sound, but of a form that can't be extended in place.
    #[error("line {line}: {reason}")]
    Form {
        /// 1-based line.
        line: usize,
        /// Which form.
        reason: &'static str,
    },
}

/// Returns `before` with the insertions, which are in ascending order.
pub(crate) fn insert(before: &str, insertions: &[TextInsertion]) -> String {
    let added: usize = insertions.iter().map(|insertion| insertion.text.len()).sum();
    let mut after = String::with_capacity(before.len() + added);
    let mut done = 0;
    for insertion in insertions {
        after.push_str(&before[done..insertion.at]);
        after.push_str(&insertion.text);
        done = insertion.at;
    }
    after.push_str(&before[done..]);
    after
}

/// Returns the text before the insertions were made, or `None` if `after` does not hold them at their places.
pub(crate) fn undo(after: &str, insertions: &[TextInsertion]) -> Option<String> {
    let mut cuts = Vec::with_capacity(insertions.len());
    let mut shift = 0;
    for insertion in insertions {
        let start = insertion.at + shift;
        let end = start + insertion.text.len();
        if after.get(start..end)? != insertion.text {
            return None;
        }
        cuts.push(start..end);
        shift += insertion.text.len();
    }
    Some(cut(after, cuts))
}

/// Returns `text` without the ranges, which are in ascending order and do not overlap.
pub(crate) fn cut(text: &str, ranges: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut done = 0;
    for range in ranges {
        kept.push_str(&text[done..range.start]);
        done = range.end;
    }
    kept.push_str(&text[done..]);
    kept
}

/// Returns the line break that the text uses.
pub(crate) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns the 1-based line of a byte offset.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Returns the 1-based line and column of a byte offset.
pub(crate) fn position(text: &str, at: usize) -> (usize, usize) {
    let head = &text[..text.floor_char_boundary(at)];
    let start = head.rfind('\n').map_or(0, |at| at + 1);
    (line_of(text, head.len()), head[start..].chars().count() + 1)
}

/// Returns the start of the line that holds a byte offset.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

/// Returns the end of the line that holds a byte offset, its line break excluded.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    if text[..end].ends_with('\r') && end > at { end - 1 } else { end }
}

/// Returns the blanks and tabs at the start of the line that holds a byte offset.
pub(crate) fn indentation(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
    &line[..blanks]
}
