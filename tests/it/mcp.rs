//! The MCP server as a client meets it: the real program, JSON-RPC lines on its pipes, and nothing else on stdout.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    model_server::{KEY, ModelServer, Turn},
};

/// Longest wait for one line.
const PATIENCE: Duration = Duration::from_secs(30);

const PROJECT: &str = "\
//- /src/queue.rs
/// Puts a job into the queue.
pub fn enqueue_job(job: Job) {
    QUEUE.lock().push(job);
}
//- /src/main.rs
fn main() {
    enqueue_job(Job::new());
}
";

/// The server's process and a client that judges every line of it.
struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<Value>,
    next_id: u64,
    /// What the client answers to `roots/list`.
    roots: Value,
}

#[expect(clippy::needless_pass_by_value, reason = "calls read better without borrowed literals")]
impl Client {
    fn start(fixture: &Fixture, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("retriever"))
            .env_clear()
            .env("HOME", fixture.root().join("home"))
            .envs(variables.iter().copied())
            .current_dir(fixture.root())
            .arg("mcp")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.unwrap();
                let message: Value = serde_json::from_str(&line).expect(&line);
                assert_eq!(message["jsonrpc"], "2.0", "{line}");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, next_id: 0, roots: Value::Null }
    }

    /// A client that has shaken hands; `roots` is what it offers, `null` for nothing.
    fn connected(
        fixture: &Fixture,
        arguments: &[&str],
        variables: &[(&str, &str)],
        roots: Value,
    ) -> Self {
        let mut client = Self::start(fixture, arguments, variables);
        let capabilities = if roots.is_null() { json!({}) } else { json!({"roots": {}}) };
        client.roots = roots;
        client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// An offline server of the fixture.
    fn offline(fixture: &Fixture) -> Self {
        Self::connected(fixture, &["--offline"], &[], Value::Null)
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Sends a request and returns its ID.
    fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request and returns its answer and the notifications before it.
    fn request_with_notes(&mut self, method: &str, params: Value) -> (Value, Vec<Value>) {
        let id = self.begin(method, params);
        let mut notes = Vec::new();
        loop {
            let message = self.next();
            if message["id"] == id {
                return (message, notes);
            }
            notes.push(message);
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.request_with_notes(method, params).0
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))["result"].take()
    }

    /// The next line that isn't a request of the server; those are answered here.
    fn next(&mut self) -> Value {
        loop {
            let message = self.lines.recv_timeout(PATIENCE).expect("the server says something");
            match message["method"].as_str() {
                Some("roots/list") => {
                    let result = json!({"roots": self.roots});
                    self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
                }
                _ => return message,
            }
        }
    }

    /// Closes the pipes, as a client does that dies, and returns how the server ended.
    fn die(mut self) -> (ExitStatus, Duration) {
        let left = Instant::now();
        drop(self.stdin.take());
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, left.elapsed());
            }
            assert!(left.elapsed() < PATIENCE, "the server outlives its client");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Already over, usually.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

fn root_of(path: &Path) -> Value {
    json!([{"uri": format!("file://{}", path.display()), "name": "project"}])
}

