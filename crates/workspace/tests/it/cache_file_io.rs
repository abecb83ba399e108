//! Files in cache folders: replaced as a whole, whatever a killed process left behind, and records with a checksum.

use std::{fs, io, time::Duration};

use retriever_workspace::cache_file_io::{
    add_checksum, lock_file, replace_file, strip_checksum, wait_for_lock,
};

#[test]
fn a_replaced_file_has_the_new_content_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words");
    fs::write(folder.path().join("words.new"), "left by a killed process").unwrap();
    for content in ["one", "two", ""] {
        replace_file(&path, content.as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    let missing = folder.path().join("missing/words");
    assert_eq!(replace_file(&missing, b"x").unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
#[cfg(unix)]
fn only_the_owner_may_look_into_a_cache() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    lock_file(&cache).unwrap();
    replace_file(&cache.join("words"), b"x").unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(cache.clone()), mode(cache.join("words"))), (0o700, 0o600));
}

#[test]
fn a_lock_that_another_holds_is_refused_when_patience_ends() {
    let folder = tempfile::tempdir().unwrap();
    let held = lock_file(folder.path()).unwrap();
    held.lock().unwrap();
    let other = lock_file(folder.path()).unwrap();
    let patience = Duration::from_millis(20);
    let refused = wait_for_lock(patience, || other.try_lock()).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::WouldBlock);
    held.unlock().unwrap();
    wait_for_lock(patience, || other.try_lock()).unwrap();
}

#[test]
fn a_sealed_record_is_read_back_and_a_damaged_one_is_refused() {
    for payload in [&b""[..], b"x", &[7; 300]] {
        let encoded = add_checksum(payload);
        assert_eq!(strip_checksum(&encoded), Some(payload));
        for at in 0..encoded.len() {
            let mut damaged = encoded.clone();
            damaged[at] ^= 1;
            assert_eq!(strip_checksum(&damaged), None, "byte {at}");
        }
    }
    assert_eq!(strip_checksum(b"short"), None);
}
