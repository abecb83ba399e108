//! Rules about files: headers, sizes, files that nothing uses, and what the documents promise.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use pretty_assertions::assert_eq;
use regex::Regex;
use walkdir::{DirEntry, WalkDir};

use crate::support::{assert_none, code, files, packages, read, root, rust_files};

const MAX_LINES: usize = 800;
const MAX_TERMS: usize = 80;
const MAX_WORDS_OF_ARCHITECTURE: usize = 1200;

#[test]
fn every_file_says_what_it_is_for() {
    let problems: Vec<String> = rust_files()
        .into_iter()
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| format!("{} does not start with a //! paragraph", file.path))
        .collect();
    assert_none(&problems);
}

#[test]
fn no_file_is_too_long() {
    let problems: Vec<String> = rust_files()
        .iter()
        .map(|file| (file.text.lines().count(), &file.path))
        .filter(|(lines, _)| *lines > MAX_LINES)
        .map(|(lines, path)| format!("{path} has {lines} lines; split it at {MAX_LINES}"))
        .collect();
    assert_none(&problems);
}

/// What a build or a download leaves behind is easily committed with everything else.
#[test]
fn no_file_is_binary_but_learned_tables_and_indexes_of_compilers() {
    const BINARY: &[&str] = &["bin", "scip"];
    const MADE: &[&str] = &[".git", "target", "corpus", "artifacts", "retriever-code-map.data"];
    let is_source =
        |entry: &DirEntry| !MADE.contains(&entry.file_name().to_str().unwrap_or_default());
    let problems: Vec<String> = WalkDir::new(root())
        .into_iter()
        .filter_entry(is_source)
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .filter(|entry| {
            let extension = entry.path().extension().unwrap_or_default();
            !BINARY.contains(&extension.to_str().unwrap_or_default())
        })
        .filter(|entry| fs::read(entry.path()).unwrap().contains(&0))
        .map(|entry| format!("{} is binary", entry.path().display()))
        .collect();
    assert_none(&problems);
}

#[test]
fn nothing_is_left_for_later() {
    let later = Regex::new(r"\b(TODO|FIXME|XXX|HACK)\b|\b(todo|unimplemented)!").unwrap();
    let mut problems = Vec::new();
    for file in code().iter().chain(&files("prompts", "md")) {
        for (number, line) in file.text.lines().enumerate() {
            if later.is_match(line) {
                problems.push(format!("{}:{}: {}", file.path, number + 1, line.trim()));
            }
        }
    }
    assert_none(&problems);
}

#[test]
fn every_test_file_runs() {
    let mut problems = Vec::new();
    for package in packages() {
        let folder = root().join(&package).join("tests");
        if !folder.is_dir() {
            continue;
        }
        let main = read(&format!("{package}tests/it/main.rs"));
        problems.extend(
            rust_modules(&folder.join("it"))
                .into_iter()
                .filter(|name| {
                    name != "main" && !main.lines().any(|line| line == format!("mod {name};"))
                })
                .map(|name| format!("{package}tests/it/{name} is not a module of main.rs")),
        );
        problems.extend(
            rust_modules(&folder)
                .into_iter()
                .filter(|name| folder.join(format!("{name}.rs")).is_file())
                .map(|name| {
                    format!(
                        "{package}tests/{name}.rs is a binary of its own; move it into tests/it"
                    )
                }),
        );
    }
    assert_none(&problems);
}

/// Returns the names of the folders and Rust files of a folder.
fn rust_modules(folder: &Path) -> Vec<String> {
    let is_module = |path: &PathBuf| {
        path.is_dir() || path.extension().is_some_and(|extension| extension == "rs")
    };
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(is_module)
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_prompts_that_are_there_are_the_prompts_that_are_used() {
    let included = Regex::new(r#"include_str!\("[./]*(prompts/\w+\.md)"\)"#).unwrap();
    let code: String = files("src", "rs").into_iter().map(|file| file.text).collect();
    let used: BTreeSet<&str> =
        included.captures_iter(&code).map(|found| found.get(1).unwrap().as_str()).collect();
    let prompts = files("prompts", "md");
    let there: BTreeSet<&str> = prompts.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(there, used);
}

#[test]
fn the_readme_has_the_two_commands_and_ci_runs_the_second() {
    let readme = read("README.md");
    let commands: Vec<&str> = readme
        .split("```sh\n")
        .skip(1)
        .map(|block| block.split("```").next().unwrap().trim())
        .collect();
    let [ask, test] = commands.as_slice() else { panic!("{commands:?}") };
    assert!(ask.starts_with("cargo run --release -- ask --offline \""), "{ask}");
    assert!(read(".ci/run").lines().any(|line| line == format!("step {test}")), "{test}");
}

#[test]
fn the_glossary_is_short_and_sorted() {
    let glossary = read("docs/glossary.md");
    let terms: Vec<String> = glossary
        .lines()
        .filter_map(|line| line.strip_prefix("- **"))
        .map(|line| line.split("**").next().unwrap().to_lowercase())
        .collect();
    assert!((40..=MAX_TERMS).contains(&terms.len()), "{} terms", terms.len());
    let mut sorted = terms.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(terms, sorted);
}

#[test]
fn the_architecture_is_read_in_five_minutes_and_names_what_exists() {
    let text = read("ARCHITECTURE.md");
    let words = text.split_whitespace().count();
    assert!(words <= MAX_WORDS_OF_ARCHITECTURE, "{words} words");
    let linked = Regex::new(r"\]\(([^)#:]+)\)").unwrap();
    let mut problems = Vec::new();
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "docs/glossary.md"] {
        let folder = Path::new(document).parent().unwrap();
        for link in linked.captures_iter(&read(document)) {
            if !root().join(folder).join(&link[1]).exists() {
                problems.push(format!("{document} links to {}", &link[1]));
            }
        }
    }
    assert_none(&problems);
}

#[test]
fn documents_name_files_that_exist() {
    let named = Regex::new(r"`((?:crates|docs|evals|fuzz|packaging|benches)/[\w./-]+)").unwrap();
    let top = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"];
    let top = top.map(|path| (path.to_owned(), read(path)));
    let below = ["crates", "docs", "evals"].into_iter().flat_map(|folder| files(folder, "md"));
    let mut problems = Vec::new();
    for (document, text) in top.into_iter().chain(below.map(|file| (file.path, file.text))) {
        for path in named.captures_iter(&text) {
            if !root().join(&path[1]).exists() {
                problems.push(format!("{document} names {}", &path[1]));
            }
        }
    }
    assert_none(&problems);
}
