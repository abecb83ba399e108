//! C and C++: macros, directives, attributes and operators in and around declarations hide nothing behind them.

use pretty_assertions::assert_eq;
use retriever_graph::NodeKind;

use crate::support::{check, check_cases, graph_of};

use super::check_lines;

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
            "first.Enum 38-38",
            "second.numbers 40-43",
            "third.end 45-45",
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

#[test]
fn macros_of_calling_conventions_hide_no_pointers_to_functions() {
    for path in ["a.c", "a.cpp"] {
        let table = (0..4_000).fold(String::new(), |table, at| {
            table
                + &format!(
                    "    HRESULT (STDCALLTYPE * Get{at})(Buffer *it, int (CALLBACK *done)(int));\n"
                )
        });
        let source = format!(
            "//- /{path}\n\
             typedef struct Buffer Buffer;\n\
             struct Calls {{\n{table}}};\n\
             static int done(int n) {{ return n; }}\n\
             int open_it(int n) {{ return (WIDTH * done)(n) + done(n); }}\n\
             int close_it(int n) {{ return done(n); }}\n"
        );
        check(&source, &["close_it -> done", "open_it -> done"]);
    }
}
