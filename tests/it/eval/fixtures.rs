//! The suites that are checked in: they can be read, and the figures of the one over our own projects are those on record.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};
use strum::VariantArray;

use retriever::{
    Prompts,
    config::Config,
    eval::{CommitPolicy, Metric, Outcome, Plan, Setup, Suite, System, Tapes, run, summarize},
};

/// Scores that depend on how long something took, if only by the digits of the time in a map.
const UNSTEADY: &[Metric] = &[Metric::ElapsedMs, Metric::ReportTokens, Metric::Compression];

fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

/// What is checked in: the averages of every system, and what the retriever holds of every case.
fn figures(suite: &Suite, outcome: &Outcome) -> Value {
    let systems: BTreeMap<&str, BTreeMap<String, f64>> = System::VARIANTS
        .iter()
        .map(|system| {
            let summary = summarize(&suite.name, *system, &outcome.results);
            let steady = summary.metrics.iter().filter(|(metric, _)| !UNSTEADY.contains(metric));
            let values = steady
                .map(|(metric, estimate)| (metric.to_string(), rounded(estimate.value)))
                .collect();
            (system.as_ref(), values)
        })
        .collect();
    let retriever = outcome.results.iter().filter(|result| result.system == System::Retriever);
    let cases: BTreeMap<&str, Value> = retriever
        .map(|result| {
            let scores = &result.scores;
            let value = |metric| scores.get(metric).map(rounded);
            let line = json!({
                "role_recall": value(Metric::RoleRecall),
                "mrr": value(Metric::Mrr),
                "line_f1": value(Metric::LineF1),
                "negative_ok": value(Metric::NegativeOk),
            });
            (result.case.as_str(), line)
        })
        .collect();
    json!({ "systems": systems, "cases": cases })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_figures_of_the_fixtures_are_those_that_are_checked_in() {
    let evals = Path::new(env!("CARGO_MANIFEST_DIR")).join("evals");
    let text = fs::read_to_string(evals.join("suites/fixtures.jsonl")).unwrap();
    let suites = [Suite::parse("fixtures", "evals/suites/fixtures.jsonl", &text)];
    let plan = Plan {
        suites: &suites,
        corpora: &evals.join("fixtures"),
        commits: CommitPolicy::Exact,
        systems: System::VARIANTS.iter().copied().collect(),
        repeats: 1,
        jobs: 2,
        setup: Setup { config: Config::default(), prompts: Prompts::default(), model: None },
        tapes: Tapes::Off,
        fingerprint: String::new(),
    };
    let outcome = run(&plan, Vec::new(), |_| {}).await;
    assert_eq!(outcome.problems, [], "the suite and its labels are sound");
    for result in &outcome.results {
        let fabricated = result.scores.get(Metric::Fabricated);
        assert_eq!(fabricated, Some(0.0), "{} {}", result.case, result.system);
    }
    let fresh =
        format!("{}\n", serde_json::to_string_pretty(&figures(&suites[0], &outcome)).unwrap());
    let file = evals.join("results/fixtures.json");
    if std::env::var_os("UPDATE_EVALS").is_some() {
        fs::write(&file, &fresh).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    let changed: Vec<&str> =
        fresh.lines().filter(|line| !kept.lines().any(|k| k == *line)).collect();
    assert!(
        kept == fresh,
        "evals/results/fixtures.json is not what the program scores now:\n{}\nif that is meant, run \
         UPDATE_EVALS=1 cargo test --test it eval::fixtures",
        changed.join("\n")
    );
}

#[test]
fn every_suite_can_be_read_and_its_repositories_are_listed() {
    let evals = Path::new(env!("CARGO_MANIFEST_DIR")).join("evals");
    let corpora: toml::Table =
        fs::read_to_string(evals.join("corpora.toml")).unwrap().parse().unwrap();
    let listed: Vec<(&str, &str, Vec<&str>)> = corpora["repository"]
        .as_array()
        .unwrap()
        .iter()
        .map(|repository| {
            let suites = repository["suites"].as_array().unwrap();
            (
                repository["name"].as_str().unwrap(),
                repository["commit"].as_str().unwrap(),
                suites.iter().map(|suite| suite.as_str().unwrap()).collect(),
            )
        })
        .collect();
    for entry in fs::read_dir(evals.join("suites")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let suite = Suite::parse(&name, &name, &fs::read_to_string(&path).unwrap());
        assert_eq!((suite.problems, suite.unknown_keys), (Vec::new(), BTreeMap::new()), "{name}");
        for case in suite.cases.iter().filter(|case| !case.repo.starts_with("fixtures/")) {
            let is_listed = listed.iter().any(|(repo, commit, suites)| {
                *repo == case.repo
                    && Some(*commit) == case.commit.as_deref()
                    && suites.contains(&name.as_str())
            });
            assert!(is_listed, "{name}: {} is not in corpora.toml as {}", case.id, case.repo);
        }
    }
}
