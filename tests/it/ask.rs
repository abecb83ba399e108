//! `ask` from question to map against a scripted endpoint over real HTTP: whatever the model does, the map is valid, its
//! places were delivered, and its status, codes and confidence say what happened. The endpoint checks every request.

use std::{collections::BTreeMap, fs, time::Duration};

use pretty_assertions::assert_eq;
use retriever::{
    AskError, FallbackPolicy, RunEvent,
    config::BudgetConfig,
    report::{CodeMap, Confidence, MapStatus, RecommendedAction, StopReason},
    search::{Intent, PlaceRole},
};
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
    run::{Asking, places},
};

const PROJECT: &str = r#"
//- /src/dispatch.rs
use crate::{email, store};

/// Sends a notice through the channel it names.
pub fn dispatch_notice(notice: &Notice) -> Result<(), SendError> {
    match notice.channel {
        Channel::Email => email::send_email(notice),
        Channel::Stored => store::save_notice(notice),
    }
}
//- /src/email.rs
use crate::Notice;

/// Delivers a notice by SMTP.
pub fn send_email(notice: &Notice) -> Result<(), SendError> {
    let client = smtp_client();
    client.send(notice.to_message())
}
//- /src/store.rs
use std::fs::File;

/// Appends a notice to the journal.
pub fn save_notice(notice: &Notice) -> Result<(), SendError> {
    let mut file = File::options().append(true).open("journal")?;
    file.write_all(notice.as_bytes())?;
    file.flush()
}

pub const RETRY_LIMIT: u32 = 3;
//- /tests/dispatch_test.rs
#[test]
fn dispatches_to_email() {
    assert!(dispatch_notice(&Notice::email()).is_ok());
}
"#;

const QUESTION: &str = "how is a notice sent?";

fn read(file: &str) -> Value {
    json!({ "file": file })
}

/// A report on two places of the project, both read before.
fn good_report() -> Value {
    json!({
        "summary": "Notices go through dispatch_notice to one channel.",
        "flow": "dispatch_notice picks the channel and calls send_email.",
        "primary": [
            {"ref": "src/dispatch.rs:4-9", "role": "handler", "why": "picks the channel", "symbols": ["dispatch_notice"]},
            {"ref": "src/email.rs:4-7", "role": "api", "why": "delivers by SMTP", "symbols": ["send_email"]}
        ],
        "findings": [{"fact": "dispatch_notice calls send_email for Channel::Email", "refs": ["src/dispatch.rs:4-9"]}],
        "requested_roles": ["handler"],
        "recommended_primary_action": "answer_from_report",
        "confidence": "high"
    })
}

fn reads_both() -> Turn {
    Turn::calls([("read", read("src/dispatch.rs")), ("read", read("src/email.rs"))])
}

/// Asks with the script and checks what holds for every map.
async fn ask(script: Vec<Turn>) -> CodeMap {
    ask_with(script, |_| {}).await
}

