//! `ask --batch` as an orchestrator meets it: a line of JSON for each question, in order, whatever happens to the others.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Write},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    model_server::{KEY, ModelServer, Turn},
};

const PROJECT: &str = "\
//- /.git/HEAD
//- /src/queue.rs
/// Puts a job into the queue.
pub fn enqueue_job(job: Job) {
    QUEUE.lock().push(job);
}
";

fn start(fixture: &Fixture, arguments: &[&str]) -> Child {
    std::process::Command::new(assert_cmd::cargo::cargo_bin("retriever"))
        .env_clear()
        .env("HOME", fixture.root().join("home"))
        .env("RETRIEVER_API_KEY", KEY)
        .current_dir(fixture.root())
        .args(["ask", "--batch"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Exit code, lines and what was said.
fn run(fixture: &Fixture, arguments: &[&str], input: &str) -> (i32, Vec<Value>, String) {
    let mut child = start(fixture, arguments);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // The program may end without reading it.
    let writer = thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let lines = out.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), lines, said)
}

fn question(number: usize) -> String {
    format!("where is job number {number} enqueued?")
}

fn questions(count: usize) -> String {
    let lines = (0..count).map(|number| json!({ "question": question(number) }).to_string() + "\n");
    lines.collect()
}

#[test]
fn answers_come_in_order_and_a_bad_line_says_its_number_in_its_place() {
    let fixture = Fixture::new(PROJECT);
    let mut input = questions(1);
    input += "nonsense\n\n{\"question\": \"\"}\n{\"question\": \"x\", \"depth\": 1}\n";
    input += "{\"question\": \"why?\", \"intent\": \"debug\", \"roles\": [\"handler\"], \"hints\": [\"src\"]}\r\n";
    writeln!(input, "{{\"question\": \"{}\"}}", "x".repeat(2 << 20)).unwrap();
    // The last line has no end.
    input += questions(1).trim_end();
    fixture.write("questions.jsonl", &input);
    for (source, stdin) in [("-", input.as_str()), ("questions.jsonl", "")] {
        let (code, lines, said) = run(&fixture, &[source, "--offline", "--jobs", "3"], stdin);
        assert_eq!((code, said.as_str()), (0, ""));
        let kinds: Vec<Value> = lines
            .iter()
            .map(|line| match line["error"].as_str() {
                Some(_) => json!([line["line"], line["exit_code"]]),
                None => line["question"].clone(),
            })
            .collect();
        let first = json!(question(0));
        let expected = [
            first.clone(),
            json!([2, 2]),
            json!([4, 2]),
            json!([5, 2]),
            json!("why?"),
            json!([7, 2]),
            first,
        ];
        assert_eq!(kinds, expected);
        assert_eq!(lines[4]["intent"], "debug");
        assert!(lines[3]["error"].as_str().unwrap().contains("depth"), "{}", lines[3]);
        // The number of the line stands beside the message; that of the parser is always 1.
        let failures = lines.iter().filter_map(|line| line["error"].as_str());
        failures.for_each(|error| assert!(!error.contains("line 1"), "{error}"));
    }
}

#[test]
fn a_line_keeps_the_id_that_its_caller_gave() {
    let fixture = Fixture::new(PROJECT);
    let lines = [
        json!({"id": "a-1", "question": question(1)}),
        json!({"id": 2, "question": ""}),
        json!({"question": question(1)}),
        json!({"id": "c", "question": question(1), "hints": ["nowhere"]}),
    ];
    let input = lines.map(|line| line.to_string()).join("\n");
    let (code, lines, said) = run(&fixture, &["-", "--offline"], &input);
    let ids: Vec<&Value> = lines.iter().map(|line| &line["id"]).collect();
    assert_eq!((code, ids), (0, vec![&json!("a-1"), &json!(2), &Value::Null, &json!("c")]));
    assert_eq!(said, "note: line 4: hint \"nowhere\" names no file here and was ignored\n");
}

#[test]
fn a_batch_without_any_map_ends_as_its_first_line_would_have_alone() {
    let fixture = Fixture::new(PROJECT);
    for (input, expected) in [("nonsense\n{\"question\": \"\"}\n", 2), ("", 0)] {
        let (code, lines, _) = run(&fixture, &["-", "--offline"], input);
        assert_eq!((code, lines.len()), (expected, input.lines().count()));
    }
}

#[test]
fn a_failure_of_the_model_is_said_and_may_fail_the_batch() {
    for (flags, expected) in [(&[] as &[&str], 0), (&["--fail-on-fallback"], 4)] {
        let fixture = Fixture::new(PROJECT);
        let server = ModelServer::start(Vec::new()).otherwise(|| Turn::raw(401, &[], "{}"));
        let url = server.base_url();
        let arguments = [&["-", "--model", "scripted", "--base-url", &url], flags].concat();
        let (code, lines, said) = run(&fixture, &arguments, &questions(2));
        assert_eq!(code, expected, "{said}");
        assert_eq!(lines.len(), 2);
        for (number, line) in lines.iter().enumerate() {
            assert_eq!(line["status"], "fallback");
            let warning = format!("line {}: the model failed", number + 1);
            assert!(said.contains(&warning), "{said}");
        }
    }
}

#[test]
fn a_line_may_belong_to_a_session() {
    let fixture = Fixture::new(PROJECT);
    let line = |session: Value| json!({"question": question(1), "session": session}).to_string();
    let input = [line(json!("a")), line(json!("a")), line(json!("b")), line(json!(""))].join("\n");
    let (code, lines, said) = run(&fixture, &["-", "--offline", "--jobs", "1"], &input);
    assert_eq!((code, said.as_str()), (0, ""));
    let hits: Vec<&Value> = lines.iter().map(|line| &line["meta"]["session"]["hit"]).collect();
    assert_eq!(hits, [&json!(false), &json!(true), &json!(false), &Value::Null]);
    assert!(lines[3]["error"].as_str().unwrap().contains("session"), "{}", lines[3]);
}

#[test]
fn sixteen_questions_at_once_take_little_longer_than_one_and_never_mix() {
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(Vec::new()).otherwise(|| {
        Turn::responds(|request| {
            thread::sleep(Duration::from_millis(200));
            let messages = request["messages"].as_array().unwrap();
            if messages.len() == 2 {
                return Turn::calls([("read", json!({"file": "src/queue.rs"}))]);
            }
            let asked = messages[1]["content"].as_str().unwrap();
            let number = asked.split("number ").nth(1).unwrap().split(' ').next().unwrap();
            Turn::submits(json!({
                "summary": format!("The text of question {number}."),
                "primary": [{"ref": "src/queue.rs:1-4", "why": "enqueues"}],
            }))
        })
    });
    let url = server.base_url();
    let arguments = ["-", "--model", "scripted", "--base-url", &url, "--jobs", "16"];
    let started = Instant::now();
    let (code, lines, said) = run(&fixture, &arguments, &questions(16));
    let wall = started.elapsed();
    assert_eq!((code, lines.len()), (0, 16), "{said}");
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(line["question"], question(number));
        assert_eq!(line["summary"], format!("The text of question {number}."));
        assert_eq!(line["meta"]["author"], "model");
    }
    let alone: u64 = lines.iter().map(|line| line["meta"]["elapsed_ms"].as_u64().unwrap()).sum();
    // One after the other they would take as long as all together.
    assert!(wall < Duration::from_millis(alone / 4), "{wall:?} for {alone} ms of questions");
}

