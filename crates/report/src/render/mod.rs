//! A code map as text: JSON for programs, Markdown for planners, plain text for terminals. Renderers print what is in the
//! map and judge nothing; code is read from disk by the caller's reader, never taken from a model.

mod chain;
mod json;
mod markdown;
mod snippets;
mod text;

pub use json::json;
pub use markdown::markdown;
pub use text::text;

use super::{CodeMap, Finding};
use retriever_search::Role;
use retriever_workspace::LineRange;

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
    /// The place's name in its session.
    id: Option<&'a str>,
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
        let Some(range) = LineRange::new(item.start, item.end) else { continue };
        let label = role_label(item.role, "primary");
        let (id, symbols) = (item.id.as_deref(), item.symbols.as_slice());
        let entry = Entry { range, id, label, symbols, text: &item.why };
        push(&mut groups, &item.path, range, Some(entry));
    }
    for item in &map.secondary {
        let Some(range) = LineRange::new(item.start, item.end) else { continue };
        let label = role_label(item.role, "secondary");
        let id = item.id.as_deref();
        let entry = Entry { range, id, label, symbols: &[], text: &item.why };
        push(&mut groups, &item.path, range, Some(entry));
    }
    for item in &map.read_targets {
        let Some(range) = LineRange::new(item.start, item.end) else { continue };
        let label = if item.required { "read, required" } else { "read" }.to_owned();
        let id = item.id.as_deref();
        let entry = Entry { range, id, label, symbols: &[], text: &item.purpose };
        push(&mut groups, &item.path, range, Some(entry));
    }
    for place in map.findings.iter().flat_map(|finding| &finding.refs) {
        if let Some(range) = LineRange::new(place.start, place.end) {
            push(&mut groups, &place.path, range, None);
        }
    }
    groups
}

fn push<'a>(
    groups: &mut Vec<Group<'a>>,
    path: &'a str,
    range: LineRange,
    entry: Option<Entry<'a>>,
) {
    let at = groups.iter().position(|group| group.path == path).unwrap_or_else(|| {
        groups.push(Group { path, entries: Vec::new(), ranges: Vec::new() });
        groups.len() - 1
    });
    let group = &mut groups[at];
    group.ranges.push(range);
    let Some(entry) = entry else { return };
    match group.entries.iter_mut().find(|known| known.range == range && known.text == entry.text) {
        Some(known) => known.label = format!("{}; {}", known.label, entry.label),
        None => group.entries.push(entry),
    }
}

fn role_label(role: Option<Role>, section: &str) -> String {
    match (role, section) {
        (Some(role), "primary") => role.to_string(),
        (Some(role), section) => format!("{role}, {section}"),
        (None, section) => section.to_owned(),
    }
}

/// A finding's places as `[2:10-40, s3]`: the number of the file in the list, and the lines; or the ID that an earlier map of
/// the session gave.
fn citations(finding: &Finding, groups: &[Group<'_>]) -> String {
    let new = finding.refs.iter().filter_map(|place| {
        let number = groups.iter().position(|group| group.path == place.path)? + 1;
        let id = place.id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
        Some(format!("{number}:{}{id}", LineRange::new(place.start, place.end)?))
    });
    let cited: Vec<String> = new.chain(finding.known.iter().cloned()).collect();
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
            crate::Author::Model => map.meta.model.as_deref().unwrap_or("model"),
            crate::Author::Offline => "offline driver (no model)",
            crate::Author::Fallback => "fallback",
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
