//! What a call points at: a path in any spelling, an evidence ID (`c7`), or either with lines (`c7:40-58`, `a.rs:10-40`).
//! And the sentences for what isn't there, which are the same for every tool.

use super::{Outcome, ToolContext, clip::clip_to};
use crate::{
    ledger::{EvidenceId, LineRange},
    workspace::{EntryKind, PathError, ReadError, RepoPath},
};

/// Suggestions in a "did you mean".
const SUGGESTIONS: usize = 5;

/// A place that exists.
pub(super) struct Target {
    pub(super) path: RepoPath,
    pub(super) kind: EntryKind,
    pub(super) range: Option<LineRange>,
}

/// A place that can't be used, in words.
pub(super) struct Miss {
    pub(super) outcome: Outcome,
    pub(super) sentence: String,
    pub(super) hint: String,
    pub(super) suggestions: Vec<RepoPath>,
}

/// Finds what `raw` points at.
pub(super) fn find(context: &ToolContext, raw: &str) -> Result<Target, Miss> {
    let spelled = raw.trim().trim_matches(['`', '"', '\'']);
    match locate(context, spelled) {
        Ok((path, kind)) => Ok(Target { path, kind, range: None }),
        Err(miss) => find_id(context, spelled)
            .or_else(|| with_lines(context, spelled).map(Ok))
            .unwrap_or(Err(miss)),
    }
}

/// Reads `spelled` as an ID, with lines or without; `None` when it doesn't look like one.
fn find_id(context: &ToolContext, spelled: &str) -> Option<Result<Target, Miss>> {
    let (name, lines) = match spelled.trim_matches(['[', ']']).split_once(':') {
        Some((name, lines)) => (name, Some(lines)),
        None => (spelled, None),
    };
    let id: EvidenceId = name.parse().ok()?;
    let Some((path, range)) = context.places.get(&id) else {
        return Some(Err(Miss {
            outcome: Outcome::BadPath,
            sentence: format!("{id} is not an ID that was shown"),
            hint: "use an ID from an earlier result, or a path".to_owned(),
            suggestions: Vec::new(),
        }));
    };
    let range = match lines {
        Some(lines) => parse_lines(lines)?.into(),
        None => *range,
    };
    Some(match context.workspace.kind(path) {
        Ok(kind) => Ok(Target { path: path.clone(), kind, range }),
        Err(error) => Err(unreadable(&error)),
    })
}

fn with_lines(context: &ToolContext, spelled: &str) -> Option<Target> {
    let (path, lines) = spelled.rsplit_once(':')?;
    let range = parse_lines(lines)?;
    let (path, kind) = locate(context, path).ok()?;
    Some(Target { path, kind, range: Some(range) })
}

/// Reads `40`, `40-58`, `L40-L58`.
fn parse_lines(text: &str) -> Option<LineRange> {
    let number = |text: &str| text.trim().trim_start_matches(['L', 'l']).parse::<u32>().ok();
    let text = text.trim_end_matches(']');
    match text.split_once('-') {
        Some((start, end)) => LineRange::new(number(start)?, number(end)?),
        None => LineRange::line(number(text)?),
    }
}

fn locate(context: &ToolContext, spelled: &str) -> Result<(RepoPath, EntryKind), Miss> {
    let path = context.workspace.normalize(spelled).map_err(|error| outside(&error))?;
    match context.workspace.kind(&path) {
        Ok(kind) => Ok((path, kind)),
        Err(ReadError::Missing(path)) => Err(missing(context, &path)),
        Err(error) => Err(unreadable(&error)),
    }
}

fn outside(error: &PathError) -> Miss {
    Miss {
        outcome: Outcome::BadPath,
        sentence: clip_to(&error.to_string(), 300),
        hint: "give a path relative to the root, such as src/main.rs".to_owned(),
        suggestions: Vec::new(),
    }
}

fn missing(context: &ToolContext, path: &RepoPath) -> Miss {
    Miss {
        outcome: Outcome::BadPath,
        sentence: clip_to(&format!("{path} does not exist"), 300),
        hint: "find it with glob".to_owned(),
        suggestions: context.workspace.nearest(path.as_str(), SUGGESTIONS),
    }
}

pub(super) fn unreadable(error: &ReadError) -> Miss {
    Miss {
        outcome: Outcome::BadPath,
        sentence: clip_to(&error.to_string(), 300),
        hint: error.hint().to_owned(),
        suggestions: Vec::new(),
    }
}

impl Miss {
    /// Returns the hint, with the suggestions in it.
    pub(super) fn advice(&self) -> String {
        did_you_mean(&self.suggestions).unwrap_or_else(|| self.hint.clone())
    }
}

/// Returns `did you mean a, b?`, or `None` without suggestions.
pub(super) fn did_you_mean(suggestions: &[RepoPath]) -> Option<String> {
    let names: Vec<String> = suggestions.iter().map(ToString::to_string).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(", ")))
}

/// Writes a call the way results suggest it: `grep pattern="a" offset=40`.
pub(super) fn call(tool: &str, arguments: &[(&str, serde_json::Value)]) -> String {
    arguments
        .iter()
        .filter(|(_, value)| !value.is_null())
        .fold(tool.to_owned(), |call, (name, value)| format!("{call} {name}={value}"))
}
