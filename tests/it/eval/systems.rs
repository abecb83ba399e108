//! What the systems are told apart by, with a scripted model.

use std::{collections::BTreeSet, sync::Arc};

use pretty_assertions::assert_eq;
use retriever::{
    Prompts,
    config::Config,
    eval::{Cited, CommitPolicy, Metric, Output, Plan, Setup, Suite, System, Tapes, answer, run},
    search::Question,
};
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
};

const PROJECT: &str = "\
//- /src/login.py
def login(name, password):
    if check_password(name, password):
        return session(name)
    raise Refused(name)
";

async fn outputs(script: Vec<Turn>, systems: &[System]) -> (Vec<Output>, Vec<Value>) {
    let project = Fixture::new(PROJECT);
    let server = ModelServer::start(script);
    let setup = Setup {
        config: Config::default(),
        prompts: Prompts::default(),
        model: Some(Arc::new(server.model())),
    };
    let systems: BTreeSet<System> = systems.iter().copied().collect();
    let question = Question::new("how does a login check the password?");
    let outputs = answer(&setup, project.root(), &question, &systems).await.unwrap();
    (outputs, server.requests())
}

fn reads() -> Turn {
    Turn::calls([("read", json!({ "file": "src/login.py" }))])
}

fn places(output: &Output) -> Vec<String> {
    let spell = |cited: &Cited| match cited.range {
        Some(range) => format!("{}:{range}", cited.path),
        None => cited.path.clone(),
    };
    output.answered.places.iter().map(spell).collect()
}

#[tokio::test]
async fn without_the_validator_stands_the_first_report_as_the_model_wrote_it() {
    let report = |reference: &str| {
        Turn::submits(json!({
            "summary": "login checks the password",
            "primary": [
                { "ref": reference, "role": "handler", "why": "checks the password" },
                { "ref": "src/made_up.py:1-9", "role": "data", "why": "hashes it" },
                { "ref": "c99", "role": "data", "why": "keeps it" },
            ],
        }))
    };
    let script = vec![reads(), report("src/login.py:1-4"), report("src/login.py:2-3")];
    let (outputs, _) = outputs(script, &[System::Retriever, System::NoValidator]).await;
    let [retriever, raw] = outputs.try_into().ok().unwrap();
    assert_eq!((retriever.system, raw.system), (System::Retriever, System::NoValidator));
    assert_eq!(places(&raw), ["src/login.py:1-4", "src/made_up.py:1-9", "c99"]);
    let kept: BTreeSet<String> =
        retriever.answered.places.iter().map(|cited| cited.path.clone()).collect();
    assert_eq!(kept, BTreeSet::from(["src/login.py".to_owned()]));
}

#[tokio::test]
async fn grep_only_opens_without_candidates() {
    let submits = || {
        Turn::submits(json!({
            "primary": [{ "ref": "src/login.py:1-4", "role": "handler", "why": "checks the password" }],
        }))
    };
    let opening = |request: &Value| request["messages"][1]["content"].as_str().unwrap().to_owned();
    let script = || vec![reads(), submits(), submits()];
    let (_, with) = outputs(script(), &[System::Retriever]).await;
    assert!(opening(&with[0]).contains("src/login.py"), "{}", opening(&with[0]));
    let (outputs, without) = outputs(script(), &[System::GrepOnly]).await;
    assert!(!opening(&without[0]).contains("login.py"), "{}", opening(&without[0]));
    assert_eq!(places(&outputs[0])[0], "src/login.py:1-4");
}

#[tokio::test]
async fn a_place_that_was_never_delivered_is_told_from_one_that_was() {
    let long = "def other():\n    pass\n\n".repeat(40);
    let project = Fixture::new(PROJECT);
    project.write("src/other.py", &long);
    let server = ModelServer::start(vec![
        reads(),
        Turn::submits(json!({
            "summary": "login checks the password",
            "primary": [
                { "ref": "src/login.py:1-4", "role": "handler", "why": "checks the password" },
                { "ref": "src/other.py:80-90", "role": "data", "why": "is there, and nobody has seen it" },
            ],
        })),
    ])
    .otherwise(|| Turn::submits(json!({
        "summary": "login checks the password",
        "primary": [{ "ref": "src/login.py:1-4", "role": "handler", "why": "checks the password" }],
    })));
    let line = json!({ "id": "a", "repo": "o/shop", "question": "how does a login check the password?", "gold_files": ["src/login.py"] });
    let mut suites = [Suite::parse("s", "s.jsonl", &line.to_string())];
    // The fixture's own folder is the case's checkout.
    suites[0].cases[0].id = project.root().file_name().unwrap().to_str().unwrap().to_owned();
    let plan = Plan {
        suites: &suites,
        corpora: project.root().parent().unwrap(),
        commits: CommitPolicy::Exact,
        systems: BTreeSet::from([System::Retriever, System::NoValidator]),
        repeats: 1,
        jobs: 1,
        setup: Setup {
            config: Config::default(),
            prompts: Prompts::default(),
            model: Some(Arc::new(server.model())),
        },
        tapes: Tapes::Off,
        fingerprint: String::new(),
    };
    let outcome = run(&plan, Vec::new(), |_| {}).await;
    assert_eq!(outcome.problems, []);
    let fabricated: Vec<(System, Option<f64>)> = outcome
        .results
        .iter()
        .map(|result| (result.system, result.scores.get(Metric::Fabricated)))
        .collect();
    assert_eq!(fabricated, [(System::Retriever, Some(0.0)), (System::NoValidator, Some(1.0))]);
}
