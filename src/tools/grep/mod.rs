//! `grep`: lines that match a pattern, over every file that a search may see. Totals are exact, the order is by path and
//! line, and each way to find nothing has its own answer.

mod callers_of_matches;
mod grep_search;
mod match_page;

use std::sync::Arc;

use grep_regex::RegexMatcher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::{
    grep_search::{GrepHits, PatternSyntax},
    match_page::MatchPageSource,
};
use super::{
    Excerpt, Tool, ToolContext, ToolError, ToolObservation, ToolOutcome, ToolOutput,
    enclosing_declarations::EnclosingDeclarations, graph::short_name, place_argument,
};
use retriever_graph::indexing::GraphIndex;
use retriever_report::evidence_ledger::EvidenceSource;
use retriever_workspace::{PathEntryKind, PathGlobs, RepoPath, SkippedFiles, truncate};

const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 500;
const MAX_CONTEXT: u32 = 30;
/// Matches of one file that are shown when more than one file is searched and no limit is given.
const SHOWN_PER_FILE: usize = 20;

/// The `grep` tool.
#[derive(Default)]
pub struct GrepTool {
    /// Says who calls the functions around the matches, as far as it knows.
    index: Option<Arc<GraphIndex>>,
}

impl GrepTool {
    /// Returns the tool that also says who calls the functions around the matches. A graph that is not there yet is not built
    /// for it.
    pub fn with_callers(index: Arc<GraphIndex>) -> Self {
        Self { index: Some(index) }
    }
}

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
    /// Lines to show before each match, in place of `context`. For people; models ask for both sides.
    #[serde(default)]
    #[schemars(skip)]
    pub before: Option<u32>,
    /// Lines to show after each match, in place of `context`.
    #[serde(default)]
    #[schemars(skip)]
    pub after: Option<u32>,
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
    pub outcome: ToolOutcome,
    /// What was found, in one sentence.
    pub headline: String,
    /// Matching lines in all.
    pub total_matches: u64,
    /// Files that hold them.
    pub total_files: u64,
    /// Offset that continues this result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
    /// The shown matches, by path and line; those in tests after the others, those in files that by their paths are support
    /// or generated last.
    pub matches: Vec<GrepMatch>,
    /// Files that were not searched.
    pub skipped: SkippedFiles,
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
    fn observation(&self) -> ToolObservation {
        ToolObservation {
            outcome: self.outcome,
            source: EvidenceSource::Grep,
            headline: self.headline.clone(),
            excerpts: self.excerpts.clone(),
            listing: Vec::new(),
            footer: self.notes.clone(),
        }
    }
}

impl Tool for GrepTool {
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
            _ if search.kind == PathEntryKind::File => usize::MAX,
            // One more than is shown tells whether there are more.
            Some(limit) => {
                let shown = limit.clamp(1, MAX_LIMIT).saturating_add(arguments.offset.unwrap_or(0));
                shown.saturating_add(1) as usize
            }
            None => {
                let shown = DEFAULT_LIMIT.saturating_add(arguments.offset.unwrap_or(0));
                shown.saturating_add(1) as usize
            }
        };
        let include = search.include.as_ref();
        let hits = grep_search::search(context, &search.matcher, &search.scope, include, per_file);
        let is_stopped = context.is_cancelled();
        let mut output = if hits.files.is_empty() {
            search.no_match(context, &arguments, &hits)
        } else {
            let index = self.index.as_deref();
            let page = MatchPageSource {
                context,
                index,
                arguments: &arguments,
                search: &search,
                hits: &hits,
            };
            page.output()
        };
        if is_stopped {
            output.outcome = ToolOutcome::Truncated;
            output.notes.push("the search was stopped early: there may be more matches".to_owned());
        }
        Ok(output)
    }
}

