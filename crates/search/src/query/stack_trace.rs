//! Stack traces in a question. The frame where a fault came to light says more than those that led there; which end of a
//! trace that is depends on the language that printed it.

use crate::query::parsed::FileMention;

/// Whether a line looks like a frame of a stack trace or a line of a log.
pub(crate) fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ") && line.contains(['(', ':'])
        || line.starts_with("File \"")
        || line.starts_with("Traceback ")
        || line.starts_with("Caused by:")
        || line.starts_with("goroutine ")
}

/// Collects the frames of a question's traces.
#[derive(Default)]
pub(crate) struct StackTrace {
    /// Indexes of mentions, in order.
    found: Vec<usize>,
    innermost_last: bool,
}

impl StackTrace {
    /// Notes that a pasted `line` mentions what stands in `mentions` from `before` on.
    pub(crate) fn note(&mut self, line: &str, mentions: &[FileMention], before: usize) {
        let with_lines = (before..mentions.len()).filter(|index| mentions[*index].line.is_some());
        self.found.extend(with_lines);
        // `File "a.py", line 3, in f`: the most recent call comes last.
        self.innermost_last |= line.trim_start().starts_with("File ");
    }

    /// Numbers the frames among `mentions` from the innermost on.
    pub(crate) fn number(mut self, mentions: &mut [FileMention]) {
        if self.innermost_last {
            self.found.reverse();
        }
        for (index, depth) in self.found.into_iter().zip(0..) {
            mentions[index].frame = Some(depth);
        }
    }
}
