//! C and C++: names of namespaces, types that are declared apart, bodies of several programs, and calls that nobody wrote.

use std::fmt::Write;

use pretty_assertions::assert_eq;
use retriever_graph::{Edge, EdgeKind, NodeId, NodeKind};

use crate::support::{check, check_cases, edges, graph_of};

use super::check_lines;

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
            "io::Writer::again -> io::Writer::again",
            "io::Writer::again -> io::deep::near",
            "both -> Node::id",
            "copied -> Node::id",
            "io::deep::wide -> io::deep::near",
            "iterated -> Leaf::up",
            "iterated -> Node::id",
            "iterated -> Node::id ~",
            "iterated -> Node::next ~",
            "made -> Leaf::Leaf",
            "made -> Node::Node",
            "made -> io::deep::far",
            "thrown -> Leaf::Leaf",
            "widest -> io::deep::wide",
        ],
    );
}

#[test]
fn cpp_casts_convert_and_call_nothing() {
    let graph = graph_of(
        "
//- /a.cc
struct A { virtual ~A(); };
struct B : A { void n(); };
int f(A* a) {
  static_cast<B*>(a)->n();
  auto* b = dynamic_cast<B*>(a);
  b->n();
  return static_cast<int>(g(*const_cast<A*>(a)));
}
",
    );
    assert_eq!(edges(&graph, EdgeKind::Calls), ["f -> B::n", "f -> B::n ~"]);
    let nodes = graph.files().into_iter().flat_map(|(_, nodes)| nodes.map(NodeId));
    let open: Vec<_> = nodes.flat_map(|id| graph.open_calls(id)).map(|call| &call.name).collect();
    assert_eq!(open, ["g"]);
}

#[test]
fn cpp_values_of_handlers_and_of_members_without_a_holder_have_their_types() {
    check(
        r#"
//- /a.cpp
struct Failure { const char *what() const { return 0; } };
void run() { try { } catch (const Failure &failure) { failure.what(); } }
struct Shown { Shown() {} void show() {} };
struct Either {
  union { Shown shown; struct { Shown inner; }; };
  Either() : shown() { inner.show(); }
};
struct Locale { int classic() const { return 1; } operator const std::locale&() const { return from(classic()); } };
struct Buffer {
  NO_WARNING(suppress : 26495)
  Buffer(int size) noexcept : size_(size) {}
  int size_;
};
struct Copied { Copied(int n, int m); Copied(const Copied&) = delete; };
Copied::Copied(int n, int m) {}
void make(int n) { new Copied(n); }
"#,
        &[
            "Either::Either -> Shown::Shown",
            "Either::Either -> Shown::show",
            "Locale::operator const std::locale& -> Locale::classic",
            "make -> Copied::Copied",
            "run -> Failure::what",
        ],
    );
}

#[test]
fn cpp_a_class_that_another_only_declares_is_defined_outside_of_it() {
    check(
        r#"
//- /app.hpp
namespace ft { class App { public: void draw(); struct Internal; Internal* internal_; }; }
//- /app.cpp
#include "app.hpp"
namespace ft {
namespace { void flush() {} }
struct App::Internal {
  void install();
  void send(int n);
  App* public_;
};
void App::Internal::install() { flush(); send(1); public_->draw(); }
void App::Internal::send(int n) {}
void App::draw() { internal_->install(); }
}
"#,
        &[
            "ft::App::draw -> ft::App::Internal::install",
            "ft::App::Internal::install -> ft::App::draw",
            "ft::App::Internal::install -> ft::App::Internal::send",
            "ft::App::Internal::install -> ft::flush",
        ],
    );
}

#[test]
fn cpp_a_function_whose_type_is_deduced_gives_what_it_returns() {
    let project = "//- /a.cpp
struct Tool { void go(); Tool& up(); operator Handle() { return *this; } };
struct Box { auto tool() const { return Tool{}; } Handle unread() { return Tool(); } };
";
    let run = ("run -> Tool::go", "run -> Tool::up");
    check_cases(
        project,
        &[
            ("auto make() { return Tool{}; }\nvoid run() { make().go(); }", run),
            ("auto make() { Tool t; return t; }\nvoid run() { auto t = make(); t.go(); }", run),
            (
                "decltype(auto) make(Tool& t) { return t.up(); }\nvoid run(Tool& t) { make(t).go(); }",
                run,
            ),
            ("void run(Box& b) { b.tool().go(); }", run),
            ("void run(Box& b) { b.unread().go(); }", ("", "run -> Tool::go")),
        ],
    );
}

