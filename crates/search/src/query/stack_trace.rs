//! Stack traces in a question. The frame that raised the error says more than its callers. Whether a trace begins or ends
//! with it depends on the language.

use super::term::FileMention;

/// Whether a line looks like a frame of a stack trace or a line of a log.
pub(super) fn is_trace_line(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ") && line.contains(['(', ':'])
        || line.starts_with("File \"")
        || line.starts_with("Traceback ")
        || line.starts_with("Caused by:")
        || line.starts_with("goroutine ")
}

/// Collects the frames of a question's stack traces.
#[derive(Default)]
pub(super) struct StackTrace {
    /// Indexes of the mentions that are frames, as printed.
    frames: Vec<usize>,
    is_innermost_last: bool,
}

impl StackTrace {
    /// Takes the mentions from index `first` on, which a pasted `line` has added, as frames.
    pub(super) fn add_line(&mut self, line: &str, mentions: &[FileMention], first: usize) {
        let with_line = (first..mentions.len()).filter(|index| mentions[*index].line.is_some());
        self.frames.extend(with_line);
        // `File "a.py", line 3, in f`: the most recent call comes last.
        self.is_innermost_last |= line.trim_start().starts_with("File ");
    }

    /// Numbers the frames among `mentions`, the innermost with 0.
    pub(super) fn number_frames(mut self, mentions: &mut [FileMention]) {
        if self.is_innermost_last {
            self.frames.reverse();
        }
        for (index, depth) in self.frames.into_iter().zip(0..) {
            mentions[index].frame = Some(depth);
        }
    }
}
