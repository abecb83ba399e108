//! Rules about dependencies: who may know a crate.

use regex::Regex;

use crate::support::{assert_none, files, read};

/// What `retriever-report` may depend on: no crate here reads files, waits or knows the time by itself.
const PURE: &[&str] = &[
    "boon",
    "http",
    "memchr",
    "regex",
    "retriever-graph",
    "retriever-search",
    "retriever-workspace",
    "rustc-hash",
    "schemars",
    "serde",
    "serde_json",
    "strsim",
    "strum",
    "textwrap",
    "thiserror",
];

/// What each crate of the workspace may depend on within it.
const BELOW: &[(&str, &[&str])] = &[
    ("workspace", &[]),
    ("graph", &["workspace"]),
    ("graph-database", &["graph", "workspace"]),
    ("remote", &["workspace"]),
    ("search", &["graph", "workspace"]),
    ("report", &["search", "graph", "workspace"]),
    ("page", &["workspace"]),
    ("eval", &["report", "search", "graph", "page", "workspace"]),
    ("tidy", &[]),
    ("test-support", &[]),
    ("setup", &[]),
];

fn dependencies(name: &str) -> Vec<String> {
    let manifest: toml::Table = read(&format!("crates/{name}/Cargo.toml")).parse().unwrap();
    manifest
        .get("dependencies")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flat_map(toml::Table::keys)
        .cloned()
        .collect()
}

#[test]
fn the_report_depends_on_nothing_that_reads_files_or_waits() {
    let problems: Vec<String> = dependencies("report")
        .into_iter()
        .filter(|name| !PURE.contains(&name.as_str()))
        .map(|name| format!("crates/report must not depend on {name}"))
        .collect();
    assert_none(&problems);
}

#[test]
fn the_report_uses_no_clock_file_or_thread_of_the_standard_library() {
    let impure = Regex::new(
        r"\bstd::(fs|env|net|process|thread)\b|\btokio\b|\b(Instant|SystemTime)\b|\basync ",
    )
    .unwrap();
    let mut problems = Vec::new();
    for file in files("crates/report/src", "rs") {
        for (number, line) in file.text.lines().enumerate() {
            if !line.trim_start().starts_with("//") && impure.is_match(line) {
                problems.push(format!("{}:{}: {}", file.path, number + 1, line.trim()));
            }
        }
    }
    assert_none(&problems);
}

#[test]
fn crates_depend_only_on_those_below_them() {
    let mut problems = Vec::new();
    for package in crate::support::packages() {
        let Some(name) = package.strip_prefix("crates/").map(|name| name.trim_end_matches('/'))
        else {
            continue;
        };
        let Some((_, below)) = BELOW.iter().find(|(listed, _)| *listed == name) else {
            problems.push(format!("crates/{name} is not listed in BELOW"));
            continue;
        };
        for used in dependencies(name) {
            if let Some(used) = used.strip_prefix("retriever-").filter(|used| !below.contains(used))
            {
                problems.push(format!("crates/{name} must not depend on crates/{used}"));
            }
        }
    }
    assert_none(&problems);
}

#[test]
fn only_the_command_line_knows_of_its_crates() {
    let terminal = Regex::new(r"\b(clap|clap_complete|indicatif)::").unwrap();
    let problems: Vec<String> = files("src", "rs")
        .iter()
        .filter(|file| !file.path.starts_with("src/cli/") && terminal.is_match(&file.text))
        .map(|file| format!("{} uses a crate of the command line", file.path))
        .collect();
    assert_none(&problems);
}

#[test]
fn the_program_reaches_the_library_through_its_public_name() {
    let problems: Vec<String> = files("src/cli", "rs")
        .iter()
        .filter(|file| file.text.contains("crate::"))
        .map(|file| format!("{} uses crate::", file.path))
        .collect();
    assert_none(&problems);
}
