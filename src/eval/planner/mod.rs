//! What a code map is worth to the agent that gets it: a main agent with `grep`, `glob` and `read` answers every question
//! twice, once with the map of an `ask` before it and once without, and what each answer cost and cites is compared. The main
//! agent is any chat model, or a program (`scripted`).

mod metric;
mod report;
mod score;
mod scripted;
mod talk;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use futures::stream::{self, StreamExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use self::talk::Talk;
use super::{
    run::{self, Plan},
    suite::{Case, Problem, ProblemKind, Suite},
    system::{self, System},
};
use crate::{config::Prices, model::ChatModel};
use retriever_report::{Action, CodeMap, Confidence};
use retriever_search::Question;
use retriever_workspace::UnknownVariant;

pub use self::{
    metric::PlannerMetric,
    report::{PLANNER_REPORT_VERSION, PlannerReport, PlannerSummary, Sides},
};

/// What the main agent begins with.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<Arm>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arm {
    /// The map of an `ask`.
    WithMap,
    /// The question alone.
    WithoutMap,
}

/// Who answers with the map, or without it.
#[derive(Clone)]
pub enum MainAgent {
    /// A chat model. What it is charged is reckoned at these prices.
    Model(Arc<dyn ChatModel>, Prices),
    /// The program described at [`MainAgent::name`].
    Scripted,
}

impl MainAgent {
    /// Its name in results. `scripted` follows the map's recommendation to the letter; without a map, or when the map sends it
    /// nowhere, it greps the question's heaviest words, reads around the densest hits, and cites what it has read.
    pub fn name(&self) -> &str {
        match self {
            Self::Model(model, _) => model.name(),
            Self::Scripted => "scripted",
        }
    }
}

/// What is to be run. Suites, checkouts, repeats, jobs and the configuration are those of `asks`, which also says who makes
/// the maps; its budget is that of the main agent, too.
pub struct PlannerPlan<'a> {
    /// How maps are made, and for which questions.
    pub asks: Plan<'a>,
    /// Who gets them.
    pub agent: MainAgent,
}

/// One answer of the main agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannerResult {
    /// The suite.
    pub suite: String,
    /// The case.
    pub case: String,
    /// Its repository.
    pub repo: String,
    /// 0 for the first time that the question was put.
    pub repeat: u32,
    /// With the map or without.
    pub arm: Arm,
    /// The figures that apply.
    pub values: BTreeMap<PlannerMetric, f64>,
    /// The calls of the main agent, in order.
    pub calls: Vec<String>,
    /// What it answered; `None` when it came to no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The map that it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<MapGiven>,
    /// Why the model failed, when it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_error: Option<String>,
}

/// A map in a few words, and what it had cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapGiven {
    /// Its confidence.
    pub confidence: Confidence,
    /// What it recommends.
    pub action: Action,
    /// Estimated tokens of the map.
    pub report_tokens: u64,
    /// Estimated tokens that were read for it, outside of the main agent's context.
    pub observed_tokens: u64,
    /// Cost of making it, when prices are configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl MapGiven {
    fn of(map: &CodeMap) -> Self {
        Self {
            confidence: map.confidence,
            action: map.recommended_primary_action,
            report_tokens: map.meta.report_tokens,
            observed_tokens: map.meta.observed_tokens,
            cost: map.meta.cost,
        }
    }
}

/// Runs `plan`; `told` gets the number of questions put and to put.
pub async fn run(
    plan: &PlannerPlan<'_>,
    mut told: impl FnMut(usize, usize),
) -> (Vec<PlannerResult>, Vec<Problem>) {
    let mut problems: Vec<Problem> =
        plan.asks.suites.iter().flat_map(|suite| suite.problems.iter().cloned()).collect();
    let mut places = Vec::new();
    for (number, suite) in plan.asks.suites.iter().enumerate() {
        for (line, case) in suite.cases.iter().enumerate() {
            match run::look_up(&plan.asks, suite, case) {
                Ok((folder, misfits)) => {
                    problems.extend(misfits);
                    places.push(((number, line), suite, case, folder));
                }
                Err(problem) => problems.push(problem),
            }
        }
    }
    let mut units = Vec::new();
    for (at, suite, case, folder) in &places {
        for repeat in 0..plan.asks.repeats.max(1) {
            units.push(async move { (*at, repeat, put(plan, suite, case, folder, repeat).await) });
        }
    }
    let of = units.len();
    let mut answers = stream::iter(units).buffer_unordered(plan.asks.jobs.max(1));
    let mut answered = Vec::new();
    while let Some(answer) = answers.next().await {
        answered.push(answer);
        told(answered.len(), of);
    }
    answered.sort_by_key(|(at, repeat, _)| (*at, *repeat));
    let mut results = Vec::new();
    for (_, _, answer) in answered {
        match answer {
            Ok(both) => results.extend(both),
            Err(problem) => problems.push(problem),
        }
    }
    (results, problems)
}

async fn put(
    plan: &PlannerPlan<'_>,
    suite: &Suite,
    case: &Case,
    checkout: &Path,
    repeat: u32,
) -> Result<[PlannerResult; 2], Problem> {
    let failed = |message: String| Problem {
        kind: ProblemKind::Failed,
        suite: suite.name.clone(),
        place: suite.name.clone(),
        case: Some(case.id.clone()),
        message,
    };
    let question = Question { intent: case.intent, ..Question::new(case.question.as_str()) };
    let systems = BTreeSet::from([System::Retriever]);
    let outputs = system::answer(&plan.asks.setup, checkout, &question, &systems)
        .await
        .map_err(|error| failed(error.to_string()))?;
    let map = outputs.into_iter().find_map(|output| output.answered.map);
    let map = map.ok_or_else(|| failed("the retriever made no map".to_owned()))?;
    let workspace = Arc::new(run::open(&plan.asks, checkout).map_err(&failed)?);
    let budget = plan.asks.setup.config.budget.resolve(0);
    let arm = async |arm: Arm, map: Option<&CodeMap>| {
        let talk = Talk::hold(&plan.agent, &workspace, &question, map, &budget).await;
        let talk = talk.map_err(|error| failed(error.to_string()))?;
        Ok(PlannerResult {
            suite: suite.name.clone(),
            case: case.id.clone(),
            repo: case.repo.clone(),
            repeat,
            arm,
            values: score::score(case, &talk, map, &plan.agent),
            calls: talk.calls.iter().map(ToString::to_string).collect(),
            answer: talk.answer.map(|answer| answer.all()),
            map: map.map(MapGiven::of),
            model_error: talk.error.map(|error| error.to_string()),
        })
    };
    Ok([arm(Arm::WithMap, Some(&map)).await?, arm(Arm::WithoutMap, None).await?])
}
