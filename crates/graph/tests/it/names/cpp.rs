//! C and C++: macros, directives and operators around declarations, and calls that nobody wrote.

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
            "span::iterator 18-20",
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

#[test]
fn cpp_namespaces_that_macros_and_words_open_are_one() {
    check(
        "
//- /core.h
#define LIB_BEGIN_NAMESPACE namespace lib { inline namespace v1 {
#define LIB_END_NAMESPACE } }
#define LIB_BEGIN_DETAIL_NAMESPACE namespace detail {
#define LIB_END_DETAIL_NAMESPACE }
LIB_BEGIN_NAMESPACE
LIB_BEGIN_DETAIL_NAMESPACE
constexpr bool is_wide() { return true; }
LIB_END_DETAIL_NAMESPACE
inline bool print() { return detail::is_wide(); }
LIB_END_NAMESPACE
//- /format.h
#include \"core.h\"
LIB_BEGIN_NAMESPACE
namespace detail {
inline int count() { return is_wide() ? 1 : 2; }
}
namespace detail {
inline int twice() { return 2 * count(); }
}
inline int total() { return detail::twice() + (detail::is_wide() ? 1 : 0); }
LIB_BEGIN_DETAIL_NAMESPACE
inline int thrice() { return 3 * count(); }
LIB_END_DETAIL_NAMESPACE
LIB_END_NAMESPACE
//- /main.cc
#include \"format.h\"
int main() { return lib::total() + lib::detail::count() + lib::detail::is_wide(); }
",
        &[
            "detail::count -> is_wide",
            "detail::twice -> detail::count",
            "main -> detail::count",
            "main -> is_wide",
            "main -> total",
            "print -> is_wide",
            "thrice -> detail::count",
            "total -> detail::twice",
            "total -> is_wide",
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
fn cpp_what_a_namespace_of_a_macro_only_declares_leads_to_its_definition() {
    check_lines(
        r#"
//- /a.h
#define NS_BEGIN namespace lib { inline namespace v1 {
#define NS_END } }
#define DETAIL_BEGIN namespace detail {
#define DETAIL_END }
NS_BEGIN
DETAIL_BEGIN
API NORETURN void fail(const char* message);
template <typename Char> void put(Char c, int n = 0);
DETAIL_END
NS_END
//- /a-inl.h
#include "a.h"
NS_BEGIN
namespace detail {
void fail(int code) {}
FUNC void fail(const char* message) { THROW(message); }
}
NS_END
//- /b.cpp
#include "a.h"
NS_BEGIN
DETAIL_BEGIN
template <typename Char> void put(Char c, int n) { fail("x"); }
DETAIL_END
void run() { detail::put(3); detail::fail(unknown()); }
NS_END
"#,
        // `put` is called on line 6; nobody calls `fail(int)`, on line 4 of its file.
        &[(4, 5), (6, 4), (6, 5)],
    );
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
fn cpp_macros_behind_the_names_of_members_and_variables() {
    let common = "//- /a.h\nstruct S { void go(); };\nstruct M {};\n//- /a.cc\n#include \"a.h\"\n";
    let go = "run -> S::go";
    let cases = [
        (
            "class D { M m_; S* s_ GUARDED_BY(m_); void run() { s_->go(); } };",
            "D::run -> S::go",
            "",
        ),
        (
            "class D { M m_; S s_ GUARDED_BY(D::m_) = {}; void run() { s_.go(); } };",
            "D::run -> S::go",
            "",
        ),
        (
            "class D { M m_; const S* a_ TAKEN_BEFORE(m_, this->m_), *b_; void run() { a_->go(); } };",
            "D::run -> S::go",
            "",
        ),
        (
            "class D { M m_; S* const s_ GUARDED_BY(m_); void run() { s_->go(); } };",
            "D::run -> S::go",
            "",
        ),
        (
            "class D { M m_; S s_[ns::MAX(2)] GUARDED_BY(m_); void run() { s_[0].go(); } };",
            "D::run -> S::go",
            "",
        ),
        ("static M m;\nstatic S* s GUARDED_BY(m);\nvoid run() { s->go(); }", go, ""),
        // What looks alike.
        ("typedef S LONG_NAME;\nvoid run(LONG_NAME* s) { s->go(); }", go, ""),
        ("S MAKE_ONE(int n);\nvoid run() { MAKE_ONE(1).go(); }", go, ""),
        ("hidden S MAKE_ONE(int);\nvoid run() { MAKE_ONE(1); }", "run -> MAKE_ONE", ""),
        ("hidden S MAKE_ONE();\nvoid run() { MAKE_ONE(); }", "run -> MAKE_ONE", ""),
    ];
    for (case, present, absent) in cases {
        check_cases(common, &[(case, (present, absent))]);
    }
}

#[test]
fn cpp_functions_are_declared_by_macros_that_are_given_their_type_and_name() {
    let project = r#"
//- /base.h
#define DECLARE_BOTH(ret, name, ...) ret name(__VA_ARGS__); ret name##Later(__VA_ARGS__);
#define DEFINE_BOTH(ret, name) ret name
#define CHECK_SAME(a, b, c) check(a, b, c)
int near(int n);
class Base { public: virtual int get(const Key& key, int n) = 0; };
namespace own {
// A store (of sorts).
class Store : public Base {
 public:
  DECLARE_BOTH(int, get, const Key& key, int n = 1);
  DECLARE_BOTH(/* gives */ std::vector<int>, /* name, */ all, const Key&,
               int n);
  int size() const { CHECK_SAME(Key, key, n * m); return near(1); }
};
}
//- /a.cpp
#include "base.h"
"#;
    let other = "f -> own::DEFINE_BOTH";
    check_cases(
        project,
        &[
            (
                "namespace own {\nDEFINE_BOTH(int, Store::get)\n(const Key& key, int n) { return near(n); } }",
                ("own::Store::get -> near", other),
            ),
            (
                "DEFINE_BOTH(std::vector<int>, own::Store::all)(const Key& key, int n) const { near(n); }",
                ("own::Store::all -> near", other),
            ),
            (
                "int f(own::Store* s) { return s->get(key, 1); }",
                ("f -> own::Store::get", "f -> Base::get"),
            ),
            ("int f(own::Store* s) { return s->all(key, 1); }", ("f -> own::Store::all", other)),
            (
                "int f(own::Store* s) { return s->size(); }",
                ("f -> own::Store::size", "f -> own::Store::key"),
            ),
            (
                "BENCHMARK_F(Store, get)(State& state) { near(1); }\nint f() { return get(1); }",
                ("", "f -> get"),
            ),
            ("STATIC_VALUE(int, sum, 1);\nint f() { return sum(1); }", ("", "f -> sum")),
        ],
    );
    let names = graph_of(project);
    let wrong = names.nodes().filter(|node| node.qname.contains("DECLARE_BOTH"));
    assert_eq!(wrong.filter(|node| node.kind == NodeKind::Function).count(), 0);
}

#[test]
fn cpp_rows_of_pointers_that_are_made_end_no_namespace() {
    check(
        r#"
//- /a.cpp
namespace own { namespace inner {
struct Head { Head(); int n; };
struct Row { void grow(int n); void free(); };
void Row::grow(int n) {
  std::unique_ptr<Head*[]> rows{
      new Head* [size_t{1} << n] {}};
  free();
}
void Row::free() { Head* one = new Head(); }
}
int last() { return 1; }
}
int other() { return own::last(); }
"#,
        &[
            "other -> own::last",
            "own::inner::Row::free -> own::inner::Head::Head",
            "own::inner::Row::grow -> own::inner::Row::free",
        ],
    );
}
