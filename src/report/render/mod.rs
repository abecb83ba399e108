//! A code map as text: JSON for programs, Markdown for planners, plain text for terminals. Renderers print what is in the
//! map and judge nothing; code is read from disk by the caller's reader, never taken from a model.

mod json;
mod markdown;
mod snippets;
mod text;

pub use json::json;
pub use markdown::markdown;
pub use text::text;

use super::CodeMap;
use crate::{ledger::LineRange, question::Role};

/// Whether JSON is written for programs or for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonStyle {
    /// One line.
    Compact,
    /// Indented.
    Pretty,
}

/// How text for a terminal is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No escape sequences.
    Plain,
    /// With ANSI colours.
    Color,
}

/// Where inlined code comes from, and how much of it may be printed.
#[derive(Clone, Copy)]
pub struct Snippets<'a> {
    /// Reads lines of a file from disk; `None` when it can't be read any more.
    pub read: &'a dyn Fn(&str, LineRange) -> Option<Vec<String>>,
    /// Estimated tokens of all code together.
    pub max_tokens: u64,
}

/// One line about a range of a file.
struct Entry<'a> {
    range: LineRange,
    label: String,
    symbols: &'a [String],
    text: &'a str,
}

/// All entries of one file, so that its path is printed once.
struct Group<'a> {
    path: &'a str,
    entries: Vec<Entry<'a>>,
    /// Ranges of the file in the order of their importance.
    ranges: Vec<LineRange>,
}

/// The map's places by file, in the order of their importance. A place that is primary and a read target has an entry for
/// each, unless they say the same.
fn groups(map: &CodeMap) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for item in &map.primary {
        let label = role_label(item.role, "primary");
        push(
            &mut groups,
            &item.path,
            item.start,
            item.end,
            Some((label, &item.symbols, &item.why)),
        );
    }
    for item in &map.secondary {
        let label = role_label(item.role, "secondary");
        push(&mut groups, &item.path, item.start, item.end, Some((label, &[], &item.why)));
    }
    for item in &map.read_targets {
        let label = if item.required { "read, required" } else { "read" };
        let entry = Some((label.to_owned(), [].as_slice(), item.purpose.as_str()));
        push(&mut groups, &item.path, item.start, item.end, entry);
    }
    for place in map.findings.iter().flat_map(|finding| &finding.refs) {
        push(&mut groups, &place.path, place.start, place.end, None);
    }
    groups
}

fn push<'a>(
    groups: &mut Vec<Group<'a>>,
    path: &'a str,
    start: u32,
    end: u32,
    entry: Option<(String, &'a [String], &'a str)>,
) {
    let Some(range) = LineRange::new(start, end) else { return };
    let at = groups.iter().position(|group| group.path == path).unwrap_or_else(|| {
        groups.push(Group { path, entries: Vec::new(), ranges: Vec::new() });
        groups.len() - 1
    });
    let group = &mut groups[at];
    group.ranges.push(range);
    let Some((label, symbols, text)) = entry else { return };
    match group.entries.iter_mut().find(|known| known.range == range && known.text == text) {
        Some(known) => known.label = format!("{}; {label}", known.label),
        None => group.entries.push(Entry { range, label, symbols, text }),
    }
}

fn role_label(role: Option<Role>, section: &str) -> String {
    match (role, section) {
        (Some(role), "primary") => role.to_string(),
        (Some(role), section) => format!("{role}, {section}"),
        (None, section) => section.to_owned(),
    }
}

/// A finding's places as `[2:10-40]`: the number of the file in the list, and the lines.
fn citations(map_refs: &[super::Place], groups: &[Group<'_>]) -> String {
    let cited: Vec<String> = map_refs
        .iter()
        .filter_map(|place| {
            let number = groups.iter().position(|group| group.path == place.path)? + 1;
            Some(format!("{number}:{}", LineRange::new(place.start, place.end)?))
        })
        .collect();
    format!("[{}]", cited.join(", "))
}

/// The line that says how far to trust the map and what to do with it.
fn verdict(map: &CodeMap) -> String {
    format!(
        "confidence {} · next {} · {} · by {}",
        map.confidence,
        map.recommended_primary_action,
        map.status,
        match map.meta.author {
            crate::model::Author::Model => map.meta.model.as_deref().unwrap_or("model"),
            crate::model::Author::Offline => "offline driver (no model)",
            crate::model::Author::Fallback => "fallback",
        }
    )
}

/// The bounded search as one line.
fn search_line(map: &CodeMap) -> Option<String> {
    let gap = &map.gap_search;
    if gap.is_empty() {
        return None;
    }
    let scopes = if gap.scopes.is_empty() {
        String::new()
    } else {
        format!(" in {}", gap.scopes.join(", "))
    };
    Some(format!("{}{scopes}", gap.terms.join(", ")))
}
