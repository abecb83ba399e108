//! Imported SCIP indexes, as real indexers wrote them: their edges hold for the files that are as they were indexed, and
//! for no others.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use pretty_assertions::assert_eq;
use retriever::{
    config::{FileTraitsConfig, WorkspaceConfig},
    graph::{EdgeKind, EdgeResolution, NodeId},
    indexing::{GraphIndex, ScipError, ScipIndex},
    workspace::{Cancellation, Workspace},
};
use serde_json::Value;

use crate::support::fixture::Fixture;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/scip")
}

fn scip(name: &str) -> ScipIndex {
    ScipIndex::parse(&fs::read(fixtures().join(name)).unwrap()).unwrap()
}

/// A copy of one of the indexed projects, with a store beside it.
struct Project {
    files: Fixture,
}

impl Project {
    fn new(name: &str) -> Self {
        let files = Fixture::new("//- /root/.git/HEAD\n");
        for entry in walkdir::WalkDir::new(fixtures().join(name)) {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                let path = entry.path().strip_prefix(fixtures().join(name)).unwrap();
                files.write(&format!("root/{}", path.display()), fs::read(entry.path()).unwrap());
            }
        }
        Self { files }
    }

    fn root(&self) -> PathBuf {
        self.files.root().join("root")
    }

    fn index_in(&self, store: Option<&str>) -> GraphIndex {
        let workspace = Workspace::open(
            &self.root(),
            &WorkspaceConfig::default(),
            &FileTraitsConfig::default(),
        );
        let folder = store.map(|store| self.files.root().join(store));
        GraphIndex::new(Arc::new(workspace.unwrap()), folder)
    }

    /// The index as a new process has it.
    fn index(&self) -> GraphIndex {
        self.index_in(Some("store"))
    }

    fn edit(&self, path: &str, from: &str, to: &str) {
        let file = self.root().join(path);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{path} has no {from}");
        fs::write(file, text.replace(from, to)).unwrap();
    }
}

/// The calls out of a function: full name of what is called, line, and how sure it is.
fn calls(index: &GraphIndex, function: &str) -> Vec<String> {
    index
        .ask(&Cancellation::new(), |graph| {
            let from = graph
                .named(function)
                .into_iter()
                .filter(|id| graph.outgoing(*id).iter().any(|edge| edge.kind == EdgeKind::Calls));
            let edges =
                from.flat_map(|id| graph.outgoing(id)).filter(|edge| edge.kind == EdgeKind::Calls);
            let shown: BTreeSet<String> = edges
                .map(|edge| {
                    let to = &graph.node(edge.to).unwrap().qname;
                    format!("{}: {to} {}", edge.line, edge.resolution.as_ref())
                })
                .collect();
            shown.into_iter().collect()
        })
        .unwrap()
}

/// Every edge, in words.
fn edges(index: &GraphIndex) -> BTreeSet<String> {
    index
        .ask(&Cancellation::new(), |graph| {
            let name = |id: NodeId| graph.node(id).unwrap().qname.clone();
            let nodes = graph.files().into_iter().flat_map(|(_, nodes)| nodes).map(NodeId);
            nodes
                .flat_map(|id| graph.outgoing(id))
                .map(|edge| {
                    format!(
                        "{} {} {} {}",
                        name(edge.from),
                        edge.kind.as_ref(),
                        name(edge.to),
                        edge.line
                    )
                })
                .collect()
        })
        .unwrap()
}

/// What the compiler knows of `main`.
const SURE: [&str; 7] = [
    "10: src/main.slice exact",
    "8: src/parts.Fancy.run exact",
    "8: src/parts.make exact",
    "9: src/parts.Fancy exact",
    "9: src/parts.Fancy.run exact",
    "9: src/parts.Plain.run exact",
    "9: src/parts.take exact",
];

#[test]
fn what_a_compiler_found_replaces_what_was_guessed() {
    let project = Project::new("web");
    let guessed = calls(&project.index(), "main");
    let index = project.index();
    let imported = index.import(&[scip("web.scip")]).unwrap();
    assert_eq!((imported.documents, imported.matched, imported.absent), (2, 2, 0));
    assert_eq!(imported.differing, Vec::<String>::new());
    let sure = calls(&index, "main");
    assert_eq!(sure, SURE);
    assert_ne!(sure, guessed, "the fixture has nothing that has to be told");
    assert_eq!(calls(&project.index(), "main"), sure, "another process");
}

#[test]
fn an_edited_file_has_our_own_edges_until_it_is_as_it_was() {
    let project = Project::new("web");
    let guessed = edges(&project.index());
    project.index().import(&[scip("web.scip")]).unwrap();
    let index = project.index();
    index.import(&[scip("web.scip")]).unwrap();
    let told = edges(&index);
    // In the same line and of the same length, so that only the content tells.
    project.edit("src/main.ts", "\"seed\"", "\"need\"");
    let index = project.index();
    assert_eq!(
        calls(&index, "main"),
        calls(&Project { files: copy_of(&project) }.index(), "main"),
        "an edited file is as if nothing had been imported"
    );
    let status = index.status();
    assert_eq!((status.imported, status.outdated), (1, 1));
    project.edit("src/main.ts", "\"need\"", "\"seed\"");
    assert_eq!(edges(&project.index()), told);
    assert_ne!(told, guessed);
}

