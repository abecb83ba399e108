//! The map for a person at a terminal: places by file, with ranges and labels in columns, as wide as the terminal and
//! with links if it has them.

use std::fmt::Write;

use super::{
    places_by_file::{FilePlaces, PrintedRange, citations, file_groups, known_label},
    shared_report_lines::{doubt, not_listed, reason_lines, search_line, verdict_line},
    snippets::{self, FileSnippets, Snippets},
};
use crate::{
    code_map::{CodeMap, Confidence},
    prose_normalization::single_line,
};
use retriever_search::PlaceRole;
use retriever_workspace::{PlaceLinkBuilder, escape_control, link_to_place};

/// Whether terminal text has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextStyle {
    /// No escape sequences.
    #[default]
    Plain,
    /// ANSI colours.
    Color,
}

/// How the text is laid out. By default it is plain, and a line is as long as its sentence.
#[derive(Clone, Copy, Default)]
pub struct MapTextLayout<'a> {
    /// Whether it has colours.
    pub style: TextStyle,
    /// Columns of the terminal; sentences are broken there.
    pub width: Option<usize>,
    /// Makes places links (OSC 8).
    pub address: Option<&'a PlaceLinkBuilder<'a>>,
}

/// Columns that a sentence has at least beside the range and the label of its place; else it stands below them.
const MIN_SENTENCE: usize = 30;
/// Columns that a sentence below its place is moved in by.
const INDENT: usize = 5;

const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const MAGENTA: &str = "35";
const CYAN: &str = "36";

/// Writes the map as text. With `code`, the code of its ranges follows each file.
pub fn text(map: &CodeMap, layout: &MapTextLayout<'_>, code: Option<&Snippets<'_>>) -> String {
    let groups = file_groups(map);
    let code = code.map(|code| snippets::collect(&groups, code));
    let mut page = Page { out: String::new(), layout };
    page.heading(map);
    page.places(&groups, code.as_deref());
    page.known_places(map);
    page.findings(map, &groups);
    page.gaps(map);
    page.run(map);
    page.out
}

/// The text so far. Writing to a string cannot fail, so the results of `writeln!` are ignored.
struct Page<'a> {
    out: String,
    layout: &'a MapTextLayout<'a>,
}

/// What stands before a sentence: its text, painted or not, and the columns that it takes.
struct Lead<'a>(&'a str, usize);

