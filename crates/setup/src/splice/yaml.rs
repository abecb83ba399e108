//! YAML in block style, by lines: a mapping at the first column and the mappings below it. No parser keeps comments and
//! layout, so this supports the form that agents write and rejects every other.

use std::iter::once;

use super::{AddedText, SpliceRefusal, TextInsertion, cut, line_break, line_of};
use crate::host_agent_config_entry::{FilledEntryMembers, yaml_lines};

/// Adds `name` with the members below the mapping `group`. Returns `None` if the text already has it.
///
/// # Errors
///
/// [`SpliceRefusal`] if the text or the group is not a mapping in block style, tabs indent, or another entry has the name.
pub(crate) fn add(
    text: &str,
    group: &str,
    name: &str,
    members: FilledEntryMembers<'_>,
) -> Result<Option<AddedText>, SpliceRefusal> {
    let line_break = line_break(text);
    let Some(block) = Block::of(text, group)? else {
        let break_before = if text.is_empty() || text.ends_with('\n') { "" } else { line_break };
        let entry = entry(name, members, "  ", "  ", line_break);
        let text_of = format!("{break_before}{group}:{line_break}{entry}");
        let insertions = vec![TextInsertion { at: text.len(), text: text_of }];
        return Ok(Some(AddedText { insertions, made: 1 }));
    };
    let indent = block.indent.unwrap_or("  ");
    let entry = entry(name, members, indent, indent, line_break);
    if let Some(own) = block.member(text, name) {
        return if text[own.start..own.end].trim_end() == entry.trim_end() {
            Ok(None)
        } else {
            Err(SpliceRefusal::Taken { line: line_of(text, own.start), name: name.to_owned() })
        };
    }
    let insertion = if text[..block.end].ends_with('\n') {
        TextInsertion { at: block.end, text: entry }
    } else {
        TextInsertion { at: block.end, text: format!("{line_break}{}", entry.trim_end()) }
    };
    Ok(Some(AddedText { insertions: vec![insertion], made: 0 }))
}

/// Cuts `name` below `group`, and the group if it is then empty and `made` shows that it was created with the entry.
/// Returns `None` if it is missing.
///
/// # Errors
///
/// [`SpliceRefusal`] as [`add`].
pub(crate) fn remove(
    text: &str,
    group: &str,
    name: &str,
    made: usize,
) -> Result<Option<String>, SpliceRefusal> {
    let Some(block) = Block::of(text, group)? else { return Ok(None) };
    let Some(own) = block.member(text, name) else { return Ok(None) };
    let alone = text[block.body..block.end].trim() == text[own.start..own.end].trim();
    let start = if alone && made > 0 { block.start } else { own.start };
    Ok(Some(cut(text, once(start..own.end))))
}

fn entry(
    name: &str,
    members: FilledEntryMembers<'_>,
    indent: &str,
    unit: &str,
    line_break: &str,
) -> String {
    format!(
        "{indent}{name}:{line_break}{}",
        yaml_lines(members, &format!("{indent}{unit}"), line_break)
    )
}

/// Why a text is refused that is not the form which agents write.
const NO_BLOCK: &str = "the mapping is not in block style";

/// Returns the key of a line at the first column, quoted or plain, and its value without a comment.
fn key_and_value(content: &str) -> Option<(&str, &str)> {
    let (key, rest) = content.split_once(':')?;
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./ ".contains(letter);
    let inner = ['"', '\''].iter().find_map(|quote| key.strip_prefix(*quote)?.strip_suffix(*quote));
    let is_key = inner.unwrap_or(key).chars().all(is_plain) && !key.starts_with("- ");
    let value = rest.split(" #").next().unwrap_or("").trim();
    (is_key && (rest.is_empty() || rest.starts_with(' '))).then_some((key, value))
}

/// The lines of a mapping below a key at the first column.
struct Block<'a> {
    /// Start of the key's line.
    start: usize,
    /// Start of the first line below it.
    body: usize,
    /// End of the last line that belongs to it.
    end: usize,
    /// Indentation of its members, if it has any.
    indent: Option<&'a str>,
}

impl<'a> Block<'a> {
    fn of(text: &'a str, group: &str) -> Result<Option<Self>, SpliceRefusal> {
        let mut found: Option<Self> = None;
        let mut open = false;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let (start, end) = (at, at + line.len());
            at = end;
            let content = line.trim();
            let number = line_of(text, start);
            if line.starts_with('\t')
                || line.trim_start_matches(' ').starts_with('\t') && !content.is_empty()
            {
                return Err(SpliceRefusal::Syntax {
                    line: number,
                    column: 1,
                    reason: "a tab indents a line".to_owned(),
                });
            }
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let refused = |reason| Err(SpliceRefusal::Form { line: number, reason });
            if line.starts_with(' ') {
                if let Some(block) = found.as_mut().filter(|_| open) {
                    let width = line.len() - line.trim_start_matches(' ').len();
                    let indent = *block.indent.get_or_insert(&line[..width]);
                    if width <= indent.len() && content.starts_with('-') {
                        return refused(NO_BLOCK);
                    }
                    block.end = end;
                }
                continue;
            }
            open = false;
            if content == "---" && found.is_none() {
                continue;
            }
            let Some((key, value)) = key_and_value(content) else { return refused(NO_BLOCK) };
            if key.trim_matches(['"', '\'']) != group {
                continue;
            }
            if key != group || !value.is_empty() {
                return refused(NO_BLOCK);
            }
            if found.is_some() {
                return refused("the key stands twice");
            }
            found = Some(Self { start, body: end, end, indent: None });
            open = true;
        }
        Ok(found)
    }

    /// Returns the lines of a member.
    fn member(&self, text: &str, name: &str) -> Option<std::ops::Range<usize>> {
        let indent = self.indent?;
        let mut own: Option<std::ops::Range<usize>> = None;
        let mut at = self.body;
        for line in text[self.body..self.end].split_inclusive('\n') {
            let (start, end) = (at, at + line.len());
            at = end;
            let content = line.trim();
            let deeper = line.strip_prefix(indent).is_some_and(|rest| rest.starts_with([' ', '-']));
            match own.as_mut() {
                Some(range) if deeper && !content.is_empty() => range.end = end,
                Some(_) if content.is_empty() => {}
                Some(_) => break,
                None => {
                    let head = line.strip_prefix(indent).and_then(|rest| rest.strip_prefix(name));
                    if head.is_some_and(|rest| rest.trim_end().trim_end_matches(' ') == ":") {
                        own = Some(start..end);
                    }
                }
            }
        }
        own
    }
}
