//! Running suites: finds every checkout first, then puts the questions, several at a time, and scores what comes back. What
//! an interrupted run has finished is handed in and not done again.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use futures::stream::{self, StreamExt};
use serde::{Deserialize, Serialize};

use super::{
    checkout::{self, CheckoutError, CommitPolicy},
    score::{self, Answered, Cited, Scores},
    suite::{Case, Problem, ProblemKind, Suite},
    system::{self, Output, Setup, System},
    tapes::Tapes,
};
use retriever_search::Question;
use retriever_workspace::{TextFile, Workspace};

/// Ranked places that a result keeps, for people who want to know why.
const KEPT: usize = 10;

/// What is to be run.
pub struct Plan<'a> {
    /// The suites; the first is the one that the others are compared with.
    pub suites: &'a [Suite],
    /// The folder of checkouts.
    pub corpora: &'a Path,
    /// How strictly commits are taken.
    pub commits: CommitPolicy,
    /// What is measured.
    pub systems: BTreeSet<System>,
    /// How often every question is put, at least once.
    pub repeats: u32,
    /// Questions at a time, at least one. Latencies are only comparable between runs with the same number.
    pub jobs: usize,
    /// Configuration and model.
    pub setup: Setup,
    /// Whether conversations are recorded or replayed.
    pub tapes: Tapes,
    /// Stands for what else decides an answer: the program's build.
    pub fingerprint: String,
}

/// The score of one answer, and enough of the answer to see why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The suite.
    pub suite: String,
    /// The case.
    pub case: String,
    /// Its repository.
    pub repo: String,
    /// The system.
    pub system: System,
    /// 0 for the first time that the question was put.
    pub repeat: u32,
    /// Hash of case, configuration, model and program: a result with another key is of another experiment.
    pub key: String,
    /// The scores.
    pub scores: Scores,
    /// The places of the map, in its order.
    pub places: Vec<String>,
    /// The best ranked places, at most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranked: Vec<String>,
    /// The model's failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_error: Option<String>,
}

/// What a run gives.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// By suite, case, system and repeat, in the order of the suites.
    pub results: Vec<CaseResult>,
    /// What couldn't be run or scored as it is written, in the same order, those of the suites' files first.
    pub problems: Vec<Problem>,
}

/// Something that happened while running.
pub enum Progress<'a> {
    /// A question was answered and scored.
    Scored(&'a CaseResult),
    /// All answers to one putting of a question are there.
    Done {
        /// Questions put so far.
        done: usize,
        /// Questions to put.
        of: usize,
    },
}

/// One putting of a question.
struct Unit<'a> {
    suite: &'a Suite,
    case: &'a Case,
    checkout: &'a Path,
    repeat: u32,
    systems: BTreeSet<System>,
}