async fn ask_with(script: Vec<Turn>, prepare: impl FnOnce(&mut Asking<'_>)) -> CodeMap {
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(script);
    let mut asking = Asking::new(&fixture, QUESTION);
    prepare(&mut asking);
    let answer = asking.ask(&server).await.unwrap();
    check(&fixture, &answer.map);
    answer.map
}

/// What no map may break: it fits its schema and its budget, and every place exists.
fn check(fixture: &Fixture, map: &CodeMap) {
    let value = serde_json::to_value(map).unwrap();
    let schemas = retriever::schemas();
    let validator = jsonschema::validator_for(&schemas["code_map"]).unwrap();
    let problems: Vec<String> =
        validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{problems:?}");
    assert!(map.meta.report_tokens <= 1_600, "{} tokens", map.meta.report_tokens);
    for place in places(map) {
        let text = fs::read_to_string(fixture.root().join(&place.path)).unwrap();
        assert!(place.start >= 1 && place.start <= place.end, "{place:?}");
        assert!(place.end as usize <= text.lines().count(), "{place:?}");
    }
}

fn has(map: &CodeMap, code: &str) -> bool {
    map.meta.reasons.iter().any(|reason| reason == code)
}

fn primaries(map: &CodeMap) -> Vec<String> {
    map.primary
        .iter()
        .map(|place| format!("{}:{}-{}", place.place.path, place.place.start, place.place.end))
        .collect()
}

#[tokio::test]
async fn a_clean_run_ends_in_a_complete_map() {
    let map = ask(vec![reads_both(), Turn::submits(good_report())]).await;
    assert_eq!(primaries(&map), ["src/dispatch.rs:4-9", "src/email.rs:4-7"]);
    assert_eq!(
        (map.status, map.confidence, map.recommended_primary_action),
        (MapStatus::Complete, Confidence::High, RecommendedAction::AnswerFromReport)
    );
    assert_eq!(
        (map.meta.stop_reason, map.meta.steps, map.meta.tool_calls),
        (StopReason::Submitted, 2, 2)
    );
    assert_eq!(map.meta.claimed_confidence, Some(Confidence::High));
    assert_eq!(map.meta.reasons, Vec::<String>::new());
    assert_eq!(map.meta.model.as_deref(), Some("scripted"));
    assert_eq!(map.findings.len(), 1);
    assert_eq!(map.meta.usage.map(|usage| usage.prompt_tokens), Some(200));
}

#[tokio::test]
async fn ids_of_tool_results_can_be_cited() {
    let cites = Turn::responds(|request| {
        let messages = request["messages"].as_array().unwrap();
        let shown = messages.iter().rev().find(|message| message["role"] == "tool").unwrap();
        let text = shown["content"].as_str().unwrap();
        let id = text.split('[').nth(1).unwrap().split(']').next().unwrap();
        Turn::submits(json!({
            "summary": "s", "primary": [{"ref": format!("{id}:4-7"), "role": "api", "why": "delivers"}]
        }))
    });
    let map = ask(vec![Turn::calls([("read", read("src/email.rs"))]), cites]).await;
    assert_eq!(primaries(&map), ["src/email.rs:4-7"]);
}

#[tokio::test]
async fn what_was_not_delivered_is_dropped_or_tightened_with_a_code() {
    // (what the model cites, what is left of it, the code)
    let cases: &[(&str, &[&str], &str)] = &[
        ("src/invented.rs:1-10", &[], "path_missing"),
        ("../outside.rs:1-2", &[], "path_outside"),
        ("/etc/passwd:1-2", &[], "path_outside"),
        ("src/store.rs:4-8", &[], "range_unobserved"),
        ("c999", &[], "ref_unknown"),
        // One line past what was delivered: the file has 9 lines.
        ("src/dispatch.rs:4-10", &["src/dispatch.rs:4-9"], "range_tightened"),
        ("src/dispatch.rs:1-400", &[], "range_unobserved"),
    ];
    for (cited, left, code) in cases {
        let report = json!({
            "summary": "s",
            "primary": [
                {"ref": cited, "role": "handler", "why": "picks the channel"},
                {"ref": "src/email.rs:4-7", "role": "api", "why": "delivers"}
            ]
        });
        let map =
            ask(vec![reads_both(), Turn::submits(report.clone()), Turn::submits(report)]).await;
        let mut expected: Vec<&str> = left.to_vec();
        expected.push("src/email.rs:4-7");
        assert_eq!(primaries(&map), expected, "{cited}");
        assert!(has(&map, code), "{cited}: {:?}", map.meta.reasons);
        assert!(map.confidence < Confidence::High, "{cited}");
    }
}

#[tokio::test]
async fn odd_spellings_of_a_delivered_place_are_kept() {
    let fixture = Fixture::new(PROJECT);
    let root = fs::canonicalize(fixture.root()).unwrap();
    for cited in [
        "./src/dispatch.rs:4-9".to_owned(),
        "src\\dispatch.rs:4-9".to_owned(),
        "src//dispatch.rs:4-9".to_owned(),
        "src/dispatch.rs#L4-L9".to_owned(),
        " src/dispatch.rs: 4 - 9 ".to_owned(),
        format!("{}/src/dispatch.rs:4-9", root.display()),
        format!("file://{}/src/dispatch.rs:4-9", root.display()),
    ] {
        let report =
            json!({"summary": "s", "primary": [{"ref": cited, "role": "handler", "why": "w"}]});
        let server = ModelServer::start(vec![reads_both(), Turn::submits(report)]);
        let map = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap().map;
        assert_eq!(primaries(&map), ["src/dispatch.rs:4-9"], "{cited}: {:?}", map.meta.reasons);
    }
}

#[tokio::test]
async fn lines_that_the_budget_cut_are_no_evidence() {
    let long: String =
        (1..=2_000).map(|n| format!("pub fn handler_{n}() {{ register({n}) }}\n")).collect();
    let fixture = Fixture::new("");
    fixture.write("src/long.rs", &long);
    let report = json!({
        "summary": "s",
        "primary": [
            {"ref": "src/long.rs:1-3", "role": "handler", "why": "first"},
            {"ref": "src/long.rs:1900-1910", "role": "handler", "why": "last"}
        ]
    });
    let server = ModelServer::start(vec![
        Turn::calls([("read", read("src/long.rs"))]),
        Turn::submits(report.clone()),
        Turn::submits(report),
    ]);
    let map =
        Asking::new(&fixture, "which handlers are registered?").ask(&server).await.unwrap().map;
    check(&fixture, &map);
    assert_eq!(primaries(&map), ["src/long.rs:1-3"]);
    assert!(has(&map, "range_unobserved"), "{:?}", map.meta.reasons);
    let shown = &server.requests()[1]["messages"];
    assert!(!shown.to_string().contains("handler_1900"), "the cut line was sent");
}

#[tokio::test]
async fn false_facts_and_unbacked_roles_do_not_stand() {
    let report = json!({
        "summary": "s",
        "primary": [{"ref": "src/store.rs:10-10", "role": "ui", "why": "limits retries"}],
        "findings": [
            {"fact": "RETRY_LIMIT is 3", "refs": ["src/store.rs:10-10"]},
            {"fact": "encrypt_row writes the payment to Postgres", "refs": ["src/store.rs:10-10"]}
        ]
    });
    // The turn for a repair submits the same again.
    let map = ask(vec![
        Turn::calls([("read", read("src/store.rs"))]),
        Turn::submits(report.clone()),
        Turn::submits(report),
    ])
    .await;
    assert_eq!(
        map.findings.iter().map(|f| f.fact.as_str()).collect::<Vec<_>>(),
        ["RETRY_LIMIT is 3"]
    );
    assert_eq!(map.primary[0].role, None);
    assert!(has(&map, "fact_unsupported") && has(&map, "role_unbacked"), "{:?}", map.meta.reasons);
    assert!(map.confidence < Confidence::High);
}

#[tokio::test]
async fn test_files_alone_never_raise_confidence() {
    let report = json!({
        "summary": "s", "primary": [{"ref": "tests/dispatch_test.rs:1-4", "role": "handler", "why": "w"}],
        "confidence": "high"
    });
    let turns = vec![
        Turn::calls([("read", read("tests/dispatch_test.rs"))]),
        Turn::submits(report.clone()),
        Turn::submits(report),
    ];
    let map = ask(turns).await;
    assert_eq!(map.confidence, Confidence::Low);
    assert_eq!(map.primary, []);
    assert!(has(&map, "support_only"), "{:?}", map.meta.reasons);
}

#[tokio::test]
async fn a_report_written_as_text_is_taken() {
    let report = good_report().to_string();
    for text in [
        report.clone(),
        format!("```json\n{report}\n```"),
        format!("Here is what I found:\n\n```\n{report}\n```\nI hope this helps."),
        format!("My report is {report} and nothing else."),
        json!({"name": "submit_report", "arguments": good_report()}).to_string(),
        format!("```json\n{}\n```", json!({"tool": "submit_report", "parameters": good_report()})),
    ] {
        let map = ask(vec![reads_both(), Turn::says(&text)]).await;
        assert_eq!(primaries(&map), ["src/dispatch.rs:4-9", "src/email.rs:4-7"], "{text}");
        assert_eq!(map.status, MapStatus::Complete, "{text}");
    }
}

#[tokio::test]
async fn calls_written_as_text_are_run() {
    for text in [
        r#"{"name": "read", "arguments": {"file": "src/dispatch.rs"}}"#,
        "I will look at it.\n```json\n{\"tool\": \"read\", \"arguments\": {\"file\": \"src/dispatch.rs\"}}\n```",
        r#"{"calls": [{"tool": "read", "arguments": {"file": "src/dispatch.rs"}}]}"#,
    ] {
        let report = json!({"summary": "s", "primary": [{"ref": "src/dispatch.rs:4-9", "role": "handler", "why": "w"}]});
        let map = ask(vec![Turn::says(text), Turn::submits(report)]).await;
        assert_eq!(primaries(&map), ["src/dispatch.rs:4-9"], "{text}");
        assert_eq!(map.meta.tool_calls, 1);
    }
}

#[tokio::test]
async fn a_report_cut_in_the_middle_keeps_what_was_complete() {
    let whole = good_report().to_string();
    let cut = &whole[..whole.find("\"recommended_primary_action\"").unwrap() + 12];
    let map = ask(vec![reads_both(), Turn::says(cut), Turn::says(cut)]).await;
    assert_eq!(primaries(&map), ["src/dispatch.rs:4-9", "src/email.rs:4-7"]);
    assert!(
        map.meta.reasons.iter().any(|code| code.starts_with("schema_")),
        "{:?}",
        map.meta.reasons
    );
    assert!(map.confidence < Confidence::High);
}

#[tokio::test]
async fn every_schema_error_is_named_in_one_repair_turn() {
    let bad = json!({
        "summary": 7,
        "primary": [{"ref": "src/nowhere.rs:1-2", "role": "wizard", "why": "w"}],
        "findings": [{"fact": "f", "refs": []}]
    });
    let fixture = Fixture::new(PROJECT);
    let server =
        ModelServer::start(vec![reads_both(), Turn::submits(bad), Turn::submits(good_report())]);
    let map = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap().map;
    assert_eq!(primaries(&map), ["src/dispatch.rs:4-9", "src/email.rs:4-7"]);
    let requests = server.requests();
    let repair = requests[2]["messages"].as_array().unwrap().last().unwrap()["content"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(repair.contains("path_missing") && repair.contains("src/nowhere.rs"), "{repair}");
    assert!(repair.contains("schema_"), "{repair}");
    assert_eq!(requests[2]["tool_choice"]["function"]["name"], "submit_report");
    assert!(requests[2]["tools"].as_array().unwrap().len() > 1, "the tool definitions are kept");
}

#[tokio::test]
async fn there_is_one_repair_turn_and_no_second() {
    let bad = json!({"summary": "s", "primary": [{"ref": "src/nowhere.rs:1-2", "role": "api", "why": "w"}]});
    let fixture = Fixture::new(PROJECT);
    let server =
        ModelServer::start(vec![reads_both(), Turn::submits(bad.clone()), Turn::submits(bad)]);
    let map = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap().map;
    check(&fixture, &map);
    assert_eq!(server.requests().len(), 3);
    // Nothing that the model cites was delivered: what was is worth more than an empty map.
    assert_eq!((map.status, map.confidence), (MapStatus::Fallback, Confidence::Low));
    assert!(primaries(&map).contains(&"src/dispatch.rs:4-9".to_owned()), "{map:?}");
}

#[tokio::test]
async fn the_events_tell_which_of_two_reports_became_the_answer() {
    let mut wrong = good_report();
    wrong["primary"].as_array_mut().unwrap().push(json!({"ref": "src/nowhere.rs:1-2", "why": "w"}));
    let mut without_flow = good_report();
    without_flow.as_object_mut().unwrap().remove("flow");
    for (second, kept) in [(good_report(), [true, true]), (without_flow, [true, false])] {
        let fixture = Fixture::new(PROJECT);
        let turns = vec![reads_both(), Turn::submits(wrong.clone()), Turn::submits(second)];
        let asking = Asking::new(&fixture, QUESTION);
        let map = asking.ask(&ModelServer::start(turns)).await.unwrap().map;
        let told: Vec<bool> = asking
            .events
            .all()
            .iter()
            .filter_map(|event| match event {
                RunEvent::DraftJudged { kept, .. } => Some(*kept),
                _ => None,
            })
            .collect();
        assert_eq!(told, kept);
        assert!(!map.flow.is_empty(), "{map:?}");
    }
}

#[tokio::test]
async fn unknown_tools_and_malformed_arguments_are_answered_in_words() {
    let odd = Turn::message(
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "run_shell", "arguments": "{\"cmd\": \"ls\"}"}},
            {"id": "b", "type": "function", "function": {"name": "read", "arguments": "{\"file\": \"src/em"}},
            {"id": "c", "type": "function", "function": {"name": "read", "arguments": "[1, 2]"}},
            {"id": "d", "type": "function", "function": {"name": "grep", "arguments": "{\"limit\": 3}"}},
            {"id": "e", "type": "function", "function": {"name": "read", "arguments": {"file": "src/email.rs", "start_line": "1"}}}
        ]}),
        "tool_calls",
    );
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![odd, reads_both(), Turn::submits(good_report())]);
    let map = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap().map;
    assert_eq!(map.status, MapStatus::Complete);
    let requests = server.requests();
    let answers: BTreeMap<String, String> = requests[1]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| {
            (
                message["tool_call_id"].as_str().unwrap().to_owned(),
                message["content"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    assert!(
        answers["a"].contains("run_shell") && answers["a"].contains("grep"),
        "{}",
        answers["a"]
    );
    assert!(answers["b"].contains("not valid JSON"), "{}", answers["b"]);
    assert!(answers["c"].contains("not a JSON object"), "{}", answers["c"]);
    assert!(answers["d"].contains("pattern"), "{}", answers["d"]);
    assert!(answers["e"].contains("send_email"), "{}", answers["e"]);
}

#[tokio::test]
async fn twenty_calls_at_once_are_all_answered_in_order() {
    let many = Turn::responds(|_| {
        let calls = (1..=20).map(|n| {
            let arguments = json!({"pattern": format!("notice|{n}")}).to_string();
            json!({"id": format!("p{n}"), "type": "function", "function": {"name": "grep", "arguments": arguments}})
        });
        Turn::message(
            json!({"role": "assistant", "tool_calls": calls.collect::<Vec<_>>()}),
            "tool_calls",
        )
    });
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![many, reads_both(), Turn::submits(good_report())]);
    let map = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap().map;
    assert_eq!(map.meta.tool_calls, 22);
    let requests = server.requests();
    let ids = requests[1]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|message| message["tool_call_id"].as_str());
    let expected: Vec<String> = (1..=20).map(|n| format!("p{n}")).collect();
    assert_eq!(ids.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn the_same_call_forever_ends_with_diminishing_returns() {
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![])
        .otherwise(|| Turn::calls([("grep", json!({"pattern": "dispatch_notice"}))]));
    let asking = Asking::new(&fixture, QUESTION);
    let map = asking.ask(&server).await.unwrap().map;
    check(&fixture, &map);
    assert_eq!(
        (map.status, map.meta.stop_reason),
        (MapStatus::Fallback, StopReason::DiminishingReturns)
    );
    assert_eq!(map.confidence, Confidence::Low);
    assert!(server.requests().len() <= 10);
    let redundant = asking.events.all().iter().any(
        |event| matches!(event, RunEvent::RunFinished { redundant_calls, .. } if *redundant_calls >= 3),
    );
    assert!(redundant);
}

#[tokio::test]
async fn reads_inside_delivered_lines_cost_nearly_nothing() {
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![
        Turn::calls([("read", read("src/dispatch.rs"))]),
        Turn::calls([(
            "read",
            json!({"file": "src/dispatch.rs", "start_line": 4, "num_lines": 3}),
        )]),
        Turn::submits(good_report()),
        Turn::submits(good_report()),
    ]);
    Asking::new(&fixture, QUESTION).ask(&server).await.unwrap();
    let requests = server.requests();
    let answer = requests[2]["messages"].as_array().unwrap().last().unwrap()["content"]
        .as_str()
        .unwrap()
        .to_owned();
    let lines: Vec<&str> = answer.lines().collect();
    assert_eq!(lines[0], r#"read file="src/dispatch.rs" num_lines=3 start_line=4:"#);
    assert!(lines[1].starts_with("Already shown as c"), "{answer}");
    assert!(lines[2].starts_with("(left: 8 steps, 38 calls, "), "{answer}");
    assert!(answer.len() < 260, "{answer}");
}

#[tokio::test]
async fn a_model_that_never_calls_ends_in_a_fallback_map() {
    for turn in [
        || Turn::says("I think the answer is somewhere in the code."),
        || Turn::says(""),
        || Turn::message(json!({"role": "assistant", "content": null}), "stop"),
        || Turn::message(json!({"role": "assistant", "content": "thinking …"}), "length"),
    ] {
        let fixture = Fixture::new(PROJECT);
        let server = ModelServer::start(vec![]).otherwise(turn);
        let map = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap().map;
        check(&fixture, &map);
        assert_eq!((map.status, map.meta.stop_reason), (MapStatus::Fallback, StopReason::NoReport));
        assert_eq!(map.confidence, Confidence::Low);
        assert!(!map.primary.is_empty(), "the fallback has places");
        assert!(server.requests().len() <= 10);
    }
}

#[tokio::test]
async fn failures_that_pass_are_retried() {
    for failure in [
        Turn::rate_limited("0"),
        Turn::raw(500, &[], "oops"),
        Turn::raw(503, &[], json!({"error": {"message": "loading", "type": "unavailable_error"}})),
        Turn::drops_connection(),
        Turn::cuts_answer(),
        Turn::raw(200, &[], json!({"error": {"message": "upstream is down", "code": 502}})),
    ] {
        let map = ask(vec![failure, reads_both(), Turn::submits(good_report())]).await;
        assert_eq!((map.status, map.confidence), (MapStatus::Complete, Confidence::High));
    }
}

#[tokio::test]
async fn a_provider_that_dies_leaves_a_map_or_the_documented_error() {
    let dead = || Turn::raw(500, &[], json!({"error": {"message": "dead", "code": 500}}));
    let report = json!({"summary": "s", "requested_roles": ["handler"], "primary": [
        {"ref": "src/none.rs:1-2", "role": "handler", "why": "w"},
        {"ref": "src/email.rs:4-7", "role": "api", "why": "w"},
    ]});
    // Before the first observation, after some, and after a report that was to be repaired.
    let scripts: Vec<(Vec<Turn>, MapStatus)> = vec![
        (vec![], MapStatus::Fallback),
        (
            vec![
                Turn::calls([("read", read("src/dispatch.rs"))]),
                Turn::calls([("read", read("src/email.rs"))]),
                Turn::calls([("read", read("src/store.rs"))]),
                Turn::calls([("grep", json!({"pattern": "notice"}))]),
                Turn::calls([("glob", json!({"pattern": "**/*.rs"}))]),
            ],
            MapStatus::Fallback,
        ),
        (vec![reads_both(), Turn::submits(report)], MapStatus::Partial),
    ];
    for (script, status) in scripts {
        let fixture = Fixture::new(PROJECT);
        let server = ModelServer::start(script).otherwise(dead);
        let answer = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap();
        check(&fixture, &answer.map);
        assert_eq!(
            (answer.map.status, answer.map.meta.stop_reason),
            (status, StopReason::ModelError)
        );
        assert_eq!(answer.map.confidence, Confidence::Low);
        assert!(has(&answer.map, "model_server"), "{:?}", answer.map.meta.reasons);
        assert!(answer.model_error.is_some());
    }
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![]).otherwise(dead);
    let asking = Asking { fallback: FallbackPolicy::Refuse, ..Asking::new(&fixture, QUESTION) };
    assert!(matches!(asking.ask(&server).await, Err(AskError::Model(_))));
}

