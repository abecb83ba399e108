//! Sources of any kind in every language: taking the graph's facts from one and resolving them never panics, and every node
//! lies inside its file.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use retriever::index::{Language, SourceFile, extract, resolve};

fuzz_target!(|input: (u8, &str)| {
    let (number, text) = input;
    let language = Language::ALL[usize::from(number) % Language::ALL.len()];
    let path = format!("src/a.{}", language.name());
    let files = [SourceFile { path, facts: Arc::new(extract(language, text)) }];
    let graph = resolve(&files, &[]);
    let lines = u32::try_from(text.split('\n').count()).unwrap_or(u32::MAX);
    for node in graph.nodes() {
        assert!(node.start <= node.end && node.end <= lines.max(1), "{node:?}");
    }
});
