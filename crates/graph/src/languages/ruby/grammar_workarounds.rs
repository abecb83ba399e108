//! Text that the grammar would misread, rewritten at the same length.

use crate::languages::same_length_rewriting::{blanked, replaced};

/// Blanks heredocs in the interpolations of a heredoc: the grammar reads the lines of the inner one as those of the outer one,
/// and misses the end of both. `None` if there are none.
pub(super) fn without_inner_heredocs(source: &str) -> Option<String> {
    let mut open = Heredocs::default();
    let mut has_inner = false;
    let mut plain = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        match open.read(line.trim_end_matches(['\r', '\n'])) {
            Reading::Plain => plain.push_str(line),
            Reading::Inner => plain.push_str(&blanked(line)),
            Reading::BeginsInner(at, length) => {
                has_inner = true;
                plain.push_str(&replaced(line, at..at + length, "nil"));
            }
        }
    }
    (has_inner && open.inner.is_none()).then_some(plain)
}

/// What a line is read as.
enum Reading {
    Plain,
    /// A line of a heredoc in an interpolation.
    Inner,
    /// A line on which such a heredoc begins: where, and how long its beginning is.
    BeginsInner(usize, usize),
}

/// The heredocs that are open where a line begins.
#[derive(Default)]
struct Heredocs<'s> {
    /// Words that end those whose lines follow, in order.
    ends: std::collections::VecDeque<&'s str>,
    /// Braces that are open in an interpolation of the first.
    braces: usize,
    /// The word that ends one in that interpolation.
    inner: Option<&'s str>,
}

impl<'s> Heredocs<'s> {
    fn read(&mut self, line: &'s str) -> Reading {
        if let Some(end) = self.inner {
            self.inner = self.inner.filter(|_| line.trim() != end);
            return Reading::Inner;
        }
        let Some(end) = self.ends.front() else {
            if !line.trim_start().starts_with('#') {
                let begun = line.match_indices("<<").filter_map(|(at, _)| beginning(line, at));
                self.ends.extend(begun.map(|(_, word)| word));
            }
            return Reading::Plain;
        };
        if self.braces == 0 && line.trim() == *end {
            self.ends.pop_front();
            return Reading::Plain;
        }
        for (at, char) in line.char_indices() {
            match char {
                '{' if self.braces > 0 || line[..at].ends_with('#') => self.braces += 1,
                '}' => self.braces = self.braces.saturating_sub(1),
                '<' if self.braces > 0 => {
                    let Some((length, word)) = beginning(line, at) else { continue };
                    self.inner = Some(word);
                    self.braces = braces_behind(self.braces, &line[at + length..]);
                    return Reading::BeginsInner(at, length);
                }
                _ => {}
            }
        }
        Reading::Plain
    }
}

fn braces_behind(open: usize, code: &str) -> usize {
    code.bytes().fold(open, |open, byte| match byte {
        b'{' => open + 1,
        b'}' => open.saturating_sub(1),
        _ => open,
    })
}

/// The length of the beginning of a heredoc at `at` in a line, such as `<<~TEXT`, and the word that ends it.
fn beginning(line: &str, at: usize) -> Option<(usize, &str)> {
    let code = &line[at..];
    let rest = code.strip_prefix("<<~").or_else(|| code.strip_prefix("<<-"))?;
    let quoted = rest.trim_start_matches(['"', '\'', '`']);
    let quotes = rest.len() - quoted.len();
    let end = quoted.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(quoted.len());
    let word = &quoted[..end];
    let is_word = word.starts_with(|c: char| c.is_alphabetic() || c == '_') && quotes < 2;
    is_word
        .then_some((3 + 2 * quotes + end, word))
        .filter(|(length, _)| code.is_char_boundary(*length))
}
