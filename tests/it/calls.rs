//! The calls of a run: each has a number, a start and an end; what was delivered once is not delivered again unless it has
//! changed or was cut; a tool that cannot go on ends the run.

use std::{fs, sync::Arc};

use pretty_assertions::assert_eq;
use retriever::{
    Retriever, RunEvent, RunOptions,
    config::{BudgetConfig, Config},
    report::{MapStatus, StopReason},
    tools::{Tool, ToolContext, ToolError, ToolObservation, ToolOutcome, ToolOutput},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
    run::Asking,
};

const PROJECT: &str = "\
//- /src/queue.rs
/// Puts a job into the queue.
pub fn enqueue_job(job: Job) {
    QUEUE.lock().push(job);
}
//- /src/worker.rs
/// Takes jobs off the queue.
pub fn run_worker() {
    while let Some(job) = QUEUE.lock().pop() {
        job.run();
    }
}
";

const QUESTION: &str = "how is a job queued?";

fn report(place: &str) -> Turn {
    Turn::submits(json!({"summary": "s", "primary": [{"ref": place, "why": "w"}]}))
}

/// The tool results of the last request.
fn results(server: &ModelServer) -> Vec<String> {
    let requests = server.requests();
    let messages = requests.last().unwrap()["messages"].as_array().unwrap();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn every_call_has_a_number_of_its_own_a_start_and_an_end() {
    let fixture = Fixture::new(PROJECT);
    let mixed = Turn::responds(|_| {
        let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "read", "arguments": arguments}});
        let calls = [
            call("a", r#"{"file": "src/queue.rs"}"#),
            call("b", "{\"file\": "),
            call("c", r#"{"file": "src/worker.rs"}"#),
            call("d", r#"{"file": "src/none.rs"}"#),
        ];
        Turn::message(json!({"role": "assistant", "tool_calls": calls}), "tool_calls")
    });
    let server = ModelServer::start(vec![mixed, report("src/queue.rs:1-4")]);
    // The last call is over the limit: it is answered and not run.
    let budget = BudgetConfig { max_tool_calls: 3, ..BudgetConfig::default() };
    let asking = Asking { budget, ..Asking::new(&fixture, QUESTION) };
    asking.ask(&server).await.unwrap();
    let (mut started, mut finished) = (Vec::new(), Vec::new());
    for event in asking.events.all() {
        match event {
            RunEvent::ToolStarted { call, arguments, .. } => started.push((call, arguments)),
            RunEvent::ToolFinished { call, .. } => finished.push(call),
            _ => {}
        }
    }
    let numbers: Vec<u32> = started.iter().map(|(call, _)| *call).collect();
    assert_eq!((numbers, finished), (vec![1, 2, 3, 4], vec![1, 2, 3, 4]));
    assert_eq!(started[1].1, json!("{\"file\": "));
}

#[tokio::test]
async fn the_same_call_is_run_again_once_its_file_has_changed() {
    let read = || Turn::calls([("read", json!({"file": "src/queue.rs"}))]);
    let grep = || Turn::calls([("grep", json!({"pattern": "QUEUE"}))]);
    let calls: [fn() -> Turn; 2] = [read, grep];
    for call in calls {
        let fixture = Fixture::new(PROJECT);
        let path = fixture.root().join("src/queue.rs");
        let edited = Turn::responds(move |_| {
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, text.replace("push(job)", "push_back(job)")).unwrap();
            call()
        });
        let server = ModelServer::start(vec![call(), call(), edited, report("src/queue.rs:3-3")]);
        let map = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap().map;
        let results = results(&server);
        assert!(results[1].contains("answered in step 1"), "{results:?}");
        assert!(results[2].contains("push_back(job)"), "{results:?}");
        assert_eq!(map.primary[0].place.path, "src/queue.rs");
        assert!(!map.meta.reasons.contains(&"stale".to_owned()), "{:?}", map.meta.reasons);
    }
}

