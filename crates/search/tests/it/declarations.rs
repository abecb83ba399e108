//! Declarations that the text alone shows, in languages without a code graph or with an outlined one.

use retriever_search::{Question, declarations, is_comment_line};
use retriever_test_support::Fixture;
use retriever_workspace::Cancellation;

use crate::searching::candidates;

/// An extension, a text, and its declarations: kind, name, first and last line.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        "hs",
        "{- data Old = Old\n-}\nbump :: Int -> Int\nbump 0 = 1\nbump n =\n  n + 1\n\n-- class Not\nlimit = 3\n\ndata Shape = Circle\n  | Dot\n\nclass Eq a => Drawn a where\n  draw :: a -> String\n\ninstance Drawn Shape where\n  draw = show\n",
        &[
            "function bump 3-6",
            "function limit 9-9",
            "data Shape 11-12",
            "class Drawn 14-15",
            "method draw 15-15",
            "instance Shape 17-18",
        ],
    ),
    (
        "scala",
        "private[cors] trait Policy {\n  protected[http] def allow(): Unit = {\n    run()\n  }\n  private[this] val limit = 3\n}\n",
        &["trait Policy 1-6", "method allow 2-4", "val limit 5-5"],
    ),
    (
        "erl",
        "-record(state, {n}).\nbump(0) -> 1;\nbump(N) ->\n    N + 1.\n",
        &["record state 1-1", "function bump 2-4"],
    ),
    (
        "zig",
        "pub const List = struct {\n    pub fn bump(self: *List) void {\n        self.len += 1;\n    }\n};\n",
        &["struct List 1-5", "method bump 2-4"],
    ),
    (
        "h",
        "#define LIST_H\n#define MAX 7\n#  define ADD(a, b) \\\n    ((a) + (b))\n",
        &["macro MAX 2-2", "macro ADD 3-4"],
    ),
    (
        "c",
        "static int\nbump(struct list *l,\n    int by)\n{\n\treturn l->n += by;\n}\n\nint size(void) {\n  return 1;\n}\nTAILQ_HEAD(all, list)\n",
        &["function bump 2-6", "function size 8-10"],
    ),
    (
        "c",
        "int take(int n) {\n#ifdef WIDE\n  if (n > 9) {\n#  if DEEP\n    if (n > 99) {\n#  elif FLAT\n    while (n) {\n#  endif\n    n--; }\n#else\n  if (n > 1) {\n#endif\n    n = 0;\n  }\n  return n;\n}\nint give(void) {\n  return 1;\n}\n",
        &["function take 1-16", "function give 17-19"],
    ),
    (
        "cc",
        "namespace n {\nclass LIB_EXPORT Env : public Base {\n public:\n  Env();\n};\nEnv::Env()\n    : one_(1),\n      two_(2) {\n  run();\n}\nint Box<K>::Cursor::Seek(int n) {\n  return n;\n}\nint Free(int n) {\n  return n;\n}\n}\n",
        &[
            "namespace n 1-17",
            "class Env 2-5",
            "method Env 6-10",
            "method Seek 11-13",
            "function Free 14-16",
        ],
    ),
    (
        "h",
        "class LIB_EXPORT Env final : public Base {\n  int n_;\n};\nclass Ahead;\nstruct LIB_EXPORT Part {\n  int n;\n};\n",
        &["class Env 1-3", "struct Part 5-7"],
    ),
    (
        "ts",
        "export const CODES: Inverted<\n  typeof KEYS\n> = {\n  a: 1,\n};\nconst one = 1\n",
        &["const CODES 1-5", "const one 6-6"],
    ),
    ("ml", "(* let old = 1 *)\nlet rec bump n =\n  n + 1\n", &["let bump 2-3"]),
    (
        "fs",
        "let product = List.reduce (*) numbers\nlet bump n =\n    n + 1\n",
        &["let product 1-1", "let bump 2-3"],
    ),
    ("r", "bump <- function(n) {\n  n + 1\n}\n", &["function bump 1-3"]),
    ("tf", "resource \"aws_vpc\" \"main\" {\n  cidr = \"x\"\n}\n", &["resource main 1-3"]),
    (
        "cs",
        "class Fault {\n    public Fault(string a)\n        : base(a)\n    {\n    }\n    void Go(int a) {\n    }\n}\n",
        &["class Fault 1-8", "method Fault 2-5", "method Go 6-7"],
    ),
    (
        "kt",
        "class Queue(\n  val runner: Runner,\n  val name: String\n) {\n  fun take() {\n  }\n}\n",
        &["class Queue 1-7", "val runner 2-2", "val name 3-3", "method take 5-6"],
    ),
    (
        "rb",
        "class Strategy\n  def call\n    run\n  rescue Failed\n    pass\n  end\nprivate\n  def key\n  end\nend\n",
        &["class Strategy 1-10", "method call 2-6", "method key 8-9"],
    ),
    (
        "ex",
        "defmodule Shop do\n  defmacrop often(x) do\n    x\n  end\nend\n",
        &["defmodule Shop 1-5", "defmacrop often 2-4"],
    ),
];

#[test]
fn lines_show_what_is_declared() {
    for (extension, text, expected) in CASES {
        let found = declarations(extension, text, &Cancellation::new());
        let told: Vec<String> = found
            .iter()
            .map(|found| {
                let declaration = &found.declaration;
                let (range, name) = (declaration.range, &declaration.name);
                format!("{} {name} {}-{}", declaration.kind, range.start(), range.end())
            })
            .collect();
        assert_eq!(told, *expected, "{extension}");
    }
}

/// The index keeps it, too.
#[test]
fn the_type_that_a_line_names_is_the_owner_of_a_candidate() {
    let fixture = Fixture::new("");
    fixture.write(
        "list.cc",
        "namespace n {\nint Box<K>::Cursor::SeekShelf(int n) {\n  return n;\n}\n\
         int CountShelves(int n) {\n  return n;\n}\n}\n",
    );
    for (name, expected) in [("SeekShelf", Some("Cursor")), ("CountShelves", None)] {
        let found = candidates(&fixture, &[Question::new(name)]).remove(0).candidates;
        let is_named = |it: &&retriever_search::Candidate| {
            it.symbols.first().is_some_and(|symbol| symbol.name == name)
        };
        let named = found.iter().find(is_named).unwrap();
        assert_eq!(named.owner.as_deref(), expected, "{name}");
    }
}

/// An extension, a line, and whether it is a comment.
const LINES: &[(&str, &str, bool)] = &[
    ("erl", "%% Counts the calls.", true),
    ("ml", "(* Counts the calls. *)", true),
    ("fs", "(*) 2 3", false),
    ("hs", "{- Counts the calls. -}", true),
    ("hs", "-- | Counts the calls.", true),
    ("rs", "#[derive(Debug)]", false),
    ("rs", "*count += 1;", false),
    ("java", " * Counts the calls.", true),
    ("php", "#[Route('/calls')]", false),
    ("php", "# Counts the calls.", true),
    ("c", "#include \"calls.h\"", false),
    ("py", "* factor(n)", false),
    ("lua", "-- Counts the calls.", true),
    ("go", "--count", false),
    ("md", "# Calls", true),
    ("nix", "# Counts the calls.", true),
];

#[test]
fn comments_are_told_by_the_rules_of_their_language() {
    for (extension, line, expected) in LINES {
        assert_eq!(is_comment_line(extension, line), *expected, "{extension}: {line}");
    }
}