#[tokio::test]
async fn a_hang_leaves_time_for_the_grace_turn() {
    let budget = BudgetConfig { timeout_s: 2, ..BudgetConfig::default() };
    let turns =
        vec![reads_both(), Turn::hangs(Duration::from_secs(30)), Turn::submits(good_report())];
    let map = ask_with(turns, |asking| asking.budget = budget.clone()).await;
    assert_eq!((map.status, map.meta.stop_reason), (MapStatus::Complete, StopReason::Deadline));
    assert_eq!(primaries(&map), ["src/dispatch.rs:4-9", "src/email.rs:4-7"]);

    let turns = vec![
        reads_both(),
        Turn::hangs(Duration::from_secs(30)),
        Turn::hangs(Duration::from_secs(30)),
    ];
    let map = ask_with(turns, |asking| asking.budget = budget).await;
    assert_eq!((map.status, map.meta.stop_reason), (MapStatus::Fallback, StopReason::Deadline));
    assert!(map.meta.elapsed_ms < 10_000);
}

#[tokio::test]
async fn refused_parameters_are_left_out_for_the_rest_of_the_run() {
    let refusal = Turn::refuses("tool_choice is not supported by this model");
    let budget = BudgetConfig { max_steps: 2, ..BudgetConfig::default() };
    let turns =
        vec![reads_both(), refusal, Turn::submits(good_report()), Turn::submits(good_report())];
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(turns);
    let asking = Asking { budget, ..Asking::new(&fixture, QUESTION) };
    let map = asking.ask(&server).await.unwrap().map;
    assert_eq!((map.status, map.meta.stop_reason), (MapStatus::Complete, StopReason::StepBudget));
    assert_eq!(map.meta.steps, 2);
}

