//! Facts of a remote index that are well formed and say what no text says: whatever they are, the machine that takes them builds a
//! graph and ends.
#![no_main]

use std::{fs, sync::Arc, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use retriever_graph::indexing::{GraphIndex, Language, RemoteGraphSource, extract};
use retriever_workspace::{
    Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig, cache_file_io,
};

const TEXTS: &[(&str, &str)] = &[
    ("a.py", "class A(B):\n    def m(self, x: int):\n        return [self.m(y) for y in x]\n"),
    (
        "a.ts",
        "import { a } from './a';\nclass A extends a { f = (x: A[]) => x.map((y) => y.f(x)); }\n",
    ),
    (
        "a.rs",
        "trait T { fn m(&self) -> Self; }\nimpl<X: T> T for Vec<X> { fn m(&self) -> Self { self.m() } }\n",
    ),
    (
        "a.cpp",
        "template <class A> struct B : A { using C = B<A>; C* m() { return this->m()->m(); } };\n",
    ),
];

struct Tree {
    folder: tempfile::TempDir,
    facts: Vec<u8>,
}

static TREES: LazyLock<Vec<Tree>> = LazyLock::new(|| {
    let tree = |(path, text): &(&str, &str)| {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(path), text).expect("a file");
        let language = Language::of_path(path).expect("a language of its own");
        let facts = extract(language, text).to_bytes().expect("facts of a short text");
        Tree { folder, facts }
    };
    TEXTS.iter().map(tree).collect()
});

/// Gives these facts for every content.
struct Crafted(Vec<u8>);

impl RemoteGraphSource for Crafted {
    fn graph(&self, _: &Cancellation) -> Option<Box<dyn Iterator<Item = Option<Vec<u8>>> + Send>> {
        None
    }

    fn facts(&self, id: &[u8; 32], _: &Cancellation, keep: &mut dyn FnMut(&[u8; 8], &[u8])) {
        let record = cache_file_io::add_checksum(&[id, &self.0[..]].concat());
        let (checksum, content) = record.split_at(cache_file_io::CHECKSUM_BYTES);
        // One block that is stored as it is.
        let length = u16::try_from(content.len()).expect("facts of a short text");
        let block = [&[1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), content].concat();
        keep(id.first_chunk().expect("32 bytes"), &[&id[..], checksum, &block].concat());
    }

    fn address(&self) -> String {
        "crafted".to_owned()
    }

    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

fuzz_target!(|input: (u8, Vec<(u16, u8)>)| {
    let (tree, edits) = input;
    let tree = &TREES[usize::from(tree) % TREES.len()];
    let mut facts = tree.facts.clone();
    for (at, byte) in edits {
        let at = usize::from(at) % facts.len();
        facts[at] = byte;
    }
    let (config, traits) = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open(tree.folder.path(), &config, &traits).expect("a root");
    let index = GraphIndex::new(Arc::new(workspace), None).with_upstream(Arc::new(Crafted(facts)));
    let exported = index.ask(&Cancellation::new(), |graph| {
        let mut bytes = Vec::new();
        graph.export(&mut bytes).expect("memory takes everything");
        bytes
    });
    assert!(!exported.expect("a graph").is_empty());
});