#[tokio::test]
async fn lines_that_were_cut_are_not_called_shown() {
    let body: String = (1..=400)
        .map(|n| format!("register(handler_{n}, \"a text to fill the line\");\n"))
        .collect();
    let fixture = Fixture::new("");
    fixture.write("src/routes.js", format!("function routes() {{\n{body}}}\n"));
    fixture.write("src/other.js", "function other() {}\n");
    let grep = |pattern: &str| {
        Turn::calls([("grep", json!({"pattern": pattern, "path": "src/routes.js", "limit": 400}))])
    };
    let budget = BudgetConfig { observation_tokens: 9_000, ..BudgetConfig::default() };
    let server = ModelServer::start(vec![
        grep("register"),
        grep("register\\("),
        Turn::calls([(
            "read",
            json!({"file": "src/routes.js", "start_line": 300, "num_lines": 20}),
        )]),
        report("src/routes.js:2-3"),
    ]);
    let asking = Asking { budget, ..Asking::new(&fixture, "where are handlers registered?") };
    asking.ask(&server).await.unwrap();
    let results = results(&server);
    assert!(results[0].contains("more lines not shown"), "{}", results[0]);
    for result in &results {
        assert!(
            !result.contains("Already shown") && !result.contains("the very lines"),
            "{result}"
        );
    }
}

#[tokio::test]
async fn what_was_shown_is_not_sent_again_unless_it_is_asked_for_once_more() {
    let lines: String = (1..=90).map(|n| format!("job({n});\n")).collect();
    let fixture = Fixture::new("");
    fixture.write("src/jobs.js", &lines);
    let read = |start: u32, lines: u32| {
        let arguments = json!({"file": "src/jobs.js", "start_line": start, "num_lines": lines});
        Turn::calls([("read", arguments)])
    };
    let server = ModelServer::start(vec![
        read(1, 50),
        read(1, 60),
        read(5, 9),
        read(5, 9),
        read(1, 60),
        read(5, 9),
        report("src/jobs.js:2-3"),
    ]);
    Asking::new(&fixture, "where are jobs made?").ask(&server).await.unwrap();
    let results = results(&server);
    assert!(results[1].contains("51-60\n") && !results[1].contains("job(50)"), "{}", results[1]);
    assert!(results[1].contains("lines 1-50: shown before as c"), "{}", results[1]);
    assert!(results[2].contains("Already shown as c"), "{}", results[2]);
    assert!(results[3].contains(":5-13]\n    5| job(5);"), "{}", results[3]);
    assert!(results[4].contains("job(1)") && results[4].contains("job(60)"), "{}", results[4]);
    assert!(results[5].contains("The same call was answered"), "{}", results[5]);
}

#[tokio::test]
async fn calls_that_are_fenced_one_by_one_are_all_run() {
    let fixture = Fixture::new(PROJECT);
    let call = |file: &str| {
        format!("```json\n{{\"name\": \"read\", \"arguments\": {{\"file\": \"{file}\"}}}}\n```\n")
    };
    let text = format!(
        "First\n{}then\n{}and again\n{}",
        call("src/queue.rs"),
        call("src/worker.rs"),
        call("src/queue.rs")
    );
    let server = ModelServer::start(vec![Turn::says(&text), report("src/worker.rs:2-6")]);
    let map = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap().map;
    assert_eq!((map.meta.tool_calls, map.primary.len()), (2, 1));
}

#[tokio::test]
async fn of_one_answer_a_limited_number_of_calls_is_run() {
    let fixture = Fixture::new(PROJECT);
    let pattern = |at: usize| json!({"pattern": format!("job{at}")});
    let spoken: String = (0..500).map(|at| format!("{}\n", json!({"grep": pattern(at)}))).collect();
    let listed = json!((0..5_000).map(|at| json!({"grep": pattern(at)})).collect::<Vec<_>>());
    for turn in [
        Turn::calls(std::array::from_fn::<_, 500, _>(|at| ("grep", pattern(at)))),
        Turn::says(&listed.to_string()),
        Turn::says(&spoken),
    ] {
        let server = ModelServer::start(vec![turn]).otherwise(|| report("src/worker.rs:2-6"));
        let budget = BudgetConfig { max_tool_calls: 1_000, ..BudgetConfig::default() };
        let asking = Asking { budget, ..Asking::new(&fixture, QUESTION) };
        asking.ask(&server).await.unwrap();
        let answered = server.requests()[1]["messages"].as_array().unwrap().clone();
        let results = answered.iter().filter(|message| message["role"] == "tool");
        assert_eq!(results.count(), 64);
    }
}

