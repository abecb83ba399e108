//! Words that another machine has made are asked for until somebody waits for them.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use retriever_search::FullTextIndex;
use retriever_test_support::Fixture;
use retriever_workspace::{Cancellation, FileTraitsConfig, RepoPath, Workspace, WorkspaceConfig};

fn open(files: &Fixture, secrets: &[&str]) -> Workspace {
    let secrets = secrets.iter().map(|glob| (*glob).to_owned()).collect();
    let config = WorkspaceConfig { secrets, ..WorkspaceConfig::default() };
    Workspace::open(&files.root().join("tree"), &config, &FileTraitsConfig::default()).unwrap()
}

#[test]
fn words_are_asked_for_again_after_a_search_that_was_cancelled() {
    let files = Fixture::new("//- /tree/a.rs\nfn a() {}\n");
    let workspace = open(&files, &[]);
    let walk = Arc::new(workspace.walk(&RepoPath::root()));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let upstream = move |cancellation: &Cancellation| {
        if count.fetch_add(1, Ordering::Relaxed) == 0 {
            cancellation.cancel();
        }
        None
    };
    let folder = files.root().join("cache");
    let tokens = FullTextIndex::new(Some(&folder)).with_upstream(Box::new(upstream));
    for _ in 0..3 {
        tokens.snapshot(&workspace, &walk, &Cancellation::new());
    }
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[test]
fn a_secret_that_could_not_be_removed_is_removed_by_the_next_search() {
    let files = Fixture::new("//- /tree/a.rs\nfn a() {}\n//- /tree/token.txt\nconfidentialword\n");
    let folder = files.root().join("cache");
    let holds_secret = || {
        let stored = fs::read_dir(folder.join("words")).unwrap();
        stored.map(|file| fs::read(file.unwrap().path()).unwrap()).any(|bytes| {
            bytes.windows(b"confidentialword".len()).any(|part| part == b"confidentialword")
        })
    };
    let search = |tokens: &FullTextIndex, workspace: &Workspace| {
        let walk = Arc::new(workspace.walk(&RepoPath::root()));
        tokens.snapshot(workspace, &walk, &Cancellation::new());
    };
    let tokens = FullTextIndex::new(Some(&folder));
    search(&tokens, &open(&files, &[]));
    assert!(holds_secret());
    let workspace = open(&files, &["token.txt"]);
    let lock = retriever_workspace::cache_file_io::lock_file(&folder.join("words")).unwrap();
    lock.lock().unwrap();
    search(&tokens, &workspace);
    assert!(holds_secret());
    lock.unlock().unwrap();
    search(&tokens, &workspace);
    assert!(!holds_secret());
}
