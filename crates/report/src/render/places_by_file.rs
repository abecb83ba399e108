//! The places of a map grouped by file, so that each path is printed once.

use std::borrow::Cow;

use crate::code_map::{CodeMap, Finding, Place, ReadTarget, ReportAuthor, Verdict};
use retriever_search::PlaceRole;
use retriever_workspace::{LineRange, escape_control};

/// One printed line about a range of a file.
pub(super) struct PrintedRange<'a> {
    pub(super) range: LineRange,
    /// The place's session ID.
    pub(super) id: Option<&'a str>,
    pub(super) label: String,
    pub(super) symbols: &'a [String],
    pub(super) text: Cow<'a, str>,
    /// What validation did to the text.
    pub(super) verdict: Verdict,
}

/// The entries of one file.
pub(super) struct FilePlaces<'a> {
    pub(super) path: &'a str,
    pub(super) entries: Vec<PrintedRange<'a>>,
    /// Ranges of the file, the most important first.
    pub(super) ranges: Vec<LineRange>,
}

/// Groups the places by file, the most important file first. A place that is in several lists has one entry.
pub(super) fn file_groups(map: &CodeMap) -> Vec<FilePlaces<'_>> {
    let mut groups = Vec::new();
    for item in &map.primary {
        let label = role_label(item.role, None);
        let text = JudgedText { text: &item.why, verdict: item.verdict };
        add_entry(&mut groups, &item.place, text, label, &item.symbols);
    }
    for item in &map.secondary {
        let label = role_label(item.role, Some("secondary"));
        let text = JudgedText { text: &item.why, verdict: item.verdict };
        add_entry(&mut groups, &item.place, text, label, &[]);
    }
    for item in &map.read_targets {
        let label = if item.required { "read, required" } else { "read" };
        let text = JudgedText { text: purpose(map, item), verdict: item.verdict };
        add_entry(&mut groups, &item.place, text, label.to_owned(), &[]);
    }
    // The caller has the code of known places.
    let is_known = |place: &Place, range: LineRange| {
        let covers = |known: LineRange| known.covers(range);
        map.known
            .iter()
            .any(|known| known.place.path == place.path && known.place.range().is_some_and(covers))
    };
    for place in map.findings.iter().flat_map(|finding| &finding.refs) {
        if let Some(range) = place.range()
            && !is_known(place, range)
        {
            group_of(&mut groups, &place.path).ranges.push(range);
        }
    }
    groups
}

/// Returns why a place is to be read. That of the offline driver only says so again where the place is listed with a reason.
fn purpose<'a>(map: &'a CodeMap, item: &'a ReadTarget) -> &'a str {
    let is_listed = map.primary.iter().any(|primary| primary.place == item.place);
    match map.meta.author {
        ReportAuthor::Offline | ReportAuthor::Fallback if is_listed => "",
        ReportAuthor::Model | ReportAuthor::Offline | ReportAuthor::Fallback => &item.purpose,
    }
}

/// What a map says of a place, and what the validator says of that.
#[derive(Clone, Copy)]
struct JudgedText<'a> {
    text: &'a str,
    verdict: Verdict,
}

fn add_entry<'a>(
    groups: &mut Vec<FilePlaces<'a>>,
    place: &'a Place,
    text: JudgedText<'a>,
    label: String,
    symbols: &'a [String],
) {
    let JudgedText { text, verdict } = text;
    let Some(range) = place.range() else { return };
    let group = group_of(groups, &place.path);
    group.ranges.push(range);
    match group.entries.iter_mut().find(|known| known.range == range) {
        Some(known) => {
            known.label = format!("{}; {label}", known.label);
            known.verdict = known.verdict.max(verdict);
            if known.text.is_empty() {
                known.text = Cow::Borrowed(text);
            } else if !text.is_empty() && known.text != text {
                known.text = Cow::Owned(format!("{}; {text}", known.text));
            }
        }
        None => {
            let (id, text) = (place.id.as_deref(), Cow::Borrowed(text));
            group.entries.push(PrintedRange { range, id, label, symbols, text, verdict });
        }
    }
}

fn group_of<'g, 'a>(groups: &'g mut Vec<FilePlaces<'a>>, path: &'a str) -> &'g mut FilePlaces<'a> {
    let at = groups.iter().position(|group| group.path == path).unwrap_or_else(|| {
        groups.push(FilePlaces { path, entries: Vec::new(), ranges: Vec::new() });
        groups.len() - 1
    });
    &mut groups[at]
}

fn role_label(role: Option<PlaceRole>, list: Option<&str>) -> String {
    match (role, list) {
        (Some(role), None) => role.to_string(),
        (Some(role), Some(list)) => format!("{role}, {list}"),
        (None, list) => list.unwrap_or("primary").to_owned(),
    }
}

/// Returns the evidence of a finding as `[2:10-40, s3]`: the number of the file in `groups` and the lines. A file that is
/// not in `groups` is named by its path.
pub(super) fn citations(finding: &Finding, groups: &[FilePlaces<'_>]) -> String {
    let cited = finding.refs.iter().filter_map(|place| {
        let number = groups.iter().position(|group| group.path == place.path);
        let file =
            number.map_or_else(|| escape_control(&place.path), |number| (number + 1).to_string());
        let id = place.id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
        Some(format!("{file}:{}{id}", place.range()?))
    });
    let cited: Vec<String> = cited.collect();
    format!("[{}]", cited.join(", "))
}

/// Returns a place of an earlier map as `s3 src/a.rs:10-40`.
pub(super) fn known_label(place: &Place) -> String {
    let id = place.id.as_deref().unwrap_or_default();
    format!("{id} {}:{}-{}", escape_control(&place.path), place.start, place.end)
}
