//! The lines of places that are asked for in the order of a text.

use crate::lowering::index;

/// Counts the lines down to a place that moves down a text.
pub(super) struct LineNumbers<'t> {
    text: &'t str,
    at: usize,
    line: u32,
}

impl<'t> LineNumbers<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// Returns the line, from 1, of a byte that is not before the last one asked for.
    pub(super) fn line_of(&mut self, at: usize) -> u32 {
        let passed = self.text.as_bytes().get(self.at..at).unwrap_or_default();
        self.line += index(memchr::memchr_iter(b'\n', passed).count());
        self.at = at;
        self.line
    }
}
