//! The arguments of `grep`, checked and compiled, and what to try when nothing matches.

use grep_regex::RegexMatcher;
use retriever_workspace::{PathEntryKind, PathGlobs, RepoPath, truncate};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    GrepHits, PatternSyntax,
    grep_output::{GrepOutput, count, not_searched, nothing, shown},
    grep_search,
};
use crate::tools::{ToolContext, ToolOutcome, place_argument};

pub(super) const DEFAULT_LIMIT: u32 = 50;

pub(super) const MAX_LIMIT: u32 = 500;

pub(super) const MAX_CONTEXT: u32 = 30;

/// Matches of one file that are shown when more than one file is searched and no limit is given.
pub(super) const SHOWN_PER_FILE: usize = 20;

/// Search the contents of files for a pattern, line by line. Use it to find where a name, message, key or route occurs.
/// Example: {"pattern": "fn parse_\\w+", "include": "*.rs", "path": "src"}.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(example = json!({"pattern": "fn parse_\\w+", "include": "*.rs"}))]
pub struct GrepToolArguments {
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

/// A call's arguments, checked and compiled.
pub(super) struct PreparedGrepSearch {
    pub(super) scope: RepoPath,
    pub(super) kind: PathEntryKind,
    pub(super) include: Option<PathGlobs>,
    pub(super) matcher: RegexMatcher,
    /// Why the pattern is searched as plain text although it was given as a regular expression.
    pub(super) retried: Option<String>,
}

impl PreparedGrepSearch {
    pub(super) fn prepare(
        context: &ToolContext,
        arguments: &GrepToolArguments,
    ) -> Result<Self, Box<GrepOutput>> {
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

    pub(super) fn no_match(
        &self,
        context: &ToolContext,
        arguments: &GrepToolArguments,
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
    arguments: &GrepToolArguments,
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
