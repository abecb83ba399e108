//! Names that are two things at once: methods beside types and functions, variables beside methods, overloads of a type and
//! of what it builds on, loops over what their variable hides; and values whose code nobody wrote.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, NodeId, NodeKind};

use crate::support::{check, graph_of};

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
fn cpp_other_names_of_namespaces_and_words_before_calls() {
    check(
        r#"
//- /deep.h
namespace base { namespace deep {
inline int tint(int a) { return a; }
struct Box { void open() {} };
} }
//- /use.cpp
#include "deep.h"
namespace dp = base::deep;
int use() { dp::Box box; box.open(); return dp::tint(1); }
//- /signal.cpp
class Dial {
public:
  void changed(int);
  void set(int value) { emit changed(value); }
  void emit_all(int value) { if (value) Q_EMIT this->changed(value); }
};
"#,
        &[
            "Dial::emit_all -> Dial::changed",
            "Dial::set -> Dial::changed",
            "use -> base::deep::Box::open",
            "use -> base::deep::tint",
        ],
    );
}

#[test]
fn rust_paths_go_through_a_module_that_a_function_is_named_like() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
mod search;
mod other;
pub mod files;
fn search() { let w = other::make(); w.go(); search::free(); }
fn start() { search(); files::write(); }
//- /src/search.rs
pub struct Worker;
impl Worker { pub fn go(&self) {} }
pub fn free() {}
//- /src/other.rs
use crate::search::{Worker, free};
use crate::search;
pub fn make() -> Worker { free(); Worker }
fn direct(w: crate::search::Worker) { w.go(); crate::search::free(); }
fn by_name() { search::free(); search(); }
//- /src/files/mod.rs
mod write;
pub use self::write::write;
//- /src/files/write.rs
pub fn write() {}
"#,
        &[
            "a::other::by_name -> a::search",
            "a::other::by_name -> a::search::free",
            "a::other::direct -> a::search::Worker::go",
            "a::other::direct -> a::search::free",
            "a::other::make -> a::search::free",
            "a::search -> a::other::make",
            "a::search -> a::search::Worker::go ~",
            "a::search -> a::search::free",
            "a::start -> a::files::write::write",
            "a::start -> a::search",
        ],
    );
}

#[test]
fn rust_crates_are_reached_through_one_that_passes_them_on() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "app"
//- /src/main.rs
extern crate self as own;
mod near;
fn main() { search(); own::near::help(); }
fn search() { let s = facade::finder::Finder::new(); s.find(); facade::words::split(); }
fn typed(finder: &mut facade::finder::Finder) { finder.find(); }
//- /src/near.rs
pub fn help() {}
//- /crates/facade/Cargo.toml
[package]
name = "facade"
//- /crates/facade/src/lib.rs
pub extern crate text_finder as finder;
pub extern crate words;
extern crate hidden;
//- /crates/finder/Cargo.toml
[package]
name = "text-finder"
//- /crates/finder/src/lib.rs
pub struct Finder;
impl Finder {
    pub fn new() -> Self { Finder }
    pub fn find(&self) {}
}
//- /crates/words/Cargo.toml
[package]
name = "words"
//- /crates/words/src/lib.rs
pub fn split() {}
"#,
        &[
            "app::main -> app::near::help",
            "app::main -> app::search",
            "app::search -> text_finder::Finder::find ~",
            "app::search -> text_finder::Finder::new",
            "app::search -> words::split",
            "app::typed -> text_finder::Finder::find",
        ],
    );
}

