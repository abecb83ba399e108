//! A report in whatever a model wrote: finding it, reading it, and reading it as JSON never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retriever::report;

fuzz_target!(|text: &str| {
    let _ = report::parse_text(text);
    if let Ok(value) = serde_json::from_str(text) {
        let parsed = report::parse(&value);
        let _ = report::repair_note(&parsed.problems);
    }
});
