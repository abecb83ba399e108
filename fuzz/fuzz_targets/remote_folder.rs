//! A remote whose files anybody has changed: reading its manifests and objects never panics, and what is taken is what was
//! published, or nothing.
#![no_main]

use std::{fs, path::Path, path::PathBuf, sync::LazyLock, time::Duration};

use libfuzzer_sys::fuzz_target;
use retriever_remote::{
    CommitToPublish, ObjectStoreCredentials, RemoteIndex, RemoteOptions, RemoteReader,
};
use retriever_workspace::{Cancellation, GitFolders};

const COMMIT: &str = "1111111111111111111111111111111111111111";
const CONTENT: [u8; 32] = [7; 32];
const FACTS: &[u8] = b"facts of a file";
const WORDS: &[u8] = b"words of all files";

struct Published {
    git: tempfile::TempDir,
    /// The remote's files and what is in them.
    files: Vec<(PathBuf, Vec<u8>)>,
}

static PUBLISHED: LazyLock<Published> = LazyLock::new(|| {
    let git = tempfile::tempdir().expect("a folder");
    fs::write(git.path().join("HEAD"), format!("{COMMIT}\n")).expect("a file");
    let remote = tempfile::tempdir().expect("a folder");
    let publication = CommitToPublish {
        graph: parts(),
        words: Some(WORDS.to_vec()),
        contents: vec![CONTENT],
        facts: &|_| Some(FACTS.to_vec()),
    };
    open(remote.path(), git.path()).publish(publication).expect("a folder takes everything");
    let mut files = Vec::new();
    let mut open = vec![remote.path().to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let bytes = fs::read(&path).expect("a file");
                files.push((path.strip_prefix(remote.path()).expect("below").to_owned(), bytes));
            }
        }
    }
    files.sort();
    Published { git, files }
});

fn parts() -> Vec<Vec<u8>> {
    vec![b"one part".to_vec(), b"another part".to_vec()]
}

fn open(remote: &Path, git: &Path) -> RemoteReader {
    let options = RemoteOptions {
        address: format!("file://{}", remote.display()),
        credentials: ObjectStoreCredentials::default(),
        repository: Some("shop".to_owned()),
        git: GitFolders { own: git.to_owned(), common: git.to_owned() },
        version: "1".to_owned(),
        patience: Duration::from_secs(60),
        note: None,
    };
    RemoteReader::new(RemoteIndex::open(options).expect("a folder is an address"))
}

fuzz_target!(|edits: Vec<(u8, u16, u8)>| {
    let remote = tempfile::tempdir().expect("a folder");
    let mut files = PUBLISHED.files.clone();
    for (file, at, byte) in edits {
        let file = usize::from(file) % files.len();
        let length = files[file].1.len().max(1);
        if let Some(old) = files[file].1.get_mut(usize::from(at) % length) {
            *old = byte;
        }
    }
    for (path, bytes) in &files {
        let path = remote.path().join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
    let (reader, cancellation) = (open(remote.path(), PUBLISHED.git.path()), Cancellation::new());
    let taken = reader.graph(&cancellation).into_iter().flatten().flatten();
    assert!(taken.into_iter().all(|part| parts().contains(&part)));
    assert!(reader.words(&cancellation).is_none_or(|words| words == WORDS));
    reader.facts(&CONTENT, &cancellation, &mut |_, facts| assert_eq!(facts, FACTS));
});
