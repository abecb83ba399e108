//! Calls whose meaning takes more than a name: what `this` and `Self` are, what a value is under its assertions, which of
//! several functions takes the arguments, and text that grammars stumble over.

use std::collections::{BTreeMap, BTreeSet};

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, NodeId};

use crate::support::{check, check_cases, graph_of};

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
fn a_function_that_is_given_back_takes_what_its_declared_type_says() {
    check(
        r#"
//- /package.json
{ "name": "app" }
//- /a.ts
export class Context { header(name: string) {} }
type Handler<E = any> = (c: Context, next: () => void) => Promise<void>;
type Maker = (name: string) => Handler;
export const cors = (name: string): Handler => { return async function cors(c, next) { c.header(name); }; };
export function open(): Handler { return (c) => c.header("open"); }
export const made: Maker = (name) => async (c, next) => { c.header(name); };
export function unknown() { return (c) => c.header("no"); }
"#,
        &[
            "a.cors.cors -> a.Context.header ~",
            "a.open -> a.Context.header ~",
            "a.made -> a.Context.header ~",
        ],
    );
}

#[test]
fn call_signatures_without_semicolons_hide_nothing() {
    check(
        r#"
//- /package.json
{ "name": "app" }
//- /a.ts
export interface Makes<E> {
  <I extends E>(one: I): [I]

  // with two
  <
    I extends E,
    J extends I = I,
  >(
    one: I,
    two: J
  ): [I, J]
}
export class Factory { make() { return help(); } }
function help() {}
export const create = (): Factory => new Factory();
"#,
        &["a.Factory.make -> a.help", "a.create -> a.Factory"],
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
fn java_fields_and_inherited_methods_of_one_name_are_both_known() {
    check(
        r#"
//- /a/Node.java
package a;
class Node {
  Kinds kinds;
  Node children() { return this; }
}
class Kinds { void first() {} }
class Element extends Node {
  Kinds children;
  Kinds kinds() { return kinds; }
  void near() { children().near(); children.first(); }
}
class Use {
  void run(Element element) { element.children(); element.children.first(); element.kinds.first(); element.kinds().first(); }
}
"#,
        &[
            "a.Element.near -> a.Kinds.first",
            "a.Element.near -> a.Node.children",
            "a.Use.run -> a.Element.kinds",
            "a.Use.run -> a.Kinds.first",
            "a.Use.run -> a.Kinds.first ~",
            "a.Use.run -> a.Node.children",
        ],
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
        .filter(|edge| edge.kind == EdgeKind::Calls && name(edge.to) != "Owner")
        .map(|edge| (name(edge.from), graph.node(edge.to).unwrap().start))
        .collect();
    found.sort();
    let expected = [("below", 4), ("made", 6), ("number", 3), ("text", 2)];
    assert_eq!(found, expected.map(|(from, line)| (from.to_owned(), line)));
}

/// A function, and the lines that its calls lead to. What makes an object leads to its class.
type Led = (&'static str, &'static [u32]);

/// Projects of a file or two.
const LED: &[(&str, &[Led])] = &[
    (
        r#"//- /a.kt
package p
import p.Tool.Companion.plain
object Log {
  fun d(message: () -> String) {}
  fun d(error: Throwable, message: () -> String) {}
}
class Tool { companion object { fun plain() {} } }
sealed class Item
class One : Item() { fun one(): List<Rec> = listOf() }
class Rec { fun size() {} }
fun trailing(e: Exception) { Log.d(e) { "" } }
fun alone() { Log.d { "" } }
fun companion() { plain() }
fun Item.tested() = when (this) { is One -> one().forEach { it.size() } else -> this.none() }
fun Item.proved() { if (this is One) this.one() }
fun take(one: One) {}
fun take(id: Long) {}
fun indexed(ids: LongArray) { ids.mapIndexed { at, id -> take(id) } }
fun Modifier.row(): Modifier = this
fun chained() { Modifier.weight(1).row() }
fun other(text: Word) { text.weight(1).row() }
fun rank(n: Int): Int = n
context(held: Held)
fun hidden() { val rank = rank(1) }
fun Leaf.path() {}
fun Node.path() {}
fun nearest(leaf: Leaf) { leaf.path() }
class Reply : Closeable
fun Socket.shut() {}
fun Closeable.shut() {}
fun built(reply: Reply) { reply.shut() }
"#,
        &[
            ("trailing", &[5]),
            ("alone", &[4]),
            ("companion", &[7]),
            ("tested", &[9, 10]),
            ("proved", &[9]),
            ("indexed", &[17]),
            ("chained", &[19]),
            ("hidden", &[22]),
            ("nearest", &[25]),
            ("built", &[30]),
        ],
    ),
    (
        r#"//- /a.cpp
class Base {
public:
  virtual void save() {}
  template <class T> void load() {}
};
namespace deep { class Part : public Base { public: void save() override {} }; }
class Derived : public deep::Part {
public:
  void save() override { this->Base::save(); }
  template <class T> void load() {}
  void above() { this->deep::Part::save(); }
  void typed() { this->Base::load<int>(); }
};
void outside(Derived &made) { made.Base::save(); }
void plain(Derived &made) { made.load<int>(); }
"#,
        &[("save", &[3]), ("above", &[6]), ("typed", &[4]), ("outside", &[3]), ("plain", &[10])],
    ),
    (
        r#"//- /A.java
class A {
  interface Token<T> {}
  <T> void get(Token<T> token) {}
  <T> void get(Class<T> type) {}
  void put(String text) {}
  void put(double number) {}
  void set(Text text, Class<?> type) {}
  void set(Word word, Type type) {}
  static class Word implements Closed {}
  boolean fits(Type from) { return fits(from, 1); }
  static boolean fits(Type from, int at) { return true; }
  void literal() { get(java.util.Date.class); }
  void turned(Number n) { put(n.doubleValue()); }
  void typed(Word word) { set(word, byte[].class); }
}
"#,
        &[("fits", &[11]), ("literal", &[4]), ("turned", &[6]), ("typed", &[8])],
    ),
    (
        r#"//- /Sources/A.swift
struct Options: OptionSet { static let one = Options(rawValue: 1) }
struct Help { init(_ options: Options, key: String) {} }
struct Part {
  enum Value { case word(String) }
  static func word(_ text: String, at: Int) -> Part { fatalError() }
}
struct Def { init(help: Help) {} }
struct All { var parts: [Part]; func next() -> (Int, Part)? { nil } }
extension Error { func told() {} }
protocol Made { static func make(_ n: Int) }
func literal() { Def(help: .init([.one], key: "")) }
func listed() -> [Part] { return [.word("", at: 1)] }
func added(all: All) { all.parts.append(.word("", at: 1)) }
func taken(all: All) { guard let (_, part) = all.next() else { return } }
func some(error: Error?) { switch error { case .some(let error): error.told() case .none: break } }
func meta<A>(_ type: A.Type) where A: Made { type.make(1) }
func joined(all: All) -> String { return "" + all.next().text + part() }
func part() -> String { "" }
"#,
        &[
            ("added", &[5]),
            ("listed", &[5]),
            ("joined", &[8, 18]),
            ("literal", &[2, 7]),
            ("meta", &[10]),
            ("some", &[9]),
            ("taken", &[8]),
        ],
    ),
    (
        r#"//- /a.php
<?php
class Mark { function set() {} }
function chosen($x) { return $x instanceof Mark && 1 ? $x->set() : $x->other(); }
"#,
        &[("chosen", &[2])],
    ),
    (
        r#"//- /a.rb
class Work
  def go; end
end
class Pool
  def initialize; @all = []; end
  def add(n); @all << Work.new; end
  def each; @all.map { |work| work.go }; end
  def place; @more.insert(0, Work.new); @more.each { |work| work.go }; end
  def thread; Thread.new(Work.new) { |work| work.go }; end
end
"#,
        &[("add", &[1]), ("each", &[2]), ("place", &[1, 2]), ("thread", &[1, 2])],
    ),
    (
        r#"//- /A.cs
class Row { public void Cut() { } }
static class Texts { public static string Done(this StringBuilder text) => ""; }
class A
{
    Dictionary<string, Row> rows;
    void Pick<T, U>(int n) { }
    void Pick(object n) { }
    void Plain() { Pick(1); }
    void Pairs() { foreach (var pair in rows) pair.Value.Cut(); }
    void Built(StringBuilder text) { text.Append('a').Done(); }
}
"#,
        &[("Built", &[2]), ("Pairs", &[1]), ("Plain", &[7])],
    ),
    (
        r#"//- /A.scala
class Item { def go(n: Int): Int = n; def now(implicit at: At): Int = 1 }
class Use[F[_]] {
  def make(n: Int): F[Item] = ???
  def drawn() = for { item <- Resource.eval(make(1)) } yield item.go(1)
  def mapped() = make(1).flatMap(item => item.go(2))
  def twice(n: Int)(m: Int): Item = ???
  def lists() = twice(1)(2).go(3)
  def implicitly(item: Item) = item.now
  def generic[A]: Item = ???
  def applied() = this.generic[Int].go(4)
  def named: F[a.b.Deep[F]] = ???
  def qualified() = this.named.map(_.low(1))
  import Held.kept
  def imported() = kept(1)
}
object Held { private def kept(n: Int): Int = n }
//- /B.scala
package a.b
class Deep[F[_]] { def low(n: Int): Int = n }
"#,
        &[
            ("applied", &[1, 9]),
            ("drawn", &[1, 3]),
            ("implicitly", &[1]),
            ("imported", &[16]),
            ("lists", &[1, 6]),
            ("mapped", &[1, 3]),
            ("qualified", &[2, 11]),
        ],
    ),
];

#[test]
fn calls_lead_to_what_types_and_arguments_ask_for() {
    for (project, expected) in LED {
        let graph = graph_of(project);
        let mut found: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        for edge in graph.edges().filter(|edge| edge.kind == EdgeKind::Calls) {
            let from = graph.node(edge.from).unwrap().name.clone();
            found.entry(from).or_default().insert(graph.node(edge.to).unwrap().start);
        }
        for (from, lines) in *expected {
            assert_eq!(
                found.remove(*from).unwrap_or_default(),
                lines.iter().copied().collect(),
                "{from} in {project}"
            );
        }
        assert!(!found.contains_key("other"), "{project}");
    }
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

#[test]
fn calls_outside_of_statements_are_read() {
    // In the bounds of a slice, of a function with a type's name in brackets, and of a function named like a built-in one.
    check(
        "//- /go.mod
module example.com/m
//- /a.go
package m
func get[T any](x T) T { return x }
func start() int { return 0 }
func f(list []int) { _ = list[start():]; get[int](1) }
func new(n int) {}
func g() { new(1) }
",
        &[
            "example.com/m.f -> example.com/m.get",
            "example.com/m.f -> example.com/m.start",
            "example.com/m.g -> example.com/m.new",
        ],
    );
    // In operators, attributes and macros.
    check(
        "//- /a.swift
struct P { static func == (l: P, r: P) -> Bool { return same(l, r) } }
func same(_ l: P, _ r: P) -> Bool { return true }
func limit() -> Int { return 1 }
@Test(limit()) func checked() { #expect(limit() == 1) }
func expect(_ b: Bool) {}
",
        &["P.== -> same", "a.swift -> limit", "checked -> limit"],
    );
    // Not in the attributes of what a macro is given.
    check(
        "//- /src/lib.rs
fn cfg() {}
fn all(n: u8) -> u8 { n }
fn f() { list! { #[cfg(all(1))] a => all(1), #![cfg(all(1))] b => 2 } }
",
        &["lib::f -> lib::all"],
    );
    // In friends, which belong to what is around the class.
    check(
        "//- /a.cpp
void help(int n) {}
class A { friend void wake(A *a) { help(1); } };
void run(A *a) { wake(a); }
",
        &["run -> wake", "wake -> help"],
    );
    // What defines something is a method.
    check(
        "//- /a.rb
class Base
  def self.before_save(*names) = log
  def self.log = nil
end
class A < Base
  before_save :check
  def check = nil
end
",
        &["A -> Base::before_save", "Base::before_save -> Base::log"],
    );
}

#[test]
fn go_methods_belong_to_their_type_whatever_its_name() {
    let types = ["Ref", "Box", "Rc", "Arc", "Pin", "Lazy", "Readonly", "Partial", "Result", "Map"];
    for name in types {
        check(
            &format!(
                "//- /go.mod
module m
//- /a.go
package m
type {name} uint64
func (r {name}) Do() int {{ return 1 }}
type Of struct {{ held {name} }}
func use(o *Of) {{ o.held.Do() }}
"
            ),
            &[&format!("m.use -> m.{name}.Do")],
        );
    }
}

#[test]
fn go_results_with_names_and_atomic_pointers_have_their_types() {
    let project = "//- /go.mod
module m
//- /a.go
package m
import \"sync/atomic\"
type Loop struct{ next atomic.Pointer[Loop] }
func (l *Loop) stop() {}
func (l *Loop) start() {}
";
    let run = ("m.run -> m.Loop.stop", "m.run -> m.Loop.start");
    check_cases(
        project,
        &[
            ("func run() (q *Loop) { q.stop(); return }", run),
            ("func run() (p, q *Loop, err error) { q.stop(); return nil, nil, err }", run),
            (
                "func (p *Proc) run() (q *Loop, err error) { q.stop(); return }\ntype Proc int",
                ("m.Proc.run -> m.Loop.stop", "m.Proc.run -> m.Loop.start"),
            ),
            ("var run = func() (q *Loop) { q.stop(); return }", run),
            ("func run(p *Loop) { if q := p.next.Load(); q != nil { q.stop() } }", run),
            ("func run(p *Loop) { n, q := 1, p.next.Swap(nil); q.stop(); _ = n }", run),
        ],
    );
}

#[test]
fn a_go_call_leads_to_the_bodies_for_all_platforms() {
    let platforms = ["aix", "darwin", "freebsd", "linux", "netbsd", "windows"];
    let files = platforms.map(|name| format!("//- /free_{name}.go\npackage m\nfunc free() {{}}\n"));
    let project = format!(
        "//- /go.mod\nmodule m\n//- /a.go\npackage m\nfunc run() {{ free() }}\n{}",
        files.concat()
    );
    let graph = graph_of(&project);
    let calls = graph.edges().filter(|edge| edge.kind == EdgeKind::Calls);
    let called: BTreeSet<String> =
        calls.map(|edge| graph.node(edge.to).unwrap().path.clone()).collect();
    assert_eq!(called.len(), platforms.len(), "{called:?}");
}

#[test]
fn what_go_takes_from_a_channel_has_its_type() {
    let project = "//- /go.mod
module m
//- /a.go
package m
type Loop struct{}
func (l *Loop) stop() {}
func (l *Loop) start() {}
";
    let run = ("m.run -> m.Loop.stop", "m.run -> m.Loop.start");
    check_cases(
        project,
        &[
            ("func run(c chan *Loop) { q := <-c; q.stop() }", run),
            ("func run(c chan *Loop) { if q, ok := <-c; ok { q.stop() } }", run),
            ("type C chan *Loop\nfunc run(c C) { (<-c).stop() }", run),
            ("func run(c chan *Loop) { select { case q := <-c: q.stop() } }", run),
            ("func run(c chan *Loop) { select { case q, ok := <-c: if ok { q.stop() } } }", run),
            ("func run(c chan *Loop) { var q *Loop; select { case q = <-c: q.stop() } }", run),
            ("func run(c chan *Loop) { select { case <-c: default: (&Loop{}).stop() } }", run),
            (
                "func run(c chan *Loop, q int) { select { case q := <-c: _ = q }; q.stop() }",
                ("", "m.run -> m.Loop.stop"),
            ),
        ],
    );
}
