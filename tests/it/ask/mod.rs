//! `ask` from question to map against a scripted endpoint over real HTTP: whatever the model does, the map is valid, its
//! places were delivered, and its status, codes and confidence say what happened. The endpoint checks every request.

mod answers_of_models;
mod failures;
mod offline;

use std::fs;

use pretty_assertions::assert_eq;
use retriever::{
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
