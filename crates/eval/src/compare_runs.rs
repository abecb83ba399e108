//! Compares two runs case by case: in how many cases each is better, and a sign test.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    evaluated_system::EvaluatedSystem,
    metric::{Metric, MetricDirection},
    metric_estimate::{mean, median},
    run_suites::CaseResult,
};

/// The change of a score against an earlier run, over the cases that both runs have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreChange {
    /// The suite.
    pub suite: String,
    /// The system.
    pub system: EvaluatedSystem,
    /// The score.
    pub metric: Metric,
    /// Cases that both runs have.
    pub cases: usize,
    /// Mean of now minus then over those cases; a run's value of a case is its median over repeats.
    pub delta: f64,
    /// Cases that are better now.
    pub better: usize,
    /// Cases that are worse now.
    pub worse: usize,
    /// Two-sided exact sign test over the cases that differ; 1 when none does.
    pub p: f64,
}

/// Compares `now` with `then`, for every score that can be better or worse, by suite, system and score.
pub fn compare(now: &[CaseResult], then: &[CaseResult]) -> Vec<ScoreChange> {
    let (now, then) = (by_case(now), by_case(then));
    let mut pairs: BTreeMap<(String, EvaluatedSystem, Metric), Vec<f64>> = BTreeMap::new();
    for ((suite, system, metric, case), value) in &now {
        let sign = match metric.better() {
            MetricDirection::Higher => 1.0,
            MetricDirection::Lower => -1.0,
            MetricDirection::Neither => continue,
        };
        let key = (suite.clone(), *system, *metric, case.clone());
        if let Some(before) = then.get(&key) {
            pairs
                .entry((suite.clone(), *system, *metric))
                .or_default()
                .push(sign * (value - before));
        }
    }
    pairs
        .into_iter()
        .map(|((suite, system, metric), gains)| {
            let better = gains.iter().filter(|gain| **gain > 1e-9).count();
            let worse = gains.iter().filter(|gain| **gain < -1e-9).count();
            let sign = if metric.better() == MetricDirection::Lower { -1.0 } else { 1.0 };
            ScoreChange {
                suite,
                system,
                metric,
                cases: gains.len(),
                // A sum of zeros may be a negative zero.
                delta: sign * mean(&gains) + 0.0,
                better,
                worse,
                p: sign_test(better, worse),
            }
        })
        .collect()
}

/// Returns the p-value of the two-sided exact sign test.
pub fn sign_test(better: usize, worse: usize) -> f64 {
    let n = better + worse;
    // ln of C(n, k) / 2^n, from k - 1 to k.
    let mut term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for k in 0..=better.min(worse) {
        if k > 0 {
            term += ((n - k + 1) as f64 / k as f64).ln();
        }
        tail += term.exp();
    }
    (2.0 * tail).min(1.0)
}

type Key = (String, EvaluatedSystem, Metric, String);

fn by_case(results: &[CaseResult]) -> BTreeMap<Key, f64> {
    let mut values: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
    for result in results {
        for (metric, value) in &result.scores.values {
            let key = (result.suite.clone(), result.system, *metric, result.case.clone());
            values.entry(key).or_default().push(*value);
        }
    }
    values.into_iter().map(|(key, values)| (key, median(values))).collect()
}