#[tokio::test]
async fn a_conversation_too_long_for_the_model_is_halved_and_ends_in_a_report() {
    let refusal = Turn::raw(
        400,
        &[],
        json!({"error": {"code": 400, "type": "exceed_context_size_error", "message": "the request exceeds the context"}}),
    );
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![reads_both(), refusal, Turn::submits(good_report())]);
    let map = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap().map;
    assert_eq!((map.status, map.meta.stop_reason), (MapStatus::Complete, StopReason::Submitted));
    assert_eq!(
        primaries(&map),
        ["src/dispatch.rs:4-9", "src/email.rs:4-7"],
        "what was shown stays evidence"
    );
    let sizes: Vec<usize> =
        server.requests().iter().map(|request| request["messages"].to_string().len()).collect();
    assert!(sizes[2] < sizes[1], "{sizes:?}");
    assert_eq!(server.requests()[2]["tool_choice"]["function"]["name"], "submit_report");
}

#[tokio::test]
async fn budgets_end_the_exploration_and_force_the_report() {
    let cases = [
        (BudgetConfig { max_steps: 2, ..BudgetConfig::default() }, StopReason::StepBudget),
        (BudgetConfig { max_tool_calls: 2, ..BudgetConfig::default() }, StopReason::CallBudget),
        (
            BudgetConfig { observation_tokens: 1_200, ..BudgetConfig::default() },
            StopReason::ObservationBudget,
        ),
    ];
    for (budget, stop) in cases {
        let fixture = Fixture::new(PROJECT);
        let server = ModelServer::start(vec![reads_both()]).otherwise(|| {
            Turn::responds(|request| {
                if request["tool_choice"].is_null() {
                    let asked = request["messages"].as_array().unwrap().len();
                    return Turn::calls([(
                        "grep",
                        json!({"pattern": "notice|use|pub|fn", "limit": asked}),
                    )]);
                }
                assert_eq!(request["tool_choice"]["function"]["name"], "submit_report");
                assert!(request["tools"].as_array().unwrap().len() > 1);
                Turn::submits(good_report())
            })
        });
        let asking = Asking { budget, ..Asking::new(&fixture, QUESTION) };
        let map = asking.ask(&server).await.unwrap().map;
        check(&fixture, &map);
        assert_eq!((map.status, map.meta.stop_reason), (MapStatus::Complete, stop));
    }
}