#[test]
fn cpp_a_function_that_is_kept_gives_what_its_type_says() {
    let project = "//- /a.cpp
#include <functional>
struct Tool { void go(); Tool& up(); };
using Maker = std::function<std::unique_ptr<Tool>(int)>;
struct Box { std::function<Tool*()> make; Maker other; std::function<void()> done; };
";
    let run = ("run -> Tool::go", "run -> Tool::up");
    check_cases(
        project,
        &[
            ("void run(Box& b) { b.make()->go(); }", run),
            ("void run(Box& b) { b.other(1)->go(); }", run),
            ("void run(std::function<Tool(Tool, int)> f) { f(t, 1).go(); }", run),
            ("void run(const std::function<Tool&()>& f) { auto& t = f(); t.go(); }", run),
            (
                "void run(std::vector<std::function<Tool*()>>& all) { for (auto& f : all) f()->go(); }",
                run,
            ),
            ("void run(Box& b) { b.done().go(); }", ("", "run -> Tool::go")),
            ("void run(Box& b) { b.make.go(); }", ("", "run -> Tool::go")),
        ],
    );
}

#[test]
fn cpp_a_class_in_a_class_that_is_defined_outside_sees_what_is_around_it() {
    check(
        r#"
//- /app.hpp
namespace ft {
struct Tool { static void use(); };
class App { public: static void cross(int n); void draw(); class Info; int Tool(); };
struct Walk { template <typename T> struct Step { T go() { return T(); } void rest(); }; };
}
//- /app.cpp
#include "app.hpp"
namespace ft {
void free() {}
class App::Info {
 public:
  static Info* empty();
  bool ok();
  class Step;
  struct Near { void go(); void free(); };
};
class App::Info::Step : public Walk::Step<App::Info*> {
 public:
  void post(Walk* w);
  bool thin() { return true; }
};
App::Info* App::Info::empty() { cross(1); return nullptr; }
bool App::Info::ok() { return true; }
void App::Info::Near::go() { empty(); cross(2); free(); Tool::use(); }
void App::Info::Step::post(Walk* w) { thin(); Info* i = empty(); i->ok(); free(); }
void App::draw() { App::Info::Step s; s.post(nullptr); s.rest(); Info::empty(); }
}
"#,
        &[
            "ft::App::Info::Near::go -> ft::App::Info::Near::free",
            "ft::App::Info::Near::go -> ft::App::Info::empty",
            "ft::App::Info::Near::go -> ft::App::cross",
            "ft::App::Info::Near::go -> ft::Tool::use",
            "ft::App::Info::Step::post -> ft::App::Info::Step::thin",
            "ft::App::Info::Step::post -> ft::App::Info::empty",
            "ft::App::Info::Step::post -> ft::App::Info::ok",
            "ft::App::Info::Step::post -> ft::free",
            "ft::App::Info::empty -> ft::App::cross",
            "ft::App::draw -> ft::App::Info::Step::post",
            "ft::App::draw -> ft::App::Info::empty",
            "ft::App::draw -> ft::Walk::Step::rest",
        ],
    );
}

#[test]
fn cpp_a_class_that_another_only_declares_is_that_of_its_own_program() {
    check_lines(
        r#"
//- /one/app.hpp
namespace ft { class App { public: void draw(); struct Internal; Internal* internal_; }; }
//- /one/app.cpp
#include "app.hpp"
namespace ft {
struct App::Internal {
  void install() {}
};
void App::draw() { internal_->install(); }
void draw(App::Internal* it) { it->install(); }
}
//- /two/app.cpp
namespace ft {
struct App { struct Internal; Internal* internal_; void stop(); };




struct App::Internal {
  void install() {}
};
void App::stop() { internal_->install(); }
void stop(App::Internal* it) { it->install(); }
}
"#,
        &[(6, 4), (7, 4), (10, 8), (11, 8)],
    );
}

#[test]
fn c_a_program_runs_its_own_function_and_no_other_programs() {
    for tools in [2, 4, 6] {
        let mut project = String::new();
        let mut expected = Vec::new();
        for n in 1..=tools {
            let ty = if n % 2 == 0 { "char" } else { "struct options" };
            write!(project, "//- /tools/tool{n}.c\nvoid usage(const {ty} *of) {{}}\nint main(void) {{ usage(0); help(); return 0; }}\nint help() {{ return {n}; }}\n").unwrap();
            expected.extend([(2, 1), (2, 3)]);
        }
        expected.sort_unstable();
        check_lines(&project, &expected);
        let graph = graph_of(&project);
        let is_own =
            |edge: &Edge| graph.node(edge.from).unwrap().path == graph.node(edge.to).unwrap().path;
        assert!(graph.edges().filter(|edge| edge.kind == EdgeKind::Calls).all(is_own));
    }
}

