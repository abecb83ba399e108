//! What generic types give back: type parameters that a method's receiver or a comment names.

use crate::support::{check_cases, check_some};

/// A store of generic types, and the types that are put into it.
const STORE: &str = "
//- /go.mod
module m
//- /store/store.go
package store
type Store[K comparable, T any] struct { data map[K]T }
func New[K comparable, T any](data map[K]T) *Store[K, T] { return &Store[K, T]{data: data} }
func (s *Store[K, T]) Get(k K) T { return s.data[k] }
func (s *Store[Key, _]) Keys() []Key { return nil }
func (s *Store[K, T]) Or(k K, make func(old T) T) T { return make(s.Get(k)) }
func (s Store[K, T]) First() (T, bool) { var zero T; return zero, false }
type One[T any] struct { v T }
func (o *One[V]) Value() V { return o.v }
type Named[T any] struct { *Store[string, T] }
type Runner interface { Run() }
type Bound[T Runner] struct { v T }
func (b *Bound[R]) Start() { b.v.Run() }
func (b *Bound[R]) Each(all []R) { for _, one := range all { one.Run() } }
//- /main.go
package main
import \"m/store\"
type Limiter struct { n int }
func (l *Limiter) Allow() bool { return true }
func (l Limiter) Reset() {}
type Other struct { n int }
func (o *Other) Allow() bool { return false }
type local[T any] struct { v T }
func (s *local[T]) get() T { return s.v }
type App struct { limits *store.Store[string, *Limiter] }
";

#[test]
fn methods_of_generic_types_give_back_what_the_type_holds() {
    // A body, and the function that it calls; `Other.Allow` is never meant.
    let cases = [
        ("f(s *store.Store[string, *Limiter])", "s.Get(\"\").Allow()", "Limiter.Allow"),
        ("f(s *store.Store[string, Limiter])", "x := s.Get(\"\"); x.Allow()", "Limiter.Allow"),
        ("f(s store.Store[string, *Limiter])", "x, _ := s.First(); x.Allow()", "Limiter.Allow"),
        ("f(s *store.One[Limiter])", "s.Value().Reset()", "Limiter.Reset"),
        ("f(s *store.Named[*Limiter])", "s.Get(\"\").Allow()", "Limiter.Allow"),
        (
            "f(s *store.Store[Limiter, int])",
            "for _, k := range s.Keys() { k.Reset() }",
            "Limiter.Reset",
        ),
        ("f(s *local[*Limiter])", "s.get().Allow()", "Limiter.Allow"),
        ("f(s *local[*local[*Limiter]])", "s.get().get().Allow()", "Limiter.Allow"),
        ("f(a *App)", "a.limits.Get(\"\").Allow()", "Limiter.Allow"),
        ("f()", "store.New[string, *Limiter](nil).Get(\"\").Allow()", "Limiter.Allow"),
        ("f()", "store.New(map[string]*Limiter{}).Get(\"\").Allow()", "Limiter.Allow"),
        (
            "f(s *store.Store[string, *Limiter])",
            "s.Or(\"\", func(old *Limiter) *Limiter { return old }).Allow()",
            "Limiter.Allow",
        ),
    ];
    let cases = cases.map(|(head, body, called)| {
        (format!("func {head} {{ {body} }}"), format!("m.f -> m.{called}"))
    });
    let cases = cases
        .each_ref()
        .map(|(case, called)| (case.as_str(), (called.as_str(), "m.f -> m.Other.Allow")));
    check_cases(STORE, &cases);
}

#[test]
fn a_type_parameter_of_a_receiver_is_bound_as_that_of_its_type() {
    let calls = ["Start", "Each"].map(|from| format!("m/store.Bound.{from} -> m/store.Runner.Run"));
    check_some(STORE, &calls.each_ref().map(String::as_str), &[]);
}

