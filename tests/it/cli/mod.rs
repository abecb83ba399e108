//! The program as a planner meets it: stdout, stderr and exit codes.

mod bad_input;
mod doctor;
mod help;
mod interrupts;
mod tool_verbs;

use std::{net::TcpListener, process::Output};

use assert_cmd::Command;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{header, method, path},
};

use crate::support::fixture::Fixture;

/// A machine with an empty home and one small repository, `repo/`.
struct Machine {
    files: Fixture,
}

impl Machine {
    fn new() -> Self {
        Self {
            files: Fixture::new(
                "//- /home/x\n//- /repo/.git/HEAD\n//- /repo/src/main.rs\nfn main() {\n    start();\n}\n//- /repo/deploy.pem\nKEY\n",
            ),
        }
    }

    /// Adds files of one shape each that take long to read or to resolve.
    fn write_costly_files(&self) {
        let repeated = |piece: &str| piece.repeat(400_000 / piece.len());
        let files = [
            ("a.c", format!("int f() {{ return {}; }}\n", repeated("("))),
            ("b.h", repeated("class API A { x };\n")),
            ("c.go", format!("package p\n{}", repeated("type a a\n"))),
            ("d.ts", repeated("type A = A;\n")),
            ("e.java", format!("class A {{ {} }}\n", repeated("void f(A a) { f(null); } "))),
            ("f.scala", format!("class A {}\n", repeated("with A "))),
            ("g.py", repeated("class a(a): pass\n")),
        ];
        for (name, text) in &files {
            self.files.write(&format!("repo/src/{name}"), text);
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("retriever").unwrap();
        command
            .env_clear()
            .env("HOME", self.files.root().join("home"))
            .current_dir(self.files.root().join("repo/src"))
            .args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        Run::new(&self.command(arguments).output().unwrap())
    }

    fn configure(&self, text: &str) {
        self.files.write("home/.config/retriever/config.toml", text);
    }
}

#[derive(Debug)]
struct Run {
    code: i32,
    out: String,
    err: String,
}

impl Run {
    fn new(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.out).expect(&self.out)
    }
}

/// A call that the program refuses: its exit code, and how the error and the hint begin.
struct Refusal<'a> {
    arguments: &'a [&'a str],
    exit: i32,
    error: &'a str,
    hint: &'a str,
}

