//! Files that are outlined only, by their language or because they could not be parsed: their symbols are known, the rest is said to be unknown.

use pretty_assertions::assert_eq;
use retriever::{
    indexing::Language,
    tools::{ToolOutcome, graph::GraphOperation},
};
use serde_json::json;
use strum::VariantArray;

use super::{SHOP, ask, names};

#[test]
fn what_a_file_that_is_outlined_may_hide_is_said() {
    let large = format!("int run(int a) {{\nint unheard = {} stop();\n", "*/ ".repeat(10_000));
    let small = "int stop(void) { return 0; }\nint other(void) { return 0; }\n";
    let source = format!("//- /src/large.c\n{large}//- /src/a.c\n{small}");
    let cases = [
        (json!({"operation": "symbols", "target": "src/large.c"}), "src/large.c is outlined only"),
        (json!({"operation": "callers", "target": "run"}), "src/large.c is outlined only"),
        (
            json!({"operation": "callers", "target": "stop"}),
            "src/large.c could not be read or resolved in full: relations from there may be missing",
        ),
        (
            json!({"operation": "callers", "target": "unheard"}),
            "src/large.c could not be read or resolved in full: definitions may be missing",
        ),
        (json!({"operation": "callers", "target": "other"}), "no callers of other"),
    ];
    for (arguments, wanted) in cases {
        let asked = ask(&source, &arguments);
        assert!(asked.text.contains(wanted), "{arguments}: {}", asked.text);
    }
    // What does not have the name hides nothing of it.
    for target in ["other", "unknown"] {
        let asked = ask(&source, &json!({"operation": "callers", "target": target}));
        assert!(!asked.text.contains("could not be read"), "{}", asked.text);
    }
    let asked = ask(SHOP, &json!({"operation": "symbols", "target": "src/store.py"}));
    assert!(!asked.text.contains("outlined"), "{}", asked.text);
}

#[test]
fn what_is_used_without_its_name_may_be_used_in_any_file_that_has_the_name_of_its_type() {
    let source = "\
//- /box.rb
class Box
  def initialize; end
  def +(other); end
  def weigh; end
end
//- /torn.rb
class Held
  def run
    Box.new
    x = \"#{ <<<
  end
//- /area.py
class Area:
    def __init__(self): ...
";
    let torn = "torn.rb could not be read or resolved in full: relations from there may be missing";
    let cases =
        [("Box.initialize", true), ("Box.+", true), ("Box.weigh", false), ("Area.__init__", false)];
    for (target, is_said) in cases {
        let asked = ask(source, &json!({"operation": "callers", "target": target}));
        assert!(asked.text.starts_with("no callers of"), "{target}: {}", asked.text);
        assert_eq!(asked.text.contains(torn), is_said, "{target}: {}", asked.text);
    }
}

#[test]
fn a_file_that_cannot_be_parsed_is_outlined_by_its_lines() {
    let source = "//- /a.rb\nclass Held\n  def run\n    x = \"#{ <<<\n  end\n";
    let asked = ask(source, &json!({"operation": "symbols", "target": "a.rb"}));
    assert_eq!(names(&asked), ["Held", "run"], "{}", asked.text);
    assert!(asked.text.contains("it could not be parsed"), "{}", asked.text);
}