#[test]
fn rust_crates_start_where_the_manifest_says() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "digger"
autotests = false
[[bin]]
name = "dig"
path = "parts/core/main.rs"
[[test]]
name = "all"
path = "tests/tests.rs"
[[example]]
name = "tour"
//- /parts/core/main.rs
mod tools;
fn main() { crate::tools::spade::dig(); }
//- /parts/core/tools/mod.rs
pub mod spade;
//- /parts/core/tools/spade.rs
use crate::tools;
pub fn dig() { tools::spade::lift(); }
fn lift() {}
//- /tests/tests.rs
mod ground;
mod kit;
//- /tests/ground.rs
use crate::kit::measure;
fn is_soft() { measure(); }
//- /tests/kit.rs
pub fn measure() {}
//- /examples/tour.rs
mod stops;
fn main() { stops::first(); }
//- /examples/stops/mod.rs
pub fn first() {}
//- /deep/Cargo.toml
[package]
name = "deep"
[lib]
path = "rust/mine/lib.rs"
//- /deep/rust/mine/lib.rs
pub mod shaft;
//- /deep/rust/mine/shaft.rs
pub fn sink() { crate::shaft::timber(); }
fn timber() {}
//- /deep/tests/usual.rs
fn sinks() { deep::shaft::sink(); }
"#,
        &[
            "all::ground::is_soft -> all::kit::measure",
            "deep::shaft::sink -> deep::shaft::timber",
            "dig::main -> dig::tools::spade::dig",
            "dig::tools::spade::dig -> dig::tools::spade::lift",
            "tour::main -> tour::stops::first",
            "usual::sinks -> deep::shaft::sink",
        ],
    );
}

#[test]
fn rust_values_that_are_derived_mapped_and_gone_through() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
#[derive(Clone, Default)]
pub struct Font { size: u32 }
impl Font {
    fn sized(self) -> Font { self }
    fn go(&self) {}
    fn below(&self) -> Option<Font> { None }
}
struct Config { font: Font, range: std::ops::Range<Font>, all: Vec<Font> }
fn copied(c: &Config) { c.font.clone().sized(); }
fn made() { let f = Font::default(); f.go(); }
fn bounds(c: &Config) { let low = c.range.start; low.go(); }
fn hidden(fonts: &[Font]) { for fonts in fonts.iter() { fonts.go(); } }
fn mapped(c: &Config) { c.font.below().map(|f| f.sized()).unwrap().go(); }
fn joined(c: &Config) { c.font.below().and_then(|f| f.below()).unwrap().go(); }
fn paired(c: &Config) { for (a, b) in c.all.iter().zip(&c.all) { b.go(); } }
pub mod kit { pub fn tool() -> Line { Line(1) } pub struct Line(usize); impl std::ops::Sub<usize> for Line { type Output = Self; fn sub(self, n: usize) -> Self { self } } impl Line { pub fn clamp(&self) {} } impl Default for Line { fn default() -> Self { tool() } } }
mod apart {
    use crate::kit::{Line, tool};
    pub trait Sends { fn send(&self); }
    pub struct Page<T> { line: Line, sender: T, kept: std::mem::ManuallyDrop<Line>, by: std::collections::HashMap<u8, Line, u8> }
    impl<T> Page<T> {
        fn less(&self) { (self.line - 1).clamp(); }
        fn told(&self) where T: Sends { self.sender.send(); }
        fn holds(&self) { self.kept.clamp(); }
        fn finds(&self) { if let Some(line) = self.by.get(&1) { line.clamp(); } }
        fn fresh(sender: T) -> Self { Page { line: Default::default(), sender } }
    }
    fn used() { tool().clamp(); let line: Line = Default::default(); }
    enum Cut { At { line: Line } }
    impl Cut { fn clamp(&self) { match self { Self::At { line } => line.clamp() } } }
}
"#,
        &[
            "a::apart::Cut::clamp -> a::kit::Line::clamp ~",
            "a::apart::Page::finds -> a::kit::Line::clamp ~",
            "a::apart::Page::fresh -> a::kit::Line::default",
            "a::apart::Page::holds -> a::kit::Line::clamp",
            "a::apart::Page::less -> a::kit::Line::clamp ~",
            "a::apart::Page::told -> a::apart::Sends::send",
            "a::apart::used -> a::kit::Line::clamp ~",
            "a::apart::used -> a::kit::Line::default",
            "a::apart::used -> a::kit::tool",
            "a::bounds -> a::Font::go ~",
            "a::copied -> a::Font::sized ~",
            "a::hidden -> a::Font::go ~",
            "a::joined -> a::Font::below",
            "a::joined -> a::Font::below ~",
            "a::joined -> a::Font::go ~",
            "a::made -> a::Font::go ~",
            "a::mapped -> a::Font::below",
            "a::mapped -> a::Font::go ~",
            "a::mapped -> a::Font::sized ~",
            "a::kit::Line::default -> a::kit::tool",
            "a::kit::tool -> a::kit::Line",
            "a::paired -> a::Font::go ~",
        ],
    );
}