#[tokio::test]
async fn calls_beyond_the_budget_are_answered_and_not_run() {
    let budget = BudgetConfig { max_tool_calls: 1, ..BudgetConfig::default() };
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![
        reads_both(),
        Turn::submits(good_report()),
        Turn::submits(good_report()),
    ]);
    let asking = Asking { budget, ..Asking::new(&fixture, QUESTION) };
    let map = asking.ask(&server).await.unwrap().map;
    assert_eq!(map.meta.tool_calls, 1);
    assert_eq!(
        primaries(&map),
        ["src/dispatch.rs:4-9"],
        "what the unrun call would have shown is no evidence"
    );
}

#[tokio::test]
async fn a_report_beside_tool_calls_is_taken_after_they_ran() {
    let both = Turn::calls([
        ("submit_report", good_report()),
        ("read", read("src/dispatch.rs")),
        ("read", read("src/email.rs")),
    ]);
    let map = ask(vec![both]).await;
    assert_eq!(primaries(&map), ["src/dispatch.rs:4-9", "src/email.rs:4-7"]);
}

#[tokio::test]
async fn a_file_that_changes_during_the_run_is_stale() {
    let fixture = Fixture::new(PROJECT);
    let path = fixture.root().join("src/dispatch.rs");
    let edits = Turn::responds(move |_| {
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("// edited\n{text}")).unwrap();
        Turn::submits(good_report())
    });
    let server = ModelServer::start(vec![reads_both(), edits, Turn::submits(good_report())]);
    let map = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap().map;
    assert_eq!(primaries(&map), ["src/email.rs:4-7"]);
    assert!(has(&map, "stale"), "{:?}", map.meta.reasons);
}

