//! `graph` as a model calls it: what it answers, what it shows of files, and what becomes evidence.

use std::{collections::BTreeMap, sync::Arc};

use pretty_assertions::assert_eq;
use retriever::{
    config::{FileTraitsConfig, WorkspaceConfig},
    evidence_ledger::{EvidenceLedger, LineRange},
    indexing::{GraphIndex, Language},
    tools::{
        ToolContext, ToolOutcome, ToolRegistry, ToolResult,
        graph::GraphOperation,
        render_tool_result::{ObservationBudget, render},
    },
    workspace::{Cancellation, RepoPath, Workspace},
};
use serde_json::{Value, json};
use strum::VariantArray;

use crate::support::fixture::Fixture;

const SHOP: &str = "\
//- /src/store.py
class Store:
    def save(self, item):
        return self.write(item)

    def write(self, item):
        print(item)


class DiskStore(Store):
    def write(self, item):
        open(item)


def reset(store: Store) -> Store:
    return store
//- /src/orders.py
from store import Store


def order(store: Store, item):
    store.save(item)
    store.save(item)


def reorder(store: Store):
    order(store, 1)
//- /src/other.py
def save(text):
    return text
";

struct Asked {
    result: ToolResult,
    text: String,
    ledger: EvidenceLedger,
}

fn ask_in(fixture: &Fixture, ledger: EvidenceLedger, arguments: &Value) -> Asked {
    ask_with(&FileTraitsConfig::default(), fixture, ledger, arguments)
}

fn ask_with(
    traits: &FileTraitsConfig,
    fixture: &Fixture,
    ledger: EvidenceLedger,
    arguments: &Value,
) -> Asked {
    let workspace = Workspace::open(fixture.root(), &WorkspaceConfig::default(), traits);
    let workspace = Arc::new(workspace.unwrap());
    let context = ToolContext::new(Arc::clone(&workspace), &ledger, Cancellation::new());
    let registry = ToolRegistry::with_graph(Arc::new(GraphIndex::new(workspace, None)));
    let result = registry.call("graph", &context, arguments).unwrap();
    let mut ledger = ledger;
    let allowance = ObservationBudget { tokens: 8_000, per_file_total: 8_000 };
    let text = render(&result.observation, &mut ledger, &allowance).text;
    Asked { result, text, ledger }
}

fn ask(source: &str, arguments: &Value) -> Asked {
    ask_in(&Fixture::new(source), EvidenceLedger::new(), arguments)
}

