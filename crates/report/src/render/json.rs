//! The map as JSON, ending with a line break.

use super::JsonStyle;
use crate::CodeMap;

/// Writes the map as JSON.
///
/// # Errors
///
/// None in practice: a map holds nothing that JSON can't.
pub fn json(map: &CodeMap, style: JsonStyle) -> Result<String, serde_json::Error> {
    let mut text = match style {
        JsonStyle::Compact => serde_json::to_string(map)?,
        JsonStyle::Pretty => serde_json::to_string_pretty(map)?,
    };
    text.push('\n');
    Ok(text)
}