impl Page<'_> {
    fn paint(&self, color: &str, text: &str) -> String {
        match self.layout.style {
            TextStyle::Plain => text.to_owned(),
            TextStyle::Color => format!("\u{1b}[{color}m{text}\u{1b}[0m"),
        }
    }

    /// Makes `shown` a link to a line of a file.
    fn link(&self, path: &str, line: u32, shown: &str) -> String {
        link_to_place(self.layout.address, (path, line), shown)
    }

    /// Writes a sentence after its lead, broken at the width; further lines begin `indent` columns in.
    fn sentence(&mut self, Lead(lead, columns): Lead<'_>, indent: usize, text: &str) {
        let Some(width) = self.layout.width else {
            let _ = writeln!(self.out, "{lead}{text}");
            return;
        };
        let (first, rest) = (" ".repeat(columns), " ".repeat(indent));
        let options = textwrap::Options::new(width)
            .initial_indent(&first)
            .break_words(false)
            // A path is not broken at its hyphens.
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        let broken = textwrap::fill(text, options.subsequent_indent(&rest));
        let _ = writeln!(self.out, "{lead}{}", broken.get(columns..).unwrap_or_default());
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
        self.sentence(Lead("", 0), 0, &verdict);
        for (text, verdict) in [(&map.summary, map.summary_verdict), (&map.flow, map.flow_verdict)]
        {
            if !text.is_empty() {
                self.out.push('\n');
                let text = format!("{}{}", single_line(text), doubt(verdict));
                self.sentence(Lead("", 0), 0, &text);
            }
        }
    }

    fn places(&mut self, groups: &[FilePlaces<'_>], code: Option<&[FileSnippets]>) {
        let entries = || groups.iter().flat_map(|group| &group.entries);
        let ranges = entries().map(|entry| entry.range.to_string().len()).max().unwrap_or(0);
        let labels = entries().map(|entry| entry.label.len()).max().unwrap_or(0);
        for (at, group) in groups.iter().enumerate() {
            let number = self.paint(DIM, &format!("{}.", at + 1));
            let first = group.entries.first().map_or(1, |entry| entry.range.start());
            let path = self.link(group.path, first, &self.paint(CYAN, &escape_control(group.path)));
            let _ = writeln!(self.out, "\n{number} {path}");
            for entry in &group.entries {
                self.entry(group.path, entry, (ranges, labels));
            }
            if let Some(code) = code.and_then(|code| code.get(at)) {
                self.code(code);
            }
        }
    }

    /// Writes an entry in columns of these widths: range, label.
    fn entry(&mut self, path: &str, entry: &PrintedRange<'_>, (ranges, labels): (usize, usize)) {
        let symbols = escape_control(&entry.symbols.join(", "));
        let text = match single_line(&entry.text) {
            text if text.is_empty() => text,
            text => text + doubt(entry.verdict),
        };
        let parts: Vec<&str> =
            [symbols.as_str(), text.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
        let id = entry.id.map(|id| format!("[{id}] ")).unwrap_or_default();
        let about = format!("{id}{}", parts.join(": ")).trim_end().to_owned();
        let shown = entry.range.to_string();
        let padding = " ".repeat(ranges.saturating_sub(shown.len()));
        let range = self.link(path, entry.range.start(), &self.paint(YELLOW, &shown));
        let column = 3 + ranges + 2 + labels + 2;
        let is_narrow = self.layout.width.is_some_and(|width| width < column + MIN_SENTENCE);
        if about.is_empty() || is_narrow {
            let label = self.paint(MAGENTA, &entry.label);
            let _ = writeln!(self.out, "   {range}{padding}  {label}");
            if !about.is_empty() {
                self.sentence(Lead(&" ".repeat(INDENT), INDENT), INDENT, &about);
            }
        } else {
            let label = self.paint(MAGENTA, &format!("{:<labels$}", entry.label));
            let lead = format!("   {range}{padding}  {label}  ");
            self.sentence(Lead(&lead, column), column, &about);
        }
    }

    fn code(&mut self, code: &FileSnippets) {
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
            let role = place.role.as_ref().map_or(place.list.as_ref(), PlaceRole::as_ref);
            let (id, role) =
                (self.paint(YELLOW, &known_label(&place.place)), self.paint(MAGENTA, role));
            let text = format!("{id}  {role}  {}", single_line(&place.why));
            self.sentence(Lead(" - ", 3), 3, &text);
        }
    }

    fn findings(&mut self, map: &CodeMap, groups: &[FilePlaces<'_>]) {
        if map.findings.is_empty() {
            return;
        }
        let _ = writeln!(self.out, "\n{}", self.paint(BOLD, "Findings"));
        for finding in &map.findings {
            let cited = self.paint(DIM, &citations(finding, groups));
            let text = format!("{}{} {cited}", single_line(&finding.fact), doubt(finding.verdict));
            self.sentence(Lead(" - ", 3), 3, &text);
        }
    }

    fn gaps(&mut self, map: &CodeMap) {
        for gap in &map.missing {
            let critical = if gap.critical { " (critical)" } else { "" };
            let missing = self.paint(RED, "Missing:");
            self.out.push('\n');
            let text = format!("{missing} {}{critical}", single_line(&gap.what));
            self.sentence(Lead("", 0), 0, &text);
        }
        if let Some(search) = search_line(map) {
            self.out.push('\n');
            let text = format!("{} {search}", self.paint(BOLD, "Search:"));
            self.sentence(Lead("", 0), 0, &text);
        }
        for line in not_listed(map, escape_control) {
            self.out.push('\n');
            let text = self.paint(DIM, &line);
            self.sentence(Lead("", 0), 0, &text);
        }
    }

    /// Writes the reasons against the report, and the use of the session.
    fn run(&mut self, map: &CodeMap) {
        if !map.meta.reasons.is_empty() {
            let _ = writeln!(self.out, "\n{}", self.paint(DIM, "What lowered confidence"));
            for reason in reason_lines(map) {
                let text = self.paint(DIM, &reason);
                self.sentence(Lead(" - ", 3), 3, &text);
            }
        }
        if let Some(session) = &map.meta.session {
            let again = if session.hit { "; this one again" } else { "" };
            let (hits, questions) = (session.hits, session.questions);
            let used = format!("Session: {hits} of {questions} answers given again{again}");
            let _ = writeln!(self.out, "\n{}", self.paint(DIM, &used));
        }
    }
}
