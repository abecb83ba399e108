//! The audit of call expressions: what is an edge, an open call, excluded, or lost.

use std::{fs, path::Path, sync::Arc};

use pretty_assertions::assert_eq;
use retriever_graph::index::Index;
use retriever_workspace::{Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig};

#[test]
fn every_call_expression_is_counted_once() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("audit");
    fs::create_dir_all(&root).unwrap();
    let files = [
        // An edge, an open call, a computed value, an import.
        ("a.js", "const b = require('b');\nfunction f() { f(); g(); f()(); }\n"),
        // A word of the language, and a type that is made outside.
        ("A.cs", "class A { object F() { var n = nameof(A); return new Outside(); } }\n"),
        // What the size of an array calls is not read.
        ("a.c", "int f(void);\nint rows[f()];\n"),
    ];
    for (name, text) in files {
        fs::write(root.join(name), text).unwrap();
    }
    let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open(&root, &config.0, &config.1).unwrap();
    let audit = Index::new(Arc::new(workspace), None).audit(&Cancellation::new()).unwrap();
    let counts = [audit.calls, audit.edges, audit.open, audit.computed, audit.imports, audit.words];
    assert_eq!(counts, [8, 2, 2, 1, 1, 1], "{audit:?}");
    let lost: Vec<_> =
        audit.classes.iter().flat_map(|class| &class.examples).map(String::as_str).collect();
    assert_eq!((audit.holes, lost), (1, vec!["a.c:2 f"]));
}