/// Each language that can be outlined only: a file of it, and two definitions there.
const OUTLINED: &[(&str, &str, &str, [&str; 2])] = &[
    ("bash", "list.sh", "bump() {\n  echo\n}\ntwice() {\n  bump\n}\n", ["bump", "twice"]),
    (
        "dart",
        "list.dart",
        "int bump(int n) {\n  return n;\n}\nint twice(int n) {\n  return bump(n);\n}\n",
        ["bump", "twice"],
    ),
    (
        "elixir",
        "list.ex",
        "defmodule L do\n  def bump(n), do: n\n  def twice(n), do: bump(n)\nend\n",
        ["bump", "twice"],
    ),
    (
        "graphql",
        "list.graphql",
        "type Bump {\n  n: Int\n}\ntype Twice {\n  b: Bump\n}\n",
        ["Bump", "Twice"],
    ),
    ("haskell", "list.hs", "bump n = n + 1\n\ntwice n = bump n\n", ["bump", "twice"]),
    ("hcl", "main.tf", "variable \"bump\" {\n}\nvariable \"twice\" {\n}\n", ["bump", "twice"]),
    (
        "julia",
        "list.jl",
        "function bump(n)\n  n\nend\nfunction twice(n)\n  bump(n)\nend\n",
        ["bump", "twice"],
    ),
    (
        "objective-c",
        "list.m",
        "static int bump(int n) {\n  return n;\n}\n\nint twice(int n) {\n  return bump(n);\n}\n",
        ["bump", "twice"],
    ),
    ("ocaml", "list.ml", "let bump n = n + 1\nlet twice n = bump n\n", ["bump", "twice"]),
    ("perl", "list.pm", "sub bump {\n  1;\n}\nsub twice {\n  bump();\n}\n", ["bump", "twice"]),
    (
        "protobuf",
        "list.proto",
        "message Bump {\n  int32 n = 1;\n}\nmessage Twice {\n  Bump b = 1;\n}\n",
        ["Bump", "Twice"],
    ),
    (
        "r",
        "list.R",
        "bump <- function(n) {\n  n\n}\ntwice <- function(n) {\n  bump(n)\n}\n",
        ["bump", "twice"],
    ),
    (
        "sql",
        "list.sql",
        "CREATE TABLE bump (\n  n INT\n);\nCREATE VIEW twice AS SELECT * FROM bump;\n",
        ["bump", "twice"],
    ),
    (
        "zig",
        "list.zig",
        "pub fn bump() void {}\npub fn twice() void {\n    bump();\n}\n",
        ["bump", "twice"],
    ),
];

#[test]
fn what_is_outlined_only_has_symbols_and_says_of_the_rest_that_it_is_not_known() {
    let sampled: Vec<&str> = OUTLINED.iter().map(|(language, ..)| *language).collect();
    for language in Language::outlined() {
        assert!(sampled.contains(&language.name()), "no sample of {}", language.name());
    }
    for (language, path, text, [first, second]) in OUTLINED {
        let source = format!("//- /{path}\n{text}//- /other.py\ndef other():\n    pass\n");
        let symbols = ask(&source, &json!({"operation": "symbols", "target": path}));
        if Language::of_path(path).is_none() {
            let why = format!("this build has no grammar for {language}");
            for told in [why.as_str(), first, second] {
                assert!(symbols.text.contains(told), "{language} {told}: {}", symbols.text);
            }
            let alone = ask(
                &format!("//- /{path}\n{text}"),
                &json!({"operation": "symbols", "target": path}),
            );
            assert_eq!(names(&alone), names(&symbols), "{language}");
            continue;
        }
        let search = ask(&source, &json!({"operation": "search", "target": first, "file": path}));
        for found in [symbols, search] {
            assert_eq!(found.result.observation.outcome, ToolOutcome::Found, "{language}");
            assert!(found.text.contains(first), "{language}: {}", found.text);
            assert!(!found.text.contains("outlined only"), "{language}: {}", found.text);
        }
        for operation in GraphOperation::VARIANTS {
            if matches!(operation, GraphOperation::Symbols | GraphOperation::Search) {
                continue;
            }
            let mut arguments = json!({"operation": operation, "target": first, "file": path});
            if *operation == GraphOperation::Trace {
                arguments = json!({"operation": operation, "target": second, "to": first});
            }
            let asked = ask(&source, &arguments);
            let note = format!("{language} is outlined only");
            assert!(asked.text.contains(&note), "{language} {operation}: {}", asked.text);
            assert!(!asked.text.contains("it is a "), "{language} {operation}: {}", asked.text);
        }
    }
}

#[test]
fn what_only_lines_define_is_named_by_the_type_that_they_name() {
    // A build with the grammar has no need of the lines.
    if Language::of_path("list.mm").is_some() {
        return;
    }
    let source = "//- /list.mm\nnamespace n {\nint List::bump(int n) {\n  return n;\n}\n}\n";
    let symbols = ask(source, &json!({"operation": "symbols", "target": "list.mm"}));
    assert_eq!(names(&symbols), ["n", "n.List.bump"]);
}
