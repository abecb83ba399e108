//! What the rules share: the workspace's files, and lists of exceptions.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use walkdir::WalkDir;

/// A file of the workspace.
pub(crate) struct Source {
    /// Path from the workspace's root.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the files of a folder with an extension, by path; none when there is no such folder.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<Source> {
    if !root().join(folder).is_dir() {
        return Vec::new();
    }
    WalkDir::new(root().join(folder))
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.path().extension().is_some_and(|found| found == extension))
        .map(|entry| Source {
            path: entry.path().strip_prefix(root()).unwrap().to_str().unwrap().to_owned(),
            text: fs::read_to_string(entry.path()).unwrap(),
        })
        .collect()
}

/// Returns the folders of the workspace's packages, the root's own being the empty path.
pub(crate) fn packages() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| format!("crates/{}/", entry.unwrap().file_name().to_str().unwrap()))
        .collect();
    names.push(String::new());
    names.sort();
    names
}

/// Returns the Rust files of every crate, without tests.
pub(crate) fn code() -> Vec<Source> {
    packages().iter().flat_map(|package| files(&format!("{package}src"), "rs")).collect()
}

/// Returns the Rust files of every crate: the code, its tests, examples, benches and fuzz targets.
pub(crate) fn rust_files() -> Vec<Source> {
    let of_package = |package: String| {
        ["src", "tests", "examples", "benches", "fuzz/fuzz_targets"]
            .into_iter()
            .flat_map(move |folder| files(&format!("{package}{folder}"), "rs"))
    };
    packages().into_iter().flat_map(of_package).collect()
}

pub(crate) fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

pub(crate) fn is_update() -> bool {
    env::var_os("UPDATE").is_some()
}

/// Compares what breaks a rule with the checked-in list of what may: nothing new may break it, and what has been mended
/// leaves the list.
pub(crate) fn assert_listed(rule: &str, list: &str, found: &BTreeSet<String>) {
    let file = root().join("crates/tidy/lists").join(list);
    let listed: BTreeSet<String> =
        fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect();
    let new: Vec<&String> = found.difference(&listed).collect();
    let mended: Vec<&String> = listed.difference(found).collect();
    assert!(new.is_empty(), "{rule}:\n{new:#?}");
    if is_update() {
        let lines: String = found.iter().flat_map(|line| [line, "\n"]).collect();
        fs::write(&file, lines).unwrap();
    } else {
        assert!(mended.is_empty(), "mended; UPDATE=1 removes them from {list}:\n{mended:#?}");
    }
}
