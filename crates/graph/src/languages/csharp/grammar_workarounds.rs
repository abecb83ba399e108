//! Text that the grammar would misread, rewritten at the same length.

/// Blanks lines such as `#:package Name`: the build of a program of one file, which the grammar does not know.
pub(super) fn without_build_lines(source: &str) -> String {
    let mut plain = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let is_directive = line.starts_with("#:");
        let text = if is_directive { line.trim_end_matches('\n').len() } else { 0 };
        plain.extend(std::iter::repeat_n(' ', text));
        plain.push_str(&line[text..]);
    }
    plain
}

/// Puts `''` in place of each doubled quote in `$@"…"`: the grammar takes those behind a value for the end of the text.
pub(super) fn without_doubled_quotes(source: &str) -> String {
    let mut plain = String::with_capacity(source.len());
    let mut end = 0;
    for at in doubled_quotes(source.as_bytes()) {
        plain.push_str(&source[end..at]);
        plain.push_str("''");
        end = at + 2;
    }
    plain.push_str(&source[end..]);
    plain
}

/// What a byte of a source stands in.
enum Inside {
    Code {
        /// Braces that are open in it.
        braces: usize,
    },
    /// A text with values in it.
    Text { verbatim: bool },
}

/// Returns where quotes are doubled in verbatim texts with values.
fn doubled_quotes(source: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open = vec![Inside::Code { braces: 0 }];
    let mut at = 0;
    while let (Some(rest), Some(inside)) =
        (source.get(at..).filter(|rest| !rest.is_empty()), open.last_mut())
    {
        at += match (inside, rest) {
            (Inside::Text { verbatim: true }, [b'"', b'"', ..]) => {
                found.push(at);
                2
            }
            (Inside::Text { verbatim: false }, [b'\\', _, ..]) => 2,
            (Inside::Text { .. }, [b'{', b'{', ..]) => 2,
            (Inside::Text { .. }, [b'{', ..]) => {
                open.push(Inside::Code { braces: 0 });
                1
            }
            (Inside::Text { verbatim }, [byte, ..]) => {
                if *byte == b'"' || *byte == b'\n' && !*verbatim {
                    open.pop();
                }
                1
            }
            (Inside::Code { .. }, [b'$', b'@', b'"', ..] | [b'@', b'$', b'"', ..]) => {
                open.push(Inside::Text { verbatim: true });
                3
            }
            (Inside::Code { .. }, [b'$', b'"', after @ ..]) if !after.starts_with(b"\"\"") => {
                open.push(Inside::Text { verbatim: false });
                2
            }
            (Inside::Code { braces }, [b'{', ..]) => {
                *braces += 1;
                1
            }
            (Inside::Code { braces }, [b'}', ..]) => {
                match braces.checked_sub(1) {
                    Some(fewer) => *braces = fewer,
                    None => open.truncate(open.len().saturating_sub(1).max(1)),
                }
                1
            }
            (Inside::Code { .. }, rest) => token(rest),
            (Inside::Text { .. }, []) => 1,
        };
    }
    found
}

/// Returns the length of a comment, a plain text or a character at the start of `code`; 1 if there is none.
fn token(code: &[u8]) -> usize {
    let until = |from: usize, end: &[u8]| {
        let rest = code.get(from..).unwrap_or_default();
        let found = rest.windows(end.len()).position(|window| window == end);
        found.map_or(code.len(), |at| from + at + end.len())
    };
    match code {
        [b'/', b'/', ..] => until(2, b"\n"),
        [b'/', b'*', ..] => until(2, b"*/"),
        [b'"', b'"', b'"', ..] => {
            let quotes = code.iter().take_while(|byte| **byte == b'"').count();
            until(quotes, &code[..quotes])
        }
        [b'@', b'"', ..] => {
            let mut at = 2;
            while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
                match rest {
                    [b'"', b'"', ..] => at += 2,
                    [b'"', ..] => return at + 1,
                    _ => at += 1,
                }
            }
            at
        }
        [b'"', ..] => {
            let mut at = 1;
            while let Some(byte) = code.get(at) {
                match byte {
                    b'\\' => at += 2,
                    b'"' => return at + 1,
                    b'\n' => return at,
                    _ => at += 1,
                }
            }
            at
        }
        [b'\'', b'\\', _, b'\'', ..] => 4,
        [b'\'', _, b'\'', ..] => 3,
        _ => 1,
    }
}
