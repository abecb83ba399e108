//! Globs: what they match, and that no glob, from a caller or from an ignore file, is compiled when it is nested too deeply.

use pretty_assertions::assert_eq;
use retriever_test_support::Fixture;
use retriever_workspace::{FileTraitsConfig, PathGlobs, RepoPath, Workspace, WorkspaceConfig};

#[test]
fn globs_match_in_one_reading() {
    for (globs, path, matches) in [
        (&["*.rs"][..], "src/deep/a.rs", true),
        (&["src/*.rs"], "src/deep/a.rs", false),
        (&["src/**/*.rs"], "src/deep/a.rs", true),
        (&["/a.rs"], "src/a.rs", false),
        (&["./a.rs"], "a.rs", true),
        (&["src/"], "src/deep/a.rs", true),
        (&["*.{rs,}"], "a.", true),
        (&["*.rs", "!a.rs"], "a.rs", false),
        (&["!a.rs"], "b.rs", true),
        (&["src\\*.rs"], "src/a.rs", true),
    ] {
        let path = RepoPath::parse(path, "").unwrap();
        assert_eq!(PathGlobs::new(globs).unwrap().matches(&path), matches, "{globs:?} {path}");
    }
}

#[test]
fn a_glob_that_is_too_deep_or_too_long_is_refused() {
    for glob in
        ["{".repeat(100_000), format!("{}a{}", "{".repeat(33), "}".repeat(33)), "a".repeat(5_000)]
    {
        let error = PathGlobs::new(&[&glob]).unwrap_err();
        assert!(error.to_string().len() < 200, "{error}");
    }
    let deepest = format!("{}a{}", "{".repeat(32), "}".repeat(32));
    assert!(PathGlobs::new(&[deepest]).is_ok());
}

#[test]
fn a_folder_whose_ignore_file_nests_too_deeply_is_left_out() {
    let fixture = Fixture::new("//- /a.rs\na\n//- /bad/b.rs\nb\n//- /good/c.rs\nc\n");
    fixture.write("good/.gitignore", "{x,{y,z}}\n");
    fixture.write("bad/.gitignore", "{".repeat(20_000) + "\n");
    let workspace = || {
        let (files, traits) = (WorkspaceConfig::default(), FileTraitsConfig::default());
        Workspace::open(fixture.root(), &files, &traits).unwrap()
    };
    let walk = workspace().walk(&RepoPath::root());
    let found: Vec<String> = walk.files.iter().map(|file| file.path.to_string()).collect();
    assert_eq!(found, ["a.rs", "good/c.rs"]);
    fixture.write(".ignore", format!("{}a{}\n", "{".repeat(10_000), "}".repeat(10_000)));
    let walk = workspace().walk(&RepoPath::root());
    assert_eq!((walk.files.len(), walk.skipped.unreadable), (0, 1));
}
