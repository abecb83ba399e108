//! Names that are two things at once: methods beside types and functions, variables beside methods, overloads of a type and
//! of what it builds on, loops over what their variable hides; and values whose code nobody wrote.

mod cpp;
mod cpp_macros;
mod cpp_templates_and_platforms;
mod macro_functions;
mod rust;
mod rust_traits;
mod rust_values;

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, NodeId};

use crate::support::{check, edges, graph_of};

/// Compares all calls, as the line of the call and the line that the callee begins in.
#[track_caller]
fn check_lines(project: &str, expected: &[(u32, u32)]) {
    let graph = graph_of(project);
    let start = |id: NodeId| graph.node(id).unwrap().start;
    let calls = graph.edges().filter(|edge| edge.kind == EdgeKind::Calls);
    let mut found: Vec<(u32, u32)> = calls.map(|edge| (edge.line, start(edge.to))).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn go_methods_have_names_of_their_own_and_types_convert() {
    check(
        r#"
//- /go.mod
module acme
//- /a.go
package a
type Head struct{ n int }
func (h *Head) Min() int { return h.n }
type DB struct { head *Head; done chan int }
func (d *DB) Head() *Head { return d.head }
func (d *DB) close() { close(d.done) }
func (d *DB) fresh() bool { return fresh(d) }
func (d *DB) low() int { return d.head.Min() }
func fresh(d *DB) bool { d.close(); _ = (*Head)(nil); return d.fresh() }
var _ fmt.Stringer = (*DB)(nil)
"#,
        &[
            "acme.DB.fresh -> acme.fresh",
            "acme.DB.low -> acme.Head.Min",
            "acme.fresh -> acme.DB.close",
            "acme.fresh -> acme.DB.fresh",
        ],
    );
}

#[test]
fn java_overloads_are_those_of_the_types_above_too() {
    check_lines(
        r#"
//- /Gen.java
abstract class Gen {
  Gen() {}
  abstract void write(String text);
  void write(int number) {}
  abstract String text();
  String text(Writer to) { return null; }
  void all() { write("x"); write(1); text(); text(null); }
}
//- /Del.java
class Del extends Gen {
  Gen delegate;
  Del(Gen gen) { this(gen, true); }
  Del(Gen gen, boolean deep) { super(); delegate = gen; }
  Gen delegate() { return delegate; }
  void write(char[] some) {}
  void first() { delegate.text(); }
  void second() { write("x"); }
  void third() { int[] first = first(1); }
  int[] first(int n) { return null; }
  void sixth(long n) { over(n); }
  void seventh(long n) { over((int) n); }
  void eighth(long n) { over("x" + n); }
  void ninth(long n) { over(n == 2); }
  void tenth() { over(new char[3]); over('c'); over(n, 2.5); }
  void over(int n) {}
  void over(long n) {}
  void over(String n) {}
  void over(boolean n) {}
  void over(char[] n) {}
  void over(char n) {}
  void over(int... n) {}
}
"#,
        &[
            (3, 4),
            (4, 1),
            (7, 3),
            (7, 4),
            (7, 5),
            (7, 5),
            (7, 6),
            (8, 3),
            (9, 10),
            (11, 17),
            (12, 16),
            (13, 18),
            (14, 19),
            (15, 20),
            (15, 21),
            (15, 22),
        ],
    );
}

#[test]
fn go_keys_of_maps_and_values_of_channels() {
    check(
        r#"
//- /go.mod
module ex.org/a
//- /hub.go
package a

type Client struct{}

func (c *Client) Send() {}

type ByName map[string]*Client

type Hub struct {
	clients map[*Client]bool
	named   ByName
	waiting chan *Client
}

func (h *Hub) all() {
	for c := range h.clients {
		c.Send()
	}
}

func (h *Hub) each() {
	for _, c := range h.named {
		c.Send()
	}
}

func (h *Hub) come() {
	for c := range h.waiting {
		c.Send()
	}
}
"#,
        &[
            "ex.org/a.Hub.all -> ex.org/a.Client.Send ~",
            "ex.org/a.Hub.come -> ex.org/a.Client.Send ~",
            "ex.org/a.Hub.each -> ex.org/a.Client.Send ~",
        ],
    );
}

#[test]
fn scala_everything_of_an_object_that_is_named_from_near() {
    check(
        r#"
//- /low.scala
package p.q
private[q] object low {
  def open(x: Int): Int = x
  object deep { def shut(x: Int): Int = x }
}
//- /use.scala
package p.q.inner
import low._
import low.deep._
class Use {
  import Parts._
  def one() = open(1)
  def two() = List(shut(2))
  def three() = part(3)
}
object Parts { def part(x: Int): Int = x }
"#,
        &[
            "p.q.inner.Use.one -> p.q.low.open",
            "p.q.inner.Use.three -> p.q.inner.Parts.part",
            "p.q.inner.Use.two -> p.q.low.deep.shut",
        ],
    );
}

#[test]
fn ruby_calls_inside_of_brackets() {
    check(
        r#"
//- /lib/finder.rb
class Finder
  def files(path)
    Dir[pattern(path)] + [path]
  end

  def pattern(path)
    path + "/*"
  end
end
"#,
        &["Finder::files -> Finder::pattern"],
    );
}

#[test]
fn kotlin_extensions_of_a_class_and_bare_names_in_extensions_of_outside_types() {
    check(
        r#"
//- /a.kt
package k
import org.out.Job
class State {
    protected fun Throwable.cause(): Throwable = this
    private fun Any.resume(at: Int) = 1
    fun go(error: Throwable, held: Any) { error.cause(); held.resume(1) }
}
fun note(at: Int) {}
fun <T> Job.later(block: () -> T): T { note(1); return block() }
fun outside(held: Any) { held.resume(2) }
"#,
        &[
            "k.State.go -> k.State.Throwable.cause ~",
            "k.State.go -> k.State.Any.resume ~",
            "k.Job.later -> k.note",
        ],
    );
}

#[test]
fn a_local_function_keeps_the_narrowed_this_and_an_extension_has_its_own() {
    check(
        r#"
//- /a.kt
package k
open class Host {
    fun run(bar: Bar) {
        if (this is Foo) {
            fun Bar.other() { this.only() }
            fun same() { this.only() }
            bar.other()
            same()
        }
    }
}
class Foo : Host() { fun only() {} }
class Bar { fun only() {} }
"#,
        &[
            "k.Foo -> k.Host",
            "k.Host.run -> k.Host.run.Bar.other",
            "k.Host.run -> k.Host.run.same ~",
            "k.Host.run.Bar.other -> k.Bar.only",
            "k.Host.run.same -> k.Foo.only",
        ],
    );
}

#[test]
fn kotlin_calls_with_one_type_and_one_argument_are_no_comparisons() {
    check(
        r#"
//- /a.kt
package k
class Koin { fun <T> held(name: String): T? = null }
object Platform { fun koin() = Koin() }
fun <T> made(name: String): Int = 1
class Row { fun go() {} }
fun run(name: String, koin: Koin): Boolean {
    Platform.koin().held<Row>(name)
    koin.held<Row>("a")?.go()
    val row = name.length ?: made<k.Row>(name)
    val sum = 1 + made<Row>(name) + 2
    return sum < row && row > (sum)
}
"#,
        &[
            "k.Platform.koin -> k.Koin",
            "k.run -> k.Platform.koin",
            "k.run -> k.Koin.held",
            "k.run -> k.Koin.held ~",
            "k.run -> k.Row.go ~",
            "k.run -> k.made",
        ],
    );
}

#[test]
fn calls_with_types_behind_an_operator_are_calls() {
    check(
        r#"
//- /a.ts
function made<T>(n: number): number { return n; }
export function added(n: number) { return 1 + n * made<string>(n); }
//- /b.py
def f(): return []
def spread(a): return [*f()], {*a.f()}
//- /A.scala
object A {
  def made[T](n: Int): Int = n
  def put(n: Int): A.type = this
  def added(n: Int) = 1 + made[String](n)
  def chained(n: Int) = A put made[String](n)
}
"#,
        &[
            "a.added -> a.made",
            "b.spread -> b.f",
            "A.added -> A.made",
            "A.chained -> A.made",
            "A.chained -> A.put",
        ],
    );
}

#[test]
fn scala_package_objects_are_their_packages() {
    check(
        r#"
//- /core/package.scala
package acme
object `package` {}
//- /inner/package.scala
package acme
package object inner { def bytes(n: Int): Int = n }
//- /Main.scala
package acme.app
import acme.inner.bytes
import acme.inner._
object Main { def run(): Int = bytes(1) }
"#,
        &["acme.app.Main.run -> acme.inner.bytes"],
    );
}

#[test]
fn go_parameters_may_be_named_like_their_packages_and_types() {
    check(
        r#"
//- /go.mod
module example.org/app
//- /disk/disk.go
package disk
type System interface { Open(name string) int }
//- /main.go
package main
import "example.org/app/disk"
type mapping struct{}
func (m mapping) size() int { return 1 }
func read(disk disk.System, mapping mapping) int {
	return disk.Open("a") + mapping.size()
}
"#,
        &[
            "example.org/app.read -> example.org/app.mapping.size",
            "example.org/app.read -> example.org/app/disk.System.Open",
        ],
    );
}

#[test]
fn go_types_implement_interfaces_by_what_their_methods_take_and_give_back() {
    let project = |methods: &str| {
        format!(
            "//- /go.mod\nmodule acme\n//- /ask/ask.go\npackage ask\nimport \"acme/kind\"\n\
             type Asked interface {{ {methods} }}\ntype Leaf struct{{}}\n\
             //- /kind/kind.go\npackage kind\ntype Row struct{{}}\ntype Name string\ntype Same = Row\n\
             //- /own/own.go\npackage own\nimport \"acme/kind\"\ntype Leaf struct{{}}\n\
             type Plain struct{{}}\n\
             func (p *Plain) Take(v any, rows []byte) (kind.Row, error) {{ return kind.Row{{}}, nil }}\n\
             func (p *Plain) End() {{}}\nfunc (p *Plain) Leaf(l Leaf) {{}}\n\
             func (p *Plain) Rest(n ...int) (err error) {{ return nil }}\n\
             type Renamed Plain\ntype Same = Plain\n\
             type Holder struct{{ *Plain }}\ntype Twin Holder\ntype Inner struct{{ Renamed }}\n"
        )
    };
    let all: &[&str] = &["Holder", "Plain", "Twin"];
    let cases: &[(&str, &[&str])] = &[
        ("End()", all),
        ("End() error", &[]),
        ("Take(interface{}, []uint8) (r kind.Same, e error)", all),
        ("Take(interface{}, []byte) kind.Row", &[]),
        ("Take(any, [][]byte) (kind.Row, error)", &[]),
        ("Take(any, []byte) (kind.Name, error)", &[]),
        ("Take(any, string) (kind.Row, error)", &[]),
        ("Take(any, func()) (kind.Row, error)", &[]),
        ("Take(any, []byte) (r kind.Row, s string)", &[]),
        ("Take(any, []byte) (elsewhere.Row, error)", all),
        ("Leaf(Leaf)", &[]),
        ("Rest(...int) error", all),
        ("Rest([]int) error", &[]),
    ];
    let (mut wrong, mut expected) = (Vec::new(), Vec::new());
    for (methods, types) in cases {
        let found = edges(&graph_of(&project(methods)), EdgeKind::Implements);
        let types_only = found.into_iter().filter(|edge| edge.ends_with("Asked"));
        wrong.push((methods, types_only.collect::<Vec<_>>()));
        let edge = |name: &&str| format!("acme/own.{name} -> acme/ask.Asked");
        expected.push((methods, types.iter().map(edge).collect::<Vec<_>>()));
    }
    assert_eq!(wrong, expected);
}
