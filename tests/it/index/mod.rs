//! The kept code graph: whatever happens to files, processes and disks, what is answered is the graph of the files as they
//! are.

mod damage;
mod edits;
#[cfg(target_os = "linux")]
mod failing_calls;
mod foreign_files;
mod invalidation;
mod partial_types;
#[cfg(feature = "remote")]
mod remote;
mod shared_facts;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use retriever::{
    config::{FileTraitsConfig, WorkspaceConfig},
    graph::{Edge, Graph, NodeId},
    indexing::{GraphIndex, RefreshSummary},
    workspace::{Cancellation, Workspace},
};
use serde_json::Value;

use crate::support::fixture::Fixture;

const PROJECT: &str = "\
//- /repo/.git/HEAD
//- /repo/package.json
{\"name\": \"shop\"}
//- /repo/src/util.ts
export function trim(text: string): string { return text; }
export class Box { open() { return trim(\"a\"); } }
//- /repo/src/main.ts
import { Box, trim } from \"./util\";

export function main() { const box = new Box(); box.open(); trim(\"b\"); }
//- /repo/app/models.py
class Model:
    def save(self):
        return check(self)

def check(model):
    return model
//- /repo/app/views.py
from app.models import Model

class Page(Model):
    def save(self):
        super().save()
";

/// A repository, and beside it a home with an empty cache.
struct Machine {
    files: Fixture,
}

impl Machine {
    fn new() -> Self {
        Self { files: Fixture::new(PROJECT) }
    }

    fn root(&self) -> PathBuf {
        self.files.root().join("repo")
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        self.files.write(&format!("repo/{path}"), content);
    }

    /// The index of the root as a new process has it.
    fn index(&self, folder: Option<PathBuf>) -> GraphIndex {
        let workspace = Workspace::open(
            &self.root(),
            &WorkspaceConfig::default(),
            &FileTraitsConfig::default(),
        )
        .unwrap();
        GraphIndex::new(Arc::new(workspace), folder)
    }

    fn stored(&self) -> GraphIndex {
        self.index(Some(self.store()))
    }

    fn store(&self) -> PathBuf {
        self.files.root().join("store")
    }

    fn refresh(&self) -> RefreshSummary {
        let index = self.stored();
        let summary = index.refresh(&Cancellation::new(), &|_, _| {}).unwrap();
        assert_eq!(index.warnings(), Vec::<String>::new());
        summary
    }

    fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("retriever"));
        command
            .env_clear()
            .env("HOME", self.files.root().join("home"))
            .env("XDG_CACHE_HOME", self.files.root().join("cache"))
            .current_dir(self.root())
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        Run::of(
            self.program(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap(),
        )
    }

    /// The one store that the program has made.
    fn made_store(&self) -> PathBuf {
        let entries = fs::read_dir(self.files.root().join("cache/retriever")).unwrap();
        let folders = entries.map(|entry| entry.unwrap().path());
        let mut folders: Vec<PathBuf> =
            folders.filter(|folder| !folder.ends_with("facts")).collect();
        assert_eq!(folders.len(), 1);
        folders.remove(0)
    }
}

#[derive(Debug)]
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Run {
    fn of(child: Child) -> Self {
        let output = child.wait_with_output().unwrap();
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn json(&self) -> Value {
        assert_eq!(self.code, Some(0), "{self:?}");
        serde_json::from_str(&self.out).unwrap()
    }
}

fn exported(index: &GraphIndex) -> String {
    let bytes = index.ask(&Cancellation::new(), |graph| {
        let nodes = || graph.files().into_iter().flat_map(|(_, nodes)| nodes).map(NodeId);
        let outgoing: BTreeSet<&Edge> = nodes().flat_map(|id| graph.outgoing(id)).collect();
        let incoming: BTreeSet<&Edge> = nodes().flat_map(|id| graph.incoming(id)).collect();
        assert_eq!(outgoing, incoming);
        let mut lines = Vec::new();
        graph.export(&mut lines).unwrap();
        lines
    });
    String::from_utf8(bytes.unwrap()).unwrap()
}

/// Compares what is kept with what reading everything in memory gives.
#[track_caller]
fn assert_current(machine: &Machine, index: &GraphIndex) {
    assert_eq!(exported(index), exported(&machine.index(None)));
}

#[test]
fn what_takes_too_much_work_to_be_resolved_is_counted_and_said() {
    let machine = Machine::new();
    let overloads: String = (0..1_500).map(|at| format!("  void f(T{at} a) {{}}\n")).collect();
    let calls = "    f(x());\n".repeat(2_500);
    let source = format!("class Costly {{ // check\n{overloads}  void run() {{\n{calls}  }}\n}}\n");
    machine.write("src/Costly.java", source);
    let summary = machine.refresh();
    assert_eq!((summary.limited, summary.unresolved), (0, 1));
    assert_eq!(machine.refresh().unresolved, 1);
    assert_eq!(machine.stored().status().unresolved, 1);
    let said = "1 files take too much work to be resolved in full";
    assert!(machine.run(&["--format", "text", "index"]).out.contains(said));
    assert!(machine.run(&["--format", "text", "index", "--status"]).out.contains(said));
    let callers = machine.run(&["--format", "text", "graph", "callers", "check"]);
    assert!(
        callers.out.contains("src/Costly.java could not be read or resolved in full"),
        "{callers:?}"
    );
    machine.write("src/Costly.java", "class Costly {}\n");
    assert_eq!(machine.refresh().unresolved, 0);
}

#[test]
fn the_second_look_reads_nothing_and_gives_the_same_graph() {
    let machine = Machine::new();
    let first = machine.refresh();
    assert_eq!((first.files, first.changed, first.stored), (4, 5, true));
    let fresh = exported(&machine.stored());
    assert!(fresh.contains("\"qname\":\"models.check\""), "{fresh}");
    let second = machine.refresh();
    assert_eq!((second.changed, second.removed, second.nodes), (0, 0, first.nodes));
    assert_current(&machine, &machine.stored());
}

#[test]
fn changes_of_files_are_seen_whatever_their_times_say() {
    let machine = Machine::new();
    machine.refresh();
    let same_length = |text: &str| text.replace("check", "chock");
    let models = machine.root().join("app/models.py");
    let old = fs::read_to_string(&models).unwrap();
    let modified = fs::metadata(&models).unwrap().modified().unwrap();
    // The same size and time, another content.
    fs::write(&models, same_length(&old)).unwrap();
    fs::File::options().write(true).open(&models).unwrap().set_modified(modified).unwrap();
    assert_eq!(machine.refresh().changed, 1);
    assert_current(&machine, &machine.stored());
    // Another time, the same content.
    fs::File::options()
        .write(true)
        .open(&models)
        .unwrap()
        .set_modified(modified + Duration::from_secs(9))
        .unwrap();
    assert_eq!(machine.refresh().changed, 0);
    // A manifest decides where imports lead.
    machine.write("package.json", "{\"name\": \"other\"}");
    assert_eq!(machine.refresh().changed, 1);
    assert_current(&machine, &machine.stored());
    fs::rename(&models, machine.root().join("app/things.py")).unwrap();
    let summary = machine.refresh();
    assert_eq!((summary.changed, summary.removed), (1, 1));
    assert_current(&machine, &machine.stored());
    // What an ignore file hides is gone.
    machine.write(".gitignore", "src/\n");
    assert_eq!(machine.refresh().removed, 2);
    machine.write("src2/binary.py", b"\0\0\0");
    machine.refresh();
    assert_current(&machine, &machine.stored());
}

#[derive(Clone, Debug)]
enum Edit {
    Write(usize, usize),
    Rename(usize, usize),
    Delete(usize),
}

impl Edit {
    fn apply(&self, machine: &Machine) {
        let at = |path: &usize| machine.root().join(PATHS[*path]);
        match self {
            Self::Write(path, text) => machine.write(PATHS[*path], TEXTS[*text]),
            Self::Rename(from, to) => {
                fs::create_dir_all(at(to).parent().unwrap()).unwrap();
                fs::rename(at(from), at(to)).ok();
            }
            Self::Delete(path) => fs::remove_file(at(path)).unwrap_or_default(),
        }
    }
}

const PATHS: &[&str] = &[
    "src/util.ts",
    "src/main.ts",
    "src/deep/index.ts",
    "app/models.py",
    "app/views.py",
    "app/__init__.py",
    "lib.py",
    "go/a.go",
    "go/b.go",
    "go.mod",
    "crate/Cargo.toml",
    "crate/src/lib.rs",
    "crate/src/shape.rs",
    "package.json",
    "Package.swift",
];

const TEXTS: &[&str] = &[
    "export function trim(t: string) { return t; }\nexport class Box { open() { return trim(\"a\"); } }\n",
    "import { Box, trim } from \"./util\";\nexport function main() { new Box().open(); trim(\"b\"); }\n",
    "export * from \"../util\";\nexport interface Shape { area(): number }\n",
    "// moved down\nexport function other() {}\nexport function trim(t: string) { other(); return t; }\n",
    "class Model:\n    def save(self):\n        return check(self)\n\ndef check(model):\n    return model\n",
    "from app.models import Model\n\nclass Page(Model):\n    def save(self):\n        super().save()\n",
    "from .models import *\nimport lib\n\ndef run():\n    lib.help()\n    Model().save()\n",
    "def help():\n    pass\n",
    "package shop\n\ntype Shape interface { Area() int }\n\nfunc Total(s Shape) int { return s.Area() }\n",
    "package shop\n\ntype Square struct{}\n\nfunc (q Square) Area() int { return side() }\n\nfunc side() int { return 1 }\n",
    "module example.com/shop\n",
    "[package]\nname = \"shapes\"\n",
    "mod shape;\nuse shape::Square;\npub trait Area { fn area(&self) -> u32; }\nimpl Area for Square { fn area(&self) -> u32 { self.side() } }\n",
    "pub struct Square;\nimpl Square { pub fn side(&self) -> u32 { 1 } }\n",
    "{\"name\": \"shop\", \"main\": \"src/util.ts\"}",
    "// swift-tools-version:5.9\nlet package = Package(name: \"Shop\")\n",
    "func helper() { helper() }\n",
    "",
];

fn edits() -> impl Strategy<Value = Vec<Vec<Edit>>> {
    let path = 0..PATHS.len();
    let edit = prop_oneof![
        4 => (path.clone(), 0..TEXTS.len()).prop_map(|(path, text)| Edit::Write(path, text)),
        1 => (path.clone(), path.clone()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => path.prop_map(Edit::Delete),
    ];
    prop::collection::vec(prop::collection::vec(edit, 1..4), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn any_edits_give_the_graph_of_a_full_rebuild(rounds in edits()) {
        let machine = Machine::new();
        machine.refresh();
        for round in rounds {
            for edit in &round {
                edit.apply(&machine);
            }
            let index = machine.stored();
            let kept = exported(&index);
            prop_assert_eq!(index.warnings(), Vec::<String>::new());
            let anew = exported(&machine.index(None));
            prop_assert_eq!(kept, anew, "{:?}", round);
        }
    }
}

/// Something of every table.
fn summary(graph: &Graph) -> (usize, Vec<NodeId>, usize) {
    let nodes = graph.files().into_iter().flat_map(|(_, nodes)| nodes).map(NodeId);
    let edges = nodes.map(|id| graph.incoming(id).len() + graph.outgoing(id).len());
    (graph.names().len(), graph.search("save", 9).0, edges.sum())
}

#[test]
fn processes_share_one_store() {
    let machine = Machine::new();
    let anew = exported(&machine.index(None));
    for round in 0..2 {
        let running: Vec<Child> = (0..8)
            .map(|at| {
                let arguments: &[&str] = match at % 4 {
                    0 => &["index", "--export", "-"],
                    1 => &["graph", "callers", "check"],
                    2 => &["index"],
                    _ => &["index", "--status"],
                };
                machine
                    .program(arguments)
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        for (at, child) in running.into_iter().enumerate() {
            let run = Run::of(child);
            assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
            match at % 4 {
                0 => assert_eq!(run.out, anew, "{round}"),
                1 => assert_eq!(run.json()["total"], 1, "{run:?}"),
                2 => assert_eq!(run.json()["files"], 4, "{run:?}"),
                _ => drop(run.json()),
            }
        }
    }
}

#[test]
fn processes_that_ask_while_files_change_are_told_a_state_that_was() {
    let machine = Machine::new();
    machine.refresh();
    for round in 0..4 {
        let ask = |at: usize| {
            let arguments: &[&str] =
                if at.is_multiple_of(2) { &["graph", "search", "changing"] } else { &["index"] };
            let mut command = machine.program(arguments);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let mut running: Vec<Child> = (0..3).map(ask).collect();
        for file in 0..3 {
            let text = "def changing():\n    pass\n".repeat(round + 1);
            // A file that is written in place is empty for a moment, which a process may see.
            let written = machine.files.root().join("written");
            fs::write(&written, text).unwrap();
            fs::rename(written, machine.root().join(format!("app/c{file}.py"))).unwrap();
            running.push(ask(file));
        }
        for (at, child) in running.into_iter().enumerate() {
            let run = Run::of(child);
            assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
            if (at % 3).is_multiple_of(2) {
                // Each file has as many as it had, or one more.
                let total = run.json()["total"].as_u64().unwrap();
                assert!((3 * round as u64..=3 * round as u64 + 3).contains(&total), "{run:?}");
            }
        }
        assert_current(&machine, &machine.index(Some(machine.made_store())));
    }
}

#[test]
fn index_says_what_it_did_and_how_it_stands() {
    let machine = Machine::new();
    let before = machine.run(&["index", "--status"]).json();
    assert_eq!((&before["bytes"], &before["stale"]), (&0.into(), &5.into()), "{before}");
    assert!(!machine.files.root().join("cache").exists(), "status changes nothing");
    let built = machine.run(&["index"]).json();
    assert_eq!((&built["files"], &built["changed"]), (&4.into(), &5.into()), "{built}");
    let after = machine.run(&["index", "--status"]).json();
    assert_eq!((&after["stale"], &after["files"]), (&0.into(), &4.into()), "{after}");
    assert!(after["bytes"].as_u64().unwrap() > 0);
    assert_eq!(machine.run(&["index"]).json()["changed"], 0);
    assert_eq!(machine.run(&["index", "--rebuild"]).json()["changed"], 5);
    let words = machine.run(&["index", "--format", "text"]);
    assert!(words.out.starts_with("4 files, "), "{words:?}");
}

#[test]
fn the_store_lies_where_the_user_says_and_never_where_the_repository_says() {
    let machine = Machine::new();
    machine.write("retriever.toml", "[index]\ndir = \"/tmp/elsewhere\"\n");
    let run = machine.run(&["index"]);
    assert_eq!(run.err.matches("warning:").count(), 1, "{run:?}");
    assert!(run.err.contains("index.dir is refused"), "{run:?}");
    assert!(machine.made_store().join("graph.db").exists());
    machine.files.write("home/.config/retriever/config.toml", "[index]\ndir = \"graphs\"\n");
    machine.run(&["index"]).json();
    let own = machine.files.root().join("home/.config/retriever/graphs");
    // The graph of the root, and the facts of all roots.
    assert_eq!(fs::read_dir(own).unwrap().count(), 2);
}

#[test]
fn graph_on_the_command_line_fails_with_a_way_out() {
    let machine = Machine::new();
    for (arguments, words) in [
        (vec!["graph", "caller", "check"], "hint: did you mean callers?"),
        (vec!["graph", "callers", "check", "--depth", "0"], "hint: give a depth of 1 to 10"),
        (vec!["graph", "trace", "main"], "hint: retriever graph trace main --to '…'"),
    ] {
        let run = machine.run(&arguments);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.err.contains(words), "{run:?}");
    }
    let run = machine.run(&["graph", "callers", "chekc", "--format", "text"]);
    assert_eq!(run.code, Some(0));
    assert!(run.out.contains("did you mean check?"), "{run:?}");
    let run = machine.run(&["index", "--export", "/nowhere/at/all"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("hint: --export"), "{run:?}");
}

#[test]
fn a_watched_tree_is_refreshed_when_it_changes() {
    let machine = Machine::new();
    let log = machine.files.root().join("log");
    let mut child = machine
        .program(&["index", "--watch"])
        .stdout(fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let wait = |lines: usize| {
        let started = Instant::now();
        loop {
            let text = fs::read_to_string(&log).unwrap();
            if text.lines().count() >= lines {
                return text;
            }
            assert!(started.elapsed() < Duration::from_secs(20), "{text}");
            thread::sleep(Duration::from_millis(10));
        }
    };
    wait(1);
    machine.write("app/new.py", "def fresh():\n    pass\n");
    let text = wait(2);
    child.kill().unwrap();
    child.wait().unwrap();
    let last: BTreeMap<String, Value> = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    assert_eq!(last["changed"], 1, "{text}");
    assert_eq!(last["files"], 5, "{text}");
}
