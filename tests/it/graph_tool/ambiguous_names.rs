//! Which definition `graph` takes a name for where several have it, and how the others are told.

use pretty_assertions::assert_eq;
use retriever::{
    config::FileTraitsConfig,
    evidence_ledger::{EvidenceLedger, LineRange},
    tools::ToolOutcome,
    workspace::RepoPath,
};
use serde_json::json;

use crate::support::fixture::Fixture;

use super::{SHOP, ask, ask_in, ask_with, names};

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
    assert!(asked.text.contains("app.Task.go"), "{}", asked.text);
    let asked = ask(source, &json!({"operation": "search", "target": "Task go"}));
    assert_eq!(names(&asked)[0], "app.Task.go", "{}", asked.text);
    let asked = ask(source, &json!({"operation": "search", "target": "go"}));
    assert!(names(&asked)[2].ends_with("Bench.go"), "{}", asked.text);
}
