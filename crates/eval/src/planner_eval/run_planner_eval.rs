//! Asks the questions of a suite in every arm, and keeps the answers.

use super::planner_score;
use super::{planner_metric::PlannerMetric, transcript::MainAgentTranscript};
use crate::{
    evaluated_system::{EvalRequest, EvaluatedSystem, EvaluatedSystemRunner},
    run_suites::{CaseWithCheckout, EvalPlan},
    suite::{SuiteProblem, SuiteProblemKind},
};
use futures::{
    future::BoxFuture,
    stream::{self, StreamExt},
};
use retriever_report::{CodeMap, Confidence, RecommendedAction};
use retriever_search::Question;
use retriever_workspace::{UnknownVariant, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};
use strum::{AsRefStr, Display, EnumString, VariantArray};

/// What the main agent has besides its question and `grep`, `glob` and `read`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<PlannerArm>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlannerArm {
    /// Nothing.
    WithoutMap,
    /// The map of an `ask`.
    WithMap,
    /// The tool `explore`.
    WithExplore,
}

impl PlannerArm {
    /// Returns the name of the arm in tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::WithoutMap => "alone",
            Self::WithMap => "with map",
            Self::WithExplore => "with explore",
        }
    }
}

/// One question for the main agent.
#[derive(Clone, Copy)]
pub struct PlannerTask<'a> {
    /// The question.
    pub question: &'a Question,
    /// The checkout of the question.
    pub workspace: &'a Arc<Workspace>,
    /// The folder of the checkout.
    pub checkout: &'a Path,
    /// The map that the agent receives first.
    pub map: Option<&'a CodeMap>,
    /// Whether the agent has `explore`.
    pub explores: bool,
}

/// An agent that answers with a map, with `explore`, or alone.
pub trait MainAgent {
    /// Its name in results.
    fn name(&self) -> &str;

    /// Answers a question.
    ///
    /// # Errors
    ///
    /// A fragment of a sentence, when the agent couldn't work at all. A model that fails is part of the transcript.
    fn answer<'a>(
        &'a self,
        task: PlannerTask<'a>,
    ) -> BoxFuture<'a, Result<MainAgentTranscript, String>>;
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
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// The arm.
    pub arm: PlannerArm,
    /// The figures that apply.
    pub values: BTreeMap<PlannerMetric, f64>,
    /// The calls of the main agent, in order.
    pub calls: Vec<String>,
    /// The answer; `None` when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The map that it received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<MapSummary>,
    /// The model's failure, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_error: Option<String>,
}

/// A short form of a map, with its cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapSummary {
    /// Its confidence.
    pub confidence: Confidence,
    /// The recommended action.
    pub action: RecommendedAction,
    /// Estimated tokens of the map.
    pub report_tokens: u64,
    /// Estimated tokens that were read for it, outside of the main agent's context.
    pub observed_tokens: u64,
    /// Cost of the map, when prices are configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl MapSummary {
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

/// Runs `plan` in `arms`: `answerer` makes the maps and `agent` receives them. `on_progress` receives the numbers of
/// questions that were asked and that will be asked.
pub async fn run(
    plan: &EvalPlan<'_>,
    arms: &BTreeSet<PlannerArm>,
    answerer: &dyn EvaluatedSystemRunner,
    agent: &dyn MainAgent,
    mut on_progress: impl FnMut(usize, usize),
) -> (Vec<PlannerResult>, Vec<SuiteProblem>) {
    let mut problems = Vec::new();
    let located = plan.locate(&mut problems);
    let mut units = Vec::new();
    for (number, at) in located.iter().enumerate() {
        for repeat in 0..plan.repeats.max(1) {
            let unit = Unit { plan, arms, answerer, agent, located: at, repeat };
            units.push(async move { (number, repeat, unit.run().await) });
        }
    }
    let of = units.len();
    let mut answers = stream::iter(units).buffer_unordered(plan.jobs.max(1));
    let mut answered = Vec::new();
    while let Some(answer) = answers.next().await {
        answered.push(answer);
        on_progress(answered.len(), of);
    }
    answered.sort_by_key(|(number, repeat, _)| (*number, *repeat));
    let mut results = Vec::new();
    for (_, _, answer) in answered {
        match answer {
            Ok(of_arms) => results.extend(of_arms),
            Err(problem) => problems.push(problem),
        }
    }
    (results, problems)
}

/// A question to ask once more.
struct Unit<'a> {
    plan: &'a EvalPlan<'a>,
    arms: &'a BTreeSet<PlannerArm>,
    answerer: &'a dyn EvaluatedSystemRunner,
    agent: &'a dyn MainAgent,
    located: &'a CaseWithCheckout<'a>,
    repeat: u32,
}

impl Unit<'_> {
    async fn run(&self) -> Result<Vec<PlannerResult>, SuiteProblem> {
        let wants_map = self.arms.contains(&PlannerArm::WithMap);
        let map = if wants_map { Some(self.map().await?) } else { None };
        let CaseWithCheckout { case, checkout, .. } = self.located;
        let workspace = Arc::new(self.plan.open(checkout).map_err(|message| self.failed(message))?);
        let question = Question { intent: case.intent, ..Question::new(case.question.as_str()) };
        let mut results = Vec::new();
        for arm in self.arms {
            let task = PlannerTask {
                question: &question,
                workspace: &workspace,
                checkout,
                map: map.as_ref().filter(|_| *arm == PlannerArm::WithMap),
                explores: *arm == PlannerArm::WithExplore,
            };
            results.push(self.answer(*arm, task).await?);
        }
        Ok(results)
    }

    async fn map(&self) -> Result<CodeMap, SuiteProblem> {
        let CaseWithCheckout { suite, case, checkout } = self.located;
        let systems = BTreeSet::from([EvaluatedSystem::Retriever]);
        let request = EvalRequest::new(&suite.name, case, checkout, self.repeat, &systems);
        let response = self.answerer.answer(request).await;
        let response = response.map_err(|failure| self.failed(failure.message))?;
        let map = response.answers.into_iter().find_map(|answered| answered.answer.map);
        map.ok_or_else(|| self.failed("the retriever made no map".to_owned()))
    }

    async fn answer(
        &self,
        arm: PlannerArm,
        task: PlannerTask<'_>,
    ) -> Result<PlannerResult, SuiteProblem> {
        let transcript = self.agent.answer(task).await.map_err(|message| self.failed(message))?;
        let CaseWithCheckout { suite, case, .. } = self.located;
        Ok(PlannerResult {
            suite: suite.name.clone(),
            case: case.id.clone(),
            repo: case.repo.clone(),
            repeat: self.repeat,
            arm,
            values: planner_score::score(case, &transcript, task.map),
            calls: transcript.calls.iter().map(ToString::to_string).collect(),
            answer: transcript.answer.map(|answer| answer.to_string()),
            map: task.map.map(MapSummary::of),
            model_error: transcript.error,
        })
    }

    fn failed(&self, message: String) -> SuiteProblem {
        self.located.suite.problem(SuiteProblemKind::Failed, self.located.case, message)
    }
}
