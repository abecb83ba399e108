//! `read`: the lines of one file, all of them or a part, by path or by evidence ID.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    ListedPath, ObservationExcerpt, Tool, ToolContext, ToolError, ToolObservation, ToolOutcome,
    ToolOutput,
    enclosing_declarations::EnclosingDeclarations,
    place_argument::{self, TargetPlace},
};
use retriever_report::evidence_ledger::EvidenceSource;
use retriever_search::is_comment_line;
use retriever_workspace::truncate_line;
use retriever_workspace::{FileVersion, LineRange, PathEntryKind, RepoPath, TextFile};

/// Most lines of one call; usually the budget is reached first.
const MAX_LINES: u32 = 4_000;
/// Most lines of a declaration that is read for an ID inside it.
const MAX_DECLARATION: u32 = 160;
/// Most lines of an ID that is widened to the declaration around it.
const FEW_LINES: u32 = 12;
/// Least number of lines of a licence header that is left out.
const MIN_LICENCE_LINES: usize = 4;
/// Words by which a header is recognised as a licence.
const LICENCE_WORDS: &[&str] = &["license", "licence", "copyright", "spdx-", "all rights reserved"];
/// Most entries of a folder that are listed.
const MAX_ENTRIES: usize = 100;

/// The `read` tool.
pub struct ReadTool;

/// Read a file with line numbers, whole or in part. Example: {"file": "src/main.rs", "start_line": 40, "num_lines": 60}.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(example = json!({"file": "src/main.rs", "start_line": 40, "num_lines": 60}))]
pub struct ReadToolArguments {
    /// Path, ID (c7), or either with lines: `src/main.rs:40-99`, `c7:40-58`.
    #[serde(alias = "path", alias = "file_path", alias = "id")]
    pub file: String,
    /// First line, counted from 1.
    #[serde(default, alias = "start", alias = "offset")]
    pub start_line: Option<u32>,
    /// Number of lines. Default: to the end.
    #[serde(default, alias = "limit")]
    pub num_lines: Option<u32>,
}

/// What `read` found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReadOutput {
    /// How the call ended.
    pub outcome: ToolOutcome,
    /// What was found, in one sentence.
    pub headline: String,
    /// The file or folder, when there is one.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<RepoPath>,
    /// Lines in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u32>,
    /// The lines: number and text, clipped.
    pub lines: Vec<(u32, String)>,
    /// Files in the folder, when it is one.
    #[schemars(with = "Vec<String>")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<RepoPath>,
    /// What to know and what to do next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip)]
    version: Option<FileVersion>,
    /// Whether more lines are shown than the ID stands for.
    #[serde(skip)]
    is_widened: bool,
}

impl ToolOutput for ReadOutput {
    fn observation(&self) -> ToolObservation {
        let excerpt =
            |file: &FileVersion| ObservationExcerpt::new(file.clone(), self.lines.clone());
        ToolObservation {
            outcome: self.outcome,
            source: EvidenceSource::Read,
            // The heading of the file and its ID already show the lines and their number.
            headline: match self.outcome {
                ToolOutcome::Found if self.version.is_some() && !self.is_widened => String::new(),
                _ => self.headline.clone(),
            },
            excerpts: self.version.as_ref().map(excerpt).into_iter().collect(),
            listing: self.entries.iter().cloned().map(ListedPath::from).collect(),
            footer: self.notes.clone(),
            explanation: None,
        }
    }
}

impl Tool for ReadTool {
    const NAME: &'static str = "read";
    type Arguments = ReadToolArguments;
    type Output = ReadOutput;

