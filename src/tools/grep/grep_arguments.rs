//! The arguments of `grep`, and their limits.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const DEFAULT_LIMIT: u32 = 50;

pub(super) const MAX_LIMIT: u32 = 500;

pub(super) const MAX_CONTEXT: u32 = 30;

/// Matches of one file that are shown when no limit is given and other files need the room.
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
    /// Matches to show, up to 500. Default 50, at most 20 of a file while others need the room.
    #[serde(default, alias = "max_results")]
    pub limit: Option<u32>,
    /// Matches to skip, to see more of an earlier result.
    #[serde(default)]
    pub offset: Option<u32>,
}
