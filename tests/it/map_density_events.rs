//! The density figures of a run reach its observer.

use pretty_assertions::assert_eq;
use retriever::RunEvent;
use serde_json::json;

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
    run::Asking,
};

#[tokio::test]
async fn the_last_event_of_a_run_has_the_density_of_its_map() {
    let fixture = Fixture::new("//- /src/a.py\ndef total(basket):\n    return sum(basket)\n");
    let server = ModelServer::start(vec![
        Turn::calls([("read", json!({ "file": "src/a.py" }))]),
        Turn::submits(json!({
            "summary": "total adds up",
            "primary": [{ "ref": "src/a.py:1-2", "role": "handler", "why": "adds up" }],
        })),
    ]);
    let asking = Asking::new(&fixture, "what does total do?");
    let map = asking.ask(&server).await.unwrap().map;
    let events = asking.events.all();
    let last = serde_json::to_value(events.last().unwrap()).unwrap();
    assert!(matches!(events.last(), Some(RunEvent::RunFinished { .. })), "{last}");
    for (key, value) in [
        ("report_tokens", json!(map.meta.report_tokens)),
        ("observed_tokens", json!(map.meta.observed_tokens)),
        ("raw_source_bytes", json!(0)),
        ("primary", json!({ "places": 1, "median": 2.0, "p90": 2, "over_120": 0.0 })),
    ] {
        assert_eq!(last[key], value, "{key}");
    }
    let compression = map.meta.report_tokens as f64 / map.meta.observed_tokens as f64;
    assert!((last["compression"].as_f64().unwrap() - compression).abs() < 1e-9);
}
