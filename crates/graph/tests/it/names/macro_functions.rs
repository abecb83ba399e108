//! Functions of C and C++ whose heading is a macro, and which body a prototype stands for.

use pretty_assertions::assert_eq;
use retriever_graph::NodeKind;

use crate::support::{check, check_some, graph_of};

/// The full names of the functions of a file that stand for no prototype, with their first and last lines.
fn functions_of(path: &str, text: &str) -> Vec<String> {
    let graph = graph_of(&format!("//- /{path}\n{text}"));
    let functions = graph.nodes().filter(|node| node.kind == NodeKind::Function);
    functions.map(|node| format!("{} {}-{}", node.qname, node.start, node.end)).collect()
}

#[test]
fn a_function_is_named_by_what_its_macro_is_given() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("a.cc", "TEST(Plain, Adds) {\n  f();\n}\n", &["Plain.Adds 1-3"]),
        ("a.cc", "namespace n {\nTEST_F(Store, Opens) { f(); }\n}\n", &["n::Store.Opens 2-2"]),
        ("a.cc", "TYPED_TEST(Store, Typed) { f(); }\n", &["Store.Typed 1-1"]),
        ("a.cc", "BOOST_AUTO_TEST_CASE(sums)\n{\n  f();\n}\n", &["sums 1-4"]),
        ("a.cc", "BENCHMARK_F(Store, Fast)(State& s) { s.f(); }\n", &["Store.Fast 1-1"]),
        ("a.cc", "TEST_CASE(\"adds numbers\", \"[math]\") {\n  f();\n}\n", &["adds numbers 1-3"]),
        ("a.cc", "namespace n {\nTEST_CASE(\"adds\") { f(); }\n}\n", &["n::adds 2-2"]),
        ("a.cc", "TEST_CASE(\"slow\" * skip()) { f(); }\n", &["slow 1-1"]),
        ("a.cc", "TEST_CASE_METHOD(Store, \"opens\") { f(); }\n", &["Store.opens 1-1"]),
        ("a.cc", "SCENARIO(\"one\") {\n  GIVEN(\"two\") { f(); }\n}\n", &["one 1-3"]),
        ("a.c", "PHP_FUNCTION(count_words)\n{\n  f();\n}\n", &["count_words 1-4"]),
        ("a.c", "SYSCALL_DEFINE2(openx, int, a, int, b)\n{\n  f();\n}\n", &["openx 1-4"]),
        (
            "a.c",
            "START_TEST(one)\n{\n  f();\n}\nEND_TEST\n\nSTART_TEST(two)\n{\n  f();\n}\nEND_TEST\n",
            &["one 1-4", "two 5-10"],
        ),
        // What is no such heading.
        ("a.cc", "class ABC { ABC(Part) { f(); } };\n", &["ABC::ABC 1-1"]),
        (
            "a.cc",
            "struct Abc { Abc(Part); };\nAbc::Abc(Part) { f(); }\n",
            &["Abc::Abc 1-1", "Abc::Abc 2-2"],
        ),
        ("a.cc", "int SIZE(Part) { return f(); }\n", &["SIZE 1-1"]),
        ("a.cc", "LIST(\"one\");\nint g() { return 1; }\n", &["g 2-2"]),
        ("a.c", "void g(void)\n{\n  LIST_FOREACH(one, two) { f(); }\n}\n", &["g 1-4"]),
    ];
    let found: Vec<_> = cases.iter().map(|(path, text, _)| functions_of(path, text)).collect();
    let expected: Vec<Vec<String>> =
        cases.iter().map(|(.., names)| names.iter().map(|it| (*it).to_owned()).collect()).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_body_of_a_test_sees_the_members_of_its_suite() {
    check_some(
        "
//- /a.cc
int free_one() { return 1; }
int both() { return 1; }
struct Base { void below() {} };
struct Store : Base { void help() {} int both() { return 2; } };
struct Plain { int both() { return 2; } };
TEST_F(Store, Opens) { help(); below(); free_one(); both(); this->help(); }
TEST(Plain, Adds) { both(); }
TEST_CASE_METHOD(Store, \"opens\") { help(); }
//- /b.c
PHP_FUNCTION(count)
{
  count(1);
}
",
        &[
            "Store.Opens -> Store::help",
            "Store.Opens -> Base::below",
            "Store.Opens -> free_one",
            "Store.Opens -> Store::both",
            "Plain.Adds -> both",
            "Store.opens -> Store::help",
        ],
        &["count -> count", "Store.Opens -> both", "Plain.Adds -> Plain::both"],
    );
}

#[test]
fn a_prototype_stands_for_bodies_whose_files_see_it() {
    let program = "
//- /store.h
void lock(void);
//- /thread.c
#include \"store.h\"
void lock(void) { }
//- /assoc.c
#include \"store.h\"
void init(void) { lock(); }
//- /testapp.c
void lock(void);
void lock(void) { }
int main(void) { lock(); return 0; }
";
    let graph = graph_of(program);
    let path = |id| graph.path_of(id).unwrap().to_owned();
    let calls = graph.edges().filter(|edge| edge.kind == retriever_graph::EdgeKind::Calls);
    let mut found: Vec<String> =
        calls.map(|edge| format!("{} -> {}", path(edge.from), path(edge.to))).collect();
    found.sort();
    assert_eq!(found, ["assoc.c -> thread.c", "testapp.c -> testapp.c"]);
    // Where no body's file sees the prototype, it stands for any.
    check(
        "
//- /part.h
void part(void);
//- /part.c
void part(void) { }
//- /use.c
#include \"part.h\"
void use(void) { part(); }
",
        &["use -> part"],
    );
}
