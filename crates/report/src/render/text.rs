//! The map for a person at a terminal: places by file, with ranges and labels in columns.

use std::fmt::Write;

use super::{
    file_groups::{Entry, FileGroup, citations, file_groups, known_label},
    lines::{doubt, not_listed, search_line, verdict_line},
    snippets::{self, FileCode, Snippets},
};
use crate::{
    map::{CodeMap, Confidence},
    prose::single_line,
};
use retriever_search::Role;

/// Whether terminal text has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No escape sequences.
    Plain,
    /// ANSI colours.
    Color,
}

const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const MAGENTA: &str = "35";
const CYAN: &str = "36";

/// Writes the map as text. With `code`, the code of its ranges follows each file.
pub fn text(map: &CodeMap, style: Style, code: Option<&Snippets<'_>>) -> String {
    let groups = file_groups(map);
    let code = code.map(|code| snippets::collect(&groups, code));
    let mut page = Page { out: String::new(), style };
    page.heading(map);
    page.places(&groups, code.as_deref());
    page.known_places(map);
    page.findings(map, &groups);
    page.gaps(map);
    page.run(map);
    page.out
}

/// The text so far. Writing to a string cannot fail, so the results of `writeln!` are ignored.
struct Page {
    out: String,
    style: Style,
}

impl Page {
    fn paint(&self, color: &str, text: &str) -> String {
        match self.style {
            Style::Plain => text.to_owned(),
            Style::Color => format!("\u{1b}[{color}m{text}\u{1b}[0m"),
        }
    }

    fn heading(&mut self, map: &CodeMap) {
        let color = match map.confidence {
            Confidence::High => GREEN,
            Confidence::Medium => YELLOW,
            Confidence::Low => RED,
        };
        if !map.question.is_empty() {
            let question = self.paint(BOLD, &single_line(&map.question));
            let _ = writeln!(self.out, "{question}");
        }
        let verdict = self.paint(color, &verdict_line(map));
        let _ = writeln!(self.out, "{verdict}");
        for (text, verdict) in [(&map.summary, map.summary_verdict), (&map.flow, map.flow_verdict)]
        {
            if !text.is_empty() {
                let _ = writeln!(self.out, "\n{}{}", single_line(text), doubt(verdict));
            }
        }
    }

    fn places(&mut self, groups: &[FileGroup<'_>], code: Option<&[FileCode]>) {
        let entries = || groups.iter().flat_map(|group| &group.entries);
        let ranges = entries().map(|entry| entry.range.to_string().len()).max().unwrap_or(0);
        let labels = entries().map(|entry| entry.label.len()).max().unwrap_or(0);
        for (at, group) in groups.iter().enumerate() {
            let number = self.paint(DIM, &format!("{}.", at + 1));
            let path = self.paint(CYAN, group.path);
            let _ = writeln!(self.out, "\n{number} {path}");
            for entry in &group.entries {
                self.entry(entry, (ranges, labels));
            }
            if let Some(code) = code.and_then(|code| code.get(at)) {
                self.code(code);
            }
        }
    }

    /// Writes an entry in columns of these widths: range, label.
    fn entry(&mut self, entry: &Entry<'_>, (ranges, labels): (usize, usize)) {
        let symbols = entry.symbols.join(", ");
        let text = single_line(entry.text);
        let parts: Vec<&str> =
            [symbols.as_str(), text.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
        let id = entry.id.map(|id| format!("[{id}] ")).unwrap_or_default();
        let about = format!("{id}{}", parts.join(": ")).trim_end().to_owned();
        let range = self.paint(YELLOW, &format!("{:<ranges$}", entry.range.to_string()));
        let _ = if about.is_empty() {
            writeln!(self.out, "   {range}  {}", self.paint(MAGENTA, &entry.label))
        } else {
            let label = self.paint(MAGENTA, &format!("{:<labels$}", entry.label));
            writeln!(self.out, "   {range}  {label}  {about}")
        };
    }

    fn code(&mut self, code: &FileCode) {
        for block in &code.blocks {
            let _ = write!(self.out, "\n{}", snippets::numbered(block));
        }
        for run in code.omitted.runs() {
            let note = self.paint(DIM, &format!("not shown: lines {run}"));
            let _ = writeln!(self.out, "\n   {note}");
        }
    }

    fn known_places(&mut self, map: &CodeMap) {
        if map.known.is_empty() {
            return;
        }
        let _ = writeln!(self.out, "\n{}", self.paint(BOLD, "Places of earlier answers"));
        for place in &map.known {
            let role = place.role.as_ref().map_or(place.list.as_ref(), Role::as_ref);
            let (id, role) =
                (self.paint(YELLOW, &known_label(&place.place)), self.paint(MAGENTA, role));
            let _ = writeln!(self.out, " - {id}  {role}  {}", single_line(&place.why));
        }
    }

    fn findings(&mut self, map: &CodeMap, groups: &[FileGroup<'_>]) {
        if map.findings.is_empty() {
            return;
        }
        let _ = writeln!(self.out, "\n{}", self.paint(BOLD, "Findings"));
        for finding in &map.findings {
            let cited = self.paint(DIM, &citations(finding, groups));
            let (fact, doubt) = (single_line(&finding.fact), doubt(finding.verdict));
            let _ = writeln!(self.out, " - {fact}{doubt} {cited}");
        }
    }

    fn gaps(&mut self, map: &CodeMap) {
        for gap in &map.missing {
            let critical = if gap.critical { " (critical)" } else { "" };
            let missing = self.paint(RED, "Missing:");
            let _ = writeln!(self.out, "\n{missing} {}{critical}", single_line(&gap.what));
        }
        if let Some(search) = search_line(map) {
            let _ = writeln!(self.out, "\n{} {search}", self.paint(BOLD, "Search:"));
        }
        for line in not_listed(map, single_line) {
            let _ = writeln!(self.out, "\n{}", self.paint(DIM, &line));
        }
    }

    /// Writes the reasons against the report, and the use of the session.
    fn run(&mut self, map: &CodeMap) {
        if !map.meta.reasons.is_empty() {
            let reasons = format!("Held against it: {}", map.meta.reasons.join(", "));
            let _ = writeln!(self.out, "\n{}", self.paint(DIM, &reasons));
        }
        if let Some(session) = &map.meta.session {
            let again = if session.hit { "; this one again" } else { "" };
            let (hits, questions) = (session.hits, session.questions);
            let used = format!("Session: {hits} of {questions} answers given again{again}");
            let _ = writeln!(self.out, "\n{}", self.paint(DIM, &used));
        }
    }
}
