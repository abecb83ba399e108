//! A remote that says nothing holds nobody who has given up.

use std::{
    net::TcpListener,
    path::PathBuf,
    time::{Duration, Instant},
};

use retriever_remote::{ObjectStoreCredentials, RemoteIndex, RemoteOptions, RemoteReader};
use retriever_workspace::{Cancellation, GitFolders};

#[test]
fn each_request_ends_when_its_work_is_cancelled() {
    let git = tempfile::tempdir().unwrap();
    std::fs::write(git.path().join("HEAD"), "1111111111111111111111111111111111111111\n").unwrap();
    // Connections are made and never answered.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = PathBuf::from(git.path());
    let remote = RemoteIndex::open(RemoteOptions {
        address: format!("http://{}", silent.local_addr().unwrap()),
        credentials: ObjectStoreCredentials::default(),
        repository: Some("example.com/team/shop".to_owned()),
        git: GitFolders { own: folder.clone(), common: folder },
        version: "1".to_owned(),
        patience: Duration::from_secs(3_600),
        note: None,
    });
    let reader = RemoteReader::new(remote.unwrap());
    let soon = || Cancellation::new().with_deadline(Instant::now() + Duration::from_millis(50));
    assert!(reader.graph(&soon()).is_none());
    assert!(reader.words(&soon()).is_none());
    reader.facts(&[0; 32], &soon(), &mut |_, _| unreachable!("nothing is fetched"));
    assert!(reader.warnings().is_empty());
}
