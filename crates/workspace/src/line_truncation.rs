//! Truncation of long lines, so that one minified line can't fill an observation.

/// Most characters of a line that are shown.
const MAX_LINE_CHARS: usize = 400;

/// Returns `line` cut to 400 characters, with `…(+N chars)` for the rest.
pub fn truncate_line(line: &str) -> String {
    truncate(line, MAX_LINE_CHARS)
}

/// Length of the mark for a rest of two digits; a rest that is no longer than the mark is shown.
const MARK_CHARS: usize = 12;

/// Returns `text` cut to `max_chars` characters, with `…(+N chars)` for the rest, if that is shorter.
pub fn truncate(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) if text[end..].chars().nth(MARK_CHARS).is_some() => {
            format!("{}…(+{} chars)", &text[..end], text[end..].chars().count())
        }
        _ => text.to_owned(),
    }
}

/// Returns `text` cut to `max_chars` characters, with `…` for the rest.
pub fn clip(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Does the same as [`truncate_line`], with the window moved to include the byte `at`, since a match matters more than
/// the start of its line.
pub fn truncate_line_around(line: &str, at: usize) -> String {
    let before = line[..line.floor_char_boundary(at)].chars().count();
    if before < MAX_LINE_CHARS * 3 / 4 {
        return truncate_line(line);
    }
    let cut = before - MAX_LINE_CHARS / 4;
    let start = line.char_indices().nth(cut).map_or(line.len(), |(start, _)| start);
    format!("(+{cut} chars)…{}", truncate_line(&line[start..]))
}