fn check_refusals(machine: &Machine, cases: &[Refusal<'_>]) {
    for Refusal { arguments, exit, error, hint } in cases {
        let run = machine.run(arguments);
        let root = machine.files.root().canonicalize().unwrap();
        let said = run
            .err
            .replace(machine.files.root().to_str().unwrap(), "")
            .replace(root.to_str().unwrap(), "");
        let lines: Vec<&str> = said.lines().collect();
        let [first, second] = <[&str; 2]>::try_from(lines).expect(&said);
        assert!(first.starts_with(&format!("error: {error}")), "{arguments:?} said\n{said}");
        assert!(second.starts_with(&format!("hint: {hint}")), "{arguments:?} said\n{said}");
        assert_eq!((run.code, run.out.as_str()), (*exit, ""), "{arguments:?}");
    }
}

#[test]
fn the_configuration_is_json_for_programs_and_toml_for_people() {
    let machine = Machine::new();
    machine.configure("[model]\nretries = 1\n");
    let run = machine.command(&["config"]).env("OPENAI_API_KEY", "s3cret").output().unwrap();
    let run = Run::new(&run);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(!run.out.contains("s3cret"));
    let value = run.json();
    assert_eq!(value["config"]["model"]["retries"], json!(1));
    assert_eq!(value["key"], json!({ "set": true, "from": "OPENAI_API_KEY" }));
    let text = machine.run(&["config", "--format", "text"]);
    assert!(text.out.contains("retries = 1  # from /"), "{}", text.out);
}

#[test]
fn a_workspace_is_warned_about_on_stderr_unless_quiet() {
    let machine = Machine::new();
    machine.files.write("repo/retriever.toml", "[model]\nbase_url = \"https://s3cret.example\"\n");
    let run = machine.run(&["config"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.err.lines().count(), 1);
    assert!(
        run.err.starts_with("warning: ") && run.err.contains("model.base_url is refused"),
        "{}",
        run.err
    );
    assert!(!run.err.contains("s3cret") && !run.out.contains("s3cret"));
    assert_eq!(machine.run(&["config", "-q"]).err, "");
}

#[test]
fn a_question_needs_neither_verb_nor_quotes() {
    let machine = Machine::new();
    // A single answer does not repeat its question, so the answers are compared.
    let primary = |arguments: &[&str]| machine.run(arguments).json()["primary"].clone();
    let quoted = primary(&["ask", "--offline", "where does it start"]);
    assert!(quoted.as_array().is_some_and(|places| !places.is_empty()), "{quoted}");
    assert_eq!(primary(&["where does it start", "--offline"]), quoted);
    assert_eq!(primary(&["--offline", "--root", "..", "where does it start"]), quoted);
    assert_eq!(primary(&["ask", "--offline", "where", "does", "it", "start"]), quoted);
    let results = |arguments: &[&str]| machine.run(arguments).json()["results"].clone();
    let words = results(&["explore", "where", "does", "it", "start"]);
    assert_eq!(results(&["explore", "where does it start"]), words);
}

#[test]
fn a_hint_that_names_no_file_is_said() {
    let hints = ["--hint", "src/main.rs", "--hint", "nowhere.rs"];
    let arguments = [&["ask", "--offline", "where does it start"], &hints[..]].concat();
    let said = Machine::new().run(&arguments).err;
    assert_eq!(said, "note: hint \"nowhere.rs\" names no file here and was ignored\n");
}

#[test]
fn an_answer_without_the_code_graph_says_so_until_there_is_one() {
    let machine = Machine::new();
    let comments = format!("# {}\n", "word ".repeat(20)).repeat(9_000);
    for at in 0..12 {
        machine.files.write(&format!("repo/src/large{at}.py"), &comments);
    }
    let ask = || machine.run(&["ask", "--offline", "where does it start"]);
    let before = ask();
    assert_eq!(before.json()["meta"]["graph"], "none");
    assert!(before.err.starts_with("note: found by names and words alone"), "{}", before.err);
    assert_eq!(machine.run(&["index"]).code, 0);
    let after = ask();
    assert_eq!((&after.json()["meta"]["graph"], after.err.as_str()), (&Value::Null, ""));
}

#[test]
fn a_budget_for_no_line_is_not_taken_for_a_repository_without_an_answer() {
    let arguments = ["ask", "--offline", "--observation-budget", "10", "where does it start"];
    let map = Machine::new().run(&arguments).json();
    let missing = &map["missing"][0]["what"];
    assert_eq!(missing, "places match, but what the run may show has no room for one");
    // What becomes of the program's own texts says nothing about the answer.
    let reasons = map["meta"]["reasons"].as_array().unwrap();
    assert!(!reasons.iter().any(|code| code.as_str().unwrap().starts_with("fact_")), "{map}");
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_asks_the_endpoint_for_its_models() {
    let elsewhere = MockServer::start().await;
    let list = json!({ "object": "list", "data": [{ "id": "small" }, { "id": "large" }] });
    let redirect = ResponseTemplate::new(307).insert_header("Location", elsewhere.uri());
    let cases = [
        (ResponseTemplate::new(200).set_body_json(&list), "large", 0, "lists large"),
        (ResponseTemplate::new(200).set_body_json(&list), "larg", 3, "does not list larg"),
        (ResponseTemplate::new(401), "large", 3, "refuses the key (HTTP 401)"),
        (ResponseTemplate::new(404), "large", 0, "lists no models (HTTP 404)"),
        (
            ResponseTemplate::new(200).set_body_string("hello"),
            "large",
            3,
            "not with a list of models",
        ),
        (redirect, "large", 3, "redirects are not followed"),
        (ResponseTemplate::new(400), "large", 3, "is it an OpenAI-compatible endpoint?"),
        (ResponseTemplate::new(429), "large", 3, "try again later"),
        (ResponseTemplate::new(502), "large", 3, "a fault of the endpoint"),
    ];
    for (response, model, code, expected) in cases {
        let server = MockServer::start().await;
        Mock::given(method("GET"))
            .and(path("/v1/models"))
            .and(header("authorization", "Bearer s3cret"))
            .respond_with(response)
            .expect(1)
            .mount(&server)
            .await;
        let run = tokio::task::spawn_blocking({
            let base = format!("{}/v1/", server.uri());
            move || {
                let machine = Machine::new();
                let mut command = machine.command(&["doctor", "--format", "text"]);
                command
                    .env("RETRIEVER_MODEL", model)
                    .env("RETRIEVER_BASE_URL", base)
                    .env("RETRIEVER_API_KEY", "s3cret");
                Run::new(&command.output().unwrap())
            }
        })
        .await
        .unwrap();
        assert_eq!(run.code, code, "{run:?}");
        assert!(run.out.contains(expected), "{}", run.out);
        assert!(!run.out.contains("s3cret") && !run.err.contains("s3cret"));
    }
    assert_eq!(elsewhere.received_requests().await.unwrap().len(), 0, "a redirect was followed");
}

#[test]
fn without_a_model_one_line_says_how_to_configure_one() {
    let machine = Machine::new();
    let run = machine.run(&["ask", "where does main start"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.json()["meta"]["author"], json!("offline"));
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    assert!(
        run.err.starts_with("note: no model is configured") && run.err.contains("retriever init")
    );
    for flag in ["--offline", "-q"] {
        assert_eq!(machine.run(&["ask", "where does main start", flag]).err, "", "{flag}");
    }
}

#[test]
fn a_question_comes_from_stdin_and_is_not_echoed() {
    let machine = Machine::new();
    let mut command =
        machine.command(&["ask", "--offline", "--intent", "edit", "--role", "entry,data", "-"]);
    let run = Run::new(&command.write_stdin("where does main start?\n").output().unwrap());
    let map = run.json();
    assert!(map.get("question").is_none(), "{map}");
    assert_eq!(map["intent"], json!("edit"));
    let roles = map["requested_roles"].as_array().unwrap();
    assert!(roles.contains(&json!("entry")) && roles.contains(&json!("data")), "{roles:?}");
}

#[test]
fn people_get_text_and_documents_get_code() {
    let machine = Machine::new();
    let ask = |more: &[&str]| {
        let run = machine.run(&[&["ask", "--offline", "where does main start"], more].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{more:?}");
        run.out
    };
    let code = "    start();";
    assert!(!ask(&["--format", "text"]).contains(code));
    assert!(ask(&["--format", "text", "--snippets"]).contains(code));
    assert!(ask(&["--format", "markdown"]).contains(code));
    assert!(ask(&["--format", "text", "--color", "always"]).contains("\u{1b}["));
    assert!(!ask(&["--format", "text"]).contains('\u{1b}'));
}

#[test]
fn a_session_gives_the_same_answer_again_and_takes_any_printable_name() {
    let machine = Machine::new();
    let ask =
        |name: &str| machine.run(&["ask", "--offline", "where does main start", "--session", name]);
    let first = ask("../chat 7");
    assert_eq!((first.code, first.err.as_str()), (0, ""));
    assert_eq!(first.json()["meta"]["session"], json!({"hit": false, "questions": 1, "hits": 0}));
    let (first, second) = (first.json(), ask("../chat 7").json());
    assert_eq!(second["meta"]["session"], json!({"hit": true, "questions": 2, "hits": 1}));
    assert_eq!(first["primary"], second["primary"]);
    assert_eq!(first["primary"][0]["id"], json!("s1"));
    let text = machine.run(&[
        "ask",
        "--offline",
        "where is start called",
        "--session",
        "../chat 7",
        "--format",
        "text",
    ]);
    assert!(text.out.contains("Places of earlier answers"), "{}", text.out);
    let context = machine.run(&["context", "s1", "--session", "../chat 7"]).json();
    assert_eq!(context["places"][0]["path"], first["primary"][0]["path"]);
    assert_eq!(context["places"][0]["start"], first["primary"][0]["start"]);
    check_refusals(
        &machine,
        &[
            Refusal {
                arguments: &["ask", "x", "--session", ""],
                exit: 2,
                error: "invalid value",
                hint: "retriever ask --help",
            },
            Refusal {
                arguments: &["ask", "x", "--session", "a\nb"],
                exit: 2,
                error: "invalid value",
                hint: "retriever ask --help",
            },
            Refusal {
                arguments: &["ask", "x", "--session", "a", "--replay", "tape"],
                exit: 2,
                error: "the argument",
                hint: "retriever ask --help",
            },
        ],
    );
}

#[test]
fn events_are_json_lines_from_start_to_finish() {
    let machine = Machine::new();
    let file = machine.run(&["ask", "--offline", "where does main start", "--events", "log.jsonl"]);
    assert_eq!((file.code, file.err.as_str()), (0, ""));
    let written = std::fs::read_to_string(machine.files.root().join("repo/src/log.jsonl")).unwrap();
    let stderr =
        machine.run(&["ask", "--offline", "where does main start", "--events", "-", "-v"]).err;
    for log in [written, stderr] {
        let events: Vec<Value> =
            log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        assert_eq!(events.first().unwrap()["event"], json!("run_started"));
        assert_eq!(events.last().unwrap()["event"], json!("run_finished"));
    }
}

#[test]
fn verbose_is_one_line_an_event() {
    let machine = Machine::new();
    let log = machine.run(&["ask", "--offline", "where does main start", "--events", "-"]).err;
    let said = machine.run(&["ask", "--offline", "where does main start", "-v"]).err;
    assert_eq!(said.lines().count(), log.lines().count(), "{said}");
    assert!(said.starts_with("run: offline\n"), "{said}");
}

#[test]
fn an_unreachable_endpoint_is_a_warning_or_with_no_fallback_exit_code_4() {
    let machine = Machine::new();
    machine.configure("[model]\nname = \"m\"\nretries = 0\n");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{closed}/v1");
    let ask = ["ask", "where does main start", "--base-url", &url];
    let run = machine.run(&ask);
    assert_eq!(run.code, 0, "{run:?}");
    assert_ne!(run.json()["meta"]["author"], json!("model"));
    assert!(
        run.err
            .starts_with("warning: the model failed and the map was made without it: cannot reach"),
        "{}",
        run.err
    );

    let arguments = [ask.as_slice(), &["--no-fallback"]].concat();
    check_refusals(
        &machine,
        &[Refusal {
            arguments: &arguments,
            exit: 4,
            error: "the model failed: cannot reach",
            hint: "check --base-url",
        }],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_recorded_is_replayed_without_the_endpoint() {
    let server = MockServer::start().await;
    let report = json!({
        "summary": "main starts it",
        "primary": [{ "ref": "src/main.rs:1-3", "role": "entry", "why": "calls start" }],
        "recommended_primary_action": "answer_from_report",
        "confidence": "high",
    });
    let call = |id: &str, name: &str, arguments: &Value| {
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        let message = json!({ "role": "assistant", "tool_calls": [{ "id": id, "type": "function", "function": function }] });
        ResponseTemplate::new(200)
            .set_body_json(json!({ "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": message }] }))
    };
    let read = call("a", "read", &json!({ "file": "src/main.rs" }));
    Mock::given(method("POST")).respond_with(read).up_to_n_times(1).mount(&server).await;
    Mock::given(method("POST"))
        .respond_with(call("b", "submit_report", &report))
        .mount(&server)
        .await;
    let url = format!("{}/v1", server.uri());

    let (recorded, replayed) = tokio::task::spawn_blocking(move || {
        let machine = Machine::new();
        let question = "where does main start";
        let recorded = machine.run(&[
            "ask",
            question,
            "--model",
            "m",
            "--base-url",
            &url,
            "--record",
            "../../tape",
        ]);
        let replayed = machine.run(&["ask", question, "--replay", "../../tape"]);
        (recorded, replayed)
    })
    .await
    .unwrap();
    assert_eq!((recorded.code, recorded.err.as_str()), (0, ""));
    assert_eq!((replayed.code, replayed.err.as_str()), (0, ""));
    let (mut recorded, mut replayed) = (recorded.json(), replayed.json());
    assert_eq!(recorded["primary"][0]["path"], json!("src/main.rs"));
    for map in [&mut recorded, &mut replayed] {
        map["meta"]["elapsed_ms"] = json!(0);
        // The estimate counts the digits of the time, too.
        map["meta"]["report_tokens"] = json!(0);
    }
    assert_eq!(recorded, replayed);
    assert_eq!(server.received_requests().await.unwrap().len(), 2);
}
