//! `glob`: files by name or path, newest first over all matches.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    ListedPath, SearchedText, Tool, ToolContext, ToolError, ToolObservation, ToolOutcome,
    ToolOutput, place_argument,
};
use retriever_report::evidence_ledger::EvidenceSource;
use retriever_workspace::truncate;
use retriever_workspace::{
    FoundFile, GlobError, PathEntryKind, PathGlobs, RepoPath, SkippedFiles, WalkedFile,
};

const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1000;
const SUGGESTIONS: usize = 5;
/// Most files whose lines are counted.
const MAX_COUNTED: usize = 40;

/// The `glob` tool.
pub struct GlobTool;

/// List files by a glob over their paths, newest first. `*` stays in one folder, `**` crosses folders, a pattern without
/// `/` is a file name in any folder. Example: {"pattern": "src/**/*_handler.{go,rs}"}.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(example = json!({"pattern": "src/**/*.rs"}))]
pub struct GlobToolArguments {
    /// Glob, or a folder to list: `*.proto`, `**/routes/*.ts`, `src/agent`.
    #[serde(alias = "glob", alias = "query")]
    pub pattern: String,
    /// Folder to look in. Default: the whole repository.
    #[serde(default)]
    pub path: Option<String>,
    /// Files to list, up to 1000. Default 100.
    #[serde(default, alias = "max_results")]
    pub limit: Option<u32>,
    /// Files to skip, to see more of an earlier result.
    #[serde(default)]
    pub offset: Option<u32>,
}

/// What `glob` found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GlobOutput {
    /// How the call ended.
    pub outcome: ToolOutcome,
    /// What was found, in one sentence.
    pub headline: String,
    /// Files that match in all.
    pub total_files: u64,
    /// Offset that continues this result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
    /// The listed files, newest first.
    pub files: Vec<GlobFile>,
    /// Files that were not looked at.
    pub skipped: SkippedFiles,
    /// What to know and what to do next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A listed file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GlobFile {
    /// The file.
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its lines, where few files are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
}

/// Returns the files folder by folder, in the order of the first file of each.
fn by_folder(files: &[GlobFile]) -> Vec<ListedPath> {
    let mut folders: Vec<Option<RepoPath>> = Vec::new();
    let mut groups: BTreeMap<Option<RepoPath>, Vec<ListedPath>> = BTreeMap::new();
    for file in files {
        let folder = file.path.parent();
        let group = groups.entry(folder.clone()).or_default();
        if group.is_empty() {
            folders.push(folder);
        }
        group.push(ListedPath { path: file.path.clone(), lines: file.lines });
    }
    folders.iter().flat_map(|folder| groups.remove(folder).unwrap_or_default()).collect()
}

impl ToolOutput for GlobOutput {
    fn observation(&self) -> ToolObservation {
        ToolObservation {
            outcome: self.outcome,
            source: EvidenceSource::Listing,
            headline: self.headline.clone(),
            excerpts: Vec::new(),
            listing: by_folder(&self.files),
            footer: self.notes.clone(),
            explanation: None,
        }
    }
}

impl Tool for GlobTool {
    const NAME: &'static str = "glob";
    type Arguments = GlobToolArguments;
    type Output = GlobOutput;

    fn searched(arguments: &GlobToolArguments) -> Option<SearchedText> {
        Some(SearchedText { text: arguments.pattern.clone(), is_exhaustive: false })
    }

    fn run(
        &self,
        context: &ToolContext,
        arguments: GlobToolArguments,
    ) -> Result<GlobOutput, ToolError> {
        let scope = match arguments.path.as_deref().map(str::trim).filter(|p| !p.is_empty()) {
            None => RepoPath::root(),
            Some(raw) => match place_argument::find(context, raw) {
                Ok(target) => target.path,
                Err(miss) => {
                    return Ok(nothing(
                        miss.outcome,
                        miss.sentence.clone(),
                        vec![miss.advice(context)],
                    ));
                }
            },
        };
        let wanted = match Wanted::new(context, &arguments.pattern, &scope) {
            Ok(wanted) => wanted,
            Err(error) => {
                let headline = format!("the pattern can't be used: {error}");
                return Ok(nothing(ToolOutcome::BadPattern, headline, vec![HOW.to_owned()]));
            }
        };
        let found = Mutex::new(Vec::new());
        let visited = AtomicU64::new(0);
        let skipped = context.workspace.walk_parallel(&wanted.scope, || {
            |file: &WalkedFile<'_>| {
                visited.fetch_add(1, Ordering::Relaxed);
                if wanted.matches(&file.path) {
                    found.lock().unwrap_or_else(PoisonError::into_inner).extend(file.entry());
                }
                if context.is_cancelled() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
        });
        let files = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let visited = visited.into_inner();
        let is_cancelled = context.is_cancelled();
        let mut output = if files.is_empty() && is_cancelled {
            let headline = format!("{visited} files looked at, and none matched so far");
            nothing(ToolOutcome::Truncated, headline, Vec::new())
        } else if files.is_empty() {
            no_match(context, &arguments, &wanted, skipped, visited)
        } else {
            listed(context, &arguments, files, skipped)
        };
        if is_cancelled {
            output.outcome = ToolOutcome::Truncated;
            output.notes.push(STOPPED.to_owned());
        }
        Ok(output)
    }
}