#[tokio::test]
async fn a_read_target_keeps_its_own_lines_beside_a_primary_of_the_same_file() {
    let report = json!({
        "summary": "s",
        "primary": [{"ref": "src/store.rs:4-8", "role": "persistence", "why": "appends"}],
        "read_targets": [{"ref": "src/store.rs:10-10", "purpose": "raise the limit", "required": true}]
    });
    let turns = vec![Turn::calls([("read", read("src/store.rs"))]), Turn::submits(report)];
    let map = ask_with(turns, |asking| asking.question.intent = Intent::Edit).await;
    assert_eq!(map.recommended_primary_action, RecommendedAction::ReadTargets);
    assert_eq!((map.read_targets[0].place.start, map.read_targets[0].place.end), (10, 10));
    assert_eq!(primaries(&map), ["src/store.rs:4-8"]);
}

#[tokio::test]
async fn a_role_the_caller_requires_and_nobody_found_lowers_confidence() {
    let map = ask_with(
        vec![reads_both(), Turn::submits(good_report()), Turn::submits(good_report())],
        |asking| {
            asking.question.roles = vec![PlaceRole::Render];
        },
    )
    .await;
    assert!(map.confidence < Confidence::High);
    assert!(has(&map, "role_missing_critical"), "{:?}", map.meta.reasons);
}

