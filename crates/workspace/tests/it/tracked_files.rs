//! What git tracks is not ignored, whatever git's ignore files say; what is left out for another reason stays left out.

use pretty_assertions::assert_eq;
use retriever_test_support::Fixture;
use retriever_workspace::{FileTraitsConfig, RepoPath, Workspace, WorkspaceConfig};

use crate::git_index::{FORMS, SHA1, index_of};

const TREE: &str = "//- /.git/HEAD\nref: refs/heads/main\n//- /.gitignore\nout/\n*.gen.rs\n\
    //- /.git/info/exclude\nlocal.rs\n//- /local.rs\n//- /a.rs\n//- /a.gen.rs\n//- /b.gen.rs\n\
    //- /out/kept.rs\n//- /out/other.rs\n//- /out/deep/kept.rs\n//- /out/deep/other.rs\n//- /out/none/other.rs\n\
    //- /.ignore\nleft_out.rs\n//- /left_out.rs\n//- /configured.rs\n//- /out/.hidden.rs\n//- /out/server.pem\n";

const TRACKED: [&str; 9] = [
    "a.rs",
    "a.gen.rs",
    "configured.rs",
    "left_out.rs",
    "local.rs",
    "out/.hidden.rs",
    "out/deep/kept.rs",
    "out/kept.rs",
    "out/server.pem",
];

fn walked(fixture: &Fixture, scope: &str) -> Vec<String> {
    let files =
        WorkspaceConfig { ignore: vec!["configured.rs".to_owned()], ..WorkspaceConfig::default() };
    let workspace = Workspace::open(fixture.root(), &files, &FileTraitsConfig::default()).unwrap();
    let walk = workspace.walk(&RepoPath::parse(scope, "").unwrap());
    walk.files.into_iter().map(|file| file.path.to_string()).collect()
}

#[test]
fn a_tracked_file_is_seen_though_git_ignores_it() {
    let fixture = Fixture::new(TREE);
    assert_eq!(walked(&fixture, ""), ["a.rs"]);
    for form in FORMS {
        fixture.write(".git/index", index_of(form, &TRACKED));
        let expected = ["a.gen.rs", "a.rs", "local.rs", "out/deep/kept.rs", "out/kept.rs"];
        assert_eq!(walked(&fixture, ""), expected, "{form:?}");
        assert_eq!(walked(&fixture, "out/deep"), ["out/deep/kept.rs"]);
        assert_eq!(walked(&fixture, "out/kept.rs"), ["out/kept.rs"]);
        // Nothing in it is tracked, and it was asked for.
        assert_eq!(walked(&fixture, "out/none"), ["out/none/other.rs"]);
    }
}

#[test]
fn a_damaged_index_says_nothing() {
    let fixture = Fixture::new(TREE);
    let sound = index_of(SHA1, &TRACKED);
    // The hash at the end is not read.
    for length in (0..sound.len() - SHA1.id).step_by(7) {
        fixture.write(".git/index", &sound[..length]);
        assert_eq!(walked(&fixture, ""), ["a.rs"], "{length} bytes");
    }
    let one = index_of(SHA1, &["out/kept.rs"]);
    let mut two = [&one[..one.len() - SHA1.id], &one[12..]].concat();
    // Now the first of two paths comes after the second.
    two[11] = 2;
    two[12 + 62] = b'p';
    fixture.write(".git/index", two);
    assert_eq!(walked(&fixture, ""), ["a.rs"]);
}

#[test]
fn the_index_of_a_folder_above_or_below_the_root_is_not_read() {
    let fixture = Fixture::new("//- /x\n");
    for (git, name) in [("", "above"), ("above/below/", "below")] {
        fixture.write(&format!("{git}.git/HEAD"), "ref: refs/heads/main\n");
        fixture.write(&format!("{git}.git/index"), index_of(SHA1, &["above/below/x.rs", "x.rs"]));
        fixture.write("above/.gitignore", "x.rs\n");
        fixture.write("above/below/x.rs", "");
        let root = fixture.root().join("above");
        let files = WorkspaceConfig::default();
        let workspace = Workspace::open(&root, &files, &FileTraitsConfig::default()).unwrap();
        assert_eq!(workspace.walk(&RepoPath::root()).files, [], "{name}");
    }
}

#[test]
fn files_that_are_not_what_git_has_checked_out_are_counted() {
    const TREE: &str =
        "//- /.git/HEAD\nref: refs/heads/main\n//- /same.rs\n//- /edited.rs\n//- /sub/mod.rs\n";
    for form in FORMS {
        let fixture = Fixture::new(TREE);
        let changed = || {
            let files = WorkspaceConfig::default();
            let workspace =
                Workspace::open(fixture.root(), &files, &FileTraitsConfig::default()).unwrap();
            workspace.changed_since_checkout(&workspace.walk(&RepoPath::root()))
        };
        assert_eq!(changed(), 0, "there is no index");
        let mut index = index_of(form, &["edited.rs", "same.rs", "sub"]);
        let is_size = |at: &usize| index[*at..].starts_with(&[36, 37, 38, 39]);
        let sizes: Vec<usize> = (0..index.len()).filter(is_size).collect();
        assert_eq!(sizes.len(), 3);
        for at in &sizes {
            index[*at..at + 4].copy_from_slice(&6_u32.to_be_bytes());
        }
        fixture.write(".git/index", &index);
        for (path, text, expected) in [
            ("same.rs", "fn a()", 1),
            ("edited.rs", "fn b()", 0),
            ("edited.rs", "fn longer()", 1),
            ("new.rs", "", 2),
            // It is in another repository, which git tracks as one entry.
            ("sub/new.rs", "", 2),
        ] {
            fixture.write(path, text);
            assert_eq!(changed(), expected, "{form:?} {path}");
        }
        // An entry that git has not compared with the file has no times and no size.
        for end in sizes {
            index[end - 36..end + 4].fill(0);
        }
        fixture.write(".git/index", index);
        assert_eq!(changed(), 1, "{form:?} only new.rs is surely not what is checked out");
    }
}
