//! Conversations of an eval that are kept, and answer again without a model.

use std::fs;

use assert_cmd::Command;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    model_server::{KEY, ModelServer, Turn},
};

const SUITE: &str = r#"{"id":"log/in","repo":"o/shop","question":"how does a login check the password?","evidence":[{"role":"handler","required":true,"any_of":[{"path":"src/login.py","start":1,"end":4}]}]}
{"id":"total","repo":"o/shop","question":"what does a basket cost?","gold_files":["src/basket.py"]}
"#;

const SHOP: &str = "\
//- /corpora/shop/src/login.py
def login(name, password):
    if check_password(name, password):
        return session(name)
    raise Refused(name)
//- /corpora/shop/src/basket.py
def total(basket):
    return sum(line.price for line in basket)
";

fn script() -> Vec<Turn> {
    let report = |reference: &str| {
        Turn::submits(json!({
            "summary": "it is there",
            "primary": [{ "ref": reference, "role": "handler", "why": "does what is asked" }],
        }))
    };
    let reads = |file: &str| Turn::calls([("read", json!({ "file": file }))]);
    vec![
        reads("src/login.py"),
        report("src/login.py:1-4"),
        reads("src/basket.py"),
        report("src/basket.py:1-2"),
    ]
}

/// Runs `eval` in `files`; returns exit code, result and what was said on stderr.
fn eval(files: &Fixture, arguments: &[&str]) -> (i32, Value, String) {
    let output = Command::cargo_bin("retriever")
        .unwrap()
        .env_clear()
        .env("HOME", files.root())
        .env("RETRIEVER_API_KEY", KEY)
        .current_dir(files.root())
        .args(["eval", "s.jsonl", "--corpora", "corpora", "--system", "retriever,no_validator"])
        .args(arguments)
        .output()
        .unwrap();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code().unwrap(), report, String::from_utf8(output.stderr).unwrap())
}

/// The scores of every answer, without what depends on how long something took.
fn scores(report: &Value) -> Vec<Value> {
    let results = report["results"].as_array().unwrap().iter();
    results
        .map(|result| {
            let mut values = result["scores"]["values"].clone();
            for unsteady in ["elapsed_ms", "report_tokens", "compression"] {
                values.as_object_mut().unwrap().remove(unsteady);
            }
            json!([result["case"], result["system"], result["places"], values])
        })
        .collect()
}

fn recorded() -> (Fixture, Vec<Value>) {
    let files = Fixture::new(SHOP);
    files.write("s.jsonl", SUITE);
    let server = ModelServer::start(script());
    let url = server.base_url();
    let (code, report, said) =
        eval(&files, &["--record", "cassettes", "--model", "scripted", "--base-url", &url]);
    assert_eq!(code, 0, "{said}");
    (files, scores(&report))
}

#[test]
fn what_was_recorded_scores_the_same_without_the_model() {
    let (files, live) = recorded();
    let (code, replayed, said) = eval(&files, &["--replay", "cassettes"]);
    assert_eq!((code, said.as_str()), (0, ""));
    assert_eq!(scores(&replayed), live);
    assert_eq!(live.len(), 4);
    let kept = ["cassettes/s/log_in.jsonl", "cassettes/s/total.jsonl"];
    for cassette in kept {
        assert!(!fs::read_to_string(files.root().join(cassette)).unwrap().contains(KEY));
    }
}

#[test]
fn a_stale_cassette_is_named_with_its_case_and_still_answers() {
    let (files, _) = recorded();
    files.write("system.md", "Answer with {submit}.");
    files.write("changed.toml", "[prompts]\nsystem = \"system.md\"\n");
    let (code, report, said) = eval(&files, &["--replay", "cassettes", "--config", "changed.toml"]);
    assert_eq!(code, 2);
    let lines: Vec<&str> = said.lines().collect();
    let [first, second] = lines.as_slice() else { panic!("{said}") };
    assert_eq!(
        *first,
        "warning: s: log/in: cassettes/s/log_in.jsonl: the cassette is stale: at turn 1, the system prompt differs from the \
         recorded one; record it again with --record"
    );
    assert!(
        second.starts_with("warning: s: total: cassettes/s/total.jsonl: the cassette is stale")
    );
    assert_eq!(report["results"].as_array().unwrap().len(), 4, "it is scored all the same");
    // Recording goes on working with the new prompts.
    let server = ModelServer::start(script());
    let url = server.base_url();
    let record = ["--record", "cassettes", "--model", "scripted", "--base-url", &url];
    let (code, _, said) = eval(&files, &[&record[..], &["--config", "changed.toml"]].concat());
    assert_eq!(code, 0, "{said}");
    let (code, _, said) = eval(&files, &["--replay", "cassettes", "--config", "changed.toml"]);
    assert_eq!((code, said.as_str()), (0, ""));
}

#[test]
fn a_missing_or_broken_cassette_costs_its_case_and_no_other() {
    let (files, _) = recorded();
    files.write("cassettes/s/log_in.jsonl", "nonsense\n");
    let (code, report, said) = eval(&files, &["--replay", "cassettes"]);
    assert_eq!((code, report["results"].as_array().unwrap().len()), (2, 2));
    assert!(
        said.contains("s: log/in: cassettes/s/log_in.jsonl: line 1 of the cassette cannot be read")
    );
    fs::remove_file(files.root().join("cassettes/s/log_in.jsonl")).unwrap();
    let (code, report, said) = eval(&files, &["--replay", "cassettes"]);
    assert_eq!((code, report["results"].as_array().unwrap().len()), (2, 2));
    assert!(said.contains("--record makes it, with a model"), "{said}");
    let (code, report, _) = eval(&files, &["--replay", "cassettes", "--case", "total"]);
    assert_eq!((code, report["results"].as_array().unwrap().len()), (0, 2));
}

#[test]
fn recordings_need_a_model_and_cases_have_to_exist() {
    let files = Fixture::new(SHOP);
    files.write("s.jsonl", SUITE);
    for (arguments, error) in [
        (&["--record", "cassettes"][..], "error: --record needs a model"),
        (&["--offline", "--case", "login"], "error: no suite has a case login"),
        (&["--record", "a", "--replay", "b"], "error: "),
    ] {
        let (code, _, said) = eval(&files, arguments);
        assert_eq!(code, 2, "{arguments:?}");
        assert!(said.starts_with(error), "{said}");
    }
}
