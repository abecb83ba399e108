//! Stack traces in a question. The frame that raised the error says more than its callers. Whether a trace begins or ends
//! with it depends on the language.

use super::term::FileMention;
use crate::words;

/// First words of names of functions that raise an error.
const RAISING: &[&str] =
    &["abort", "assert", "die", "expect", "fail", "panic", "raise", "throw", "unwrap"];
/// The same, if another word follows.
const REPORTING: &[&str] = &["reject", "report"];
/// Last words of names of functions that make an error.
const RAISED: &[&str] = &["error", "exception", "failure", "fault", "panic"];
/// First words that give a name with such a last word another purpose.
const HANDLING: &[&str] = &["catch", "get", "handle", "has", "is", "log", "on", "parse"];

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
    /// Indexes of the mentions that are frames, as printed, and where the trace that they belong to has the innermost one.
    frames: Vec<(usize, Innermost)>,
    /// Those of them that only raise the error.
    raising: Vec<usize>,
}

/// Where a trace has the frame that raised the error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Innermost {
    First,
    Last,
}

impl StackTrace {
    /// Takes the mentions from index `first` on, which a pasted `line` has added, as frames.
    pub(super) fn add_line(&mut self, line: &str, mentions: &[FileMention], first: usize) {
        let with_line = (first..mentions.len()).filter(|index| mentions[*index].line.is_some());
        let only_raises = only_raises(line);
        self.raising.extend(with_line.clone().filter(|_| only_raises));
        // `File "a.py", line 3, in f`: the most recent call comes last.
        let is_last = line.trim_start().starts_with("File ");
        let innermost = if is_last { Innermost::Last } else { Innermost::First };
        self.frames.extend(with_line.map(|index| (index, innermost)));
    }

    /// Numbers the frames among `mentions`, the innermost with 0.
    pub(super) fn number_frames(mut self, mentions: &mut [FileMention]) {
        // A trace may stand inside of one of another form.
        for trace in self.frames.chunk_by_mut(|one, other| one.1 == other.1) {
            if trace[0].1 == Innermost::Last {
                trace.reverse();
            }
        }
        // What only raises an error is called where it is found.
        let raising = &self.raising;
        self.frames.sort_by_key(|(index, _)| raising.contains(index));
        for ((index, _), depth) in self.frames.into_iter().zip(0..) {
            mentions[index].frame = Some(depth);
        }
    }
}

/// Whether the function of a frame, `at Type.name(` or `in name`, is named after raising an error.
fn only_raises(line: &str) -> bool {
    let name = line.trim_start().strip_prefix("at ");
    let name = name.or_else(|| Some(line.rsplit_once(", in ")?.1)).unwrap_or_default();
    let name = name.split(['(', ' ']).next().unwrap_or_default();
    let name = name.rsplit(['.', ':']).next().unwrap_or_default();
    let words = words::subwords(name);
    let is = |word: Option<&String>, known: &[&str]| {
        word.is_some_and(|word| known.contains(&word.as_str()))
    };
    is(words.first(), RAISING)
        || words.len() > 1 && is(words.first(), REPORTING)
        || is(words.last(), RAISED) && !is(words.first(), HANDLING)
}
