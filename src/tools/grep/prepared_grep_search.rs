//! The arguments of `grep`, checked and compiled.

use grep_regex::RegexMatcher;
use retriever_workspace::{PathEntryKind, PathGlobs, RepoPath, truncate};
use serde_json::json;

use super::{
    PatternSyntax,
    grep_arguments::GrepToolArguments,
    grep_output::{GrepOutput, nothing},
    grep_search,
};
use crate::tools::{ToolContext, ToolOutcome, place_argument};

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
