//! The result of an eval: as JSON for programs, and as a table, plain or as Markdown, for readers.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::{
    compare_runs::{ScoreChange, compare},
    evaluated_system::EvaluatedSystem,
    metric::{Metric, MetricDirection},
    metric_estimate::MetricEstimate,
    run_suites::{CaseResult, EvalOutcome},
    suite::{Suite, SuiteProblem},
    suite_summary::{SuiteSummary, summarize},
    text_table::{TableStyle, TextTable, dash, heading, item, paragraph},
};
use retriever_report::PlaceWidths;

/// Version of the report's shape.
pub const REPORT_VERSION: u32 = 1;
/// Scores that the table compares with baselines.
const COMPARED: &[Metric] = &[
    Metric::RoleRecall,
    Metric::FileRecallAt1,
    Metric::FileRecallAt5,
    Metric::FileRecallAt10,
    Metric::Mrr,
    Metric::NdcgAt10,
    Metric::FileF1,
    Metric::LineF1,
    Metric::NegativeOk,
    Metric::Fabricated,
    Metric::ReportTokens,
    Metric::ElapsedMs,
    Metric::SearchMs,
];
/// Scores that the table has for every repository.
const BY_REPOSITORY: &[Metric] = &[
    Metric::RoleRecall,
    Metric::FileRecallAt1,
    Metric::FileRecallAt5,
    Metric::FileRecallAt10,
    Metric::Mrr,
    Metric::NdcgAt10,
    Metric::FileF1,
    Metric::LineF1,
];
/// Scores that the table has for every category and language.
const BY_GROUP: &[Metric] = &[Metric::NdcgAt10, Metric::ElapsedMs, Metric::SearchMs];

type ShowWidths = fn(&PlaceWidths) -> String;
/// The statistics of the widths of places.
const WIDTHS: &[(&str, ShowWidths)] = &[
    ("cited width, median", |widths| format!("{:.0}", widths.median)),
    ("cited width, p90", |widths| widths.p90.to_string()),
    ("cited over 120 lines", |widths| format!("{:.3}", widths.over_120)),
];

/// The result of an eval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalReport {
    /// Version of this report's shape.
    pub version: u32,
    /// Name of the model; `offline` for the built-in driver.
    pub model: String,
    /// Figures by suite and system, suites in the order in which they were given.
    pub summaries: Vec<SuiteSummary>,
    /// The comparison with the baseline run, if there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ScoreChange>,
    /// Cases that could not be run, or could not be scored as they are written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<SuiteProblem>,
    /// Unknown keys of the suites, with the number of their uses.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown_keys: BTreeMap<String, u32>,
    /// The scores of every answer.
    pub results: Vec<CaseResult>,
}

impl EvalReport {
    /// Aggregates the results of a run of `suites`, and compares them with those of an earlier run.
    pub fn new(
        model: &str,
        suites: &[Suite],
        outcome: EvalOutcome,
        baseline: Option<&[CaseResult]>,
    ) -> Self {
        let mut unknown_keys = BTreeMap::new();
        let mut summaries = Vec::new();
        for suite in suites {
            for (key, count) in &suite.unknown_keys {
                *unknown_keys.entry(key.clone()).or_default() += count;
            }
            for system in EvaluatedSystem::VARIANTS {
                let summary = summarize(&suite.name, *system, &outcome.results);
                if summary.cases > 0 {
                    summaries.push(summary);
                }
            }
        }
        Self {
            version: REPORT_VERSION,
            model: model.to_owned(),
            summaries,
            changes: baseline.map(|then| compare(&outcome.results, then)).unwrap_or_default(),
            problems: outcome.problems,
            unknown_keys,
            results: outcome.results,
        }
    }

