//! Whatever form a model gives its calls and reports, and however often it errs.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;
use retriever::{
    RunEvent,
    report::{Confidence, MapStatus, StopReason},
};
use serde_json::json;

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
    run::Asking,
};

use super::{PROJECT, QUESTION, ask, check, good_report, primaries, read, reads_both};

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
    let mut fewer = good_report();
    fewer["primary"].as_array_mut().unwrap().truncate(1);
    // What a repair leaves out stays as it was, and so does what its lists leave out.
    let changed_alone = json!({"primary": good_report()["primary"]});
    for (second, kept) in [
        (good_report(), [true, true]),
        (fewer, [true, true]),
        (changed_alone, [true, true]),
        (json!({}), [true, true]),
    ] {
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
        assert!(!map.flow.is_empty() && map.primary.len() == 2, "{map:?}");
        assert_eq!(map.status, MapStatus::Complete);
    }
}

#[tokio::test]
async fn that_something_is_not_there_takes_a_search_of_all_files_in_any_case() {
    let absent = json!({
        "summary": "There is no zebra.",
        "primary": [],
        "findings": [],
        "missing": [{"what": "Zebras", "critical": true}],
        "recommended_primary_action": "answer_from_report",
        "confidence": "high"
    });
    for (search, confidence) in [
        (json!({"pattern": "zebra|stripes", "ignore_case": true}), Confidence::Medium),
        (json!({"pattern": "zebra|stripes"}), Confidence::Low),
        (json!({"pattern": "zebra", "ignore_case": true, "path": "src"}), Confidence::Low),
        (
            json!({"pattern": "zebra|stripes", "ignore_case": true, "literal": true}),
            Confidence::Low,
        ),
    ] {
        let fixture = Fixture::new(PROJECT);
        let turns = vec![Turn::calls([("grep", search.clone())]), Turn::submits(absent.clone())];
        let asking = Asking::new(&fixture, "Which zebra has its stripes painted?");
        let map = asking.ask(&ModelServer::start(turns)).await.unwrap().map;
        assert_eq!(map.confidence, confidence, "{search}: {:?}", map.meta.reasons);
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

/// A model that writes its report together with calls has not seen what they bring. It is asked once more.
#[tokio::test]
async fn what_calls_beside_a_report_bring_is_evidence_for_the_next_one_only() {
    let both = Turn::calls([
        ("submit_report", good_report()),
        ("read", read("src/dispatch.rs")),
        ("read", read("src/email.rs")),
    ]);
    let map = ask(vec![both, Turn::calls([("submit_report", good_report())])]).await;
    assert_eq!(primaries(&map), ["src/dispatch.rs:4-9", "src/email.rs:4-7"]);
    assert_eq!(map.meta.steps, 2);
}