/// A tool that fails for good.
struct Broken;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Serialize, JsonSchema)]
struct Never {}

impl ToolOutput for Never {
    fn observation(&self) -> ToolObservation {
        ToolObservation::sentence(ToolOutcome::NoMatch, "never")
    }
}

impl Tool for Broken {
    const NAME: &'static str = "broken";
    type Arguments = Nothing;
    type Output = Never;

    fn run(&self, _: &ToolContext, _: Nothing) -> Result<Never, ToolError> {
        Err(ToolError::Fatal("the disk is gone".to_owned()))
    }
}

#[tokio::test]
async fn a_tool_that_cannot_go_on_ends_the_run_with_a_map() {
    let fixture = Fixture::new(PROJECT);
    let calls = Turn::calls([("read", json!({"file": "src/queue.rs"})), ("broken", json!({}))]);
    let server = ModelServer::start(vec![calls]);
    let retriever = Retriever::builder(fixture.root())
        .model(Arc::new(server.model()))
        .tool(Broken)
        .build()
        .unwrap();
    let question = retriever::Question::new(QUESTION);
    let answer = retriever.ask(question, RunOptions::default()).await.unwrap();
    assert_eq!(answer.tool_error.as_deref(), Some("the disk is gone"));
    let map = answer.map;
    assert_eq!((map.status, map.meta.stop_reason), (MapStatus::Fallback, StopReason::ToolError));
    assert!(map.meta.reasons.contains(&"tool_failed".to_owned()), "{:?}", map.meta.reasons);
    assert_eq!(server.requests().len(), 1);
    assert!(!map.primary.is_empty());
}

/// Makes the same turn again and again.
type Script = fn() -> Turn;

/// Each limit, with a model that never ends, one that fails, and none.
#[tokio::test]
async fn no_part_of_a_run_goes_beyond_its_limits() {
    let endless = || {
        Turn::responds(|request| {
            let number = request["messages"].as_array().unwrap().len();
            Turn::calls([
                ("grep", json!({"pattern": format!("job|queue|{number}"), "context": 2})),
                ("read", json!({"file": "src/worker.rs", "start_line": number % 6 + 1})),
                (
                    "graph",
                    json!({"operation": "callers", "target": "enqueue_job", "depth": number % 9 + 1}),
                ),
            ])
        })
    };
    let dead = || Turn::raw(500, &[], json!({"error": {"message": "dead", "code": 500}}));
    let defaults = BudgetConfig::default;
    let limits = [
        BudgetConfig { max_steps: 1, ..defaults() },
        BudgetConfig { max_steps: 3, ..defaults() },
        BudgetConfig { max_tool_calls: 1, ..defaults() },
        BudgetConfig { max_tool_calls: 4, ..defaults() },
        BudgetConfig { observation_tokens: 600, ..defaults() },
        BudgetConfig { observation_tokens: 1_500, ..defaults() },
    ];
    for budget in limits {
        let scripts: [(&str, Option<Script>); 3] =
            [("endless", Some(endless)), ("dead", Some(dead)), ("offline", None)];
        for (name, turn) in scripts {
            let fixture = Fixture::new(PROJECT);
            let asking = Asking { budget: budget.clone(), ..Asking::new(&fixture, QUESTION) };
            let map = match turn {
                Some(turn) => {
                    let server = ModelServer::start(vec![]).otherwise(turn);
                    asking.ask(&server).await.unwrap().map
                }
                None => asking.ask_offline().await.map,
            };
            let limits = Config::default().limits(&budget, 2);
            let used = (map.meta.steps, map.meta.tool_calls);
            assert!(
                used.0 <= limits.steps && used.1 <= limits.calls,
                "{name} {budget:?}: {used:?}"
            );
            // Headlines and one-line refusals are printed even when no room is left.
            assert!(
                map.meta.observed_tokens <= limits.tokens + 400,
                "{name} {budget:?}: {:?}",
                map.meta
            );
            let told = asking.events.all();
            let begun = told.iter().filter(|event| matches!(event, RunEvent::StepStarted { .. }));
            assert_eq!(begun.count(), map.meta.steps as usize, "{name} {budget:?}");
        }
    }
}

