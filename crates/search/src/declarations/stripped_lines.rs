//! Text without comments and strings by lines, with the brackets and semicolons on each: they tell how far a declaration
//! goes.

use std::ops::Range;

/// The lines of a masked text.
pub(super) struct StrippedLines<'a> {
    pub(super) text: Vec<&'a str>,
    /// Bytes of each line in the text, its line ending left out.
    pub(super) spans: Vec<Range<usize>>,
    /// Column and byte of each bracket and semicolon, line after line.
    brackets: Vec<(usize, u8)>,
    /// For each line the number of brackets up to its end.
    bracket_ends: Vec<usize>,
}

/// Brackets, semicolons and line ends.
static MARKS: [bool; 256] = super::byte_table(b"()[]{};\n");

impl<'a> StrippedLines<'a> {
    pub(super) fn of(masked: &'a str) -> Self {
        let (mut brackets, mut bracket_ends, mut spans) = (Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        for (at, byte) in masked.bytes().enumerate() {
            if !MARKS[usize::from(byte)] {
                continue;
            }
            if byte == b'\n' {
                bracket_ends.push(brackets.len());
                let has_return = at > start && masked.as_bytes()[at - 1] == b'\r';
                spans.push(start..at - usize::from(has_return));
                start = at + 1;
            } else {
                brackets.push((at - start, byte));
            }
        }
        // The last line may have no line end.
        if start < masked.len() {
            bracket_ends.push(brackets.len());
            spans.push(start..masked.len());
        }
        let text = spans.iter().map(|span| masked.get(span.clone()).unwrap_or_default()).collect();
        Self { text, spans, brackets, bracket_ends }
    }

    /// Returns column and byte of each bracket and semicolon on a line.
    pub(super) fn brackets(&self, line: usize) -> &[(usize, u8)] {
        let start = line.checked_sub(1).map_or(0, |before| self.bracket_ends[before]);
        &self.brackets[start..self.bracket_ends[line]]
    }
}
