//! Cutting long lines, so that one minified line can't fill an observation.

/// Characters of a line that are shown.
pub const MAX_LINE_CHARS: usize = 400;

/// Returns `line`, cut to [`MAX_LINE_CHARS`] with `…(+N chars)` for what is left out.
pub fn clip(line: &str) -> String {
    clip_to(line, MAX_LINE_CHARS)
}

/// Returns `text` cut to `most` characters, with `…(+N chars)` for what is left out.
pub fn clip_to(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…(+{} chars)", &text[..end], text[end..].chars().count()),
    }
}

/// Like [`clip`], with the window moved so that byte `at` is in it: what matched is worth more than the line's start.
pub fn clip_around(line: &str, at: usize) -> String {
    let before = line[..line.floor_char_boundary(at)].chars().count();
    if before < MAX_LINE_CHARS * 3 / 4 {
        return clip(line);
    }
    let cut = before - MAX_LINE_CHARS / 4;
    let start = line.char_indices().nth(cut).map_or(line.len(), |(start, _)| start);
    format!("(+{cut} chars)…{}", clip(&line[start..]))
}