/// Runs `plan`. `finished` is what an earlier, interrupted run has told; only what belongs to this plan is taken over.
pub async fn run(
    plan: &Plan<'_>,
    finished: Vec<CaseResult>,
    mut told: impl FnMut(Progress<'_>),
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut places: Vec<(&Suite, &Case, PathBuf)> = Vec::new();
    for suite in plan.suites {
        outcome.problems.extend(suite.problems.iter().cloned());
    }
    for suite in plan.suites {
        for case in &suite.cases {
            match look_up(plan, suite, case) {
                Ok((folder, misfits)) => {
                    outcome.problems.extend(misfits);
                    places.push((suite, case, folder));
                }
                Err(problem) => outcome.problems.push(problem),
            }
        }
    }
    let mut units = Vec::new();
    for (suite, case, checkout) in &places {
        for repeat in 0..plan.repeats.max(1) {
            let mut systems = plan.systems.clone();
            for result in &finished {
                let same = result.suite == suite.name
                    && result.case == case.id
                    && result.repeat == repeat
                    && result.key == key(plan, case, result.system);
                if same && systems.remove(&result.system) {
                    outcome.results.push(result.clone());
                }
            }
            if !systems.is_empty() {
                units.push(Unit { suite, case, checkout, repeat, systems });
            }
        }
    }
    let of = units.len();
    let mut answers =
        stream::iter(units).map(|unit| put(plan, unit)).buffer_unordered(plan.jobs.max(1));
    let mut done = 0;
    while let Some(answered) = answers.next().await {
        match answered {
            Ok((results, troubles)) => {
                outcome.problems.extend(troubles);
                results.iter().for_each(|result| told(Progress::Scored(result)));
                outcome.results.extend(results);
            }
            Err(problem) => outcome.problems.push(problem),
        }
        done += 1;
        told(Progress::Done { done, of });
    }
    let order: BTreeMap<(&str, &str), usize> = plan
        .suites
        .iter()
        .flat_map(|suite| suite.cases.iter().map(|case| (suite.name.as_str(), case.id.as_str())))
        .zip(0..)
        .collect();
    let at = |suite: &str, case: &str| order.get(&(suite, case)).copied();
    outcome
        .results
        .sort_by_key(|result| (at(&result.suite, &result.case), result.system, result.repeat));
    // Questions end in any order; what was wrong before they were put comes first.
    let (mut late, early): (Vec<_>, Vec<_>) = outcome
        .problems
        .into_iter()
        .partition(|problem| matches!(problem.kind, ProblemKind::Cassette | ProblemKind::Failed));
    late.sort_by_key(|problem| at(&problem.suite, problem.case.as_deref().unwrap_or_default()));
    outcome.problems = early.into_iter().chain(late).collect();
    outcome
}

pub(super) fn look_up(
    plan: &Plan<'_>,
    suite: &Suite,
    case: &Case,
) -> Result<(PathBuf, Vec<Problem>), Problem> {
    let problem = |kind, message| Problem {
        kind,
        suite: suite.name.clone(),
        place: suite.name.clone(),
        case: Some(case.id.clone()),
        message,
    };
    let folder = checkout::find(plan.corpora, case, plan.commits).map_err(|error| {
        let kind = match error {
            CheckoutError::Missing { .. } => ProblemKind::NoCheckout,
            CheckoutError::WrongCommit { .. } => ProblemKind::WrongCommit,
        };
        problem(kind, error.to_string())
    })?;
    let workspace = open(plan, &folder).map_err(|error| problem(ProblemKind::NoCheckout, error))?;
    let misfits = checkout::misfits(case, &workspace).into_iter();
    let misfits = misfits.map(|misfit| problem(ProblemKind::BadLabel, misfit)).collect();
    Ok((folder, misfits))
}

pub(super) fn open(plan: &Plan<'_>, folder: &Path) -> Result<Workspace, String> {
    let config = &plan.setup.config;
    Workspace::open(folder, &config.workspace, &config.traits).map_err(|error| error.to_string())
}

/// Puts one question to the systems that have not answered it yet. Beside the results stands what is wrong with cassettes.
async fn put(plan: &Plan<'_>, unit: Unit<'_>) -> Result<(Vec<CaseResult>, Vec<Problem>), Problem> {
    let Unit { suite, case, checkout, repeat, systems } = unit;
    let problem = |kind, message: String| Problem {
        kind,
        suite: suite.name.clone(),
        place: suite.name.clone(),
        case: Some(case.id.clone()),
        message,
    };
    let question = Question { intent: case.intent, ..Question::new(case.question.as_str()) };
    let (mut outputs, mut troubles) = (Vec::new(), Vec::new());
    // The baseline with a model of its own has a cassette of its own.
    let (bare, main): (BTreeSet<_>, BTreeSet<_>) =
        systems.into_iter().partition(|system| *system == System::GrepOnly);
    for (system, systems) in [(System::Retriever, main), (System::GrepOnly, bare)] {
        if systems.is_empty() {
            continue;
        }
        let asks = systems.iter().any(|system| *system != System::Bm25);
        let path = asks.then(|| plan.tapes.path(&suite.name, &case.id, system, repeat)).flatten();
        let tape = plan
            .tapes
            .insert(plan.setup.model.as_ref(), path)
            .map_err(|message| problem(ProblemKind::Cassette, message))?;
        let setup = Setup { model: tape.model(), ..plan.setup.clone() };
        let answered = system::answer(&setup, checkout, &question, &systems).await;
        outputs.extend(answered.map_err(|error| problem(ProblemKind::Failed, error.to_string()))?);
        troubles.extend(tape.trouble().map(|message| problem(ProblemKind::Cassette, message)));
    }
    let workspace =
        open(plan, checkout).map_err(|message| problem(ProblemKind::Failed, message))?;
    let result = |output: Output| {
        let files = referenced(&workspace, &output.answered);
        let spelled = |places: &[Cited]| places.iter().take(KEPT).map(spell).collect();
        CaseResult {
            suite: suite.name.clone(),
            case: case.id.clone(),
            repo: case.repo.clone(),
            system: output.system,
            repeat,
            key: key(plan, case, output.system),
            scores: score::score(case, &output.answered, &files),
            places: spelled(&output.answered.places),
            ranked: output.answered.ranked.as_deref().map(spelled).unwrap_or_default(),
            model_error: output.model_error.map(|error| error.to_string()),
        }
    };
    Ok((outputs.into_iter().map(result).collect(), troubles))
}

fn spell(cited: &Cited) -> String {
    match cited.range {
        Some(range) => format!("{}:{range}", cited.path),
        None => cited.path.clone(),
    }
}

/// The files of the checkout that an answer refers to.
fn referenced(workspace: &Workspace, answered: &Answered) -> BTreeMap<String, TextFile> {
    let paths: BTreeSet<String> =
        answered.references().into_iter().map(|cited| cited.path).collect();
    paths
        .into_iter()
        .filter_map(|path| {
            let file = workspace.read(&workspace.normalize(&path).ok()?).ok()?;
            Some((path, file))
        })
        .collect()
}

fn key(plan: &Plan<'_>, case: &Case, system: System) -> String {
    let model = plan.setup.model.as_ref().map(|model| model.name());
    let prompts = format!("{:?}", plan.setup.prompts);
    let tapes = format!("{:?}", plan.tapes);
    let parts = (case, system, &plan.setup.config, prompts, model, tapes, &plan.fingerprint);
    // Nothing in these types has no JSON; if one had, its results would share a key and still be told apart by case.
    let text = serde_json::to_vec(&parts).unwrap_or_default();
    blake3::hash(&text).to_hex()[..16].to_owned()
}
