//! `grep`: lines that match a pattern, over every file that a search may see. Totals are exact, the order is by path and
//! line, and each way to find nothing has its own answer.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use grep_regex::RegexMatcher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    Excerpt, LineLabel, Observation, Outcome, Tool, ToolContext, ToolError, ToolOutput,
    grep_search::{self, Hits, Reading},
    place_argument,
};
use retriever_report::ledger::EvidenceSource;
use retriever_search::{NestedDeclaration, declarations};
use retriever_workspace::{
    EntryKind, FileTraits, FileVersion, LineRange, PathGlobs, RepoPath, Skipped, TextFile,
};
use retriever_workspace::{truncate, truncate_line, truncate_line_around};

const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 500;
const MAX_CONTEXT: u32 = 30;
/// Matches of one file that are shown when more than one file is searched and no limit is given.
const SHOWN_PER_FILE: usize = 20;
/// Lines of a declaration that is told: the end of a longer one was most likely not found, since its text is read without
/// a parser.
const MAX_EXTENT: u32 = 1_000;
/// Characters of the name of a declaration.
const MAX_NAME: usize = 60;
/// Files that the footer names because not all of their matches are shown.
const NAMED_REST: usize = 3;

/// The `grep` tool.
pub struct Grep;

/// Search the contents of files for a pattern, line by line. Use it to find where a name, message, key or route occurs.
/// Example: {"pattern": "fn parse_\\w+", "include": "*.rs", "path": "src"}.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(example = json!({"pattern": "fn parse_\\w+", "include": "*.rs"}))]
pub struct GrepArguments {
    /// Regular expression (no look-around, no backreferences), matched within one line: `class \w+Store`.
    #[serde(alias = "query", alias = "regex", alias = "search")]
    pub pattern: String,
    /// true: take the pattern as plain text, not as a regular expression.
    #[serde(default)]
    pub literal: Option<bool>,
    /// Glob of files to search: `*.ts`, `src/**/*.{ts,tsx}`, `!tests/**`.
    #[serde(default, alias = "glob")]
    pub include: Option<String>,
    /// Folder, file or ID (c7) to search in. Default: the whole repository.
    #[serde(default)]
    pub path: Option<String>,
    /// true: upper and lower case are the same.
    #[serde(default)]
    pub ignore_case: Option<bool>,
    /// Lines to show around each match, 0 to 30. Default 0.
    #[serde(default)]
    pub context: Option<u32>,
    /// Matches to show, up to 500. Default 50.
    #[serde(default, alias = "max_results")]
    pub limit: Option<u32>,
    /// Matches to skip, to see more of an earlier result.
    #[serde(default)]
    pub offset: Option<u32>,
}

/// What `grep` found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrepOutput {
    /// How the call ended.
    pub outcome: Outcome,
    /// What was found, in one sentence.
    pub headline: String,
    /// Matching lines in all.
    pub total_matches: u64,
    /// Files that hold them.
    pub total_files: u64,
    /// Offset that continues this result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
    /// The shown matches, by path and line; those in tests after the others, those in support and generated files last.
    pub matches: Vec<GrepMatch>,
    /// Files that were not searched.
    pub skipped: Skipped,
    /// What to know and what to do next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip)]
    excerpts: Vec<Excerpt>,
}

/// A matching line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GrepMatch {
    /// The file.
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// The line, from 1.
    pub line: u32,
    /// Its text, clipped.
    pub text: String,
    /// The lines around it: number and text, clipped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<(u32, String)>,
}

impl ToolOutput for GrepOutput {
    fn observation(&self) -> Observation {
        Observation {
            outcome: self.outcome,
            source: EvidenceSource::Grep,
            headline: self.headline.clone(),
            excerpts: self.excerpts.clone(),
            listing: Vec::new(),
            footer: self.notes.clone(),
        }
    }
}

impl Tool for Grep {
    const NAME: &'static str = "grep";
    type Arguments = GrepArguments;
    type Output = GrepOutput;