fn names(asked: &Asked) -> Vec<String> {
    let answers = asked.result.typed["answers"].as_array().unwrap();
    answers
        .iter()
        .map(|answer| answer["definition"]["qname"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn what_a_file_that_is_outlined_may_hide_is_said() {
    let large = format!("int run(int a) {{\nint x = {};\n", "*/ ".repeat(10_000));
    let source = format!("//- /src/large.c\n{large}//- /src/a.c\nint stop(void) {{ return 0; }}\n");
    let cases = [
        (json!({"operation": "symbols", "target": "src/large.c"}), "src/large.c is outlined only"),
        (json!({"operation": "callers", "target": "run"}), "src/large.c is outlined only"),
        (
            json!({"operation": "callers", "target": "stop"}),
            "src/large.c could not be read or resolved in full: relations from there may be missing",
        ),
        (
            json!({"operation": "callers", "target": "unheard"}),
            "src/large.c could not be read or resolved in full: definitions may be missing",
        ),
    ];
    for (arguments, wanted) in cases {
        let asked = ask(&source, &arguments);
        assert!(asked.text.contains(wanted), "{arguments}: {}", asked.text);
    }
    let asked = ask(SHOP, &json!({"operation": "symbols", "target": "src/store.py"}));
    assert!(!asked.text.contains("outlined"), "{}", asked.text);
}

#[test]
fn each_operation_answers_from_definitions() {
    let cases = [
        (json!({"operation": "callers", "target": "Store.save"}), vec!["orders.order"]),
        (
            json!({"operation": "callers", "target": "Store.save", "depth": 2}),
            vec!["orders.order", "orders.reorder"],
        ),
        (json!({"operation": "callees", "target": "reorder"}), vec!["orders.order"]),
        (
            json!({"operation": "implementations", "target": "Store.write"}),
            vec!["store.DiskStore.write"],
        ),
        (
            json!({"operation": "methods", "target": "Store"}),
            vec!["store.Store.save", "store.Store.write"],
        ),
        (json!({"operation": "inheritors", "target": "Store"}), vec!["store.DiskStore"]),
        (
            json!({"operation": "usages", "target": "Store"}),
            vec!["store.reset", "orders.order", "orders.reorder"],
        ),
        (
            json!({"operation": "search", "target": "order", "kind": "function"}),
            vec!["orders.order", "orders.reorder"],
        ),
        (
            json!({"operation": "symbols", "target": "src/orders.py"}),
            vec!["orders.order", "orders.reorder"],
        ),
        (
            json!({"operation": "trace", "target": "reorder", "to": "Store.write"}),
            vec!["orders.reorder", "orders.order", "store.Store.save", "store.Store.write"],
        ),
    ];
    for (arguments, wanted) in cases {
        let asked = ask(SHOP, &arguments);
        assert_eq!(names(&asked), wanted, "{arguments}\n{}", asked.text);
        assert_eq!(asked.result.observation.outcome, ToolOutcome::Found, "{arguments}");
    }
}

#[test]
fn an_answer_shows_signatures_and_call_lines_and_says_once_what_they_show() {
    let asked = ask(SHOP, &json!({"operation": "callers", "target": "Store.save"}));
    assert_eq!(
        asked.text,
        "1 caller of store.Store.save (function, src/store.py:2-3)\n\
         src/orders.py (10 lines)\n\
         [c1] 4-6\n    4| def order(store: Store, item):\n    5|     store.save(item)\n    6|     store.save(item)"
    );
}

#[test]
fn a_prototype_and_an_overload_are_one_definition_with_what_they_stand_for() {
    let c = "//- /lib.h\nint pack(int n);\n//- /lib.c\n#include \"lib.h\"\nint pack(int n) {\n    return n;\n}\n//- /main.c\n#include \"lib.h\"\nint main(void) {\n    return pack(1);\n}\n";
    let java = "//- /Box.java\nclass Box {\n    void put(int n) {\n    }\n    void put(String s) {\n    }\n    void both() {\n        put(1);\n    }\n}\n";
    for (source, target, caller) in [(c, "pack", "main"), (java, "put", "Box.both")] {
        let asked = ask(source, &json!({"operation": "callers", "target": target}));
        assert_eq!(names(&asked), [caller], "{}", asked.text);
        assert!(asked.text.contains("also declared at "), "{}", asked.text);
    }
}

#[test]
fn a_function_that_is_handed_on_has_its_registration_among_its_callers_and_tests_come_last() {
    let source = "//- /a_test.py\nfrom app import greet\n\ndef test_greet():\n    greet()\n//- /app.py\ndef greet():\n    return 1\n\ndef setup(router):\n    router.add(greet)\n\ndef run():\n    greet()\n";
    let asked = ask(source, &json!({"operation": "callers", "target": "greet"}));
    assert_eq!(names(&asked), ["app.setup", "app.run", "a_test.test_greet"], "{}", asked.text);
    assert!(asked.text.ends_with("references: handed over as a value: setup"), "{}", asked.text);
}

const CALLERS: &str = "\
//- /app.py
def greet(name):
    return name


def run(names):
    total = 0
    for name in names:
        total += 1
        greet(name)
    print(total)
    print(names)
    greet(\"all\")
//- /a_test.py
from app import greet


def test_one():
    greet(1)


def test_two():
    greet(2)


def test_three():
    greet(3)
";

#[test]
fn a_caller_has_one_id_with_its_call_lines_and_tests_are_told_in_a_line() {
    let asked = ask(CALLERS, &json!({"operation": "callers", "target": "greet"}));
    assert_eq!(
        asked.text,
        "4 callers of app.greet (function, app.py:1-2)\n\
         app.py (12 lines)\n\
         [c1] 5-12\n    5| def run(names):\n    9|         greet(name)\n   12|     greet(\"all\")\n\
         3 of them in tests: test_one a_test.py:5, test_two a_test.py:9, test_three a_test.py:13; \
         see them: graph operation=\"callers\" target=\"greet\" offset=1"
    );
    let tests = ask(CALLERS, &json!({"operation": "callers", "target": "greet", "offset": 1}));
    assert!(tests.text.contains("|     greet(3)"), "{}", tests.text);
    let delivered = |path| asked.ledger.file(&RepoPath::parse(path, "").unwrap());
    assert!(delivered("a_test.py").is_none(), "what is only told is no evidence");
    assert!(!delivered("app.py").unwrap().delivered.contains(LineRange::new(9, 12).unwrap()));
    assert_eq!(names(&asked).len(), 4, "programs receive all");
}

#[test]
fn the_call_lines_of_a_function_are_shown_as_its_own() {
    let asked = ask(CALLERS, &json!({"operation": "callees", "target": "run"}));
    assert!(
        asked.text.contains("[c2] 5-12 in run\n    9|         greet(name)\n   12|     greet"),
        "{}",
        asked.text
    );
}

#[test]
fn answers_in_tests_are_shown_of_what_is_a_test_itself() {
    let tests: String = (0..4).map(|at| format!("def test_{at}():\n    helper()\n\n\n")).collect();
    let source = format!(
        "//- /a_test.py\ndef helper():\n    pass\n\n\n{tests}//- /app.py\nfrom a_test import helper\n\ndef run():\n    helper()\n"
    );
    let asked = ask(&source, &json!({"operation": "callers", "target": "helper"}));
    assert_eq!(asked.text.matches("def test_").count(), 4, "{}", asked.text);
}

#[test]
fn what_a_function_calls_around_itself_is_told_by_its_lines() {
    let source = "//- /a.py\nclass Box:\n    def copy(self):\n        return Box()\n";
    let asked = ask(source, &json!({"operation": "callees", "target": "Box.copy"}));
    assert!(asked.text.contains("by line: 3 Box"), "{}", asked.text);
}

#[test]
fn call_lines_beyond_those_shown_are_named() {
    let calls: String = (0..8).map(|_| "    go()\n").collect();
    let source = format!("//- /a.py\ndef go():\n    pass\n\ndef run():\n{calls}");
    let asked = ask(&source, &json!({"operation": "callers", "target": "go"}));
    assert!(asked.text.ends_with("   9|     go()\nrun also at 10,11,12"), "{}", asked.text);
}

#[test]
fn a_type_and_its_constructor_are_one_target_and_members_are_found_by_both_names() {
    let source = "//- /shop/Box.java\npackage shop;\nabstract class Box {\n    Box(int n) {\n    }\n    void put() {\n    }\n}\n//- /shop/Crate.java\npackage shop;\nclass Crate extends Box {\n    int size;\n    Crate() {\n        super(1);\n    }\n}\n";
    for (arguments, wanted) in [
        (json!({"operation": "inheritors", "target": "Box"}), "1 inheritor of shop.Box (class"),
        (json!({"operation": "search", "target": "Box put"}), "[c1] 5-6 in Box: 5|"),
        (json!({"operation": "usages", "target": "Crate.size"}), "grep for its name"),
    ] {
        let asked = ask(source, &arguments);
        assert!(asked.text.contains(wanted), "{arguments}: {}", asked.text);
    }
}

#[test]
fn what_a_field_keeps_is_told_where_it_stands_and_not_where_the_field_is() {
    let source = "//- /go.mod\nmodule shop\n//- /frames.go\npackage shop\n\ntype Frame struct {\n\tonWrite func()\n}\n\nfunc write(f *Frame) {\n\tf.onWrite()\n}\n//- /client.go\npackage shop\n\nfunc count() {}\n\nfunc closed() {}\n\nfunc end() {\n\twrite(&Frame{onWrite: closed})\n}\n\nfunc finish() {\n\twrite(&Frame{\n\t\tonWrite: func() {\n\t\t\tcount()\n\t\t},\n\t})\n}\n";
    let asked = ask(source, &json!({"operation": "callees", "target": "Frame.onWrite"}));
    assert_eq!(names(&asked), ["shop.closed", "shop.finish"], "{}", asked.text);
    let told =
        "triggers: a function literal inside runs as a callback that is kept at client.go:14";
    assert!(asked.text.contains(told), "{}", asked.text);
    // Where `closed` was named is not known.
    assert_eq!(asked.result.typed["answers"][0].get("site"), None, "{}", asked.text);
    // The first line names the field with its own place.
    let answers = asked.text.lines().skip(1).collect::<String>();
    assert!(!answers.contains("frames.go"), "{}", asked.text);
    let asked = ask(source, &json!({"operation": "callers", "target": "finish"}));
    assert!(!asked.text.contains("frames.go:14"), "{}", asked.text);
}

#[test]
fn symbols_have_their_extent_and_owner_and_leave_out_fields() {
    let source = "//- /go.mod\nmodule example.com/box\n//- /box.go\npackage box\n\ntype Till struct {\n\tsize int\n}\n\nfunc (b *Till) Grow() {\n\tb.size++\n}\n";
    let asked = ask(source, &json!({"operation": "symbols", "target": "box.go"}));
    assert_eq!(
        asked.text,
        "2 definitions in box.go\nbox.go (9 lines)\n[c1] 3-5: 3| type Till struct {\n\
         [c2] 7-9 in Till: 7| func (b *Till) Grow() {\n1 field left out: graph operation=\"symbols\" target=\"box.go\" kind=\"field\""
    );
    let evidence = asked.ledger.file(&RepoPath::parse("box.go", "").unwrap()).unwrap();
    assert!(evidence.is_declaration(LineRange::new(7, 9).unwrap()));
}

#[test]
fn only_lines_that_were_shown_are_evidence() {
    let asked = ask(SHOP, &json!({"operation": "callees", "target": "reorder"}));
    let delivered: BTreeMap<String, String> = asked
        .ledger
        .files()
        .map(|file| (file.stamp.path.to_string(), format!("{:?}", file.delivered.runs())))
        .collect();
    let line = |number| format!("{:?}", [LineRange::line(number).unwrap()]);
    // The signature of the callee, and the line that calls it.
    let runs = format!("{:?}", [LineRange::line(4).unwrap(), LineRange::line(10).unwrap()]);
    assert_eq!(delivered, BTreeMap::from([("src/orders.py".to_owned(), runs)]), "{}", line(4));
}

#[test]
fn an_id_stands_for_the_definition_around_it() {
    let fixture = Fixture::new(SHOP);
    let mut ledger = EvidenceLedger::new();
    let path = RepoPath::parse("src/store.py", "").unwrap();
    let inside = ledger.assign_id(&path, LineRange::new(3, 3));
    let asked =
        ask_in(&fixture, ledger, &json!({"operation": "callers", "target": inside.to_string()}));
    assert_eq!(names(&asked), ["orders.order"]);
}

#[test]
fn an_id_of_one_overload_names_the_others() {
    let source = "\
//- /src/Store.cs
namespace Shop;
class Store {
    public void Save(int id) { }
    public void Save(string name) { }
    void Both() { Save(1); Save(\"a\"); }
}
";
    let fixture = Fixture::new(source);
    let mut ledger = EvidenceLedger::new();
    let path = RepoPath::parse("src/Store.cs", "").unwrap();
    let inside = ledger.assign_id(&path, LineRange::new(3, 3));
    let arguments = json!({"operation": "callers", "target": inside.to_string()});
    let asked = ask_in(&fixture, ledger, &arguments);
    let note = "overloads, not asked about: src/Store.cs:4";
    assert!(asked.text.contains(note), "{}", asked.text);
    let by_name = ask(source, &json!({"operation": "callers", "target": "Save"}));
    assert!(!by_name.text.contains("overloads"), "{}", by_name.text);
}

#[test]
fn what_several_modules_may_bring_has_no_origin() {
    let source = "\
//- /src/one.py
from first import *
def run():
    go()
//- /src/several.py
from first import *
from second import *
def walk():
    go()
";
    let asked = ask(source, &json!({"operation": "callees", "target": "run"}));
    assert!(asked.text.contains("go from first"), "{}", asked.text);
    let asked = ask(source, &json!({"operation": "callees", "target": "walk"}));
    assert!(asked.text.contains("not resolved: go"), "{}", asked.text);
    assert!(!asked.text.contains("go from"), "{}", asked.text);
}

#[test]
fn an_ambiguous_name_gets_candidates_and_each_of_them_can_be_asked_about() {
    let asked = ask(SHOP, &json!({"operation": "callers", "target": "save"}));
    let candidates = asked.result.typed["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 2, "{}", asked.text);
    assert!(asked.text.starts_with("2 definitions are named \"save\""), "{}", asked.text);
    for candidate in candidates {
        let arguments = json!({"operation": "callers", "target": candidate["qname"], "file": candidate["path"]});
        let again = ask(SHOP, &arguments);
        assert!(again.result.typed["candidates"].is_null(), "{}", again.text);
    }
    for narrowed in [json!({"file": "other"}), json!({"file": "src/other.py", "kind": "function"})]
    {
        let mut arguments = json!({"operation": "callers", "target": "save"});
        arguments.as_object_mut().unwrap().extend(narrowed.as_object().unwrap().clone());
        assert!(ask(SHOP, &arguments).text.starts_with("no callers of other.save"), "{arguments}");
    }
}

#[test]
fn members_are_told_once() {
    let asked = ask(SHOP, &json!({"operation": "methods", "target": "Store"}));
    assert_eq!(asked.text.matches("write").count(), 1, "{}", asked.text);
    assert!(!asked.text.contains("parent"), "{}", asked.text);
}

#[test]
fn a_type_is_told_from_the_object_of_its_name_by_its_kind() {
    let source = "\
//- /Codec.scala
package codec
trait Codec { def decode(s: String): Int }
object Codec { def make(): Int = 1 }
class Json extends Codec { def decode(s: String): Int = 1 }
";
    let asked = ask(source, &json!({"operation": "implementations", "target": "Codec"}));
    assert_eq!(names(&asked), ["codec.Json"], "{}", asked.text);
    assert!(asked.text.contains("also named so: module Codec.scala:3"), "{}", asked.text);
    let mut question = json!({"operation": "methods", "target": "Codec", "file": "Codec.scala"});
    let asked = ask(source, &question);
    assert!(asked.text.starts_with("2 definitions are named"), "{}", asked.text);
    for candidate in asked.result.typed["candidates"].as_array().unwrap() {
        assert!(asked.text.contains("kind"), "{}", asked.text);
        question["kind"] = candidate["kind"].clone();
        let again = ask(source, &question);
        assert!(again.result.typed["candidates"].is_null(), "{}", again.text);
    }
}

#[test]
fn what_runs_without_its_name_is_not_said_to_be_called_from_outside() {
    let cases = [
        ("V.swift", "struct V { static func + (a: V, b: V) -> V { a } }", "V.+"),
        ("V.swift", "struct V { subscript(i: Int) -> Int { 1 } }", "V.subscript"),
        ("v.py", "class V:\n    def __add__(self, other): return self", "V.__add__"),
        ("V.kt", "class V { operator fun plus(o: V): V = o }", "V.plus"),
        ("V.scala", "case class V(x: Int) { def +(o: V): V = o }", "V.+"),
        ("v.cc", "class V { public: V operator+(const V& o) { return o; } };", "V.operator+"),
        ("V.cs", "class V { public static V operator +(V a, V b) => a; }", "V.operator +"),
        ("v.rs", "struct V;\nimpl Drop for V { fn drop(&mut self) {} }", "V.drop"),
    ];
    for (path, text, target) in cases {
        let source = format!("//- /{path}\n{text}\n");
        let asked = ask(&source, &json!({"operation": "callers", "target": target}));
        assert!(asked.text.starts_with("no callers of"), "{target}: {}", asked.text);
        assert!(
            asked.text.contains("it may run where its name isn't written"),
            "{target}: {}",
            asked.text
        );
    }
    let source = "//- /v.py\ndef save(): pass\n";
    let asked = ask(source, &json!({"operation": "callers", "target": "save"}));
    assert!(asked.text.contains("called from outside"), "{}", asked.text);
}

#[test]
fn a_case_that_nothing_calls_has_usages() {
    let source = "\
//- /src/lib.rs
pub enum Failure { Timeout(u32), Closed }
pub fn late() -> Failure { Failure::Timeout(1) }
pub fn closed() -> Failure { Failure::Closed }
";
    let asked = ask(source, &json!({"operation": "callers", "target": "Failure.Timeout"}));
    assert!(asked.text.contains("1 usage of lib::Failure::Timeout"), "{}", asked.text);
    let asked = ask(source, &json!({"operation": "usages", "target": "Failure.Closed"}));
    assert!(asked.text.contains("references: names it: closed"), "{}", asked.text);
    let source = "//- /src/lib.rs\npub enum Failure { Timeout(u32), Closed }\n";
    let asked = ask(source, &json!({"operation": "usages", "target": "Failure.Closed"}));
    assert!(asked.text.contains("grep for its name"), "{}", asked.text);
}

#[test]
fn a_question_about_calls_means_the_function_among_values_of_its_name() {
    let source = "\
//- /limit.py
def limit(size):
    return size

def read(size):
    return limit(size)
//- /config.py
class Config:
    limit = 3
";
    let asked = ask(source, &json!({"operation": "callers", "target": "limit"}));
    assert_eq!(names(&asked), ["limit.read"], "{}", asked.text);
    assert!(asked.text.contains("also named so: field config.py:2"), "{}", asked.text);
    let asked = ask(source, &json!({"operation": "usages", "target": "limit"}));
    assert!(asked.text.starts_with("2 definitions are named"), "{}", asked.text);
}

/// A function that a test defines again.
const PUBLISH: &str = "\
//- /src/publish.py
def publish(message):
    return message

def announce(message):
    publish(message)
//- /tests/mock_publish.py
def publish(message):
    return None
";

#[test]
fn a_name_that_only_tests_define_again_means_the_definition_outside_of_them() {
    let callers = json!({"operation": "callers", "target": "publish"});
    let asked = ask(PUBLISH, &callers);
    assert_eq!(names(&asked), ["publish.announce"], "{}", asked.text);
    assert!(asked.text.contains("tests/mock_publish.py:1"), "{}", asked.text);
    let of_tests = json!({"operation": "callers", "target": "publish", "file": "mock"});
    let asked = ask(PUBLISH, &of_tests);
    assert!(asked.text.starts_with("no callers of mock_publish.publish"), "{}", asked.text);
}

#[test]
fn a_type_is_meant_where_properties_have_its_name() {
    let source = "\
//- /Session.cs
namespace App;
public class Session { public Session(int id) { } }
public class Host { public Session Session { get; } = new Session(1); }
public class Guest { public Session Session { get; set; } }
";
    let asked = ask(source, &json!({"operation": "callers", "target": "Session"}));
    assert_eq!(names(&asked), ["App.Host.Session"], "{}", asked.text);
    assert!(asked.text.contains("also named so: field Session.cs:3"), "{}", asked.text);
}

#[test]
fn what_builds_on_a_type_is_asked_of_the_one_outside_of_tests() {
    let source = "\
//- /src/main/kotlin/Channel.kt
package app
interface Channel
fun Channel(size: Int): Channel = Buffered()
class Buffered : Channel
//- /src/test/kotlin/ChannelTest.kt
package app
class ChannelTest { enum class Channel { A } }
";
    let asked = ask(source, &json!({"operation": "implementations", "target": "Channel"}));
    assert_eq!(names(&asked), ["app.Buffered"], "{}", asked.text);
}

#[test]
fn a_file_that_cannot_be_parsed_is_outlined_by_its_lines() {
    let source = "//- /a.rb\nclass Held\n  def run\n    x = \"#{ <<<\n  end\n";
    let asked = ask(source, &json!({"operation": "symbols", "target": "a.rb"}));
    assert_eq!(names(&asked), ["Held", "run"], "{}", asked.text);
    assert!(asked.text.contains("it could not be parsed"), "{}", asked.text);
}

#[test]
fn a_name_that_only_generated_files_define_again_means_the_other_definition() {
    let source = PUBLISH.replace("tests/mock_publish", "stubs/publish");
    let traits = FileTraitsConfig { generated: vec!["stubs/**".to_owned()], ..Default::default() };
    let callers = json!({"operation": "callers", "target": "publish"});
    let asked = ask_with(&traits, &Fixture::new(&source), EvidenceLedger::new(), &callers);
    assert_eq!(names(&asked), ["publish.announce"], "{}", asked.text);
    let moved = source.replace("stubs/publish.py", "src/publish_pb2.py");
    let asked = ask(&moved, &callers);
    assert_eq!(names(&asked), ["publish.announce"], "{}", asked.text);
}

#[test]
fn what_is_imported_from_outside_is_said_to_be_and_has_its_uses() {
    let source = "\
//- /src/client.py
import requests
from requests import Session

class Client(Session):
    def fetch(self, url):
        return requests.get(url)

def ping(url):
    return requests.get(url).status_code
//- /src/server.mjs
import express from 'express';
export function start() {
  return express.Router();
}
//- /lib/plain.js
const http = require('http');
const { EventEmitter: Emitter } = require('events');
const mix = require('mix-in');
class Bus extends Emitter {}
function listen(app) {
  mix(app, new Emitter());
  return http.createServer(app);
}
//- /src/worker.py
from threading import Thread
import sqlite3

def launch(path):
    database = sqlite3.Connection(path)
    database.execute(path)
    return Thread(target=print)

def again(request: Session):
    Session = request.Session
    return Session.close()
";
    let cases = [
        ("inheritors", "requests.Session", vec!["client.Client"], "imported from requests"),
        ("callers", "requests.get", vec!["client.Client.fetch", "client.ping"], "2 call"),
        ("callers", "express.Router", vec!["src/server.start"], "imported from express"),
        ("callers", "requests.Session", vec![], "see src/client.py:4"),
        ("callers", "requests.post", vec![], "no definition is named"),
        ("callers", "http.createServer", vec!["lib/plain.listen"], "imported from http"),
        ("callers", "events.EventEmitter", vec!["lib/plain.listen"], "imported from events"),
        ("inheritors", "EventEmitter", vec!["lib/plain.Bus"], "imported from events"),
        ("callers", "mix", vec!["lib/plain.listen"], "imported from mix-in"),
        ("callers", "threading.Thread", vec!["worker.launch"], "imported from threading"),
        (
            "callees",
            "worker.launch",
            vec![],
            "from outside the repository: Connection from sqlite3, Thread from threading, execute of sqlite3.Connection",
        ),
        (
            "callees",
            "lib/plain.listen",
            vec!["lib/plain.Emitter", "lib/plain.mix"],
            "createServer from http",
        ),
        // The type of the parameter has the name that is bound to its member.
        ("callees", "worker.again", vec![], "close"),
    ];
    for (operation, target, users, said) in cases {
        let asked = ask(source, &json!({"operation": operation, "target": target}));
        assert_eq!(names(&asked), users, "{operation} {target}: {}", asked.text);
        assert!(asked.text.contains(said), "{operation} {target}: {}", asked.text);
    }
}

#[test]
fn a_glob_of_an_own_enum_brings_no_other_names() {
    let source = "\
//- /src/lib.rs
use self::Outcome::*;
use tools::prelude::*;
pub enum Outcome { Done(u32), Failed }
pub fn judge(x: u32) -> Option<Outcome> {
    if x > 1 { return Some(Done(x)); }
    Some(Failed)
}
";
    let asked = ask(source, &json!({"operation": "callees", "target": "judge"}));
    assert!(asked.text.contains("Some from tools.prelude"), "{}", asked.text);
    assert!(!asked.text.contains("self"), "{}", asked.text);
}

#[test]
fn what_makes_no_sense_gets_a_sentence_with_the_way_out() {
    use ToolOutcome::{BadArguments, BadPath, NoMatch};
    let cases = [
        (json!({"operation": "caller", "target": "Store"}), BadArguments, "did you mean callers?"),
        (json!({"operation": "paint", "target": "Store"}), BadArguments, "callers, callees"),
        (json!({"operation": "callers", "target": "  "}), BadArguments, "there is no target"),
        (
            json!({"operation": "callers", "target": "Store", "kind": "gadget"}),
            BadArguments,
            "leave kind out",
        ),
        (
            json!({"operation": "callers", "target": "Store", "depth": 0}),
            BadArguments,
            "depth of 1 to 10",
        ),
        (
            json!({"operation": "callers", "target": "Store", "limit": 0}),
            BadArguments,
            "limit of 1 to 100",
        ),
        (json!({"operation": "trace", "target": "order"}), BadArguments, "to=\"…\""),
        (json!({"operation": "callers", "target": "Stoer"}), NoMatch, "did you mean Store"),
        (json!({"operation": "callers", "target": "zzzzzzzzzz"}), NoMatch, "operation=\"search\""),
        (
            json!({"operation": "callers", "target": "Store", "file": "other"}),
            NoMatch,
            "in files like other",
        ),
        (
            json!({"operation": "trace", "target": "order", "to": "Stor.sav"}),
            NoMatch,
            "where to: no definition",
        ),
        (
            json!({"operation": "trace", "target": "Store.write", "to": "reorder"}),
            NoMatch,
            "no way from",
        ),
        (
            json!({"operation": "symbols", "target": "src/store.pi"}),
            BadPath,
            "did you mean src/store.py?",
        ),
        (
            json!({"operation": "callers", "target": "reorder"}),
            NoMatch,
            "no callers of orders.reorder",
        ),
        (json!({"operation": "usages", "target": "reorder"}), NoMatch, "it is a function"),
        (json!({"operation": "usages", "target": "DiskStore"}), NoMatch, "are its inheritors"),
        (
            json!({"operation": "methods", "target": "Store", "offset": 9}),
            BadArguments,
            "behind the last",
        ),
        (
            json!({"operation": "search", "target": "save", "offset": 9}),
            BadArguments,
            "behind the last",
        ),
    ];
    for (arguments, outcome, words) in cases {
        let asked = ask(SHOP, &arguments);
        assert_eq!(asked.result.observation.outcome, outcome, "{arguments}\n{}", asked.text);
        assert!(asked.text.contains(words), "{arguments}\n{}", asked.text);
    }
}

#[test]
fn an_enormous_depth_is_cut_and_said() {
    let asked = ask(SHOP, &json!({"operation": "callers", "target": "Store.save", "depth": 1000}));
    assert_eq!(names(&asked), ["orders.order", "orders.reorder"]);
    assert!(asked.text.contains("depth is at most 10"), "{}", asked.text);
    assert!(asked.text.contains("step 2"), "{}", asked.text);
}

#[test]
fn a_repository_without_a_known_language_says_what_is_known() {
    for source in ["//- /README.md\nhello\n", "//- /a.cob\nMOVE\n"] {
        let asked = ask(source, &json!({"operation": "callers", "target": "main"}));
        assert_eq!(asked.result.observation.outcome, ToolOutcome::NoMatch);
        assert!(asked.text.contains("python"), "{}", asked.text);
    }
}

#[test]
fn a_hub_is_paged_with_totals() {
    let functions: String = (0..50).map(|at| format!("def f{at}():\n    hub()\n")).collect();
    let files = (0..20).map(|at| format!("//- /f{at:02}.py\nfrom hub import hub\n{functions}"));
    let source = format!("//- /hub.py\ndef hub():\n    pass\n{}", files.collect::<String>());
    let first = ask(&source, &json!({"operation": "callers", "target": "hub", "limit": 30}));
    assert!(first.text.starts_with("1-30 of 1000 callers of hub.hub"), "{}", first.text);
    assert!(
        first.text.contains("970 more: graph operation=\"callers\" target=\"hub\" offset=30"),
        "{}",
        first.text
    );
    let last =
        ask(&source, &json!({"operation": "callers", "target": "hub", "limit": 30, "offset": 990}));
    assert_eq!(names(&last).len(), 10);
    assert_eq!(last.result.observation.outcome, ToolOutcome::Found);
}

#[test]
fn private_files_are_not_in_the_graph() {
    let source = "//- /.gitignore\nhidden.py\n//- /hidden.py\ndef a():\n    pass\n//- /b.py\ndef b():\n    pass\n";
    let asked = ask(source, &json!({"operation": "search", "target": "a"}));
    assert_eq!(asked.result.observation.outcome, ToolOutcome::NoMatch, "{}", asked.text);
}

#[test]
fn a_hub_with_ten_thousand_callers_is_answered_in_one_page() {
    use std::fmt::Write;

    let mut source = "//- /src/hub.py\ndef hub():\n    pass\n".to_owned();
    for file in 0..100 {
        writeln!(source, "//- /src/use{file}.py\nfrom hub import hub").unwrap();
        for at in 0..100 {
            writeln!(source, "def use_{file}_{at}():\n    hub()").unwrap();
        }
    }
    let fixture = Fixture::new(&source);
    let asked = ask_in(
        &fixture,
        EvidenceLedger::new(),
        &json!({"operation": "callers", "target": "hub", "depth": 3, "limit": 100_000}),
    );
    assert_eq!(asked.result.typed["total"], 10_000);
    let shown = asked.result.typed["answers"].as_array().unwrap().len();
    assert!((1..=1_000).contains(&shown), "{shown} answers");
    assert!(asked.text.len() < 3 * 8_000, "{} bytes", asked.text.len());
    let traced = ask_in(
        &fixture,
        EvidenceLedger::new(),
        &json!({"operation": "trace", "target": "use_99_99", "to": "hub"}),
    );
    assert_eq!(names(&traced), ["use99.use_99_99", "hub.hub"]);
}

#[test]
fn a_trace_between_ambiguous_names_takes_the_pair_that_is_connected() {
    let source = "\
//- /src/a.py
def start():
    middle()

def middle():
    goal()

def goal():
    pass
//- /src/b.py
def start():
    pass

def goal():
    pass
";
    let asked = ask(source, &json!({"operation": "trace", "target": "start", "to": "goal"}));
    assert_eq!(names(&asked), ["a.start", "a.middle", "a.goal"]);
    assert!(
        asked.text.contains(
            "this is the shortest way between 2 definitions named \"start\" and 2 definitions named \"goal\""
        ),
        "{}",
        asked.text
    );
    let none = ask(source, &json!({"operation": "trace", "target": "goal", "to": "start"}));
    assert_eq!(none.result.observation.outcome, ToolOutcome::NoMatch);
    assert!(none.text.contains("from any of 2 definitions named \"goal\""), "{}", none.text);
    assert!(none.text.contains("b.goal"), "the candidates are listed\n{}", none.text);
}

#[test]
fn the_id_of_a_definition_is_that_of_all_its_lines() {
    let arguments = json!({"operation": "search", "target": "order", "kind": "function"});
    let asked = ask(SHOP, &arguments);
    for answer in asked.result.typed["answers"].as_array().unwrap() {
        let definition = &answer["definition"];
        let number = |field: &str| u32::try_from(definition[field].as_u64().unwrap()).unwrap();
        let (start, end) = (number("start"), number("end"));
        let place = asked.ledger.places().iter().find(|place| {
            let range = place.range.map(|range| (range.start(), range.end()));
            definition["path"] == place.path.as_str() && range == Some((start, end))
        });
        let id = place.unwrap().id;
        assert!(asked.text.contains(&format!("[{id}] {start}-{end}: ")), "{}", asked.text);
    }
}

const OVERLOADS: &str = "\
//- /Box.java
class Box {
    void put(int n) { one(); first(); }
    void put(String s) { two(); second(); }
    void one() {}
    void two() { three(); }
    void three() {}
}
";

#[test]
fn overloads_are_one_definition_with_and_without_the_file_and_at_the_ends_of_a_trace() {
    for arguments in [
        json!({"operation": "callees", "target": "Box.put"}),
        json!({"operation": "callees", "target": "Box.put", "file": "Box.java"}),
    ] {
        let asked = ask(OVERLOADS, &arguments);
        assert_eq!(names(&asked), ["Box.one", "Box.two"], "{arguments}");
        assert!(asked.text.contains("first, second"), "{}", asked.text);
    }
    let trace = json!({"operation": "trace", "target": "Box.put", "to": "Box.three"});
    assert_eq!(names(&ask(OVERLOADS, &trace)), ["Box.put", "Box.two", "Box.three"]);
}

/// Each language that can be outlined only: a file of it, and two definitions there.
const OUTLINED: &[(&str, &str, &str, [&str; 2])] = &[
    ("bash", "list.sh", "bump() {\n  echo\n}\ntwice() {\n  bump\n}\n", ["bump", "twice"]),
    (
        "dart",
        "list.dart",
        "int bump(int n) {\n  return n;\n}\nint twice(int n) {\n  return bump(n);\n}\n",
        ["bump", "twice"],
    ),
    (
        "elixir",
        "list.ex",
        "defmodule L do\n  def bump(n), do: n\n  def twice(n), do: bump(n)\nend\n",
        ["bump", "twice"],
    ),
    (
        "graphql",
        "list.graphql",
        "type Bump {\n  n: Int\n}\ntype Twice {\n  b: Bump\n}\n",
        ["Bump", "Twice"],
    ),
    ("haskell", "list.hs", "bump n = n + 1\n\ntwice n = bump n\n", ["bump", "twice"]),
    ("hcl", "main.tf", "variable \"bump\" {\n}\nvariable \"twice\" {\n}\n", ["bump", "twice"]),
    (
        "julia",
        "list.jl",
        "function bump(n)\n  n\nend\nfunction twice(n)\n  bump(n)\nend\n",
        ["bump", "twice"],
    ),
    (
        "objective-c",
        "list.m",
        "static int bump(int n) {\n  return n;\n}\n\nint twice(int n) {\n  return bump(n);\n}\n",
        ["bump", "twice"],
    ),
    ("ocaml", "list.ml", "let bump n = n + 1\nlet twice n = bump n\n", ["bump", "twice"]),
    ("perl", "list.pm", "sub bump {\n  1;\n}\nsub twice {\n  bump();\n}\n", ["bump", "twice"]),
    (
        "protobuf",
        "list.proto",
        "message Bump {\n  int32 n = 1;\n}\nmessage Twice {\n  Bump b = 1;\n}\n",
        ["Bump", "Twice"],
    ),
    (
        "r",
        "list.R",
        "bump <- function(n) {\n  n\n}\ntwice <- function(n) {\n  bump(n)\n}\n",
        ["bump", "twice"],
    ),
    (
        "sql",
        "list.sql",
        "CREATE TABLE bump (\n  n INT\n);\nCREATE VIEW twice AS SELECT * FROM bump;\n",
        ["bump", "twice"],
    ),
    (
        "zig",
        "list.zig",
        "pub fn bump() void {}\npub fn twice() void {\n    bump();\n}\n",
        ["bump", "twice"],
    ),
];

#[test]
fn what_is_outlined_only_has_symbols_and_says_of_the_rest_that_it_is_not_known() {
    let sampled: Vec<&str> = OUTLINED.iter().map(|(language, ..)| *language).collect();
    for language in Language::outlined() {
        assert!(sampled.contains(&language.name()), "no sample of {}", language.name());
    }
    for (language, path, text, [first, second]) in OUTLINED {
        let source = format!("//- /{path}\n{text}//- /other.py\ndef other():\n    pass\n");
        let symbols = ask(&source, &json!({"operation": "symbols", "target": path}));
        if Language::of_path(path).is_none() {
            let why = format!("this build has no grammar for {language}");
            for told in [why.as_str(), first, second] {
                assert!(symbols.text.contains(told), "{language} {told}: {}", symbols.text);
            }
            let alone = ask(
                &format!("//- /{path}\n{text}"),
                &json!({"operation": "symbols", "target": path}),
            );
            assert_eq!(names(&alone), names(&symbols), "{language}");
            continue;
        }
        let search = ask(&source, &json!({"operation": "search", "target": first, "file": path}));
        for found in [symbols, search] {
            assert_eq!(found.result.observation.outcome, ToolOutcome::Found, "{language}");
            assert!(found.text.contains(first), "{language}: {}", found.text);
            assert!(!found.text.contains("outlined only"), "{language}: {}", found.text);
        }
        for operation in GraphOperation::VARIANTS {
            if matches!(operation, GraphOperation::Symbols | GraphOperation::Search) {
                continue;
            }
            let mut arguments = json!({"operation": operation, "target": first, "file": path});
            if *operation == GraphOperation::Trace {
                arguments = json!({"operation": operation, "target": second, "to": first});
            }
            let asked = ask(&source, &arguments);
            let note = format!("{language} is outlined only");
            assert!(asked.text.contains(&note), "{language} {operation}: {}", asked.text);
            assert!(!asked.text.contains("it is a "), "{language} {operation}: {}", asked.text);
        }
    }
}

#[test]
fn what_only_lines_define_is_named_by_the_type_that_they_name() {
    // A build with the grammar has no need of the lines.
    if Language::of_path("list.mm").is_some() {
        return;
    }
    let source = "//- /list.mm\nnamespace n {\nint List::bump(int n) {\n  return n;\n}\n}\n";
    let symbols = ask(source, &json!({"operation": "symbols", "target": "list.mm"}));
    assert_eq!(names(&symbols), ["n", "n.List.bump"]);
}

const PLATFORMS: &str = "\
//- /include/net.h
int net_open(struct loop* loop, const char *name);
int net_flush(int);
//- /src/common.c
#include \"net.h\"
int start(struct loop* loop) { return net_open(loop, \"a\"); }
//- /src/unix/aix.c
#include \"net.h\"
int net_open(struct loop* loop, const char* name) { return 1; }
//- /src/unix/bsd.c
#include \"net.h\"
int net_open(struct loop* loop, const char* path) { return 2; }
//- /src/unix/hurd.c
#include \"net.h\"
int net_open(struct loop* loop, const char* name) { return 3; }
//- /src/unix/linux.c
#include \"net.h\"
int net_open(struct loop* loop, const char* name) { return 4; }
int net_flush(int all) { return 1; }
//- /src/win/net.c
#include \"net.h\"
int net_open(struct loop *handle, const char *name) { return 5; }
int net_flush(char all) { return 2; }
";

/// A static function, and one of a program that does not include the header.
const NAMESAKES: &str = "\
//- /src/unix/local.c
#include \"net.h\"
static int net_open(struct loop* loop, const char* name) { return 6; }
//- /tool/main.c
int net_open(struct loop* loop, const char* name) { return 7; }
int main(void) { return net_open(0, \"b\"); }
";

#[test]
fn bodies_for_several_platforms_are_one_function_of_the_header() {
    let asked = ask(PLATFORMS, &json!({"operation": "callers", "target": "net_open"}));
    assert_eq!(names(&asked), ["start"], "{}", asked.text);
    assert_eq!(asked.result.typed["target"]["path"], "include/net.h", "{}", asked.text);
    let bodies = "its bodies, of which a build takes one: src/unix/aix.c:2, src/unix/bsd.c:2, \
                  src/unix/hurd.c:2, src/unix/linux.c:2, src/win/net.c:2";
    assert!(asked.text.contains(bodies), "{}", asked.text);
    let one = json!({"operation": "callers", "target": "net_open", "file": "src/win/net.c"});
    let asked = ask(PLATFORMS, &one);
    assert_eq!(names(&asked), ["start"], "{}", asked.text);
    assert_eq!(asked.result.typed["target"]["path"], "src/win/net.c", "{}", asked.text);
    let traced = json!({"operation": "trace", "target": "start", "to": "net_open"});
    let asked = ask(PLATFORMS, &traced);
    assert_eq!(names(&asked), ["start", "net_open"], "{}", asked.text);
    // Other parameters make another function.
    let asked = ask(PLATFORMS, &json!({"operation": "callers", "target": "net_flush"}));
    assert!(asked.text.starts_with("2 definitions are named"), "{}", asked.text);
}

#[test]
fn what_is_static_or_of_another_program_is_no_body_of_a_header() {
    let project = format!("{PLATFORMS}{NAMESAKES}");
    let asked = ask(&project, &json!({"operation": "callers", "target": "net_open"}));
    assert!(asked.text.starts_with("3 definitions are named"), "{}", asked.text);
    for (file, caller) in [("include/net.h", "start"), ("tool/main.c", "main")] {
        let one = json!({"operation": "callers", "target": "net_open", "file": file});
        let asked = ask(&project, &one);
        assert_eq!(names(&asked), [caller], "{}", asked.text);
    }
}

#[test]
fn a_name_of_two_outside_packages_is_answered_for_one_of_them() {
    let source = "\
//- /a.py
from first import load

def one():
    load()
//- /b.py
from second import load

def two():
    load()
";
    let asked = ask(source, &json!({"operation": "callers", "target": "load"}));
    assert_eq!(names(&asked), ["a.one"], "{}", asked.text);
    assert!(asked.text.contains("load is also imported from second: ask for second.load"));
    let asked = ask(source, &json!({"operation": "callers", "target": "second.load"}));
    assert_eq!(names(&asked), ["b.two"], "{}", asked.text);
}

#[test]
fn a_name_that_an_import_gives_means_only_what_is_defined_here_under_another() {
    let source = "\
//- /src/widget.ts
export class Foo { draw() {} }
export function start() { stop() }
export function stop() {}
//- /src/page.tsx
import { Foo as Bar } from 'react'
import { start as run } from './widget'
export function page() { run(); return new Bar() }
//- /src/other.ts
import { start as begin } from './widget'
export function run() {}
export function go() { begin() }
";
    let cases = [
        (json!({"operation": "callers", "target": "begin"}), "files import it as begin"),
        (json!({"operation": "callers", "target": "Bar"}), "imported from react"),
        (json!({"operation": "methods", "target": "Bar"}), "no definition is named"),
        (json!({"operation": "trace", "target": "run", "to": "stop"}), "no way from"),
        (json!({"operation": "search", "target": "begin"}), "no definitions whose names"),
    ];
    for (question, said) in cases {
        let asked = ask(source, &question);
        assert!(asked.text.contains(said), "{question}: {}", asked.text);
    }
}

#[test]
fn an_answer_says_what_it_leaves_open_and_what_was_meant() {
    let rust = "//- /Cargo.toml
[package]
name = \"own\"
//- /src/lib.rs
use serde::{Deserialize, Deserializer};
pub mod grid { pub trait Dim { fn n(&self) -> u8; } }
pub mod display;
macro_rules! die { ($e:expr) => { panic!($e) }; }
pub fn a() { die!(\"x\") }
pub struct Key;
impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(_d: D) -> Result<Self, D::Error> { Ok(Key) }
}
//- /src/display.rs
use crate::grid::Dim as ShownDim;
pub struct Size;
impl ShownDim for Size { fn n(&self) -> u8 { 1 } }
";
    let java = "//- /A.java
interface Shape {}
interface Round extends Shape {}
class Circle implements Round {}
class Two { Two(int a) {} }
class Sub { Sub() { new Two(1); } }
";
    let ruby = "//- /a.rb
module Helps; end
class One; include Helps; end
class Cop
  def ready; end
  def all(any)
    ready
    any.ready
  end
end
";
    let cases = [
        (ruby, "callers", "Cop.ready", "1 call of that name is unresolved, for example a.rb:7"),
        (ruby, "usages", "Helps", "no usages of Helps (module, a.rb:1-1); 1 inheritor of Helps"),
        (ruby, "search", "ready", "1 definition whose name holds \"ready\""),
        (rust, "implementations", "Deserialize", "which is imported from serde"),
        (rust, "implementations", "ShownDim", "files import it as ShownDim"),
        (rust, "usages", "die", "1 caller of own::die (macro"),
        (java, "callers", "Two.Two", "1 caller of Two (class"),
        (java, "implementations", "Shape", "1 of them is built on in turn: depth 2 shows by what"),
    ];
    for (source, operation, target, wanted) in cases {
        let asked = ask(source, &json!({"operation": operation, "target": target}));
        assert!(asked.text.contains(wanted), "{operation} {target}: {}", asked.text);
    }
}

#[test]
fn an_inherited_member_is_answered_for_the_one_that_a_supertype_declares() {
    let source = "\
//- /base.py
class Base:
    def own(self): pass
    def plain(self): pass
class Other:
    def own(self): pass
class Middle(Base): pass
class Sub(Middle):
    def plain(self): pass
def run(it: Sub):
    it.own()
//- /poll.ts
export interface Poller { poll(): void }
export abstract class Delegate implements Poller { abstract poll(): void }
export interface Deep extends Poller {}
export function go(it: Deep) { it.poll() }
//- /part.rb
module Control
  def control!; end
end
class Agent
  include Control
end
";
    let cases = [
        ("callers", "Sub.own", vec!["base.run"], "`own` is inherited from `base.Base`"),
        ("callers", "Deep.poll", vec!["poll.go"], "`poll` is inherited from `poll.Poller`"),
        ("callers", "Agent.control!", vec![], "`control!` is inherited from `Control`"),
        ("implementations", "Sub.own", vec![], "`own` is inherited from `base.Base`"),
        ("callers", "Sub.missing", vec![], "no definition is named \"Sub.missing\""),
    ];
    for (operation, target, wanted, said) in cases {
        let asked = ask(source, &json!({"operation": operation, "target": target}));
        assert_eq!(names(&asked), wanted, "{operation} {target}: {}", asked.text);
        assert!(asked.text.contains(said), "{operation} {target}: {}", asked.text);
    }
    let asked = ask(source, &json!({"operation": "callers", "target": "Sub.plain"}));
    assert!(!asked.text.contains("inherited"), "{}", asked.text);
    let trace = json!({"operation": "trace", "target": "run", "to": "Sub.own"});
    let asked = ask(source, &trace);
    assert_eq!(names(&asked), ["base.run", "base.Base.own"], "{}", asked.text);
}

#[test]
fn only_an_import_of_the_name_itself_says_that_it_is_from_outside() {
    let source = "\
//- /src/a.cc
#include <cstring>
#include \"own.h\"
int run(int n) { return hash_of(n); }
//- /src/own.h
#pragma once
//- /src/view.swift
import Drawing
struct One: View {}
//- /src/lib.rs
pub use ropey::Rope;
pub mod edit;
//- /src/edit.rs
use crate::Rope;
pub fn edit(text: &Rope) {}
//- /src/Log.java
package own.log;
import other.logging.Level;
class Log { Level level; }
";
    let cases = [
        (
            "callers",
            "hash_of",
            vec!["run"],
            "1 caller of hash_of, which has no known definition here",
        ),
        ("implementations", "View", vec!["One"], "which has no known definition here"),
        ("usages", "Rope", vec!["edit::edit"], "which has no known definition here"),
        ("usages", "Level", vec!["own.log.Log.level"], "imported from other.logging, outside"),
    ];
    for (operation, target, wanted, said) in cases {
        let asked = ask(source, &json!({"operation": operation, "target": target}));
        let found = names(&asked);
        assert!(
            found.iter().zip(&wanted).all(|(found, wanted)| found.ends_with(wanted))
                && found.len() == wanted.len(),
            "{operation} {target}: {}",
            asked.text
        );
        assert!(asked.text.contains(said), "{operation} {target}: {}", asked.text);
    }
}

#[test]
fn a_name_that_only_an_export_gives_is_that_of_its_definition() {
    let source = "\
//- /src/core.ts
export function callProcedure(x: number) { return x }
export const flat = (x: number) => x
function inner() { return 1 }
export { inner as outer }
//- /src/index.ts
export { callProcedure as callPublic, flat as createFlat } from './core'
//- /src/second.ts
export { createFlat as oldFlat } from './index'
//- /src/user.ts
import { callPublic } from './index'
import { oldFlat } from './second'
import { outer } from './core'
export function useIt() { callPublic(1); outer(); return oldFlat(2) }
";
    for target in ["callPublic", "createFlat", "oldFlat", "outer"] {
        let asked = ask(source, &json!({"operation": "callers", "target": target}));
        assert_eq!(names(&asked), ["src/user.useIt"], "{target}: {}", asked.text);
        assert!(asked.text.contains(&format!("files import it as {target}")), "{}", asked.text);
        let way = json!({"operation": "trace", "target": "useIt", "to": target});
        let asked = ask(source, &way);
        assert!(asked.text.starts_with("1 step from src/user.useIt"), "{target}: {}", asked.text);
    }
}

#[test]
fn what_a_question_is_about_comes_before_what_stands_beside_it() {
    let source = "\
//- /Session.cs
namespace Own;
class Session { public Session(int n) { } }
class Holder { Session Session { get; } void Make() { new Session(1); } }
class Other { Session Session { get; } }
//- /examples/demo.py
from app import start

def demo():
    start()
//- /app.py
def start(): pass

class Task:
    def go(self): pass
class Job:
    def go(self): pass
def serve():
    start()
//- /bench/bench_app.py
class Bench:
    def go(self): pass
def a(b: Bench):
    b.go()
    b.go()
//- /tests/test_app.py
from app import start

def test_start():
    start()
";
    let asked = ask(source, &json!({"operation": "callers", "target": "Session"}));
    assert_eq!(names(&asked), ["Own.Holder.Make"], "{}", asked.text);
    assert!(asked.text.contains("also named so: field Session.cs:3"), "{}", asked.text);
    let asked = ask(source, &json!({"operation": "callers", "target": "start"}));
    let callers = names(&asked);
    assert!(callers[0].ends_with("serve") && callers[2].ends_with("test_start"), "{callers:?}");
    let asked = ask(source, &json!({"operation": "callers", "target": "go", "limit": 1}));
    assert!(asked.text.contains("3 definitions are named \"go\"; the best 1"), "{}", asked.text);
    assert!(asked.text.contains("app.Job.go") || asked.text.contains("app.Task.go"));
    let asked = ask(source, &json!({"operation": "search", "target": "Task go"}));
    assert_eq!(names(&asked)[0], "app.Task.go", "{}", asked.text);
    let asked = ask(source, &json!({"operation": "search", "target": "go"}));
    assert!(names(&asked)[2].ends_with("Bench.go"), "{}", asked.text);
}

#[test]
fn callers_through_a_declaration_are_told_in_one_line() {
    let source = "\
//- /App.java
interface Runs { void run(); }
class Job implements Runs { public void run() { } }
class App {
    void first(Runs r) {
        int a = 1;
        int b = 2;
        int c = 3;
        int d = 4;
        r.run();
    }
    void second(Runs r) { r.run(); }
}
";
    let asked = ask(source, &json!({"operation": "callers", "target": "Job.run"}));
    let said = "dynamic, chosen when the program runs, through Runs.run: first, second";
    assert!(asked.text.contains(said), "{}", asked.text);
    assert!(!asked.text.contains("calls at"), "{}", asked.text);
}

#[test]
fn usages_of_a_class_have_what_makes_its_objects() {
    let cases = [
        (
            "a.py",
            "class Cache:\n    def __init__(self): pass\ndef make():\n    Cache()\n",
            "a.make",
        ),
        (
            "a.ts",
            "export class Fail { constructor(n: number) {} }\nfunction make() { throw new Fail(1) }\n",
            "a.make",
        ),
        (
            "a.java",
            "class Fail { Fail(int n) {} }\nclass A { void make() { new Fail(1); } }\n",
            "A.make",
        ),
        ("a.kt", "class Fail(n: Int)\nfun make() { Fail(1) }\n", "make"),
        ("a.rb", "class Fail\n  def initialize; end\nend\ndef make\n  Fail.new\nend\n", "make"),
        (
            "a.cs",
            "class Fail { public Fail(int n) { } }\nclass A { void Make() { new Fail(1); } }\n",
            "A.Make",
        ),
    ];
    for (path, text, wanted) in cases {
        let name = if path == "a.py" { "Cache" } else { "Fail" };
        let source = format!("//- /{path}\n{text}");
        let asked = ask(&source, &json!({"operation": "usages", "target": name}));
        assert_eq!(names(&asked), [wanted], "{path}: {}", asked.text);
        assert!(asked.text.starts_with("1 usage of"), "{path}: {}", asked.text);
    }
}

#[test]
fn an_unknown_name_that_the_text_has_is_said_to_be_there() {
    let source = "\
//- /src/events.rs
events! { DidChange { doc: u32 } }
pub fn plain() {}
//- /src/docs.md
DidChange is an event.
";
    let asked = ask(source, &json!({"operation": "methods", "target": "DidChange"}));
    let said = "the text has DidChange in 2 files, for example src/events.rs:1";
    assert!(asked.text.contains(said), "{}", asked.text);
    let asked = ask(source, &json!({"operation": "methods", "target": "NeverSeen"}));
    assert!(!asked.text.contains("the text has"), "{}", asked.text);
}

#[test]
fn unresolved_calls_that_cannot_mean_a_definition_are_not_counted() {
    let source = "\
//- /a.rb
class Item
  def initialize(n); end
end
class Other < External
  def initialize(n)
    super(n)
  end
end
def make(x)
  x.initialize(1)
  Item.new(2)
end
";
    let asked = ask(source, &json!({"operation": "callers", "target": "Item.initialize"}));
    assert!(!asked.text.contains("unresolved"), "{}", asked.text);
}
