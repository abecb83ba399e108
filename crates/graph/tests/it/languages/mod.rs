//! The code graph through its public boundary: small projects in, edges out.

mod assigned_lambdas;
mod classes_of_misses;
mod contextual_words;
mod generics;
mod held_functions;
mod javascript;
mod jsdoc;
mod rust_values;
mod supertypes;
mod unnamed_methods;
mod uses_of_types;

use pretty_assertions::assert_eq;
use retriever_graph::{
    EdgeKind, Graph, LookupTarget, NameLookup, NodeKind, NodeQuery,
    indexing::{Language, SourceFile, extract, resolve},
};

use crate::support::{check, edges, graph_of};

#[test]
fn every_table_fits_its_grammar() {
    for language in Language::ALL {
        assert_eq!(language.table_faults(), &[] as &[String], "{}", language.name());
    }
}

#[test]
fn a_definition_ends_with_its_own_last_line() {
    // `first` starts in the first line; behind its last one stand an empty line, a comment and `second`.
    let cases = [
        ("a.rs", "fn first() {\n    go()\n}", "// about\nfn second() {}\n"),
        ("a.go", "func first() {\n\tgo_()\n}", "// about\nfunc second() {}\n"),
        ("a.py", "def first():\n    if x:\n        go()", "# about\ndef second():\n    pass\n"),
        ("a.ts", "function first() {\n  go();\n}", "// about\nfunction second() {}\n"),
        ("a.js", "const first = () => {\n  go();\n};", "// about\nfunction second() {}\n"),
        ("a.java", "class first {\n  int x;\n}", "// about\nclass second {}\n"),
        ("a.kt", "fun first() =\n  when (x) {\n    1 -> 2\n  }", "// about\nfun second() {}\n"),
        ("a.swift", "func first() {\n  go()\n}", "// about\nfunc second() {}\n"),
        (
            "a.c",
            "int first(void) {\n  return 1;\n}",
            "/* about */\nint second(void) { return 2; }\n",
        ),
        ("a.cpp", "int first() {\n  return 1;\n}", "// about\nint second() { return 2; }\n"),
        ("a.cs", "class first {\n  int x;\n}", "// about\nclass second {}\n"),
        ("a.lua", "local function first()\n  go()\nend", "-- about\nlocal function second() end\n"),
        ("a.rb", "def first\n  go\nend", "# about\ndef second\nend\n"),
        ("a.php", "<?php\nfunction first() {\n  go();\n}", "// about\nfunction second() {}\n"),
        (
            "a.scala",
            "def first =\n  x match {\n    case 1 => 2\n  }",
            "/** about\n  */\ndef second = 1\n",
        ),
        (
            "b.scala",
            "def first =\n  if x then\n    go()\n  else\n    stay()",
            "// about\ndef second = 1\n",
        ),
        ("c.scala", "class first:\n  def go = 1", "// about\nclass second\n"),
    ];
    for (path, first, rest) in cases {
        let graph = graph_of(&format!("//- /{path}\n{first}\n\n{rest}"));
        let end = graph.nodes().find(|node| node.name == "first").map(|node| node.end);
        assert_eq!(end, Some(u32::try_from(first.lines().count()).unwrap()), "{path}");
    }
}

#[test]
fn rust_crates_may_start_in_the_folder_of_their_package() {
    check(
        r#"
//- /tool/Cargo.toml
[package]
name = "tool"
[[bin]]
name = "tool"
path = "main.rs"
//- /tool/build.rs
fn main() { util(); }
fn util() {}
//- /tool/main.rs
mod cmd;
mod util;
fn main() { cmd::debug::run(); }
//- /tool/util.rs
pub struct Table;
impl Table { pub fn add(&self) {} pub fn char(&self) -> char { 'x' } }
pub fn timed() {}
//- /tool/cmd/mod.rs
pub mod debug;
//- /tool/cmd/debug.rs
use crate::util::{self, Table};
pub fn run(table: Table) { util::timed(); table.add(); assert_eq!(table.char(), 'x'); }
"#,
        &[
            "tool::cmd::debug::run -> tool::util::Table::add",
            "tool::cmd::debug::run -> tool::util::Table::char",
            "tool::cmd::debug::run -> tool::util::timed",
            "tool::main -> tool::cmd::debug::run",
            "tool::main -> tool::util",
        ],
    );
}

