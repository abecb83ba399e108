//! A published graph with bytes changed by anybody: whatever a machine takes over, its graph is the one of its files.
#![no_main]

use std::{fs, path::Path, sync::Arc, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use retriever_graph::indexing::{GraphIndex, RemoteGraphSource};
use retriever_workspace::{Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig};

struct Tree {
    folder: tempfile::TempDir,
    parts: Vec<Vec<u8>>,
    exported: Vec<u8>,
}

/// A tree, its graph as it would be published, and what the graph says.
static TREE: LazyLock<Tree> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in
        [("a.ts", "export function a() {}\n"), ("b.ts", "import { a } from './a';\na();\n")]
    {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let store = tempfile::tempdir().expect("a folder");
    let index = open(folder.path(), Some(store.path()));
    let exported = exported(&index);
    let parts = index.portable().expect("a graph").parts;
    Tree { folder, parts, exported }
});

/// Hands out parts.
struct Published(Vec<Vec<u8>>);

impl RemoteGraphSource for Published {
    fn graph(&self, _: &Cancellation) -> Option<Box<dyn Iterator<Item = Option<Vec<u8>>> + Send>> {
        Some(Box::new(self.0.clone().into_iter().map(Some)))
    }

    fn facts(&self, _: &[u8; 32], _: &Cancellation, _: &mut dyn FnMut(&[u8; 8], &[u8])) {}

    fn address(&self) -> String {
        "published".to_owned()
    }

    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

fn open(root: &Path, store: Option<&Path>) -> GraphIndex {
    let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open(root, &config.0, &config.1).expect("a root");
    GraphIndex::new(Arc::new(workspace), store.map(Path::to_owned))
}

fn exported(index: &GraphIndex) -> Vec<u8> {
    let bytes = index.ask(&Cancellation::new(), |graph| {
        let mut bytes = Vec::new();
        graph.export(&mut bytes).expect("memory takes everything");
        bytes
    });
    bytes.expect("a graph")
}

fuzz_target!(|edits: Vec<(u8, u16, u8)>| {
    let mut parts = TREE.parts.clone();
    for (part, at, byte) in edits {
        let part = usize::from(part) % parts.len();
        let length = parts[part].len().max(1);
        if let Some(old) = parts[part].get_mut(usize::from(at) % length) {
            *old = byte;
        }
    }
    let store = tempfile::tempdir().expect("a folder");
    let index =
        open(TREE.folder.path(), Some(store.path())).with_upstream(Arc::new(Published(parts)));
    assert_eq!(exported(&index), TREE.exported);
});
