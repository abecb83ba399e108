//! Several roots in one cache: facts are kept once per content, and a working tree begins with the graph of another one of its
//! repository. What is answered is in every case the graph of the files as they are.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use pretty_assertions::assert_eq;
use retriever::{
    config::{FileTraitsConfig, WorkspaceConfig},
    indexing::{GraphIndex, RefreshSummary, RemoteGraphSource},
    workspace::{Cancellation, Workspace},
};

use super::{damage::base, exported};
use crate::support::fixture::Fixture;

/// Functions that call one another across files.
const FILES: usize = 12;

/// A repository with a linked working tree, a copy that git does not know of, and a cache.
struct Trees(Fixture);

impl Trees {
    fn new() -> Self {
        let files = Fixture::new("");
        for tree in ["main", "linked", "copy"] {
            for at in 0..FILES {
                let next = (at + 1) % FILES;
                let text = format!("from m{next} import f{next}\n\ndef f{at}():\n    f{next}()\n");
                files.write(&format!("{tree}/m{at}.py"), text);
            }
        }
        files.write("main/.git/HEAD", "ref: refs/heads/main\n");
        files.write("main/.git/worktrees/linked/commondir", "../..\n");
        let link = files.root().join("linked/.git");
        files.write("main/.git/worktrees/linked/gitdir", format!("{}\n", link.display()));
        let git = files.root().join("main/.git/worktrees/linked");
        for tree in ["linked", "copy"] {
            files.write(&format!("{tree}/.git"), format!("gitdir: {}\n", git.display()));
        }
        Self(files)
    }

    fn cache(&self) -> PathBuf {
        self.0.root().join("cache")
    }

    fn index(&self, tree: &str) -> GraphIndex {
        GraphIndex::in_cache(&self.cache(), self.workspace(tree))
    }

    fn workspace(&self, tree: &str) -> Arc<Workspace> {
        let root = self.0.root().join(tree);
        let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
        Arc::new(Workspace::open(&root, &config.0, &config.1).unwrap())
    }

    /// Refreshes the graph of a tree, and compares it with one that is made in memory.
    fn refresh(&self, tree: &str) -> RefreshSummary {
        self.refresh_index(tree, &self.index(tree))
    }

    fn refresh_index(&self, tree: &str, index: &GraphIndex) -> RefreshSummary {
        let summary = index.refresh(&Cancellation::new(), &|_, _| {}).unwrap();
        assert_eq!(
            exported(index),
            exported(&GraphIndex::new(self.workspace(tree), None)),
            "{tree}"
        );
        assert_eq!(index.warnings(), Vec::<String>::new());
        summary
    }

    fn facts(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache().join("facts")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.to_string_lossy().contains(".db")).collect()
    }

    fn facts_database(&self) -> PathBuf {
        let is_database = |path: &PathBuf| path.extension().is_some_and(|it| it == "db");
        self.facts().into_iter().find(is_database).unwrap()
    }

    /// The number of contents whose facts are kept.
    fn contents(&self) -> usize {
        let database = rusqlite::Connection::open(self.facts_database()).unwrap();
        let count = "SELECT count(*) FROM facts";
        database.query_row(count, [], |row| row.get::<_, u32>(0)).unwrap() as usize
    }

    fn facts_bytes(&self) -> u64 {
        self.facts().iter().map(|path| fs::metadata(path).unwrap().len()).sum()
    }
}

fn edit(trees: &Trees, tree: &str) {
    trees.0.write(&format!("{tree}/m3.py"), "def f3():\n    pass\n\ndef g3():\n    f3()\n");
}

#[test]
fn a_linked_working_tree_begins_with_the_graph_of_another_one() {
    let trees = Trees::new();
    assert_eq!(trees.refresh("main").changed, FILES);
    edit(&trees, "linked");
    trees.0.write("linked/new.py", "from m0 import f0\n\ndef more():\n    f0()\n");
    fs::remove_file(trees.0.root().join("linked/m7.py")).unwrap();
    let summary = trees.refresh("linked");
    assert_eq!((summary.changed, summary.removed), (2, 1));
    // A tree that git does not know of has only the facts in common.
    assert_eq!(trees.refresh("copy").changed, FILES);
    assert_eq!(trees.refresh("main").changed, 0);
}

/// Enough text for a graph whose size is not that of empty tables.
fn functions(count: usize, called: &str) -> String {
    (0..count).map(|at| format!("def g{at}():\n    {called}()\n\n")).collect()
}

