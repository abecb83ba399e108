//! Inserts texts into a file and removes them again.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A text to insert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextInsertion {
    /// Byte offset in the text before the change.
    pub at: usize,
    /// The text.
    pub text: String,
}

/// The insertions that add an entry to a text.
pub(crate) struct AddedText {
    pub(crate) insertions: Vec<TextInsertion>,
    /// Number of enclosing objects or mappings that were missing.
    pub(crate) made: usize,
}

/// Why a text is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpliceRefusal {
    /// The text does not parse.
    #[error("line {line}, column {column}: {reason}")]
    Syntax {
        /// 1-based line.
        line: usize,
        /// 1-based column in characters.
        column: usize,
        /// What the parser expected.
        reason: String,
    },
    /// The text has another entry of the same name.
    #[error("line {line}: `{name}` is already there, with other contents")]
    Taken {
        /// 1-based line.
        line: usize,
        /// Name of the entry.
        name: String,
    },
    /// The text parses, but cannot be extended in this form.
    #[error("line {line}: {reason}")]
    Form {
        /// 1-based line.
        line: usize,
        /// The form.
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

/// Returns the text before the insertions, or `None` if `after` does not have them at their places.
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