    fn run(
        &self,
        context: &ToolContext,
        arguments: GrepArguments,
    ) -> Result<GrepOutput, ToolError> {
        let search = match Search::prepare(context, &arguments) {
            Ok(search) => search,
            Err(output) => return Ok(*output),
        };
        // A limit that was asked for is the only one.
        let per_file = match arguments.limit {
            _ if search.kind == EntryKind::File => usize::MAX,
            // One more than is shown tells whether there are more.
            Some(limit) => {
                let shown = limit.clamp(1, MAX_LIMIT).saturating_add(arguments.offset.unwrap_or(0));
                shown.saturating_add(1) as usize
            }
            None => SHOWN_PER_FILE,
        };
        let include = search.include.as_ref();
        let hits = grep_search::search(context, &search.matcher, &search.scope, include, per_file);
        let mut output = if hits.files.is_empty() {
            search.no_match(context, &arguments, &hits)
        } else {
            search.found(context, &arguments, &hits)
        };
        if context.is_cancelled() {
            output.outcome = Outcome::Truncated;
            output.notes.push("the search was stopped early: there may be more matches".to_owned());
        }
        Ok(output)
    }
}

/// A call's arguments, checked and compiled.
struct Search {
    scope: RepoPath,
    kind: EntryKind,
    include: Option<PathGlobs>,
    matcher: RegexMatcher,
    /// Why the pattern is searched as plain text although it was given as a regular expression.
    retried: Option<String>,
}

impl Search {
    fn prepare(context: &ToolContext, arguments: &GrepArguments) -> Result<Self, Box<GrepOutput>> {
        let refused = |outcome, headline: String, advice: &str| {
            Box::new(nothing(outcome, headline, vec![advice.to_owned()]))
        };
        if arguments.pattern.is_empty() {
            return Err(refused(
                Outcome::BadPattern,
                "the pattern is empty".to_owned(),
                "give the text or regular expression to look for; to list files use glob",
            ));
        }
        let include = given(arguments.include.as_deref())
            .map(|include| PathGlobs::new(&globs_of(include)))
            .transpose()
            .map_err(|error| {
                refused(
                    Outcome::BadPattern,
                    format!("include can't be used: {error}"),
                    "write include as a glob such as \"*.rs\" or \"src/**/*.{ts,tsx}\"",
                )
            })?;
        let (scope, kind) = match given(arguments.path.as_deref()) {
            None => (RepoPath::root(), EntryKind::Folder),
            Some(raw) => place_argument::find(context, raw)
                .map(|target| (target.path, target.kind))
                .map_err(|miss| refused(miss.outcome, miss.sentence.clone(), &miss.advice()))?,
        };
        let (matcher, retried) = compiled(arguments)?;
        Ok(Self { scope, kind, include, matcher, retried })
    }

    fn no_match(
        &self,
        context: &ToolContext,
        arguments: &GrepArguments,
        hits: &Hits,
    ) -> GrepOutput {
        let pattern = shown(&arguments.pattern);
        let scope = &self.scope;
        let place = if scope.as_str().is_empty() { String::new() } else { format!(" in {scope}") };
        let mut notes = Vec::new();
        let (outcome, headline) = match &self.retried {
            Some(reason) => {
                notes.push("correct the pattern, or escape special characters with \\".to_owned());
                (
                    Outcome::BadPattern,
                    format!(
                        "{pattern} is not a regular expression that can be used ({}); taken as plain text \
                     it matches nothing{place}",
                        truncate(reason, 120)
                    ),
                )
            }
            None => (
                Outcome::NoMatch,
                format!(
                    "no match for {pattern}{place}: {} searched",
                    count(hits.searched, "file", "files")
                ),
            ),
        };
        if let (0, Some(include)) = (hits.included, &arguments.include) {
            notes.push(format!(
                "none of {} has a path that include={} takes",
                count(hits.visited, "file", "files"),
                shown(include)
            ));
        } else if arguments.literal == Some(true) && arguments.pattern.contains(['\\', '*', '|']) {
            notes.push("the pattern looks like a regular expression: try literal=false".to_owned());
        } else if arguments.ignore_case != Some(true)
            && arguments.pattern.chars().any(char::is_alphabetic)
        {
            notes.push(
                "try ignore_case=true, a shorter part of the name, or another spelling".to_owned(),
            );
        }
        let mut skipped = hits.skipped;
        skipped.add(&context.workspace.count_skipped(&self.scope, hits.visited));
        notes.extend(not_searched(&skipped));
        GrepOutput { skipped, ..nothing(outcome, headline, notes) }
    }

