//! `cache`: what is kept for which roots, and how it is bounded.

use std::{
    fs::{self, File},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::machine::{Machine, Run};

/// Two repositories and a home of their own.
fn two_repositories() -> Machine {
    let source = "//- /home/x\n//- /one/.git/HEAD\n//- /one/a.rs\nfn a() {}\n//- /two/.git/HEAD\n//- /two/b.rs\nfn b() {}\n";
    Machine::new(source, "one")
}

fn root(machine: &Machine, name: &str) -> PathBuf {
    machine.files.root().join(name).canonicalize().unwrap()
}

fn run(machine: &Machine, folder: &str, arguments: &[&str]) -> Value {
    let run = Run::new(&machine.command_in(folder, arguments).output().unwrap());
    assert_eq!(run.code, 0, "{run:?}");
    serde_json::from_str(&run.out).unwrap_or_default()
}

/// Makes an entry of another root, used `days` ago, and returns its folder.
fn entry(machine: &Machine, name: &str, megabytes: usize, days: u64) -> PathBuf {
    let folder = format!("home/.cache/retriever/{name}");
    machine.files.write(&format!("{folder}/graph.db"), vec![0; megabytes * 1_000_000]);
    machine.files.write(&format!("{folder}/roots"), "/\n");
    machine.files.write(&format!("{folder}/lock"), "");
    let folder = machine.files.root().join(folder);
    let used = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
    let roots = File::options().write(true).open(folder.join("roots")).unwrap();
    roots.set_modified(used).unwrap();
    folder
}

fn roots(entries: &Value) -> Vec<&str> {
    let entries = entries.as_array().unwrap().iter();
    entries.map(|entry| entry["roots"][0].as_str().unwrap()).collect()
}

#[test]
fn every_root_is_listed_with_its_size_and_use() {
    let machine = two_repositories();
    let empty = run(&machine, "one", &["cache"]);
    assert_eq!((&empty["bytes"], empty["entries"].as_array().unwrap().len()), (&0.into(), 0));
    run(&machine, "one", &["index"]);
    run(&machine, "two", &["ask", "--offline", "what is b"]);
    let listed = run(&machine, "one", &["cache", "list", "--format", "json"]);
    let mut found = roots(&listed["entries"]);
    found.sort_unstable();
    assert_eq!(
        found,
        [root(&machine, "one").to_str().unwrap(), root(&machine, "two").to_str().unwrap()]
    );
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let mut bytes = 0;
    for entry in listed["entries"].as_array().unwrap() {
        bytes += entry["bytes"].as_u64().unwrap();
        assert!(entry["bytes"].as_u64().unwrap() > 1_000 && entry["present"] == true, "{entry}");
        assert!(now - entry["last_used"].as_u64().unwrap() < 60 * 60, "{entry}");
    }
    assert_eq!(listed["bytes"], bytes);
    assert_eq!(listed["max_bytes"], 2_000_000_000_u64);
    assert!(listed["shared_bytes"].as_u64().unwrap() > 1_000, "{listed}");
}

#[test]
fn what_is_of_roots_that_are_gone_is_pruned() {
    let machine = two_repositories();
    run(&machine, "one", &["index"]);
    run(&machine, "two", &["index"]);
    let two = root(&machine, "two");
    fs::remove_dir_all(&two).unwrap();
    let planned = run(&machine, "one", &["cache", "prune", "--dry-run"]);
    assert_eq!(
        (roots(&planned["removed"]), &planned["dry_run"]),
        (vec![two.to_str().unwrap()], &true.into())
    );
    let done = run(&machine, "one", &["cache", "prune"]);
    assert_eq!(roots(&done["removed"]), [two.to_str().unwrap()]);
    let left = run(&machine, "one", &["cache"]);
    assert_eq!(roots(&left["entries"]), [root(&machine, "one").to_str().unwrap()]);
}

#[test]
fn the_least_recently_used_go_first_and_what_is_open_or_of_others_stays() {
    let machine = two_repositories();
    let (old, open, new) = (
        entry(&machine, "00000000000000aa", 2, 9),
        entry(&machine, "00000000000000bb", 2, 5),
        entry(&machine, "00000000000000cc", 2, 1),
    );
    let foreign = entry(&machine, "pictures", 9, 30);
    let held = File::open(open.join("lock")).unwrap();
    held.lock_shared().unwrap();
    let done = run(&machine, "one", &["cache", "prune", "--max-size", "3"]);
    assert_eq!(done["removed"].as_array().unwrap().len(), 2);
    assert!(!old.exists() && open.exists() && !new.exists() && foreign.exists());
}

#[test]
fn a_new_root_makes_room_in_a_full_cache() {
    let machine = two_repositories();
    let config = "[index]\nmax_cache_mb = 3\n";
    machine.files.write("home/.config/retriever/config.toml", config);
    let (old, new) =
        (entry(&machine, "00000000000000aa", 2, 9), entry(&machine, "00000000000000bb", 2, 1));
    run(&machine, "one", &["index"]);
    assert!(!old.exists() && new.exists());
    let again = entry(&machine, "00000000000000cc", 2, 20);
    run(&machine, "one", &["ask", "--offline", "what is a"]);
    assert!(again.exists(), "a root that is known makes no room");
}

#[cfg(unix)]
#[test]
fn what_entries_share_counts_once_and_goes_with_the_last_of_them() {
    let machine = two_repositories();
    let (old, new) =
        (entry(&machine, "00000000000000aa", 0, 9), entry(&machine, "00000000000000bb", 0, 1));
    fs::write(old.join("base-1.db"), vec![0; 2_000_000]).unwrap();
    fs::hard_link(old.join("base-1.db"), new.join("base-1.db")).unwrap();
    let listed = run(&machine, "one", &["cache", "list", "--format", "json"]);
    let bytes = |at: usize| listed["entries"][at]["bytes"].as_u64().unwrap();
    assert!(bytes(0) > 2_000_000 && bytes(1) < 1_000, "{listed}");
    let done = run(&machine, "one", &["cache", "prune", "--max-size", "1"]);
    assert_eq!(done["removed"].as_array().unwrap().len(), 2);
    assert_eq!(done["bytes"], listed["bytes"]);
}
