//! `graph` as a model calls it: what each operation finds, and what is said of questions that have no answer.

mod ambiguous_names;
mod answer_text;
mod imported_names;
mod outlined_files;
mod uses_of_values;

use std::sync::Arc;

use pretty_assertions::assert_eq;
use retriever::{
    config::{FileTraitsConfig, WorkspaceConfig},
    evidence_ledger::EvidenceLedger,
    indexing::GraphIndex,
    tools::{
        ToolContext, ToolOutcome, ToolRegistry, ToolResult,
        render_tool_result::{ObservationBudget, render},
    },
    workspace::{Cancellation, Workspace},
};
use serde_json::{Value, json};

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
fn private_files_are_not_in_the_graph() {
    let source = "//- /.gitignore\nhidden.py\n//- /hidden.py\ndef a():\n    pass\n//- /b.py\ndef b():\n    pass\n";
    let asked = ask(source, &json!({"operation": "search", "target": "a"}));
    assert_eq!(asked.result.observation.outcome, ToolOutcome::NoMatch, "{}", asked.text);
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
