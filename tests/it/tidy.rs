//! Rules about the source that no lint knows: file headers and sizes, which module may use which, purity of the validator,
//! forgotten files, and names that ranking and prompts must not know.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;
use walkdir::WalkDir;

/// Top-level modules of the library, lowest first. Each may use those before it and no others. The crates below `src/` are
/// kept apart by the compiler.
const ORDER: &[&str] =
    &["config", "tools", "model", "answer_cache", "agent", "schemas", "retriever", "mcp"];

/// Folders of product code.
const CODE: &[&str] = &[
    "src",
    "crates/workspace/src",
    "crates/graph/src",
    "crates/search/src",
    "crates/report/src",
    "crates/eval/src",
    "crates/test-support/src",
];

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

struct Source {
    path: String,
    text: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a folder, if there is such a folder, by path.
fn files(folder: &str, extension: &str) -> Vec<Source> {
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

/// The Rust files of the product.
fn code() -> Vec<Source> {
    CODE.iter().flat_map(|folder| files(folder, "rs")).collect()
}

fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

/// The top-level module that a file of `src` belongs to.
fn module_of(path: &str) -> &str {
    let inside = path.strip_prefix("src/").unwrap();
    inside.split(['/', '.']).next().unwrap()
}

/// The top-level modules that a file of the library names behind `crate::`; comments may name any.
fn used(text: &str) -> Vec<String> {
    let text: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let single = Regex::new(r"\bcrate::([a-z_]+)").unwrap();
    let group = Regex::new(r"(?s)\bcrate::\{(.*?)\};").unwrap();
    let mut names: Vec<String> =
        single.captures_iter(&text).map(|found| found[1].to_owned()).collect();
    for found in group.captures_iter(&text) {
        let mut depth = 0;
        let mut name = String::new();
        // Only names at the group's own level are modules.
        for c in found[1].chars().chain([',']) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    let first = name.split("::").next().unwrap().trim().to_owned();
                    names.push(first.split(" as ").next().unwrap().to_owned());
                    name.clear();
                }
                c if depth == 0 => name.push(c),
                _ => {}
            }
        }
    }
    names.retain(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
    names.sort();
    names.dedup();
    names
}

#[test]
fn every_file_says_what_it_is_for() {
    let problems: Vec<String> = code()
        .iter()
        .chain(&files("tests", "rs"))
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| format!("{} does not start with a //! paragraph", file.path))
        .collect();
    assert_none(&problems);
}

#[test]
fn no_file_is_too_long() {
    let problems: Vec<String> = code()
        .iter()
        .map(|file| (file.text.lines().count(), &file.path))
        .filter(|(lines, _)| *lines > 800)
        .map(|(lines, path)| format!("{path} has {lines} lines; split it at 800"))
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
fn modules_use_only_what_lies_below_them() {
    let mut problems = Vec::new();
    for file in files("src", "rs") {
        let module = module_of(&file.path);
        if matches!(module, "lib" | "main" | "cli") {
            continue;
        }
        let Some(place) = ORDER.iter().position(|name| *name == module) else {
            problems.push(format!("{}: {module} has no place in ORDER", file.path));
            continue;
        };
        for name in used(&file.text) {
            if name != module && !ORDER[..place].contains(&name.as_str()) {
                problems.push(format!("{}: {module} must not use {name}", file.path));
            }
        }
    }
    assert_none(&problems);
}

#[test]
fn the_reader_of_uses_sees_every_spelling() {
    let text = "//! [`crate::z`]\nuse crate::a::B;\nuse crate::{\n    b::{C, d::E},\n    f,\n    G,\n};\nlet x = crate::h::i();\n";
    assert_eq!(used(text), ["a", "b", "f", "h"]);
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

#[test]
fn only_the_command_line_knows_of_its_crates() {
    let terminal = Regex::new(r"\b(clap|clap_complete|indicatif)::").unwrap();
    let problems: Vec<String> = files("src", "rs")
        .iter()
        .filter(|file| module_of(&file.path) != "cli" && terminal.is_match(&file.text))
        .map(|file| format!("{} uses a crate of the command line", file.path))
        .collect();
    assert_none(&problems);
}

#[test]
fn the_validator_is_pure() {
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
fn every_test_file_runs() {
    let folder = root().join("tests/it");
    let main = fs::read_to_string(folder.join("main.rs")).unwrap();
    let problems: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir() || path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "main" && !main.lines().any(|line| line == format!("mod {name};")))
        .map(|name| format!("tests/it/{name} is not a module of main.rs"))
        .collect();
    assert_none(&problems);
    let others: Vec<PathBuf> = fs::read_dir(root().join("tests"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    assert_eq!(others, Vec::<PathBuf>::new(), "tests are modules of the one binary tests/it");
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
fn ranking_prompts_and_policy_know_no_product_by_name() {
    let foreign = Regex::new(&format!(r"(?i)\b({})\b", FOREIGN_NAMES.join("|"))).unwrap();
    let mut problems = Vec::new();
    for folder in ["crates/search/src", "crates/report/src", "src/tools", "prompts"] {
        for file in ["rs", "md", "txt"].iter().flat_map(|kind| files(folder, kind)) {
            for (number, line) in file.text.lines().enumerate() {
                if foreign.is_match(&words(&file.path, line)) {
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

#[test]
fn the_readme_has_the_two_commands_and_ci_runs_the_second() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let commands: Vec<&str> = readme
        .split("```sh\n")
        .skip(1)
        .map(|block| block.split("```").next().unwrap().trim())
        .collect();
    let [ask, test] = commands.as_slice() else { panic!("{commands:?}") };
    assert!(ask.starts_with("cargo run --release -- ask --offline \""), "{ask}");
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.lines().any(|line| line == format!("step {test}")), "{test}");
}

#[test]
fn the_readme_documents_every_variable_and_exit_code() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let named = retriever::config::environment::VARIABLES.iter().map(|(variable, _)| *variable);
    for variable in named.chain(["RETRIEVER_CONFIG", "RETRIEVER_API_KEY", "OPENAI_API_KEY"]) {
        assert!(readme.contains(&format!("`{variable}`")), "{variable}");
    }
    for code in ["| 0 |", "| 2 |", "| 3 |", "| 4 |", "| 5 |", "| 130, 143 |"] {
        assert!(readme.contains(code), "{code}");
    }
}
