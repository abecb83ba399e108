//! The suites that are checked in: they can be read, and the figures of the one over our own projects are those on record.

use std::{collections::BTreeMap, fs, path::Path};

use assert_cmd::Command;
use retriever_eval::Suite;
use serde_json::{Map, Value, json};

/// Scores that depend on how long something took, if only by the digits of the time in a map.
const UNSTEADY: &[&str] = &["elapsed_ms", "report_tokens", "compression"];

fn rounded(value: &Value) -> Value {
    value.as_f64().map(|value| (value * 1_000.0).round() / 1_000.0).into()
}

/// What is checked in: the averages of every system, and the retriever's scores of every case.
fn figures(report: &Value) -> Value {
    let mut systems = Map::new();
    for summary in report["summaries"].as_array().unwrap() {
        let metrics = summary["metrics"].as_object().unwrap().iter();
        let steady = metrics.filter(|(metric, _)| !UNSTEADY.contains(&metric.as_str()));
        let values: Map<String, Value> = steady
            .map(|(metric, estimate)| (metric.clone(), rounded(&estimate["value"])))
            .collect();
        systems.insert(summary["system"].as_str().unwrap().to_owned(), values.into());
    }
    let mut cases = Map::new();
    let results = report["results"].as_array().unwrap().iter();
    for result in results.filter(|result| result["system"] == "retriever") {
        let metrics = ["role_recall", "mrr", "line_f1", "negative_ok"].into_iter();
        let values: Map<String, Value> = metrics
            .map(|metric| (metric.to_owned(), rounded(&result["scores"]["values"][metric])))
            .collect();
        cases.insert(result["case"].as_str().unwrap().to_owned(), values.into());
    }
    json!({ "systems": systems, "cases": cases })
}

#[test]
fn the_figures_of_the_fixtures_are_those_that_are_checked_in() {
    let evals = Path::new(env!("CARGO_MANIFEST_DIR")).join("evals");
    let home = tempfile::tempdir().unwrap();
    let output = Command::cargo_bin("retriever")
        .unwrap()
        .env_clear()
        .env("HOME", home.path())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["eval", "evals/suites/fixtures.jsonl", "--corpora", "evals/fixtures"])
        .args(["--offline", "--jobs", "2"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "the labels are sound");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for result in report["results"].as_array().unwrap() {
        let fabricated = &result["scores"]["values"]["fabricated"];
        assert_eq!(*fabricated, 0.0, "{} {}", result["case"], result["system"]);
    }
    let fresh = format!("{}\n", serde_json::to_string_pretty(&figures(&report)).unwrap());
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
