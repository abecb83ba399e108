//! The workspace: opening, normal forms, walking, reading, traits.

use std::path::Path;

use pretty_assertions::assert_eq;
use retriever::{
    config::{TraitConfig, WorkspaceConfig},
    ledger::LineRange,
    workspace::{Encoding, ReadError, RepoPath, Standing, Workspace},
};

use crate::support::fixture::Fixture;

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text, "").unwrap()
}

fn open(root: &Path) -> Workspace {
    Workspace::open(root, &WorkspaceConfig::default(), &TraitConfig::default()).unwrap()
}

fn walked(workspace: &Workspace, scope: &str) -> Vec<String> {
    let walk = workspace.walk(&path(scope));
    walk.files.into_iter().map(|entry| entry.path.to_string()).collect()
}

#[test]
fn a_walk_is_sorted_and_obeys_the_ignore_files_of_the_tree() {
    let fixture = Fixture::new(
        "//- /.gitignore\ntarget/\n*.log\n//- /src/b.rs\nb\n//- /src/a.rs\na\n//- /target/x.rs\nx\n\
         //- /src/.ignore\nskipped.rs\n//- /src/skipped.rs\ns\n//- /src/c.log\nc\n//- /.hidden/h.rs\nh\n\
         //- /.git/info/exclude\nlocal.rs\n//- /local.rs\nl\n//- /.git/config\nurl\n",
    );
    let workspace = open(fixture.root());
    assert_eq!(walked(&workspace, ""), ["src/a.rs", "src/b.rs"]);
    assert_eq!(walked(&workspace, "src"), ["src/a.rs", "src/b.rs"]);
    assert_eq!(walked(&workspace, "src/a.rs"), ["src/a.rs"]);
    assert_eq!(walked(&workspace, "target"), ["target/x.rs"]);
    assert_eq!(walked(&workspace, "target/x.rs"), ["target/x.rs"]);
    assert_eq!(walked(&workspace, ".git"), Vec::<String>::new());
    assert_eq!(walked(&workspace, "nowhere"), Vec::<String>::new());
}

#[test]
fn a_file_is_read_with_its_lines_hash_and_encoding() {
    let fixture = Fixture::new("//- /src/a.rs\none\r\ntwo\n\nfour");
    fixture.write("le.txt", b"\xff\xfea\0\n\0b\0");
    fixture.write("be.txt", b"\xfe\xff\0a\0\n\0b");
    fixture.write("latin.txt", b"caf\xe9\n");
    fixture.write("empty.txt", b"");
    fixture.write("blob.bin", b"ab\0cd");
    let workspace = open(fixture.root());
    let file = workspace.read(&path("src/a.rs")).unwrap();
    assert_eq!((file.line_count(), file.encoding), (4, Encoding::Utf8));
    assert_eq!(file.line(1), Some("one"));
    assert_eq!(file.line(5), None);
    let lines: Vec<_> = file.lines(LineRange::new(2, 9).unwrap()).collect();
    assert_eq!(lines, [(2, "two"), (3, ""), (4, "four")]);
    assert_eq!(workspace.standing(&path("src/a.rs")), Standing::Current(file.hash));
    for (name, encoding) in [("le.txt", Encoding::Utf16Le), ("be.txt", Encoding::Utf16Be)] {
        let file = workspace.read(&path(name)).unwrap();
        assert_eq!((file.text(), file.encoding), ("a\nb", encoding));
    }
    let latin = workspace.read(&path("latin.txt")).unwrap();
    assert_eq!((latin.text(), latin.encoding), ("caf\u{fffd}\n", Encoding::Lossy));
    assert_eq!(workspace.read(&path("empty.txt")).unwrap().line_count(), 0);
    let refused = |name: &str| workspace.read(&path(name)).unwrap_err();
    assert_eq!(refused("blob.bin"), ReadError::Binary(path("blob.bin")));
    assert_eq!(refused("src"), ReadError::Folder(path("src")));
    assert_eq!(refused("src/none.rs"), ReadError::Missing(path("src/none.rs")));
    assert_eq!(refused("src/a.rs/x"), ReadError::Missing(path("src/a.rs/x")));
    assert_eq!(workspace.standing(&path("src/none.rs")), Standing::Missing);
}
