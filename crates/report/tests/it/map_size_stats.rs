//! Density figures of maps, compared with values computed by hand.

use pretty_assertions::assert_eq;
use retriever_report::{CodeMap, MapSizeStats, PlaceWidths};
use serde_json::{Value, json};

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
        let is = PlaceWidths::of(widths.iter().copied());
        assert_eq!(is, PlaceWidths { places: widths.len(), median, p90, over_120 }, "{widths:?}");
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
    let density = MapSizeStats::of(&map, sources);
    assert_eq!((density.report_tokens, density.observed_tokens), (400, 5000));
    assert!((density.compression - 0.08).abs() < 1e-9);
    // The short lines of the file don't count, even where the prose holds them.
    assert_eq!(density.raw_source_bytes, 30);
    assert_eq!(density.primary, PlaceWidths::of([10, 200]));
    // A place that is named twice counts once.
    assert_eq!(density.cited, PlaceWidths::of([10, 200, 1]));
    assert_eq!(map.paths().into_iter().collect::<Vec<_>>(), ["a.rs", "b.rs", "c.rs"]);
}
