//! Maps after a model that did not report: within the limits of the run, from lines that were delivered and still stand.

use std::{fs, time::Duration};

use pretty_assertions::assert_eq;
use retriever::{
    RunEvent,
    config::BudgetConfig,
    report::{CodeMap, Confidence, MapStatus, PrimaryPlace, ReportAuthor, StopReason},
};
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

fn dead() -> Turn {
    Turn::raw(500, &[], json!({"error": {"message": "dead", "code": 500}}))
}

fn paths(map: &CodeMap) -> Vec<&str> {
    map.primary.iter().map(|item| item.place.path.as_str()).collect()
}

#[tokio::test]
async fn a_dead_endpoint_leaves_a_map_of_the_best_candidates() {
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![]).otherwise(dead);
    let asking = Asking::new(&fixture, QUESTION);
    let map = asking.ask(&server).await.unwrap().map;
    assert_eq!(
        (map.status, map.confidence, map.meta.author),
        (MapStatus::Fallback, Confidence::Low, ReportAuthor::Fallback)
    );
    let enqueues = |item: &PrimaryPlace| item.symbols == ["enqueue_job"];
    assert!(map.primary.iter().any(enqueues), "{map:?}");
    assert_eq!((map.meta.steps, map.meta.stop_reason), (1, StopReason::ModelError));
    let calls = |event: &&RunEvent| matches!(event, RunEvent::ToolFinished { .. });
    assert_eq!(asking.events.all().iter().filter(calls).count(), map.meta.tool_calls as usize);
}

#[tokio::test]
async fn the_fallback_has_no_limits_of_its_own() {
    let limits = [
        (BudgetConfig { max_steps: 1, max_tool_calls: 1, ..BudgetConfig::default() }, 1),
        (BudgetConfig { max_steps: 2, max_tool_calls: 2, ..BudgetConfig::default() }, 2),
    ];
    for (budget, limit) in limits {
        let fixture = Fixture::new(PROJECT);
        let server = ModelServer::start(vec![]).otherwise(dead);
        let asking = Asking { budget, ..Asking::new(&fixture, QUESTION) };
        let map = asking.ask(&server).await.unwrap().map;
        assert_eq!(map.status, MapStatus::Fallback);
        assert!(map.meta.steps <= limit && map.meta.tool_calls <= limit, "{:?}", map.meta);
        assert!(!map.primary.is_empty(), "{limit}");
    }
}

#[tokio::test]
async fn time_is_reserved_for_the_fallback() {
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![]).otherwise(|| Turn::hangs(Duration::from_secs(30)));
    let budget = BudgetConfig { timeout_s: 1, ..BudgetConfig::default() };
    let asking = Asking { budget, ..Asking::new(&fixture, QUESTION) };
    let map = asking.ask(&server).await.unwrap().map;
    assert_eq!((map.status, map.meta.stop_reason), (MapStatus::Fallback, StopReason::Deadline));
    assert!(map.meta.tool_calls > 0 && paths(&map).contains(&"src/queue.rs"), "{map:?}");
}

#[tokio::test]
async fn after_an_interrupt_nothing_more_is_read() {
    let fixture = Fixture::new(PROJECT);
    let server = ModelServer::start(vec![Turn::hangs(Duration::from_secs(30))]);
    let asking = Asking::new(&fixture, QUESTION);
    let cancel = asking.cancel.clone();
    let (answer, ()) = tokio::join!(asking.ask(&server), async {
        while server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    });
    let map = answer.unwrap().map;
    assert_eq!((map.meta.stop_reason, map.meta.tool_calls), (StopReason::Interrupted, 0));
    // The packet delivered the first lines of the candidates.
    assert!(paths(&map).contains(&"src/queue.rs"), "{map:?}");
    assert!(map.primary.iter().all(|item| item.place.start == item.place.end), "{map:?}");
}

#[tokio::test]
async fn a_run_without_a_model_that_is_ended_early_names_no_model() {
    let fixture = Fixture::new(PROJECT);
    let asking = Asking::new(&fixture, QUESTION);
    asking.cancel.cancel();
    let map = asking.ask_offline().await.map;
    assert_eq!((map.meta.stop_reason, map.status), (StopReason::Interrupted, MapStatus::Fallback));
    assert_eq!((map.meta.author, map.meta.model), (ReportAuthor::Offline, None));
}

#[tokio::test]
async fn a_file_that_changed_during_the_run_is_not_cited() {
    let fixture = Fixture::new(PROJECT);
    let path = fixture.root().join("src/queue.rs");
    let read = Turn::calls([("read", json!({"file": "src/queue.rs"}))]);
    let edit = Turn::responds(move |_| {
        fs::write(&path, "// Nothing is left.\n").unwrap();
        dead()
    });
    let server = ModelServer::start(vec![read, edit]).otherwise(dead);
    let budget = BudgetConfig { max_tool_calls: 1, ..BudgetConfig::default() };
    let asking = Asking { budget, ..Asking::new(&fixture, QUESTION) };
    let map = asking.ask(&server).await.unwrap().map;
    assert_eq!(map.status, MapStatus::Fallback);
    assert_eq!(paths(&map), ["src/worker.rs"], "{map:?}");
}

#[tokio::test]
async fn with_nothing_delivered_there_is_still_something_to_search_for() {
    let fixture = Fixture::new("//- /src/data.bin\n\u{0}\n");
    let server = ModelServer::start(vec![]).otherwise(dead);
    let map = Asking::new(&fixture, "where are sessions stored?").ask(&server).await.unwrap().map;
    assert_eq!((map.status, map.confidence), (MapStatus::Fallback, Confidence::Low));
    assert_eq!(map.primary, []);
    assert!(map.gap_search.terms.contains(&"sessions".to_owned()), "{map:?}");
}
