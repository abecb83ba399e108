//! The change by an aid compares the same repeats of both arms, also where some of them failed.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;
use retriever_eval::{
    Suite,
    planner_eval::{PlannerArm, PlannerMetric, PlannerReport, PlannerResult},
};

/// The results of one case in an arm: number of the repeat and value of a figure.
fn results(arm: PlannerArm, values: &[(u32, f64)]) -> Vec<PlannerResult> {
    let result = |(repeat, value): &(u32, f64)| PlannerResult {
        suite: "s".to_owned(),
        case: "c".to_owned(),
        repo: "r".to_owned(),
        repeat: *repeat,
        arm,
        values: BTreeMap::from([(PlannerMetric::Cited, *value)]),
        calls: Vec::new(),
        answer: None,
        map: None,
        model_error: None,
    };
    values.iter().map(result).collect()
}

#[test]
fn a_change_is_that_of_the_repeats_that_both_arms_have() {
    /// What both arms scored, and the estimate with the map and of the change.
    struct Row {
        alone: &'static [(u32, f64)],
        with_map: &'static [(u32, f64)],
        value: f64,
        change: Option<f64>,
    }
    let suite = Suite {
        name: "s".to_owned(),
        cases: Vec::new(),
        problems: Vec::new(),
        unknown_keys: BTreeMap::new(),
    };
    for row in [
        // The first repeat with the map failed: the others are as they are alone.
        Row {
            alone: &[(0, 0.0), (1, 0.5), (2, 1.0)],
            with_map: &[(1, 0.5), (2, 1.0)],
            value: 0.5,
            change: Some(0.0),
        },
        // Only the last is in both.
        Row {
            alone: &[(0, 0.75), (2, 0.25)],
            with_map: &[(1, 0.0), (2, 1.0)],
            value: 0.0,
            change: Some(0.75),
        },
        // None is in both.
        Row { alone: &[(0, 1.0)], with_map: &[(1, 0.5)], value: 0.5, change: None },
    ] {
        let mut both = results(PlannerArm::WithoutMap, row.alone);
        both.extend(results(PlannerArm::WithMap, row.with_map));
        let report =
            PlannerReport::new("p", "offline", std::slice::from_ref(&suite), both, Vec::new());
        let figures = &report.summaries[0].metrics[&PlannerMetric::Cited];
        assert_eq!(figures.arms[&PlannerArm::WithMap].value, row.value);
        let change = figures.changes.get(&PlannerArm::WithMap);
        assert_eq!(change.map(|change| change.difference.value), row.change);
    }
}
