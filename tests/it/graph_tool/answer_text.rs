//! The text of an answer: which lines it shows, which of them become evidence, what it leaves out, and how it is paged.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;
use retriever::{
    evidence_ledger::{EvidenceLedger, LineRange},
    tools::ToolOutcome,
    workspace::RepoPath,
};
use serde_json::json;

use crate::support::fixture::Fixture;

use super::{SHOP, ask, ask_in, names};

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
fn a_function_that_is_handed_on_has_its_registration_among_its_callers_and_tests_come_last() {
    let source = "//- /a_test.py\nfrom app import greet\n\ndef test_greet():\n    greet()\n//- /app.py\ndef greet():\n    return 1\n\ndef setup(router):\n    router.add(greet)\n\ndef run():\n    greet()\n";
    let asked = ask(source, &json!({"operation": "callers", "target": "greet"}));
    assert_eq!(names(&asked), ["app.setup", "app.run", "a_test.test_greet"], "{}", asked.text);
    assert!(asked.text.ends_with("references: handed over as a value: setup"), "{}", asked.text);
}

#[test]
fn lines_that_call_through_an_interface_are_told_beside_those_that_call_it() {
    let source = "\
//- /app.ts
export interface Store { save(): void }
export class Disk implements Store { save() {} }
export function keep(store: Store, disk: Disk) {
  store.save();
  disk.save();
}
";
    let asked = ask(source, &json!({"operation": "callers", "target": "Disk.save"}));
    let said = "also at 4, dynamic, chosen when the program runs: keep";
    assert!(asked.text.contains("    4|   store.save();\n    5|   disk.save();"), "{}", asked.text);
    assert!(asked.text.ends_with(said), "{}", asked.text);
}

#[test]
fn callers_of_one_name_are_told_apart_by_their_types() {
    let source = "\
//- /app.ts
export interface Store { save(): void }
export class Disk implements Store { save() {} }
export class Shop { close(store: Store) { store.save() } }
export class Yard { close(disk: Disk) { disk.save() } }
";
    let asked = ask(source, &json!({"operation": "callers", "target": "Disk.save"}));
    assert!(asked.text.ends_with("through app.Store.save: Shop.close"), "{}", asked.text);
    let calls = "\n    disk.save();".repeat(8);
    let source = format!("{source}export class Dock {{\n  close(disk: Disk) {{{calls}\n  }}\n}}\n");
    let asked = ask(&source, &json!({"operation": "callers", "target": "Disk.save"}));
    assert!(asked.text.contains("Dock.close also at "), "{}", asked.text);
}

#[test]
fn calls_through_the_interface_of_a_library_are_told_where_there_are_no_callers() {
    let source = "\
//- /Redis.php
<?php
use Ext\\Sender;
class Redis implements Sender { public function deliver() {} }
class Shop { private Sender $s; function go() { $this->s->deliver(); } }
";
    let asked = ask(source, &json!({"operation": "callers", "target": "Redis.deliver"}));
    let said = "1 call of that name is taken for a library's, for example Redis.php:4";
    assert!(asked.text.contains(said), "{}", asked.text);
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
        .map(|file| (file.version.path.to_string(), format!("{:?}", file.delivered.runs())))
        .collect();
    let line = |number| format!("{:?}", [LineRange::line(number).unwrap()]);
    // The signature of the callee, and the line that calls it.
    let runs = format!("{:?}", [LineRange::line(4).unwrap(), LineRange::line(10).unwrap()]);
    assert_eq!(delivered, BTreeMap::from([("src/orders.py".to_owned(), runs)]), "{}", line(4));
}