/// As [`functions`], with documentation that hardly repeats itself.
fn documented_functions(count: u64, file: u64) -> String {
    let digits = |seed: u64| -> String {
        let numbers = std::iter::successors(Some(seed), |number| {
            Some(number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1))
        });
        numbers.skip(4).take(8).map(|number| format!("{:012x}", number >> 16)).collect()
    };
    let function =
        |at| format!("def g{at}():\n    \"\"\"{}\"\"\"\n    f3()\n\n", digits(file * count + at));
    (0..count).map(function).collect()
}

#[cfg(unix)]
#[test]
fn working_trees_share_a_base_and_a_graph_that_differs_much_has_its_own() {
    use std::os::unix::fs::MetadataExt;
    let trees = Trees::new();
    for (tree, at) in
        ["main", "linked"].into_iter().flat_map(|tree| (0..80).map(move |at| (tree, at)))
    {
        trees.0.write(&format!("{tree}/large{at}.py"), functions(60, "h"));
    }
    let folder = |tree: &str| trees.index(tree).folder().unwrap().to_owned();
    let shared = |tree: &str| fs::metadata(base(&folder(tree))).unwrap();
    let own = |tree: &str| fs::metadata(folder(tree).join("graph.db")).unwrap().len();
    trees.refresh("main");
    trees.refresh("linked");
    assert_eq!((shared("main").ino(), shared("main").nlink()), (shared("linked").ino(), 2));
    assert!(own("linked") < shared("linked").len() / 4, "{}", own("linked"));
    edit(&trees, "linked");
    trees.refresh("linked");
    trees.refresh("main");
    assert_eq!(shared("main").nlink(), 2);
    // Much more than the base has, and nothing that could be made smaller.
    for at in 0..300 {
        trees.0.write(&format!("linked/large{at}.py"), documented_functions(60, at));
    }
    trees.refresh("linked");
    assert_eq!((shared("main").nlink(), shared("linked").nlink()), (1, 1));
    assert!(own("linked") < shared("linked").len() / 4, "{}", own("linked"));
    trees.0.write("linked/large7.py", "");
    trees.refresh("linked");
    fs::remove_dir_all(folder("linked")).unwrap();
    assert_eq!(trees.refresh("main").changed, 0);
}

#[test]
fn a_reader_goes_on_while_the_base_below_it_is_replaced() {
    let trees = Trees::new();
    trees.refresh("main");
    let index = trees.index("main");
    let names = |index: &GraphIndex| exported(index);
    let before = index.ask(&Cancellation::new(), |graph| {
        for at in 0..240 {
            trees.0.write(&format!("main/large{at}.py"), functions(60, "f3"));
        }
        let first = base(index.folder().unwrap());
        trees.index("main").refresh(&Cancellation::new(), &|_, _| {}).unwrap();
        assert_ne!(base(index.folder().unwrap()), first);
        graph.nodes().count() + graph.edges().count()
    });
    assert!(before.unwrap() > FILES);
    assert_eq!(names(&index), names(&GraphIndex::new(trees.workspace("main"), None)));
}

#[test]
fn a_content_is_kept_once_for_all_roots() {
    let trees = Trees::new();
    trees.refresh("main");
    let bytes = trees.facts_bytes();
    trees.refresh("linked");
    trees.refresh("copy");
    assert_eq!(trees.facts_bytes(), bytes);
}

#[test]
fn a_header_is_kept_once_whatever_language_its_text_is_in() {
    let trees = Trees::new();
    let body = |value: u32| format!("#include \"x.h\"\nint X::get() {{ return {value}; }}\n");
    trees.0.write("main/x.h", "class X { public: int get(); };\n");
    for value in [1, 2] {
        trees.0.write("main/x.cpp", body(value));
        trees.refresh("main");
    }
    // Of x.cpp there were two contents.
    assert_eq!(trees.contents(), FILES + 3);
}

#[test]
fn a_working_tree_that_was_indexed_before_it_was_noted_serves_others() {
    let trees = Trees::new();
    trees.refresh("main");
    for entry in fs::read_dir(trees.cache()).unwrap() {
        fs::remove_file(entry.unwrap().path().join("repository")).unwrap_or_default();
    }
    trees.refresh("main");
    assert_eq!(trees.refresh("linked").changed, 0);
}

#[test]
fn a_graph_that_is_only_of_help_is_copied_however_large_the_tree() {
    let trees = Trees::new();
    let comments = format!("# {}\n", "word ".repeat(20)).repeat(9_000);
    for (tree, at) in
        ["main", "linked"].into_iter().flat_map(|tree| (0..12).map(move |at| (tree, at)))
    {
        trees.0.write(&format!("{tree}/large{at}.py"), &comments);
    }
    let has_graph = |tree| {
        trees.index(tree).ask_on_walk_if_quick(&Cancellation::new(), |_, graph| graph.is_some())
    };
    assert!(!has_graph("linked"));
    trees.refresh("main");
    assert!(has_graph("linked"));
}

