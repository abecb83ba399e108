//! What runs without being named where it is run: kept callbacks, events by their names, drawing that is asked for, and
//! the traces that cross them.

use pretty_assertions::assert_eq;
use retriever_graph::{
    EdgeKind, Graph, LookupTarget, NameLookup, NodeId, NodeQuery, indexing::Language,
};

use crate::support::{edges, graph_of};

fn one(graph: &Graph, name: &str) -> NodeId {
    let view = graph;
    let found = view.lookup(LookupTarget { name, ..LookupTarget::default() });
    let NameLookup::One(id) = found else { unreachable!("{name}: {found:?}") };
    id
}

/// Compares all `triggers` edges; all of them are dynamic, so that the mark is left out.
#[track_caller]
fn check(project: &str, expected: &[&str]) {
    let found = edges(&graph_of(project), EdgeKind::Triggers);
    let found: Vec<&str> = found.iter().filter_map(|edge| edge.strip_suffix(" ?")).collect();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

const OBSERVED: &str = r#"
//- /src/board.ts
type Listener = () => void;
export class Board {
  private listeners: Set<Listener> = new Set();
  onChange(listener: Listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  change() {
    this.announce();
  }
  announce() {
    for (const listener of Array.from(this.listeners)) {
      listener();
    }
  }
}
//- /src/view.tsx
import { Component } from "outside";
import { Board } from "./board";
import { Canvas } from "./canvas";
export class View extends Component {
  board = new Board();
  mounted() {
    this.board.onChange(this.redraw);
  }
  redraw = () => {
    this.setState({});
  };
  render() {
    return <Canvas />;
  }
}
//- /src/canvas.tsx
export const Canvas = () => {
  paint();
  return null;
};
export function paint() {}
"#;

#[test]
fn a_kept_callback_runs_where_its_field_is_called() {
    check(
        OBSERVED,
        &[
            "src/board.Board.announce -> src/board.Board.listeners",
            "src/board.Board.listeners -> src/view.View.redraw",
            "src/view.View.redraw -> src/view.View.render",
        ],
    );
}

#[test]
fn a_trace_crosses_a_kept_callback_and_a_request_to_draw() {
    let graph = graph_of(OBSERVED);
    let view: &Graph = &graph;
    let trace = view.trace_any(&[one(&graph, "Board.change")], &[one(&graph, "paint")]);
    let hops: Vec<(&str, u32, Option<EdgeKind>)> = trace
        .hops
        .iter()
        .map(|hop| (graph.node(hop.node).unwrap().name.as_str(), hop.line, hop.kind))
        .collect();
    let (calls, triggers) = (Some(EdgeKind::Calls), Some(EdgeKind::Triggers));
    assert_eq!(
        hops,
        [
            ("change", 0, None),
            ("announce", 9, calls),
            ("listeners", 13, triggers),
            // Where it is registered.
            ("redraw", 7, triggers),
            ("render", 10, triggers),
            ("Canvas", 13, calls),
            ("paint", 2, calls),
        ]
    );
}

#[test]
fn callers_and_callees_go_through_what_keeps_a_callback() {
    let graph = graph_of(OBSERVED);
    let view: &Graph = &graph;
    let kept = Some(one(&graph, "Board.listeners"));
    let redraw = one(&graph, "View.redraw");
    let announce = one(&graph, "Board.announce");
    let callers = view.related(NodeQuery::Callers, &[redraw], 1, 0, 10);
    // Who registers it hands it on as a value.
    let (registered, called): (Vec<_>, Vec<_>) =
        callers.items.iter().partition(|item| item.kind == EdgeKind::References);
    assert_eq!(registered.len(), 1);
    let called: Vec<_> = called.iter().map(|item| (item.node, item.through)).collect();
    assert_eq!(called, [(announce, kept)]);
    let callees = view.related(NodeQuery::Callees, &[announce], 1, 0, 10);
    let callees: Vec<_> = callees.items.iter().map(|item| (item.node, item.through)).collect();
    assert_eq!(callees, [(redraw, kept)]);
}

#[test]
fn callbacks_are_followed_through_the_functions_that_keep_them() {
    // Handed on, wrapped, put under a key, declared by a constructor.
    check(
        r#"
//- /a.ts
class Bus {
  handlers: any = {};
  on(name: string, handler: () => void) { this.keep(name, handler); }
  private keep(name: string, handler: () => void) { this.handlers[name].push(handler); }
  send(name: string) { this.handlers[name].forEach((handler: any) => handler()); }
}
class Job {
  constructor(private done: () => void) {}
  finish() { this.done(); }
}
function saved() {}
function start(bus: Bus, name: string) {
  bus.on(name, debounce(saved));
  new Job(() => saved());
}
"#,
        &[
            "a.Bus.send -> a.Bus.handlers",
            "a.Bus.handlers -> a.saved",
            "a.Job.finish -> a.Job.done",
            "a.Job.done -> a.start",
        ],
    );
}

#[test]
fn callbacks_are_kept_in_the_other_languages_too() {
    check(
        r#"
//- /bus.py
class Bus:
    def __init__(self):
        self.handlers = []

    def register(self, handler):
        self.handlers.append(handler)

    def fire(self):
        for handler in self.handlers:
            handler()
//- /main.py
from bus import Bus

def log():
    pass

def main(bus: Bus):
    bus.register(log)
"#,
        &["bus.Bus.fire -> bus.Bus.handlers", "bus.Bus.handlers -> main.log"],
    );
    check(
        r#"
//- /go.mod
module example.com/shop
//- /a.go
package shop

type Pool struct {
	closers []func()
	hook    func()
}

func (p *Pool) OnClose(f func()) { p.closers = append(p.closers, f) }

func (p *Pool) Close() {
	for _, closer := range p.closers {
		closer()
	}
	p.hook()
}

func flush() {}

func main(p *Pool) {
	p.OnClose(flush)
	p.hook = func() { flush() }
}
"#,
        &[
            "example.com/shop.Pool.Close -> example.com/shop.Pool.closers",
            "example.com/shop.Pool.closers -> example.com/shop.flush",
            "example.com/shop.Pool.Close -> example.com/shop.Pool.hook",
            "example.com/shop.Pool.hook -> example.com/shop.main",
        ],
    );
    check(
        r#"
//- /A.kt
package shop

class Door(private val locked: () -> Unit) {
    private val listeners = mutableListOf<() -> Unit>()
    fun onOpen(listener: () -> Unit) { listeners.add(listener) }
    fun open() { listeners.forEach { it() } }
    fun lock() { locked() }
}

fun ring() {}

fun main(door: Door) {
    door.onOpen(::ring)
    door.onOpen { ring() }
}
"#,
        &[
            "shop.Door.open -> shop.Door.listeners",
            "shop.Door.lock -> shop.Door.locked",
            "shop.Door.listeners -> shop.ring",
            "shop.Door.listeners -> shop.main",
        ],
    );
    check(
        r#"
//- /A.cs
namespace Shop;
class Door {
    public event System.Action Opened;
    public void Open() { Opened?.Invoke(); }
}
class House {
    Door door = new Door();
    void Ring() {}
    public House() { door.Opened += Ring; }
}
"#,
        &["Shop.Door.Open -> Shop.Door.Opened", "Shop.Door.Opened -> Shop.House.Ring"],
    );
}

#[test]
fn an_event_meets_its_handlers_by_the_same_string() {
    check(
        r#"
//- /a.js
export function start(bus) {
  bus.on("saved", onSaved);
  bus.on("gone", () => onSaved());
  window.addEventListener("custom", onSaved);
}
function onSaved() {}
//- /b.js
export function save(bus) {
  bus.emit("saved", 1);
  bus.emit("never");
  bus.emit(`${bus}`);
}
export function shout() {
  window.dispatchEvent(new Event("custom"));
}
"#,
        &["b.save -> a.onSaved", "b.shout -> a.onSaved"],
    );
}

#[test]
fn an_event_of_an_unrelated_type_meets_nothing() {
    check(
        r#"
//- /a.ts
class Door { on(name: string, f: () => void) {} emit(name: string) {} }
class Shop { on(name: string, f: () => void) {} emit(name: string) {} }
function ring() {}
function listen(door: Door) { door.on("open", ring); }
function shop(shop: Shop) { shop.emit("open"); }
function door(door: Door) { door.emit("open"); }
"#,
        &["a.door -> a.ring"],
    );
}

#[test]
fn a_request_to_draw_is_one_only_where_the_repository_has_no_such_method() {
    check(
        r#"
//- /a.js
class Base { setState() {} }
class Own extends Base { go() { this.setState(); } render() {} }
class Other extends Outside { go() { this.setState(); helper.setState(); } render() {} }
"#,
        &["a.Other.go -> a.Other.render"],
    );
}

#[test]
fn what_no_method_leads_to_may_be_set_going_by_what_makes_the_object() {
    let graph = graph_of(
        r#"
//- /Cargo.toml
[package]
name = "pool"
//- /src/lib.rs
pub struct Pool;
impl Pool {
    pub fn new() -> Pool { start(); Pool }
    pub fn wait(&self) {}
}
fn start() { std::thread::spawn(|| work()); }
fn work() {}
"#,
    );
    let view: &Graph = &graph;
    let (wait, work) = (one(&graph, "wait"), one(&graph, "work"));
    assert!(view.trace_any(&[wait], &[work]).hops.is_empty());
    let trace = view.trace_made(&[wait], &[work]);
    let hops: Vec<(&str, Option<EdgeKind>)> = trace
        .hops
        .iter()
        .map(|hop| (graph.node(hop.node).unwrap().name.as_str(), hop.kind))
        .collect();
    assert_eq!(
        hops,
        [
            ("wait", None),
            ("Pool", Some(EdgeKind::Parent)),
            ("new", Some(EdgeKind::Returns)),
            ("start", Some(EdgeKind::Calls)),
            ("work", Some(EdgeKind::Calls)),
        ]
    );
    assert!(view.trace_made(&[work], &[wait]).hops.is_empty());
}

#[test]
fn what_makes_an_object_in_tests_is_no_way_and_none_leads_through_its_start() {
    let graph = graph_of(
        r"
//- /pool.ts
export class Pool {
  wait() { later(this); }
}
function later(p: Pool) {}
export function made(): Pool { const p = new Pool(); p.wait(); return p; }
export class Job { run() {} }
//- /pool.spec.ts
import { Pool, Job } from './pool';
function prepared(): Pool { new Job().run(); return new Pool(); }
",
    );
    let (wait, later, run) = (one(&graph, "wait"), one(&graph, "later"), one(&graph, "run"));
    assert!(graph.trace_made(&[wait], &[run]).hops.is_empty());
    assert!(graph.trace_made(&[wait], &[later]).hops.is_empty());
}

const LITERALS: &str = r#"
//- /go.mod
module example.com/shop
//- /a.go
package shop

type Conn struct {
	onWrite func()
	onRead  func()
}

func (c *Conn) Write() { c.onWrite() }
func (c *Conn) Read()  { c.onRead() }

func flush() {}
func other() {}

func Dial() *Conn {
	other()
	return &Conn{
		onWrite: func() {},
		onRead: func() {
			flush()
		},
	}
}
"#;

#[test]
fn a_literal_that_is_kept_runs_its_own_lines_alone() {
    check(
        LITERALS,
        &[
            "example.com/shop.Conn.Write -> example.com/shop.Conn.onWrite",
            "example.com/shop.Conn.Read -> example.com/shop.Conn.onRead",
            "example.com/shop.Conn.onRead -> example.com/shop.Dial",
        ],
    );
    let graph = graph_of(LITERALS);
    let [read, write, dial] = ["Conn.Read", "Conn.Write", "Dial"].map(|name| one(&graph, name));
    let [flush, other] = ["flush", "other"].map(|name| one(&graph, name));
    let way = |from, to| {
        graph.trace_any(&[from], &[to]).hops.iter().map(|hop| hop.node).collect::<Vec<_>>()
    };
    assert_eq!(way(read, flush), [read, one(&graph, "Conn.onRead"), dial, flush]);
    assert_eq!(way(read, other), []);
    assert_eq!(way(write, flush), []);
    assert_eq!(way(dial, other), [dial, other]);
    let related = |operation, of, depth| {
        let page = graph.related(operation, &[of], depth, 0, 10);
        page.items.iter().map(|item| item.node).collect::<Vec<_>>()
    };
    // A call through the field runs a part of what is around the literal, which nobody calls.
    assert_eq!(related(NodeQuery::Callers, dial, 1), []);
    assert_eq!(related(NodeQuery::Callers, flush, 2), [dial, read]);
    assert_eq!(related(NodeQuery::Callers, other, 2), [dial]);
    assert_eq!(related(NodeQuery::Callees, read, 2), [dial, flush]);
}

#[test]
fn a_trace_prefers_sure_steps_and_stays_out_of_tests() {
    let graph = graph_of(
        r#"
//- /src/a.ts
export interface Store { save(): void }
export function start(store: Store) { keep(goal); next(); run(store); }
function keep(f: any) {}
function next() { goal(); }
export function goal() {}
export function run(store: Store) { store.save(); }
export function last() {}
export function begin() { const inner = table(); first(); }
export function table() { return { go: goal }; }
function first() { second(); }
function second() { third(); }
function third() { goal(); }
//- /test/stub.ts
import { Store, last } from "../src/a";
export class Stub implements Store { save() { last(); } }
"#,
    );
    let way = |from: &str, to: &str| {
        let trace = graph.trace_any(&[one(&graph, from)], &[one(&graph, to)]);
        let name = |id| graph.node(id).map(|node| node.name.clone()).unwrap_or_default();
        trace.hops.iter().map(|hop| name(hop.node)).collect::<Vec<_>>()
    };
    assert_eq!(way("start", "goal"), ["start", "next", "goal"]);
    assert_eq!(way("begin", "goal"), ["begin", "first", "second", "third", "goal"]);
    assert_eq!(way("table", "goal"), ["table", "goal"]);
    assert_eq!(way("run", "last"), [""; 0]);
    assert_eq!(way("run", "Stub.save"), ["run", "save", "save"]);
}

#[test]
fn a_trace_without_result_names_the_calls_that_it_stopped_at() {
    let graph = graph_of(
        r#"
//- /a.ts
export function start(x: any) { x.first(); helper(x); }
function helper(x: any) { x.goal(); }
export function goal() {}
"#,
    );
    let trace = graph.trace_any(&[one(&graph, "start")], &[one(&graph, "goal")]);
    assert_eq!((trace.hops.len(), trace.visited, trace.cut), (0, 2, false));
    let open: Vec<(&str, u32)> =
        trace.open.iter().map(|call| (call.name.as_str(), call.line)).collect();
    // What is called on `first` leads outside for all that is known.
    assert_eq!(open, [("goal", 2)]);
}

#[test]
fn methods_come_before_fields() {
    let graph = graph_of(
        "
//- /a.ts
class Shop { name = 1; open() {} keys = 2; close() {} }
",
    );
    let page = graph.related(NodeQuery::Methods, &[one(&graph, "Shop")], 1, 0, 10);
    let names = page.items.iter().filter_map(|item| graph.node(item.node));
    let names: Vec<&str> = names.map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["open", "close", "name", "keys"]);
}

#[test]
fn a_function_that_a_call_wraps_inside_another_hides_neither() {
    let graph = graph_of(
        "
//- /a.ts
export function helper(f: () => void) { f(); return 1; }
export function inner() {}
export function outer() {
  const x = helper(() => { inner(); });
  return x;
}
",
    );
    let related = |operation, of, depth| {
        let page = graph.related(operation, &[one(&graph, of)], depth, 0, 10);
        let names = page.items.iter().filter_map(|item| graph.node(item.node));
        names.map(|node| node.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(related(NodeQuery::Callees, "outer", 2), ["helper", "x", "inner"]);
    assert_eq!(related(NodeQuery::Callers, "helper", 1), ["outer"]);
    assert_eq!(related(NodeQuery::Callers, "inner", 2), ["x", "outer"]);
}

#[test]
fn tables_that_are_included_name_functions() {
    // A table under another extension, and files under the same ones that are no code.
    let project = "
//- /server.h
void pingCommand(int c);
void echoCommand(int c);
//- /server.c
#include \"server.h\"
void pingCommand(int c) {}
void echoCommand(int c) {}
//- /commands.c
#include \"server.h\"
#define MAKE_CMD(name, fn) name, fn
#include \"commands.def\"
#include \"more.inc\"
//- /commands.def
/* Made by a program. */
struct command table[] = {
    {MAKE_CMD(\"ping\", pingCommand), .args = 0},
};
//- /more.inc
// More.
struct command more[] = { {\"echo\", echoCommand} };
";
    let found = edges(&graph_of(project), EdgeKind::References);
    for wanted in ["commands.def -> pingCommand", "more.inc -> echoCommand"] {
        assert!(found.iter().any(|edge| edge.starts_with(wanted)), "{wanted}: {found:?}");
    }
    let cases = [
        ("a.def", "/* Table */\nX(a, b)\n", true),
        ("a.def", "X(a, b)\n", true),
        ("a.inc", "int x;\n#define Y 1\n", true),
        ("a.def", "LIBRARY shop\nEXPORTS\n  run @1\n", false),
        ("a.inc", "<?php\n// Text\nfunction run() {}\n", false),
        ("a.inc", "; macros\nsection .text\n", false),
        ("a.c", "LIBRARY\n", true),
    ];
    for (path, text, is_code) in cases {
        assert_eq!(Language::of_source(path, text).is_some(), is_code, "{path}: {text}");
    }
}

#[test]
fn a_field_that_is_read_without_a_call_runs_nothing() {
    check(
        "//- /Cookie.scala
package web
case class Cookie(name: String, run: Int => Int)
object Names { val policy = \"Policy\" }
class Use {
  def one(c: Cookie): String = c.name
  def two(c: Cookie): Int = if (c.name != \"x\") 1 else 2
  def three(c: Cookie) = Map(c.name -> (() => 3), Names.policy -> 2)
  def called(c: Cookie): Int = c.run(1)
}
",
        &["web.Use.called -> web.Cookie.run"],
    );
}

#[test]
fn a_trace_goes_on_in_the_body_of_what_a_header_declares() {
    let graph = graph_of(
        r#"
//- /store.h
namespace n {
class Store { public: virtual ~Store(); void Put(); virtual void Write(int n) = 0; };
class Disk : public Store { public: void Write(int n) override; void Write(char* text, int n); void Room(); };
}
//- /store.cc
#include "store.h"
namespace n {
void goal() {}
void other() {}
void Store::Put() { Write(1); }
void Disk::Write(int n) { Room(); }
void Disk::Write(char* text, int n) { other(); }
void Disk::Room() { goal(); }
}
"#,
    );
    let way = |from: &str, to: &str| {
        let [from, to] = [from, to].map(|name| graph.overloads(one(&graph, name)));
        let trace = graph.trace_any(&from, &to);
        let place = |id| graph.node(id).map(|node| (node.path.clone(), node.start));
        trace.hops.iter().filter_map(|hop| place(hop.node)).collect::<Vec<_>>()
    };
    let [header, source] = ["store.h", "store.cc"].map(|path| move |line| (path.to_owned(), line));
    let start = [source(5), header(2)];
    assert_eq!(way("Store.Put", "Disk.Write"), [&start[..], &[source(6)]].concat());
    assert_eq!(way("Store.Put", "goal"), [&start[..], &[source(6), source(8), source(3)]].concat());
    let callers = graph.related(NodeQuery::Callers, &[one(&graph, "goal")], 3, 0, 10);
    let callers: Vec<_> =
        callers.items.iter().map(|it| graph.node(it.node).unwrap().name.as_str()).collect();
    assert_eq!(callers, ["Room", "Write", "Put"]);
}

#[test]
fn a_function_that_is_given_for_an_interface_with_one_method_is_run_by_it() {
    let graph = graph_of(
        "
//- /Ctl.java
package a;
interface Op<T> { T gen() throws Exception; }
interface Two { int one(int n); int two(); }
class Repl { int create() { return 1; } int other() { return 2; } }
class Event<T> { final Op<T> op; Event(Op<T> op) { this.op = op; } void run() { op.gen(); } }
class Ctl {
  Repl repl = new Repl();
  <T> void append(Op<T> op) { new Event<T>(op).run(); }
  void both(Two two) {}
  void given() { append(() -> repl.create()); }
  void named() { append(repl::other); }
  void made() { new Event<>(() -> repl.create()); }
  void wrong() { append(n -> repl.create()); both(() -> repl.other()); }
}
",
    );
    let runs = edges(&graph, EdgeKind::Triggers);
    let runs: Vec<&str> = runs.iter().map(String::as_str).filter(|it| it.contains("gen")).collect();
    assert_eq!(
        runs,
        ["a.Op.gen -> a.Ctl.given ?", "a.Op.gen -> a.Ctl.made ?", "a.Op.gen -> a.Repl.other ?",]
    );
}
