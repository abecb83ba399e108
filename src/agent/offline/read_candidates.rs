//! Candidates that were read, and their names in a report.

use super::candidate_groups::{CandidateGroup, joined};
use crate::agent::offline_driver_trait::OfflineState;
use retriever_search::Candidate;
use retriever_workspace::{LineRange, RepoPath};

/// Returns the candidates that were read from their first line, or for the most part, best first; adjacent ones are
/// joined. Lines that were delivered around another place do not count.
pub(super) fn read_candidates<'a>(state: &OfflineState<'a>) -> Vec<CandidateGroup<'a>> {
    let read = |candidate: &'a Candidate| {
        let (file, whole) = (state.ledger.file(&candidate.file.path)?, candidate.range?);
        let range = file.read.longest_within(whole)?;
        let is_read = range.start() == whole.start() || range.width() * 2 >= whole.width();
        is_read.then_some((candidate, range))
    };
    let is_read = |candidate: &Candidate, range: LineRange| {
        state.ledger.file(&candidate.file.path).is_some_and(|file| file.read.contains(range))
    };
    joined(state.candidates.iter().filter_map(read), is_read)
}

/// Returns a name as a code span, so that it is not a word of the sentence; `None` for a text that is not a name, such
/// as the title of a test.
pub(super) fn code_span(name: &str) -> Option<String> {
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '`');
    is_name.then(|| format!("`{name}`"))
}

/// Returns the name of a place, with its file if a place of another file has the same name; `None` without a named
/// declaration.
pub(super) fn name_among(
    place: &CandidateGroup<'_>,
    places: &[&CandidateGroup<'_>],
) -> Option<String> {
    let (own, path) = (place.name()?, &place.candidate.file.path);
    let named = code_span(own)?;
    let others = places.iter().filter(|other| other.name() == Some(own));
    let same: Vec<&RepoPath> =
        others.map(|other| &other.candidate.file.path).filter(|other| *other != path).collect();
    if same.is_empty() {
        return Some(named);
    }
    let is_own_file = same.iter().all(|other| other.file_name() != path.file_name());
    let file = if is_own_file { path.file_name() } else { path.as_str() };
    Some(format!("{named} ({file})"))
}
