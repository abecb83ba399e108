//! Bytes of any kind as a SCIP index: reading and importing it never panics, and every edge of the graph has two ends.
#![no_main]

use std::{fs, sync::Arc, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use retriever_graph::indexing::{GraphIndex, ScipIndex};
use retriever_workspace::{Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig};

/// A folder with two files that documents of an index may be of.
static TREE: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in
        [("a.ts", "export function a() {}\n"), ("b.ts", "import { a } from './a';\na();\n")]
    {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(scip) = ScipIndex::parse(bytes) else { return };
    let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open(TREE.path(), &config.0, &config.1).expect("a root");
    let index = GraphIndex::new(Arc::new(workspace), None);
    let _ = index.import(&[scip]);
    let whole = index.ask(&Cancellation::new(), |graph| {
        graph
            .edges()
            .all(|edge| graph.heading(edge.from).is_some() && graph.heading(edge.to).is_some())
    });
    assert!(whole.expect("a graph"));
});
