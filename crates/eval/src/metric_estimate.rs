//! Estimates of a metric from the scores of single answers: macro-averages by repository, medians over repeats, bootstrap
//! intervals. Deterministic: the bootstrap has a fixed seed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Resamples of the bootstrap.
const RESAMPLES: usize = 1_000;
/// Seed of the bootstrap.
const SEED: u64 = 0x5eed;
/// Quantile of the lower bound of an interval.
const LOW: f64 = 0.025;
/// Quantile of the upper bound of an interval.
const HIGH: f64 = 0.975;

/// An estimate over all cases that the metric applies to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricEstimate {
    /// Median over the repeats of the average: the mean over repositories of the mean over a repository's cases.
    pub value: f64,
    /// Lower bound of the 95 % interval: 1,000 resamples, which draw repositories, then cases of each, then a repeat of each.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Number of cases with the score.
    pub cases: usize,
}

/// The values of a score: by repository, then case, then number of the repeat. A repeat that failed has none; a case has one.
pub(super) type ScoresByRepository<'a> = BTreeMap<&'a str, BTreeMap<&'a str, BTreeMap<u32, f64>>>;

/// Returns the estimate of one metric over `repeats` runs.
pub(super) fn estimate(samples: &ScoresByRepository<'_>, repeats: u32) -> MetricEstimate {
    let by_repo: Vec<Vec<&BTreeMap<u32, f64>>> =
        samples.values().map(|cases| cases.values().collect()).collect();
    let averages: Vec<f64> = (0..repeats.max(1))
        .map(|repeat| {
            // If this repeat of a case failed, the value of its first one that worked is used.
            let at = |values: &&BTreeMap<u32, f64>| {
                values.get(&repeat).or_else(|| values.values().next()).copied()
            };
            let of_repo = |cases: &Vec<_>| mean(&cases.iter().filter_map(at).collect::<Vec<_>>());
            mean(&by_repo.iter().map(of_repo).collect::<Vec<_>>())
        })
        .collect();
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut resampled: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let repository = |_| {
                let cases = &by_repo[random.usize(..by_repo.len())];
                let drawn = (0..cases.len()).filter_map(|_| {
                    let case = &cases[random.usize(..cases.len())];
                    case.values().nth(random.usize(..case.len()))
                });
                drawn.sum::<f64>() / cases.len() as f64
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

/// Returns the mean; 0 without values.
pub(super) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Returns the median; 0 without values.
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
