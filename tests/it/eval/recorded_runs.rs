//! Runs of a real model that are checked in: replayed without it, they score what is on record. When prompts, tools or
//! ranking change, they are stale; they still replay, and what is on record says that they are.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::Path,
    time::{Duration, SystemTime},
};

use assert_cmd::Command;
use serde_json::{Map, Value, json};
use walkdir::WalkDir;

use crate::support::fixture::Fixture;

/// Scores that depend on how long something took, if only by the digits of the time in a map.
const UNSTEADY: &[&str] = &["elapsed_ms", "report_tokens", "compression"];

/// A copy of the projects in which every file is of the same age: listings are sorted by age.
fn projects(from: &Path) -> Fixture {
    let copy = Fixture::new("");
    for entry in WalkDir::new(from).into_iter().map(Result::unwrap) {
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(from).unwrap();
            copy.write(path.to_str().unwrap(), fs::read(entry.path()).unwrap());
            let file = File::options().write(true).open(copy.root().join(path)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
        }
    }
    copy
}

/// Replays the recordings; returns the report and what was said on stderr. All paths are below the project's root.
fn replay(corpora: &Path, cases: &[String]) -> (Value, String) {
    let output = Command::cargo_bin("retriever")
        .unwrap()
        .env_clear()
        .env("HOME", corpora)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["eval", "evals/suites/fixtures.jsonl", "--replay", "evals/cassettes"])
        .args(["--config", "evals/cassettes/config.toml", "--jobs", "2"])
        .args(["--system", "retriever,no_validator", "--case", &cases.join(",")])
        .arg("--corpora")
        .arg(corpora)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (serde_json::from_slice(&output.stdout).expect(&said), said)
}

#[test]
fn recorded_runs_of_a_real_model_score_what_is_checked_in() {
    let evals = Path::new(env!("CARGO_MANIFEST_DIR")).join("evals");
    let mut kept: Vec<String> = fs::read_dir(evals.join("cassettes/fixtures"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    kept.sort();
    let corpora = projects(&evals.join("fixtures"));
    let (report, said) = replay(corpora.root(), &kept);
    let mut cases: BTreeMap<&str, Value> = BTreeMap::new();
    for result in report["results"].as_array().unwrap() {
        let (id, scores) = (result["case"].as_str().unwrap(), &result["scores"]);
        let rounded = |value: &Value| (value.as_f64().unwrap() * 1_000.0).round() / 1_000.0;
        let values = scores["values"].as_object().unwrap().iter();
        let steady = values.filter(|(metric, _)| !UNSTEADY.contains(&metric.as_str()));
        let values: Map<String, Value> =
            steady.map(|(metric, value)| (metric.clone(), rounded(value).into())).collect();
        if result["system"] == "retriever" {
            assert_eq!(scores["values"]["fabricated"], 0.0, "{id}");
        }
        let reasons = scores.get("reasons").cloned().unwrap_or_else(|| json!([]));
        let of = json!({ "values": values, "places": result["places"], "held_against": reasons });
        let case = cases.entry(id).or_insert_with(|| json!({ "stale": null }));
        case[result["system"].as_str().unwrap()] = of;
    }
    assert_eq!(cases.len(), kept.len(), "every cassette is of a case of the suite: {said}");
    let mut stale = Vec::new();
    for problem in report.get("problems").and_then(Value::as_array).into_iter().flatten() {
        assert_eq!(problem["kind"], "cassette", "{problem}");
        let id = problem["case"].as_str().unwrap();
        let message = problem["message"].as_str().unwrap();
        let file = format!("evals/cassettes/fixtures/{id}.jsonl");
        let why = message.strip_prefix(&file).unwrap().trim_start_matches(": ");
        cases.get_mut(id).unwrap()["stale"] = json!(why);
        stale.push(message);
    }
    let fresh = format!("{}\n", serde_json::to_string_pretty(&cases).unwrap());
    let file = evals.join("results/recorded.json");
    if std::env::var_os("UPDATE_EVALS").is_some() {
        fs::write(&file, &fresh).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    let changed: Vec<&str> =
        fresh.lines().filter(|line| !kept.lines().any(|k| k == *line)).collect();
    assert!(
        kept == fresh,
        "the recorded runs do not score what evals/results/recorded.json says:\n{}\n\nstale cassettes:\n{}\n\n\
         evals/real_model.sh record makes them again; to accept the figures, run\n\
         UPDATE_EVALS=1 cargo test --test it eval::recorded_runs",
        changed.join("\n"),
        stale.join("\n")
    );
}
