//! A remote that says nothing holds nobody who has given up, and one that fails is not asked again.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use retriever_remote::{ObjectStoreCredentials, RemoteIndex, RemoteOptions, RemoteReader};
use retriever_workspace::{Cancellation, GitFolders};

/// The folder of a repository at a commit.
fn git() -> tempfile::TempDir {
    let git = tempfile::tempdir().unwrap();
    std::fs::write(git.path().join("HEAD"), "1111111111111111111111111111111111111111\n").unwrap();
    git
}

fn reader(git: &tempfile::TempDir, server: &TcpListener, patience: Duration) -> RemoteReader {
    let folder = PathBuf::from(git.path());
    let remote = RemoteIndex::open(RemoteOptions {
        address: format!("http://{}", server.local_addr().unwrap()),
        credentials: ObjectStoreCredentials::default(),
        repository: Some("example.com/team/shop".to_owned()),
        git: GitFolders { own: folder.clone(), common: folder },
        version: "1".to_owned(),
        patience,
        note: None,
    });
    RemoteReader::new(remote.unwrap())
}

#[test]
fn each_request_ends_when_its_work_is_cancelled() {
    let git = git();
    // Connections are made and never answered.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let reader = reader(&git, &silent, Duration::from_secs(3_600));
    let soon = || Cancellation::new().with_deadline(Instant::now() + Duration::from_millis(50));
    assert!(reader.graph(&soon()).is_none());
    assert!(reader.words(&soon()).is_none());
    reader.facts(&[0; 32], &soon(), &mut |_, _| unreachable!("nothing is fetched"));
    assert!(reader.warnings().is_empty());
}

#[test]
fn a_server_that_fails_is_asked_once_by_readers() {
    let git = git();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    // Less than a second; even a machine under load is answered within it.
    let reader = reader(&git, &server, Duration::from_millis(999));
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    std::thread::spawn(move || {
        for connection in server.incoming() {
            let mut connection = connection.unwrap();
            let mut lines = BufReader::new(connection.try_clone().unwrap()).lines();
            while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
            counted.fetch_add(1, Ordering::SeqCst);
            let answer = b"HTTP/1.1 500 Broken\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            connection.write_all(answer).unwrap();
        }
    });
    assert!(reader.graph(&Cancellation::new()).is_none());
    assert!(reader.words(&Cancellation::new()).is_none());
    let warnings = reader.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("is not used"), "{warnings:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 1, "{warnings:?}");
}