    fn found(&self, context: &ToolContext, arguments: &GrepArguments, hits: &Hits) -> GrepOutput {
        let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
        let offset = arguments.offset.unwrap_or(0) as usize;
        let total_matches: u64 = hits.files.values().map(|file| file.total).sum();
        let total_files = hits.files.len() as u64;
        let listed: usize = hits.files.values().map(|file| file.lines.len()).sum();

        let mut output = nothing(Outcome::Found, String::new(), Vec::new());
        let (mut to_skip, mut to_take, mut rest) = (offset, limit, Vec::new());
        let mut files: Vec<_> = hits.files.iter().collect();
        files.sort_by_key(|(path, _)| Standing::of(&context.workspace.traits(path, "")));
        for (path, file) in files {
            let skipped = to_skip.min(file.lines.len());
            to_skip -= skipped;
            let lines: Vec<u32> = file.lines.iter().copied().skip(skipped).take(to_take).collect();
            if lines.is_empty() {
                continue;
            }
            to_take -= lines.len();
            if skipped + lines.len() == file.lines.len() && file.total > file.lines.len() as u64 {
                rest.push((path, file.total - file.lines.len() as u64));
            }
            // A file that went away since it was searched has nothing to show.
            if let Ok(text) = context.workspace.read(path) {
                show(&mut output, &text, &lines, &self.matcher, arguments.context.unwrap_or(0));
            }
        }
        let end = offset.saturating_add(limit);
        output.next_offset = if end < listed { u32::try_from(end).ok() } else { None };
        output.total_matches = total_matches;
        output.total_files = total_files;
        output.skipped = hits.skipped;
        self.describe(&mut output, arguments, listed);
        let again = |path: Option<&RepoPath>, offset: Option<u32>| {
            let path = path.map(ToString::to_string).or_else(|| arguments.path.clone());
            place_argument::call(
                "grep",
                &[
                    ("pattern", json!(truncate(&arguments.pattern, 200))),
                    ("literal", json!(arguments.literal)),
                    ("include", json!(arguments.include)),
                    ("path", json!(path)),
                    ("ignore_case", json!(arguments.ignore_case)),
                    ("context", json!(arguments.context)),
                    ("limit", json!(arguments.limit)),
                    ("offset", json!(offset)),
                ],
            )
        };
        for (path, more) in rest.iter().take(NAMED_REST) {
            output.notes.push(format!("+{more} more in this file: {}", again(Some(path), None)));
        }
        if rest.len() > NAMED_REST {
            output.notes.push(format!("+ more in {} other files", rest.len() - NAMED_REST));
        }
        if let Some(next) = output.next_offset {
            output.notes.push(format!("refine, or see more: {}", again(None, Some(next))));
        }
        output.notes.extend(not_searched(&output.skipped));
        output
    }

