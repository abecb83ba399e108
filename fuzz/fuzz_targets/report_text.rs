//! A report in whatever a model wrote: finding it, reading it, and reading it as JSON never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retriever_report::{parse, parse_text, repair_note};

fuzz_target!(|text: &str| {
    let _ = parse_text(text);
    if let Ok(value) = serde_json::from_str(text) {
        let parsed = parse(&value);
        let _ = repair_note(&parsed.problems);
    }
});