#[test]
fn members_are_told_once() {
    let asked = ask(SHOP, &json!({"operation": "methods", "target": "Store"}));
    assert_eq!(asked.text.matches("write").count(), 1, "{}", asked.text);
    assert!(!asked.text.contains("parent"), "{}", asked.text);
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
    let go = "//- /go.mod
module m
//- /errors/none.go
package errors
//- /a.go
package m
import \"errors\"
type E struct{ err error }
func (e E) Unwrap() error { return e.err }
func (e E) len() int { return 0 }
func use(err error, n string) bool { return errors.Unwrap(err) != nil && len(n) > most }
type A struct{}
func (A) NewDisc() {}
type B struct{}
func (B) NewDisc() {}
type Config interface{ NewDisc() }
//- /b.go
package m
var twice = 2 * most
const most = 3
";
    for name in ["E.Unwrap", "E.len"] {
        let asked = ask(go, &json!({"operation": "callers", "target": name}));
        assert!(!asked.text.contains("unresolved"), "{name}: {}", asked.text);
    }
    let python = "//- /a.py
import inspect
class Parameter: ...
def run(f): return inspect.Parameter(f)
";
    let asked = ask(python, &json!({"operation": "callers", "target": "Parameter"}));
    assert!(!asked.text.contains("unresolved"), "{}", asked.text);
    let cases = [
        (ruby, "callers", "Cop.ready", "1 call of that name is unresolved, for example a.rb:7"),
        (ruby, "usages", "Helps", "no usages of Helps (module, a.rb:1-1); 1 inheritor of Helps"),
        (go, "callees", "use", "names from outside the repository: Unwrap from errors, len"),
        (go, "usages", "most", "2 usages of m.most (variable, b.go:3-3)"),
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
    // What others implement is the first of those that a name may mean.
    let asked = ask(go, &json!({"operation": "callers", "target": "NewDisc"}));
    assert_eq!(asked.result.typed["candidates"][0]["owner"], "Config", "{}", asked.text);
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

#[test]
fn notes_name_what_is_near_and_nothing_that_cannot_be() {
    let source = "\
//- /src/event/Ev.java
package own.event;
public class Ev {}
//- /src/internal/Impl.java
package own.internal;
import own.event.*;
import java.util.concurrent.atomic.LongAdder;
class Impl {
  private final LongAdder n = new LongAdder();
  Throwable cause(Throwable t) { n.increment(); new Ev(); return t.getCause(); }
  static Impl to(int n) { return null; }
}
//- /src/aaa/Far.java
package own.aaa;
class Far { void far() { made().cause(null); } void io() {} }
//- /src/internal/Near.java
package own.internal;
class Near { void near() { made().cause(null); } }
//- /Cargo.toml
[package]
name = \"own\"
//- /src/lib.rs
use tower::Service;
pub struct Route;
impl Service for Route { type Response = u8; }
pub struct One;
pub trait Makes { type Service; }
impl Makes for One { type Service = Route; }
pub mod deep { pub type Service = u8; }
";
    let cases = [
        ("callees", "Impl.cause", "getCause, increment", "own.event"),
        (
            "callers",
            "Impl.cause",
            "2 calls of that name are unresolved, for example src/internal/Near.java:2",
            "Far",
        ),
        ("callers", "Imlp.to", "did you mean own.internal.Impl.to?", ", io"),
        ("implementations", "Service", "which is imported from tower", "definitions are named"),
    ];
    for (operation, target, wanted, unwanted) in cases {
        let asked = ask(source, &json!({"operation": operation, "target": target}));
        let is_right = asked.text.contains(wanted) && !asked.text.contains(unwanted);
        assert!(is_right, "{operation} {target}: {}", asked.text);
    }
}

#[test]
fn what_functions_inside_of_one_call_is_told_beside_its_callees_and_traced() {
    let sources = [
        "//- /a.ts\nfunction goal() {}\nexport function make() {\n  const run = () => goal()\n  return { start: () => run() }\n}\n",
        "//- /a.py\ndef goal(): pass\n\ndef make(handler):\n    def start(): run()\n    def run(): goal()\n    return start\n",
        "//- /a.kt\nfun goal() {}\nfun make(): () -> Unit {\n  fun run() { goal() }\n  fun start() { run() }\n  return ::start\n}\n",
    ];
    for source in sources {
        let asked = ask(source, &json!({"operation": "callees", "target": "make"}));
        let note = "2 functions inside of it have callees of their own: make.";
        assert!(asked.text.contains(note), "{}", asked.text);
        let asked = ask(source, &json!({"operation": "trace", "target": "make", "to": "goal"}));
        assert_eq!(
            names(&asked).last().map(|name| name.ends_with("goal")),
            Some(true),
            "{}",
            asked.text
        );
    }
    let asked = ask(sources[0], &json!({"operation": "trace", "target": "make", "to": "goal"}));
    let aside = "make itself doesn't lead there: the way begins in a function inside of it";
    assert!(asked.text.contains(aside), "{}", asked.text);
    let called = "//- /a.py\ndef goal(): pass\n\ndef make():\n    def run(): goal()\n    run()\n";
    let asked = ask(called, &json!({"operation": "callees", "target": "make"}));
    assert!(!asked.text.contains("inside of it"), "{}", asked.text);
}
