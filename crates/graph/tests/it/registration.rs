//! A language that is added as `docs/adding-a-language.md` says: its tables and its sample are the blocks of that page.

use std::{
    path::Path,
    process::Command,
    sync::{Arc, OnceLock},
};

use pretty_assertions::assert_eq;
use retriever_graph::{
    EdgeKind,
    indexing::{
        FileOmission, GraphIndex, Language, LanguageDefinition, LanguageRegistrationError, extract,
    },
};
use retriever_workspace::{Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig};

use crate::support::{edges, graph_of};

const PAGE: &str = include_str!("../../../../docs/adding-a-language.md");

/// The block of the page with this title.
fn block(title: &str) -> &'static str {
    let fence = format!("```text {title}\n");
    let (_, rest) = PAGE.split_once(&fence).expect("the page has the block");
    rest.split_once("```").expect("a block ends").0
}

fn toy() -> LanguageDefinition {
    LanguageDefinition::new("toy", tree_sitter_go::LANGUAGE)
        .extensions(&["toy"])
        .grammar_table(block("grammar.table"))
        .outline_table(block("outline.table"))
}

/// The language of the page, registered once for all tests.
fn registered() -> Language {
    static TOY: OnceLock<Language> = OnceLock::new();
    *TOY.get_or_init(|| Language::register(toy()).unwrap())
}

#[test]
fn the_smallest_language_has_a_graph() {
    let toy = registered();
    assert_eq!(Language::of_path("src/hello.toy"), Some(toy));
    assert_eq!(Language::of_path("src/HELLO.TOY"), Some(toy));
    assert_eq!((toy.name(), toy.extension()), ("toy", "toy"));
    let graph = graph_of(&format!("//- /hello.toy\n{}", block("hello.toy")));
    assert_eq!(edges(&graph, EdgeKind::Calls), ["greet -> shout"]);
}

#[test]
fn every_line_of_the_tables_of_libraries_can_be_read() {
    for (library, faults) in [
        ("row.element first last\n# comment\n\n", &[][..]),
        ("row.elment first", &["row.elment first"]),
        ("rows.element first\nany.same clone", &["rows.element first"]),
        ("row.element", &["row.element"]),
    ] {
        let registered = Language::register(toy_with(library));
        // The name is taken unless the table is refused first.
        let expected = match faults {
            [] => LanguageRegistrationError::Taken("toy"),
            faults => LanguageRegistrationError::Table(
                faults.iter().map(|line| (*line).to_owned()).collect(),
            ),
        };
        assert_eq!(registered, Err(expected));
    }
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages");
    let mut tables = 0;
    for folder in std::fs::read_dir(languages).unwrap() {
        let Ok(table) = std::fs::read_to_string(folder.unwrap().path().join("library.table"))
        else {
            continue;
        };
        let registered = Language::register(toy_with(table.leak()));
        assert_eq!(registered, Err(LanguageRegistrationError::Taken("toy")));
        tables += 1;
    }
    assert!(tables >= 10, "{tables}");
}

/// The registered language again, with a table of its library.
fn toy_with(library: &'static str) -> LanguageDefinition {
    registered();
    toy().library_table(library)
}

#[test]
fn its_index_outlives_the_process_that_made_it() {
    registered();
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("registration");
    let store = root.join("store");
    std::fs::create_dir_all(root.join("code")).unwrap();
    std::fs::write(root.join("code/hello.toy"), block("hello.toy")).unwrap();
    for _ in 0..2 {
        let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
        let workspace = Workspace::open(&root.join("code"), &config.0, &config.1).unwrap();
        let index = GraphIndex::new(Arc::new(workspace), Some(store.clone()));
        let calls = index.ask(&Cancellation::new(), |graph| edges(graph, EdgeKind::Calls)).unwrap();
        assert_eq!(calls, ["greet -> shout"]);
    }
}

/// Names the grammar that the test registers in a process of its own.
const GRAMMAR: &str = "GRAMMAR_OF_REGISTRATION_TEST";

