//! What no walk, count or read gives out: secrets however they are spelled, names that cannot be printed, the folders of
//! version control, and files past the limit of bytes.

use std::fs;

use pretty_assertions::assert_eq;
use retriever_test_support::Fixture;
use retriever_workspace::{
    FileTraitsConfig, ReadError, RepoPath, SkippedFiles, Workspace, WorkspaceConfig,
};

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text, "").unwrap()
}

fn open(fixture: &Fixture, config: &WorkspaceConfig) -> Workspace {
    Workspace::open(fixture.root(), config, &FileTraitsConfig::default()).unwrap()
}

fn walked(workspace: &Workspace) -> Vec<String> {
    let walk = workspace.walk(&RepoPath::root());
    walk.files.into_iter().map(|entry| entry.path.to_string()).collect()
}

/// Paths, and whether a file there is a secret.
const SECRETS: &[(&str, bool)] = &[
    (".ENV", true),
    ("App/.Env.Local", true),
    ("ÄRGER.PEM", true),
    ("straße.key", true),
    (".aws/config", true),
    ("deep/.SSH/known_hosts", true),
    ("deep/.config/gcloud/token", true),
    ("ID_RSA", true),
    ("CREDENTIALS", true),
    ("vault/own.txt", true),
    ("VAULT/own.txt", false),
    ("id_rsa.pub", false),
    (".env.example", false),
    ("aws/config", false),
    ("environment.rs", false),
    ("ÄRGER.rs", false),
];

#[test]
fn a_secret_is_one_in_any_case_and_folder() {
    let fixture = Fixture::new("//- /a.rs\na\n");
    SECRETS.iter().for_each(|(name, _)| fixture.write(name, b"x"));
    let secrets = vec!["vault/**".to_owned()];
    let workspace =
        open(&fixture, &WorkspaceConfig { hidden: true, secrets, ..WorkspaceConfig::default() });
    let walked = walked(&workspace);
    for (name, is_secret) in SECRETS {
        let is_refused = workspace.read(&path(name)).err() == Some(ReadError::Secret(path(name)));
        let is_listed = walked.iter().any(|path| path == name);
        assert_eq!((is_refused, is_listed), (*is_secret, !is_secret), "{name}");
    }
}

#[test]
fn a_name_that_does_not_come_back_from_its_text_is_not_walked() {
    let fixture = Fixture::new("//- /a.rs\na\n");
    for name in ["tab\tname.rs", "line\nname.rs", "back\\slash.rs", " before.rs", "after.rs "] {
        fixture.write(name, b"x");
    }
    assert_eq!(walked(&open(&fixture, &WorkspaceConfig::default())), ["a.rs"]);
}

#[test]
fn what_is_left_out_is_counted_without_secrets_and_version_control() {
    let fixture = Fixture::new(
        "//- /a.rs\na\n//- /.gitignore\nout/\n//- /out/b.rs\nb\n//- /.hidden/c.rs\nc\n//- /.git/HEAD\nref\n\
         //- /.hg/store\nx\n//- /.ssh/known\nx\n//- /x.pem\nx\n",
    );
    for (hidden, counted) in [(false, (2, 1)), (true, (0, 3))] {
        let config = WorkspaceConfig { hidden, ..WorkspaceConfig::default() };
        let skipped = open(&fixture, &config).count_skipped(&RepoPath::root(), 1);
        let expected =
            SkippedFiles { hidden: counted.0, ignored: counted.1, ..SkippedFiles::default() };
        assert_eq!(skipped, expected, "{hidden}");
    }
}

#[test]
fn a_file_of_exactly_the_limit_is_walked_and_read() {
    let fixture = Fixture::new("//- /.keep\n\n");
    let config = WorkspaceConfig { max_file_bytes: 8, ..WorkspaceConfig::default() };
    let sizes = [("less.rs", 7), ("same.rs", 8), ("more.rs", 9)];
    sizes.iter().for_each(|(name, bytes)| fixture.write(name, vec![b'a'; *bytes]));
    let workspace = open(&fixture, &config);
    assert_eq!(walked(&workspace), ["less.rs", "same.rs"]);
    for (name, bytes) in sizes {
        assert_eq!(workspace.read(&path(name)).is_ok(), bytes <= 8, "{name}");
    }
}

#[test]
fn a_folder_is_known_to_lie_in_a_working_tree_or_to_be_its_top() {
    let fixture =
        Fixture::new("//- /tree/.git/HEAD\nref\n//- /tree/src/a.rs\na\n//- /apart/b.rs\nb\n");
    for (folder, is_in_tree, is_top) in
        [("tree", true, true), ("tree/src", true, false), ("apart", false, false)]
    {
        let root = fixture.root().join(folder);
        let workspace =
            Workspace::open(&root, &WorkspaceConfig::default(), &FileTraitsConfig::default());
        let workspace = workspace.unwrap();
        let is_in_one = !workspace.enclosing_working_trees().is_empty();
        let found = (is_in_one, workspace.repository().is_some());
        assert_eq!(found, (is_in_tree, is_top), "{folder}");
    }
}

#[cfg(unix)]
#[test]
fn an_absolute_path_is_inside_by_either_spelling_of_the_root() {
    let fixture = Fixture::new("//- /real/a.rs\na\n//- /beside/b.rs\nb\n");
    let link = fixture.root().join("link");
    std::os::unix::fs::symlink(fixture.root().join("real"), &link).unwrap();
    let workspace =
        Workspace::open(&link, &WorkspaceConfig::default(), &FileTraitsConfig::default()).unwrap();
    let real = fs::canonicalize(&link).unwrap();
    for (absolute, inside) in [
        (link.join("a.rs"), true),
        (real.join("a.rs"), true),
        (fixture.root().join("beside/b.rs"), false),
    ] {
        let found = workspace.normalize(absolute.to_str().unwrap());
        assert_eq!(found.ok(), inside.then(|| path("a.rs")), "{}", absolute.display());
    }
}
