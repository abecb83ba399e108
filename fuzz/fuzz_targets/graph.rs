//! Projects of any kind: reading their files and resolving them together never panics, and every node lies inside its file.
//! A project is one text: `//- /src/a.rs` starts a file, as in the tests of the graph.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use retriever_graph::indexing::{Language, SourceFile, extract, is_manifest, resolve};

fuzz_target!(|project: &str| {
    let mut files = BTreeMap::new();
    let mut manifests = BTreeMap::new();
    for part in project.split("//- /").skip(1) {
        let Some((path, text)) = part.split_once('\n') else { continue };
        if is_manifest(path, text) {
            manifests.insert(path.to_owned(), text.to_owned());
        } else if let Some(language) = Language::of_path(path) {
            files.insert(path.to_owned(), (extract(language, text), text.lines().count()));
        }
    }
    let lines: BTreeMap<String, usize> =
        files.iter().map(|(path, (_, lines))| (path.clone(), *lines)).collect();
    let files = files.into_iter().map(|(path, (facts, _))| SourceFile { path, facts }).collect();
    let manifests: Vec<(String, String)> = manifests.into_iter().collect();
    let graph = resolve(files, &manifests).expect("there is enough memory");
    for node in graph.nodes() {
        let lines = lines.get(&node.path).copied().unwrap_or_default().max(1);
        assert!(node.start <= node.end && node.end as usize <= lines, "{node:?}");
    }
});
