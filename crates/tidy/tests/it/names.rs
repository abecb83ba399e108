//! Names that ranking, prompts and policy must not know.

use std::path::Path;

use regex::Regex;

use crate::support::{assert_none, files};

/// Repositories and products that questions and evaluations are about. The program must not have heard of them.
const FOREIGN_NAMES: &[&str] = &[
    "alamofire",
    "angular",
    "ansible",
    "codegraph",
    "django",
    "excalidraw",
    "express",
    "fastapi",
    "flask",
    "gin",
    "guava",
    "httpx",
    "jackson",
    "kafka",
    "kubernetes",
    "laravel",
    "nestjs",
    "okhttp",
    "pandas",
    "rails",
    "redis",
    "retrofit",
    "ripgrep",
    "scrapy",
    "sinatra",
    "spring",
    "symfony",
    "tokio",
    "vapor",
    "vite",
    "vscode",
];

/// Where the program decides what is found, shown and said.
const FOLDERS: &[&str] = &[
    "crates/graph/src",
    "crates/report/src",
    "crates/search/src",
    "crates/setup/texts",
    "crates/workspace/src",
    "prompts",
    "src/agent",
    "src/tools",
];
const KINDS: &[&str] = &["rs", "md", "txt", "table", "json", "scm", "toml"];

#[test]
fn ranking_prompts_and_policy_know_no_product_by_name() {
    let foreign = Regex::new(&format!(r"(?i)\b({})\b", FOREIGN_NAMES.join("|"))).unwrap();
    let mut problems = Vec::new();
    for folder in FOLDERS {
        for file in KINDS.iter().flat_map(|kind| files(folder, kind)) {
            for (number, line) in file.text.lines().enumerate() {
                let words = words(&file.path, line);
                // A path of a library that the program uses is no name of a product.
                let is_name = |found: regex::Match<'_>| !words[found.end()..].starts_with("::");
                if foreign.find_iter(&words).any(is_name) {
                    problems.push(format!("{}:{}: {}", file.path, number + 1, line.trim()));
                }
            }
        }
    }
    assert_none(&problems);
}

/// The words of a line: all of a prompt, comments and string literals of code.
fn words(path: &str, line: &str) -> String {
    if Path::new(path).extension().is_some_and(|extension| extension != "rs") {
        return line.to_owned();
    }
    let comment = line.find("//").map_or("", |at| &line[at..]);
    let literals = line.split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" ");
    format!("{literals} {comment}")
}
