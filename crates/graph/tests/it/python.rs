//! Python in the code graph: which folders absolute imports start from, and packages without an `__init__.py`.

use crate::support::{check_cases, check_some};

const PACKAGE: &str = "
//- /src/shop/till.py
from shop.stock.shelf import take
import shop.stock.shelf
import json
def sell(): take(); shop.stock.shelf.take(); json.dumps()
//- /src/shop/stock/shelf.py
class Shelf:
    def open(self): ...
def take(): ...
//- /src/shop/json/__init__.py
def dumps(): ...
//- /tests/test_till.py
from shop.till import sell
from shop.stock.shelf import Shelf
class Own(Shelf):
    def go(self): self.open()
def test(): sell()
";

const EDGES: &[&str] = &["till.sell -> stock.shelf.take", "test_till.test -> till.sell"];

/// As [`EDGES`], where a manifest leads to the name of the package.
const DECLARED: &[&str] = &[
    "shop.till.sell -> shop.stock.shelf.take",
    "test_till.test -> shop.till.sell",
    "test_till.Own.go -> shop.stock.shelf.Shelf.open",
];

#[test]
fn a_package_may_have_no_init() {
    let paths_of_the_whole = ["till.sell -> shelf.take", "test_till.Own.go -> shelf.Shelf.open"];
    check_some(PACKAGE, &paths_of_the_whole, &[]);
    let with_init = format!("{PACKAGE}//- /src/shop/stock/__init__.py\n");
    check_some(&with_init, EDGES, &[]);
    let two_above = PACKAGE.replace("shop/", "deep/shop/").replace("shop.", "deep.shop.");
    check_some(&two_above, &paths_of_the_whole, &[]);
}

#[test]
fn manifests_say_where_sources_are() {
    let cases = [
        ("pyproject.toml", "[project]\nname = \"shop\"", "src"),
        ("setup.py", "from setuptools import setup", "src"),
        (
            "pyproject.toml",
            "[tool.poetry]\npackages = [{ include = \"shop\", from = \"lib\" }]",
            "lib",
        ),
        ("pyproject.toml", "[tool.setuptools.packages.find]\nwhere = [\"lib\"]", "lib"),
        ("pyproject.toml", "[tool.setuptools]\npackage-dir = { \"\" = \"./lib\" }", "lib"),
        ("pyproject.toml", "[tool.hatch.build.targets.wheel]\npackages = [\"lib/shop\"]", "lib"),
        ("setup.cfg", "[metadata]\nname = shop\n[options]\npackage_dir =\n    = lib", "lib"),
        (
            "setup.cfg",
            "[options]\npackage_dir =\n    =lib\n[options.packages.find]\nwhere=lib",
            "lib",
        ),
    ];
    // Inside of the package, `json` is that of the standard library.
    let absent = ["shop.till.sell -> shop.json.dumps", "till.sell -> json.dumps"];
    for (manifest, text, sources) in cases {
        let files = PACKAGE.replace("/src/", &format!("/{sources}/"));
        check_some(&format!("{files}//- /{manifest}\n{text}\n"), DECLARED, &absent);
        let below = files.replace("//- /", "//- /parts/one/");
        let below = format!("{below}//- /parts/one/{manifest}\n{text}\n//- /pyproject.toml\n");
        check_some(&below, DECLARED, &absent);
    }
}

#[test]
fn what_stands_beside_a_script_is_found() {
    let cases = [
        // A folder of scripts among the sources.
        "//- /pyproject.toml\n//- /src/tools/run.py\nimport help\ndef run(): help.give()\n//- /src/tools/help.py\ndef give(): ...\n",
        // Sources that are scripts.
        "//- /pyproject.toml\n//- /src/run.py\nimport help\ndef run(): help.give()\n//- /src/help.py\ndef give(): ...\n",
        "//- /jobs/run.py\nimport help\ndef run(): help.give()\n//- /jobs/help.py\ndef give(): ...\n",
    ];
    for case in cases {
        let graph = crate::support::graph_of(case);
        let calls = crate::support::edges(&graph, retriever_graph::EdgeKind::Calls);
        assert_eq!(calls.len(), 1, "{case}: {calls:?}");
    }
    // What is beside a module of a package is not what an absolute import means.
    check_some(
        "//- /pkg/__init__.py\n//- /pkg/run.py\nimport json\ndef run(): json.load()\n//- /pkg/json.py\ndef load(): ...\n",
        &[],
        &["pkg.run.run -> pkg.json.load"],
    );
}

const LINK: &str = "//- /link.py
import functools
from functools import cached_property
class Missing(Exception): ...
class Other(Exception): ...
class Link:
    def __init__(self, url): self.url = url
    @property
    def is_wheel(self): return True
    @cached_property
    def size(self): return 1
    @property
    def name(self): return self.url
    @name.setter
    def name(self, value): self.url = value
    def plain(self): ...
    def own(self): return self.is_wheel
class Sub(Link): ...
";

