//! What no walk, count or read gives out: secrets however they are spelled, names that cannot be printed, the folders of
//! version control, and files past the limit of bytes.

use std::{collections::BTreeSet, fs, path::Path};

use pretty_assertions::assert_eq;
use retriever_test_support::Fixture;
use retriever_workspace::{
    FileTraitsConfig, ReadError, RepoPath, RootSpec, SkippedFiles, Workspace, WorkspaceConfig,
    shared_folders,
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

#[test]
fn the_repository_of_a_linked_working_tree_is_that_of_its_main_one() {
    for (listed, is_linked) in [("two/.git", true), ("other/.git", false), ("", false)] {
        let fixture =
            Fixture::new("//- /main/.git/HEAD\nref\n//- /two/a.rs\na\n//- /other/.git\nx\n");
        let absolute = |path: &str| fixture.root().join(path).to_str().unwrap().to_owned();
        let own = "main/.git/worktrees/two";
        fixture.write("two/.git", format!("gitdir: {}\n", absolute(own)));
        fixture.write(&format!("{own}/commondir"), "../..\n");
        fixture.write(&format!("{own}/gitdir"), format!("{}\n", absolute(listed)));
        let root = RootSpec::new(fixture.root().join("two"));
        let open = |root| {
            Workspace::open_roots(
                &[root],
                &WorkspaceConfig::default(),
                &FileTraitsConfig::default(),
            )
        };
        let common = fs::canonicalize(fixture.root().join("main/.git")).unwrap();
        let found = open(root).unwrap().repository();
        assert_eq!(found, is_linked.then_some(common), "{listed}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_without_waiting() {
    use rustix::fs::{CWD, Mode, mkfifoat};

    let fixture = Fixture::new("//- /a.rs\na\n//- /piped/b.rs\nb\n");
    for pipe in ["pipe", "piped/.ignore"] {
        mkfifoat(CWD, fixture.root().join(pipe), Mode::RUSR | Mode::WUSR).unwrap();
    }
    let socket = std::os::unix::net::UnixListener::bind(fixture.root().join("socket")).unwrap();
    let workspace = open(&fixture, &WorkspaceConfig::default());
    for name in ["pipe", "socket"] {
        assert_eq!(workspace.read(&path(name)).err(), Some(ReadError::NotRegular(path(name))));
    }
    // What the ignore file of a folder says is not known.
    assert_eq!(walked(&workspace), ["a.rs"]);
    drop(socket);
}

/// Between a walk and the reading of what it found, anything may take the place of a file.
#[cfg(unix)]
#[test]
fn what_took_the_place_of_a_file_after_a_walk_is_not_read() {
    use std::os::unix::fs::symlink;

    let fixture = Fixture::new("//- /a.rs\na\n//- /b.rs\nb\n//- /c.rs\nc\n//- /d.rs\nd\n");
    let workspace = open(&fixture, &WorkspaceConfig::default());
    assert_eq!(walked(&workspace), ["a.rs", "b.rs", "c.rs", "d.rs"]);
    for name in ["b.rs", "c.rs", "d.rs"] {
        fs::remove_file(fixture.root().join(name)).unwrap();
    }
    symlink("a.rs", fixture.root().join("b.rs")).unwrap();
    fs::create_dir(fixture.root().join("c.rs")).unwrap();
    fixture.write("d.rs", b"d\0");
    let read = |name: &str, wanted: bool| workspace.read_walked(&path(name), |_| wanted);
    let (text, hash) = read("a.rs", true).unwrap();
    assert_eq!(text.as_deref(), Some("a\n"));
    assert_eq!(read("a.rs", false), Ok((None, hash)));
    assert!(matches!(read("b.rs", true), Err(ReadError::Unreadable(..))));
    assert_eq!(read("c.rs", true), Err(ReadError::Folder(path("c.rs"))));
    assert_eq!(read("d.rs", true), Err(ReadError::Binary(path("d.rs"))));
    assert_eq!(read("none.rs", true), Err(ReadError::Missing(path("none.rs"))));
}

#[test]
fn an_ignore_file_is_obeyed_up_to_its_limit_of_bytes() {
    const LIMIT: usize = 1024 * 1024;
    let fixture = Fixture::new("//- /a.rs\na\n//- /out/b.rs\nb\n");
    let rules = "out/\n#".to_owned() + &"\n#".repeat((LIMIT - 6) / 2);
    fixture.write(".gitignore", &rules);
    assert_eq!(walked(&open(&fixture, &WorkspaceConfig::default())), ["a.rs"]);
    fixture.write(".gitignore", rules + "#");
    let walk = open(&fixture, &WorkspaceConfig::default()).walk(&RepoPath::root());
    assert_eq!((walk.files.len(), walk.skipped.unreadable), (0, 1));
}

/// (a path, a folder, whether the path is in the folder, how many parts they share)
const FOLDERS: &[(&str, &str, bool, usize)] = &[
    ("src/a.rs", "src", true, 1),
    ("src", "src", true, 1),
    ("src2/a.rs", "src", false, 0),
    ("src", "src/a.rs", false, 1),
    ("src/in/a.rs", "src/in", true, 2),
    ("src/in/a.rs", "src/out/a.rs", false, 1),
    ("lib/in/a.rs", "src/in/a.rs", false, 0),
];

#[test]
fn a_folder_holds_what_its_whole_name_begins() {
    let workspace = open(&Fixture::new("//- /a.rs\na\n"), &WorkspaceConfig::default());
    for (inner, folder, within, shared) in FOLDERS {
        assert_eq!(path(inner).is_within(&path(folder)), *within, "{inner} in {folder}");
        assert_eq!(shared_folders(inner, folder), *shared, "{inner} and {folder}");
        assert!(path(inner).is_within(&RepoPath::root()), "{inner}");
        // A path is found by its text.
        assert_eq!(BTreeSet::from([path(inner)]).contains(*folder), inner == folder, "{inner}");
        let absolute = Path::new(workspace.root()).join(inner);
        assert_eq!(workspace.absolute_path(&path(inner)), Some(absolute));
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
