//! Several folders as one workspace: names, confinement of each, and what one may not do to another.

use std::path::PathBuf;

use pretty_assertions::assert_eq;
use retriever_test_support::Fixture;
use retriever_workspace::{
    Cancellation, FileTraitsConfig, PathEntryKind, ReadError, RepoPath, RootSpec, Workspace,
    WorkspaceConfig, WorkspaceError,
};

const TWO: &str = "//- /api/src/a.rs\nfn a() {}\n//- /api/.gitignore\nout/\n//- /api/out/x.rs\nx\n//- /api/.env\nK=1\n\
                   //- /tests/lib.rs\nfn lib() {}\n//- /tests/out/y.rs\ny\n//- /beside.rs\nb\n";

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text, "").unwrap()
}

fn open(specs: &[RootSpec]) -> Result<Workspace, WorkspaceError> {
    Workspace::open_roots(specs, &WorkspaceConfig::default(), &FileTraitsConfig::default())
}

fn specs(fixture: &Fixture, folders: &[&str]) -> Vec<RootSpec> {
    folders.iter().map(|folder| RootSpec::new(fixture.root().join(folder))).collect()
}

fn walked(workspace: &Workspace, scope: &str) -> Vec<String> {
    let walk = workspace.walk(&path(scope));
    walk.files.into_iter().map(|entry| entry.path.to_string()).collect()
}

#[test]
fn paths_begin_with_the_name_of_their_root() {
    let fixture = Fixture::new(TWO);
    let workspace = open(&specs(&fixture, &["api", "tests"])).unwrap();
    assert_eq!(walked(&workspace, ""), ["api/src/a.rs", "tests/lib.rs", "tests/out/y.rs"]);
    assert_eq!(walked(&workspace, "tests/out"), ["tests/out/y.rs"]);
    assert_eq!(walked(&workspace, "beside.rs"), Vec::<String>::new());
    assert_eq!(workspace.kind(&RepoPath::root()), Ok(PathEntryKind::Folder));
    assert_eq!(workspace.kind(&path("api/src")), Ok(PathEntryKind::Folder));
    assert_eq!(workspace.read(&path("api/src/a.rs")).unwrap().line(1), Some("fn a() {}"));
    assert_eq!(
        workspace.read(&path("src/a.rs")).unwrap_err(),
        ReadError::Missing(path("src/a.rs"))
    );
    assert_eq!(workspace.read(&path("api")).unwrap_err(), ReadError::Folder(path("api")));
    assert_eq!(workspace.read(&RepoPath::root()).unwrap_err(), ReadError::Folder(path("")));
    let absolute = fixture.root().join("tests/lib.rs");
    assert_eq!(workspace.normalize(absolute.to_str().unwrap()), Ok(path("tests/lib.rs")));
    assert!(workspace.normalize(fixture.root().join("beside.rs").to_str().unwrap()).is_err());
    assert_eq!(
        workspace.suggest_paths("src/a.rs", 1, &Cancellation::new()),
        [path("api/src/a.rs")]
    );
    let folders = workspace.list_folder(&RepoPath::root()).1;
    assert!(folders.contains(&path("api")), "{folders:?}");
    // The name of a root says nothing about the files in it.
    assert!(!workspace.read(&path("tests/lib.rs")).unwrap().traits.test);
    assert_eq!(workspace.count_skipped(&RepoPath::root(), 3).ignored, 1);
}

#[test]
fn a_root_has_its_own_name_or_a_number_or_the_one_that_is_asked_for() {
    let fixture = Fixture::new("//- /a/app/x\n1\n//- /b/app/x\n2\n//- /c/app/x\n3\n");
    let mut roots = specs(&fixture, &["a/app", "b/app", "c/app"]);
    let names = |roots: &[RootSpec]| -> Vec<String> {
        open(roots).unwrap().roots().map(|(name, _)| name.to_owned()).collect()
    };
    assert_eq!(names(&roots), ["app", "app-2", "app-3"]);
    assert_eq!(names(&roots[..1]), [""]);
    roots[1].name = "web".to_owned();
    assert_eq!(names(&roots), ["app", "web", "app-2"]);
    roots[2].name = "web".to_owned();
    for (name, reason) in [
        ("web", "two roots have it"),
        ("a/b", "it is not one part of a path"),
        ("..", "it is not one part of a path"),
    ] {
        roots[2].name = name.to_owned();
        let error = open(&roots).unwrap_err();
        assert_eq!(error.to_string(), format!("{name:?} can't be the name of a root: {reason}"));
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn roots_that_hold_each_other_are_refused_and_so_are_none() {
    let fixture = Fixture::new(TWO);
    for folders in [["api", "api/src"], ["api/src", "api"], ["api", "./api"]] {
        let error = open(&specs(&fixture, &folders)).unwrap_err();
        assert!(matches!(error, WorkspaceError::Nested(..)), "{error}");
    }
    assert!(matches!(open(&[]), Err(WorkspaceError::NoRoot)));
}

#[cfg(unix)]
#[test]
fn one_root_can_not_reach_or_hide_the_files_of_another() {
    let fixture = Fixture::new(TWO);
    std::os::unix::fs::symlink("../../tests/lib.rs", fixture.root().join("api/src/link.rs"))
        .unwrap();
    let mut roots = specs(&fixture, &["api", "tests"]);
    roots[0].ignore = vec!["*".to_owned()];
    roots[0].secrets = vec!["**/*.rs".to_owned()];
    let workspace = open(&roots).unwrap();
    assert_eq!(walked(&workspace, ""), ["tests/lib.rs", "tests/out/y.rs"]);
    assert!(workspace.is_secret(&path("api/src/a.rs")));
    assert!(!workspace.is_secret(&path("tests/lib.rs")));
    let workspace = open(&specs(&fixture, &["api", "tests"])).unwrap();
    let link = path("api/src/link.rs");
    assert_eq!(workspace.read(&link).unwrap_err(), ReadError::Outside(link.clone()));
    assert!(workspace.normalize("api/../../beside.rs").is_err());
    assert_eq!(workspace.read(&path("api/.env")).unwrap_err(), ReadError::Secret(path("api/.env")));
}

#[test]
fn an_identity_tells_roots_and_their_names_apart() {
    let fixture = Fixture::new(TWO);
    let both = specs(&fixture, &["api", "tests"]);
    let mut renamed = both.clone();
    renamed[0].name = "web".to_owned();
    let identities: Vec<String> = [&both[..1], &both[1..], &both, &renamed]
        .iter()
        .map(|roots| open(roots).unwrap().identity())
        .collect();
    let distinct: std::collections::BTreeSet<&String> = identities.iter().collect();
    assert_eq!(distinct.len(), 4);
    assert_eq!(PathBuf::from(&identities[0]), fixture.root().join("api").canonicalize().unwrap());
}
