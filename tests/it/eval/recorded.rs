//! Runs of a real model that are checked in: replayed without it, they score what is on record. When prompts, tools or
//! ranking change, they are stale; they still replay, and what is on record says that they are.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::Path,
    time::{Duration, SystemTime},
};

use retriever::{
    Prompts,
    config::Config,
    eval::{CommitPolicy, Metric, Plan, ProblemKind, Setup, Suite, System, Tapes, run},
};
use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::support::fixture::Fixture;

/// Scores that depend on how long something took, if only by the digits of the time in a map.
const UNSTEADY: &[Metric] = &[Metric::ElapsedMs, Metric::ReportTokens, Metric::Compression];

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

#[tokio::test(flavor = "multi_thread")]
async fn recorded_runs_of_a_real_model_score_what_is_checked_in() {
    let evals = Path::new(env!("CARGO_MANIFEST_DIR")).join("evals");
    let text = fs::read_to_string(evals.join("suites/fixtures.jsonl")).unwrap();
    let mut suites = [Suite::parse("fixtures", "evals/suites/fixtures.jsonl", &text)];
    let tapes = Tapes::Replay(evals.join("cassettes"));
    let path = |case: &str| tapes.path("fixtures", case, System::Retriever, 0).unwrap();
    suites[0].cases.retain(|case| path(&case.id).is_file());
    let kept = fs::read_dir(evals.join("cassettes/fixtures")).unwrap().count();
    assert_eq!(suites[0].cases.len(), kept, "every cassette is of a case of the suite");
    let config = fs::read_to_string(evals.join("cassettes/config.toml")).unwrap();
    let config: Config = toml::from_str(&config).unwrap();
    let corpora = projects(&evals.join("fixtures"));
    let plan = Plan {
        suites: &suites,
        corpora: corpora.root(),
        commits: CommitPolicy::Exact,
        systems: [System::Retriever, System::NoValidator].into(),
        repeats: 1,
        jobs: 2,
        setup: Setup { config, prompts: Prompts::default(), model: None },
        tapes: tapes.clone(),
        fingerprint: String::new(),
    };
    let outcome = run(&plan, Vec::new(), |_| {}).await;
    let mut cases: BTreeMap<&str, Value> = BTreeMap::new();
    for result in &outcome.results {
        let scores = &result.scores;
        let steady = scores.values.iter().filter(|(metric, _)| !UNSTEADY.contains(metric));
        let rounded = |value: &f64| (value * 1_000.0).round() / 1_000.0;
        let values: BTreeMap<&str, f64> =
            steady.map(|(metric, value)| (metric.as_ref(), rounded(value))).collect();
        if result.system == System::Retriever {
            assert_eq!(scores.get(Metric::Fabricated), Some(0.0), "{}", result.case);
        }
        let of =
            json!({ "values": values, "places": result.places, "held_against": scores.reasons });
        let case = cases.entry(&result.case).or_insert_with(|| json!({ "stale": null }));
        case[result.system.as_ref()] = of;
    }
    let mut stale = Vec::new();
    for problem in &outcome.problems {
        assert_eq!(problem.kind, ProblemKind::Cassette, "{problem}");
        let id = problem.case.as_deref().unwrap();
        let said = problem.message.replace(path(id).to_str().unwrap(), "");
        let case = cases.get_mut(id).unwrap_or_else(|| unreachable!("{problem}"));
        case["stale"] = json!(said.trim_start_matches(": "));
        stale.push(format!("evals/cassettes/fixtures/{id}.jsonl{said}"));
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
         UPDATE_EVALS=1 cargo test --test it eval::recorded",
        changed.join("\n"),
        stale.join("\n")
    );
}