    /// Sets the headline of a page of matches, and the notes about the page itself. `listed` matches can be paged through.
    fn describe(&self, output: &mut GrepOutput, arguments: &GrepArguments, listed: usize) {
        let (shown_now, total_matches) = (output.matches.len(), output.total_matches);
        let offset = arguments.offset.unwrap_or(0) as usize;
        let all = if shown_now as u64 == total_matches {
            count(total_matches, "match", "matches")
        } else {
            output.outcome = Outcome::Truncated;
            format!("{shown_now} of {}", count(total_matches, "match", "matches"))
        };
        output.headline = format!(
            "{all} in {} for {}",
            count(output.total_files, "file", "files"),
            shown(&arguments.pattern)
        );
        if let Some(reason) = &self.retried {
            output.notes.push(format!(
                "searched as plain text, since the pattern is no usable regular expression: {}",
                truncate(reason, 120)
            ));
        }
        for (name, asked, most) in
            [("context", arguments.context, MAX_CONTEXT), ("limit", arguments.limit, MAX_LIMIT)]
        {
            if asked.is_some_and(|asked| asked > most) {
                output.notes.push(format!("{name} is at most {most}"));
            }
        }
        if shown_now == 0 && offset >= listed {
            output
                .notes
                .push(format!("offset={offset} is behind the last of {listed} listed matches"));
        }
    }
}

/// Models write `""` for "not given".
fn given(argument: Option<&str>) -> Option<&str> {
    argument.map(str::trim).filter(|argument| !argument.is_empty())
}

