//! Parses the place of a call: a path in any spelling, an evidence ID (`c7`), or either with lines (`c7:40-58`,
//! `a.rs:10-40`). Also has the messages for missing places, which all tools share.

use std::fmt;

use super::{ToolContext, ToolOutcome};
use retriever_report::evidence_ledger::EvidenceId;
use retriever_workspace::truncate;
use retriever_workspace::{LineRange, PathEntryKind, PathError, ReadError, RepoPath};

/// Most suggestions of a "did you mean".
const SUGGESTIONS: usize = 5;

/// A place that exists.
pub(super) struct TargetPlace {
    pub(super) path: RepoPath,
    pub(super) kind: PathEntryKind,
    pub(super) range: Option<LineRange>,
    /// Whether the range comes from an ID instead of the call.
    pub(super) is_of_id: bool,
}

/// A place that cannot be used, as text.
pub(super) struct UnusablePlace {
    pub(super) outcome: ToolOutcome,
    pub(super) sentence: String,
    hint: String,
    /// A path that does not exist.
    missing: Option<RepoPath>,
}

/// Finds the place that `raw` names. A known ID has precedence over a file of that name, which a repository could
/// contain to replace the place.
pub(super) fn find(context: &ToolContext, raw: &str) -> Result<TargetPlace, UnusablePlace> {
    let spelled = raw.trim().trim_matches(['`', '"', '\'']);
    let id = as_id(spelled);
    if let Some((id, lines)) = id
        && let Some((path, range)) = context.places.get(&id)
    {
        let is_of_id = lines.is_none();
        let range = lines.or(*range);
        return match context.workspace.kind(path) {
            Ok(kind) => Ok(TargetPlace { path: path.clone(), kind, range, is_of_id }),
            Err(error) => Err(unreadable(&error)),
        };
    }
    let missed = match locate(context, spelled) {
        Ok((path, kind)) => return Ok(TargetPlace { path, kind, range: None, is_of_id: false }),
        Err(missed) => missed,
    };
    if let Some((path, lines)) = spelled.rsplit_once(':')
        && let Some(range) = parse_lines(lines)
        && let Ok((path, kind)) = locate(context, path)
    {
        return Ok(TargetPlace { path, kind, range: Some(range), is_of_id: false });
    }
    Err(match (id, missed) {
        (Some((id, _)), _) => bad_path(
            format!("{id} is not an ID that was shown"),
            "use an ID from an earlier result, or a path",
        ),
        (None, Missed::Path(error)) => {
            bad_path(error, "give a path relative to the root, such as src/main.rs")
        }
        (None, Missed::Read(ReadError::Missing(path))) => {
            UnusablePlace { missing: Some(path.clone()), ..unreadable(&ReadError::Missing(path)) }
        }
        (None, Missed::Read(error)) => unreadable(&error),
    })
}

/// Parses `c7` and `c7:40-58`.
fn as_id(spelled: &str) -> Option<(EvidenceId, Option<LineRange>)> {
    match spelled.split_once(':') {
        Some((name, lines)) => Some((name.parse().ok()?, Some(parse_lines(lines)?))),
        None => Some((spelled.parse().ok()?, None)),
    }
}

/// Parses `40`, `40-58`, `L40-L58`, and `58-40` as the same lines.
fn parse_lines(text: &str) -> Option<LineRange> {
    let number = |text: &str| text.trim().trim_start_matches(['L', 'l']).parse::<u32>().ok();
    let text = text.trim_end_matches(']');
    match text.split_once('-') {
        Some((start, end)) => {
            let (start, end) = (number(start)?, number(end)?);
            LineRange::new(start.min(end), start.max(end))
        }
        None => LineRange::line(number(text)?),
    }
}

/// Why a text does not name a place.
enum Missed {
    Path(PathError),
    Read(ReadError),
}

fn locate(context: &ToolContext, spelled: &str) -> Result<(RepoPath, PathEntryKind), Missed> {
    let path = context.workspace.normalize(spelled).map_err(Missed::Path)?;
    let kind = context.workspace.kind(&path).map_err(Missed::Read)?;
    Ok((path, kind))
}

/// Returns the answer for a file that is missing or cannot be read.
pub(super) fn unreadable(error: &ReadError) -> UnusablePlace {
    bad_path(error, error.hint())
}

fn bad_path(sentence: impl fmt::Display, hint: &str) -> UnusablePlace {
    UnusablePlace {
        outcome: ToolOutcome::BadPath,
        sentence: truncate(&sentence.to_string(), 300),
        hint: hint.to_owned(),
        missing: None,
    }
}

impl UnusablePlace {
    /// Returns the paths that a missing path may mean, else the hint. It walks the tree, so it is called only if the
    /// advice is shown.
    pub(super) fn advice(&self, context: &ToolContext) -> String {
        let missing = self.missing.as_ref();
        let similar = missing.map(|path| {
            context.workspace.suggest_paths(path.as_str(), SUGGESTIONS, &context.cancellation)
        });
        similar.and_then(|paths| did_you_mean(&paths)).unwrap_or_else(|| self.hint.clone())
    }
}

/// Returns `did you mean a, b?`, or `None` without suggestions.
pub(super) fn did_you_mean(suggestions: &[RepoPath]) -> Option<String> {
    let names: Vec<String> = suggestions.iter().map(ToString::to_string).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(", ")))
}
