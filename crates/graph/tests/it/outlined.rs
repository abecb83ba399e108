//! Languages that are outlined only: what a query captures is in the graph, with its kind, extent, place and comment.

use pretty_assertions::assert_eq;
use retriever_graph::{
    NodeKind,
    index::{Language, SourceFile, extract, resolve},
};

use crate::support::graph_of;

/// A file, and its definitions: full name, kind, first and last line, comment.
const CASES: &[(&str, &str, &[&str])] = &[
    #[cfg(feature = "haskell")]
    (
        "list.hs",
        "module List where\n\n-- | Adds one.\nbump :: Int -> Int\nbump 0 = 1\nbump n = n + 1\n\ndata Shape = Circle { radius :: Int } | Dot\n\nclass Drawn a where\n  draw :: a -> String\n",
        &[
            "bump function 4-6 | Adds one.",
            "Shape alias 8-8",
            "Shape.Circle variant 8-8",
            "Shape.Circle.radius field 8-8",
            "Shape.Dot variant 8-8",
            "Drawn interface 10-11",
            "Drawn.draw function 11-11",
        ],
    ),
    #[cfg(feature = "elixir")]
    (
        "list.ex",
        "defmodule Shop.List do\n  # Adds one.\n  def bump(0), do: 1\n  def bump(n) when n > 0 do\n    n + 1\n  end\n\n  defmacro often(x), do: x\nend\n",
        &[
            "Shop.List module 1-9",
            "Shop.List.bump function 3-6 Adds one.",
            "Shop.List.often macro 8-8",
        ],
    ),
    (
        "list.lua",
        "local M = {}\n\n--- Adds one.\nfunction M.bump(n)\n  return n + 1\nend\n\nM.twice = function(n) return n end\n",
        &["M variable 1-1", "bump function 4-6 Adds one.", "twice function 8-8"],
    ),
    // Clauses of one function, the second with one inside; assignments of one variable stay apart.
    (
        "clauses.lua",
        "function a() end\nfunction a()\n  local function b() end\nend\nlocal x = 1\nlocal x = 2\n",
        &["a function 1-4", "a.b function 3-3", "x variable 5-5", "x variable 6-6"],
    ),
    #[cfg(feature = "bash")]
    (
        "list.sh",
        "# Adds one.\nbump() {\n  echo $(($1 + 1))\n}\n\nLIMIT=3\n",
        &["bump function 2-4 Adds one.", "LIMIT variable 6-6"],
    ),
    (
        "list.zig",
        "const std = @import(\"std\");\n\n/// A list.\npub const List = struct {\n    len: usize,\n\n    pub fn bump(self: *List) void {\n        self.len += 1;\n    }\n};\n",
        &[
            "std variable 1-1",
            "List struct 4-10 A list.",
            "List.len field 5-5",
            "List.bump function 7-9",
        ],
    ),
    #[cfg(feature = "dart")]
    (
        "list.dart",
        "/// A list.\nclass List {\n  int bump(int n) {\n    return n + 1;\n  }\n}\n",
        &["List class 2-6 A list.", "List.bump function 3-5"],
    ),
    (
        "list.proto",
        "syntax = \"proto3\";\n\n// A list.\nmessage List {\n  int32 length = 1;\n}\n\nservice Lists {\n  rpc Bump(List) returns (List);\n}\n",
        &[
            "List struct 4-6 A list.",
            "List.length field 5-5",
            "Lists interface 8-10",
            "Lists.Bump function 9-9",
        ],
    ),
    (
        "list.graphql",
        "# A list.\ntype List {\n  length: Int\n}\n",
        &["List alias 2-4 A list.", "List.length field 3-3"],
    ),
    #[cfg(feature = "r")]
    (
        "list.R",
        "# Adds one.\nbump <- function(n) {\n  n + 1\n}\n",
        &["bump function 2-4 Adds one."],
    ),
];

#[test]
fn declarations_are_in_the_graph() {
    for (path, text, expected) in CASES {
        let graph = graph_of(&format!("//- /{path}\n{text}"));
        let nodes = graph.nodes_of(path).filter_map(|id| graph.node(retriever_graph::NodeId(id)));
        let mut found: Vec<_> = nodes.filter(|node| node.kind != NodeKind::File).collect();
        found.sort_by_key(|node| (node.start, std::cmp::Reverse(node.end), node.qname.clone()));
        let told: Vec<String> = found
            .iter()
            .map(|node| {
                let kind = format!("{:?}", node.kind).to_lowercase();
                format!("{} {kind} {}-{} {}", node.qname, node.start, node.end, node.doc)
            })
            .map(|told| told.trim_end().to_owned())
            .collect();
        assert_eq!(told, *expected, "{path}");
        let language = Language::of_path(path).unwrap();
        assert!(language.is_outlined() && Language::outlined().contains(&language), "{path}");
    }
}

#[test]
fn every_query_fits_its_grammar() {
    for language in Language::outlined() {
        assert!(language.has_sound_tags(), "{}", language.name());
    }
}

#[test]
fn no_text_stops_the_program() {
    let samples = [
        String::new(),
        "\u{0}def f(:\n  return (((\n".to_owned(),
        "{".repeat(20_000),
        "(".repeat(20_000),
        "do ".repeat(5_000),
        "f x = \n".repeat(5_000),
        "🦀 ü ß \u{202e} \"unclosed".to_owned(),
    ];
    for language in Language::outlined() {
        for (at, sample) in samples.iter().enumerate() {
            let path = format!("x{at}.{}", language.extension());
            let graph = resolve(vec![SourceFile { path, facts: extract(language, sample) }], &[]);
            assert!(!graph.unwrap().files().is_empty());
        }
    }
}
