//! Aggregates the scores of answers to the figures of a suite: estimates by score, averages by repository and by group,
//! calibration, and reason codes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::{
    evaluated_system::EvaluatedSystem,
    metric::Metric,
    metric_estimate::{MetricEstimate, ScoresByRepository, estimate, mean},
    run_suites::CaseResult,
};
use retriever_report::{Confidence, PlaceWidths};

/// Answers of one confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfidenceBucket {
    /// The confidence.
    pub confidence: Confidence,
    /// Answers.
    pub answers: usize,
    /// Mean share of the labels that their places hit; negative questions count as 0.
    pub held: f64,
}

/// The figures of one system on one suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteSummary {
    /// The suite.
    pub suite: String,
    /// The system.
    pub system: EvaluatedSystem,
    /// Distinct cases.
    pub cases: usize,
    /// How often each was asked.
    pub repeats: u32,
    /// Figures by score.
    pub metrics: BTreeMap<Metric, MetricEstimate>,
    /// Averages of a repository's cases over all repeats.
    pub repositories: BTreeMap<String, BTreeMap<Metric, f64>>,
    /// Figures by category and by language, of suites whose cases have categories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<MetricGroup>,
    /// Widths of the cited places, over all answers.
    pub widths: PlaceWidths,
    /// Calibration by confidence, the lowest first; without those that did not occur.
    pub calibration: Vec<ConfidenceBucket>,
    /// Number of answers with each reason code.
    pub codes: BTreeMap<String, usize>,
    /// Answers that were made without a model because it failed.
    pub model_failures: usize,
}

/// Figures of the cases of one category or language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricGroup {
    /// The category or language.
    pub name: String,
    /// Figures by score.
    pub metrics: BTreeMap<Metric, MetricEstimate>,
}

/// Returns the figures of the results of one suite and system.
pub fn summarize(suite: &str, system: EvaluatedSystem, results: &[CaseResult]) -> SuiteSummary {
    let results: Vec<&CaseResult> =
        results.iter().filter(|result| result.suite == suite && result.system == system).collect();
    let repeats = results.iter().map(|result| result.repeat + 1).max().unwrap_or_default();
    let mut metrics = BTreeMap::new();
    let mut repositories: BTreeMap<String, BTreeMap<Metric, f64>> = BTreeMap::new();
    for metric in Metric::VARIANTS {
        let samples = samples_of(*metric, &results);
        if samples.is_empty() {
            continue;
        }
        metrics.insert(*metric, estimate(&samples, repeats));
        for (repo, cases) in &samples {
            let values: Vec<f64> = cases
                .values()
                .map(|values| mean(&values.values().copied().collect::<Vec<_>>()))
                .collect();
            repositories.entry((*repo).to_owned()).or_default().insert(*metric, mean(&values));
        }
    }
    let mut codes = BTreeMap::new();
    for reason in results.iter().flat_map(|result| &result.scores.reasons) {
        *codes.entry(reason.clone()).or_default() += 1;
    }
    let mut ids: Vec<&str> = results.iter().map(|result| result.case.as_str()).collect();
    ids.dedup();
    SuiteSummary {
        suite: suite.to_owned(),
        system,
        cases: ids.len(),
        repeats,
        metrics,
        repositories,
        groups: groups(&results, repeats),
        widths: PlaceWidths::of(
            results.iter().flat_map(|result| result.scores.widths.iter().copied()),
        ),
        calibration: calibration(&results),
        codes,
        model_failures: results.iter().filter(|result| result.model_error.is_some()).count(),
    }
}

fn samples_of<'a>(metric: Metric, results: &[&'a CaseResult]) -> ScoresByRepository<'a> {
    let mut samples = ScoresByRepository::new();
    for result in results {
        if let Some(value) = result.scores.get(metric) {
            let cases = samples.entry(&result.repo).or_default();
            cases.entry(&result.case).or_default().insert(result.repeat, value);
        }
    }
    samples
}

/// Returns the figures by category, then by language, of the results that have a category.
fn groups(results: &[&CaseResult], repeats: u32) -> Vec<MetricGroup> {
    type Name = fn(&CaseResult) -> Option<&String>;
    let names: [Name; 2] = [|result| result.category.as_ref(), |result| result.language.as_ref()];
    let mut groups = Vec::new();
    for name in names {
        let mut by_name: BTreeMap<&String, Vec<&CaseResult>> = BTreeMap::new();
        for result in results.iter().filter(|result| result.category.is_some()) {
            if let Some(name) = name(result) {
                by_name.entry(name).or_default().push(result);
            }
        }
        groups.extend(by_name.into_iter().map(|(name, results)| {
            let samples = Metric::VARIANTS.iter().map(|it| (*it, samples_of(*it, &results)));
            let metrics = samples
                .filter(|(_, samples)| !samples.is_empty())
                .map(|(metric, samples)| (metric, estimate(&samples, repeats)));
            MetricGroup { name: name.clone(), metrics: metrics.collect() }
        }));
    }
    groups
}

fn calibration(results: &[&CaseResult]) -> Vec<ConfidenceBucket> {
    let bucket = |confidence: &Confidence| {
        let held: Vec<f64> = results
            .iter()
            .filter(|result| result.scores.confidence == Some(*confidence))
            .map(|result| result.scores.held)
            .collect();
        (!held.is_empty()).then(|| ConfidenceBucket {
            confidence: *confidence,
            answers: held.len(),
            held: mean(&held),
        })
    };
    Confidence::VARIANTS.iter().filter_map(bucket).collect()
}
