//! Which definitions a name means, which of them are one, and what is told of a definition.

use pretty_assertions::assert_eq;
use retriever_graph::{NameLookup, NodeId, NodeQuery};

use crate::support::graph_of;

use super::{lookup, one, related};

#[test]
fn methods_of_several_traits_are_no_overloads() {
    let graph = graph_of(
        "//- /src/lib.rs
pub trait Short { fn text(&self); }
pub trait Long { fn text(&self); }
pub struct Point;
impl Short for Point { fn text(&self) {} }
impl Long for Point { fn text(&self) {} }
",
    );
    let NameLookup::Several { candidates, total } = lookup(&graph, "Point.text") else {
        unreachable!("one of two methods was taken");
    };
    assert_eq!(total, 2);
    assert!(candidates.iter().all(|id| graph.overloads(*id) == [*id]));
}

#[test]
fn a_full_name_means_its_overloads_before_a_longer_name_that_ends_with_it() {
    let graph = graph_of(
        "//- /a/Box.java
package a;
class Box {
  void put(int n) {}
  void put(String s) {}
}
//- /b/a/Box.java
package b.a;
class Box {
  void put(int n) {}
}
",
    );
    assert_eq!(graph.overloads(one(&graph, "a.Box.put")).len(), 2);
}

#[test]
fn functions_of_one_full_name_in_several_headers_are_one_definition() {
    let headers = "\
//- /include/base.h
namespace text {
template <typename T> void put(T value) {}
}
//- /include/color.h
#include \"base.h\"
namespace text {
inline void put(int color, const char *value) {}
void put(const char *first, const char *last);
}
//- /src/put.cc
#include \"color.h\"
namespace text {
void put(const char *first, const char *last) {}
}
";
    assert_eq!(graph_of(headers).overloads(one(&graph_of(headers), "put")).len(), 4);
    let two_programs = "\
//- /src/one.cc
void usage() {}
//- /src/two.cc
void usage() {}
";
    let found = lookup(&graph_of(two_programs), "usage");
    assert!(matches!(found, NameLookup::Several { total: 2, .. }), "{found:?}");
}

#[test]
fn a_function_of_another_language_is_no_body_of_a_prototype() {
    let graph = graph_of(
        "//- /parse.h
int parse(int n);
//- /parse.c
#include \"parse.h\"
int parse(int n) { return n; }
//- /web/parse.php
<?php
function parse($n) { return $n; }
",
    );
    let body = graph.named("parse").into_iter().find(|id| graph.path_of(*id) == Some("parse.c"));
    let paths = |id: NodeId| graph.path_of(id).unwrap().to_owned();
    let set: Vec<String> = graph.overloads(body.unwrap()).into_iter().map(paths).collect();
    assert_eq!(set, ["parse.c", "parse.h"]);
}

#[test]
fn bodies_of_a_header_are_those_that_include_it_and_are_seen_elsewhere() {
    let tail = "int four, int five, int six, int seven, int eight, int nine, int ten, int eleven, int twelve, int thirteen, int fourteen";
    let project = format!(
        "\
//- /net.h
int net_open(int port);
int net_long(int one, int two, int three, {tail}, int fifteen, int sixteen, char end);
//- /aix.c
#include \"net.h\"
int net_open(int port) {{ return 1; }}
int net_long(int one, int two, int three, {tail}, int fifteen, int sixteen, char end) {{ return 1; }}
//- /bsd.c
#include \"net.h\"
int net_open(int number) {{ return 2; }}
int net_long(int one, int two, int three, {tail}, int fifteen, int sixteen, long end) {{ return 1; }}
//- /local.c
#include \"net.h\"
static int net_open(int port) {{ return 3; }}
//- /program/main.c
int net_open(int port) {{ return 4; }}
int main(void) {{ return net_open(4); }}
"
    );
    let graph = graph_of(&project);
    let NameLookup::Several { candidates, total } = lookup(&graph, "net_open") else {
        unreachable!("one of three functions was taken");
    };
    assert_eq!(total, 3);
    let paths = |ids: Vec<NodeId>| {
        ids.into_iter().map(|id| graph.node(id).unwrap().path.clone()).collect::<Vec<_>>()
    };
    let sets = candidates.into_iter().map(|id| paths(graph.overloads(id)));
    let mut sets: Vec<Vec<String>> = sets.collect();
    sets.sort();
    assert_eq!(sets, [vec!["local.c"], vec!["net.h", "aix.c", "bsd.c"], vec!["program/main.c"]]);
    // What is cut off may differ.
    let found = lookup(&graph, "net_long");
    assert!(matches!(found, NameLookup::Several { total: 2, .. }), "{found:?}");
}

