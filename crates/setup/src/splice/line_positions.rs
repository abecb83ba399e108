//! Positions in a text: lines, line breaks and indentation.

/// Returns the line break that the text uses.
pub(crate) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns the 1-based line of a byte offset.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Returns the 1-based line and column of a byte offset.
pub(crate) fn position(text: &str, at: usize) -> (usize, usize) {
    let head = &text[..text.floor_char_boundary(at)];
    let start = head.rfind('\n').map_or(0, |at| at + 1);
    (line_of(text, head.len()), head[start..].chars().count() + 1)
}

/// Returns the start of the line at a byte offset.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

/// Returns the end of the line at a byte offset, without its line break.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    if text[..end].ends_with('\r') && end > at { end - 1 } else { end }
}

/// Returns the blanks and tabs at the start of the line at a byte offset.
pub(crate) fn indentation(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
    &line[..blanks]
}
