//! A walk that file events keep up to date is the walk of the tree, whatever has just happened.

use std::{
    fs,
    path::{Path, PathBuf},
};

use pretty_assertions::assert_eq;
use retriever_test_support::Fixture;
use retriever_workspace::{
    Cancellation, FileTraitsConfig, RepoPath, RootSpec, WatchedTree, Workspace, WorkspaceConfig,
};

use crate::git_index::{SHA1, index_of};

fn watched(root: &Path, markers: &Path) -> (Workspace, WatchedTree) {
    let (files, traits) = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open(root, &files, &traits).unwrap();
    let tree = WatchedTree::new(&workspace, &markers.join("markers")).unwrap();
    (workspace, tree)
}

fn assert_same(workspace: &Workspace, tree: &WatchedTree, after: &str) {
    let expected = workspace.walk(&RepoPath::root()).files;
    assert_eq!(tree.walk(workspace, &Cancellation::new()).files, expected, "after {after}");
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Does something to the tree, and returns what.
fn change(root: &Path, random: &mut Random) -> String {
    const FOLDERS: [&str; 6] = ["", "a", "a/b", "a/b/c", "d", "kept/.hidden"];
    const NAMES: [&str; 5] = ["x.rs", "y.py", "notes.txt", "left_out.log", ".secret"];
    let mut folder = || root.join(FOLDERS[random.below(FOLDERS.len())]);
    let (from, to) = (folder(), folder());
    let file = from.join(NAMES[random.below(NAMES.len())]);
    let other = to.join(NAMES[random.below(NAMES.len())]);
    let shown = |what: &str, path: &PathBuf| format!("{what} {}", path.display());
    match random.below(10) {
        0..=2 => {
            // Made at once with the folders around it.
            fs::create_dir_all(&from).unwrap();
            fs::write(&file, format!("{}", random.below(1_000_000))).unwrap();
            shown("writing", &file)
        }
        3 => {
            fs::create_dir_all(&to).unwrap();
            let _ = fs::rename(&file, &other);
            shown("renaming to", &other)
        }
        4 => {
            let _ = fs::remove_file(&file);
            shown("removing", &file)
        }
        5 if from != root => {
            let _ = fs::remove_dir_all(&from);
            shown("removing", &from)
        }
        6 if from != root && to != root && !to.starts_with(&from) => {
            let _ = fs::remove_dir_all(&to);
            let _ = fs::rename(&from, &to);
            shown("moving a folder to", &to)
        }
        7 if from != root => {
            let _ = fs::remove_dir_all(&from);
            fs::create_dir_all(from.join("b/c")).unwrap();
            fs::write(from.join("b/c/deep.rs"), "new").unwrap();
            shown("replacing", &from)
        }
        8 => {
            fs::create_dir_all(&from).unwrap();
            let rules = ["*.log\n", "*.txt\nb/\n", ""];
            fs::write(from.join(".gitignore"), rules[random.below(rules.len())]).unwrap();
            shown("rules in", &from)
        }
        _ => {
            fs::create_dir_all(root.join(".git/info")).unwrap();
            let rules = ["y.py\n", "d/\n", ""];
            fs::write(root.join(".git/info/exclude"), rules[random.below(rules.len())]).unwrap();
            "rules of git".to_owned()
        }
    }
}

#[test]
fn it_is_the_walk_of_the_tree_after_every_change() {
    for seed in 1..=4 {
        let files = Fixture::new("//- /tree/a/x.rs\nfn x() {}\n//- /tree/d/y.py\n//- /outside/x\n");
        let root = files.root().join("tree").canonicalize().unwrap();
        let (workspace, tree) = watched(&root, &files.root().join("outside"));
        let mut random = Random(seed);
        let mut done = Vec::new();
        for _ in 0..150 {
            done.push(change(&root, &mut random));
            // Several changes lie between some questions.
            if random.below(3) > 0 {
                let last = done.iter().rev().take(4).rev().cloned().collect::<Vec<_>>().join(", ");
                assert_same(&workspace, &tree, &format!("{last} (seed {seed})"));
            }
        }
        assert_same(&workspace, &tree, "all");
    }
}

#[test]
fn many_changes_at_once_are_seen() {
    let files = Fixture::new("//- /tree/a/x.rs\nfn x() {}\n//- /outside/x\n");
    let root = files.root().join("tree").canonicalize().unwrap();
    let (workspace, tree) = watched(&root, &files.root().join("outside"));
    assert_same(&workspace, &tree, "nothing");
    for folder in 0..30 {
        let folder = root.join(format!("many/{folder}"));
        fs::create_dir_all(&folder).unwrap();
        (0..30).for_each(|file| fs::write(folder.join(format!("f{file}.rs")), "text").unwrap());
    }
    assert_same(&workspace, &tree, "900 new files");
    for folder in 0..30 {
        (0..30).for_each(|file| {
            fs::write(root.join(format!("many/{folder}/f{file}.rs")), "other text").unwrap();
        });
    }
    assert_same(&workspace, &tree, "900 edits");
    fs::remove_dir_all(root.join("many")).unwrap();
    assert_same(&workspace, &tree, "their removal");
}

#[test]
fn when_events_can_not_come_any_more_the_tree_is_walked() {
    let files = Fixture::new("//- /tree/a/x.rs\nfn x() {}\n//- /outside/x\n");
    let root = files.root().join("tree").canonicalize().unwrap();
    let (workspace, tree) = watched(&root, &files.root().join("outside"));
    assert_same(&workspace, &tree, "nothing");
    fs::remove_dir_all(files.root().join("outside")).unwrap();
    fs::write(root.join("a/new.rs"), "new").unwrap();
    assert_same(&workspace, &tree, "the loss of the markers");
    for file in 0..5 {
        fs::write(root.join(format!("a/newer{file}.rs")), "newer").unwrap();
        assert_same(&workspace, &tree, "more");
    }
}

#[test]
fn a_change_belongs_to_the_root_that_it_is_below() {
    let files =
        Fixture::new("//- /app/x.rs\nfn x() {}\n//- /app-web/x.rs\nfn y() {}\n//- /outside/x\n");
    let root = files.root().canonicalize().unwrap();
    let roots: Vec<RootSpec> =
        ["app", "app-web"].iter().map(|name| RootSpec::new(root.join(name))).collect();
    let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open_roots(&roots, &config.0, &config.1).unwrap();
    let tree = WatchedTree::new(&workspace, &root.join("outside/markers")).unwrap();
    assert_same(&workspace, &tree, "nothing");
    fs::write(root.join("app-web/x.rs"), "fn y() { changed() }").unwrap();
    assert_same(&workspace, &tree, "an edit below a root whose name begins like another's");
}

#[test]
fn rules_of_a_linked_working_tree_are_seen() {
    let files = Fixture::new("//- /tree/x.rs\nfn x() {}\n//- /tree/y.py\n//- /outside/x\n");
    let root = files.root().canonicalize().unwrap();
    let own = root.join("main/.git/worktrees/tree");
    fs::create_dir_all(&own).unwrap();
    fs::create_dir_all(root.join("main/.git/info")).unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
    fs::write(own.join("gitdir"), format!("{}\n", root.join("tree/.git").display())).unwrap();
    fs::write(root.join("tree/.git"), format!("gitdir: {}\n", own.display())).unwrap();
    let (workspace, tree) = watched(&root.join("tree"), &root.join("outside"));
    assert_same(&workspace, &tree, "nothing");
    fs::write(root.join("main/.git/info/exclude"), "y.py\n").unwrap();
    assert_same(&workspace, &tree, "a rule of git");
}

#[test]
fn what_git_begins_to_track_is_seen() {
    let files = Fixture::new(
        "//- /tree/.git/HEAD\n//- /tree/.git/info/x\n//- /tree/.gitignore\nout/\n//- /tree/out/x.rs\n//- /outside/x\n",
    );
    let root = files.root().canonicalize().unwrap();
    let (workspace, tree) = watched(&root.join("tree"), &root.join("outside"));
    assert_eq!(tree.walk(&workspace, &Cancellation::new()).files, []);
    fs::write(root.join("tree/.git/index"), index_of(SHA1, &["out/x.rs"])).unwrap();
    assert_eq!(tree.walk(&workspace, &Cancellation::new()).files.len(), 1);
    assert_same(&workspace, &tree, "an addition to git's index");
}

#[test]
fn a_cancelled_walk_is_not_kept() {
    let files = Fixture::new("//- /tree/a.rs\n//- /outside/x\n");
    let root = files.root().canonicalize().unwrap();
    let (workspace, tree) = watched(&root.join("tree"), &root.join("outside"));
    let cancelled = Cancellation::new();
    cancelled.cancel();
    assert_eq!(tree.walk(&workspace, &cancelled).files, []);
    assert_eq!(tree.walk(&workspace, &Cancellation::new()).files.len(), 1);
}