#[tokio::test]
async fn what_the_repository_does_not_have_is_reported_as_missing() {
    let report = json!({
        "summary": "There is no payment code here.",
        "missing": [{"what": "payment capture", "critical": true}],
        "gap_search": {"terms": ["payment"], "scopes": ["src"]}
    });
    let turns =
        vec![Turn::calls([("grep", json!({"pattern": "payment|invoice"}))]), Turn::submits(report)];
    let map = ask(turns).await;
    assert_eq!(map.status, MapStatus::Complete);
    assert_eq!((map.confidence, map.primary.len()), (Confidence::Low, 0));
    assert!(matches!(
        map.recommended_primary_action,
        RecommendedAction::Skip | RecommendedAction::TargetedGapSearch
    ));
}

#[tokio::test]
async fn an_interrupt_still_yields_a_map() {
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![reads_both(), Turn::hangs(Duration::from_secs(30))]);
    let asking = Asking::new(&fixture, QUESTION);
    let cancel = asking.cancel.clone();
    let (answer, ()) = tokio::join!(asking.ask(&server), async {
        while server.requests().len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    });
    let map = answer.unwrap().map;
    check(&fixture, &map);
    assert_eq!((map.status, map.meta.stop_reason), (MapStatus::Fallback, StopReason::Interrupted));
    assert!(map.meta.elapsed_ms < 5_000);
}

#[tokio::test]
async fn offline_reads_what_it_reports() {
    let fixture = Fixture::new(PROJECT);
    let answer = Asking::new(&fixture, QUESTION).ask_offline().await;
    check(&fixture, &answer.map);
    assert_eq!((answer.map.status, answer.map.confidence), (MapStatus::Complete, Confidence::Low));
    assert_eq!(serde_json::to_value(answer.map.meta.author).unwrap(), "offline");
    assert!(
        primaries(&answer.map).iter().any(|place| place.starts_with("src/dispatch.rs")),
        "{:?}",
        answer.map
    );

    let again = Asking::new(&fixture, QUESTION).ask_offline().await;
    let timeless = |mut map: CodeMap| {
        map.meta.elapsed_ms = 0;
        map.meta.report_tokens = 0;
        map
    };
    assert_eq!(timeless(again.map), timeless(answer.map), "the same question has the same answer");
}

