//! What calls a function, hands it on or decorates with it, through overrides as well, and where a type is used.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, EdgeResolution, Graph, NodeQuery, RelatedNode};

use crate::support::graph_of;

use super::{one, related};

#[test]
fn a_call_through_an_interface_says_more_than_a_mention_beside_it() {
    let graph = graph_of(
        "//- /job.ts
export interface Job { run(): void }
export class Task implements Job { run() {} }
function register(callback: () => void) {}
export function start(job: Job, task: Task) {
  register(task.run);
  job.run();
}
",
    );
    let callers = related(&graph, NodeQuery::Callers, "Task.run");
    let start: Vec<_> =
        callers.iter().filter(|caller| caller.node == one(&graph, "start")).collect();
    assert_eq!(start.len(), 1);
    let through = start[0].through;
    assert_eq!((start[0].kind, &start[0].lines), (EdgeKind::Calls, &vec![6]));
    assert_eq!(
        (through, start[0].resolution),
        (Some(one(&graph, "Job.run")), EdgeResolution::Dynamic)
    );
}

#[test]
fn a_function_that_is_called_and_handed_on_in_one_place_is_listed_for_both() {
    let graph = graph_of(
        "\
//- /app.py
def work(): return 1

def start(run):
    work()
    run(work)
    return {\"a\": work}

class Plan: pass

def plans(run):
    run(Plan)
    return Plan()
",
    );
    let lines = |name: &str| {
        let found = related(&graph, NodeQuery::Callers, name);
        let of = |it: &RelatedNode| (it.kind, it.lines.clone(), it.handed_on.clone());
        found.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(lines("work"), [(EdgeKind::Calls, vec![4], vec![5, 6])]);
    assert_eq!(lines("Plan"), [(EdgeKind::Calls, vec![12], vec![11])]);
}

#[test]
fn a_function_that_calls_a_method_and_its_interface_is_listed_with_all_lines() {
    let graph = graph_of(
        "\
//- /go.mod
module shop
//- /shop.go
package shop

type Job interface{ Run() }
type Work struct{}

func (w Work) Run() {}
func start(job Job, work Work) {
	job.Run()
	work.Run()
	job.Run(); work.Run()
	job.Run()
}
func again() { start(nil, Work{}) }
",
    );
    let found = related(&graph, NodeQuery::Callers, "Work.Run");
    let of =
        |it: &RelatedNode| (it.lines.clone(), it.dispatched.clone(), it.resolution, it.through);
    let found: Vec<_> = found.iter().map(of).collect();
    assert_eq!(found, [(vec![9, 10], vec![8, 11], EdgeResolution::Exact, None)]);
    let found = related(&graph, NodeQuery::Callers, "Job.Run");
    let found: Vec<_> = found.iter().map(of).collect();
    assert_eq!(found, [(vec![8, 10, 11], Vec::new(), EdgeResolution::Exact, None)]);
}

#[test]
fn what_hands_on_the_method_of_an_interface_hands_on_no_implementation() {
    let graph = graph_of(
        "\
//- /go.mod
module shop
//- /shop.go
package shop

type Job interface{ Run() }
type Work struct{}

func (w Work) Run() {}
func keep(run func()) {}
func start(job Job, work Work) {
	work.Run()
	keep(job.Run)
}
",
    );
    let lines = |name: &str| {
        let found = related(&graph, NodeQuery::Callers, name);
        let of = |it: &RelatedNode| (it.kind, it.lines.clone(), it.handed_on.clone());
        found.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(lines("Job.Run"), [(EdgeKind::References, vec![10], vec![])]);
    assert_eq!(lines("Work.Run"), [(EdgeKind::Calls, vec![9], vec![])]);
}

/// Checks what `operation` finds of each definition, by full names.
#[track_caller]
fn check_related(project: &str, operation: NodeQuery, cases: &[(&str, &[&str])]) {
    let graph = graph_of(project);
    for (name, expected) in cases {
        let found = related(&graph, operation, name);
        let mut found: Vec<&str> =
            found.iter().map(|it| graph.node(it.node).unwrap().qname.as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, *expected, "{name}");
    }
}

#[test]
fn a_type_is_used_where_it_is_handed_on_as_a_value() {
    let kotlin = "//- /a.kt
package a
class Rule(val size: Int)
class Provider { fun all() = listOf(::Rule) }
";
    check_related(kotlin, NodeQuery::Usages, &[("Rule", &["a.Provider.all"])]);
    let python = "//- /a.py
class Strict: pass
class Stricter(Strict): pass
def make(kind): return kind()
def strict(): return make(Strict)
";
    check_related(python, NodeQuery::Usages, &[("Strict", &["a.strict"])]);
}

#[test]
fn a_call_of_the_method_above_is_no_call_of_the_one_that_makes_it() {
    let projects = [
        "//- /a.rb
class Base; def run; 1; end; end
class Child < Base; def run; super + 1; end; end
class Beside < Base; def go; run; end; def far; Child.new.run; end; end
",
        "//- /a.php
<?php
class Base { public function run(): int { return 1; } }
class Child extends Base { public function run(): int { return parent::run(); } }
class Beside extends Base { public function go() { return $this->run(); } public function far() { (new Child())->run(); } }
",
        "//- /A.java
class Base { int run() { return 1; } }
class Child extends Base { int run() { return super.run(); } }
class Beside extends Base { int go() { return run(); } int far(Child it) { return it.run(); } }
",
        "//- /a.py
class Base:
    def run(self): return 1
class Child(Base):
    def run(self): return super().run() + Base.run(self)
class Beside(Base):
    def go(self): return self.run()
    def far(self): return Child().run()
",
        "//- /a.ts
class Base { run() { return 1 } }
class Child extends Base { run() { return super.run() } }
class Beside extends Base { go() { return this.run() } far(it: Child) { return it.run() } }
",
        "//- /a.cs
class Base { public virtual int Run() { return 1; } }
class Child : Base { public override int Run() { return base.Run(); } }
class Beside : Base { int Go() { return Run(); } int Far(Child it) { return it.Run(); } }
",
        "//- /a.kt
open class Base { open fun run() = 1 }
class Child : Base() { override fun run() = super.run() }
class Beside : Base() { fun go() = run()
  fun far(it: Child) = it.run() }
",
        "//- /a.scala
class Base { def run() = 1 }
class Child extends Base { override def run() = super.run() }
class Beside extends Base { def go() = run()
  def far(it: Child) = it.run() }
",
        "//- /a.swift
class Base { func run() -> Int { return 1 } }
class Child: Base { override func run() -> Int { return super.run() } }
class Beside: Base { func go() -> Int { return run() }
  func far(it: Child) -> Int { return it.run() } }
",
        "//- /a.cpp
class Base { public: virtual int run() { return 1; } };
class Child : public Base { public: int run() override { return Base::run(); } };
class Beside : public Base { int go() { return run(); } int far(Child* it) { return it->run(); } };
",
    ];
    for project in projects {
        let graph = graph_of(project);
        let run = if project.contains("Run") { "Child.Run" } else { "Child.run" };
        let found = related(&graph, NodeQuery::Callers, run);
        let mut found: Vec<String> =
            found.iter().map(|it| graph.node(it.node).unwrap().name.to_lowercase()).collect();
        found.sort_unstable();
        assert_eq!(found, ["far"], "{project}");
    }
}

#[test]
fn a_call_on_this_runs_what_a_type_below_or_beside_it_overrides() {
    check_related(
        "//- /a.py
class Base:
    def step(self): pass
    def run(self): self.step()
class Left(Base):
    def left(self): self.step()
class Right(Base):
    def step(self): pass
class Alone(Base):
    def step(self): pass
class Both(Left, Right): pass
",
        NodeQuery::Callers,
        &[
            ("Right.step", &["a.Base.run", "a.Left.left"]),
            ("Alone.step", &["a.Base.run"]),
            ("Base.step", &["a.Base.run", "a.Left.left"]),
        ],
    );
}

#[test]
fn a_call_runs_what_overrides_the_method_over_several_types() {
    let projects = [
        "//- /a.java
abstract class Base { abstract void step(); void go() { step(); } }
class Middle extends Base { void step() {} }
class Leaf extends Middle { void step() { super.step(); } }
class Beside extends Base { void step() {} void other() { step(); } }
",
        "//- /a.py
class Base:
    def step(self): raise NotImplementedError
    def go(self): self.step()
class Middle(Base):
    def step(self): pass
class Leaf(Middle):
    def step(self): super().step()
class Beside(Base):
    def step(self): pass
    def other(self): self.step()
",
        "//- /a.rb
class Base; def step; end; def go; step; end; end
class Middle < Base; def step; end; end
class Leaf < Middle; def step; super; end; end
class Beside < Base; def step; end; def other; step; end; end
",
        "//- /a.ts
abstract class Base { abstract step(): void; go() { this.step() } }
class Middle extends Base { step() {} }
class Leaf extends Middle { step() { super.step() } }
class Beside extends Base { step() {} other() { this.step() } }
",
        "//- /a.kt
interface Base {
  fun step()
  fun go() { step() }
}
open class Middle : Base {
  override fun step() {}
}
class Leaf : Middle() {
  override fun step() { super.step() }
}
class Beside : Base {
  override fun step() {}
  fun other() { step() }
}
",
        "//- /a.cs
abstract class Base { protected abstract void step(); void go() { step(); } }
class Middle : Base { protected override void step() {} }
class Leaf : Middle { protected override void step() { base.step(); } }
class Beside : Base { protected override void step() {} void other() { step(); } }
",
        "//- /a.h
class Base { public: virtual void step(); void go(); };
class Middle : public Base { public: void step() override; };
class Leaf : public Middle { public: void step() override; };
//- /a.cpp
#include \"a.h\"
void Base::step() {}
void Base::go() { step(); }
void Middle::step() {}
void Leaf::step() { Middle::step(); }
",
    ];
    for project in projects {
        let graph = graph_of(project);
        let found = related(&graph, NodeQuery::Callers, "Leaf.step");
        let found: Vec<_> = found
            .iter()
            .map(|it| (graph.node(it.node).unwrap().name.as_str(), it.resolution))
            .collect();
        assert_eq!(found, [("go", EdgeResolution::Dynamic)], "{project}");
    }
}

#[test]
fn a_call_on_the_own_type_or_on_the_receiver_of_a_literal_runs_what_overrides() {
    let projects = [
        "//- /a.swift
class Base { class func make() {}
  func go() { Self.make() } }
class Child: Base { override class func make() {} }
",
        "//- /a.kt
open class Base { open fun make() = 1 }
class Child : Base() { override fun make() = 2 }
class Beside : Base() { fun go(it: Base) = it.apply { make() } }
",
        "//- /a.kt
open class Base { open fun make() = 1 }
class Child : Base() { override fun make() = 2 }
class Beside : Base() { fun go(it: Base) = it.apply { this.make() } }
",
        "//- /a.kt
open class Base { open fun make() = 1 }
class Child : Base() { override fun make() = 2 }
class Beside : Base() { fun Base.go() = this.make() }
",
        "//- /a.kt
open class Base { open fun make() = 1 }
class Child : Base() { override fun make() = 2 }
class Beside : Base() { fun Base.go() = make() }
",
    ];
    for project in projects {
        let graph = graph_of(project);
        let found = related(&graph, NodeQuery::Callers, "Child.make");
        let found: Vec<&str> =
            found.iter().map(|it| graph.node(it.node).unwrap().name.as_str()).collect();
        assert_eq!(found, ["go"], "{project}");
    }
}

#[test]
fn a_callee_of_several_bodies_is_as_sure_as_the_least_sure_call() {
    let graph = graph_of(
        "//- /a.hpp
class Thing { public: void run() {} };
inline Thing made() { return Thing(); }
inline void go(int n) { Thing thing; thing.run(); }
//- /b.hpp
#include \"a.hpp\"
inline void go(char c) { made().run(); }
//- /c.hpp
#include \"a.hpp\"
inline void go(long l) { Thing thing; thing.run(); }
",
    );
    let set = graph.overloads(one(&graph, "go"));
    let found = graph.related(NodeQuery::Callees, &set, 1, 0, 10).items;
    let run = found.iter().find(|it| it.node == one(&graph, "Thing.run")).unwrap();
    assert_eq!((run.resolution, run.elsewhere.len()), (EdgeResolution::Inferred, 2), "{found:?}");
}

#[test]
fn a_way_that_goes_up_by_super_does_not_come_down_again() {
    let graph = graph_of(
        "//- /a.py
class Base:
    def run(self): pass
class Child(Base):
    def run(self): super().run()
class Beside(Base):
    def run(self): end()
def end(): pass
def start(base: Base): base.run()
",
    );
    check_ways(&graph);
    // The bodies stand apart from what is overridden.
    check_ways(&graph_of(
        "//- /a.h
class Outer { public: class Base; };
//- /a.cc
#include \"a.h\"
class Outer::Base { public: virtual void run(); };
class Child : public Outer::Base { public: void run() override; };
class Beside : public Outer::Base { public: void run() override; };
void end() {}
void Outer::Base::run() {}
void Child::run() { Outer::Base::run(); }
void Beside::run() { end(); }
void start(Outer::Base* base) { base->run(); }
",
    ));
}

#[track_caller]
fn check_ways(graph: &Graph) {
    let trace = |from: &str| graph.trace_any(&[one(graph, from)], &[one(graph, "end")]).hops.len();
    assert_eq!((trace("Child.run"), trace("start")), (0, 4));
}

#[test]
fn what_is_decorated_uses_the_decorator() {
    check_related(
        "//- /a.py
def mark(f): return f
def named(text): return mark
@mark
def go(): pass
@mark
@named({'a': 1})
class Thing:
    @mark
    def inner(self): pass
",
        NodeQuery::Callers,
        &[("mark", &["a.Thing", "a.Thing.inner", "a.go", "a.named"]), ("named", &["a", "a.Thing"])],
    );
    check_related(
        "//- /a.ts
function Mark(target: any) {}
@Mark
export class Thing {
  @Mark held = 1;
  @Mark go(@Mark given: string) { return () => 1 }
}
",
        NodeQuery::Callers,
        &[("Mark", &["a.Thing", "a.Thing.go", "a.Thing.held"])],
    );
    check_related(
        "//- /A.java
@interface Mark { String value() default \"\"; }
@Mark class Thing {
    @Mark(\"x\") int held;
    @Mark void go() {}
}
",
        NodeQuery::Usages,
        &[("Mark", &["Thing", "Thing.go", "Thing.held"])],
    );
    check_related(
        "//- /a.php
<?php
#[\\Attribute] class Mark { public function __construct(public string $name = '') {} }
#[Mark('a')]
class Thing {
    #[Mark] public int $held = 0;
    #[Mark('b')] public function go(): void {}
    public function take(#[Mark] int $given): void {}
}
",
        NodeQuery::Usages,
        &[("Mark", &["Thing", "Thing\\$held", "Thing\\go", "Thing\\take"])],
    );
}

#[test]
fn a_type_is_used_where_its_name_leads_to_a_member() {
    check_related(
        "//- /a.ts
export enum Flags { One = 1, Two = 2 }
export class Kept { static first = 1 }
//- /b.ts
import { Flags, Kept } from './a'
export function there(f: number) { return f & Flags.Two }
export function kept() { return Kept.first }
",
        NodeQuery::Usages,
        &[("Flags", &["b.there"]), ("Flags.Two", &["b.there"]), ("Kept", &["b.kept"])],
    );
    check_related(
        "//- /A.java
enum Mode { ON, OFF }
class Use {
    Object get() { return Mode.OFF; }
    boolean is(Object m) { return m == Mode.ON; }
}
",
        NodeQuery::Usages,
        &[("Mode", &["Use.get", "Use.is"]), ("Mode.ON", &["Use.is"])],
    );
    check_related(
        "//- /p/Box.java
package p;
public interface Box { enum State { OPEN(1), CLOSED(2), LOST(3); State(int n) {} } State state(); }
//- /q/Use.java
package q;
import p.Box;
import static p.Box.State.*;
import static p.Box.State.CLOSED;
class Use {
    Box.State nested() { return Box.State.OPEN; }
    Box.State all() { return OPEN; }
    boolean named(Object s) { return s == CLOSED || s == LOST; }
    int rule(Box.State s) { return switch (s) { case OPEN, CLOSED -> 1; default -> 2; }; }
    void group(Box b) { switch (b.state()) { case LOST: rule(null); } }
    static final Box.State FIRST = Box.State.CLOSED;
}
enum Other { OPEN; boolean is(Other o) { switch (o) { case OPEN -> { return true; } } return o == OPEN; } }
",
        NodeQuery::Usages,
        &[
            ("Box.State.OPEN", &["q.Use.all", "q.Use.nested", "q.Use.rule"]),
            ("Box.State.CLOSED", &["q.Use", "q.Use.named", "q.Use.rule"]),
            ("Box.State.LOST", &["q.Use.group", "q.Use.named"]),
            ("Other.OPEN", &["q.Other.is"]),
        ],
    );
    check_related(
        "//- /Wrap.cs
namespace N;
public class Wrap<T, U> { public void Run() { } }
public class One<T> { public class In<U> { } }
public class User {
    public object Two() => typeof(Wrap<,>).MakeGenericType(null);
    public object First() => typeof(One<>);
    public object Inner() => typeof(N.One<>);
    public string Name() => nameof(Wrap<int, int>.Run);
    public string Plain(int One) => nameof(One);
}
",
        NodeQuery::Usages,
        &[("Wrap", &["N.User.Name", "N.User.Two"]), ("One", &["N.User.First", "N.User.Inner"])],
    );
    check_related(
        "//- /Cargo.toml
[package]
name = \"a\"
//- /src/lib.rs
pub enum Mode { Copy, Paste, Held(u8) }
pub fn check(m: u8) -> bool { matches!(m, Mode::Paste) }
pub fn name(m: u8) -> u8 { match m { Mode::Copy => 1, Mode::Held(n) => n, _ => 2 } }
",
        NodeQuery::Usages,
        &[
            ("Mode", &["a::check", "a::name"]),
            ("Mode.Copy", &["a::name"]),
            ("Mode.Held", &["a::name"]),
            ("Mode.Paste", &["a::check"]),
        ],
    );
}
