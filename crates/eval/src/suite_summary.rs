//! From the scores of single answers to figures of a suite: macro-averages by repository, medians over repeats, bootstrap
//! intervals, calibration, and what was held against the maps. Deterministic: the bootstrap has a fixed seed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::{evaluated_system::EvaluatedSystem, metric::Metric, run_suites::CaseResult};
use retriever_report::{Confidence, PlaceWidthStats};

/// Resamples of the bootstrap.
const RESAMPLES: usize = 1_000;
const SEED: u64 = 0x5eed;
/// Bounds of the interval.
const LOW: f64 = 0.025;
const HIGH: f64 = 0.975;

/// A figure over all cases that it applies to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricEstimate {
    /// Median over the repeats of the average: the mean over repositories of the mean over a repository's cases.
    pub value: f64,
    /// Lower bound of the 95 % interval: 1,000 resamples, which draw repositories, then cases of each, then a repeat of each.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Cases that have the score.
    pub cases: usize,
}

/// Answers of one confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfidenceBucket {
    /// The confidence.
    pub confidence: Confidence,
    /// Answers.
    pub answers: usize,
    /// Mean share of what was asked for that their places hold; negative questions count as 0.
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
    /// Times that each was put.
    pub repeats: u32,
    /// Figures by score.
    pub metrics: BTreeMap<Metric, MetricEstimate>,
    /// Averages of a repository's cases over all repeats.
    pub repositories: BTreeMap<String, BTreeMap<Metric, f64>>,
    /// Figures by category and by language, of suites whose cases have categories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<MetricGroup>,
    /// Widths of what was cited, over all answers.
    pub widths: PlaceWidthStats,
    /// By confidence, least first; only what occurred.
    pub calibration: Vec<ConfidenceBucket>,
    /// Answers that a code was held against, by code.
    pub codes: BTreeMap<String, usize>,
    /// Answers that were made in spite of a failing model.
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

/// A score's values: repository, then case, then repeat.
pub(super) type ScoresByRepository<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Vec<f64>>>;

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
        metrics.insert(*metric, estimate(&samples, usize::try_from(repeats).unwrap_or(1)));
        for (repo, cases) in &samples {
            let values: Vec<f64> = cases.values().map(|repeats| mean(repeats)).collect();
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
        widths: PlaceWidthStats::of(
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
            cases.entry(&result.case).or_default().push(value);
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
            let repeats = usize::try_from(repeats).unwrap_or(1);
            let metrics = samples
                .filter(|(_, samples)| !samples.is_empty())
                .map(|(metric, samples)| (metric, estimate(&samples, repeats)));
            MetricGroup { name: name.clone(), metrics: metrics.collect() }
        }));
    }
    groups
}

pub(super) fn estimate(samples: &ScoresByRepository<'_>, repeats: usize) -> MetricEstimate {
    let by_repo: Vec<Vec<Vec<f64>>> =
        samples.values().map(|cases| cases.values().cloned().collect()).collect();
    let averages: Vec<f64> = (0..repeats.max(1))
        .map(|repeat| {
            // A case whose run failed in one repeat stands with its first value.
            let at = |values: &Vec<f64>| values.get(repeat).or(values.first()).copied();
            let of_repo =
                |cases: &Vec<Vec<f64>>| mean(&cases.iter().filter_map(at).collect::<Vec<_>>());
            mean(&by_repo.iter().map(of_repo).collect::<Vec<_>>())
        })
        .collect();
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut resampled: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let repository = |_| {
                let cases = &by_repo[random.usize(..by_repo.len())];
                let total: f64 = (0..cases.len())
                    .map(|_| {
                        let case = &cases[random.usize(..cases.len())];
                        case[random.usize(..case.len())]
                    })
                    .sum();
                total / cases.len() as f64
            };
            mean(&(0..by_repo.len()).map(repository).collect::<Vec<f64>>())
        })
        .collect();
    resampled.sort_by(f64::total_cmp);
    MetricEstimate {
        value: median(averages),
        low: quantile(&resampled, LOW),
        high: quantile(&resampled, HIGH),
        cases: samples.values().map(BTreeMap::len).sum(),
    }
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

pub(super) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The median; 0 of nothing.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.as_slice() {
        [] => 0.0,
        sorted if sorted.len() % 2 == 1 => sorted[middle],
        sorted => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let at = (share * last as f64).round() as usize;
    sorted.get(at).copied().unwrap_or_default()
}