#[test]
fn a_model_that_fails_costs_only_its_own_question() {
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![
        Turn::calls([("read", json!({"file": "src/queue.rs"}))]),
        Turn::submits(
            json!({"summary": "First.", "primary": [{"ref": "src/queue.rs:1-4", "role": "handler", "why": "x"}]}),
        ),
        Turn::raw(401, &[], json!({"error": {"message": "no"}})),
        Turn::calls([("read", json!({"file": "src/queue.rs"}))]),
        Turn::submits(
            json!({"summary": "Third.", "primary": [{"ref": "src/queue.rs:1-4", "role": "handler", "why": "x"}]}),
        ),
    ]);
    let url = server.base_url();
    let arguments =
        ["-", "--model", "scripted", "--base-url", &url, "--jobs", "1", "--no-fallback"];
    let (code, lines, said) = run(&fixture, &arguments, &questions(3));
    assert_eq!((code, lines.len()), (0, 3), "{said}");
    assert_eq!(lines[0]["summary"], "First.");
    assert_eq!(json!([lines[1]["line"], lines[1]["exit_code"]]), json!([2, 4]), "{lines:?}");
    assert_eq!(lines[2]["summary"], "Third.");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_stays_flat_over_a_thousand_questions() {
    const QUESTIONS: usize = 1_000;
    let fixture = Fixture::new(PROJECT);
    let mut child = start(&fixture, &["-", "--offline", "--effort", "quick", "--jobs", "2"]);
    let status = format!("/proc/{}/status", child.id());
    let resident = || -> u64 {
        let text = std::fs::read_to_string(&status).unwrap();
        let line = text.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let mut stdin = child.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        stdin.write_all(questions(QUESTIONS).as_bytes()).unwrap();
        stdin
    });
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut early = 0;
    for number in 0..QUESTIONS {
        let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(line["question"], question(number));
        if number == QUESTIONS / 5 {
            early = resident();
        }
    }
    // The program still waits for more.
    let late = resident();
    assert!(late < early + 8_192, "{early} kB after {}, {late} kB at the end", QUESTIONS / 5);
    drop(writer.join().unwrap());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn an_interrupt_prints_the_maps_of_what_runs_and_nothing_of_the_rest() {
    let fixture = Fixture::new(PROJECT);
    let (sender, asked) = std::sync::mpsc::channel();
    let server = ModelServer::start(Vec::new()).otherwise(move || {
        sender.send(()).unwrap();
        Turn::hangs(Duration::from_secs(60))
    });
    let url = server.base_url();
    let arguments = ["-", "--model", "scripted", "--base-url", &url, "--jobs", "2"];
    let mut child = start(&fixture, &arguments);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(questions(50).as_bytes()).unwrap();
    asked.recv().unwrap();
    asked.recv().unwrap();
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    let out = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!((2..50).contains(&lines.len()), "{} lines", lines.len());
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(line["question"], question(number));
        assert_eq!(line["meta"]["stop_reason"], "interrupted");
    }
}

#[test]
fn what_makes_no_sense_together_is_refused() {
    let fixture = Fixture::new(PROJECT);
    for (arguments, said) in [
        (&["none.jsonl", "--offline"][..], "cannot read none.jsonl"),
        (&["-", "how?"], "cannot be used with"),
        (&["-", "--intent", "edit"], "cannot be used with"),
        (&["-", "--jobs", "0"], "from 1 to"),
        (&["-", "--format", "markdown"], "--batch prints one line of JSON"),
    ] {
        let (code, lines, err) = run(&fixture, arguments, "");
        assert_eq!((code, lines.len()), (2, 0), "{arguments:?}");
        assert!(err.contains(said), "{arguments:?}: {err}");
    }
}
