//! Lists files that a model read and did not cite, so that the planner does not open them again to see whether they
//! matter.

use std::collections::BTreeSet;

use super::{draft_under_validation::DraftUnderValidation, validation_input::ValidationContext};
use crate::code_map::ReportAuthor;
use retriever_workspace::RepoPath;

/// Most files that are named.
const MAX_FILES: usize = 4;

pub(super) fn apply(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    if context.author != ReportAuthor::Model {
        return;
    }
    let cited: BTreeSet<&RepoPath> = state.citations().map(|citation| &citation.path).collect();
    let unused = context
        .ledger
        .files()
        .filter(|file| !file.read.is_empty())
        .map(|file| &file.version.path)
        .filter(|path| !cited.contains(path));
    state.also_read = unused.take(MAX_FILES).cloned().collect();
}
