//! Calls whose meaning takes more than a name: what `this` and `Self` are, what a value is under its assertions, which of
//! several functions takes the arguments, and text that grammars stumble over.

use pretty_assertions::assert_eq;
use retriever::graph::{EdgeKind, NodeId, View};

use crate::graph::{check, graph_of};

#[test]
fn a_function_expression_calls_under_its_own_name() {
    check(
        r#"
//- /package.json
{ "name": "app" }
//- /a.ts
function step() {}
export function outer() { return function inner(n: number) { step(); if (n) inner(n - 1); }; }
export const held = ((n: number) => { step(); }) as Held<number>;
export const loose = () => (held as Function)(1);
"#,
        &[
            "a.outer.inner -> a.outer.inner",
            "a.outer.inner -> a.step",
            "a.held -> a.step",
            "a.loose -> a.held",
        ],
    );
}

#[test]
fn what_this_is_can_be_declared_and_super_is_never_an_interface() {
    check(
        r#"
//- /package.json
{ "name": "app" }
//- /a.ts
class Box { put() {} }
interface Shown { show(): void }
export const table = { put(this: Box, n: number) { this.put(); } };
export class Leaf extends Foreign implements Shown { constructor() { super(); } show() {} }
type Work = (box: Box) => void;
export const work: Work = box => box.put();
"#,
        &["a.table.put -> a.Box.put", "a.work -> a.Box.put"],
    );
}

#[test]
fn python_self_from_any_typing_module_is_the_class_around() {
    check(
        r#"
//- /app.py
import typing_extensions as te

class Range:
    @classmethod
    def parse(cls, text) -> te.Self:
        return make(cls, text)

    def __enter__(self) -> "te.Self":
        return self

    def stop(self):
        pass

def run():
    Range.parse("1").stop()
    with Range.parse("2") as opened:
        opened.stop()
"#,
        &["app.run -> app.Range.parse", "app.run -> app.Range.stop ~"],
    );
}

#[test]
fn c_directives_inside_tables_and_calls_hide_nothing() {
    check(
        r#"
//- /a.c
int one(void) { return 1; }
int two(void) { return 2; }
static int (*const table[])(void) = {
#define ROW(f) f,
#include "rows.h"
#undef ROW
  one,
};
int pick(int n) {
  return sum(one(),
#ifdef WIDE
    two() +
#else
    { two(
#endif
    two());
}
int last(void) { return pick(1); }
"#,
        &["pick -> one", "pick -> two", "last -> pick"],
    );
}

#[test]
fn java_overloads_are_told_apart_by_types() {
    let graph = graph_of(
        r#"
//- /Owner.java
class Owner {
  void pet(String name) {}
  void pet(Integer id) {}
  void keep(Pet pet) {}
  void keep(Runnable later) {}
  void keep(Owner owner) {}
  void number(int id) { pet(id); }
  void text() { pet("x"); }
  void below(Cat cat) { keep(cat); }
  void made() { keep(new Owner()); }
}
class Pet {}
class Cat extends Pet {}
interface Runnable { void run(); }
"#,
    );
    let name = |id: NodeId| graph.node(id).unwrap().name.clone();
    let mut found: Vec<(String, u32)> = graph
        .edges()
        .iter()
        .filter(|edge| edge.kind == EdgeKind::Calls && name(edge.to) != "Owner")
        .map(|edge| (name(edge.from), graph.node(edge.to).unwrap().start))
        .collect();
    found.sort();
    let expected = [("below", 4), ("made", 6), ("number", 3), ("text", 2)];
    assert_eq!(found, expected.map(|(from, line)| (from.to_owned(), line)));
}

#[test]
fn a_kotlin_line_that_begins_like_a_keyword_ends_nothing() {
    let tail = (0..40)
        .map(|n| format!("  @Test\n  fun case{n}() {{\n    val got = get()\n    go()\n  }}\n"))
        .collect::<String>();
    let project = format!(
        "\n//- /a.kt\npackage p\nclass Cache {{\n  fun go() {{}}\n  fun first() {{\n    val in1 = open()\n    go()\n    \
         in1.skip(1)\n    in1.close()\n  }}\n{tail}}}\n"
    );
    let mut expected = vec!["p.Cache.first -> p.Cache.go".to_owned()];
    expected.extend((0..40).map(|n| format!("p.Cache.case{n} -> p.Cache.go")));
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check(&project, &expected);
}
