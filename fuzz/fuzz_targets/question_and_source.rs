//! Questions and sources of any kind: reading one and finding declarations in the other never panics, and every declaration
//! lies inside its text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retriever::{Question, recon};

fuzz_target!(|text: &str| {
    let _ = search::ParsedQuery::of(&Question::new(text));
    let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    for extension in ["rs", "py", "ts", "go", "rb", "c", "kt", "swift", "txt"] {
        for declared in search::declarations(extension, text) {
            assert!(declared.declaration.range.end() <= lines.max(1), "{declared:?}");
        }
    }
});
