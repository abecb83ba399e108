//! A question that is cancelled while it walks the graph ends early, has no answer, and leaves the graph as it was.

use std::{fmt::Write as _, fs, sync::Arc};

use pretty_assertions::assert_eq;
use retriever_graph::{
    Graph, NodeQuery, OpenCallTarget,
    indexing::{GraphIndex, IndexError},
};
use retriever_workspace::{Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig};

use super::{lookup, one};

/// Functions of which each calls the next.
const FUNCTIONS: usize = 400;

/// Walks the graph, and returns how much was found.
type Walk = fn(&Graph) -> usize;

const WALKS: &[(&str, Walk)] = &[
    ("trace", |graph| graph.trace_any(&[one(graph, "f0")], &[one(graph, "last")]).visited),
    ("made", |graph| graph.trace_made(&[one(graph, "Job.run")], &[one(graph, "last")]).visited),
    ("callers", |graph| related(graph, NodeQuery::Callers)),
    ("callees", |graph| related(graph, NodeQuery::Callees)),
    ("search", |graph| graph.search("f", 1_000).0.len()),
    ("search members", |graph| graph.search("ob run", 1_000).0.len()),
    ("nearest", |graph| format!("{:?}", lookup(graph, "f_1")).len()),
    ("open calls", |graph| {
        let run = graph.node(one(graph, "Job.run")).unwrap();
        graph.open_calls_by_name_of(run, OpenCallTarget::Unknown).len()
    }),
];

fn related(graph: &Graph, operation: NodeQuery) -> usize {
    graph.related(operation, &[one(graph, "f200")], 10, 0, 1_000).total
}

#[test]
fn a_walk_ends_with_its_question() {
    let files = tempfile::tempdir().unwrap();
    let root = files.path().canonicalize().unwrap();
    let mut text = "class Job:\n    def __init__(self):\n        f0()\n    def run(self):\n        pass\n\ndef open(it):\n    it.run()\n\n".to_owned();
    for at in 0..FUNCTIONS {
        writeln!(text, "def f{at}():\n    f{}()\n", at + 1).unwrap();
    }
    writeln!(text, "def f{FUNCTIONS}():\n    last()\n\ndef last():\n    pass").unwrap();
    fs::write(root.join("a.py"), text).unwrap();
    let workspace =
        Workspace::open(&root, &WorkspaceConfig::default(), &FileTraitsConfig::default());
    let index = GraphIndex::new(Arc::new(workspace.unwrap()), None);
    for (name, walk) in WALKS {
        let whole = index.ask(&Cancellation::new(), walk).unwrap();
        let cancellation = Cancellation::new();
        let found = std::cell::Cell::new(None);
        let asked = index.ask(&cancellation, |graph| {
            cancellation.cancel();
            found.set(Some(walk(graph)));
        });
        assert!(matches!(asked, Err(IndexError::Cancelled)), "{name}: {asked:?}");
        assert!(found.get() < Some(whole), "{name}: {found:?} of {whole}");
        assert_eq!(index.ask(&Cancellation::new(), walk).unwrap(), whole, "{name}");
    }
}
