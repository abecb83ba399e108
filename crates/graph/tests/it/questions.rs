//! Questions about the graph: which definition a name means, and what is related to it.

use pretty_assertions::assert_eq;
use retriever_graph::{
    EdgeKind, EdgeResolution, Graph, LookupTarget, NameLookup, NodeId, NodeKind, NodeQuery,
    RelatedNode,
};

use crate::support::graph_of;

fn lookup(graph: &Graph, name: &str) -> NameLookup {
    graph.lookup(LookupTarget { name, ..LookupTarget::default() })
}

fn one(graph: &Graph, name: &str) -> NodeId {
    let found = lookup(graph, name);
    let NameLookup::One(id) = found else { unreachable!("{name}: {found:?}") };
    id
}

fn related(graph: &Graph, operation: NodeQuery, name: &str) -> Vec<RelatedNode> {
    graph.related(operation, &[one(graph, name)], 1, 0, 100).items
}

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
fn what_makes_an_object_calls_the_constructor_that_runs() {
    let projects = [
        "//- /a.php
<?php
class Base { public function __construct(int $a) {} }
class Heir extends Base {}
class Own extends Base { public function __construct() { parent::__construct(1); } }
function base() { return new Base(1); }
function heir() { return new Heir(1); }
function own() { return new Own(); }
",
        "//- /a.py
class Base:
    def __init__(self, a): pass
class Heir(Base): pass
class Own(Base):
    def __init__(self): super().__init__(1)
def base(): return Base(1)
def heir(): return Heir(1)
def own(): return Own()
",
        "//- /a.rb
class Base
  def initialize(a); end
end
class Heir < Base; end
class Own < Base
  def initialize; super(1); end
end
def base; Base.new(1); end
def heir; Heir.new(1); end
def own; Own.new; end
",
        "//- /a.ts
class Base { constructor(a: number) {} }
class Heir extends Base {}
class Own extends Base { constructor() { super(1); } }
function base() { return new Base(1); }
function heir() { return new Heir(1); }
function own() { return new Own(); }
",
    ];
    let names = ["__construct", "__init__", "initialize", "constructor"];
    for (project, constructor) in projects.into_iter().zip(names) {
        let graph = graph_of(project);
        let callers = |ty: &str| -> Vec<String> {
            let found = related(&graph, NodeQuery::Callers, &format!("{ty}.{constructor}"));
            let mut named: Vec<String> =
                found.iter().map(|it| graph.heading(it.node).unwrap().name.to_owned()).collect();
            named.retain(|name| name != constructor);
            named.sort();
            named
        };
        assert_eq!(callers("Base"), ["base", "heir"], "{project}");
        assert_eq!(callers("Own"), ["own"], "{project}");
    }
}

/// (a project, the constructor, what calls it and by how sure a relation)
const CONSTRUCTORS: &[(&str, &str, &[&str])] = &[
    // A method that is only named like another language's constructor.
    (
        "//- /a.java\nclass Base { Base() {} void initialize() {} }\nclass Use { void run() { new Base(); } }\n",
        "Base.initialize",
        &[],
    ),
    (
        "//- /a.ts\nclass Base { constructor() {} initialize() {} }\nfunction run() { new Base(); }\n",
        "Base.constructor",
        &["run exact"],
    ),
    (
        "//- /a.ts\nclass Base { constructor() {} initialize() {} }\nfunction run() { new Base(); }\n",
        "Base.initialize",
        &[],
    ),
    // The signatures of overloads.
    (
        "//- /a.ts\nclass Base {\n  constructor(a: number);\n  constructor(a: string);\n  constructor(a: any) {}\n}\nfunction run() { new Base(1); }\n",
        "Base.constructor",
        &["run exact"],
    ),
    // Which of two bases' constructors runs depends on their order; which of one that both share does not.
    (
        "//- /a.py\nclass Near:\n    def __init__(self): pass\nclass Far:\n    def __init__(self): pass\nclass Both(Near, Far): pass\ndef near(): return Near()\ndef both(): return Both()\n",
        "Near.__init__",
        &["both dynamic", "near exact"],
    ),
    (
        "//- /a.py\nclass Base:\n    def __init__(self): pass\nclass One(Base): pass\nclass Other(Base): pass\nclass Both(One, Other): pass\ndef both(): return Both()\n",
        "Base.__init__",
        &["both exact"],
    ),
    // A secondary constructor is no other name for the type.
    (
        "//- /a.kt\nclass Base(val n: Int) {\n  constructor(text: String) : this(1)\n}\nfun run() = Base(1)\n",
        "Base.constructor",
        &[],
    ),
];

#[test]
fn only_what_surely_runs_a_constructor_is_an_exact_caller() {
    for (project, constructor, expected) in CONSTRUCTORS {
        let graph = graph_of(project);
        let found = related(&graph, NodeQuery::Callers, constructor);
        let say = |it: &RelatedNode| {
            format!("{} {}", graph.heading(it.node).unwrap().name, it.resolution)
        };
        let mut callers: Vec<String> = found.iter().map(say).collect();
        callers.sort();
        assert_eq!(callers, *expected, "{project}");
    }
}

#[test]
fn what_runs_a_constructor_of_a_type_calls_the_type() {
    let projects = [
        (
            "//- /Sources/Net/Channel.swift
struct Channel<T> { init(one: T) {} }
extension Channel { init(two: T) {} }
func first() { _ = Channel<Int>(one: 1) }
func second() { _ = Channel(two: 1) }
",
            "Channel",
        ),
        (
            "//- /Channel.java
package net;
class Channel { Channel(int one) {} Channel(String two) {} }
class Use { void first() { new Channel(1); } void second() { new Channel(\"\"); } }
",
            "net.Channel",
        ),
        (
            "//- /channel.cc
class Channel { public: Channel(int one) {} Channel(const char *two) {} };
void first() { Channel c(1); }
void second() { new Channel(\"\"); }
",
            "Channel",
        ),
        (
            "//- /Channel.kt
package net
class Channel(one: Int) { constructor(two: String) : this(2) }
fun first() { Channel(1) }
fun second() { Channel(\"\") }
",
            "net.Channel",
        ),
    ];
    for (project, name) in projects {
        let graph = graph_of(project);
        let mut types = graph.named("channel");
        types.retain(|id| {
            graph
                .node(*id)
                .is_some_and(|node| node.qname == name && node.kind != NodeKind::Function)
        });
        let callers = graph.related(NodeQuery::Callers, &types, 1, 0, 10).items;
        let names = callers.iter().map(|caller| graph.node(caller.node).unwrap().name.clone());
        let names: Vec<String> = names.filter(|name| !name.starts_with('c')).collect();
        assert_eq!(names, ["first", "second"], "{project}");
    }
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