/// A call's arguments, checked and compiled.
struct Search {
    scope: RepoPath,
    kind: PathEntryKind,
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
                ToolOutcome::BadPattern,
                "the pattern is empty".to_owned(),
                "give the text or regular expression to look for; to list files use glob",
            ));
        }
        let include = given(arguments.include.as_deref())
            .map(|include| PathGlobs::new(&globs_of(include)))
            .transpose()
            .map_err(|error| {
                refused(
                    ToolOutcome::BadPattern,
                    format!("include can't be used: {error}"),
                    "write include as a glob such as \"*.rs\" or \"src/**/*.{ts,tsx}\"",
                )
            })?;
        let (scope, kind) = match given(arguments.path.as_deref()) {
            None => (RepoPath::root(), PathEntryKind::Folder),
            Some(raw) => place_argument::find(context, raw)
                .map(|target| (target.path, target.kind))
                .map_err(|miss| refused(miss.outcome, miss.sentence.clone(), &miss.advice()))?,
        };
        let (matcher, retried) = compiled(context, arguments)?;
        Ok(Self { scope, kind, include, matcher, retried })
    }

    fn no_match(
        &self,
        context: &ToolContext,
        arguments: &GrepArguments,
        hits: &GrepHits,
    ) -> GrepOutput {
        let syntax = &context.call_syntax;
        let pattern = shown(&arguments.pattern);
        let scope = &self.scope;
        let place = if scope.as_str().is_empty() { String::new() } else { format!(" in {scope}") };
        let mut notes = Vec::new();
        let (outcome, headline) = match &self.retried {
            Some(reason) => {
                notes.push("correct the pattern, or escape special characters with \\".to_owned());
                (
                    ToolOutcome::BadPattern,
                    format!(
                        "{pattern} is not a regular expression that can be used ({}); taken as plain text \
                     it matches nothing{place}",
                        truncate(reason, 120)
                    ),
                )
            }
            None => (
                ToolOutcome::NoMatch,
                format!(
                    "no match for {pattern}{place}: {} searched",
                    count(hits.searched, "file", "files")
                ),
            ),
        };
        if let (0, Some(include)) = (hits.included, &arguments.include) {
            notes.push(format!(
                "none of {} has a path that {} takes",
                count(hits.visited, "file", "files"),
                syntax.argument("include", &json!(truncate(include, 120)))
            ));
        } else if arguments.literal == Some(true) && arguments.pattern.contains(['\\', '*', '|']) {
            let regular = syntax.argument("literal", &json!(false));
            notes.push(format!("the pattern looks like a regular expression: try {regular}"));
        } else if arguments.ignore_case != Some(true)
            && arguments.pattern.chars().any(char::is_alphabetic)
        {
            let any_case = syntax.argument("ignore_case", &json!(true));
            notes.push(format!("try {any_case}, a shorter part of the name, or another spelling"));
        }
        let mut skipped = hits.skipped;
        skipped.add(&context.workspace.count_skipped(&self.scope, hits.visited));
        notes.extend(not_searched(&skipped));
        GrepOutput { skipped, ..nothing(outcome, headline, notes) }
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

/// Compiles the pattern. A model's that is no regular expression is taken as plain text, with the reason returned.
fn compiled(
    context: &ToolContext,
    arguments: &GrepArguments,
) -> Result<(RegexMatcher, Option<String>), Box<GrepOutput>> {
    let syntax = &context.call_syntax;
    let ignore_case = arguments.ignore_case.unwrap_or(false);
    let literal = arguments.literal.unwrap_or(false);
    let reason =
        match grep_search::compile(&arguments.pattern, PatternSyntax { literal, ignore_case }) {
            Ok(matcher) => return Ok((matcher, None)),
            Err(reason) => reason,
        };
    if !literal
        && syntax.is_of_model()
        && let Ok(matcher) =
            grep_search::compile(&arguments.pattern, PatternSyntax { literal: true, ignore_case })
    {
        return Ok((matcher, Some(reason)));
    }
    let advice = if arguments.pattern.contains('\n') || reason.contains("\\n") {
        "a match lies within one line: search for a part of it".to_owned()
    } else {
        let plain = syntax.argument("literal", &json!(true));
        format!("simplify the pattern, or use {plain} to search for it as plain text")
    };
    Err(Box::new(nothing(
        ToolOutcome::BadPattern,
        format!("the pattern can't be used: {}", truncate(&reason, 200)),
        vec![advice],
    )))
}

fn nothing(outcome: ToolOutcome, headline: String, notes: Vec<String>) -> GrepOutput {
    GrepOutput {
        outcome,
        headline,
        total_matches: 0,
        total_files: 0,
        next_offset: None,
        matches: Vec::new(),
        skipped: SkippedFiles::default(),
        notes,
        excerpts: Vec::new(),
    }
}

fn not_searched(skipped: &SkippedFiles) -> Option<String> {
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
