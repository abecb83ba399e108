//! How dense a map is, against numbers that were computed by hand, and where a caller gets to know.

use pretty_assertions::assert_eq;
use retriever::{
    Event,
    report::{CodeMap, Density, Widths},
};
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
    run::Asking,
};

fn map(more: &Value) -> CodeMap {
    let mut map = json!({
        "version": 1, "question": "how?", "intent": "answer", "status": "complete", "confidence": "low",
        "recommended_primary_action": "skip",
        "meta": { "author": "model", "stop_reason": "submitted", "steps": 3, "tool_calls": 7,
            "observed_tokens": 5000, "report_tokens": 400, "elapsed_ms": 12 },
    });
    map.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(map).unwrap()
}

#[test]
fn widths_are_summed_up_by_hand_computed_ranks() {
    for (widths, median, p90, over_120) in [
        (&[][..], 0.0, 0, 0.0),
        (&[7], 7.0, 7, 0.0),
        (&[121, 1], 61.0, 121, 0.5),
        (&[3, 1, 2], 2.0, 3, 0.0),
        (&[1, 2, 3, 4, 5, 6, 7, 8, 9, 500], 5.5, 9, 0.1),
        (&[120, 120, 120, 120], 120.0, 120, 0.0),
    ] {
        let is = Widths::of(widths.iter().copied());
        assert_eq!(is, Widths { places: widths.len(), median, p90, over_120 }, "{widths:?}");
    }
}

#[test]
fn a_map_is_measured_against_what_was_read_for_it() {
    let place = |path: &str, start: u32, end: u32| json!({ "path": path, "start": start, "end": end, "why": "w" });
    let map = map(&json!({
        "summary": "It runs let value_of_line = compute(); and more.",
        "primary": [place("a.rs", 1, 10), place("b.rs", 1, 200)],
        "secondary": [place("a.rs", 1, 10)],
        "read_targets": [{ "path": "c.rs", "start": 5, "end": 5, "purpose": "p", "required": true }],
    }));
    let sources = ["fn a() {\n    let value_of_line = compute();\n}\n", "x\n"];
    let density = Density::of(&map, sources);
    assert_eq!((density.report_tokens, density.observed_tokens), (400, 5000));
    assert!((density.compression - 0.08).abs() < 1e-9);
    // The short lines of the file don't count, even where the prose holds them.
    assert_eq!(density.raw_source_bytes, 30);
    assert_eq!(density.primary, Widths::of([10, 200]));
    // A place that is named twice counts once.
    assert_eq!(density.cited, Widths::of([10, 200, 1]));
    assert_eq!(map.paths().into_iter().collect::<Vec<_>>(), ["a.rs", "b.rs", "c.rs"]);
}

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
    assert!(matches!(events.last(), Some(Event::RunFinished { .. })), "{last}");
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
