//! The map as JSON, followed by a line break.

use crate::code_map::CodeMap;

/// The layout of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonStyle {
    /// On one line.
    Compact,
    /// Indented.
    Pretty,
}

/// Writes the map as JSON.
///
/// # Errors
///
/// None in practice: every value of a map can be represented.
pub fn json(map: &CodeMap, style: JsonStyle) -> Result<String, serde_json::Error> {
    let mut text = match style {
        JsonStyle::Compact => serde_json::to_string(map)?,
        JsonStyle::Pretty => serde_json::to_string_pretty(map)?,
    };
    text.push('\n');
    Ok(text)
}