    fn run(
        &self,
        context: &ToolContext,
        arguments: ReadToolArguments,
    ) -> Result<ReadOutput, ToolError> {
        let target = match place_argument::find(context, &arguments.file) {
            Ok(target) => target,
            Err(miss) => {
                return Ok(nothing(
                    miss.outcome,
                    miss.sentence.clone(),
                    vec![miss.advice(context)],
                ));
            }
        };
        if target.kind == PathEntryKind::Folder {
            return Ok(folder(context, &target.path));
        }
        let file = match context.workspace.read(&target.path) {
            Ok(file) => file,
            Err(error) => {
                let miss = place_argument::unreadable(&error);
                return Ok(nothing(
                    miss.outcome,
                    miss.sentence.clone(),
                    vec![miss.advice(context)],
                ));
            }
        };
        let is_whole = arguments.start_line.is_none() && arguments.num_lines.is_none();
        let range = if is_whole { widened(&file, &target, context) } else { target.range };
        let asked = target.range.filter(|asked| range != Some(*asked));
        let target = TargetPlace { range, ..target };
        let mut output = lines_of(context, &file, &target, &arguments);
        if let Some(asked) = asked.filter(|_| is_whole) {
            output.headline.extend([", the declaration around ", &asked.to_string()]);
            output.is_widened = true;
        }
        if is_whole && range.is_none() && context.call_syntax.is_of_model() {
            fold_licence_header(&mut output, file.extension());
        }
        Ok(output)
    }
}

/// Returns the lines to read for a target. The ID of a few lines, such as matches of a search, is widened to the
/// declaration around them, or to the part of a long one next to them.
fn widened(file: &TextFile, target: &TargetPlace, context: &ToolContext) -> Option<LineRange> {
    let range = target.range?;
    if !target.is_of_id || range.width() > FEW_LINES {
        return Some(range);
    }
    let outline = EnclosingDeclarations::of(file, context);
    let around = outline.around(range.start()).map(|index| outline.range(index));
    let Some(declared) = around.filter(|declared| declared.covers(range)) else {
        return Some(range);
    };
    if declared.width() <= MAX_DECLARATION {
        return Some(declared);
    }
    let start = range.start().saturating_sub(MAX_DECLARATION / 4).max(declared.start());
    LineRange::new(start, declared.end().min(start.saturating_add(MAX_DECLARATION - 1)))
}

/// Returns the lines of a file that are asked for, or why there are none.
fn lines_of(
    context: &ToolContext,
    file: &TextFile,
    target: &TargetPlace,
    arguments: &ReadToolArguments,
) -> ReadOutput {
    let total = file.line_count();
    let path = target.path.clone();
    let found = |outcome, headline: String, notes| ReadOutput {
        path: Some(path.clone()),
        total_lines: Some(total),
        ..nothing(outcome, headline, notes)
    };
    if total == 0 {
        return found(ToolOutcome::Found, format!("{path} is empty"), Vec::new());
    }
    let Some(wanted) = wanted(arguments, target.range) else {
        let advice = "num_lines must be at least 1; leave it out to read to the end";
        return found(
            ToolOutcome::BadArguments,
            format!("no line of {path} was asked for"),
            vec![advice.to_owned()],
        );
    };
    if wanted.start() > total {
        let lines = if total == 1 { "1 line".to_owned() } else { format!("{total} lines") };
        let last = total.saturating_sub(39).max(1);
        let call = context.suggest("read", &[("file", json!(path)), ("start_line", json!(last))]);
        return found(
            ToolOutcome::BadArguments,
            format!("{path} has {lines}: line {} is behind its end", wanted.start()),
            vec![format!("its last lines: {call}")],
        );
    }
    let end = wanted.end().min(total).min(wanted.start().saturating_add(MAX_LINES - 1));
    let lines: Vec<(u32, String)> = LineRange::new(wanted.start(), end)
        .map(|range| {
            file.lines(range).map(|(number, text)| (number, truncate_line(text))).collect()
        })
        .unwrap_or_default();
    let cut = end < wanted.end().min(total);
    let mut output = found(
        if cut { ToolOutcome::Truncated } else { ToolOutcome::Found },
        format!("lines {}-{end} of {total}", wanted.start()),
        Vec::new(),
    );
    if cut {
        let call =
            context.suggest("read", &[("file", json!(path)), ("start_line", json!(end + 1))]);
        output.notes.push(format!("continues: {call}"));
    }
    output.notes.extend(masked(file));
    output.lines = lines;
    output.version = Some(FileVersion::of(file));
    output
}

