//! `cache`: what is kept for which roots, and how it is bounded.

use std::{
    fs::{self, File},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use assert_cmd::Command;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::fixture::Fixture;

/// Two repositories and a home of their own.
struct Machine {
    files: Fixture,
}

impl Machine {
    fn new() -> Self {
        let source = "//- /home/x\n//- /one/.git/HEAD\n//- /one/a.rs\nfn a() {}\n//- /two/.git/HEAD\n//- /two/b.rs\nfn b() {}\n";
        Self { files: Fixture::new(source) }
    }

    fn root(&self, name: &str) -> PathBuf {
        self.files.root().join(name).canonicalize().unwrap()
    }

    fn run(&self, folder: &str, arguments: &[&str]) -> (Value, String) {
        let output = Command::cargo_bin("retriever")
            .unwrap()
            .env_clear()
            .env("HOME", self.files.root().join("home"))
            .current_dir(self.files.root().join(folder))
            .args(arguments)
            .output()
            .unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{message}");
        (serde_json::from_slice(&output.stdout).unwrap_or_default(), message)
    }

    /// Makes an entry of another root, used `days` ago, and returns its folder.
    fn entry(&self, name: &str, megabytes: usize, days: u64) -> PathBuf {
        let folder = format!("home/.cache/retriever/{name}");
        self.files.write(&format!("{folder}/graph.db"), vec![0; megabytes * 1_000_000]);
        self.files.write(&format!("{folder}/roots"), "/\n");
        self.files.write(&format!("{folder}/lock"), "");
        let folder = self.files.root().join(folder);
        let used = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        let roots = File::options().write(true).open(folder.join("roots")).unwrap();
        roots.set_modified(used).unwrap();
        folder
    }
}

fn roots(entries: &Value) -> Vec<&str> {
    let entries = entries.as_array().unwrap().iter();
    entries.map(|entry| entry["roots"][0].as_str().unwrap()).collect()
}

#[test]
fn every_root_is_listed_with_its_size_and_use() {
    let machine = Machine::new();
    let (empty, _) = machine.run("one", &["cache"]);
    assert_eq!((&empty["bytes"], empty["entries"].as_array().unwrap().len()), (&0.into(), 0));
    machine.run("one", &["index"]);
    machine.run("two", &["ask", "--offline", "what is b"]);
    let (listed, _) = machine.run("one", &["cache", "list", "--format", "json"]);
    let mut found = roots(&listed["entries"]);
    found.sort_unstable();
    assert_eq!(
        found,
        [machine.root("one").to_str().unwrap(), machine.root("two").to_str().unwrap()]
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
    let machine = Machine::new();
    machine.run("one", &["index"]);
    machine.run("two", &["index"]);
    let two = machine.root("two");
    fs::remove_dir_all(&two).unwrap();
    let (planned, _) = machine.run("one", &["cache", "prune", "--dry-run"]);
    assert_eq!(
        (roots(&planned["removed"]), &planned["dry_run"]),
        (vec![two.to_str().unwrap()], &true.into())
    );
    let (done, _) = machine.run("one", &["cache", "prune"]);
    assert_eq!(roots(&done["removed"]), [two.to_str().unwrap()]);
    let (left, _) = machine.run("one", &["cache"]);
    assert_eq!(roots(&left["entries"]), [machine.root("one").to_str().unwrap()]);
}

#[test]
fn the_least_recently_used_go_first_and_what_is_open_or_of_others_stays() {
    let machine = Machine::new();
    let (old, open, new) = (
        machine.entry("00000000000000aa", 2, 9),
        machine.entry("00000000000000bb", 2, 5),
        machine.entry("00000000000000cc", 2, 1),
    );
    let foreign = machine.entry("pictures", 9, 30);
    let held = File::open(open.join("lock")).unwrap();
    held.lock_shared().unwrap();
    let (done, _) = machine.run("one", &["cache", "prune", "--max-size", "3"]);
    assert_eq!(done["removed"].as_array().unwrap().len(), 2);
    assert!(!old.exists() && open.exists() && !new.exists() && foreign.exists());
}

#[test]
fn a_new_root_makes_room_in_a_full_cache() {
    let machine = Machine::new();
    let config = "[index]\nmax_cache_mb = 3\n";
    machine.files.write("home/.config/retriever/config.toml", config);
    let (old, new) =
        (machine.entry("00000000000000aa", 2, 9), machine.entry("00000000000000bb", 2, 1));
    machine.run("one", &["index"]);
    assert!(!old.exists() && new.exists());
    let again = machine.entry("00000000000000cc", 2, 20);
    machine.run("one", &["ask", "--offline", "what is a"]);
    assert!(again.exists(), "a root that is known makes no room");
}
