//! Rules about the source of this crate that no lint knows.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

/// The Rust files below a folder, by path.
pub(crate) fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

/// Lines of code that match, as `path:line: text`.
fn lines_with(pattern: &Regex, files: &[(PathBuf, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files {
        for (number, line) in text.lines().enumerate() {
            if !line.trim_start().starts_with("//") && pattern.is_match(line) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    found
}

/// Words of languages that stand in resolution, because what they say holds wherever a language has them: what holds values by
/// keys has `Map` in its name, an import of `default` has no name.
const SHARED_WORDS: &[&str] = &[
    "Class",
    "Dictionary",
    "Map",
    "Option",
    "Optional",
    "Result",
    "Type",
    "append",
    "apply",
    "default",
    "delete",
    "insert",
    "map",
    "remove",
    "replace",
    "reverse",
];

#[test]
fn resolution_takes_the_words_of_a_language_from_its_tables() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/resolve");
    let mut files = sources(&source);
    // Build files have keys, and the names of groups are those of the tables.
    files.retain(|(path, _)| {
        let inside = path.strip_prefix(&source).unwrap();
        !inside.starts_with("project_layout") && inside != Path::new("library_api_table.rs")
    });
    assert!(files.len() > 60, "{}", files.len());
    let literal = Regex::new(r#""([A-Za-z_]{3,})""#).unwrap();
    let is_code = |line: &&str| {
        let line = line.trim_start();
        !line.starts_with("//") && !line.starts_with("#[") && !line.contains("debug_assert")
    };
    let lines = files.iter().flat_map(|(_, text)| text.lines().filter(is_code));
    let words: BTreeSet<&str> = lines
        .flat_map(|line| literal.captures_iter(line).map(|found| found.extract::<1>().1[0]))
        .collect();
    assert_eq!(Vec::from_iter(words), SHARED_WORDS);
}

#[test]
fn generic_code_asks_for_capabilities_and_never_for_a_language() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = sources(&source);
    files.retain(|(path, _)| {
        let inside = path.strip_prefix(&source).unwrap();
        !inside.starts_with("languages") && inside != Path::new("graph_model/language_id.rs")
    });
    // Those that use the graph: search, the program.
    for user in ["../../search/src", "../../../src"] {
        files.extend(sources(&source.join(user)));
    }
    assert!(files.len() > 200, "{}", files.len());
    let variant =
        Regex::new(r"\b(Family|Language)::([A-Z]|[A-Z][A-Za-z]*[a-z])\b|\blanguages::[a-z_]+::")
            .unwrap();
    assert_eq!(lines_with(&variant, &files), Vec::<String>::new());
}
