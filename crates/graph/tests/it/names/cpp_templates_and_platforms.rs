//! C++: arguments of templates that a value tells, bodies for several platforms, macros inside namespaces.

use std::fmt::Write;

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, LookupTarget, NameLookup, NodeQuery};

use crate::support::{check_cases, check_some, graph_of};

#[test]
fn cpp_arguments_of_a_template_follow_from_what_a_variable_is_made_of() {
    let project = r"
//- /a.h
struct Event { template <typename T> bool is() const; void hit() const; };
struct Other { void hit() const; };
std::optional<Event> poll();
template <class T> struct Own { Own(T t, int n); T item; T& get() { return item; } };
Own<Event> made();
//- /a.cpp
#include <a.h>
";
    let other = "f -> Other::hit";
    let case = |text| (text, ("f -> Event::hit", other));
    check_cases(
        project,
        &[
            case("void f() { while (const std::optional e = poll()) e->hit(); }"),
            case("void f() { if (std::optional e = poll(); e) e->hit(); }"),
            case("void f(Event one) { std::optional e(one); e->hit(); }"),
            case("void f(Event one) { std::vector all{one, one}; all[0].hit(); }"),
            case("void f(Event one, Other two) { std::pair both(one, two); both.first.hit(); }"),
            case("void f(Event one) { Own own(one, 1); own.get().hit(); }"),
            case("void f(Event one) { Own own{one, 1}; own.item.hit(); }"),
            case("void f() { Own own = made(); own.item.hit(); }"),
            (
                "void f() { while (std::optional e = poll()) e->is<int>(); }",
                ("f -> Event::is", other),
            ),
            ("void f(Event a, Other b) { std::vector all{a, b}; all[0].hit(); }", ("", other)),
            // What is written comes first, and what a variable is made of is no call of it.
            (
                "void f(Event one) { std::optional<Other> e(one); e->hit(); }",
                ("f -> Other::hit", "f -> Event::hit"),
            ),
            (
                "struct Run { Run(int n); void operator()(); };\nvoid f() { Run run(1); run(); }",
                ("f -> Run::operator()", other),
            ),
        ],
    );
}

#[test]
fn cpp_bodies_for_platforms_are_those_of_one_declaration() {
    let mut project = String::from(
        "//- /mode.hpp
#pragma once
namespace os { class Mode { public: static int all(); int own(int n); }; bool pressed(int key); bool pressed(char key); }
//- /use.cpp
#include \"mode.hpp\"
int use() { return os::Mode::all(); }
bool down() { return os::pressed(1); }
",
    );
    for platform in ["a", "b", "c", "d", "e"] {
        write!(
            project,
            "//- /{platform}/mode.cpp
#include \"../mode.hpp\"
namespace os {{
int Mode::all() {{ return 1; }}
bool pressed(int key) {{ return true; }}
bool pressed(char /* key */) {{ return true; }}
}}
"
        )
        .unwrap();
    }
    let graph = graph_of(&project);
    let calls = |to: &str| {
        let calls = graph.edges().filter(|edge| edge.kind == EdgeKind::Calls);
        calls.filter(|edge| graph.node(edge.to).is_some_and(|node| node.qname == to)).count()
    };
    assert_eq!((calls("os::Mode::all"), calls("os::pressed")), (5, 5));
    for (name, nodes) in [("Mode.all", 6), ("os::pressed", 12)] {
        let found = graph.lookup(LookupTarget { name, ..LookupTarget::default() });
        let NameLookup::One(one) = found else { unreachable!("{name}: {found:?}") };
        assert_eq!(graph.overloads(one).len(), nodes, "{name}");
    }
}

#[test]
fn cpp_bodies_for_platforms_are_not_those_of_another_overload() {
    let graph = graph_of(
        "//- /f.hpp
#pragma once
struct Str {};
int f(int n);
int f(Str s);
//- /a.cpp
#include \"f.hpp\"
int f(int n) { return 1; }
//- /b.cpp
#include \"f.hpp\"
int f(int n) { return 2; }
",
    );
    let to = graph.edges().filter(|edge| edge.kind == EdgeKind::Imports);
    let mut lines: Vec<u32> = to
        .filter_map(|edge| graph.node(edge.to))
        .filter(|node| node.name == "f")
        .map(|node| node.name_line)
        .collect();
    lines.dedup();
    assert_eq!(lines, [3]);
}

#[test]
fn cpp_macros_know_no_namespaces() {
    check_some(
        r"
//- /check.hpp
#pragma once
namespace app::priv {
struct Guard { Guard(const char*); };
#define CHECK(...) (app::priv::Guard(#__VA_ARGS__), __VA_ARGS__)
int behind();
}
//- /use.cpp
#include <check.hpp>
int low();
namespace app::priv { int inside() { return CHECK(low()); } }
namespace app { int outer() { return CHECK(low()) + priv::behind(); } }
int global() { return CHECK(low()); }
",
        &[
            "app::priv::inside -> CHECK",
            "app::outer -> CHECK",
            "global -> CHECK",
            "app::outer -> app::priv::behind",
        ],
        &[],
    );
}

#[test]
fn cpp_a_bare_name_is_no_class_of_a_test_where_a_namespace_has_one() {
    let graph = graph_of(
        r"
//- /src/stream.hpp
#pragma once
namespace app { class Stream { public: virtual bool get() = 0; }; class Music : public Stream { public: bool get() override; }; }
//- /src/music.cpp
#include <stream.hpp>
namespace app { bool Music::get() { return true; } }
//- /test/stream.test.cpp
#include <stream.hpp>
namespace { class Stream : public app::Stream { bool get() override { return true; } }; }
void t() { Stream s; }
",
    );
    let found = graph.lookup(LookupTarget { name: "Stream", ..LookupTarget::default() });
    let NameLookup::Several { candidates, total: 2 } = found else { unreachable!("{found:?}") };
    assert_eq!(graph.node(candidates[0]).unwrap().qname, "app::Stream");
    // What implements a method is its body, where that stands apart.
    let get = graph.lookup(LookupTarget { name: "app::Stream::get", ..LookupTarget::default() });
    let NameLookup::One(get) = get else { unreachable!("{get:?}") };
    let bodies = graph.related(NodeQuery::Implementations, &[get], 1, 0, 10).items;
    let bodies: Vec<&str> =
        bodies.iter().map(|it| graph.node(it.node).unwrap().path.as_str()).collect();
    assert_eq!(bodies, ["src/music.cpp", "test/stream.test.cpp"]);
}