/// Splits `*.ts,*.tsx` at commas outside braces: models write lists that way.
fn globs_of(include: &str) -> Vec<String> {
    let mut depth = 0_u32;
    include
        .split(|letter| {
            match letter {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            letter == ',' && depth == 0
        })
        .map(|glob| glob.trim().to_owned())
        .filter(|glob| !glob.is_empty())
        .collect()
}

/// Compiles the pattern; one that is no regular expression is taken as plain text, with the reason returned.
fn compiled(arguments: &GrepArguments) -> Result<(RegexMatcher, Option<String>), Box<GrepOutput>> {
    let ignore_case = arguments.ignore_case.unwrap_or(false);
    let literal = arguments.literal.unwrap_or(false);
    let reason = match grep_search::compile(&arguments.pattern, Reading { literal, ignore_case }) {
        Ok(matcher) => return Ok((matcher, None)),
        Err(reason) => reason,
    };
    if !literal
        && let Ok(matcher) =
            grep_search::compile(&arguments.pattern, Reading { literal: true, ignore_case })
    {
        return Ok((matcher, Some(reason)));
    }
    let advice = if arguments.pattern.contains('\n') || reason.contains("\\n") {
        "a match lies within one line: search for a part of it"
    } else {
        "simplify the pattern, or set literal=true to search for it as plain text"
    };
    Err(Box::new(nothing(
        Outcome::BadPattern,
        format!("the pattern can't be used: {}", truncate(&reason, 200)),
        vec![advice.to_owned()],
    )))
}

fn nothing(outcome: Outcome, headline: String, notes: Vec<String>) -> GrepOutput {
    GrepOutput {
        outcome,
        headline,
        total_matches: 0,
        total_files: 0,
        next_offset: None,
        matches: Vec::new(),
        skipped: Skipped::default(),
        notes,
        excerpts: Vec::new(),
    }
}

/// Adds the matches at `lines` of `file`, and the lines around them.
fn show(
    output: &mut GrepOutput,
    file: &TextFile,
    lines: &[u32],
    matcher: &RegexMatcher,
    around: u32,
) {
    let around = around.min(MAX_CONTEXT);
    let text_of = |line: u32| {
        let text = file.line(line)?;
        Some(if lines.binary_search(&line).is_ok() {
            truncate_line_around(text, grep_search::first_match(matcher, text).unwrap_or_default())
        } else {
            truncate_line(text)
        })
    };
    let outline = Outline::of(file);
    // What is around a match ends with the declaration that it stands in.
    let near = |line: u32| {
        let (first, last) = (line.saturating_sub(around).max(1), line.saturating_add(around));
        match outline.around(line).map(|index| outline.range(index)) {
            Some(range) if range.start() < line => first.max(range.start())..=last.min(range.end()),
            _ => first..=last,
        }
    };
    for line in lines {
        let Some(text) = text_of(*line) else { continue };
        let context = near(*line)
            .filter(|other| other != line)
            .filter_map(|other| Some((other, text_of(other)?)))
            .collect();
        output.matches.push(GrepMatch { path: file.path.clone(), line: *line, text, context });
    }
    let mut shown: BTreeMap<u32, Option<usize>> = BTreeMap::new();
    for line in lines {
        for other in near(*line) {
            let around = outline.around(*line);
            let around = around.filter(|index| outline.range(*index).contains(other));
            shown.entry(other).or_insert(around);
        }
    }
    let labels = outline.labels(&shown);
    let shown = shown.into_keys().filter_map(|line| Some((line, text_of(line)?)));
    let excerpt = Excerpt::new(FileVersion::of(file), shown.collect());
    output.excerpts.push(Excerpt { labels, ..excerpt });
}

/// The declarations of a file that are longer than a line.
struct Outline {
    declared: Vec<NestedDeclaration>,
}

impl Outline {
    fn of(file: &TextFile) -> Self {
        Self { declared: declarations(file.path.extension(), file.text()) }
    }

    fn range(&self, index: usize) -> LineRange {
        self.declared[index].declaration.range
    }

    fn name(&self, index: usize) -> String {
        truncate(&self.declared[index].declaration.name, MAX_NAME)
    }

    /// Returns the innermost declaration around a line.
    fn around(&self, line: u32) -> Option<usize> {
        let around = (0..self.declared.len())
            .filter(|index| (2..=MAX_EXTENT).contains(&self.range(*index).width()))
            .filter(|index| self.range(*index).contains(line));
        around.min_by_key(|index| (self.range(*index).width(), Reverse(*index)))
    }

    /// Returns what is said of the first line of each block of `lines`, which come with the declaration of their match. A
    /// block ends where the declaration changes. The extent of each is given once.
    fn labels(&self, lines: &BTreeMap<u32, Option<usize>>) -> BTreeMap<u32, LineLabel> {
        let (mut labels, mut told) = (BTreeMap::new(), BTreeSet::new());
        let mut last: Option<(u32, Option<usize>)> = None;
        for (line, around) in lines {
            let same = last.is_some_and(|(before, last)| before + 1 == *line && last == *around);
            last = Some((*line, *around));
            let context = match around.filter(|_| !same) {
                Some(index) => self.context(index, *line, &mut told),
                // A block of its own below one that has a label.
                None if !same && line.checked_sub(1).is_some_and(|it| lines.contains_key(&it)) => {
                    String::new()
                }
                None => continue,
            };
            labels.insert(*line, LineLabel { context, definition: None });
        }
        labels
    }

    fn context(&self, index: usize, line: u32, told: &mut BTreeSet<usize>) -> String {
        let is_first = told.insert(index);
        let (extent, owner) = (self.range(index), self.declared[index].parent);
        let owner = owner.map(|owner| self.name(owner));
        match (extent.start() == line, owner) {
            (true, None) => format!("declares {extent}"),
            (true, Some(owner)) => format!("declares {extent}, in {owner}"),
            (false, owner) => {
                let owner = owner.map(|owner| format!("{owner}.")).unwrap_or_default();
                let extent = if is_first { format!(" {extent}") } else { String::new() };
                format!("in {owner}{}{extent}", self.name(index))
            }
        }
    }
}

/// Where the matches of a file stand among those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Code,
    Test,
    Aside,
}

impl Standing {
    const fn of(traits: &FileTraits) -> Self {
        match traits {
            FileTraits { generated: true, .. }
            | FileTraits { vendored: true, .. }
            | FileTraits { support: true, .. } => Self::Aside,
            FileTraits { test: true, .. } => Self::Test,
            _ => Self::Code,
        }
    }
}

fn not_searched(skipped: &Skipped) -> Option<String> {
    let what = skipped.describe();
    let why = match skipped.secrets {
        0 => "",
        _ => {
            "; private files may hold secrets: their names match workspace.secrets or the built-in list, and no tool \
             reads them"
        }
    };
    (!what.is_empty()).then(|| format!("files not searched: {what}{why}"))
}

fn count(number: u64, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

fn shown(text: &str) -> String {
    format!("\"{}\"", truncate(text, 120))
}
