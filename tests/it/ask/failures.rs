//! Endpoints that fail, hang or refuse, and limits that are reached.

use std::time::Duration;

use pretty_assertions::assert_eq;
use retriever::{
    AskError, ModelFailurePolicy,
    config::BudgetConfig,
    model::ModelError,
    report::{Confidence, MapStatus, RecommendedAction, StopReason},
};
use serde_json::json;

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
    run::Asking,
};

use super::{
    PROJECT, QUESTION, ask, ask_with, check, good_report, has, primaries, read, reads_both,
};

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
    // What holds of a report that was to be repaired is less than was asked for, however sure the rest of it is.
    let mut report = good_report();
    report["findings"]
        .as_array_mut()
        .unwrap()
        .push(json!({"fact": "flush_all ends it", "refs": ["src/email.rs:4-7"]}));
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![reads_both(), Turn::submits(report)]).otherwise(dead);
    let map = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap().map;
    assert_eq!((map.status, map.confidence), (MapStatus::Partial, Confidence::Medium));
    assert!(has(&map, "partial"), "{:?}", map.meta.reasons);
    assert_eq!(map.recommended_primary_action, RecommendedAction::ReadTargets);
    assert_eq!(primaries(&map), ["src/dispatch.rs:4-9", "src/email.rs:4-7"]);

    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![]).otherwise(dead);
    let asking = Asking { fallback: ModelFailurePolicy::Refuse, ..Asking::new(&fixture, QUESTION) };
    assert!(matches!(asking.ask(&server).await, Err(AskError::Model(_))));
}

#[tokio::test]
async fn a_model_without_a_report_that_holds_has_failed_and_says_why() {
    let unread = json!({
        "summary": "It starts there.",
        "primary": [{"ref": "src/dispatch.rs:900-910", "why": "starts it"}],
        "findings": [{"fact": "`nothing_here` starts it.", "refs": ["src/ghost.rs:1-3"]}],
    });
    let submits = || vec![Turn::submits(unread.clone()), Turn::submits(unread.clone())];
    let of_report: &[&str] = &["path_missing", "range_unobserved"];
    for (script, codes) in [(submits(), of_report), (Vec::new(), &[])] {
        let is_report = !script.is_empty();
        let prose = || Turn::says("I don't know.");
        let fixture = Fixture::new(PROJECT);
        let server = ModelServer::start(script).otherwise(prose);
        let answer = Asking::new(&fixture, QUESTION).ask(&server).await.unwrap();
        assert_eq!(answer.map.status, MapStatus::Fallback);
        for code in [&["model_no_report"], codes].concat() {
            assert!(has(&answer.map, code), "{code}: {:?}", answer.map.meta.reasons);
        }
        let Some(ModelError::NoReport { refused }) = answer.model_error else {
            panic!("{:?}", answer.model_error)
        };
        assert_eq!(!refused.is_empty(), is_report, "{refused:?}");

        let fixture = Fixture::new(PROJECT);
        let server = ModelServer::start(if is_report { submits() } else { Vec::new() });
        let server = server.otherwise(prose);
        let asking =
            Asking { fallback: ModelFailurePolicy::Refuse, ..Asking::new(&fixture, QUESTION) };
        let failed = asking.ask(&server).await;
        assert!(matches!(failed, Err(AskError::Model(ModelError::NoReport { .. }))), "{failed:?}");
    }
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
