//! What the systems are told apart by, with a scripted model.

use assert_cmd::Command;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    model_server::{KEY, ModelServer, Turn},
};

const PROJECT: &str = "\
//- /corpora/shop/src/login.py
def login(name, password):
    if check_password(name, password):
        return session(name)
    raise Refused(name)
";

const SUITE: &str = r#"{"id":"a","repo":"o/shop","question":"how does a login check the password?","gold_files":["src/login.py"]}"#;

/// Runs `eval` over `files`; returns the results of the systems in their order.
fn results(files: &Fixture, server: &ModelServer, systems: &str) -> Vec<Value> {
    files.write("s.jsonl", SUITE);
    let output = Command::cargo_bin("retriever")
        .unwrap()
        .env_clear()
        .env("HOME", files.root())
        .env("RETRIEVER_API_KEY", KEY)
        .current_dir(files.root())
        .args(["eval", "s.jsonl", "--corpora", "corpora", "--system", systems])
        .args(["--model", "scripted", "--base-url", &server.base_url()])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["problems"].as_array().map_or(0, Vec::len), 0, "{report}");
    report["results"].as_array().unwrap().clone()
}

fn reads() -> Turn {
    Turn::calls([("read", json!({ "file": "src/login.py" }))])
}

fn submits() -> Turn {
    Turn::submits(json!({
        "summary": "login checks the password",
        "primary": [{ "ref": "src/login.py:1-4", "role": "handler", "why": "checks the password" }],
    }))
}

#[test]
fn without_the_validator_stands_the_first_report_as_the_model_wrote_it() {
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
    let server =
        ModelServer::start(vec![reads(), report("src/login.py:1-4"), report("src/login.py:2-3")]);
    let results = results(&Fixture::new(PROJECT), &server, "retriever,no_validator");
    let [retriever, raw] = results.as_slice() else { panic!("{results:?}") };
    assert_eq!(
        (&retriever["system"], &raw["system"]),
        (&json!("retriever"), &json!("no_validator"))
    );
    assert_eq!(raw["places"], json!(["src/login.py:1-4", "src/made_up.py:1-9", "c99"]));
    for place in retriever["places"].as_array().unwrap() {
        assert!(place.as_str().unwrap().starts_with("src/login.py:"), "{place}");
    }
}

#[test]
fn grep_only_opens_without_candidates() {
    let opening = |system: &str| {
        let server = ModelServer::start(vec![reads(), submits(), submits()]);
        let results = results(&Fixture::new(PROJECT), &server, system);
        assert_eq!(results[0]["places"][0], "src/login.py:1-4");
        let first = &server.requests()[0];
        first["messages"][1]["content"].as_str().unwrap().to_owned()
    };
    let (with, without) = (opening("retriever"), opening("grep_only"));
    assert!(with.contains("src/login.py"), "{with}");
    assert!(!without.contains("login.py"), "{without}");
}

#[test]
fn a_place_that_was_never_delivered_is_told_from_one_that_was() {
    let project = Fixture::new(PROJECT);
    project.write("corpora/shop/src/other.py", "def other():\n    pass\n\n".repeat(40));
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
    .otherwise(submits);
    let results = results(&project, &server, "retriever,no_validator");
    let fabricated: Vec<&Value> =
        results.iter().map(|result| &result["scores"]["values"]["fabricated"]).collect();
    assert_eq!(fabricated, [&json!(0.0), &json!(1.0)]);
}
