//! The result of a planner eval: both sides of every figure, for programs (as JSON) and for people (as a table).

use std::{collections::BTreeMap, fmt::Write as _};

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::{PlannerArm, PlannerMetric, PlannerResult};
use crate::{
    compare::sign_test,
    metric::MetricDirection,
    suite::{Suite, SuiteProblem},
    summary::{MetricEstimate, Samples, estimate, median},
    text_table::{TableStyle, TextTable, dash, heading, item},
};

/// Version of the report's shape.
pub const PLANNER_REPORT_VERSION: u32 = 1;

/// One figure on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmComparison {
    /// With the map, where the figure applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_map: Option<MetricEstimate>,
    /// Without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_map: Option<MetricEstimate>,
    /// Cases that are better with the map, each by its median over the repeats.
    pub better: usize,
    /// Cases that are worse with it.
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
    /// Times that each was put.
    pub repeats: u32,
    /// Figures by name.
    pub metrics: BTreeMap<PlannerMetric, ArmComparison>,
    /// Maps by confidence and recommendation.
    pub maps: BTreeMap<String, usize>,
}

/// Everything that a planner eval found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannerReport {
    /// Version of this shape.
    pub version: u32,
    /// The main agent.
    pub planner: String,
    /// Who made the maps; `offline` for the built-in driver.
    pub retriever: String,
    /// Figures by suite.
    pub summaries: Vec<PlannerSummary>,
    /// What couldn't be run or scored as it is written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<SuiteProblem>,
    /// Every answer.
    pub results: Vec<PlannerResult>,
}

impl PlannerReport {
    /// Sums up.
    pub fn new(
        planner: &str,
        retriever: &str,
        suites: &[Suite],
        (results, problems): (Vec<PlannerResult>, Vec<SuiteProblem>),
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

    /// Writes the report for people.
    pub fn table(&self, style: TableStyle) -> String {
        let mut out = String::new();
        for summary in &self.summaries {
            let title = format!(
                "{}: {} with and without the maps of {}, {} cases",
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
    let mut table = TextTable::new(&["figure", "with map", "without", "better", "worse", "p"]);
    for (metric, sides) in &summary.metrics {
        let show = |side: &Option<MetricEstimate>| {
            side.as_ref().map_or_else(dash, |estimate| metric.show(estimate.value))
        };
        let mut row =
            vec![metric.label().to_owned(), show(&sides.with_map), show(&sides.without_map)];
        let judged = metric.better() != MetricDirection::Neither && sides.without_map.is_some();
        row.extend(if judged {
            [sides.better.to_string(), sides.worse.to_string(), format!("{:.3}", sides.p)]
        } else {
            [dash(), dash(), dash()]
        });
        table.rows.push(row);
    }
    table
}

fn summarize(suite: &str, results: &[PlannerResult]) -> PlannerSummary {
    let results: Vec<&PlannerResult> =
        results.iter().filter(|result| result.suite == suite).collect();
    let repeats = results.iter().map(|result| result.repeat + 1).max().unwrap_or_default();
    let mut metrics = BTreeMap::new();
    for metric in PlannerMetric::VARIANTS {
        let with = samples(&results, PlannerArm::WithMap, *metric);
        let without = samples(&results, PlannerArm::WithoutMap, *metric);
        if with.is_empty() && without.is_empty() {
            continue;
        }
        let side = |samples: &Samples<'_>| {
            let repeats = usize::try_from(repeats).unwrap_or(1);
            (!samples.is_empty()).then(|| estimate(samples, repeats))
        };
        let (better, worse) = compared(&with, &without, *metric);
        let sides = ArmComparison {
            with_map: side(&with),
            without_map: side(&without),
            better,
            worse,
            p: sign_test(better, worse),
        };
        metrics.insert(*metric, sides);
    }
    let mut maps = BTreeMap::new();
    for map in results.iter().filter_map(|result| result.map.as_ref()) {
        *maps.entry(format!("{} {}", map.confidence, map.action)).or_default() += 1;
    }
    let mut cases: Vec<&str> = results.iter().map(|result| result.case.as_str()).collect();
    cases.dedup();
    PlannerSummary { suite: suite.to_owned(), cases: cases.len(), repeats, metrics, maps }
}

fn samples<'a>(
    results: &[&'a PlannerResult],
    arm: PlannerArm,
    metric: PlannerMetric,
) -> Samples<'a> {
    let mut samples = Samples::new();
    for result in results.iter().filter(|result| result.arm == arm) {
        if let Some(value) = result.values.get(&metric) {
            let cases = samples.entry(&result.repo).or_default();
            cases.entry(&result.case).or_default().push(*value);
        }
    }
    samples
}

/// Cases that are better and worse with the map.
fn compared(with: &Samples<'_>, without: &Samples<'_>, metric: PlannerMetric) -> (usize, usize) {
    let sign = match metric.better() {
        MetricDirection::Higher => 1.0,
        MetricDirection::Lower => -1.0,
        MetricDirection::Neither => return (0, 0),
    };
    let mut gains = Vec::new();
    for (repo, cases) in with {
        for (case, values) in cases {
            if let Some(others) = without.get(repo).and_then(|cases| cases.get(case)) {
                gains.push(sign * (median(values.clone()) - median(others.clone())));
            }
        }
    }
    let count = |is: fn(f64) -> bool| gains.iter().filter(|gain| is(**gain)).count();
    (count(|gain| gain > 1e-9), count(|gain| gain < -1e-9))
}
