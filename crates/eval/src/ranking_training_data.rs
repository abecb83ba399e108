//! Training data for ranking: for every case the places that ranking chooses from, their features, and the labels that
//! they hit. `evals/ranking/` trains on it.

use std::path::Path;

use serde::Serialize;
use strum::VariantArray;

use crate::{
    answer_score::hits,
    run_suites::EvalPlan,
    suite::{EvalCase, ExpectedPlace, SuiteProblem},
};
use retriever_search::{FileFeature, RankingFeature, TrainingPool};
use retriever_workspace::LineRange;

/// Most places of a case that are written; further places only if they hit a label.
const MAX_PLACES: usize = 300;

/// One case as training data.
#[derive(Debug, Serialize)]
pub struct TrainingCase {
    /// The suite.
    pub suite: String,
    /// The case.
    pub case: String,
    /// Its repository.
    pub repo: String,
    /// Its commit.
    pub commit: Option<String>,
    /// The code's language.
    pub language: Option<String>,
    /// Names of the place features, in order.
    pub facts: Vec<&'static str>,
    /// Whether the repository does not have what the question asks for.
    pub negative: bool,
    /// Share of the question's words that the best file has.
    pub best_file: f64,
    /// Points of the best place, in words that occur in one file.
    pub best_place: f64,
    /// Share of the question's words that the comments of one place have.
    pub best_comment: f64,
    /// Whether no candidate has most of the question's words in its name.
    pub is_doubtful: bool,
    /// Number of required rows of its evidence.
    pub rows: usize,
    /// Gold files.
    pub gold_files: Vec<String>,
    /// Number of places that ranking chooses from.
    pub pool: usize,
    /// The first places by the hand-set ranking, and those that hit a label.
    pub places: Vec<TrainingPlace>,
    /// Names of the file features, in order.
    pub file_facts: Vec<&'static str>,
    /// The files of all places, in the order of their best place.
    pub files: Vec<TrainingFile>,
}

/// One file of a case.
#[derive(Debug, Serialize)]
pub struct TrainingFile {
    /// The file.
    pub path: String,
    /// The features.
    pub facts: Vec<f64>,
}

/// One place of a case.
#[derive(Debug, Serialize)]
pub struct TrainingPlace {
    /// Rank by the hand-set ranking, from 0.
    pub rank: usize,
    /// The file.
    pub path: String,
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
    /// The declaration.
    pub name: String,
    /// Required rows that it hits, by index.
    pub hits: Vec<usize>,
    /// The features.
    pub facts: Vec<f64>,
}

/// Passes the features of every case of `plan` to `on_case`, in the order of its suites. `pool` returns the places of a
/// case in a checkout that ranking chooses from. Returns the problems.
///
/// # Errors
///
/// The first error of `pool`.
pub fn features<E>(
    plan: &EvalPlan<'_>,
    mut pool: impl FnMut(&EvalCase, &Path) -> Result<TrainingPool, E>,
    mut on_case: impl FnMut(TrainingCase),
) -> Result<Vec<SuiteProblem>, E> {
    let mut problems = Vec::new();
    for located in plan.locate(&mut problems) {
        let pool = pool(located.case, &located.checkout)?;
        on_case(features_of(&located.suite.name, located.case, &pool));
    }
    Ok(problems)
}

fn features_of(suite: &str, case: &EvalCase, pool: &TrainingPool) -> TrainingCase {
    let rows: Vec<_> = case.evidence.iter().filter(|row| row.required).collect();
    let mut gold_files: Vec<String> = case.gold_files.clone();
    gold_files.extend(rows.iter().flat_map(|row| &row.any_of).map(|label| label.path.clone()));
    gold_files.extend(case.targets().map(str::to_owned));
    gold_files.sort();
    gold_files.dedup();
    let mut places = Vec::new();
    for (rank, found) in pool.candidates.iter().enumerate() {
        let candidate = &found.candidate;
        let Some(range) = candidate.range else { continue };
        let path = candidate.file.path.as_str();
        let is_hit = |label: &ExpectedPlace| {
            let lines = LineRange::new(label.start, label.end);
            label.path == path && lines.is_some_and(|lines| hits(range, lines))
        };
        let hits: Vec<usize> =
            (0..rows.len()).filter(|row| rows[*row].any_of.iter().any(is_hit)).collect();
        if rank < MAX_PLACES || !hits.is_empty() {
            places.push(TrainingPlace {
                rank,
                path: path.to_owned(),
                start: range.start(),
                end: range.end(),
                name: candidate
                    .symbols
                    .first()
                    .map_or_else(String::new, |symbol| symbol.name.clone()),
                hits,
                facts: found.features.as_slice().iter().map(four).collect(),
            });
        }
    }
    TrainingCase {
        suite: suite.to_owned(),
        case: case.id.clone(),
        repo: case.repo.clone(),
        commit: case.commit.clone(),
        language: case.language.clone(),
        facts: RankingFeature::VARIANTS.iter().map(|fact| fact.as_ref()).collect(),
        negative: case.negative,
        best_file: pool.evidence.best_file,
        best_place: pool.evidence.best_place,
        best_comment: pool.evidence.best_comment,
        is_doubtful: pool.evidence.is_doubtful,
        rows: rows.len(),
        gold_files,
        pool: pool.candidates.len(),
        places,
        file_facts: FileFeature::VARIANTS.iter().map(|fact| fact.as_ref()).collect(),
        files: pool
            .files
            .iter()
            .map(|file| TrainingFile {
                path: file.path.to_string(),
                facts: file.features.as_slice().iter().map(four).collect(),
            })
            .collect(),
    }
}

/// Rounds to four digits.
fn four(value: &f32) -> f64 {
    (f64::from(*value) * 1e4).round() / 1e4
}
