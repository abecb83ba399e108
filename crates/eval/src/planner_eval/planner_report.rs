//! The result of a planner eval: every figure in every arm, as JSON for programs and as a table for readers.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::{PlannerArm, PlannerMetric, PlannerResult};
use crate::{
    compare_runs::sign_test,
    metric::MetricDirection,
    metric_estimate::{MetricEstimate, ScoresByRepository, estimate, median},
    suite::{Suite, SuiteProblem},
    text_table::{TableStyle, TextTable, dash, heading, item},
};

/// Version of the report's shape.
pub const PLANNER_REPORT_VERSION: u32 = 2;

/// One figure in every arm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannerArmFigures {
    /// The arms that the figure applies to.
    pub arms: BTreeMap<PlannerArm, MetricEstimate>,
    /// The change by each aid against the agent alone, if the figure can improve.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub changes: BTreeMap<PlannerArm, PlannerArmDifference>,
}

/// A difference over the cases that both arms have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannerArmDifference {
    /// Value with the aid minus value alone. The interval is that of a paired bootstrap: repositories, cases and
    /// repeats are drawn, and both arms of each draw are compared.
    pub difference: MetricEstimate,
    /// Cases that are better with the aid, each by its median over the repeats.
    pub better: usize,
    /// Cases that are worse with the aid.
    pub worse: usize,
    /// Two-sided exact sign test over the cases that differ; 1 when none does.
    pub p: f64,
}

/// The figures of one suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannerSummary {
    /// The suite.
    pub suite: String,
    /// Distinct cases.
    pub cases: usize,
    /// How often each was asked.
    pub repeats: u32,
    /// Figures by name.
    pub metrics: BTreeMap<PlannerMetric, PlannerArmFigures>,
    /// Maps by confidence and recommendation.
    pub maps: BTreeMap<String, usize>,
}

/// The result of a planner eval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannerReport {
    /// Version of this report's shape.
    pub version: u32,
    /// The main agent.
    pub planner: String,
    /// The model of the maps; `offline` for the built-in driver.
    pub retriever: String,
    /// Figures by suite.
    pub summaries: Vec<PlannerSummary>,
    /// Cases that could not be run, or could not be scored as they are written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<SuiteProblem>,
    /// Every answer.
    pub results: Vec<PlannerResult>,
}

impl PlannerReport {
    /// Aggregates the results.
    pub fn new(
        planner: &str,
        retriever: &str,
        suites: &[Suite],
        results: Vec<PlannerResult>,
        problems: Vec<SuiteProblem>,
    ) -> Self {
        let summaries = suites.iter().map(|suite| summarize(&suite.name, &results));
        Self {
            version: PLANNER_REPORT_VERSION,
            planner: planner.to_owned(),
            retriever: retriever.to_owned(),
            summaries: summaries.filter(|summary| summary.cases > 0).collect(),
            problems,
            results,
        }
    }

    /// Writes the report as tables.
    pub fn table(&self, style: TableStyle) -> String {
        let mut out = String::new();
        for summary in &self.summaries {
            let title = format!(
                "{}: {} alone and with the help of {}, {} cases",
                summary.suite, self.planner, self.retriever, summary.cases
            );
            let _ = writeln!(out, "{}", heading(&title, style));
            table(summary).write(&mut out, style);
            let mut maps = TextTable::new(&["map", "cases"]);
            let rows = summary.maps.iter().map(|(map, count)| vec![map.clone(), count.to_string()]);
            maps.rows.extend(rows);
            out.push('\n');
            maps.write(&mut out, style);
            out.push('\n');
        }
        for problem in &self.problems {
            let _ = writeln!(out, "{}", item(&problem.to_string(), style));
        }
        out
    }
}

fn table(summary: &PlannerSummary) -> TextTable {
    let arms = summary.metrics.values().flat_map(|figures| figures.arms.keys().copied());
    let arms: BTreeSet<PlannerArm> = arms.collect();
    let mut head = vec!["figure"];
    for arm in &arms {
        head.push(arm.label());
        if *arm != PlannerArm::WithoutMap {
            head.extend(["change [95 %]", "better, worse", "p"]);
        }
    }
    let mut table = TextTable::new(&head);
    for (metric, figures) in &summary.metrics {
        let mut row = vec![metric.label().to_owned()];
        for arm in &arms {
            let estimate = figures.arms.get(arm);
            row.push(estimate.map_or_else(dash, |estimate| metric.show(estimate.value)));
            if *arm != PlannerArm::WithoutMap {
                row.extend(change_cells(*metric, figures.changes.get(arm)));
            }
        }
        table.rows.push(row);
    }
    table
}

