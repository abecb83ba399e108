//! Runs suites: finds every checkout first, then asks the questions, several at a time, and scores the answers. Results
//! of an interrupted run are passed in and not computed again.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use futures::stream::{self, StreamExt};
use serde::{Deserialize, Serialize};

use crate::{
    answer_score::{self, AnswerScores, CitedPlace, ScorableAnswer},
    case_checkout::{self, CheckoutCommitMatch, CheckoutError},
    evaluated_system::{
        EvalRequest, EvaluatedSystem, EvaluatedSystemAnswer, EvaluatedSystemRunner,
    },
    suite::{EvalCase, Suite, SuiteProblem, SuiteProblemKind},
};
use retriever_workspace::{FileTraitsConfig, TextFile, Workspace, WorkspaceConfig};

/// Most places of each list in a result.
const MAX_KEPT_PLACES: usize = 10;

/// What an eval runs.
#[derive(Clone)]
pub struct EvalPlan<'a> {
    /// The suites. The others are compared with the first.
    pub suites: &'a [Suite],
    /// The folder of checkouts.
    pub corpora: &'a Path,
    /// How strictly commits are checked.
    pub commits: CheckoutCommitMatch,
    /// Configuration of the checkouts' workspaces.
    pub workspace: &'a WorkspaceConfig,
    /// Configuration of file traits in the checkouts.
    pub traits: &'a FileTraitsConfig,
    /// The systems to measure.
    pub systems: BTreeSet<EvaluatedSystem>,
    /// How often every question is asked, at least once.
    pub repeats: u32,
    /// Questions that run at once, at least one. Latencies are only comparable between runs with the same number.
    pub jobs: usize,
}

/// The scores of one answer, and enough of the answer to explain them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The suite.
    pub suite: String,
    /// The case.
    pub case: String,
    /// Its repository.
    pub repo: String,
    /// The code's language, if the case has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The kind of query, if the case has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The system.
    pub system: EvaluatedSystem,
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// Hash of the case and of [`EvaluatedSystemRunner::key`]. A result with another key belongs to another experiment.
    pub key: String,
    /// The scores.
    pub scores: AnswerScores,
    /// The places of the map, in its order.
    pub places: Vec<String>,
    /// The best ranked places, at most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranked: Vec<String>,
    /// The model's failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_error: Option<String>,
}

/// The outcome of a run.
#[derive(Clone, Debug, Default)]
pub struct EvalOutcome {
    /// By suite, case, system and repeat, in the order of the suites.
    pub results: Vec<CaseResult>,
    /// Cases that could not be run, or could not be scored as they are written, in the same order; problems of suite
    /// files come first.
    pub problems: Vec<SuiteProblem>,
}

/// Progress of a run.
pub enum EvalProgress<'a> {
    /// An answer was scored.
    Scored(&'a CaseResult),
    /// A question has all its answers.
    Done {
        /// Questions that were asked so far.
        done: usize,
        /// Questions to ask.
        of: usize,
    },
}

/// A case and its checkout.
pub(crate) struct CaseWithCheckout<'a> {
    pub(crate) suite: &'a Suite,
    pub(crate) case: &'a EvalCase,
    pub(crate) checkout: PathBuf,
}

/// A question to ask again, for systems without a result.
struct Unit<'a> {
    located: &'a CaseWithCheckout<'a>,
    repeat: u32,
    systems: BTreeSet<EvaluatedSystem>,
}