#[test]
fn nothing_is_copied_for_work_that_was_cancelled() {
    let trees = Trees::new();
    trees.refresh("main");
    let cancelled = Cancellation::new();
    cancelled.cancel();
    trees.index("linked").refresh(&cancelled, &|_, _| {}).unwrap_err();
    let graphs = fs::read_dir(trees.cache()).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(graphs.filter(|folder| folder.join("graph.db").is_file()).count(), 1);
    assert_eq!(trees.refresh("linked").changed, 0);
}

#[test]
fn a_process_that_writes_facts_for_long_holds_up_nobody_for_good() {
    let trees = Trees::new();
    trees.refresh("main");
    let index = trees.index("main");
    let other = rusqlite::Connection::open(trees.facts_database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    edit(&trees, "main");
    assert_eq!(trees.refresh_index("main", &index).changed, 1);
    other.execute_batch("ROLLBACK").unwrap();
    trees.0.write("main/m4.py", "def f4():\n    pass\n");
    assert_eq!(trees.refresh_index("main", &index).changed, 1);
    // The first edit is lost, the second is kept.
    assert_eq!(trees.contents(), FILES + 1);
}

#[test]
fn facts_of_a_tree_in_use_count_as_used_though_nobody_reads_them() {
    let trees = Trees::new();
    trees.0.write("main/alone.py", "");
    trees.refresh("main");
    let database = rusqlite::Connection::open(trees.facts_database()).unwrap();
    database.execute_batch("UPDATE facts SET used = 0").unwrap();
    let index = trees.index("main");
    for round in 0..16 {
        trees.0.write("main/alone.py", format!("def alone{round}():\n    pass\n"));
        index.refresh(&Cancellation::new(), &|_, _| {}).unwrap();
    }
    drop(index);
    let unused = "SELECT count(*) FROM facts WHERE used = 0";
    assert_eq!(database.query_row(unused, [], |row| row.get::<_, u32>(0)).unwrap(), 0);
}

#[test]
fn a_file_that_changes_while_others_are_resolved_is_read_once_more() {
    let trees = Trees::new();
    trees.refresh("main");
    edit(&trees, "main");
    let index = trees.index("main");
    let is_first = AtomicBool::new(true);
    let change_another = |_, _| {
        if is_first.swap(false, Ordering::Relaxed) {
            change(&trees.facts_database(), "zeroblob(9)");
            trees.0.write("main/m4.py", "def f4():\n    pass\n");
        }
    };
    let summary = index.refresh(&Cancellation::new(), &change_another).unwrap();
    assert_eq!((summary.changed, summary.stored), (2, true));
    assert_eq!(index.warnings(), Vec::<String>::new());
    trees.refresh("main");
}

#[test]
fn facts_that_cannot_be_opened_now_are_kept_for_others() {
    let trees = Trees::new();
    trees.refresh("main");
    let mut log = trees.facts_database().into_os_string();
    log.push("-wal");
    fs::create_dir(&log).unwrap();
    assert_eq!(trees.refresh("copy").changed, FILES);
    fs::remove_dir(&log).unwrap();
    assert_eq!(trees.contents(), FILES);
}

#[test]
fn damaged_facts_are_read_again() {
    let damages: [fn(&Path); 4] = [
        |path| change(path, "zeroblob(99)"),
        |path| change(path, "(SELECT record FROM facts ORDER BY id LIMIT 1)"),
        cut,
        forge,
    ];
    for damage in damages {
        let trees = Trees::new();
        trees.refresh("main");
        trees.facts().iter().for_each(|path| damage(path));
        assert_eq!(trees.refresh("copy").changed, FILES);
        edit(&trees, "main");
        trees.refresh("main");
        trees.refresh("copy");
    }
}

/// Replaces all facts by `value`.
fn change(path: &Path, value: &str) {
    let database = rusqlite::Connection::open(path).unwrap();
    database.execute_batch(&format!("UPDATE facts SET record = {value}")).unwrap();
}

fn cut(path: &Path) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
}

fn forge(path: &Path) {
    fs::write(path, "no database").unwrap();
}

