//! Facts of a remote index that are well formed and say what no text says: this machine answers all the same.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use pretty_assertions::assert_eq;
use retriever_graph::indexing::{GraphIndex, Language, RemoteGraphSource, extract};
use retriever_workspace::{
    Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig, cache_file_io,
};

const TEXTS: &[(&str, &str)] = &[
    ("a.py", "class A(B):\n    def m(self, x: int):\n        return [self.m(y) for y in x]\n"),
    ("a.ts", "class A { f = (x: A[]) => x.map((y) => y.f(x)); }\n"),
];

/// Gives these facts for every content.
struct Crafted {
    facts: Vec<u8>,
    was_asked: AtomicBool,
}

impl RemoteGraphSource for Crafted {
    fn graph(&self, _: &Cancellation) -> Option<Box<dyn Iterator<Item = Option<Vec<u8>>> + Send>> {
        None
    }

    fn facts(&self, id: &[u8; 32], _: &Cancellation, keep: &mut dyn FnMut(&[u8; 8], &[u8])) {
        self.was_asked.store(true, Ordering::Relaxed);
        let record = cache_file_io::add_checksum(&[id, &self.facts[..]].concat());
        let (checksum, content) = record.split_at(cache_file_io::CHECKSUM_BYTES);
        // One block that is stored as it is.
        let length = u16::try_from(content.len()).unwrap();
        let block = [&[1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), content].concat();
        keep(id.first_chunk().unwrap(), &[&id[..], checksum, &block].concat());
    }

    fn address(&self) -> String {
        "crafted".to_owned()
    }

    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The graph of a tree by a machine that is given these facts, in words.
fn graph_by(root: &Path, facts: Vec<u8>) -> String {
    let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Arc::new(Workspace::open(root, &config.0, &config.1).unwrap());
    let remote = Arc::new(Crafted { facts, was_asked: AtomicBool::new(false) });
    let index = GraphIndex::new(workspace, None).with_upstream(remote.clone());
    let export = |graph: &retriever_graph::Graph| {
        let mut lines = Vec::new();
        graph.export(&mut lines).unwrap();
        String::from_utf8(lines).unwrap()
    };
    let graph = index.ask(&Cancellation::new(), export).unwrap();
    assert!(remote.was_asked.load(Ordering::Relaxed));
    graph
}

#[test]
fn no_number_in_the_facts_of_a_remote_stops_this_machine() {
    for (path, text) in TEXTS {
        let files = tempfile::tempdir().unwrap();
        let root = files.path().canonicalize().unwrap();
        fs::write(root.join(path), text).unwrap();
        let facts = extract(Language::of_path(path).unwrap(), text).to_bytes().unwrap();
        let own = graph_by(&root, Vec::new());
        assert_eq!(graph_by(&root, facts.clone()), own, "{path}");
        let mut others = 0;
        for at in 0..facts.len() {
            for number in [1, 0x7f] {
                let mut crafted = facts.clone();
                crafted[at] = number;
                others += usize::from(graph_by(&root, crafted) != own);
            }
        }
        assert!(others > 0, "{path}: nothing was taken from the remote");
    }
}