/// Hint for an invalid pattern.
const HOW: &str = "write a glob such as \"*.rs\", \"src/**\" or \"**/*.{ts,tsx}\"";
/// Note for a walk that was cancelled.
const STOPPED: &str = "the search was stopped early: there may be more files";

/// The paths that a call requests.
struct Wanted {
    pattern: PathGlobs,
    scope: RepoPath,
}

impl Wanted {
    /// A pattern that is the name of a folder matches everything in it.
    fn new(context: &ToolContext, raw: &str, scope: &RepoPath) -> Result<Self, GlobError> {
        let raw = raw.trim();
        let raw = if raw.is_empty() { "**" } else { raw };
        let is_plain = !raw.contains(['*', '?', '[', '{', '!']);
        if is_plain
            && let Some(folder) = [scope.join(raw).ok(), context.workspace.normalize(raw).ok()]
                .into_iter()
                .flatten()
                .find(|path| context.workspace.kind(path) == Ok(PathEntryKind::Folder))
        {
            return Ok(Self { pattern: PathGlobs::new(&["**"])?, scope: folder });
        }
        let relative = context.workspace.roots().find_map(|(name, root)| {
            let below = raw.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/')?;
            Some(format!("{name}/{below}"))
        });
        let pattern = relative.as_deref().unwrap_or(raw);
        Ok(Self { pattern: PathGlobs::new(&[pattern])?, scope: scope.clone() })
    }

    /// The pattern may be relative to the root or to the scope.
    fn matches(&self, path: &RepoPath) -> bool {
        let inner = path
            .as_str()
            .strip_prefix(self.scope.as_str())
            .and_then(|inner| inner.strip_prefix('/'))
            .and_then(|inner| RepoPath::parse(inner, "").ok());
        self.pattern.matches(path) || inner.is_some_and(|inner| self.pattern.matches(&inner))
    }
}

fn listed(
    context: &ToolContext,
    arguments: &GlobToolArguments,
    mut files: Vec<FoundFile>,
    skipped: SkippedFiles,
) -> GlobOutput {
    files.sort_unstable_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
    let offset = arguments.offset.unwrap_or(0) as usize;
    let mut shown: Vec<GlobFile> = files
        .iter()
        .skip(offset)
        .take(limit)
        .map(|entry| GlobFile { path: entry.path.clone(), bytes: entry.size, lines: None })
        .collect();
    if shown.len() <= MAX_COUNTED {
        for file in &mut shown {
            file.lines = context.workspace.read(&file.path).ok().map(|text| text.line_count());
        }
    }
    let end = offset.saturating_add(limit);
    let next_offset = if end < files.len() { u32::try_from(end).ok() } else { None };
    let noun = if files.len() == 1 { "file" } else { "files" };
    let (outcome, headline) = if shown.len() == files.len() {
        (ToolOutcome::Found, format!("{} {noun} by folder, newest first", files.len()))
    } else {
        (
            ToolOutcome::Truncated,
            format!("{} of {} {noun} by folder, newest first", shown.len(), files.len()),
        )
    };
    let mut notes = Vec::new();
    if shown.is_empty() {
        notes.push(format!("offset {offset} is behind the last of {} files", files.len()));
    }
    if let Some(next) = next_offset {
        let call = context.suggest(
            "glob",
            &[
                ("pattern", json!(arguments.pattern)),
                ("path", json!(arguments.path)),
                ("offset", json!(next)),
            ],
        );
        notes.push(format!("refine, or see more: {call}"));
    }
    GlobOutput {
        outcome,
        headline,
        total_files: files.len() as u64,
        next_offset,
        files: shown,
        skipped,
        notes,
    }
}

fn no_match(
    context: &ToolContext,
    arguments: &GlobToolArguments,
    wanted: &Wanted,
    mut skipped: SkippedFiles,
    visited: u64,
) -> GlobOutput {
    skipped.add(&context.workspace.count_skipped(&wanted.scope, visited));
    let plain: String = arguments
        .pattern
        .trim_end_matches(['/', '*'])
        .chars()
        .filter(|letter| !matches!(letter, '*' | '?' | '{' | '}' | '[' | ']' | '!'))
        .collect();
    let suggestions = context.workspace.suggest_paths(&plain, SUGGESTIONS, &context.cancellation);
    let place = if wanted.scope.as_str().is_empty() {
        String::new()
    } else {
        format!(" in {}", wanted.scope)
    };
    let headline = format!(
        "no file matches \"{}\"{place}: {visited} files looked at",
        truncate(&arguments.pattern, 120)
    );
    let mut notes: Vec<String> = place_argument::did_you_mean(&suggestions).into_iter().collect();
    if notes.is_empty() {
        notes.push("try a wider pattern such as \"**/*name*\"".to_owned());
    }
    let left_out = skipped.describe();
    if !left_out.is_empty() {
        notes.push(format!("files not looked at: {left_out}"));
    }
    GlobOutput { skipped, ..nothing(ToolOutcome::NoMatch, headline, notes) }
}

fn nothing(outcome: ToolOutcome, headline: String, notes: Vec<String>) -> GlobOutput {
    GlobOutput {
        outcome,
        headline,
        total_files: 0,
        next_offset: None,
        files: Vec::new(),
        skipped: SkippedFiles::default(),
        notes,
    }
}