#[test]
fn cpp_macros_before_the_name_of_a_type_hide_nothing() {
    check_lines(
        r#"
//- /a.h
class LIB_EXPORT Slice;
class LIB_EXPORT Env final {
 public:
  int size() const;
};
struct LIB_API(1) Node : public Env {
  void put(const Slice& key);
  void put(const Env& env);
  struct DIR dir;
};
//- /a.cpp
#include "a.h"
class LIB_EXPORT Slice { int n; };
int both(Env* env, Node* node, const Slice& key) {
  node->put(key);
  node->put(*env);
  return env->size();
}
"#,
        &[(4, 7), (5, 8), (6, 4)],
    );
}

#[test]
fn cpp_calls_what_is_written_without_a_call() {
    check(
        r#"
//- /fwd.h
struct Node;
namespace io { class Writer; }
struct Holder { Node* node_; std::unique_ptr<io::Writer> out_; int run(); };
//- /node.h
#pragma once
#define TOLD(text)
struct Node {
  Node() : next_(0) {}
  explicit Node(int n);
  Node(int n, int m = 1);
  TOLD("text") int id() const NOTHING;
  Node* next() const { return next_->next(); }
  operator bool() const { return id(); }
  static int count();
  Node* next_;
};
struct Leaf : public Node { Leaf(int n) : Node(n), inner_{n, n}, plain_(n) { count(); } Node inner_; Node* plain_; Leaf* up() { return up_->up(); } Leaf* up_; };
//- /writer.h
#include "node.h"
namespace io { struct Plain { int n; }; class Writer { public: Writer(); void write(const Node& node); void again(); }; namespace deep { int far(int n); int wide(int n); int near(); } }
//- /wide.cpp
#include "writer.h"
int io::deep::wide(int n) { return near(); }
int io::deep::near() { return 1; }
int widest() { return io::deep::wide(1); }
void io::Writer::again() { Plain plain; deep::near(); Writer* other; other->again(); }
//- /node.cpp
#include "node.h"
Node::Node(int n) : next_(0) {}
Node::Node(int n, int m) { Node::count(); }
int Node::id() const { return 1; }
int Node::count() { return 0; }
#include "node.inl"
//- /node.inl
inline int both(Node& node) { return node.id(); }
//- /writer.cpp
#include "writer.h"
namespace io { Writer::Writer() {} void Writer::write(const Node& node) {} namespace deep { int far(int n) { return n; } } }
//- /main.cpp
#include "fwd.h"
#include "writer.h"
typedef std::map<int, Node*> Nodes;
int Holder::run() { out_->write(1); return node_->id(); }
int made(int n) { Node a; Node b(n); Node c{n, 2}; io::Writer* none; io::Plain plain; Leaf l(sizeof(n)); return io::deep::far(n); }
int copied(const Node& from) { Node a(from); Node b = from; Node& c = a; return a.id(); }
int iterated(Nodes& all, std::vector<Leaf> leaves) {
  for (Nodes::iterator it = all.begin(); it != all.end(); ++it) it->second->id();
  for (std::vector<Leaf>::const_iterator it = leaves.begin(); it; ++it) (*it).up();
  for (auto& [key, node] : all) node->next();
  if (Node* found = all.find(1)->second) found->id();
  return static_cast<Leaf*>(0)->up()->id();
}
int thrown() { throw Leaf{1}; }
"#,
        &[
            "Holder::run -> Node::id",
            "Holder::run -> io::Writer::write",
            "Leaf::Leaf -> Node::Node",
            "Leaf::Leaf -> Node::count",
            "Leaf::up -> Leaf::up",
            "Node::Node -> Node::count",
            "Node::next -> Node::next",
            "Node::operator bool -> Node::id",
            "Writer::again -> Writer::again",
            "Writer::again -> deep::near",
            "both -> Node::id",
            "copied -> Node::id",
            "deep::wide -> deep::near",
            "iterated -> Leaf::up",
            "iterated -> Leaf::up ~",
            "iterated -> Node::id",
            "iterated -> Node::id ~",
            "iterated -> Node::next ~",
            "made -> Leaf::Leaf",
            "made -> Node::Node",
            "made -> io::deep::far",
            "thrown -> Leaf::Leaf",
            "widest -> deep::wide",
        ],
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
fn cpp_macros_and_directives_hide_no_declaration() {
    // The first line is broken, so that the text is rewritten.
    let project = "
//- /help.h
int help();
//- /a.cpp
#include \"help.h\"
LIB_BEGIN_EXPORT
// What is exported.
template <typename T, LIB_ENABLE_IF(T::is_small)> class LIB_SEEN(\"default\") box {
 public:
  LIB_CONSTEXPR explicit box(int n) : n_(unsigned(n) < unsigned(size())) {}
  static LIB_CONSTEXPR auto make() -> int { return help(); }
#if LIB_OLD
  LIB_INLINE
#endif
  LIB_CONSTEXPR ~box() { LIB_TRY { help(); } LIB_CATCH(...) {} }
 private:
  int n_;
};
LIB_PRAGMA(push)
class limiter {
  limiter(int max)
      :
#if LIB_CHECKED
        max_(max),
#endif
        left_(max) {
    help();
  }
};
LIB_EXPORT void after() {
  LIB_TEST_BEGIN(help())
  int n;
}
BIG_TYPE typed(int n) { return help(); }
";
    let expected = [
        "box 4-14",
        "box::box 6-6",
        "box::make 7-7",
        "box::~box 11-11",
        "limiter 16-25",
        "limiter::limiter 17-24",
        "after 26-29",
        "typed 30-30",
        "help 1-1",
    ];
    check_extents(project, &expected);
}

/// Compares the classes and functions of a project, with their first and last lines.
#[track_caller]
fn check_extents(project: &str, expected: &[&str]) {
    let graph = graph_of(project);
    let known: Vec<String> = graph
        .nodes()
        .filter(|node| matches!(node.kind, NodeKind::Class | NodeKind::Function))
        .map(|node| format!("{} {}-{}", node.qname, node.start, node.end))
        .collect();
    assert_eq!(known, expected);
}

#[test]
fn cpp_words_of_macros_in_the_middle_of_declarations_hide_nothing_behind_them() {
    // The first line is broken, so that the text is rewritten.
    check_extents(
        r#"
//- /a.cpp
LIB_BEGIN_NAMESPACE
LIB_BEGIN_EXPORT

// Two macros, and a comment.
class text {};
class LIB_LOCKABLE LIB_WARN_UNUSED lock {
  lock(lock* lib_nonnull other, const char* lib_nullable name) LIB_COLD;
};
template <typename T, Kind...>
class kinds {};
class
#if defined(LIB_WIDE)
    alignas(16)
#endif
        wide {
};
template <typename T>
class span<T>::iterator {
  int at;
};
constexpr bool fits() {
  return
#if LIB_OLD
      (!is_wide() ||
       !is_long()) &&
#endif
      is_small();
}
lock::lock()
#if LIB_DEBUG
    : name_("lock")
#else
    : name_(nullptr)
#endif
{
}
/* A comment that ends with a parenthesis (like this) */
TEST(first, enum) { CHECK_THROW(throw error(""), error); }
// Another one (like this)
TEST(second, numbers) {
  CHECK_TYPE(long, 1);
  CHECK_TYPE(unsigned long long, 2);
}
#if defined(LIB_DEATH)
TEST(third, end) { CHECK_SIZE(uint16_t, 3); }
#endif
int multiply(int* a, int* b) { return *a * *b; }
"#,
        &[
            "text 5-5",
            "lock 6-8",
            "lock::lock 7-7",
            "kinds 10-10",
            "wide 11-16",
            "iterator 18-20",
            "fits 21-28",
            "lock::lock 29-36",
            "TEST 38-38",
            "TEST 40-43",
            "TEST 45-45",
            "multiply 47-47",
        ],
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
fn cpp_operators_attributes_and_pointers_to_members_end_nothing_early() {
    check_extents(
        r#"
//- /a.cpp
LIB_CHECK(check_eq, ==)
LIB_CHECK(check_ne, !=)
inline int got(int n) { return n; }
class held {
 public:
  [[deprecated("old")]]
  LIB_INLINED
  explicit held(int* n) LIB_LOCKS(n) : held(*n) {}
  explicit held(int n LIB_CAPTURED);
};
class params {
 public:
  using plain = int(held::*);
  using chosen = cond<true, int (n::held::*)(const int&, int) noexcept, held>;
};
template <class C, class T> class of<T(C::*)> {};
enum class one { ONLY_ONE };
void unused(int n)
{
  LIB_UNUSED(n)
}
void unused_too(int n) const { LIB_UNUSED(n) }
void LIB_INLINED held::stopped(int n) { got(n); }
#define LIB_REGISTER(f) \
  first(f); /* not the end */ \
  static int at = [] { second(f); return 0; }();
void last() {}
"#,
        &[
            "got 3-3",
            "held 4-10",
            "held::held 6-8",
            "held::held 9-9",
            "params 11-15",
            "of 16-16",
            "unused 18-21",
            "unused_too 22-22",
            "held::stopped 23-23",
            "last 27-27",
        ],
    );
}

#[test]
fn c_macros_in_place_of_fields_and_around_heads_hide_nothing() {
    check_extents(
        r#"
//- /a.h
struct timer_s {
  LIB_HANDLE_FIELDS
  LIB_TIMER_PRIVATE_FIELDS
};
struct request_s {
  int kind;
  LIB_PRIVATE_FIELDS
};
enum kind { LIB_KIND };
LIB_API int started(struct timer_s* timer);
LIB_EXPORT(void inserted(struct timer_s* timer, int n));
LIB_UNUSED(static int taken(struct timer_s* timer)) {
  return started(timer);
}
"#,
        &["started 10-10", "inserted 11-11", "taken 12-14"],
    );
}

#[test]
fn c_functions_come_before_macros_that_stand_for_them() {
    check(
        r#"
//- /api.h
#if defined(__linux__)
int sent(int n);
#else
#define sent(n) 0
#endif
#define doubled(n) (2 * (n))
//- /linux.c
#include "api.h"
int sent(int n) { return doubled(n); }
//- /run.c
#include "api.h"
int run(void) { return sent(1); }
"#,
        &["sent -> doubled", "run -> sent"],
    );
}

#[test]
fn cpp_errors_before_rewriting_do_not_give_a_file_up() {
    // Each function is broken for the grammar alone; a region of so many of them costs more than a text may.
    let body = "static void f() {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n  LIB_TRY { g(); } LIB_CATCH(...) {}\n  }\n}\n";
    let text = format!("//- /a.cpp\n{}int last() {{ return 1; }}\n", body.repeat(2_000));
    let graph = graph_of(&text);
    assert_eq!(graph.omissions(), []);
    assert!(graph.nodes().any(|node| node.qname == "last"));
}
