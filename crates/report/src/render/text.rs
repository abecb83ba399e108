//! The map for a person at a terminal: places by file, ranges and roles in columns.

use std::fmt::Write;

use super::{Snippets, Style, citations, groups, search_line, snippets, verdict};
use crate::{CodeMap, Confidence, prose::clean};
use retriever_search::Role;

/// Writes the map as text; with `snippets` the code of its ranges follows each file.
pub fn text(map: &CodeMap, style: Style, code: Option<&Snippets<'_>>) -> String {
    let groups = groups(map);
    let code = code.map(|code| snippets::collect(&groups, code));
    let paint = |codes: &str, text: &str| match style {
        Style::Plain => text.to_owned(),
        Style::Color => format!("\u{1b}[{codes}m{text}\u{1b}[0m"),
    };
    let trust = match map.confidence {
        Confidence::High => "32",
        Confidence::Medium => "33",
        Confidence::Low => "31",
    };
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = writeln!(out, "{}\n{}", paint("1", &clean(&map.question)), paint(trust, &verdict(map)));
    for text in [&map.summary, &map.flow] {
        if !text.is_empty() {
            let _ = writeln!(out, "\n{}", clean(text));
        }
    }
    let entries = || groups.iter().flat_map(|group| &group.entries);
    let ranges = entries().map(|entry| entry.range.to_string().len()).max().unwrap_or(0);
    let labels = entries().map(|entry| entry.label.len()).max().unwrap_or(0);
    for (at, group) in groups.iter().enumerate() {
        let _ =
            writeln!(out, "\n{} {}", paint("2", &format!("{}.", at + 1)), paint("36", group.path));
        for entry in &group.entries {
            let range = format!("{:<ranges$}", entry.range.to_string());
            let label = format!("{:<labels$}", entry.label);
            let symbols = entry.symbols.join(", ");
            let text = clean(entry.text);
            let about = [symbols.as_str(), text.as_str()]
                .iter()
                .filter(|s| !s.is_empty())
                .copied()
                .collect::<Vec<_>>();
            let id = entry.id.map(|id| format!("[{id}] ")).unwrap_or_default();
            let about = format!("{id}{}", about.join(": ")).trim_end().to_owned();
            let range = paint("33", &range);
            let _ = match about.is_empty() {
                true => writeln!(out, "   {range}  {}", paint("35", &entry.label)),
                false => writeln!(out, "   {range}  {}  {about}", paint("35", &label)),
            };
        }
        let Some(code) = code.as_ref().and_then(|code| code.get(at)) else { continue };
        for block in &code.blocks {
            let _ = write!(out, "\n{}", snippets::numbered(block));
        }
        for run in code.left_out.runs() {
            let _ = writeln!(out, "\n   {}", paint("2", &format!("not shown: lines {run}")));
        }
    }
    if !map.known.is_empty() {
        let _ = writeln!(out, "\n{}", paint("1", "Places of earlier answers"));
        for place in &map.known {
            let part = place.role.map_or(place.list.word(), Role::word);
            let why = clean(&place.why);
            let _ = writeln!(out, " - {}  {}  {why}", paint("33", &place.id), paint("35", part));
        }
    }
    if !map.findings.is_empty() {
        let _ = writeln!(out, "\n{}", paint("1", "Findings"));
        for finding in &map.findings {
            let cited = citations(finding, &groups);
            let _ = writeln!(out, " - {} {}", clean(&finding.fact), paint("2", &cited));
        }
    }
    for gap in &map.missing {
        let critical = if gap.critical { " (critical)" } else { "" };
        let _ = writeln!(out, "\n{} {}{critical}", paint("31", "Missing:"), clean(&gap.what));
    }
    if let Some(search) = search_line(map) {
        let _ = writeln!(out, "\n{} {search}", paint("1", "Search:"));
    }
    if !map.meta.reasons.is_empty() {
        let held = format!("Held against it: {}", map.meta.reasons.join(", "));
        let _ = writeln!(out, "\n{}", paint("2", &held));
    }
    if let Some(session) = &map.meta.session {
        let again = if session.hit { "; this one again" } else { "" };
        let told = format!(
            "Session: {} of {} answers given again{again}",
            session.hits, session.questions
        );
        let _ = writeln!(out, "\n{}", paint("2", &told));
    }
    out
}
