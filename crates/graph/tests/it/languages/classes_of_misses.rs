//! Calls and uses that the graph lost on code that nobody had looked at: by class of loss, one language each.

use retriever_graph::EdgeKind;

use crate::support::{check_some, edges, graph_of};

/// A project, calls that are its edges, and calls that are not.
type Case<'a> = (&'a str, &'a [&'a str], &'a [&'a str]);

#[test]
fn an_object_around_and_what_a_container_gives_are_known() {
    let cases: &[Case<'_>] = &[
        (
            "
//- /a/Panel.java
package a;
import java.util.*;
class Panel {
  interface Listener { void pressed(); }
  static class Row { String title() { return null; } }
  void pressed() {}
  void shown() {}
  void listen() {
    Listener l = new Listener() { public void pressed() { Panel.this.pressed(); } };
    Runnable r = () -> Panel.this.shown();
  }
  class Inner { void shown() { Panel.this.shown(); } }
  Comparator<Row> order() {
    Comparator<Row> by = (one, two) -> one.title().compareTo(null);
    return by;
  }
  void last(Stack<Row> rows) { rows.lastElement().title(); }
}
",
            &[
                "a.Panel.Inner.shown -> a.Panel.shown",
                "a.Panel.last -> a.Panel.Row.title",
                "a.Panel.listen -> a.Panel.Listener",
                "a.Panel.listen -> a.Panel.shown",
                "a.Panel.listen.<Listener>.pressed -> a.Panel.pressed",
                "a.Panel.order -> a.Panel.Row.title",
            ],
            &["a.Panel.listen.<Listener>.pressed -> a.Panel.Listener.pressed"],
        ),
        (
            "
//- /a.kt
package a
class Panel {
  fun pressed() {}
  inner class Inner { fun pressed() { this@Panel.pressed() } }
}
",
            &["a.Panel.Inner.pressed -> a.Panel.pressed"],
            &["a.Panel.Inner.pressed -> a.Panel.Inner.pressed"],
        ),
        (
            "
//- /a.php
<?php
namespace A;
class Store { public function save() {} }
function one() { app()->make(Store::class)->save(); }
function two($container) { $container->get(Store::class)->save(); }
function three() { resolve(Store::class)->save(); }
function four() { describe(Store::class)->save(); }
",
            &["A\\one -> A\\Store\\save", "A\\three -> A\\Store\\save", "A\\two -> A\\Store\\save"],
            &["A\\four -> A\\Store\\save"],
        ),
    ];
    cases.iter().for_each(|(project, present, absent)| check_some(project, present, absent));
}

#[test]
fn names_are_brought_into_functions_and_into_namespaces() {
    let cases: &[Case<'_>] = &[
        (
            "
//- /a.cpp
namespace helpers { int one() { return 1; } int both() { return 1; } struct Box { void open() {} }; }
namespace deep { namespace inner { int two() { return 2; } } }
int both() { return 2; }
struct Use { int first(); };
int Use::first() { using namespace helpers; return one(); }
int second(int n) { if (n) { using namespace deep::inner; return two(); } return 0; }
void third() { using namespace helpers; Box box; box.open(); both(); }
int fourth() { return one(); }
",
            &[
                "Use::first -> helpers::one",
                "second -> deep::inner::two",
                "third -> both",
                "third -> helpers::Box::open",
            ],
            &["fourth -> helpers::one", "third -> helpers::both"],
        ),
        (
            "
//- /a.cpp
struct Session { void start() {} };
struct Window { Glib::RefPtr<Session> const core; void run(QPointer<Session> other) { core->start(); } void go(QPointer<Session> other) { other->start(); } };
",
            &["Window::go -> Session::start", "Window::run -> Session::start"],
            &[],
        ),
        (
            "
//- /a/Constants.cs
namespace A.Constants;
public static class Codes { public static class Kinds { public static int Of(string a) => 1; } public static int All() => 1; }
//- /b/Use.cs
using A.Constants;
namespace B;
using static Codes;
public class Use { int One() => Kinds.Of(\"a\"); int Two() => All(); }
",
            &["B.Use.One -> A.Constants.Codes.Kinds.Of", "B.Use.Two -> A.Constants.Codes.All"],
            &[],
        ),
    ];
    cases.iter().for_each(|(project, present, absent)| check_some(project, present, absent));
}

#[test]
fn types_are_named_where_no_value_is_declared() {
    let cases: &[(&str, &[&str])] = &[
        (
            "
//- /a.ts
export class Made {}
export interface Part { a: number }
export interface Keys { a: number }
export function tests(x: unknown) { return x instanceof Made }
export function parts(...args: [id: string, part?: Part]) {}
export type Name = keyof Keys;
",
            &["a.Name -> a.Keys", "a.parts -> a.Part", "a.tests -> a.Made"],
        ),
        (
            "
//- /a.c
struct node { int a; };
typedef struct { int b; } item_t;
int one(void) { return sizeof(struct node); }
int two(void) { return 3 * sizeof(item_t); }
int three(int item_t) { return sizeof(item_t); }
",
            &["one -> node", "two -> item_t"],
        ),
        (
            "
//- /a.cs
namespace A;
public class NeedAttribute<T> : System.Attribute {}
public class Rule {}
public class First : System.Exception {}
public class Second : System.Exception {}
public class Use {
  [Need<Rule>] public void Run() {}
  public bool Is(object e) => e is First or Second;
}
",
            &["A.Use.Is -> A.First", "A.Use.Is -> A.Second", "A.Use.Run -> A.Rule"],
        ),
        (
            "
//- /a/Uses.java
package a;
class Old {}
class Box<T> {}
class First extends Exception {}
class Second extends Exception {}
class Uses {
  boolean one(Object o) { return o instanceof Old; }
  boolean two(Object o) { return o instanceof Box<?>; }
  void four() { try { } catch (First | Second e) { } }
}
",
            &[
                "a.Uses.four -> a.First",
                "a.Uses.four -> a.Second",
                "a.Uses.one -> a.Old",
                "a.Uses.two -> a.Box",
            ],
        ),
        (
            "
//- /a.py
class Point: pass
def one(v):
    match v:
        case Point(x=0): return 1
def three(v):
    match v:
        case Point: return Point
",
            &["a.one -> a.Point"],
        ),
    ];
    for (project, wanted) in cases {
        let found = edges(&graph_of(project), EdgeKind::References);
        for edge in *wanted {
            // Without a mark: a type that is named is not handed on.
            assert!(found.iter().any(|it| it == edge), "{edge} is not among {found:#?}");
        }
        let unwanted = found.iter().find(|it| it.starts_with("three "));
        assert_eq!(unwanted, None, "a variable is no type");
    }
}
