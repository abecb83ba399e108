//! The files that a question mentions by path or by name, and the lines it names in them.

use std::collections::BTreeMap;

use crate::query::FileMention;
use retriever_workspace::{FoundFile, RepoPath};

/// Points of a file that is mentioned with a folder, and by its bare name.
const WITH_FOLDER: f64 = 10.0;
const BARE_NAME: f64 = 7.0;
/// Points of the file of the innermost frame of a stack trace, with a folder and by its bare name, and what is left of them for
/// other frames: nearly every trace goes through a few files that only pass calls on.
const FRAME_WITH_FOLDER: f64 = 14.0;
const FRAME_BARE_NAME: f64 = 10.0;
const OUTER_FRAME: f64 = 0.3;
/// Least share of a mention for its line to mean anything: a name that many files have says little.
const MIN_SHARE: f64 = 0.3;

/// A file that a question mentions.
#[derive(Clone, Debug, Default)]
pub(crate) struct MentionedFile {
    pub(crate) points: f64,
    /// Lines, each with its weight of 0 to 1.
    pub(crate) lines: Vec<(u32, f64)>,
}

/// Finds the files among `entries` that `mentions` name. A mention means the files that share most of its last path
/// components, and its points are shared among them.
pub(crate) fn mentioned_files(
    mentions: &[FileMention],
    entries: &[FoundFile],
) -> BTreeMap<RepoPath, MentionedFile> {
    if mentions.is_empty() {
        return BTreeMap::new();
    }
    let mut by_name: BTreeMap<&str, Vec<&RepoPath>> = BTreeMap::new();
    for entry in entries {
        by_name.entry(entry.path.file_name()).or_default().push(&entry.path);
    }
    let mut found: BTreeMap<RepoPath, MentionedFile> = BTreeMap::new();
    let mut innermost_first: Vec<&FileMention> = mentions.iter().collect();
    innermost_first.sort_by_key(|mention| mention.frame);
    let mut has_frame = false;
    for mention in innermost_first {
        let name = mention.path.rsplit('/').next().unwrap_or_default();
        let Some(named) = by_name.get(name) else { continue };
        let (components, matching) = best_matches(&mention.path, named);
        let share = 1.0 / f64::from(u32::try_from(matching.len()).unwrap_or(u32::MAX));
        let is_outer_frame = mention.frame.is_some() && has_frame;
        has_frame |= mention.frame.is_some();
        let weight = if is_outer_frame { OUTER_FRAME } else { 1.0 };
        let points = match (components >= 2, mention.frame.is_some()) {
            (true, true) => FRAME_WITH_FOLDER,
            (true, false) => WITH_FOLDER,
            (false, true) => FRAME_BARE_NAME,
            (false, false) => BARE_NAME,
        };
        let points = points * share * weight;
        for path in matching {
            let file = found.entry(path.clone()).or_default();
            file.points = file.points.max(points);
            if share > MIN_SHARE {
                file.lines.extend(mention.line.map(|line| (line, weight)));
            }
        }
    }
    found
}

/// Returns the paths that share most of the last components of `mentioned`, and how many these are.
fn best_matches<'a>(mentioned: &str, paths: &[&'a RepoPath]) -> (usize, Vec<&'a RepoPath>) {
    let shared = |path: &RepoPath| {
        let components = path.as_str().rsplit('/').zip(mentioned.rsplit('/'));
        components.take_while(|(a, b)| a == b).count()
    };
    let most = paths.iter().map(|path| shared(path)).max().unwrap_or_default();
    (most, paths.iter().copied().filter(|path| shared(path) == most).collect())
}