    /// Writes the report as tables.
    pub fn table(&self, style: TableStyle) -> String {
        let mut out = String::new();
        let main: Vec<&SuiteSummary> =
            self.summaries.iter().filter(|summary| summary.system == self.main()).collect();
        let _ =
            writeln!(out, "{}", heading(&format!("{}, model {}", self.main(), self.model), style));
        self.metrics(&main).write(&mut out, style);
        for (title, table) in [
            ("systems".to_owned(), self.systems()),
            (format!("{} by category and language", self.main()), groups(&main)),
            (format!("{} by repository", self.main()), repositories(&main)),
            (
                "calibration: share of what was asked for that the places hold".to_owned(),
                calibration(&main),
            ),
            ("held against maps (answers)".to_owned(), codes(&main)),
            ("against the baseline run (sign test over cases)".to_owned(), self.against()),
        ] {
            if !table.rows.is_empty() {
                let _ = writeln!(out, "\n{}", heading(&title, style));
                table.write(&mut out, style);
            }
        }
        if !self.unknown_keys.is_empty() {
            let keys: Vec<String> =
                self.unknown_keys.iter().map(|(key, count)| format!("{key} ({count})")).collect();
            let keys = format!("unknown keys of cases were ignored: {}", keys.join(", "));
            let _ = writeln!(out, "\n{}", paragraph(&keys, style));
        }
        if !self.problems.is_empty() {
            let _ = writeln!(out, "\n{}", heading("problems", style));
            for problem in &self.problems {
                let _ = writeln!(out, "{}", item(&problem.to_string(), style));
            }
        }
        out
    }

    /// Returns the main system of the tables: the first that ran.
    pub(super) fn main(&self) -> EvaluatedSystem {
        self.summaries
            .iter()
            .map(|summary| summary.system)
            .min()
            .unwrap_or(EvaluatedSystem::Retriever)
    }

    /// Returns a table of the suites side by side, each with its difference to the first.
    fn metrics(&self, main: &[&SuiteSummary]) -> TextTable {
        let mut table = TextTable::new(&["score"]);
        for (at, summary) in main.iter().enumerate() {
            let repositories = summary.repositories.len();
            table
                .head
                .push(format!("{} ({} cases, {repositories} repos)", summary.suite, summary.cases));
            if at > 0 {
                table.head.push("Δ".to_owned());
            }
        }
        for metric in Metric::VARIANTS {
            let of = |summary: &&SuiteSummary| summary.metrics.get(metric).copied();
            if !main.iter().any(|summary| of(summary).is_some()) {
                continue;
            }
            let first = main.first().and_then(of);
            let mut row = vec![metric.label().to_owned()];
            for (at, summary) in main.iter().enumerate() {
                row.push(of(summary).map_or_else(dash, |estimate| interval(*metric, &estimate)));
                if at > 0 {
                    row.push(of(summary).zip(first).map_or_else(dash, |(this, first)| {
                        signed(*metric, this.value - first.value)
                    }));
                }
            }
            table.rows.push(row);
        }
        for (label, show) in WIDTHS {
            let mut row = vec![(*label).to_owned()];
            for (at, summary) in main.iter().enumerate() {
                row.push(show(&summary.widths));
                if at > 0 {
                    row.push(String::new());
                }
            }
            table.rows.push(row);
        }
        table
    }

    fn systems(&self) -> TextTable {
        let mut table = TextTable::new(&["suite", "system"]);
        if self.summaries.iter().all(|summary| summary.system == self.main()) {
            return table;
        }
        table.head.extend(COMPARED.iter().map(|metric| metric.label().to_owned()));
        for summary in &self.summaries {
            let mut row = vec![summary.suite.clone(), summary.system.to_string()];
            row.extend(COMPARED.iter().map(|metric| {
                let estimate = summary.metrics.get(metric);
                estimate.map_or_else(dash, |estimate| metric.show(estimate.value))
            }));
            table.rows.push(row);
        }
        table
    }