/// Registers a language with one name and either grammar, or as many as there can be, and prints how many files the index
/// has read.
#[expect(clippy::print_stdout, reason = "the process that started this one reads it")]
fn index_with(grammar: &str) {
    let function = if grammar == "go" { tree_sitter_go::LANGUAGE } else { tree_sitter_c::LANGUAGE };
    Language::register(LanguageDefinition::new("either", function).extensions(&["either"]))
        .unwrap();
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("grammars");
    let read = || {
        let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
        let workspace = Workspace::open(&root.join("code"), &config.0, &config.1).unwrap();
        let index = GraphIndex::new(Arc::new(workspace), Some(root.join("store")));
        index.refresh(&Cancellation::new(), &|_, _| {}).unwrap().changed
    };
    let mut counts = vec![read()];
    if grammar == "c and others" {
        let mut others = (0..).map(|at| {
            let name: &'static str = Box::leak(format!("other{at}").into_boxed_str());
            let other = LanguageDefinition::new(name, tree_sitter_c::LANGUAGE);
            Language::register(other.extensions(Box::leak(Box::new([name]))))
        });
        assert_eq!(others.find_map(Result::err), Some(LanguageRegistrationError::Full));
        counts.push(read());
        // What is refused changes nothing.
        assert_eq!(others.next(), Some(Err(LanguageRegistrationError::Full)));
        counts.push(read());
    }
    println!("read {counts:?} files");
}

#[test]
fn the_index_of_another_grammar_is_made_anew() {
    if let Ok(grammar) = std::env::var(GRAMMAR) {
        return index_with(&grammar);
    }
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("grammars");
    std::fs::remove_dir_all(&root).unwrap_or_default();
    std::fs::create_dir_all(root.join("code")).unwrap();
    std::fs::write(root.join("code/a.either"), "int f();\n").unwrap();
    for (grammar, files) in
        [("go", "[1]"), ("go", "[0]"), ("c", "[1]"), ("c", "[0]"), ("c and others", "[0, 1, 0]")]
    {
        let mut process = Command::new(std::env::current_exe().unwrap());
        process.args(["registration::the_index_of_another_grammar_is_made_anew", "--exact"]);
        let output = process.arg("--nocapture").env(GRAMMAR, grammar).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains(&format!("read {files} files")), "{grammar}: {said}");
    }
}

#[test]
fn a_file_over_the_budget_is_outlined_by_its_words() {
    // The lexer looks for the end of each comment up to the end of the file, and there is none.
    let comments = "/* ".repeat(100_000);
    let facts =
        extract(registered(), &format!("func first() {{}}\n{comments}\nfunc last() {{}}\n"));
    assert_eq!(facts.omission(), Some(FileOmission::Bodies));
}

#[test]
fn what_is_taken_or_does_not_fit_is_refused() {
    registered();
    let refused = |definition| Language::register(definition).unwrap_err();
    assert_eq!(refused(toy()), LanguageRegistrationError::Taken("toy"));
    let other = LanguageDefinition::new("other", tree_sitter_go::LANGUAGE).extensions(&["rs"]);
    assert_eq!(refused(other), LanguageRegistrationError::Taken("rs"));
    let named = |name| LanguageDefinition::new(name, tree_sitter_go::LANGUAGE);
    assert_eq!(refused(named("").extensions(&["new"])), LanguageRegistrationError::Malformed(""));
    for (extension, error) in [
        ("PY", LanguageRegistrationError::Taken("PY")),
        ("Toy", LanguageRegistrationError::Taken("Toy")),
        ("", LanguageRegistrationError::Malformed("")),
        (".new", LanguageRegistrationError::Malformed(".new")),
    ] {
        let extensions: &'static [&'static str] = Box::leak(Box::new([extension]));
        assert_eq!(refused(named("other").extensions(extensions)), error);
    }
    let unfit = LanguageDefinition::new("unfit", tree_sitter_go::LANGUAGE)
        .grammar_table("no_such_node function name=name\n");
    assert!(
        matches!(refused(unfit), LanguageRegistrationError::Table(faults) if faults.len() == 1)
    );
}
