//! `explore` and `context` as a program: forms, exit codes, and IDs from one process to the next.

#![cfg(feature = "cli")]

use assert_cmd::Command;
use serde_json::Value;

use crate::support::fixture::Fixture;

const MILL: &str = "\
//- /mill.py
def grind(corn):
    \"\"\"Grinds corn.\"\"\"
    return sieve(corn)

def sieve(corn):
    return corn
";

fn run(fixture: &Fixture, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("retriever").unwrap();
    let output = command
        .env_clear()
        .env("XDG_CACHE_HOME", fixture.root().join(".cache"))
        .current_dir(fixture.root())
        .args(["--root", "."])
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn explore_prints_json_and_context_takes_its_ids_in_a_later_process() {
    let fixture = Fixture::new(MILL);
    let (code, out, errors) = run(&fixture, &["explore", "how is corn ground, grind sieve"]);
    assert_eq!(code, 0, "{errors}");
    let found: Value = serde_json::from_str(&out).unwrap();
    let validator = jsonschema::validator_for(&retriever::schemas()["exploration"]).unwrap();
    assert!(validator.is_valid(&found), "{out}");
    assert_eq!(found["flow"][1]["name"], "sieve");
    let id = found["results"][0]["id"].as_str().unwrap().to_owned();
    let (code, out, errors) = run(&fixture, &["context", &id[..5], "--format", "json"]);
    assert_eq!(code, 0, "{errors}");
    let context: Value = serde_json::from_str(&out).unwrap();
    let validator = jsonschema::validator_for(&retriever::schemas()["context"]).unwrap();
    assert!(validator.is_valid(&context), "{out}");
    assert_eq!(context["places"][0]["id"], Value::String(id));
}

#[test]
fn several_processes_print_the_same_bytes() {
    let fixture = Fixture::new(MILL);
    let first = run(&fixture, &["explore", "grind corn", "--format", "markdown"]);
    assert_eq!(first.0, 0, "{}", first.2);
    for _ in 0..4 {
        assert_eq!(run(&fixture, &["explore", "grind corn", "--format", "markdown"]), first);
    }
}

#[test]
fn the_configuration_and_the_flags_size_an_answer() {
    let fixture = Fixture::new(MILL);
    fixture.write("settings.toml", "[explore]\ndepth = 0\nbudget_chars = 1200\n");
    let (code, out, _) = run(&fixture, &["--config", "settings.toml", "explore", "grind corn"]);
    assert_eq!(code, 0);
    assert!(out.trim_end().chars().count() <= 1_200, "{out}");
    let flags = [
        "explore",
        "--budget",
        "1000",
        "--limit",
        "1",
        "--depth",
        "1",
        "--no-adaptive",
        "grind corn",
    ];
    let (code, out, errors) = run(&fixture, &flags);
    assert_eq!(code, 0, "{errors}");
    assert!(out.trim_end().chars().count() <= 1_000, "{out}");
}

#[test]
fn bad_input_is_a_sentence_with_a_hint() {
    let fixture = Fixture::new(MILL);
    for (arguments, said) in [
        (vec!["explore", " "], "the query is empty"),
        (vec!["context", "zzzz9999"], "nothing here has the ID zzzz9999"),
        (vec!["context", "!"], "is no ID"),
        (vec!["explore", "--budget", "10", "corn"], "10"),
    ] {
        let (code, out, errors) = run(&fixture, &arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(errors.contains(said) && errors.contains("hint: "), "{errors}");
    }
}