#[test]
fn a_type_without_its_body_is_no_prototype_of_a_function_by_its_name() {
    let graph = graph_of(
        "//- /shape.c
struct shape;
int shape(int n) { return n; }
",
    );
    let kinds: Vec<_> = related(&graph, NodeQuery::Methods, "shape.c")
        .iter()
        .map(|related| graph.node(related.node).unwrap().kind)
        .collect();
    assert_eq!(kinds.len(), 2, "{kinds:?}");
}

#[test]
fn a_signature_ends_before_the_body_and_has_all_of_its_types() {
    let cases = [
        (
            "a.rs",
            "pub fn take(&self) -> Vec<Option<u8>> {\n}\n",
            "pub fn take(&self) -> Vec<Option<u8>>",
        ),
        (
            "a.ts",
            "export const take = (x: number): Promise<A> => {};\n",
            "take = (x: number): Promise<A>",
        ),
        ("A.java", "class A {\n  List<String> take() { return null; }\n}\n", "List<String> take()"),
        (
            "a.scala",
            "object A {\n  def take(x: Int): List[Int] = {\n    x\n  }\n}\n",
            "def take(x: Int): List[Int]",
        ),
        ("a.kt", "fun take(): List<Int> = make()\n", "fun take(): List<Int>"),
        ("a.py", "def take(x) -> Kind:\n    pass\n", "def take(x) -> Kind"),
        ("a.cpp", "std::vector<int> take(int x) {\n}\n", "std::vector<int> take(int x)"),
        ("a.swift", "func take() -> Array<Int> {\n}\n", "func take() -> Array<Int>"),
    ];
    for (path, text, signature) in cases {
        let graph = graph_of(&format!("//- /{path}\n{text}"));
        let take = graph.nodes().find(|node| node.name == "take").expect(path);
        assert_eq!(take.signature, signature, "{path}");
    }
}

#[test]
fn the_comment_of_a_definition_is_told_by_its_first_line() {
    let projects = [
        "//- /a.rs\n/// Opens the lock.\n/// It takes a while.\n///\n/// Returns the ship.\n#[must_use]\npub fn open() {}\n",
        "//- /a.rs\nfn other() {}\n// Opens the lock.\n// It takes a while.\nfn open() {}\n",
        "//- /a.rs\n/** Opens the lock.\n * It takes a while. */\nfn open() {}\n",
        "//- /a.go\npackage a\n\n// Opens the lock.\n// It takes a while.\nfunc open() {}\n",
        "//- /a.ts\n/**\n * Opens the lock.\n * It takes a while.\n */\nfunction open() {}\n",
        "//- /a.py\n# Opens the lock.\n# It takes a while.\ndef open():\n    pass\n",
    ];
    for project in projects {
        let graph = graph_of(project);
        let doc = graph.node(one(&graph, "open")).map(|node| node.doc.clone());
        assert_eq!(doc.as_deref(), Some("Opens the lock."), "{project}");
    }
    let apart = graph_of("//- /a.rs\n/// Opens the lock.\n\n\nfn open() {}\n");
    assert_eq!(apart.node(one(&apart, "open")).map(|node| node.doc.clone()), Some(String::new()));
}

#[test]
fn members_that_are_told_apart_by_what_they_take_are_all_named() {
    let projects = [
        (
            "//- /Sources/Net/Strategy.swift
protocol Strategy { func write(_ e: Int) ; func write(_ e: Int, to: Int) }
extension Strategy { func write(_ e: Int) {} }
",
            "Strategy",
            3,
        ),
        (
            "//- /Strategy.java
interface Strategy { void write(int e); default void write(String s) {} }
",
            "Strategy",
            2,
        ),
        (
            "//- /strategy.h
class Strategy { void write(int e); };
//- /strategy.cc
#include \"strategy.h\"
void Strategy::write(int e) {}
",
            "Strategy",
            1,
        ),
    ];
    for (project, name, members) in projects {
        let graph = graph_of(project);
        let found = related(&graph, NodeQuery::Methods, name);
        assert_eq!(found.len(), members, "{project}");
    }
}

#[test]
fn a_class_that_is_opened_again_is_one_definition() {
    let graph = graph_of(
        "//- /lib/a.rb
class Runner
  def go; end
end
//- /lib/b.rb
class Runner < Base
  def stop; end
end
//- /lib/c.rb
class Base; end
class Other; def go; Runner.new; end; end
",
    );
    let NameLookup::One(id) = lookup(&graph, "Runner") else { unreachable!() };
    let set = graph.overloads(id);
    assert_eq!((set.len(), graph.node(set[0]).unwrap().path.as_str()), (2, "lib/b.rb"));
    let methods = graph.related(NodeQuery::Methods, &set, 1, 0, 10).items;
    let mut methods: Vec<&str> =
        methods.iter().map(|it| graph.node(it.node).unwrap().name.as_str()).collect();
    methods.sort_unstable();
    assert_eq!(methods, ["go", "stop"]);
}