/// Leaves out a licence comment at the start of a file.
fn fold_licence_header(output: &mut ReadOutput, extension: &str) {
    let mut is_in_block = false;
    let mut is_comment = |text: &str| {
        let text = text.trim();
        let was_in_block = is_in_block;
        is_in_block = (is_in_block || text.starts_with("/*")) && !text.contains("*/");
        let opens_code = text.starts_with("<?php");
        was_in_block || opens_code || text.is_empty() || is_comment_line(extension, text)
    };
    let shown = output.lines.iter().take_while(|(_, text)| is_comment(text)).count();
    // A blank line separates the licence from the file's documentation, which may also mention licences.
    let ends = |at: &usize| output.lines[*at].1.trim().is_empty();
    let is_documentation = |(_, text): &(u32, String)| {
        ["//!", "///"].iter().any(|mark| text.trim_start().starts_with(mark))
    };
    let tells = |lines: &[(u32, String)]| {
        let text = lines.iter().map(|(_, text)| text.to_lowercase()).collect::<String>();
        LICENCE_WORDS.iter().any(|word| text.contains(word))
    };
    let (mut header, mut start) = (0, 0);
    for end in (0..shown).filter(ends).chain([shown]) {
        let paragraph = &output.lines[start..end];
        if paragraph.iter().any(is_documentation) {
            break;
        }
        if tells(paragraph) {
            header = end;
        }
        start = end;
    }
    if header < MIN_LICENCE_LINES || header == output.lines.len() {
        return;
    }
    output.lines.drain(..header);
    output.notes.push(format!("1-{header}: licence header; start_line=1 shows it"));
}

/// Returns a note if secret values in the text are masked.
fn masked(file: &TextFile) -> Option<String> {
    let values = match file.masked_values() {
        0 => return None,
        1 => "1 secret value is".to_owned(),
        values => format!("{values} secret values are"),
    };
    Some(format!("{values} masked with * in this file"))
}

/// Returns the requested lines: arguments have precedence over the lines of the place. `None` if there is no such line.
fn wanted(arguments: &ReadToolArguments, place: Option<LineRange>) -> Option<LineRange> {
    match (arguments.start_line, arguments.num_lines, place) {
        (None, None, Some(range)) => Some(range),
        (start, number, place) => {
            let start = start.or(place.map(LineRange::start)).unwrap_or(1).max(1);
            let end = number.map_or(u32::MAX, |number| start.saturating_add(number) - 1);
            LineRange::new(start, end)
        }
    }
}

fn folder(context: &ToolContext, path: &RepoPath) -> ReadOutput {
    let (mut files, folders) = context.workspace.list_folder(path);
    let mut notes = Vec::new();
    if files.len() > MAX_ENTRIES {
        let call = context.suggest("glob", &[("pattern", json!("*")), ("path", json!(path))]);
        notes.push(format!("{} more files: {call}", files.len() - MAX_ENTRIES));
    }
    if !folders.is_empty() {
        let shown = folders.iter().take(MAX_ENTRIES / 2);
        let named: Vec<String> = shown.map(|path| format!("{}/", path.file_name())).collect();
        let more = match folders.len().saturating_sub(named.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        notes.push(format!("folders: {}{more}", named.join(" ")));
    }
    let counted = |number: usize, what: &str| match number {
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    };
    let (inside, below) = (counted(files.len(), "file"), counted(folders.len(), "folder"));
    files.truncate(MAX_ENTRIES);
    ReadOutput {
        path: Some(path.clone()),
        entries: files,
        ..nothing(
            ToolOutcome::BadPath,
            format!("{path} is a folder with {inside} and {below}; read one of its files"),
            notes,
        )
    }
}

fn nothing(outcome: ToolOutcome, headline: String, notes: Vec<String>) -> ReadOutput {
    ReadOutput {
        outcome,
        headline,
        path: None,
        total_lines: None,
        lines: Vec::new(),
        entries: Vec::new(),
        notes,
        version: None,
        is_widened: false,
    }
}
