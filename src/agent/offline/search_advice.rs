//! The search that an offline report recommends.

use crate::agent::offline_driver_trait::OfflineState;
use retriever_report::GapSearch;
use retriever_search::{ParsedQuery, TermForm};
use retriever_workspace::RepoPath;

const MAX_TERMS: usize = 3;
const MAX_SCOPES: usize = 3;

/// Returns a search around the candidates for their names.
pub(super) fn near_candidates(state: &OfflineState<'_>) -> GapSearch {
    GapSearch { terms: gap_terms(state), scopes: candidate_folders(state) }
}

/// Returns a search for the question's words around the delivered lines.
pub(super) fn near_deliveries(state: &OfflineState<'_>) -> GapSearch {
    let listed = state.ledger.places().iter().map(|place| folder_or_file(&place.path));
    GapSearch {
        terms: distinct(question_words(state), MAX_TERMS),
        scopes: distinct(listed, MAX_SCOPES),
    }
}

/// Returns the terms of the search: the names of the best candidates; if the repository may not have what the question
/// asks for, the words that no name matches, then the question's words of the highest weight.
fn gap_terms(state: &OfflineState<'_>) -> Vec<String> {
    match state.no_answer {
        Some(no_answer) => {
            let words = no_answer.words.iter().cloned();
            distinct(words.chain(question_words(state)), MAX_TERMS)
        }
        None => {
            let symbols = state.candidates.iter().filter_map(|candidate| candidate.symbols.first());
            distinct(symbols.map(|symbol| symbol.name.clone()), MAX_TERMS)
        }
    }
}

fn question_words(state: &OfflineState<'_>) -> impl Iterator<Item = String> + use<> {
    let terms = ParsedQuery::of(state.question).terms.into_iter();
    let words = terms.filter(|term| term.form == TermForm::Word && term.weight > 0.0);
    words.map(|term| term.text)
}

fn candidate_folders(state: &OfflineState<'_>) -> Vec<String> {
    let paths = state.candidates.iter().map(|candidate| &candidate.file.path);
    distinct(paths.map(folder_or_file), MAX_SCOPES)
}

/// Returns the folder of a file. A file at the root is returned itself, since its folder would be the whole repository.
fn folder_or_file(path: &RepoPath) -> String {
    let folder = path.parent().filter(|folder| !folder.as_str().is_empty());
    folder.unwrap_or_else(|| path.clone()).as_str().to_owned()
}

pub(super) fn distinct(items: impl Iterator<Item = String>, limit: usize) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for item in items {
        if kept.len() < limit && !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}
