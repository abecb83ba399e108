//! Ignore files mean what they mean to the crate `ignore`, whose walk is the reference, wherever in the tree they are.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use retriever_test_support::Fixture;
use retriever_workspace::{FileTraitsConfig, RepoPath, Workspace, WorkspaceConfig};

const FOLDERS: [&str; 7] = ["", "a/", "a/b/", "a/b/c/", "d/", ".h/", "d/.git/"];
const NAMES: [&str; 6] = ["x.rs", "y.py", "out", ".hidden.rs", "z.log", "\u{e9}.rs"];
const RULES: [&str; 14] = [
    "*.rs",
    "!x.rs",
    "/a",
    "b/",
    "out",
    "/out",
    "!out",
    ".h",
    "!.h/",
    "!.hidden.rs",
    "a/b/*.py",
    "**/c",
    "# x.rs",
    "z.log   ",
];
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];

fn reference(fixture: &Fixture, hidden: bool) -> BTreeSet<String> {
    let walk = ignore::WalkBuilder::new(fixture.root())
        .hidden(!hidden)
        .require_git(false)
        .parents(false)
        .git_global(false)
        .build();
    let paths = walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let relative = |entry: ignore::DirEntry| {
        let path = entry.path().strip_prefix(fixture.root()).ok()?.to_str()?.to_owned();
        (!path.split('/').any(|part| part == ".git")).then_some(path)
    };
    paths.filter_map(relative).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_walk_obeys_ignore_files_as_the_reference_does(
        files in prop::collection::btree_set((0..FOLDERS.len(), 0..NAMES.len()), 1..20),
        rules in prop::collection::vec(
            (0..FOLDERS.len(), 0..IGNORE_FILES.len(), prop::collection::vec(0..RULES.len(), 1..5)),
            0..6,
        ),
        hidden: bool,
    ) {
        let fixture = Fixture::new("//- /first.txt\n");
        for (folder, name) in files {
            fixture.write(&format!("{}{}", FOLDERS[folder], NAMES[name]), "");
        }
        for (folder, file, rules) in rules {
            let rules: Vec<&str> = rules.into_iter().map(|rule| RULES[rule]).collect();
            fixture.write(&format!("{}{}", FOLDERS[folder], IGNORE_FILES[file]), rules.join("\n"));
        }
        let config = WorkspaceConfig { hidden, ..WorkspaceConfig::default() };
        let workspace =
            Workspace::open(fixture.root(), &config, &FileTraitsConfig::default()).unwrap();
        let walk = workspace.walk(&RepoPath::root());
        let found: BTreeSet<String> =
            walk.files.into_iter().map(|file| file.path.to_string()).collect();
        assert_eq!(found, reference(&fixture, hidden));
    }
}