#[test]
fn cpp_namespaces_that_macros_open_are_named() {
    check(
        r#"
//- /lib/core.h
#define LIB_BEGIN namespace lib { \
  inline namespace v1 {
#define LIB_END } }
LIB_BEGIN
namespace detail { inline void work() {} }
template <typename T> struct view { int size() const { return 0; } };
inline void print() { detail::work(); }
LIB_END
//- /app/main.cpp
#include "../lib/core.h"
using text = lib::view<char>;
int run(text given) {
  lib::print();
  lib::detail::work();
  return given.size();
}
//- /app/other.cpp
void print();
void alone() { lib::print(); }
"#,
        &["print -> detail::work", "run -> detail::work", "run -> print", "run -> view::size"],
    );
}

#[test]
fn python_follows_packages_inheritance_and_inferred_types() {
    check(
        r#"
//- /src/pkg/__init__.py
from .models import *
from .models import Base as Root
//- /src/pkg/models.py
from __future__ import annotations
from typing import Optional
class Base:
    def run(self): return self.step()
    def step(self): ...
class Mixin:
    def step(self): return helper()
class Child(Mixin, Base):
    child: Optional[Child]
    def __init__(self, other: "Base"):
        self.other = other
        self.made = Base()
    def go(self):
        super().run()
        self.other.run()
        self.made.step()
        self.step()
        if self.child: self.child.go()
    @classmethod
    def make(cls): return cls(Base())
    @property
    def peer(self) -> Base: return self.other
def helper(): print("x"); open("f").read()
//- /app.py
import pkg
from pkg import Root, Child
import pkg.models as m
def main(items: list[Child]):
    Root().run()
    child = Child(Root())
    child.go(); child.peer.run()
    for item in items: item.go()
    [i.step() for i in items]
    m.helper(); pkg.Child.make().go()
    run()
    def helper(): pass
    helper()
    if isinstance(x, Child): x.go()
"#,
        &[
            "app.main -> app.main.helper",
            "app.main -> pkg.models.Base",
            "app.main -> pkg.models.Base.run ~",
            "app.main -> pkg.models.Child",
            "app.main -> pkg.models.Child.go ~",
            "app.main -> pkg.models.Child.make",
            "app.main -> pkg.models.Mixin.step ~",
            "app.main -> pkg.models.helper",
            "pkg.models.Base.run -> pkg.models.Base.step",
            "pkg.models.Child.__init__ -> pkg.models.Base",
            "pkg.models.Child.go -> pkg.models.Base.run",
            "pkg.models.Child.go -> pkg.models.Base.run ~",
            "pkg.models.Child.go -> pkg.models.Base.step ~",
            "pkg.models.Child.go -> pkg.models.Child.go",
            "pkg.models.Child.go -> pkg.models.Mixin.step",
            "pkg.models.Child.make -> pkg.models.Base",
            "pkg.models.Child.make -> pkg.models.Child ~",
            "pkg.models.Mixin.step -> pkg.models.helper",
        ],
    );
}

#[test]
fn rust_follows_modules_traits_patterns_and_macro_arguments() {
    check(
        r#"
//- /Cargo.toml
[workspace]
members = ["core"]
//- /core/Cargo.toml
[package]
name = "my-core"
//- /core/src/lib.rs
pub mod shape;
mod util;
pub use shape::Circle as Round;
cfg_feature! { pub mod extra { pub fn bonus() { super::util::log(); } } }
//- /core/src/util.rs
pub(crate) fn log() {}
pub fn drop() {}
//- /core/src/shape.rs
use crate::util::{self, log};
pub trait Area { fn area(&self) -> f64; fn twice(&self) -> f64 { self.area() * 2.0 } }
#[derive(Clone)]
pub struct Circle { inner: Arc<Inner>, kind: Kind }
pub struct Inner { radius: f64 }
pub enum Kind { Big(Inner), Small { of: Inner } }
impl Inner { fn radius(&self) -> f64 { self.radius } }
impl Area for Circle { fn area(&self) -> f64 { self.inner.radius() } }
impl Circle {
    pub fn new() -> Option<Self> { log(); Some(Self { inner: Arc::new(Inner { radius: 1.0 }), kind: make()? }) }
    pub fn check<T: Area>(&self, other: &T) {
        assert!(self.ok(), "{}", other.area());
        match &self.kind { Kind::Big(inner) => inner.radius(), Kind::Small { of, .. } => of.radius() };
        if let Some(made) = Self::new() { made.twice(); }
        drop(other); util::drop(); Vec::<u8>::new(); Ok::<(), ()>(());
    }
    fn ok(&self) -> bool { true }
}
fn make() -> Option<Kind> { None }
#[cfg(test)]
mod tests { use super::*; #[test] fn works() { Circle::new().unwrap().check(&make()); } }
//- /core/src/main.rs
use my_core::Round;
fn main() { let c = Round::new().expect("c"); c.area(); let c = c.clone(); my_core::extra::bonus(); }
"#,
        &[
            "my_core::extra::bonus -> my_core::util::log",
            "my_core::main -> my_core::extra::bonus",
            "my_core::main -> my_core::shape::Circle::area ~",
            "my_core::main -> my_core::shape::Circle::new",
            "my_core::shape::Area::twice -> my_core::shape::Area::area",
            "my_core::shape::Circle::area -> my_core::shape::Inner::radius",
            "my_core::shape::Circle::check -> my_core::shape::Area::area",
            "my_core::shape::Circle::check -> my_core::shape::Area::twice ~",
            "my_core::shape::Circle::check -> my_core::shape::Circle::new",
            "my_core::shape::Circle::check -> my_core::shape::Circle::ok",
            "my_core::shape::Circle::check -> my_core::shape::Inner::radius ~",
            "my_core::shape::Circle::check -> my_core::util::drop",
            "my_core::shape::Circle::new -> my_core::shape::make",
            "my_core::shape::Circle::new -> my_core::util::log",
            "my_core::shape::tests::works -> my_core::shape::Circle::check ~",
            "my_core::shape::tests::works -> my_core::shape::Circle::new",
            "my_core::shape::tests::works -> my_core::shape::make",
        ],
    );
}

#[test]
fn go_follows_packages_embedding_and_results() {
    let project = r#"
//- /go.mod
module example.com/app
//- /store/store.go
package store
type Store interface { Get(key string) (*Item, error) }
type Item struct { Name string }
func (i *Item) Save() error { return nil }
type base struct{}
func (b *base) log() {}
type Memory struct { base; items map[string]*Item; list []*Item; hook func() *Item }
func New() *Memory { return &Memory{items: make(map[string]*Item)} }
func (m *Memory) Get(key string) (*Item, error) {
	m.log()
	if item, ok := m.items[key]; ok { item.Save() }
	for _, item := range m.list { item.Save() }
	m.hook().Save()
	return m.items[key], nil
}
//- /main.go
package main
import ( "fmt"; st "example.com/app/store" )
type handler func(s st.Store)
func (h handler) serve(s st.Store) { h(s) }
func use(s st.Store) {
	item, err := s.Get("x")
	if err != nil { fmt.Println(err) }
	item.Save()
	switch v := interface{}(s).(type) { case *st.Memory: v.Get("y") }
}
func main() { m := st.New(); use(m); handler(use).serve(m); len("x"); println() }
"#;
    check(
        project,
        &[
            "example.com/app.main -> example.com/app.handler.serve ~",
            "example.com/app.main -> example.com/app.use",
            "example.com/app.main -> example.com/app/store.New",
            "example.com/app.use -> example.com/app/store.Item.Save ~",
            "example.com/app.use -> example.com/app/store.Memory.Get",
            "example.com/app.use -> example.com/app/store.Store.Get",
            "example.com/app/store.Memory.Get -> example.com/app/store.Item.Save ~",
            "example.com/app/store.Memory.Get -> example.com/app/store.base.log",
        ],
    );
    assert_eq!(
        edges(&graph_of(project), EdgeKind::Implements),
        [
            "example.com/app/store.Memory -> example.com/app/store.Store",
            "example.com/app/store.Memory.Get -> example.com/app/store.Store.Get",
        ]
    );
}

#[test]
fn c_binds_prototypes_to_definitions_and_keeps_statics_apart() {
    check(
        r#"
//- /include/queue.h
#ifndef QUEUE_H
#define QUEUE_H
typedef struct queue queue_t;
int queue_push(queue_t *q, int value) ATTR_PRINTF(1, 2);
void queue_free(queue_t *q);
#endif
//- /src/queue.c
#include "queue.h"
#include <stdlib.h>
struct queue { int n; int (*hook)(int); };
static void reset(queue_t *q) { q->n = 0; q->hook(1); }
#ifdef _WIN32
int queue_push(queue_t *q, int value) {
#else
int queue_push(queue_t *q, int value) {
#endif
  reset(q); return value;
}
void queue_free(queue_t *q) { reset(q); free(q); }
//- /src/main.c
#include "queue.h"
static void reset(void) {}
int main(void) { queue_t *q = 0; reset(); queue_push(q, 1); queue_free(q); unknown(); return 0; }
"#,
        &[
            "main -> queue_free",
            "main -> queue_push",
            "main -> reset",
            "queue_free -> reset",
            "queue_push -> reset",
        ],
    );
}

#[test]
fn cpp_follows_classes_namespaces_and_members_defined_outside() {
    check(
        r#"
//- /shape.hpp
#pragma once
namespace geo {
class Shape { public: virtual double area() const; double twice() const { return area() * 2; } protected: int id_; };
class Circle : public Shape { public: Circle(double r); double area() const override; private: double half(); Shape* next_; };
template <typename T> T largest(T a, T b) { return a; }
Circle make(double r);
}
//- /shape.cpp
#include "shape.hpp"
namespace geo {
static int helper() { return 1; }
double Shape::area() const { return helper(); }
Circle::Circle(double r) { half(); }
double Circle::half() { return next_->twice(); }
double Circle::area() const { return Shape::area(); }
Circle make(double r) { return Circle(r); }
}
//- /main.cpp
#include "shape.hpp"
using namespace geo;
int main() { auto c = geo::make(1); c.area(); make(2).twice(); Circle* p = new Circle(3); p->area(); largest<int>(1, 2); }
"#,
        &[
            "geo::Circle::Circle -> geo::Circle::half",
            "geo::Circle::area -> geo::Shape::area",
            "geo::Circle::half -> geo::Shape::twice",
            "geo::Shape::area -> geo::helper",
            "geo::Shape::twice -> geo::Shape::area",
            "geo::make -> geo::Circle::Circle",
            "main -> geo::Circle::Circle",
            "main -> geo::Circle::area",
            "main -> geo::Circle::area ~",
            "main -> geo::Shape::twice ~",
            "main -> geo::largest",
            "main -> geo::make",
        ],
    );
}

#[test]
fn java_follows_packages_overrides_and_lambdas() {
    check(
        r#"
//- /src/com/acme/Shape.java
package com.acme;
public abstract class Shape implements Comparable<Shape> {
  protected Helper helper = new Helper();
  public abstract double area();
  public double twice() { return helper.twice(area()); }
}
//- /src/com/acme/Helper.java
package com.acme;
class Helper { double twice(double x) { return x * 2; } double twice(double x, int n) { return x; } static Helper of() { return new Helper(); } }
//- /src/com/acme/app/Main.java
package com.acme.app;
import com.acme.*;
import java.util.List;
import static com.acme.app.Util.check;
class Main {
  interface Task { void run(Shape s); }
  void main(List<Shape> shapes, Other other) {
    for (Shape s : shapes) s.twice();
    shapes.forEach(s -> s.area());
    Task task = new Task() { public void run(Shape s) { check(s.area()); } };
    task.run(null); other.run(); System.out.println("x");
    if (other.get() instanceof Shape sh) sh.twice();
  }
}
//- /src/com/acme/app/Util.java
package com.acme.app;
class Util { static void check(double x) {} }
"#,
        &[
            "com.acme.Helper.of -> com.acme.Helper",
            "com.acme.Shape -> com.acme.Helper",
            "com.acme.Shape.twice -> com.acme.Helper.twice",
            "com.acme.Shape.twice -> com.acme.Shape.area",
            "com.acme.app.Main.main -> com.acme.Shape.area ~",
            "com.acme.app.Main.main -> com.acme.Shape.twice",
            "com.acme.app.Main.main -> com.acme.app.Main.Task",
            "com.acme.app.Main.main -> com.acme.app.Main.Task.run",
            "com.acme.app.Main.main.<Task>.run -> com.acme.Shape.area",
            "com.acme.app.Main.main.<Task>.run -> com.acme.app.Util.check",
        ],
    );
}

#[test]
fn kotlin_follows_properties_extensions_and_imports() {
    check(
        r#"
//- /old/Server.kt
package old.server
class Server { fun start() {} }
//- /new/Server.kt
package fresh.server
class Server {
  fun start(): Server = this
  companion object {
    fun create() = Server()
  }
}
fun interface Listener {
  fun onEvent(server: Server)
}
//- /app/Ext.kt
package app
import java.io.Closeable
import fresh.server.Server
fun Closeable.closeQuietly() {}
fun Server.restart() { start() }
fun check(x: Int) {}
//- /app/Main.kt
package app
import fresh.server.Listener
import fresh.server.Server
class Main(private val server: Server, val stream: java.io.InputStream) : Listener {
  private val other by lazy { Server.create() }
  override fun onEvent(server: Server) { server.restart(); this.server.start().start() }
  fun run(list: List<Server>) {
    other.start(); list.forEach { it.start() }
    list.map { s -> s.restart() }
    val listener = object : Listener { override fun onEvent(server: Server) { server.start() } }
    listener.onEvent(other); server?.let { it.start() }
    stream.closeQuietly(); stream.apply { }; println("x")
    when (val x = stream as Any) { is Server -> x.start(); else -> Unit }
  }
}
"#,
        &[
            "app.Main -> fresh.server.Server.create",
            "app.Main.onEvent -> app.Server.restart",
            "app.Main.onEvent -> fresh.server.Server.start",
            "app.Main.onEvent -> fresh.server.Server.start ~",
            "app.Main.run -> app.Closeable.closeQuietly ~",
            "app.Main.run -> app.Server.restart ~",
            "app.Main.run -> app.Main.run.<Listener>.onEvent ~",
            "app.Main.run -> fresh.server.Server.start",
            "app.Main.run -> fresh.server.Server.start ~",
            "app.Main.run.<Listener>.onEvent -> fresh.server.Server.start",
            "app.Server.restart -> fresh.server.Server.start",
            "fresh.server.Server.create -> fresh.server.Server",
        ],
    );
}

#[test]
fn kotlin_lambdas_stand_for_interfaces_of_one_method() {
    check(
        r#"
//- /net/Net.kt
package net
fun interface Filter {
  fun filter(chain: Chain): Reply
  interface Chain {
    fun proceed(): Reply
    fun next(): Chain
  }
}
class Reply { fun close() {} }
class Builder {
  fun add(filter: Filter): Builder = this
  inline fun add(crossinline block: (chain: Filter.Chain) -> Reply): Builder = this
}
class Use {
  fun run(builder: Builder) {
    val in1 = builder.add(Filter { chain -> chain.proceed() })
    in1.add { it.proceed() }
    val made = Filter { chain ->
      chain.next().proceed()
    }
    builder.add(made)
    in1.add { chain -> chain.next(); chain.proceed() }
  }
}
"#,
        &[
            "net.Use.run -> net.Builder.add",
            "net.Use.run -> net.Builder.add ~",
            "net.Use.run -> net.Filter",
            "net.Use.run -> net.Filter.Chain.next ~",
            "net.Use.run -> net.Filter.Chain.proceed ~",
        ],
    );
}

#[test]
fn callers_of_an_implementation_include_calls_through_its_interface() {
    let graph: &Graph = &graph_of(
        "//- /a.ts\ninterface Port { send(): void }\nclass Wire implements Port { send() {} }\n\
         function direct(w: Wire) { w.send(); }\nfunction through(p: Port) { p.send(); p.send(); }\n",
    );
    let NameLookup::One(send) =
        graph.lookup(LookupTarget { name: "Wire.send", ..LookupTarget::default() })
    else {
        panic!("one method by that name")
    };
    let page = graph.related(NodeQuery::Callers, &[send], 1, 0, 10);
    let seen: Vec<_> = page
        .items
        .iter()
        .map(|item| {
            (graph.node(item.node).unwrap().name.as_str(), item.through.is_some(), item.lines.len())
        })
        .collect();
    assert_eq!((page.total, seen), (2, vec![("direct", false, 1), ("through", true, 1)]));
}

#[test]
fn a_name_is_found_ambiguous_or_answered_with_the_nearest() {
    let graph: &Graph =
        &graph_of("//- /a.py\nclass A:\n  def run(self): pass\nclass B:\n  def run(self): pass\n");
    let look = |name| graph.lookup(LookupTarget { name, ..LookupTarget::default() });
    assert!(matches!(look("A.run"), NameLookup::One(_)));
    assert!(matches!(look("run"), NameLookup::Several { total: 2, .. }));
    assert_eq!(look("rum"), NameLookup::Nothing { nearest: vec!["run".to_owned()] });
    let class = LookupTarget { name: "a", kind: Some(NodeKind::Class), file: None };
    assert!(matches!(graph.lookup(class), NameLookup::One(_)));
}

#[test]
fn a_trace_crosses_an_interface_and_says_so() {
    let graph: &Graph = &graph_of(
        "//- /a.ts\ninterface Port { send(): void }\nclass Wire implements Port { send() { flush(); } }\n\
         function flush() {}\nexport function main(p: Port) { p.send(); }\n",
    );
    let one = |name| match graph.lookup(LookupTarget { name, ..LookupTarget::default() }) {
        NameLookup::One(id) => id,
        other => panic!("{other:?}"),
    };
    let trace = graph.trace_any(&[one("main")], &[one("flush")]);
    let kinds: Vec<_> = trace.hops.iter().map(|hop| hop.kind).collect();
    assert_eq!(
        kinds,
        [None, Some(EdgeKind::Calls), Some(EdgeKind::Implements), Some(EdgeKind::Calls)]
    );
    assert!(graph.trace_any(&[one("flush")], &[one("main")]).hops.is_empty());
}

#[test]
fn facts_read_back_are_the_facts_written() {
    let source = "class A { m(x = 1) { return this.m(); } }\nexport const f = (a: A) => a.m();\n";
    let facts = extract(Language::TypeScript, source);
    let bytes = facts.to_bytes().unwrap();
    let again = retriever_graph::indexing::FileFacts::from_bytes(&bytes).unwrap();
    assert_eq!(again.to_bytes().unwrap(), bytes);
    assert!(retriever_graph::indexing::FileFacts::from_bytes(&bytes[..bytes.len() / 2]).is_err());
}

#[test]
fn the_order_of_files_changes_nothing() {
    let texts = [
        ("b.py", "from a import f\nf()\n"),
        ("a.py", "def f(): g()\ndef g(): f()\n"),
        ("c.py", "import b\nb.f()\n"),
    ];
    let build = |order: &[usize]| {
        let files: Vec<_> = order
            .iter()
            .map(|at| SourceFile {
                path: texts[*at].0.to_owned(),
                facts: extract(Language::Python, texts[*at].1),
            })
            .collect();
        let mut out = Vec::new();
        resolve(files, &[]).unwrap().export(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(build(&[0, 1, 2]), build(&[2, 1, 0]));
}

#[test]
fn a_call_through_a_function_table_may_run_what_was_put_there() {
    check(
        "
//- /ops.h
struct ops { int (*open)(int); int (*close)(int); const char *name; };
//- /disk.c
#include \"ops.h\"
static int disk_open(int a) { return a; }
static int disk_close(int a) { return a; }
const struct ops disk = { .open = disk_open, .close = disk_close };
//- /net.c
#include \"ops.h\"
static int net_open(int a) { return a; }
static const struct ops table[] = { { net_open, 0, \"net\" } };
//- /main.c
#include \"ops.h\"
static int later(int a) { return a; }
static int never(int a) { return a; }
void patch(struct ops *ops) { ops->close = later; }
int use(struct ops *ops) { ops->close(2); return ops->open(1); }
",
        &["use -> disk_close ?", "use -> disk_open ?", "use -> later ?", "use -> net_open ?"],
    );
}

#[test]
fn fields_that_hold_functions_are_followed_in_other_languages() {
    check(
        "
//- /go.mod
module example.com/m
//- /main.go
package main
type command struct { run func(int); name string }
func list(n int) {}
func drop(n int) {}
var commands = []command{{run: list, name: \"list\"}}
func patch(c *command) { c.run = drop }
func main() { for _, c := range commands { c.run(1) } }
//- /src/lib.rs
struct Table { poll: fn(u8) -> u8, label: u8 }
fn poll_it(at: u8) -> u8 { at }
fn make() -> Table { Table { poll: poll_it, label: 0 } }
fn drive(table: &Table) -> u8 { (table.poll)(1) }
//- /web/main.ts
function onAdd(id: number) {}
function onOdd(id: number) {}
function leave(id: number) {}
const handlers = { add: onAdd, drop(id: number) { leave(id); }, \"odd-key\": onOdd };
export function dispatch(kind: keyof typeof handlers) { handlers[kind](1); }
",
        &[
            "example.com/m.main -> example.com/m.drop ?",
            "example.com/m.main -> example.com/m.list ?",
            "lib::drive -> lib::poll_it ?",
            "web/main.dispatch -> web/main.handlers.drop ?",
            "web/main.dispatch -> web/main.onAdd ?",
            "web/main.dispatch -> web/main.onOdd ?",
            "web/main.handlers.drop -> web/main.leave",
        ],
    );
}

#[test]
fn a_field_that_may_hold_anything_says_nothing() {
    use std::fmt::Write;

    let mut project = "//- /a.c\nstruct row { int (*run)(int); };\n".to_owned();
    for at in 0..40 {
        writeln!(project, "static int f{at}(int a) {{ return a; }}").unwrap();
    }
    project.push_str("static const struct row rows[] = {\n");
    for at in 0..40 {
        writeln!(project, "  {{ f{at} }},").unwrap();
    }
    project.push_str("};\nint use(struct row *row) { return row->run(1); }\n");
    check(&project, &[]);
}