/// Runs `plan` with the systems of `answerer`. `finished` has the results of an earlier, interrupted run; results that
/// do not belong to this plan are ignored.
pub async fn run(
    plan: &EvalPlan<'_>,
    answerer: &dyn EvaluatedSystemRunner,
    finished: Vec<CaseResult>,
    mut on_progress: impl FnMut(EvalProgress<'_>),
) -> EvalOutcome {
    let mut outcome = EvalOutcome::default();
    let located = plan.locate(&mut outcome.problems);
    let units = plan.remaining(&located, answerer.key(), finished, &mut outcome.results);
    let of = units.len();
    let mut answers = stream::iter(units)
        .map(|unit| put(plan, answerer, unit))
        .buffer_unordered(plan.jobs.max(1));
    let (mut done, mut late) = (0, Vec::new());
    while let Some(answered) = answers.next().await {
        match answered {
            Ok((results, problems)) => {
                results.iter().for_each(|result| on_progress(EvalProgress::Scored(result)));
                outcome.results.extend(results);
                late.extend(problems);
            }
            Err(problem) => late.push(problem),
        }
        done += 1;
        on_progress(EvalProgress::Done { done, of });
    }
    // Questions end in any order.
    let order: BTreeMap<(&str, &str), usize> = plan.cases().zip(0..).collect();
    let at = |suite: &str, case: &str| order.get(&(suite, case)).copied();
    outcome
        .results
        .sort_by_key(|result| (at(&result.suite, &result.case), result.system, result.repeat));
    late.sort_by_key(|problem| at(&problem.suite, problem.case.as_deref().unwrap_or_default()));
    outcome.problems.extend(late);
    outcome
}

impl<'a> EvalPlan<'a> {
    /// Finds the checkout of every case. Appends problems to `problems`.
    pub(crate) fn locate(&self, problems: &mut Vec<SuiteProblem>) -> Vec<CaseWithCheckout<'a>> {
        problems.extend(self.suites.iter().flat_map(|suite| suite.problems.iter().cloned()));
        let mut located = Vec::new();
        for suite in self.suites {
            for case in &suite.cases {
                match self.look_up(suite, case) {
                    Ok((checkout, labels)) => {
                        problems.extend(labels);
                        located.push(CaseWithCheckout { suite, case, checkout });
                    }
                    Err(problem) => problems.push(problem),
                }
            }
        }
        located
    }

    /// Returns the checkout of a case, and the labels that do not fit it.
    fn look_up(
        &self,
        suite: &Suite,
        case: &EvalCase,
    ) -> Result<(PathBuf, Vec<SuiteProblem>), SuiteProblem> {
        let problem = |kind, message| suite.problem(kind, case, message);
        let folder = case_checkout::find(self.corpora, case, self.commits).map_err(|error| {
            let kind = match error {
                CheckoutError::Missing { .. } => SuiteProblemKind::NoCheckout,
                CheckoutError::WrongCommit { .. } => SuiteProblemKind::WrongCommit,
            };
            problem(kind, error.to_string())
        })?;
        let folder = case.root.as_ref().map_or(folder.clone(), |root| folder.join(root));
        let workspace =
            self.open(&folder).map_err(|error| problem(SuiteProblemKind::NoCheckout, error))?;
        let labels = case_checkout::label_problems(case, &workspace).into_iter();
        Ok((folder, labels.map(|message| problem(SuiteProblemKind::BadLabel, message)).collect()))
    }

    pub(crate) fn open(&self, folder: &Path) -> Result<Workspace, String> {
        Workspace::open(folder, self.workspace, self.traits).map_err(|error| error.to_string())
    }

    /// Returns the remaining work, and moves the `finished` results of this plan to `results`.
    fn remaining<'l>(
        &self,
        located: &'l [CaseWithCheckout<'l>],
        answerer_key: &str,
        finished: Vec<CaseResult>,
        results: &mut Vec<CaseResult>,
    ) -> Vec<Unit<'l>> {
        let mut finished: BTreeMap<_, _> = finished
            .into_iter()
            .map(|it| ((it.suite.clone(), it.case.clone(), it.repeat, it.key.clone()), it))
            .collect();
        let mut units = Vec::new();
        for at in located {
            for repeat in 0..self.repeats.max(1) {
                let mut systems = self.systems.clone();
                systems.retain(|system| {
                    // The key includes the system.
                    let key = key(at.case, *system, answerer_key);
                    let known =
                        finished.remove(&(at.suite.name.clone(), at.case.id.clone(), repeat, key));
                    let is_open = known.is_none();
                    results.extend(known);
                    is_open
                });
                if !systems.is_empty() {
                    units.push(Unit { located: at, repeat, systems });
                }
            }
        }
        units
    }

    /// Returns suite and case, in order.
    fn cases(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let of = |suite: &'a Suite| {
            suite.cases.iter().map(|case| (suite.name.as_str(), case.id.as_str()))
        };
        self.suites.iter().flat_map(of)
    }
}

/// Asks one question and scores the answers.
async fn put(
    plan: &EvalPlan<'_>,
    answerer: &dyn EvaluatedSystemRunner,
    unit: Unit<'_>,
) -> Result<(Vec<CaseResult>, Vec<SuiteProblem>), SuiteProblem> {
    let CaseWithCheckout { suite, case, checkout } = unit.located;
    let (repeat, systems) = (unit.repeat, &unit.systems);
    let request = EvalRequest::new(&suite.name, case, checkout, repeat, systems);
    let response = answerer
        .answer(request)
        .await
        .map_err(|failure| suite.problem(failure.kind, case, failure.message))?;
    let workspace = plan
        .open(checkout)
        .map_err(|message| suite.problem(SuiteProblemKind::Failed, case, message))?;
    let result = |answered: EvaluatedSystemAnswer| {
        let EvaluatedSystemAnswer { system, answer, model_error } = answered;
        let spelled = |places: &[CitedPlace]| {
            places.iter().take(MAX_KEPT_PLACES).map(ToString::to_string).collect()
        };
        CaseResult {
            suite: suite.name.clone(),
            case: case.id.clone(),
            repo: case.repo.clone(),
            language: case.language.clone(),
            category: case.category.clone(),
            system,
            repeat,
            key: key(case, system, answerer.key()),
            scores: answer_score::score(case, &answer, &referenced_files(&workspace, &answer)),
            places: spelled(&answer.places),
            ranked: answer.ranked.as_deref().map(spelled).unwrap_or_default(),
            model_error,
        }
    };
    let problems = response.problems.into_iter();
    let problems = problems.map(|failure| suite.problem(failure.kind, case, failure.message));
    Ok((response.answers.into_iter().map(result).collect(), problems.collect()))
}

/// Returns the files of the checkout that an answer refers to.
fn referenced_files(workspace: &Workspace, answer: &ScorableAnswer) -> BTreeMap<String, TextFile> {
    let paths: BTreeSet<String> = answer.references().into_iter().map(|place| place.path).collect();
    paths
        .into_iter()
        .filter_map(|path| {
            let file = workspace.read(&workspace.normalize(&path).ok()?).ok()?;
            Some((path, file))
        })
        .collect()
}

fn key(case: &EvalCase, system: EvaluatedSystem, answerer_key: &str) -> String {
    // Every value of these types can be serialised. Otherwise results of different cases would still have different
    // keys.
    let text = serde_json::to_vec(&(case, system, answerer_key)).unwrap_or_default();
    blake3::hash(&text).to_hex()[..16].to_owned()
}