#[tokio::test]
async fn grep_shows_as_many_matches_as_asked_for_and_those_of_tests_last() {
    let fixture = Fixture::new("");
    let lines = |count: u32| (0..count).map(|n| format!("jobs.push({n});\n")).collect::<String>();
    fixture.write("a/tests/queue_test.js", lines(3));
    fixture.write("src/queue.js", lines(70));
    fixture.write("src/worker.js", lines(3));
    let grep =
        Turn::calls([("grep", json!({"pattern": "jobs.push", "literal": true, "limit": 75}))]);
    let server = ModelServer::start(vec![grep, report("src/queue.js:1-2")]);
    Asking::new(&fixture, QUESTION).ask(&server).await.unwrap();
    let result = results(&server).remove(0);
    let lines: Vec<&str> = result.lines().collect();
    assert_eq!(lines[0], r#"grep limit=75 literal=true pattern="jobs.push":"#);
    assert_eq!(lines[1], r#"75 of 76 matches in 3 files for "jobs.push""#);
    let at = |path: &str| lines.iter().position(|line| line.starts_with(path));
    assert!(
        at("src/queue.js") < at("src/worker.js") && at("src/worker.js") < at("a/tests"),
        "{result}"
    );
    assert!(result.contains("offset=75") && result.contains("limit=75"), "{result}");
    assert!(lines.last().unwrap().starts_with("(left: 9 steps, 39 calls, "), "{result}");
}

#[tokio::test]
async fn context_that_was_delivered_is_named_and_a_reason_is_given_once() {
    let fixture = Fixture::new("");
    fixture.write("a.txt", (1..=40).map(|n| format!("line {n}\n")).collect::<String>());
    fixture.write("server.pem", "line\n");
    let grep = |pattern, context| json!({"pattern": pattern, "context": context});
    let two = Turn::calls([("grep", grep("line 1[05]$", 4)), ("grep", grep("line 12$", 8))]);
    let server = ModelServer::start(vec![two, report("a.txt:12")]);
    Asking::new(&fixture, QUESTION).ask(&server).await.unwrap();
    let results = results(&server);
    let second = &results[1];
    assert!(second.contains("[c1:12] 12| line 12"), "{second}");
    assert!(!second.contains("line 13") && second.contains("] 20| line 20"), "{second}");
    assert!(second.contains("shown before in a.txt: 6-11 as c1, 13-19 as c1"), "{second}");
    let explained: Vec<bool> =
        results.iter().map(|text| text.contains("may hold secrets")).collect();
    assert_eq!(explained, [true, false], "{results:?}");
}

#[tokio::test]
async fn what_is_left_stands_below_the_last_result_of_a_turn() {
    let fixture = Fixture::new("//- /a.rs\nfn a() {}\n//- /b.rs\nfn b() {}\n");
    let two = Turn::calls([("read", json!({"file": "a.rs"})), ("read", json!({"file": "b.rs"}))]);
    let server = ModelServer::start(vec![two, report("a.rs:1")]);
    Asking::new(&fixture, QUESTION).ask(&server).await.unwrap();
    let results = results(&server);
    let says_left: Vec<bool> = results.iter().map(|text| text.contains("(left: ")).collect();
    assert_eq!(says_left, [false, true], "{results:?}");
}
