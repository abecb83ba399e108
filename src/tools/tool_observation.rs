//! The observation of a tool: excerpts of files, annotations and the outcome, before truncation.

use retriever_report::evidence_ledger::{Declaration, EvidenceSource};
use retriever_workspace::{FileVersion, LineRange, RepoPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How a call ended, for the model's eyes and for redundancy checks: four different kinds of "nothing".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// Something was found and all of it is in the result.
    Found,
    /// Something was found; the limit or the budget cut it.
    Truncated,
    /// The search ran and nothing matched.
    NoMatch,
    /// The pattern can't be used.
    BadPattern,
    /// The path isn't there, or can't be read, or is refused.
    BadPath,
    /// The arguments make no sense together.
    BadArguments,
    /// Already shown, or asked before: answered at no cost.
    Redundant,
    /// The tool failed, and the run with it.
    Failed,
}

/// Lines of one file that a tool wants shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservationExcerpt {
    /// The file.
    pub file: FileVersion,
    /// Lines in ascending order; the text is already clipped to the line limit and decoded.
    pub lines: Vec<(u32, String)>,
    /// The labels of lines, by line number; a labelled line starts a block.
    pub labels: BTreeMap<u32, LineAnnotation>,
    /// Lines that are only there because others are.
    pub context: BTreeSet<u32>,
}

/// The note before the text of a line of an excerpt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineAnnotation {
    /// The definition that the line represents; the line's ID is that of the whole definition.
    pub definition: Option<Declaration>,
    /// The declaration that starts at the line. If the line is a block, a citation of its ID means the declaration,
    /// once all of it was delivered.
    pub declares: Option<LineRange>,
    /// The declaration around it that `context` names.
    pub around: Option<Declaration>,
    /// The text of the note: `in Store 3-90`.
    pub context: String,
}

impl ObservationExcerpt {
    /// Returns lines of `file` that stand for themselves.
    pub fn new(file: FileVersion, lines: Vec<(u32, String)>) -> Self {
        Self { file, lines, labels: BTreeMap::new(), context: BTreeSet::new() }
    }
}

/// A tool's result before truncation: the input of [`render_tool_result`].
#[derive(Clone, Debug, PartialEq)]
pub struct ToolObservation {
    /// How the call ended.
    pub outcome: ToolOutcome,
    /// The source that the excerpts' lines count as.
    pub source: EvidenceSource,
    /// First line: what was found, in totals. Never cut.
    pub headline: String,
    /// Lines of files.
    pub excerpts: Vec<ObservationExcerpt>,
    /// Paths of a listing, in order; they get IDs and are no evidence of any line. Those of a folder that follow each other
    /// are printed below it.
    pub listing: Vec<ListedPath>,
    /// Last lines: what was left out and the call that brings it. Never cut.
    pub footer: Vec<String>,
    /// Explanation of a word in the footer; given once per run.
    pub explanation: Option<&'static str>,
}

/// A path of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPath {
    /// The file.
    pub path: RepoPath,
    /// Its number of lines, where that is known.
    pub lines: Option<u32>,
}

impl From<RepoPath> for ListedPath {
    fn from(path: RepoPath) -> Self {
        Self { path, lines: None }
    }
}

impl ToolObservation {
    /// Returns an observation that is only a sentence.
    pub fn sentence(outcome: ToolOutcome, headline: impl Into<String>) -> Self {
        Self {
            outcome,
            source: EvidenceSource::Listing,
            headline: headline.into(),
            excerpts: Vec::new(),
            listing: Vec::new(),
            footer: Vec::new(),
            explanation: None,
        }
    }
}
