//! The result of `grep`: matching lines, or why there are none.

use std::{cmp::Reverse, collections::BTreeMap};

use retriever_report::evidence_ledger::EvidenceSource;
use retriever_workspace::{RepoPath, SkippedFiles, truncate};
use schemars::JsonSchema;
use serde::Serialize;

use crate::tools::{ObservationExcerpt, ToolObservation, ToolOutcome, ToolOutput};

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
    pub(super) excerpts: Vec<ObservationExcerpt>,
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
            explanation: (self.skipped.secrets > 0).then_some(PRIVATE),
        }
    }
}

pub(super) fn nothing(outcome: ToolOutcome, headline: String, notes: Vec<String>) -> GrepOutput {
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

/// Most extensions of binary files that are named.
const NAMED_EXTENSIONS: usize = 3;
/// Explanation of the word `private`.
const PRIVATE: &str = "private files may hold secrets: their names match workspace.secrets or the built-in list, and no \
                       tool reads them";

/// Names the files that were not searched; `binary` has the numbers of binary ones by extension.
pub(super) fn not_searched(
    skipped: &SkippedFiles,
    binary: &BTreeMap<String, u64>,
) -> Option<String> {
    let what = skipped.describe();
    let mut extensions: Vec<(&String, &u64)> =
        binary.iter().filter(|(extension, _)| !extension.is_empty()).collect();
    extensions.sort_by_key(|(_, files)| Reverse(**files));
    let named: Vec<String> = extensions
        .iter()
        .take(NAMED_EXTENSIONS)
        .map(|(extension, files)| format!("{files} .{extension}"))
        .collect();
    let named =
        if named.is_empty() { String::new() } else { format!(" (binary: {})", named.join(", ")) };
    (!what.is_empty()).then(|| format!("files not searched: {what}{named}"))
}

pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

pub(super) fn shown(text: &str) -> String {
    format!("\"{}\"", truncate(text, 120))
}