#[test]
fn a_property_is_named_where_it_is_read_or_assigned_to() {
    let cases = [
        ("", ("link.Link.own -> link.Link.is_wheel", "")),
        ("def f(link: Link): return link.is_wheel", ("link.f -> link.Link.is_wheel", "")),
        ("def f(link: Sub): print(link.size)", ("link.f -> link.Link.size", "")),
        ("def f(link: Link): link.name.upper()", ("link.f -> link.Link.name", "")),
        ("def f(link: Link): link.name = 'x'", ("link.f -> link.Link.name", "")),
        ("def f(link: Link): link.is_wheel = 1", ("", "link.f -> link.Link.is_wheel")),
        ("def f(link: Link): return link.plain()", ("", "link.f -> link.Link.plain")),
        ("def f(link): return link.is_wheel", ("", "link.f -> link.Link.is_wheel")),
    ];
    crate::support::check_cases_of(retriever_graph::EdgeKind::References, LINK, &cases);
    // An assignment with an operator reads and writes.
    let graph = crate::support::graph_of(&format!("{LINK}def f(link: Link): link.name += 'x'\n"));
    let reads = graph.edges().filter(|edge| edge.kind == retriever_graph::EdgeKind::References);
    let mut to: Vec<u32> =
        reads.filter_map(|edge| graph.node(edge.to)).map(|node| node.name_line).collect();
    to.retain(|at| [12, 14].contains(at));
    to.sort_unstable();
    assert_eq!(to, [12, 14]);
    // The getter and the setter are told apart.
    for (case, line) in [("link.name = 'x'", 14), ("return link.name", 12)] {
        let graph = crate::support::graph_of(&format!("{LINK}def f(link: Link): {case}\n"));
        let reads = graph.edges().filter(|edge| edge.kind == retriever_graph::EdgeKind::References);
        let to = reads.filter_map(|edge| graph.node(edge.to)).map(|node| node.name_line);
        assert_eq!(to.filter(|at| [12, 14].contains(at)).collect::<Vec<_>>(), [line], "{case}");
    }
}

#[test]
fn handlers_and_annotations_use_what_they_name() {
    let body = "Args = list[str]
def caught():
    try: run()
    except Missing as e: print(e)
def bare():
    try: run()
    except Missing: ...
def several():
    try: run()
    except (Missing, Other): ...
def annotated(args: Args) -> Args: return args
";
    let graph = crate::support::graph_of(&format!("{LINK}{body}"));
    let uses = crate::support::edges(&graph, retriever_graph::EdgeKind::References);
    for edge in [
        "link.caught -> link.Missing",
        "link.bare -> link.Missing",
        "link.several -> link.Missing",
        "link.several -> link.Other",
        "link.annotated -> link.Args",
    ] {
        assert!(uses.iter().any(|it| it == edge), "{edge}: {uses:#?}");
    }
}

#[test]
fn a_variable_ends_with_its_statement() {
    let project = "//- /a.py
OPTS: list[str] = [
    'a',
]
first, second = make(
    1,
)
ONE = 1
";
    let graph = crate::support::graph_of(project);
    let ends = ["a.OPTS", "a.second", "a.ONE"].map(|name| {
        let at = graph.nodes().find(|node| node.qname == name).unwrap();
        (at.start, at.end)
    });
    assert_eq!(ends, [(1, 3), (4, 6), (7, 7)]);
}

#[test]
fn types_are_told_by_bounds_casts_and_what_a_generator_yields() {
    let project = "//- /a.py
import asyncio
import itertools
from contextlib import contextmanager
from typing import TypeVar, cast
Own = TypeVar(\"Own\", bound=\"Item\")
class Item:
    def use(self): ...
    def own(self: Own) -> Own:
        self.use()
        return self
class Other:
    def use(self): ...
@contextmanager
def opened():
    yield Item()
async def each():
    yield Item()
def passed():
    yield from [Item()]
    return Other()
class Part:
    def __getitem__(self, at) -> Self: ...
    def whole(self) -> Item: ...
def two() -> tuple[Other, Item]: ...
def three() -> tuple[Other, Other, Other, Item]: ...
async def get() -> Item: ...
async def other() -> Other: ...
";
    let run = ("a.run -> a.Item.use", "a.run -> a.Other.use");
    let (none, other) = (("", run.0), (run.1, run.0));
    check_cases(
        project,
        &[
            ("", ("a.Item.own -> a.Item.use", "")),
            ("def run(item: Own): item.use()", run),
            ("def run(item: Own): item.own().use()", run),
            ("def run(x): cast(\"Item\", x).use()", run),
            ("def run(x): t.cast(\"Item\", x).use()", run),
            ("def run(x): x.cast(\"Item\").use()", none),
            ("def run(x): x.cast(\"Item\", x).use()", none),
            ("def run(part: Part): part[1:].whole().use()", run),
            ("def run(parts: Part | list[Item]): parts[1:][0].use()", run),
            ("def run():\n    _, *_, item = three()\n    item.use()", run),
            ("def run():\n    _, *_, item, _ = three()\n    item.use()", other),
            ("def run():\n    (  # note\n        _, item) = two()\n    item.use()", run),
            ("def run():\n    with opened() as item: item.use()", run),
            ("def run():\n    for item in passed(): item.use()", run),
            ("async def run(): [item async for item in each()][0].use()", run),
            ("def run(items: list[Item]): items[1:][0].use()", run),
            ("def run(items: list[Item]):\n    for item in items[1:]: item.use()", run),
            ("def run(items: list[Item]):\n    first, *rest = items\n    rest[0].use()", run),
            (
                "def run():\n    first, *rest = (Other(), Item())\n    rest[0].use()",
                ("", "a.run -> a.Other.use"),
            ),
            (
                "async def run():\n    item, _ = await asyncio.gather(get(), other())\n    item.use()",
                run,
            ),
            (
                "async def run():\n    _, item = await asyncio.gather(other(), get())\n    item.use()",
                run,
            ),
            (
                "async def run():\n    task = asyncio.create_task(get())\n    (await task).use()",
                run,
            ),
            ("async def run(): (await asyncio.wait_for(get(), 1)).use()", run),
            (
                "def run(items: list[Item]):\n    for item in itertools.chain(items, []): item.use()",
                run,
            ),
            (
                "def run(all: list[list[Item]]):\n    for item in itertools.chain.from_iterable(all): item.use()",
                run,
            ),
            (
                "def run(x, items: list[Item]):\n    for item in x.chain(items): item.use()",
                ("", "a.run -> a.Item.use"),
            ),
        ],
    );
}