#[test]
fn facts_that_take_too_much_room_are_removed_and_the_graph_stays_right() {
    let trees = Trees::new();
    let text: String = (0..40).map(|at| format!("def g{at}():\n    h()\n\n")).collect();
    for at in 0..60 {
        trees.0.write(&format!("main/large{at}.py"), format!("def f{at}(): pass\n\n{text}"));
    }
    trees.refresh("main");
    let all = trees.facts_bytes();
    let small = trees.index("copy").with_max_facts(all / 4);
    trees.refresh_index("copy", &small);
    drop(small);
    assert!(trees.facts_bytes() <= all / 2, "{} of {all}", trees.facts_bytes());
    edit(&trees, "main");
    trees.0.write("main/large1.py", "def f1():\n    pass\n");
    trees.refresh("main");
}

#[test]
fn any_number_of_roots_may_begin_at_once() {
    let trees = Trees::new();
    thread::scope(|threads| {
        for tree in ["main", "linked", "copy", "main", "linked", "copy"] {
            let trees = &trees;
            threads.spawn(move || trees.refresh(tree));
        }
    });
    assert_eq!(trees.refresh("linked").changed, 0);
}

#[test]
fn a_file_that_becomes_a_secret_leaves_the_base() {
    let trees = Trees::new();
    trees.0.write("main/private.py", "def confidential_word():\n    pass\n");
    trees.refresh("main");
    let folder = trees.index("main").folder().unwrap().to_owned();
    let is_there = || {
        let bytes = fs::read(base(&folder)).unwrap();
        bytes.windows(17).any(|part| part == b"confidential_word")
    };
    assert!(is_there());
    let secrets = vec!["private.py".to_owned()];
    let config = WorkspaceConfig { secrets, ..WorkspaceConfig::default() };
    let root = trees.0.root().join("main");
    let workspace =
        Arc::new(Workspace::open(&root, &config, &FileTraitsConfig::default()).unwrap());
    let index = GraphIndex::in_cache(&trees.cache(), workspace);
    assert_eq!(index.refresh(&Cancellation::new(), &|_, _| {}).unwrap().removed, 1);
    assert!(!is_there());
}

/// Gives a record for one content, or for any.
struct Published {
    address: &'static str,
    content: Option<[u8; 32]>,
    record: Option<Vec<u8>>,
}

impl RemoteGraphSource for Published {
    fn graph(&self, _: &Cancellation) -> Option<Box<dyn Iterator<Item = Option<Vec<u8>>> + Send>> {
        None
    }

    fn facts(&self, id: &[u8; 32], _: &Cancellation, keep: &mut dyn FnMut(&[u8; 8], &[u8])) {
        if self.content.is_none_or(|content| content == *id) {
            self.record.iter().for_each(|record| keep(id.first_chunk().unwrap(), record));
        }
    }

    fn address(&self) -> String {
        self.address.to_owned()
    }

    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

#[test]
fn facts_of_a_remote_serve_the_repository_that_has_it_and_no_other() {
    let publisher = Trees::new();
    publisher.refresh("main");
    let published = publisher.index("main");
    let content = published.portable().unwrap().contents[0];
    let record = published.facts_of(&content);
    let trees = Trees::new();
    let known = |tree: &str, address: &'static str, record: Option<Vec<u8>>| {
        let remote = Arc::new(Published { address, content: None, record });
        trees.index(tree).with_upstream(remote).facts_of(&content).is_some()
    };
    assert!(known("main", "file:///a", record));
    assert!(known("linked", "file:///a", None), "another working tree of the repository");
    assert!(!known("main", "file:///b", None), "another remote");
    assert!(!known("copy", "file:///a", None), "another repository");
    assert_eq!(trees.index("copy").facts_of(&content), None, "no remote");
    // What was read here counts more, and is for all.
    trees.refresh("copy");
    assert!(known("main", "file:///b", None));
}

#[test]
fn facts_in_the_place_of_anothers_are_left_out() {
    let trees = Trees::new();
    trees.refresh("main");
    let index = trees.index("main");
    let content = index.portable().unwrap().contents[0];
    let record = index.facts_of(&content).unwrap();
    let other = Fixture::new("//- /tree/x.py\n");
    let root = other.root().join("tree");
    let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Arc::new(Workspace::open(&root, &config.0, &config.1).unwrap());
    // No content of the test has such an id.
    let content_of_other = Some([7; 32]);
    let remote =
        Published { address: "file:///a", content: content_of_other, record: Some(record) };
    let index = GraphIndex::new(workspace, None).with_upstream(Arc::new(remote));
    assert_eq!(index.facts_of(&[7; 32]), None);
    assert_eq!(index.facts_of(&content), None);
}