const SERVICES: &str = "
//- /Use.java
package b;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;
import java.util.stream.*;
class Svc { int go(int x) { return x; } void run() {} }
class Other { int go(int x) { return x; } void run() {} }
record Pair(Svc left, int n) {}
record Own(Svc left) { public Svc left() { return left; } }
class Use {
  List<Svc> xs;
  Map<String, Svc> m;
  Map<String, List<Svc>> lists;
  List<Optional<? extends Svc>> options;
  CompletableFuture<Svc> future;
  Supplier<Svc> supplier;
";

#[test]
fn collections_of_java_hold_what_their_methods_and_callbacks_say() {
    let bodies = [
        "xs.stream().findFirst().get().go(1);",
        "xs.stream().findAny().ifPresent(s -> s.go(1));",
        "xs.stream().findFirst().map(s -> s.go(1));",
        "xs.iterator().next().go(1);",
        "Iterator<Svc> it = xs.listIterator(); it.next().go(1);",
        "xs.parallelStream().mapToInt(s -> s.go(1)).sum();",
        "new ArrayList<>(xs).get(0).go(1);",
        "var own = new ArrayList<Svc>(); own.get(0).go(1);",
        "new TreeMap<>(m).get(0).go(1);",
        "Collections.unmodifiableList(xs).forEach(s -> s.go(1));",
        "for (Svc s : List.copyOf(xs)) s.go(1);",
        "Optional.ofNullable(xs.get(0)).ifPresentOrElse(s -> s.go(1), () -> {});",
        "var o = xs.stream().findFirst(); if (o.isPresent()) o.get().go(1);",
        "options.stream().filter(Optional::isPresent).map(Optional::get).map(s -> s.go(1));",
        "m.entrySet().stream().map(Map.Entry::getValue).forEach(s -> s.go(1));",
        "lists.values().stream().flatMap(List::stream).forEach(s -> s.go(1));",
        "for (Map.Entry<Svc, Integer> e : all()) e.getKey().go(1);",
        "m.forEach((k, v) -> v.go(1));",
        "m.putIfAbsent(null, null).go(1);",
        "future.thenApply(s -> s.go(1));",
        "future.whenComplete((s, err) -> s.go(1));",
        "future.thenApply(s -> s).thenAccept(s -> s.go(1));",
        "future.join().go(1);",
        "supplier.get().go(1);",
        "new Pair(null, 1).left().go(1);",
        "List.of(new Svc()).get(0).go(1);",
    ];
    let cases = bodies.map(|body| (format!("  void f() {{ {body} }}\n}}"), body));
    let cases = cases
        .each_ref()
        .map(|(case, _)| (case.as_str(), ("b.Use.f -> b.Svc.go", "b.Use.f -> b.Other.go")));
    check_cases(SERVICES, &cases);
}

#[test]
fn parts_of_csharp_tuples_have_their_names() {
    let project = "//- /a.cs
using System.Collections.Generic;
class Svc { public int Go(int x) { return x; } }
class Other { public int Go(int x) { return x; } }
class Use {
  (Svc left, Other right) Pair() => (new Svc(), new Other());
  (Other first, Svc second) Both { get; set; }
  (Svc, Other) plain;
  List<(Other key, Svc value)> all;
  Dictionary<string, (Svc kept, int n)> kept;
  void Take((Other other, Svc own) both, int n) { both.own.Go(n); }
  void Take(string text, int n) {}
";
    let bodies = [
        "var p = Pair(); p.left.Go(1);",
        "Pair().left.Go(1);",
        "Both.second.Go(1);",
        "foreach (var one in all) one.value.Go(1);",
        "foreach (var (key, value) in all) value.Go(1);",
        "kept[text].kept.Go(1);",
        "plain.Item1.Go(1);",
        "Both.Item2.Go(1);",
        "var (mine, theirs) = Pair(); mine.Go(1);",
    ];
    let cases = bodies.map(|body| format!("  void F(string text) {{ {body} }}\n}}"));
    let only = ("Use.F -> Svc.Go", "Use.F -> Other.Go");
    let cases = cases.each_ref().map(|case| (case.as_str(), only));
    check_cases(project, &cases);
    let take = "  void F() { Take((new Other(), new Svc()), 1); }\n}";
    check_cases(project, &[(take, ("Use.F -> Use.Take", ""))]);
}

#[test]
fn a_component_of_a_record_is_called() {
    let cases = [
        ("  void f(Pair p) { p.left(); }\n}", ("b.Use.f -> b.Pair.left", "")),
        ("  void f(Own p) { p.left(); }\n}", ("b.Use.f -> b.Own.left", "")),
        ("  void f(Pair p) { p.n(); }\n}", ("b.Use.f -> b.Pair.n", "")),
    ];
    check_cases(SERVICES, &cases);
}

#[test]
fn collections_of_scala_and_python_hold_what_their_methods_and_callbacks_say() {
    let scala = "
//- /Use.scala
package b
trait Svc { def go(x: Int): Int }
trait Other { def go(x: Int): Int }
class Use(svc: Svc, m: Map[String, Svc], all: Array[Svc]) {
  def kept(all: Array[Svc])(by: Svc => Int): Array[Svc] = all
";
    let bodies = [
        "Seq(svc, svc).foreach(_.go(2))",
        "Option(svc).map(_.go(3))",
        "all(0).go(8)",
        "m(\"x\").go(9)",
        "m.get(\"x\").map { s => s.go(10) }.getOrElse(0)",
        "m.foreach { case (k, s) => s.go(12) }",
        "all.find(_ != null).foreach(_.go(1))",
        "all.head.go(1)",
        "kept(all)(_ => 1).foreach(_.go(1))",
    ];
    let cases = bodies.map(|body| format!("  def f(): Any = {body}\n}}"));
    let cases = cases
        .each_ref()
        .map(|case| (case.as_str(), ("b.Use.f -> b.Svc.go", "b.Use.f -> b.Other.go")));
    check_cases(scala, &cases);
    let python = "
//- /use.py
import collections, contextlib
from typing import Generator, Iterator
class Svc:
    def go(self): ...
class Other:
    def go(self): ...
def gen() -> Generator[tuple[str, Svc], None, None]: yield 'a', Svc()
@contextlib.contextmanager
def opened() -> Iterator[Svc]: yield Svc()
";
    let bodies = [
        "for s in collections.OrderedDict(gen()).values(): s.go()",
        "dict(gen())['a'].go()",
        "contextlib.ExitStack().enter_context(opened()).go()",
        "sorted(list(gen()), key=lambda s: s[1].go())",
        "collections.defaultdict(Svc)['x'].go()",
    ];
    let cases = bodies.map(|body| format!("def f():\n    {body}"));
    let cases = cases
        .each_ref()
        .map(|case| (case.as_str(), ("use.f -> use.Svc.go", "use.f -> use.Other.go")));
    check_cases(python, &cases);
}

/// What TypeScript's generic types and functions give; `Other.hit` is never meant.
const SHAPES: &str = "
//- /shapes.ts
export class Shape { hit() {} }
export class Other { hit() {} }
export type Maker<T> = new (...all: any[]) => T;
export interface Making<T> { new (...all: any[]): T }
export class Parts {
  get<T>(of: Maker<T>): T { return null as any; }
  find<T>(of: Making<T>): T | undefined { return undefined; }
  make<T>(of: new () => T): T { return new of(); }
  any<T>(of: abstract new () => T): T { return null as any; }
}
export const one = async (): Promise<Shape> => new Shape();
export const other = async (): Promise<Other> => new Other();
//- /use.ts
import { Shape, Other, Parts, one, other } from './shapes';
import { Cache, join } from 'elsewhere';
";

#[test]
fn outside_types_hold_what_they_are_made_of() {
    let bodies = [
        "const m = new Map<string, Shape>(); m.get('a')!.hit();",
        "const m = new Map<Other, Shape>(); for (const [, s] of m) s.hit();",
        "const m = new Map<Other, Shape>(); m.forEach((s) => s.hit());",
        "const m = new Set<Shape>(); for (const s of m) s.hit();",
        "const m = new Array<Shape>(); m[0].hit();",
        "const m = new WeakMap<object, Shape>(); m.get({})?.hit();",
        "new Promise<Shape>((done) => done(null)).then((s) => s.hit());",
        "for (const s of new Cache<Shape>()) s.hit();",
        "[1].reduce(join, new Shape()).hit();",
    ];
    let fields = [
        "class A { m = new Map<string, Shape>(); f() { this.m.get('a')?.hit(); } }",
        "class A { m = new Map<Other, Set<Shape>>(); f() { for (const all of this.m.values()) for (const s of all) s.hit(); } }",
    ];
    let calls = ("use.f -> shapes.Shape.hit", "use.f -> shapes.Other.hit");
    let bodies = bodies.map(|body| format!("export function f() {{ {body} }}"));
    check_cases(SHAPES, &bodies.each_ref().map(|body| (body.as_str(), calls)));
    let calls = ("use.A.f -> shapes.Shape.hit", "use.A.f -> shapes.Other.hit");
    check_cases(SHAPES, &fields.map(|field| (field, calls)));
}

#[test]
fn a_class_that_is_handed_over_says_what_is_given_back() {
    let bodies = [
        "p.get(Shape).hit();",
        "const s = p.get(Shape)!; s.hit();",
        "p.find(Shape)?.hit();",
        "p.make(Shape).hit();",
        "p.any(Shape).hit();",
        "p.get<Shape>(Shape).hit();",
    ];
    let calls = ("use.f -> shapes.Shape.hit", "use.f -> shapes.Other.hit");
    let bodies = bodies.map(|body| format!("export function f(p: Parts) {{ {body} }}"));
    check_cases(SHAPES, &bodies.each_ref().map(|body| (body.as_str(), calls)));
}

#[test]
fn what_is_waited_for_together_keeps_its_types() {
    let (shape, other) = ("use.f -> shapes.Shape.hit", "use.f -> shapes.Other.hit");
    let cases = [
        ("const [a, b] = await Promise.all([one(), other()]); a.hit();", (shape, other)),
        ("const [a, b] = await Promise.all([one(), x()]); b.hit();", ("", shape)),
        ("const [a, b] = await Promise.all([one(), other()]); b.hit();", (other, shape)),
        ("const [a, b] = await Promise.all([one(), one()]); b.hit();", (shape, other)),
        ("Promise.all([one(), one()]).then((all) => all.forEach((s) => s.hit()));", (shape, other)),
        ("Promise.all(x.map(async () => new Shape())).then(([s]) => s.hit());", ("", other)),
        ("(await Promise.all(list.map((s) => one()))).map((s) => s.hit());", (shape, other)),
        ("(await Promise.race([one()])).hit();", (shape, other)),
        ("(await Promise.any([x(), one()])).hit();", (shape, other)),
        ("for (const s of await Promise.allSettled([one()])) s.value.hit();", (shape, other)),
        ("for (const [k, s] of Object.entries(named)) s.hit();", (shape, other)),
        ("Object.entries(named).map(([k, s]) => s.hit());", (shape, other)),
        ("Object.entries(named).map(([k, s]) => k.hit());", ("", shape)),
    ];
    let head = "export async function f(x, list: Shape[], named: Record<string, Shape>) {";
    let cases = cases.map(|(body, calls)| (format!("{head} {body} }}"), calls));
    let cases = cases.each_ref().map(|(case, calls)| (case.as_str(), *calls));
    check_cases(SHAPES, &cases);
}

#[test]
fn java_functions_take_and_give_what_their_types_say() {
    let case = |body| (body, ("C.f -> State.hook", "C.f -> Other.hook"));
    check_cases(
        r"
//- /C.java
import java.util.*; import java.util.function.*; import java.util.concurrent.*;
interface State { void hook(); State next(); }
class Other { void hook() {} }
class Once<T> { void apply(Consumer<T> c) {} static <T> Once<T> of(T t) { return null; } }
record Rec(State s, int i) {}
class C { AtomicReference<State> ref; List<Other> others; void f(State x, Object o) {
",
        &[
            case("ref.getAndUpdate(s -> { s.hook(); return s; }); } }"),
            case("ref.updateAndGet(s -> s.next()).hook(); } }"),
            case("Once<State> one = null; one.apply(s -> s.hook()); } }"),
            case("var one = Once.of(x); one.apply(s -> s.hook()); } }"),
            case("Function<State, Other> g = s -> { s.hook(); return null; }; } }"),
            case("BiConsumer<Other, State> g = (o, s) -> s.hook(); } }"),
            case("UnaryOperator<State> g = null; g.apply(x).hook(); } }"),
            case("Function<Other, State> g = null; g.apply(null).hook(); } }"),
            case("Callable<State> g = null; g.call().hook(); } }"),
            case("BlockingQueue<State> q = null; q.pollFirst().hook(); } }"),
            case("switch (o) { case State s -> s.hook(); default -> {} } } }"),
            case("switch (o) { case Rec(State s, int i) -> s.hook(); default -> {} } } }"),
            case("if (o instanceof Rec(State s, int i)) s.hook(); } }"),
            (
                "switch (o) { case State s -> {} case Other s -> s.hook(); } } }",
                ("C.f -> Other.hook", "C.f -> State.hook"),
            ),
            (
                "Comparator<Other> c = (a, b) -> { a.hook(); return 1; }; } }",
                ("", "C.f -> State.hook"),
            ),
        ],
    );
}

#[test]
fn a_subscript_calls_what_the_language_says() {
    check_some(
        "
//- /Cargo.toml
[package]
name = \"m\"
//- /src/lib.rs
pub struct Handler;
impl Handler { pub fn run(&self) {} }
pub struct Table { all: Vec<Handler> }
impl Table { pub fn get(&self, at: usize) -> Option<&Handler> { self.all.get(at) } }
impl std::ops::Index<usize> for Table {
    type Output = Handler;
    fn index(&self, at: usize) -> &Handler { &self.all[at] }
}
pub fn f(table: &Table) { table[0].run(); }
//- /a.ts
class Other { stop() {} }
class Registry { get(key: string): Other { return new Other(); } }
export function g(all: Registry) { all['x'].stop(); }
",
        &["m::f -> m::Handler::run"],
        &["a.g -> a.Other.stop"],
    );
}
