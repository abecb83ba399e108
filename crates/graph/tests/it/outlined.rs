//! Languages that are outlined only: what a query captures is in the graph, with its kind, extent, place and comment.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;
use retriever_graph::{
    EdgeKind, NodeId, NodeKind, NodeQuery,
    indexing::{Language, SourceFile, extract, resolve},
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
    // Functions of one name that follow one another are clauses of one; assignments of one variable stay apart.
    #[cfg(feature = "bash")]
    (
        "clauses.sh",
        "a() {\n  b() { c; }\n}\na() {\n  c\n}\nx=1\nx=2\n",
        &["a function 1-6", "a.b function 2-2", "x variable 7-7", "x variable 8-8"],
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
    #[cfg(feature = "hcl")]
    (
        "main.tf",
        "# A size.\nvariable \"size\" {\n  default = 1\n}\n\nresource \"aws_instance\" \"web\" {\n  ami = \"a\"\n}\n\nlocals {\n  twice = 2\n}\n\nmodule \"net\" {\n}\n",
        &[
            "size variable 2-4 A size.",
            "web struct 6-8",
            "twice variable 11-11",
            "net module 14-15",
        ],
    ),
    #[cfg(feature = "julia")]
    (
        "list.jl",
        "module Lists\n\n# A list.\nstruct List{T} <: Rows\n  length::Int\nend\n\n# Adds one.\nfunction bump(n::Int)::Int\n  n + 1\nend\n\ntwice(n) = 2n\n\nmacro often(x)\n  x\nend\n\nconst LIMIT = 3\nend\n",
        &[
            "Lists module 1-20",
            "Lists.List struct 4-6 A list.",
            "Lists.bump function 9-11 Adds one.",
            "Lists.twice function 13-13",
            "Lists.often macro 15-17",
            "Lists.LIMIT variable 19-19",
        ],
    ),
    #[cfg(feature = "objective-c")]
    (
        "List.m",
        "// A list.\n@interface List : NSObject\n@property (nonatomic) int length;\n- (int)bump:(int)n by:(int)m;\n@end\n\n@implementation List\n- (int)bump:(int)n by:(int)m {\n  return n + m;\n}\n@end\n\nstatic int twice(int n) { return 2 * n; }\n",
        &[
            "List class 2-5 A list.",
            "List.length field 3-3",
            "List.bump function 4-4",
            "List class 7-11",
            "List.bump function 8-10",
            "twice function 13-13",
        ],
    ),
    #[cfg(feature = "ocaml")]
    (
        "list.ml",
        "(* A shape. *)\ntype shape =\n  | Circle of { radius : int }\n  | Dot\n\nmodule Lists = struct\n  (* Adds one. *)\n  let bump n = n + 1\nend\n\nlet limit = 3\n",
        &[
            "shape alias 2-4 A shape.",
            "shape.Circle variant 3-3",
            "shape.Circle.radius field 3-3",
            "shape.Dot variant 4-4",
            "Lists module 6-9",
            "Lists.bump function 8-8 Adds one.",
            "limit variable 11-11",
        ],
    ),
    #[cfg(feature = "perl")]
    (
        "List.pm",
        "package Shop::List;\n\n# Adds one.\nsub bump {\n  my ($n) = @_;\n  return $n + 1;\n}\n1;\n",
        &["Shop::List module 1-1", "bump function 4-7 Adds one."],
    ),
    #[cfg(feature = "sql")]
    (
        "list.sql",
        "-- A list.\nCREATE TABLE shop.lists (\n  length INT NOT NULL\n);\n\nCREATE VIEW short AS SELECT * FROM lists;\n\nCREATE FUNCTION bump(n INT) RETURNS INT AS $$ SELECT n + 1 $$ LANGUAGE sql;\n",
        &[
            "lists struct 2-4 A list.",
            "lists.length field 3-3",
            "short struct 6-6",
            "bump function 8-8",
        ],
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
        let nodes = graph.nodes_of(path).filter_map(|id| graph.node(NodeId(id)));
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

/// Files, and which of them imports which.
const IMPORTS: &[(&str, &[&str])] = &[
    (
        "//- /src/main.zig\nconst std = @import(\"std\");\nconst list = @import(\"list.zig\");\nconst tree = @import(\"../lib/tree.zig\");\n//- /src/list.zig\n//- /lib/tree.zig\n",
        &["src/main.zig:2 src/list.zig", "src/main.zig:3 lib/tree.zig"],
    ),
    // A path from a root that only the build names leads to the one file that has it as its end.
    (
        "//- /api/a.proto\nimport \"shop/b.proto\";\nimport public \"c.proto\";\nimport \"d.proto\";\n//- /proto/shop/b.proto\n//- /api/c.proto\n//- /x/d.proto\n//- /y/d.proto\n",
        &["api/a.proto:1 proto/shop/b.proto", "api/a.proto:2 api/c.proto"],
    ),
    ("//- /a.R\nsource(\"lib/b.R\")\nsource(name)\n//- /lib/b.R\n", &["a.R:1 lib/b.R"]),
    (
        "//- /main.tf\nmodule \"net\" {\n  source = \"./net\"\n}\n//- /net/main.tf\n",
        &["main.tf:2 net/main.tf"],
    ),
    #[cfg(feature = "haskell")]
    (
        "//- /app/Main.hs\nmodule Main where\nimport qualified Data.Map as Map\nimport Shop.List (bump)\n//- /src/Shop/List.hs\nmodule Shop.List where\n",
        &["app/Main.hs:3 src/Shop/List.hs"],
    ),
    #[cfg(feature = "elixir")]
    (
        "//- /lib/a.ex\ndefmodule Shop.A do\n  alias Shop.List\n  use GenServer\nend\n//- /lib/shop_list.ex\ndefmodule Shop.List do\nend\n",
        &["lib/a.ex:2 lib/shop_list.ex"],
    ),
    #[cfg(feature = "bash")]
    (
        "//- /bin/a.sh\nsource \"$(dirname \"$0\")/../lib/b.sh\"\n. ./c.sh\nsource \"$FILE\"\n//- /lib/b.sh\n//- /bin/c.sh\n",
        &["bin/a.sh:1 lib/b.sh", "bin/a.sh:2 bin/c.sh"],
    ),
    #[cfg(feature = "dart")]
    (
        "//- /lib/a.dart\nimport 'package:shop/src/b.dart';\nimport 'dart:io';\nexport 'c.dart';\npart 'd.dart';\n//- /lib/src/b.dart\n//- /lib/c.dart\n//- /lib/d.dart\n",
        &["lib/a.dart:1 lib/src/b.dart", "lib/a.dart:3 lib/c.dart", "lib/a.dart:4 lib/d.dart"],
    ),
    #[cfg(feature = "julia")]
    ("//- /src/a.jl\ninclude(\"b.jl\")\n//- /src/b.jl\n", &["src/a.jl:1 src/b.jl"]),
    #[cfg(feature = "perl")]
    (
        "//- /a.pl\nuse strict;\nuse Shop::List;\n//- /lib/Shop/List.pm\npackage Shop::List;\n1;\n",
        &["a.pl:2 lib/Shop/List.pm"],
    ),
];

#[test]
fn imports_lead_to_files() {
    for (files, expected) in IMPORTS {
        let graph = graph_of(files);
        let mut found: Vec<String> = Vec::new();
        for (path, nodes) in graph.files() {
            for edge in nodes.map(NodeId).flat_map(|node| graph.outgoing(node)) {
                if edge.kind == EdgeKind::Imports {
                    let to = graph.node(edge.to).unwrap();
                    found.push(format!("{path}:{} {}", edge.line, to.path));
                }
            }
        }
        found.sort();
        assert_eq!(found, *expected, "{files}");
        let imported: BTreeSet<&str> =
            expected.iter().filter_map(|edge| Some(edge.split_once(' ')?.1)).collect();
        for path in imported {
            let is_file = |id: &NodeId| graph.node(*id).unwrap().kind == NodeKind::File;
            let file: Vec<NodeId> = graph.nodes_of(path).map(NodeId).filter(is_file).collect();
            let page = graph.related(NodeQuery::Usages, &file, 1, 0, 10);
            assert!(!page.items.is_empty(), "{path} in {files}");
        }
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