#[test]
fn c_a_call_leads_to_many_bodies_only_where_the_caller_sees_their_header() {
    let mut bodies = String::new();
    for name in ["aix", "bsd", "hurd", "linux", "sun"] {
        write!(bodies, "//- /src/{name}.c\n#include \"net.h\"\n\n\nint net_open(int port) {{ return port; }}\nint net_shut(int port) {{ return port; }}\n").unwrap();
    }
    let project = format!(
        "//- /src/net.h\nint net_open(int port);\n{bodies}//- /src/run.c\n#include \"net.h\"\nint run(void) {{ return net_open(1); }}\n\
         //- /src/other.c\nint net_open(int);\nint net_shut(int);\nint other(void) {{ return net_open(1) + net_shut(1); }}\n\
         //- /src/apart.c\n\n\n\n\n\n\n\nint net_open(int port) {{ return 0; }}\n"
    );
    check_lines(&project, &[(2, 4); 5]);
}

#[test]
fn cpp_overloads_of_many_headers_are_no_bodies_of_one() {
    let mut project = String::new();
    let mut includes = String::new();
    for name in ["a", "b", "c", "d", "e", "f"] {
        let class = name.to_uppercase();
        write!(project, "//- /{name}.h\nstruct json;\nstruct {class} {{}};\nvoid to_json(json& to, const {class}& from);\n\
             //- /{name}.cpp\n#include \"{name}.h\"\nvoid to_json(json& to, const {class}& from) {{}}\n").unwrap();
        writeln!(includes, "#include \"{name}.h\"").unwrap();
    }
    write!(project, "//- /run.cpp\n{includes}void run(json& to) {{ to_json(to, unknown()); }}\n")
        .unwrap();
    check_lines(&project, &[]);
}

#[test]
fn cpp_what_is_defined_outside_of_its_type_has_the_types_in_its_name() {
    let graph = graph_of(
        r#"
//- /a.h
namespace n {
class Cursor { public: virtual void Seek() = 0; };
class Block { public: class Cursor; struct Part; enum Kind : int; void Read(); };
template <typename K> class List { public: class Cursor { public: void Seek(); }; struct Node; };
}
//- /a.cc
#include "a.h"
namespace n {
class Block::Cursor : public n::Cursor { public: void Seek() override { struct Local { void Go() {} }; } };
struct Block::Part { struct Inner { void Go(); }; void Next() {} };
void Block::Part::Inner::Go() {}
enum Block::Kind : int { One };
template <typename K> struct List<K>::Node { void Next() {} };
template <typename K> inline void List<K>::Cursor::Seek() {}
void n::Block::Read() { struct Local { void Go() {} }; }
void over(Cursor* it, List<int>::Cursor list) { it->Seek(); list.Seek(); }
}
void n::Block::Read(int) {}
"#,
    );
    let mut names: Vec<String> = graph
        .nodes()
        .filter(|node| node.path == "a.cc" && node.kind != NodeKind::File)
        .map(|node| format!("{} {}", node.qname, node.start))
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "n 2",
            "n::Block::Cursor 3",
            "n::Block::Cursor::Seek 3",
            "n::Block::Cursor::Seek::Local 3",
            "n::Block::Cursor::Seek::Local::Go 3",
            "n::Block::Kind 6",
            "n::Block::Kind::One 6",
            "n::Block::Part 4",
            "n::Block::Part::Inner 4",
            "n::Block::Part::Inner::Go 4",
            "n::Block::Part::Inner::Go 5",
            "n::Block::Part::Next 4",
            "n::Block::Read 12",
            "n::Block::Read 9",
            "n::Block::Read::Local 9",
            "n::Block::Read::Local::Go 9",
            "n::List::Cursor::Seek 8",
            "n::List::Node 7",
            "n::List::Node::Next 7",
            "n::over 10",
        ]
    );
    assert_eq!(
        edges(&graph, EdgeKind::Calls),
        ["n::over -> n::Cursor::Seek", "n::over -> n::List::Cursor::Seek"]
    );
}

#[test]
fn c_may_have_names_that_are_words_of_cpp() {
    check(
        r#"
//- /a.c
/*
 class of what is said here:
 using std::move is none
 */
// namespace a {
//**** b.h
const char *text(const char *);
void note(const char *, ...);
static void title(int new)
{
	const char *template, *class = "/*";

	template = text("t");
	class = text("c");
	template [0] = 1;
	note(template, class, new);
}
void after(void) { title(1); }
//- /b.c
const char *text(const char *name) { return name; }
void note(const char *name, ...) {}
"#,
        &["after -> title", "title -> note", "title -> text"],
    );
}

#[test]
fn cpp_in_a_header_is_seen_below_lines_of_stars() {
    check(
        r#"
//- /a.h
//*******
template <typename T>
class Box { public: void open() { look(); } void look() {} };
"#,
        &["Box::open -> Box::look"],
    );
}