#[test]
fn it_introduces_itself_and_teaches_whom_to_trust_in_few_tokens() {
    let fixture = Fixture::new(PROJECT);
    let mut client = Client::start(&fixture, &["--offline"], &[]);
    let hello = json!({
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let answer = client.request("initialize", hello);
    let info = json!({"name": "retriever", "version": env!("CARGO_PKG_VERSION")});
    assert_eq!(answer["result"]["serverInfo"], info);
    let instructions = answer["result"]["instructions"].as_str().unwrap();
    assert!(retriever::estimate_tokens(instructions) <= 100, "{instructions}");
    for word in ["high", "medium", "low", "missing", "edit"] {
        assert!(instructions.contains(word), "{word}");
    }
}

/// The tools that the server lists.
pub(crate) fn listed_tools() -> Vec<Value> {
    tools_of(&[])
}

/// The server's instructions, and the tools that it lists as `init` has it started.
pub(crate) fn resident_tools() -> (String, Vec<Value>) {
    let prompts = Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts");
    (
        fs::read_to_string(prompts.join("mcp.md")).unwrap(),
        tools_of(&["--tools", "ask,explore,context"]),
    )
}

fn tools_of(arguments: &[&str]) -> Vec<Value> {
    let fixture = Fixture::new(PROJECT);
    let arguments = [&["--offline"], arguments].concat();
    let mut client = Client::connected(&fixture, &arguments, &[], Value::Null);
    client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn tools_that_are_not_listed_can_be_called() {
    let fixture = Fixture::new(PROJECT);
    let arguments = ["--offline", "--tools", "ask,graph"];
    let mut client = Client::connected(&fixture, &arguments, &[], Value::Null);
    let answer = client.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ask", "graph"]);
    assert!(text(&client.call("grep", json!({"pattern": "fn enqueue_"}))).contains("src/queue.rs"));
}

#[test]
fn it_lists_ask_and_every_tool_with_schemas_that_every_client_takes() {
    let fixture = Fixture::new(PROJECT);
    let mut client = Client::offline(&fixture);
    let answer = client.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let mut expected = vec!["ask", "explore", "context"];
    let specs = retriever::tool_specs();
    expected.extend(specs.iter().map(|spec| spec.name).filter(|name| *name != "submit_report"));
    assert_eq!(names, expected);
    for tool in tools {
        let schema = tool["inputSchema"].to_string();
        for refused in ["$schema", "$ref", "\"format\"", "\"null\"", "\"anyOf\"", "\"default\""] {
            assert!(!schema.contains(refused), "{refused} in {schema}");
        }
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        jsonschema::validator_for(&tool["outputSchema"]).unwrap();
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert!(!tool["description"].as_str().unwrap().is_empty());
    }
}

#[test]
fn a_tool_answers_with_text_and_a_typed_result_and_its_ids_hold_for_later_calls() {
    let fixture = Fixture::new(PROJECT);
    let mut client = Client::offline(&fixture);
    let found = client.call("grep", json!({"pattern": "fn enqueue_\\w+"}));
    assert!(text(&found).contains("src/queue.rs"), "{found}");
    assert!(found["structuredContent"].is_object(), "{found}");
    let id = text(&found).split(['[', ']']).nth(1).unwrap().to_owned();
    let read = client.call("read", json!({"file": id}));
    assert!(text(&read).contains("src/queue.rs"), "{id}: {read}");
}

#[test]
fn typed_results_conform_to_their_schemas_and_are_bounded_like_the_text() {
    let fixture = Fixture::new(PROJECT);
    let long: String = (1..6_000).map(|n| format!("const LINE_{n}: u32 = {n};\n")).collect();
    fixture.write("src/long.rs", long);
    let mut client = Client::offline(&fixture);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    for (tool, arguments) in [
        ("read", json!({"file": "src/long.rs"})),
        ("grep", json!({"pattern": "LINE", "limit": 500, "path": "src/long.rs", "context": 3})),
        ("graph", json!({"operation": "symbols", "target": "src/long.rs", "limit": 100})),
        ("glob", json!({"pattern": "*"})),
        ("explore", json!({"query": "enqueue_job"})),
        ("ask", json!({"question": "how are jobs queued?"})),
    ] {
        let result = client.call(tool, arguments);
        let typed = &result["structuredContent"];
        let tools = tools.as_array().unwrap();
        let listed = tools.iter().find(|listed| listed["name"] == tool).unwrap();
        let validator = jsonschema::validator_for(&listed["outputSchema"]).unwrap();
        let errors: Vec<String> = validator.iter_errors(typed).map(|e| e.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{tool}");
        let bytes = typed.to_string().len();
        assert!(bytes < 40_000, "{tool}: {bytes} bytes");
        if tool == "read" {
            assert_eq!(typed["outcome"], "truncated");
            assert!(typed["lines"].as_array().unwrap().len() > 100, "{typed}");
        }
    }
}

#[test]
fn pages_that_end_for_want_of_room_are_continued_without_a_gap() {
    let fixture = Fixture::new(PROJECT);
    let long: String = (1..1_200).map(|n| format!("const LINE_{n}: u32 = {n};\n")).collect();
    fixture.write("src/long.rs", long);
    for n in 0..700 {
        fixture.write(&format!("notes/{n}-{}.txt", "a_long_name".repeat(8)), "x");
    }
    let mut client = Client::offline(&fixture);
    for (tool, list, count, mut arguments) in [
        ("grep", "matches", 1_199, json!({"pattern": "LINE_", "limit": 500, "context": 3})),
        ("glob", "files", 700, json!({"pattern": "notes/*", "limit": 600})),
        (
            "graph",
            "answers",
            1_199,
            json!({"operation": "symbols", "target": "src/long.rs", "limit": 100}),
        ),
    ] {
        let (mut seen, mut pages) = (Vec::new(), 0);
        loop {
            pages += 1;
            let typed = client.call(tool, arguments.clone())["structuredContent"].clone();
            let page = typed[list].as_array().unwrap();
            let items = page.iter().map(|item| match tool {
                "grep" => item["line"].to_string(),
                "glob" => item["path"].to_string(),
                _ => item["definition"].to_string(),
            });
            seen.extend(items);
            let noted = typed["notes"].to_string();
            let next = match tool {
                "graph" => noted.split("offset").nth(1).map(|rest| {
                    let digits = rest.trim_start_matches(|letter: char| !letter.is_ascii_digit());
                    digits
                        .split(|letter: char| !letter.is_ascii_digit())
                        .next()
                        .unwrap()
                        .parse()
                        .unwrap()
                }),
                _ => typed["next_offset"].as_u64(),
            };
            let Some(next) = next else { break };
            assert_eq!(next, seen.len() as u64, "{tool}: {typed}");
            arguments["offset"] = next.into();
        }
        assert!(pages > 3, "{tool}: {pages}");
        assert_eq!(seen.len(), count, "{tool}");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), count, "{tool}: an item came twice");
    }
}

#[test]
fn a_failure_of_the_model_is_said_first() {
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(Vec::new()).otherwise(|| Turn::raw(401, &[], "{}"));
    let url = server.base_url();
    let variables = [("RETRIEVER_MODEL", "scripted"), ("RETRIEVER_BASE_URL", url.as_str())];
    let mut client = Client::connected(&fixture, &[], &variables, Value::Null);
    let answer = client.call("ask", json!({"question": "how are jobs queued?"}));
    assert!(text(&answer).starts_with("Warning: the model failed"), "{answer}");
    assert_eq!(answer["structuredContent"]["status"], "fallback");
}

#[test]
fn notes_on_a_question_are_said_before_its_map() {
    let fixture = Fixture::new(PROJECT);
    let mut client = Client::offline(&fixture);
    let answer = client
        .call("ask", json!({"question": "how are jobs queued?", "hints": ["src", "lib/none.rs"]}));
    let note = "Note: hint \"lib/none.rs\" names no file here and was ignored.\n\n";
    assert!(text(&answer).starts_with(note), "{answer}");
}

#[test]
fn what_a_model_can_mend_is_a_result_and_what_a_client_did_wrong_is_an_error() {
    let fixture = Fixture::new(PROJECT);
    let mut client = Client::offline(&fixture);
    for (tool, arguments, said) in [
        ("glob", json!({"pattern": "{a"}), "pattern"),
        ("grep", json!({}), "pattern"),
        ("read", json!({"file": "src/queu.rs"}), "src/queue.rs"),
        ("read", json!({"file": "../outside"}), "root"),
        ("ask", json!({"question": " "}), "empty"),
        ("ask", json!({"question": "x", "intent": "destroy"}), "answer"),
    ] {
        let result = client.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        assert!(text(&result).contains(said), "{said}: {result}");
    }
    let unknown = client.request("tools/call", json!({"name": "gerp", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
    let said = unknown["error"]["message"].as_str().unwrap();
    assert!(said.contains(": use ask, explore, context, grep, glob, read, graph;"), "{said}");
    assert!(unknown["error"]["message"].as_str().unwrap().contains("did you mean grep?"));
}

#[test]
fn ask_gives_the_map_as_text_and_object_and_says_each_step() {
    let fixture = Fixture::new(PROJECT);
    let report = json!({
        "summary": "Jobs are pushed by enqueue_job.",
        "primary": [{"ref": "src/queue.rs:1-4", "why": "pushes the job"}],
        "confidence": "high",
    });
    let server = ModelServer::start(vec![
        Turn::calls([("read", json!({"file": "src/queue.rs"}))]),
        Turn::submits(report),
    ]);
    let url = server.base_url();
    let variables = [
        ("RETRIEVER_MODEL", "scripted"),
        ("RETRIEVER_BASE_URL", url.as_str()),
        ("RETRIEVER_API_KEY", KEY),
    ];
    let mut client = Client::connected(&fixture, &[], &variables, Value::Null);
    let (answer, notes) = client.request_with_notes(
        "tools/call",
        json!({
            "name": "ask",
            "arguments": {"question": "how are jobs queued?", "snippets": true},
            "_meta": {"progressToken": "p"},
        }),
    );
    let shown = text(&answer["result"]);
    assert!(!shown.contains("jobs queued"), "the planner has the question: {shown}");
    let map = &answer["result"]["structuredContent"];
    let schemas = retriever::schemas();
    let validator = jsonschema::validator_for(&schemas["code_map"]).unwrap();
    assert!(validator.is_valid(map), "{map}");
    assert_eq!(map["meta"]["author"], "model");
    assert_eq!(map["primary"][0]["path"], "src/queue.rs");
    assert!(text(&answer["result"]).contains("QUEUE.lock()"), "{answer}");
    let progress: Vec<f64> = notes
        .iter()
        .filter(|note| note["method"] == "notifications/progress")
        .inspect(|note| assert_eq!(note["params"]["progressToken"], "p"))
        .map(|note| note["params"]["progress"].as_f64().unwrap())
        .collect();
    assert_eq!(progress, [1.0, 2.0, 3.0]);
    assert_eq!(notes[2]["params"]["message"], "step 2 of 10");
    assert_eq!(client.die().0.code(), Some(0));
}

#[test]
fn explore_gives_source_and_context_more_of_its_places() {
    let fixture = Fixture::new(PROJECT);
    let mut client = Client::offline(&fixture);
    let found = client.call("explore", json!({"query": "enqueue_job", "limit": 3}));
    assert!(text(&found).contains("QUEUE.lock().push(job)"), "{found}");
    let results = found["structuredContent"]["results"].as_array().unwrap();
    assert!((1..=3).contains(&results.len()), "{found}");
    assert_eq!(results[0]["path"], "src/queue.rs");
    let more = client.call("context", json!({"ids": [results[0]["id"]]}));
    assert_eq!(more["structuredContent"]["places"][0]["path"], "src/queue.rs", "{more}");
    for (tool, arguments, said) in [
        ("explore", json!({"query": " "}), "empty"),
        ("explore", json!({"query": "x", "budget": 3}), "budget"),
        ("explore", json!({}), "query"),
        ("context", json!({"ids": ["no-such-place"]}), "no-such-place"),
    ] {
        let refused = client.call(tool, arguments);
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(text(&refused).contains(said), "{said}: {refused}");
    }
}

#[test]
fn a_session_spans_the_calls_of_a_chat() {
    let fixture = Fixture::new(PROJECT);
    let mut client = Client::offline(&fixture);
    let arguments = json!({"question": "how are jobs queued?", "session": "chat"});
    for hit in [false, true] {
        let map = client.call("ask", arguments.clone());
        assert_eq!(map["structuredContent"]["meta"]["session"]["hit"], hit, "{map}");
    }
    let refused = client.call("ask", json!({"question": "x", "session": "a\u{1b}"}));
    assert_eq!(refused["isError"], true);
    assert!(text(&refused).contains("session"), "{refused}");
}

#[test]
fn a_session_ends_with_its_connection() {
    let fixture = Fixture::new(PROJECT);
    let asked = json!({"question": "how are jobs queued?", "session": "chat"});
    for _ in 0..2 {
        let mut client = Client::offline(&fixture);
        let map = client.call("ask", asked.clone());
        let typed = &map["structuredContent"];
        assert_eq!(typed["meta"]["session"]["hit"], false, "{map}");
        assert!(typed.get("known").is_none(), "{map}");
        let id = &typed["primary"][0]["id"];
        let context = client.call("context", json!({"ids": [id], "session": "chat"}));
        assert_eq!(context["isError"], false, "{context}");
        let alone = client.call("context", json!({"ids": [id]}));
        assert_eq!(alone["isError"], true, "{alone}");
        assert!(text(&alone).contains("`session`"), "{alone}");
    }
    let stored = walkdir::WalkDir::new(fixture.root().join("home"));
    let mut names = stored.into_iter().flatten().map(|entry| entry.into_path());
    assert!(!names.any(|path| path.extension().is_some_and(|it| it == "session")));
}

#[test]
fn a_cancelled_question_is_dropped_and_the_session_goes_on() {
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(Vec::new()).otherwise(|| Turn::hangs(Duration::from_secs(60)));
    let url = server.base_url();
    let variables = [("RETRIEVER_MODEL", "scripted"), ("RETRIEVER_BASE_URL", url.as_str())];
    let mut client = Client::connected(&fixture, &[], &variables, Value::Null);
    let asked = client.begin(
        "tools/call",
        json!({
            "name": "ask", "arguments": {"question": "how are jobs queued?"},
            "_meta": {"progressToken": 1},
        }),
    );
    // The model has the question once its step is told.
    while client.next()["params"]["message"] != "step 1 of 10" {}
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": asked},
    }));
    let found = client.call("glob", json!({"pattern": "**/*.rs"}));
    assert!(text(&found).contains("main.rs"), "{found}");
    let (status, time) = client.die();
    assert_eq!(status.code(), Some(0));
    // Nothing was under way that the server would have waited for.
    assert!(time < Duration::from_secs(3), "{time:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn fixed_roots_are_opened_before_the_sandbox_and_served_in_it() {
    let fixture = Fixture::new(
        "//- /a/one.rs\nfn one() {}\n//- /home/.config/retriever/config.toml\n[budget]\neffort = \"quick\"\n",
    );
    let mut client = Client::connected(&fixture, &["--offline", "--root", "a"], &[], Value::Null);
    let found = client.call("glob", json!({"pattern": "*.rs"}));
    assert!(text(&found).contains("one.rs"), "{found}");
    // Who enters a sandbox gives up new privileges for good.
    let threads = fs::read_dir(format!("/proc/{}/task", client.child.id())).unwrap();
    let mut states =
        threads.map(|thread| fs::read_to_string(thread.unwrap().path().join("status")).unwrap());
    assert!(states.any(|state| state.contains("NoNewPrivs:\t1")));
}

#[test]
fn the_clients_roots_are_served_unless_the_command_line_names_one() {
    let fixture =
        Fixture::new("//- /a/one.rs\nfn one() {}\n//- /a/inner/x\n//- /b c/two.rs\nfn two() {}\n");
    let (a, b) = (fixture.root().join("a"), fixture.root().join("b%20c"));
    for (arguments, roots, expected) in [
        (vec!["--offline"], root_of(&a), "1 file"),
        (vec!["--offline"], root_of(&b), "two.rs"),
        (vec!["--offline", "--root", "a"], root_of(&b), "one.rs"),
        (vec!["--offline"], json!([{"uri": "https://example.org/x"}]), "b c/two.rs"),
        (vec!["--offline"], Value::Null, "a/one.rs"),
    ] {
        let mut client = Client::connected(&fixture, &arguments, &[], roots.clone());
        let found = client.call("glob", json!({"pattern": "*.rs"}));
        assert!(text(&found).contains(expected), "{arguments:?} {roots}: {found}");
    }
    // A root that lies in another brings nothing new.
    let several = [&a, &b, &a.join("inner")].map(|path| root_of(path)[0].clone());
    let several = Value::from(several.to_vec());
    let mut client = Client::connected(&fixture, &["--offline"], &[], several);
    let found = text(&client.call("glob", json!({"pattern": "*.rs"}))).to_owned();
    assert!(found.contains("a/one.rs") && found.contains("b c/two.rs"), "{found}");
    let missing = root_of(&fixture.root().join("gone"));
    let mut client = Client::connected(&fixture, &["--offline"], &[], missing);
    let refused = client.call("glob", json!({"pattern": "*"}));
    assert_eq!(refused["isError"], true);
    assert!(text(&refused).contains("does not exist"), "{refused}");
    // The client mends it without a new session.
    client.roots = root_of(&a);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    let found = client.call("glob", json!({"pattern": "*.rs"}));
    assert!(text(&found).contains("one.rs"), "{found}");
}

#[test]
fn fifty_calls_at_once_are_all_answered_each_with_its_own_result() {
    let project: String = (0..50)
        .map(|number| format!("//- /src/f{number}.rs\nfn needle_{number}_end() {{}}\n"))
        .collect();
    let fixture = Fixture::new(&project);
    let mut client = Client::offline(&fixture);
    let mut open: std::collections::BTreeMap<u64, String> = (0..50)
        .map(|number| {
            let arguments = json!({"pattern": format!("needle_{number}_end")});
            let id = client.begin("tools/call", json!({"name": "grep", "arguments": arguments}));
            (id, format!("src/f{number}.rs"))
        })
        .collect();
    while !open.is_empty() {
        let answer = client.next();
        let path = open.remove(&answer["id"].as_u64().unwrap()).expect("one answer a call");
        assert!(text(&answer["result"]).contains(&path), "{path}: {answer}");
    }
}

#[test]
fn the_server_ends_with_its_client_even_in_the_middle_of_a_question() {
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(Vec::new()).otherwise(|| Turn::hangs(Duration::from_secs(60)));
    let url = server.base_url();
    let variables = [("RETRIEVER_MODEL", "scripted"), ("RETRIEVER_BASE_URL", url.as_str())];
    let mut client = Client::connected(&fixture, &[], &variables, Value::Null);
    client.begin("tools/call", json!({"name": "ask", "arguments": {"question": "how?"}}));
    let (status, _) = client.die();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_root_that_cannot_be_used_and_a_client_that_never_speaks_are_told_on_stderr() {
    let fixture = Fixture::new(PROJECT);
    for (arguments, code, said) in
        [(vec!["mcp", "--root", "gone"], 3, "does not exist"), (vec!["mcp"], 2, "MCP")]
    {
        let output = assert_cmd::Command::cargo_bin("retriever")
            .unwrap()
            .env_clear()
            .env("HOME", fixture.root())
            .current_dir(fixture.root())
            .args(&arguments)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    }
}
