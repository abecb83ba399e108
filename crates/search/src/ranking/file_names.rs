//! A file that is named with words of the query is more likely what the query is about than one that says them often: a
//! concept has its name from where it is defined.

use std::collections::BTreeMap;

use super::{
    passage_score::content_words,
    passage_scorer::PassageScorer,
    pool::{Pool, sort},
};
use retriever_workspace::RepoPath;

/// Share of its score that a place gains whose file's name consists of words of the query, and that of a place whose file's
/// name has others, too, by the share of its words and the exponent of that.
const WHOLE_NAME: f64 = 0.3;
const PART_OF_NAME: f64 = 0.2;
const EXPONENT: f64 = 1.5;
/// Words up to which a query says only what it is about, and from which on a file's name says nothing: a long one mentions
/// much beside.
const SHORT_WORDS: f64 = 8.0;
const LONG_WORDS: f64 = 16.0;

/// Adds to the scores of the pool and sorts it.
pub(crate) fn favour_named_files(scorer: &PassageScorer<'_>, pool: &mut Pool) {
    let expanded = scorer.context.expanded;
    let own_words =
        scorer.ranking.term_weights.terms().filter(|term| expanded.is_own_word(*term)).count();
    let brevity = (LONG_WORDS - own_words as f64) / (LONG_WORDS - SHORT_WORDS);
    if brevity <= 0.0 {
        return;
    }
    let gain = |path: &RepoPath| {
        let name = path.file_name().split('.').find(|part| !part.is_empty()).unwrap_or_default();
        let terms = scorer.context.matcher.terms_in(name);
        let known =
            terms.iter().filter(|(term, strength)| expanded.is_own_word(*term) && *strength >= 1.0);
        let share = known.count() as f64 / content_words(name).max(1) as f64;
        brevity.min(1.0)
            * if share >= 1.0 { WHOLE_NAME } else { PART_OF_NAME * share.powf(EXPONENT) }
    };
    let mut by_file: BTreeMap<RepoPath, f64> = BTreeMap::new();
    let scope = &scorer.context.parsed.scope;
    let wants_any = scope.wants_tests || scope.wants_docs || scope.wants_generated;
    for scored in pool.iter_mut().filter(|it| wants_any || !it.candidate.is_secondary()) {
        let path = &scored.candidate.file.path;
        let gain = match by_file.get(path) {
            Some(gain) => *gain,
            None => *by_file.entry(path.clone()).or_insert_with(|| gain(path)),
        };
        let score = &mut scored.candidate.score;
        score.add("file name", gain * score.total());
    }
    sort(pool);
}