/// The project's files, with no store.
fn copy_of(project: &Project) -> Fixture {
    let files = Fixture::new("//- /root/.git/HEAD\n");
    for path in ["package.json", "tsconfig.json", "src/parts.ts", "src/main.ts"] {
        files.write(&format!("root/{path}"), fs::read(project.root().join(path)).unwrap());
    }
    files
}

#[test]
fn a_call_into_a_changed_file_is_resolved_anew() {
    let project = Project::new("web");
    let index = project.index();
    index.import(&[scip("web.scip")]).unwrap();
    index.refresh(&Cancellation::new(), &|_, _| {}).unwrap();
    project.edit("src/parts.ts", "export interface Part", "// Moved.\nexport interface Part");
    project.edit("src/parts.ts", "return shelf[key];", "return shelf[key]; // Same.");
    let lines = project.index().ask(&Cancellation::new(), |graph| {
        let edge = |id: NodeId| graph.outgoing(id).to_vec();
        let from = graph.named("main").into_iter().flat_map(edge);
        from.filter(|edge| edge.kind == EdgeKind::Calls && edge.resolution == EdgeResolution::Exact)
            .filter_map(|edge| {
                graph.node(edge.to).map(|to| format!("{} {}", to.name, to.name_line))
            })
            .collect::<BTreeSet<String>>()
    });
    let lines = lines.unwrap();
    assert!(lines.contains("make 24"), "{lines:?}");
    assert!(lines.contains("take 28"), "{lines:?}");
    assert!(lines.contains("slice 3"), "{lines:?}");
}

#[test]
fn a_cancelled_question_loses_nothing_of_a_graph_in_memory() {
    let project = Project::new("web");
    let index = project.index_in(None);
    index.import(&[scip("web.scip")]).unwrap();
    assert_eq!(calls(&index, "main"), SURE);
    let cancelled = Cancellation::new();
    cancelled.cancel();
    assert!(index.ask(&cancelled, |_| ()).is_err());
    assert_eq!(calls(&index, "main"), SURE);
}

#[test]
fn making_the_graph_anew_keeps_what_was_imported() {
    for store in [Some("store"), None] {
        let project = Project::new("web");
        let index = project.index_in(store);
        index.import(&[scip("web.scip")]).unwrap();
        let told = edges(&index);
        index.forget();
        assert_eq!(edges(&index), told, "{store:?}");
    }
}

#[test]
fn pythons_indexer_is_understood_too() {
    let project = Project::new("py");
    let before = calls(&project.index(), "run");
    let index = project.index();
    let imported = index.import(&[scip("py.scip")]).unwrap();
    assert_eq!((imported.matched, imported.differing.len()), (3, 0));
    let told = calls(&index, "run");
    assert_eq!(
        told,
        [
            "18: shop.views.Page exact",
            "18: shop.views.keep exact",
            "20: shop.views.Page.save exact",
            "21: shop.base.check exact"
        ]
    );
    assert_ne!(told, before, "the fixture has nothing that has to be told");
}

#[test]
fn what_is_no_index_of_this_tree_is_refused_with_the_reason() {
    for bytes in [&b""[..], b"{\"documents\": []}", b"\x12\xff\xff\xff\xff\x0f", &[0xff; 64]] {
        assert!(matches!(ScipIndex::parse(bytes), Err(ScipError::NotScip)), "{bytes:?}");
    }
    // Metadata alone: what an indexer leaves that found no file.
    let empty = ScipIndex::parse(b"\x0a\x08\x12\x06\x0a\x04tool").unwrap_err();
    assert_eq!(empty.to_string(), "the SCIP index that tool wrote names no file");
    let elsewhere = Project::new("py").index().import(&[scip("web.scip")]).unwrap_err();
    assert_eq!(
        elsewhere.to_string(),
        "none of its 2 files is here; the SCIP index was made at file:///tmp/scip/web"
    );
    let project = Project::new("web");
    project.edit("src/main.ts", "slice()", "shift()");
    project.edit("src/parts.ts", "export interface Part", "\nexport interface Part");
    let changed = project.index().import(&[scip("web.scip")]).unwrap_err();
    assert_eq!(
        changed.to_string(),
        "none of its files is unchanged; 2 have other content now, such as src/main.ts"
    );
}

#[test]
fn the_program_imports_and_says_how_it_stands() {
    let project = Project::new("web");
    let run = |arguments: &[&str]| {
        std::process::Command::new(assert_cmd::cargo::cargo_bin("retriever"))
            .env_clear()
            .env("HOME", project.files.root())
            .current_dir(project.root())
            .args(arguments)
            .output()
            .unwrap()
    };
    let index = fixtures().join("web.scip");
    let done = run(&["index", "--scip", index.to_str().unwrap(), "--format", "json"]);
    let done: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(done["scip"]["matched"], 2, "{done}");
    let status = run(&["index", "--status", "--format", "text"]);
    let status = String::from_utf8(status.stdout).unwrap();
    assert!(status.contains("2 files with imported edges, 0 more have changed since"), "{status}");
    for (file, says) in [
        ("package.json", "cannot import package.json: it is no SCIP index"),
        ("missing.scip", "cannot read missing.scip: "),
    ] {
        let refused = run(&["index", "--scip", file]);
        let stderr = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(says), "{stderr}");
        assert!(stderr.contains("hint: "), "{stderr}");
    }
}
