//! The input of validation, and the limits of a map.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    code_map::{MAX_PLACE_LINES, MapStatus, ReportAuthor},
    evidence_ledger::EvidenceLedger,
    file_structure::FileStructure,
    validation_reason_codes::ValidationReason,
};
use retriever_search::{Candidate, NoAnswerReason, Question, RequestedPlaceKinds, RoleCues};
use retriever_workspace::{FileState, RepoPath};

/// Everything that validation depends on.
#[derive(Clone, Copy)]
pub struct ValidationContext<'a> {
    /// The question.
    pub question: &'a Question,
    /// Absolute path of the root: paths are parsed by it, and its folder has the name of the project.
    pub root: &'a str,
    /// What was delivered to the model.
    pub ledger: &'a EvidenceLedger,
    /// The current state of every file of [`cited_paths`](crate::cited_paths). A path without an entry counts as missing.
    pub file_states: &'a BTreeMap<RepoPath, FileState>,
    /// The files and folders of [`scope_paths`](crate::scope_paths) that exist.
    pub existing_scopes: &'a BTreeSet<RepoPath>,
    /// Declarations and relations of the files that lines were delivered of. A file without an entry has only those
    /// declarations that the ledger knows.
    pub structures: &'a BTreeMap<RepoPath, FileStructure>,
    /// The candidates that the conversation opened with.
    pub candidates: &'a [Candidate],
    /// Why the repository may not have what the question asks for, by its names and words.
    pub no_answer: Option<&'a NoAnswerReason>,
    /// What the words of the question ask for.
    pub scope: &'a RequestedPlaceKinds,
    /// The cues by which code supports a role.
    pub cues: &'a RoleCues,
    /// [`ParsedReport::problems`](crate::ParsedReport::problems) of the submission.
    pub problems: &'a [ValidationReason],
    /// Who wrote the draft.
    pub author: ReportAuthor,
    /// How the draft was made.
    pub status: MapStatus,
    /// Limits of the map.
    pub limits: MapLimits,
}

impl<'a> ValidationContext<'a> {
    /// Returns the files that the run showed, listed or ranked; a file may come more than once.
    pub(super) fn known_paths(&self) -> impl Iterator<Item = &'a RepoPath> {
        let listed = self.ledger.places().iter().map(|place| &place.path);
        let delivered = self.ledger.files().map(|file| &file.version.path);
        let ranked = self.candidates.iter().map(|candidate| &candidate.file.path);
        listed.chain(delivered).chain(ranked)
    }
}

/// Limits of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapLimits {
    /// Estimated tokens of the whole map. With less than 600 only the fields that are always printed may be left.
    pub max_tokens: u64,
    /// Lines of a cited range that is not exactly a declaration.
    pub max_width: u32,
}

impl Default for MapLimits {
    fn default() -> Self {
        Self { max_tokens: 1_600, max_width: MAX_PLACE_LINES }
    }
}
