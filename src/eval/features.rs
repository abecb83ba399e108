//! What ranking learns from: for every case the places that a survey chooses from, the facts that they are judged by, and which
//! of the labels they hit. Learning is `evals/ranking/`'s.

use std::{collections::BTreeMap, sync::Arc};

use serde::Serialize;
use strum::VariantArray;

use super::{
    run::{self, Plan},
    score::hits,
    suite::{Case, Problem},
    system::{self, SystemError},
};
use crate::{
    agent::{OfflineModel, Opening},
    retriever::Retriever,
};
use retriever_search::{Corpus, Feature, Question, RoleCues};
use retriever_workspace::{Cancellation, LineRange};

/// Places of a case that are told; of those behind, only the ones that hit a label are.
const TOLD: usize = 300;

/// What is told of a case.
#[derive(Debug, Serialize)]
pub struct CaseFeatures {
    /// The suite.
    pub suite: String,
    /// The case.
    pub case: String,
    /// Its repository.
    pub repo: String,
    /// The code's language.
    pub language: Option<String>,
    /// Names of the facts, in their order.
    pub facts: Vec<&'static str>,
    /// Required rows of its evidence.
    pub rows: usize,
    /// Gold files.
    pub gold_files: Vec<String>,
    /// Places that a survey chooses from.
    pub pool: usize,
    /// The first of them by hand, and those that hit a label.
    pub places: Vec<PlaceFeatures>,
}

/// What is told of a place.
#[derive(Debug, Serialize)]
pub struct PlaceFeatures {
    /// Its number by hand, from 0.
    pub rank: usize,
    /// The file.
    pub path: String,
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
    /// What is declared there.
    pub name: String,
    /// Required rows that it hits, by number.
    pub hits: Vec<usize>,
    /// The facts.
    pub facts: Vec<f64>,
}

/// Tells the features of every case of `plan`, in the order of its suites; returns what can't be used.
///
/// # Errors
///
/// [`SystemError`] when a checkout or the configuration can't be used.
pub fn features(
    plan: &Plan<'_>,
    mut told: impl FnMut(CaseFeatures),
) -> Result<Vec<Problem>, SystemError> {
    let cues = RoleCues::with(&plan.setup.config.roles)?;
    let mut problems: Vec<Problem> = Vec::new();
    let mut open: BTreeMap<std::path::PathBuf, Retriever> = BTreeMap::new();
    for suite in plan.suites {
        problems.extend(suite.problems.iter().cloned());
        for case in &suite.cases {
            let folder = match run::look_up(plan, suite, case) {
                Ok((folder, misfits)) => {
                    problems.extend(misfits);
                    folder
                }
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            if !open.contains_key(&folder) {
                // One tree at a time is in memory.
                open.clear();
                let model = Arc::new(OfflineModel::new());
                let retriever = system::build(&plan.setup, &folder, model, Opening::Bare)?;
                open.insert(folder.clone(), retriever);
            }
            let Some(retriever) = open.get(&folder) else { continue };
            let question = Question { intent: case.intent, ..Question::new(&case.question) };
            let (index, token_index) = (retriever.index(), retriever.token_index());
            let never = Cancellation::new();
            let pool = index.ask_on_walk_if_quick(|walk, graph| {
                let workspace = index.workspace();
                let snapshot = token_index.snapshot(workspace, walk, &never);
                let corpus = Corpus { workspace, walk, index: &snapshot, graph, role_cues: &cues };
                retriever_search::candidate_pool(&corpus, &question, &never)
            });
            told(features_of(&suite.name, case, &pool));
        }
    }
    Ok(problems)
}

fn features_of(suite: &str, case: &Case, pool: &[retriever_search::Found]) -> CaseFeatures {
    let rows: Vec<_> = case.evidence.iter().filter(|row| row.required).collect();
    let mut gold_files: Vec<String> = case.gold_files.clone();
    gold_files.extend(rows.iter().flat_map(|row| &row.any_of).map(|label| label.path.clone()));
    gold_files.sort();
    gold_files.dedup();
    let mut places = Vec::new();
    for (rank, found) in pool.iter().enumerate() {
        let candidate = &found.candidate;
        let Some(range) = candidate.range else { continue };
        let path = candidate.file.path.as_str();
        let is_hit = |label: &super::Label| {
            let lines = LineRange::new(label.start, label.end);
            label.path == path && lines.is_some_and(|lines| hits(range, lines))
        };
        let hits: Vec<usize> =
            (0..rows.len()).filter(|row| rows[*row].any_of.iter().any(is_hit)).collect();
        if rank < TOLD || !hits.is_empty() {
            let four = |value: &f32| (f64::from(*value) * 1e4).round() / 1e4;
            places.push(PlaceFeatures {
                rank,
                path: path.to_owned(),
                start: range.start(),
                end: range.end(),
                name: candidate
                    .symbols
                    .first()
                    .map_or_else(String::new, |symbol| symbol.name.clone()),
                hits,
                facts: found.facts.all().iter().map(four).collect(),
            });
        }
    }
    CaseFeatures {
        suite: suite.to_owned(),
        case: case.id.clone(),
        repo: case.repo.clone(),
        language: case.language.clone(),
        facts: Feature::VARIANTS.iter().map(|fact| fact.as_ref()).collect(),
        rows: rows.len(),
        gold_files,
        pool: pool.len(),
        places,
    }
}