fn change_cells(metric: PlannerMetric, change: Option<&PlannerArmDifference>) -> [String; 3] {
    let Some(PlannerArmDifference { difference, better, worse, p }) = change else {
        return [dash(), dash(), dash()];
    };
    let [value, low, high] =
        [difference.value, difference.low, difference.high].map(|it| metric.show_change(it));
    [format!("{value} [{low}, {high}]"), format!("{better}, {worse}"), format!("{p:.3}")]
}

fn summarize(suite: &str, results: &[PlannerResult]) -> PlannerSummary {
    let results: Vec<&PlannerResult> =
        results.iter().filter(|result| result.suite == suite).collect();
    let repeats = results.iter().map(|result| result.repeat + 1).max().unwrap_or_default();
    let mut metrics = BTreeMap::new();
    for metric in PlannerMetric::VARIANTS {
        let figures = figures(&results, repeats, *metric);
        if !figures.arms.is_empty() {
            metrics.insert(*metric, figures);
        }
    }
    let mut maps = BTreeMap::new();
    for map in results.iter().filter_map(|result| result.map.as_ref()) {
        *maps.entry(format!("{} {}", map.confidence, map.action)).or_default() += 1;
    }
    let mut cases: Vec<&str> = results.iter().map(|result| result.case.as_str()).collect();
    cases.dedup();
    PlannerSummary { suite: suite.to_owned(), cases: cases.len(), repeats, metrics, maps }
}

/// Returns a figure in every arm, and its change by each aid.
fn figures(results: &[&PlannerResult], repeats: u32, metric: PlannerMetric) -> PlannerArmFigures {
    let mut figures = PlannerArmFigures::default();
    let alone = samples(results, PlannerArm::WithoutMap, metric);
    for arm in PlannerArm::VARIANTS {
        let of_arm = samples(results, *arm, metric);
        if of_arm.is_empty() {
            continue;
        }
        figures.arms.insert(*arm, estimate(&of_arm, repeats));
        let differences = differences(&of_arm, &alone);
        let is_judged = metric.better() != MetricDirection::Neither;
        if *arm != PlannerArm::WithoutMap && is_judged && !differences.is_empty() {
            figures.changes.insert(*arm, change(&differences, repeats, metric));
        }
    }
    figures
}

fn samples<'a>(
    results: &[&'a PlannerResult],
    arm: PlannerArm,
    metric: PlannerMetric,
) -> ScoresByRepository<'a> {
    let mut samples = ScoresByRepository::new();
    for result in results.iter().filter(|result| result.arm == arm) {
        if let Some(value) = result.values.get(&metric) {
            let cases = samples.entry(&result.repo).or_default();
            cases.entry(&result.case).or_default().insert(result.repeat, *value);
        }
    }
    samples
}

/// Returns the differences of the repeats that both arms have.
fn differences<'a>(
    with: &ScoresByRepository<'a>,
    alone: &ScoresByRepository<'a>,
) -> ScoresByRepository<'a> {
    let mut differences = ScoresByRepository::new();
    for (repo, cases) in with {
        for (case, values) in cases {
            if let Some(others) = alone.get(repo).and_then(|cases| cases.get(case)) {
                let both = values
                    .iter()
                    .filter_map(|(repeat, value)| Some((*repeat, value - others.get(repeat)?)));
                let both: BTreeMap<u32, f64> = both.collect();
                if !both.is_empty() {
                    differences.entry(repo).or_default().insert(case, both);
                }
            }
        }
    }
    differences
}

fn change(
    differences: &ScoresByRepository<'_>,
    repeats: u32,
    metric: PlannerMetric,
) -> PlannerArmDifference {
    let sign = if metric.better() == MetricDirection::Lower { -1.0 } else { 1.0 };
    let of_cases = differences.values().flat_map(BTreeMap::values);
    let gains: Vec<f64> =
        of_cases.map(|values| sign * median(values.values().copied().collect())).collect();
    let count = |is: fn(f64) -> bool| gains.iter().filter(|gain| is(**gain)).count();
    let (better, worse) = (count(|gain| gain > 1e-9), count(|gain| gain < -1e-9));
    PlannerArmDifference {
        difference: estimate(differences, repeats),
        better,
        worse,
        p: sign_test(better, worse),
    }
}
