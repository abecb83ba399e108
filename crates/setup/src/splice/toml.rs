//! TOML. An entry becomes its own table after the last table of its group, or a member of the group's inline table.

use std::{collections::BTreeMap, iter::once, ops::Range};

use toml_edit::{Document, Item, Table, TableLike, Value};

use super::{
    SpliceRefusal, TextInsertion, cut, line_break, line_end, line_of, line_start, position,
};
use crate::host_agent_config_entry::{FilledEntryMembers, toml_line, toml_lines};

/// Adds `[group.name]` with the members. Returns `None` if the text already has it.
///
/// # Errors
///
/// [`SpliceRefusal`] if the text does not parse, has another entry of the name, or writes the group as dotted keys.
pub(crate) fn add(
    text: &str,
    group: &str,
    name: &str,
    entry: FilledEntryMembers<'_>,
) -> Result<Option<Vec<TextInsertion>>, SpliceRefusal> {
    let document = parse(text)?;
    let line_break = line_break(text);
    let table = format!("[{group}.{name}]{line_break}{}", toml_lines(entry, line_break));
    let Some(item) = document.get(group) else {
        return Ok(Some(vec![behind(text, text.len(), &table, line_break)]));
    };
    if let Some(there) = item.get(name) {
        let start = span(there).map_or(0, |span| span.start);
        return if same(text, there, entry) {
            Ok(None)
        } else {
            Err(SpliceRefusal::Taken { line: line_of(text, start), name: name.to_owned() })
        };
    }
    let whole = span(item).unwrap_or(0..0);
    match item {
        Item::Table(tables) if !tables.is_dotted() && !dotted_within(tables) => {
            Ok(Some(vec![behind(text, line_end(text, whole.end), &table, line_break)]))
        }
        Item::Value(Value::InlineTable(inline)) => {
            let member = format!("{name} = {}", toml_line(entry));
            let last =
                inline.iter().filter_map(|(_, value)| value.span()).map(|span| span.end).max();
            Ok(Some(vec![match last {
                Some(at) => TextInsertion { at, text: format!(", {member}") },
                None => TextInsertion { at: whole.start + 1, text: format!(" {member}") },
            }]))
        }
        _ => Err(SpliceRefusal::Form {
            line: line_of(text, whole.start),
            reason: "the group is written in a form that no table can be added to",
        }),
    }
}

/// Cuts `[group.name]` with its tables. Returns `None` if it is missing.
///
/// # Errors
///
/// [`SpliceRefusal`] if the text does not parse, or the entry is not a table with a header.
pub(crate) fn remove(text: &str, group: &str, name: &str) -> Result<Option<String>, SpliceRefusal> {
    let document = parse(text)?;
    let Some(there) = document.get(group).and_then(|item| item.get(name)) else { return Ok(None) };
    let Some(range) = span(there) else { return Ok(None) };
    if !matches!(there, Item::Table(_))
        || !text[line_start(text, range.start)..].trim_start().starts_with('[')
    {
        return Err(SpliceRefusal::Form {
            line: line_of(text, range.start),
            reason: "the entry is no table with a header of its own; remove it by hand",
        });
    }
    let end = line_end(text, range.end);
    let end = end + text[end..].find('\n').map_or(0, |at| at + 1);
    let start = line_start(text, range.start);
    let blank = text[..start].strip_suffix('\n').map_or(start, |head| {
        let head = head.strip_suffix('\r').unwrap_or(head);
        if head.is_empty() || head.ends_with('\n') { head.len() } else { start }
    });
    Ok(Some(cut(text, once(blank..end))))
}

fn parse(text: &str) -> Result<Document<&str>, SpliceRefusal> {
    Document::parse(text).map_err(|error| {
        let (line, column) = position(text, error.span().map_or(0, |span| span.start));
        SpliceRefusal::Syntax {
            line,
            column,
            reason: error.message().lines().next().unwrap_or("").to_owned(),
        }
    })
}

/// Returns the insertion of a table at a byte offset, on its own lines after a blank line.
fn behind(text: &str, at: usize, table: &str, line_break: &str) -> TextInsertion {
    if text.trim().is_empty() {
        return TextInsertion { at, text: table.to_owned() };
    }
    if text[..at].ends_with('\n') {
        return TextInsertion { at, text: format!("{line_break}{table}") };
    }
    let table = table.strip_suffix(line_break).unwrap_or(table);
    TextInsertion { at, text: format!("{line_break}{line_break}{table}") }
}

fn dotted_within(table: &Table) -> bool {
    table.iter().any(|(_, item)| item.as_table().is_some_and(Table::is_dotted))
}

/// Returns the range from the first header or key of an item to the end of its last value, including tables below it.
fn span(item: &Item) -> Option<Range<usize>> {
    let own = item.span();
    let below = item
        .as_table_like()
        .into_iter()
        .flat_map(TableLike::iter)
        .filter_map(|(_, item)| span(item));
    let arrays = item.as_array_of_tables().into_iter().flat_map(|tables| tables.iter());
    let arrays = arrays.filter_map(|table| span(&Item::Table(table.clone())));
    own.into_iter()
        .chain(below)
        .chain(arrays)
        .reduce(|left, right| left.start.min(right.start)..left.end.max(right.end))
}

fn same(text: &str, there: &Item, entry: FilledEntryMembers<'_>) -> bool {
    let wanted = toml_lines(entry, "\n");
    let Ok(parsed) = parse(&wanted) else { return false };
    there
        .as_table_like()
        .is_some_and(|table| pairs(text, table) == pairs(&wanted, parsed.as_table()))
}

/// Returns the keys with their values as written, without blanks.
fn pairs<'a>(text: &'a str, table: &'a dyn TableLike) -> BTreeMap<&'a str, String> {
    let written = |item: &Item| item.span().map(|span| text[span].split_whitespace().collect());
    table.iter().map(|(key, item)| (key, written(item).unwrap_or_default())).collect()
}