    fn against(&self) -> TextTable {
        let mut table =
            TextTable::new(&["suite", "system", "score", "cases", "Δ", "better", "worse", "p"]);
        let telling = |change: &&ScoreChange| change.better + change.worse > 0;
        for change in self.changes.iter().filter(telling) {
            table.rows.push(vec![
                change.suite.clone(),
                change.system.to_string(),
                change.metric.label().to_owned(),
                change.cases.to_string(),
                signed(change.metric, change.delta),
                change.better.to_string(),
                change.worse.to_string(),
                format!("{:.3}", change.p),
            ]);
        }
        if table.rows.is_empty() && !self.changes.is_empty() {
            let cases = self.changes.iter().map(|change| change.cases).max().unwrap_or_default();
            let mut row = vec!["no case is better or worse".to_owned(); 1];
            row.extend(["", "", &cases.to_string(), "", "", "", ""].map(str::to_owned));
            table.rows.push(row);
        }
        table
    }
}

fn repositories(main: &[&SuiteSummary]) -> TextTable {
    let mut table = TextTable::new(&["suite", "repository"]);
    table.head.extend(BY_REPOSITORY.iter().map(|metric| metric.label().to_owned()));
    for summary in main {
        for (repo, metrics) in &summary.repositories {
            let mut row = vec![summary.suite.clone(), repo.clone()];
            row.extend(
                BY_REPOSITORY.iter().map(|metric| {
                    metrics.get(metric).map_or_else(dash, |value| metric.show(*value))
                }),
            );
            table.rows.push(row);
        }
    }
    table
}

fn groups(main: &[&SuiteSummary]) -> TextTable {
    let mut table = TextTable::new(&["suite", "category or language", "cases"]);
    table.head.extend(BY_GROUP.iter().map(|metric| metric.label().to_owned()));
    for (summary, group) in main.iter().flat_map(|it| it.groups.iter().map(move |of| (it, of))) {
        let cases = group.metrics.values().map(|estimate| estimate.cases).max();
        let cases = cases.unwrap_or_default().to_string();
        let mut row = vec![summary.suite.clone(), group.name.clone(), cases];
        row.extend(BY_GROUP.iter().map(|metric| {
            group.metrics.get(metric).map_or_else(dash, |figure| interval(*metric, figure))
        }));
        table.rows.push(row);
    }
    table
}

fn calibration(main: &[&SuiteSummary]) -> TextTable {
    let mut table = TextTable::new(&["suite", "confidence", "answers", "held"]);
    for summary in main {
        for bucket in &summary.calibration {
            table.rows.push(vec![
                summary.suite.clone(),
                bucket.confidence.to_string(),
                bucket.answers.to_string(),
                format!("{:.3}", bucket.held),
            ]);
        }
    }
    table
}

fn codes(main: &[&SuiteSummary]) -> TextTable {
    let mut table = TextTable::new(&["code"]);
    table.head.extend(main.iter().map(|summary| summary.suite.clone()));
    let mut codes: Vec<&String> = main.iter().flat_map(|summary| summary.codes.keys()).collect();
    codes.sort();
    codes.dedup();
    for code in codes {
        let mut row = vec![code.clone()];
        row.extend(
            main.iter()
                .map(|summary| summary.codes.get(code).copied().unwrap_or_default().to_string()),
        );
        table.rows.push(row);
    }
    table
}

/// Formats a figure with its interval.
fn interval(metric: Metric, figure: &MetricEstimate) -> String {
    let [value, low, high] = [figure.value, figure.low, figure.high].map(|it| metric.show(it));
    format!("{value} [{low}, {high}]")
}

/// Formats a difference with its sign; `*` marks a change for the worse.
fn signed(metric: Metric, delta: f64) -> String {
    let shown = metric.show(delta.abs());
    let is_zero = shown.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = match delta {
        _ if is_zero => "",
        delta if delta > 0.0 => "+",
        _ => "-",
    };
    let worse = match metric.better() {
        MetricDirection::Higher => delta < 0.0,
        MetricDirection::Lower => delta > 0.0,
        MetricDirection::Neither => false,
    };
    format!("{sign}{shown}{}", if worse && !is_zero { "*" } else { "" })
}