#[tokio::test]
async fn offline_leads_with_tests_only_if_they_are_asked_for() {
    let fixture = Fixture::new(
        "//- /src/rounding.py\ndef round_total(total):\n    return round(total, 2)\n\
         //- /tests/test_rounding.py\ndef test_round_total():\n    assert round_total(1.005) == 1.0\n",
    );
    for (question, roles, leads) in [
        ("which test covers the rounding of a total?", &[][..], true),
        ("where is a total rounded?", &[PlaceRole::Test], true),
        ("where is a total rounded?", &[], false),
    ] {
        let mut asking = Asking::new(&fixture, question);
        asking.question.roles = roles.to_vec();
        let map = asking.ask_offline().await.map;
        let is_test = |place: &String| place.starts_with("tests/");
        assert_eq!(primaries(&map).iter().any(is_test), leads, "{question} {roles:?}: {map:?}");
    }
}

#[tokio::test]
async fn offline_claims_no_name_for_lines_that_are_without_it() {
    let filler: String = (0..300).map(|n| format!("    x{n} = {n}\n")).collect();
    let source =
        format!("//- /ledger.py\ndef enormous():\n{filler}    flush_journal(x1)\n{filler}");
    let fixture = Fixture::new(&source);
    let map = Asking::new(&fixture, "when is the journal flushed").ask_offline().await.map;
    check(&fixture, &map);
    assert!(
        map.primary.iter().any(|place| place.place.start > 1 && place.place.end >= 302),
        "{map:?}"
    );
    assert!(!has(&map, "fact_unsupported"), "{:?}", map.meta.reasons);
}

#[tokio::test]
async fn offline_says_when_nothing_matches() {
    let fixture = Fixture::new(PROJECT);
    let pasted = format!("It stops\n{}", "    at other.Thing.run(Thing.java:7)\n".repeat(600));
    assert!(pasted.len() > 20_000);
    for question in [
        "where is the kubernetes autoscaler?",
        "the",
        "?",
        "où est la facturation ?",
        "課金はどこで行われますか",
        &pasted,
    ] {
        let map = Asking::new(&fixture, question).ask_offline().await.map;
        check(&fixture, &map);
        assert_eq!(map.confidence, Confidence::Low, "{question}");
        assert_ne!(
            map.recommended_primary_action,
            RecommendedAction::AnswerFromReport,
            "{question}"
        );
    }
}

#[tokio::test]
async fn lines_around_a_hit_that_were_not_printed_cannot_be_cited() {
    let report = json!({
        "summary": "s",
        "primary": [
            {"ref": "src/dispatch.rs:2-9", "role": "handler", "why": "w"},
            {"ref": "src/email.rs:4-4", "role": "handler", "why": "w"}
        ]
    });
    let grep = Turn::calls([("grep", json!({"pattern": "pub fn (dispatch|send)_"}))]);
    let map = ask(vec![grep, Turn::submits(report.clone()), Turn::submits(report)]).await;
    assert_eq!(primaries(&map), ["src/email.rs:4-4"]);
    assert_eq!(map.confidence, Confidence::Low, "a line of a search is no reading");
}

#[tokio::test]
async fn lines_of_every_language_are_evidence() {
    let fixture = Fixture::new(
        "//- /auth.py\ndef check(user):\n    if user is None:\n        raise AuthError\n\
         //- /deploy.yml\nservices:\n  web:\n    replicas: 3\n\
         //- /schema.sql\nCREATE TABLE users (\n  id INTEGER\n);\n\
         //- /odd:name.txt\none\ntwo\n",
    );
    for (file, range) in
        [("auth.py", "2-3"), ("deploy.yml", "2-3"), ("schema.sql", "1-3"), ("odd:name.txt", "1-2")]
    {
        let report = json!({"summary": "s", "primary": [{"ref": format!("{file}:{range}"), "role": "data", "why": "w"}]});
        let server =
            ModelServer::start(vec![Turn::calls([("read", read(file))]), Turn::submits(report)]);
        let map = Asking::new(&fixture, "what is checked?").ask(&server).await.unwrap().map;
        assert_eq!(primaries(&map), [format!("{file}:{range}")], "{:?}", map.meta.reasons);
    }
}

#[tokio::test]
async fn a_word_from_another_domain_does_not_steer_the_answer() {
    let fixture = Fixture::new(
        "//- /src/forms/update_form.ts\nexport function updateForm(api: Api) {\n  api.update();\n}\n\
         //- /src/invoices/rounding.ts\nexport function roundInvoiceTotal(total: number) {\n  return Math.round(total * 100) / 100;\n}\n\
         //- /src/api/update.ts\nexport const update = () => fetch('/update');\n",
    );
    let map = Asking::new(&fixture, "where does the update of an invoice total get rounded?")
        .ask_offline()
        .await
        .map;
    assert_eq!(map.primary[0].place.path, "src/invoices/rounding.ts", "{:?}", primaries(&map));
}
