//! Questions and sources of any kind: reading one and finding declarations in the other never panics, and every declaration
//! lies inside its text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retriever_search::{ParsedQuery, Question, declarations};
use retriever_workspace::Cancellation;

fuzz_target!(|text: &str| {
    let _ = ParsedQuery::of(&Question::new(text));
    let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    for extension in ["rs", "py", "ts", "go", "rb", "c", "kt", "swift", "hs", "ml", "erl", "txt"] {
        for declared in declarations(extension, text, &Cancellation::new()) {
            assert!(declared.declaration.range.end() <= lines.max(1), "{declared:?}");
        }
    }
});
