//! Parses the simple text forms of manifests that have no standard format.

/// Returns the inner texts of the XML elements with a name, outermost first.
pub(super) fn elements<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, inside)) = rest.split_once(&open) {
        let Some((inner, after)) = inside.split_once(&close) else { break };
        found.push(inner);
        rest = after;
    }
    found
}

/// Returns the inner text of the first XML element with a name.
pub(super) fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    elements(text, name).first().map(|value| value.trim()).filter(|value| !value.is_empty())
}

/// Returns the string literals of a text, without escapes.
pub(super) fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = &rest[start..=start];
        let inside = &rest[start + 1..];
        let Some(end) = inside.find(quote) else { break };
        found.push(&inside[..end]);
        rest = &inside[end + 1..];
    }
    found
}
