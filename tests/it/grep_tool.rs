//! What `grep` says besides the lines that match: the declarations around them, who calls these, and IDs that lines have.

use std::{sync::Arc, time::Duration};

use retriever::{
    evidence_ledger::{EvidenceLedger, LineRange},
    tools::{ToolContext, ToolRegistry, grep::GrepTool, render_tool_result::render},
};
use retriever_graph::indexing::GraphIndex;
use retriever_workspace::Cancellation;
use serde_json::json;

use crate::{
    support::fixture::Fixture,
    tools::{PLENTY, call, context, text},
};

const SHOP: &str = "\
//- /src/store.py
class Store:
    def save(self, item):
        log(item)
        check(item)


def order(store: Store, item):
    store.save(item)


def reorder(store: Store):
    order(store, 1)
    store.save(2)
";

#[test]
fn functions_around_matches_come_with_their_callers_once_there_is_a_graph() {
    let fixture = Fixture::new(SHOP);
    let context = context(&fixture);
    let index = Arc::new(GraphIndex::new(Arc::clone(&context.workspace), None));
    let registry = ToolRegistry::with_graph(Arc::clone(&index));
    let grep = || {
        let result = registry.call("grep", &context, &json!({"pattern": "item\\)$"})).unwrap();
        render(&result.observation, &mut EvidenceLedger::new(), &PLENTY).text
    };
    assert!(!grep().contains("called by"), "no graph is built for a search");
    index.refresh(&Cancellation::new(), &|_, _| {}).unwrap();
    let shown = grep();
    assert!(shown.contains("] 3-4 in Store.save 2-4, called by order, reorder\n    3|"), "{shown}");
    assert!(shown.contains("] in order 7-8, called by reorder: 8|"), "{shown}");
}

#[test]
fn callers_follow_changes_of_the_files_or_are_said_to_be_missing() {
    let reorder = "from src.store import order\n\n\ndef again(store):\n    order(store, 2)\n";
    let many: Vec<(String, String)> = (0..70)
        .map(|at| (format!("src/new{at}.py"), format!("def new{at}():\n    go()\n")))
        .collect();
    let some = |path: &str, text: &str| vec![(path.to_owned(), text.to_owned())];
    let shop = SHOP.split_once('\n').unwrap().1;
    // (what is written after the graph was made, what is said of `order` or of the search)
    let cases = [
        (vec![], "in order 7-8, called by reorder: 8|"),
        (some("src/again.py", reorder), "in order 7-8, called by reorder, again: 8|"),
        (some("src/store.py", &format!("\n\n{shop}")), "in order 9-10, called by reorder: 10|"),
        (some("src/store.py", &shop.replace("order(store, 1)", "pass")), "in order 7-8: 8|"),
        (many, NOT_NAMED),
    ];
    for (written, expected) in cases {
        let shop = Shop::new();
        written.iter().for_each(|(path, text)| shop.fixture.write(path, text));
        let shown = shop.grep(&shop.context);
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
}

const NOT_NAMED: &str = "callers are not named: the code graph is not up to date";

/// [`SHOP`], its stored graph, and a `grep` that waits for it as long as it takes.
struct Shop {
    fixture: Fixture,
    context: ToolContext,
    store: tempfile::TempDir,
    index: Arc<GraphIndex>,
    registry: ToolRegistry,
}

impl Shop {
    fn new() -> Self {
        let fixture = Fixture::new(SHOP);
        let context = context(&fixture);
        let store = tempfile::tempdir().unwrap();
        let folder = Some(store.path().to_owned());
        let index = Arc::new(GraphIndex::new(Arc::clone(&context.workspace), folder));
        index.refresh(&Cancellation::new(), &|_, _| {}).unwrap();
        let grep = GrepTool::with_callers(Arc::clone(&index)).waiting(Duration::from_secs(600));
        let registry = ToolRegistry::standard().with(grep);
        Self { fixture, context, store, index, registry }
    }

    fn grep(&self, context: &ToolContext) -> String {
        let result = self.registry.call("grep", context, &json!({"pattern": "item\\)$"})).unwrap();
        render(&result.observation, &mut EvidenceLedger::new(), &PLENTY).text
    }
}

#[test]
fn after_a_graph_was_late_no_search_waits_for_it_until_it_is_current() {
    let shop = Shop::new();
    let path = |at: u32| format!("src/new{at}.py");
    (0..70).for_each(|at| shop.fixture.write(&path(at), "def new():\n    go()\n"));
    assert!(shop.grep(&shop.context).contains(NOT_NAMED));
    (1..70).for_each(|at| std::fs::remove_file(shop.fixture.root().join(path(at))).unwrap());
    assert!(shop.grep(&shop.context).contains(NOT_NAMED), "one file is new");
    shop.index.refresh(&Cancellation::new(), &|_, _| {}).unwrap();
    assert!(shop.grep(&shop.context).contains("called by reorder"));
    shop.fixture.write(&path(1), "def new():\n    go()\n");
    assert!(shop.grep(&shop.context).contains("called by reorder"), "one file is new");
}

#[test]
fn a_search_repairs_no_graph_and_one_that_was_cancelled_says_nothing_of_it() {
    let shop = Shop::new();
    let cancelled = Cancellation::new();
    cancelled.cancel();
    let shown = shop.grep(&ToolContext { cancellation: cancelled, ..shop.context.clone() });
    assert!(shown.contains("log(item)") && !shown.contains(NOT_NAMED), "{shown}");
    let stored = shop.store.path().join("graph.db");
    std::fs::write(&stored, "no database").unwrap();
    let shown = shop.grep(&shop.context);
    assert!(!shown.contains("called by"), "{shown}");
    assert_eq!(shop.index.warnings(), Vec::<String>::new());
    assert_eq!(std::fs::read(&stored).unwrap(), b"no database");
}

#[test]
fn callers_of_one_name_are_told_once_and_those_of_tests_are_counted() {
    let cases = [
        ("a", "def run():\n    ship()\n", "b", "def run():\n    ship()\n", "called by run ×2"),
        (
            "a",
            "def run():\n    ship()\n",
            "tests/test_b",
            "def test_b():\n    ship()\n",
            "called by run, 1 in tests",
        ),
        ("a", "", "tests/test_b", "def test_b():\n    ship()\n", "called by test_b"),
    ];
    for (first, one, second, two, expected) in cases {
        let import = "from ship import ship\n";
        let fixture = Fixture::new(&format!(
            "//- /ship.py\ndef ship():\n    go(1)\n//- /{first}.py\n{import}{one}//- /{second}.py\n{import}{two}"
        ));
        let context = context(&fixture);
        let index = Arc::new(GraphIndex::new(Arc::clone(&context.workspace), None));
        index.refresh(&Cancellation::new(), &|_, _| {}).unwrap();
        let registry = ToolRegistry::with_graph(index);
        let result = registry.call("grep", &context, &json!({"pattern": "go\\("})).unwrap();
        let shown = render(&result.observation, &mut EvidenceLedger::new(), &PLENTY).text;
        assert!(shown.contains(&format!("{expected}: 2|")), "{expected}: {shown}");
    }
}

#[test]
fn callers_that_only_may_call_are_told_once_or_not_at_all() {
    let user = |at: usize| format!("function use{at}(job: Job) {{ job.run(); }}\n");
    // (users of the interface, what is said of the two methods)
    let cases = [(2, ["called by use0, use1", ""]), (5, ["", ""])];
    for (users, expected) in cases {
        let users: String = (0..users).map(user).collect();
        let fixture = Fixture::new(&format!(
            "//- /job.ts\ninterface Job {{ run(): void }}\nclass A implements Job {{\n  run() {{\n    hit(1);\n  }}\n}}\n\
             class B implements Job {{\n  run() {{\n    hit(2);\n  }}\n}}\n{users}"
        ));
        let context = context(&fixture);
        let index = Arc::new(GraphIndex::new(Arc::clone(&context.workspace), None));
        index.refresh(&Cancellation::new(), &|_, _| {}).unwrap();
        let registry = ToolRegistry::with_graph(index);
        let result = registry.call("grep", &context, &json!({"pattern": "hit\\("})).unwrap();
        let shown = render(&result.observation, &mut EvidenceLedger::new(), &PLENTY).text;
        let lines: Vec<&str> = shown.lines().filter(|line| line.contains("hit(")).collect();
        for (line, expected) in lines.iter().zip(expected) {
            assert_eq!(line.contains("called by"), !expected.is_empty(), "{shown}");
            assert!(line.contains(expected), "{shown}");
        }
        assert_eq!(lines.len(), 2, "{shown}");
    }
}

#[test]
fn the_id_of_a_first_line_knows_the_extent_of_its_declaration() {
    let fixture = Fixture::new(SHOP);
    let context = context(&fixture);
    let mut ledger = EvidenceLedger::new();
    let result = call(&context, "grep", &json!({"pattern": "def save|check"}));
    render(&result.observation, &mut ledger, &PLENTY);
    let places = ledger.places().iter().map(|place| (place.range, place.declares));
    let places: Vec<_> = places.collect();
    assert_eq!(places, [(LineRange::line(2), LineRange::new(2, 4)), (LineRange::line(4), None)]);
}

#[test]
fn a_block_of_context_is_named_after_the_declaration_of_its_own_match() {
    let fixture = Fixture::new("//- /a.rs\n// hit\nfn second() {\n    hit();\n}\n");
    let context = context(&fixture);
    let shown = text(&context, "grep", &json!({"pattern": "hit", "context": 3}));
    assert!(shown.contains("[c1] 1-4 in second 2-4\n"), "{shown}");
}

#[test]
fn one_file_with_hits_has_the_room_of_all_and_data_stands_behind_code() {
    let lines = "hit\n".repeat(45);
    let fixture = Fixture::new(&format!("//- /b.rs\n{lines}//- /c.rs\n//- /Notes.toml\nhit\n"));
    let context = context(&fixture);
    let shown = text(&context, "grep", &json!({"pattern": "hit", "include": "*.rs"}));
    assert!(shown.starts_with("45 matches in 1 file"), "{shown}");
    let shown = text(&context, "grep", &json!({"pattern": "hit"}));
    assert!(shown.starts_with("46 matches in 2 files"), "{shown}");
    assert!(shown.find("b.rs") < shown.find("Notes.toml"), "{shown}");
}

#[test]
fn a_file_has_the_room_that_others_leave_and_comments_give_way() {
    let comments: String = (0..30).map(|n| format!("// hit {n}\n")).collect();
    let code = "hit();\n".repeat(30);
    let fixture = Fixture::new(&format!("//- /a.rs\n{comments}{code}//- /b.rs\nhit();\n"));
    let context = context(&fixture);
    let shown = text(&context, "grep", &json!({"pattern": "hit"}));
    assert!(shown.starts_with("50 of 61 matches in 2 files"), "{shown}");
    assert_eq!(shown.matches("| hit();").count(), 21 + 1, "of the first 51 lines: {shown}");
}

#[test]
fn a_key_that_sibling_data_files_repeat_is_shown_once() {
    let languages = ["de", "en", "fr", "it"];
    let fixture = Fixture::new("//- /app.js\ntitle();\n");
    for language in languages {
        let data = format!("{{\n  \"title\": \"{language}\",\n  \"other\": 1\n}}\n");
        fixture.write(&format!("locales/{language}.json"), data);
    }
    let context = context(&fixture);
    let shown = text(&context, "grep", &json!({"pattern": "title", "context": 1}));
    assert!(shown.contains("[c2] 2|   \"title\": \"en\","), "no context: {shown}");
    assert!(!shown.contains("\"de\""), "{shown}");
    assert!(
        shown.contains(
            "and 3 more with the same keys in locales/: grep pattern=\"title\" path=\"locales\""
        ),
        "{shown}"
    );
    let inside = text(&context, "grep", &json!({"pattern": "title", "path": "locales"}));
    assert!(inside.contains("\"it\""), "{inside}");
    let plain = json!({"pattern": "\"title\":", "literal": true, "ignore_case": true});
    let shown = text(&context, "grep", &plain);
    assert!(shown.contains("literal=true path=\"locales\" ignore_case=true"), "{shown}");
    // What matches is the value, which differs.
    let values = text(&context, "grep", &json!({"pattern": "\"(de|en|fr|it)\""}));
    assert!(values.contains("\"it\"") && !values.contains("same keys"), "{values}");
}

/// (names of sibling files, the one that others translate)
const LANGUAGES: &[(&[&str], &str)] = &[
    (&["ar-SA.json", "de.json", "en-GB.json", "en.json"], "en.json"),
    (&["app_de.arb", "app_en.arb", "app_fr.arb", "app_it.arb"], "app_en.arb"),
    (&["A.de.resx", "A.fr.resx", "A.it.resx", "Abcd.resx"], "Abcd.resx"),
    (&["cs.yml", "de.yml", "fr.yml", "it.yml"], "cs.yml"),
];

#[test]
fn the_shown_one_of_sibling_data_files_is_that_which_others_translate() {
    for (names, wanted) in LANGUAGES {
        let fixture = Fixture::new("//- /app.js\ntitle();\n");
        for name in *names {
            fixture.write(&format!("texts/{name}"), "title: x\n");
        }
        let shown = text(&context(&fixture), "grep", &json!({"pattern": "title"}));
        assert!(shown.contains(&format!("texts/{wanted} (")), "{wanted}: {shown}");
        assert_eq!(shown.matches("texts/").count(), 2, "{shown}");
    }
}

const CHECKS: &str = "\
//- /src/a.rs
fn check() {}
//- /src/b.rs
fn run() { check(); }
//- /tests/one.rs
check(); // 1
check(); // 2
//- /tests/deep/two.rs
check(); // 1
check(); // 2
check(); // 3
//- /Cargo.lock
check
check
check
check
";

/// (the arguments of a search, whether lines of tests are shown)
const WITH_TESTS: &[(&str, bool)] = &[
    (r#"{"pattern": "check"}"#, false),
    (r#"{"pattern": "check", "limit": 100}"#, false),
    (r#"{"pattern": "check", "include": "**/*.rs"}"#, false),
    (r#"{"pattern": "check", "path": "tests"}"#, true),
    (r#"{"pattern": "check", "include": "{src,tests}/**"}"#, true),
    (r#"{"pattern": "check|fn test_\\w+"}"#, true),
    (r#"{"pattern": "check|latest"}"#, false),
];

#[test]
fn matches_of_tests_are_told_in_a_line_unless_they_are_asked_for() {
    let fixture = Fixture::new(CHECKS);
    let mut context = context(&fixture);
    for (arguments, shows) in WITH_TESTS {
        let shown = text(&context, "grep", &serde_json::from_str(arguments).unwrap());
        assert_eq!(shown.contains("// 1"), *shows, "{arguments}: {shown}");
        assert_eq!(shown.contains("5 matches in test files"), !*shows, "{arguments}: {shown}");
    }
    let shown = text(&context, "grep", &json!({"pattern": "check"}));
    assert!(
        shown.contains(
            "and 5 matches in test files: tests/deep/two.rs 3, tests/one.rs 2; see them: grep pattern=\"check\" path=\"tests\"\n\
             and 4 matches in generated, vendored or support files: Cargo.lock 4; see them: grep pattern=\"check\" path=\"Cargo.lock\""
        ),
        "{shown}"
    );
    assert!(shown.starts_with("2 of 11 matches in 5 files"), "{shown}");
    context.wants_tests = true;
    let shown = text(&context, "grep", &json!({"pattern": "check"}));
    assert!(shown.contains("// 3"), "the question asks for tests: {shown}");
}

#[test]
fn few_matches_of_tests_and_those_without_others_are_shown() {
    let few = "//- /src/a.rs\nhit\n//- /tests/a.rs\nhit\nhit\nhit\n";
    let alone = "//- /README.md\nhit\n//- /tests/a.rs\nhit\nhit\nhit\nhit\n";
    for source in [few, alone] {
        let shown = text(&context(&Fixture::new(source)), "grep", &json!({"pattern": "hit"}));
        assert!(shown.contains("tests/a.rs (") && !shown.contains("see them"), "{shown}");
    }
}

#[test]
fn a_comment_that_overloads_repeat_is_shown_once() {
    let overload = "/// Opens the gate.\nfn open() {}\n";
    let fixture = Fixture::new(&format!("//- /a.rs\n{}", overload.repeat(3)));
    let shown = text(&context(&fixture), "grep", &json!({"pattern": "(?i)open"}));
    assert_eq!(shown.matches("Opens the gate").count(), 1, "{shown}");
    assert_eq!(shown.matches("fn open").count(), 3, "{shown}");
    let told = "and 2 comments with the words of another match: a.rs:3, a.rs:5";
    assert!(shown.contains(told), "{shown}");
    let alone = text(&context(&fixture), "grep", &json!({"pattern": "Opens", "path": "a.rs"}));
    assert_eq!(alone.matches("Opens the gate").count(), 3, "a file alone has all: {alone}");
}

#[test]
fn only_comments_of_code_are_compared() {
    for (name, line) in [
        ("a.css", "#toolbar { color: gate }"),
        ("a.css", "--gate: 1px;"),
        ("a.glsl", "#include <gate>"),
        ("README.md", "# The gate"),
        ("a.unknown", "-- gate"),
    ] {
        let fixture = Fixture::new(&format!("//- /{name}\n{line}\n{line}\n//- /b.rs\ngate();\n"));
        let shown = text(&context(&fixture), "grep", &json!({"pattern": "gate"}));
        assert_eq!(shown.matches(line).count(), 2, "{name}: {shown}");
        assert!(!shown.contains("another match"), "{name}: {shown}");
    }
}

#[test]
fn folded_tests_that_no_folder_holds_alone_are_all_named() {
    let tests: String = (0..6).map(|at| format!("//- /p{at}/a_test.go\nhit\n")).collect();
    let code: String = (0..6).map(|at| format!("//- /p{at}/a.go\nhit\n")).collect();
    let shown = text(&context(&Fixture::new(&(tests + &code))), "grep", &json!({"pattern": "hit"}));
    assert!(shown.contains("p5/a_test.go 1; see the first: grep"), "{shown}");
}

#[test]
fn what_tests_are_written_with_is_shown_where_tests_are_asked_for() {
    let hits = "hit\n".repeat(4);
    let source = format!("//- /src/a.rs\nhit\n//- /store-testing-support/b.rs\n{hits}");
    let fixture = Fixture::new(&source);
    let mut context = context(&fixture);
    for wants_tests in [false, true] {
        context.wants_tests = wants_tests;
        let shown = text(&context, "grep", &json!({"pattern": "hit"}));
        assert_eq!(shown.contains("support/b.rs ("), wants_tests, "{shown}");
    }
}

#[test]
fn the_id_of_a_first_line_is_that_of_the_declaration_once_it_is_read() {
    let fixture = Fixture::new(SHOP);
    let mut ledger = EvidenceLedger::new();
    let mut show = |tool, arguments| {
        let places =
            ledger.places().iter().map(|place| (place.id, (place.path.clone(), place.range)));
        let context = ToolContext { places: Arc::new(places.collect()), ..context(&fixture) };
        render(&call(&context, tool, &arguments).observation, &mut ledger, &PLENTY).text
    };
    assert!(show("grep", json!({"pattern": "def reorder"})).contains("[c1] declares 11-13: 11|"));
    assert!(show("read", json!({"file": "c1"})).contains("[c1] 11-13\n"));
    assert!(show("grep", json!({"pattern": "save.2"})).contains("[c1:13] in reorder 11-13: 13|"));
}

#[test]
fn elements_that_begin_alike_are_not_the_same_key() {
    let fixture = Fixture::new("//- /app.js\nname();\n");
    for (at, name) in ["Save", "Cancel", "Close", "Open"].into_iter().enumerate() {
        fixture.write(&format!("strings/{at}.resx"), format!("<data name=\"{name}\">\n"));
    }
    let shown = text(&context(&fixture), "grep", &json!({"pattern": "data name"}));
    assert!(shown.contains("\"Cancel\"") && !shown.contains("same keys"), "{shown}");
}

#[test]
fn files_that_are_not_searched_are_only_told_where_they_could_match() {
    let fixture = Fixture::new("//- /a.rs\nhit\n//- /.gitignore\nout\n");
    fixture.write("server.pem", "hit\n");
    for image in ["a.png", "b.png", "c.gif"] {
        fixture.write(image, b"\x89PNG\0\0");
    }
    let context = context(&fixture);
    let all = text(&context, "grep", &json!({"pattern": "hit"}));
    assert!(
        all.contains("files not searched: 1 hidden, 1 private, 3 binary (binary: 2 .png, 1 .gif)"),
        "{all}"
    );
    assert!(all.contains("private files may hold secrets"), "{all}");
    let rust = text(&context, "grep", &json!({"pattern": "hit", "include": "*.rs"}));
    assert!(!rust.contains("not searched"), "{rust}");
}

#[test]
fn a_function_that_is_shown_whole_has_one_id() {
    let source = "//- /a.py\ndef before():\n    one()\n\n\ndef outer():\n    def inner():\n        hit()\n        return 1\n    hit()\n    return inner\n";
    let fixture = Fixture::new(source);
    let context = context(&fixture);
    let shown = text(&context, "grep", &json!({"pattern": "def outer|hit", "context": 5}));
    assert_eq!(shown.matches("[c").count(), 1, "{shown}");
    assert!(!shown.contains("one()"), "{shown}");
}

#[test]
fn lines_that_were_delivered_keep_the_id_of_their_place() {
    let fixture = Fixture::new(SHOP);
    let context = context(&fixture);
    let mut ledger = EvidenceLedger::new();
    let mut show = |tool, arguments| {
        render(&call(&context, tool, &arguments).observation, &mut ledger, &PLENTY).text
    };
    show("read", json!({"file": "src/store.py", "start_line": 7, "num_lines": 7}));
    let shown = show("grep", json!({"pattern": "save"}));
    assert!(shown.contains("[c2] declares 2-4, in Store: 2|"), "{shown}");
    assert!(shown.contains("[c1:8] in order 7-8: 8|"), "{shown}");
    assert!(shown.contains("[c1:13] in reorder 11-13: 13|"), "{shown}");
}

#[test]
fn a_pattern_does_not_tell_a_secret_value() {
    let fixture = Fixture::new("");
    let key = ["sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"].concat();
    fixture.write("src/pay.py", format!("host = 'x'\nkey = \"{key}\"\n"));
    let context = context(&fixture);
    let total = |pattern: &str| {
        call(&context, "grep", &json!({"pattern": pattern})).typed["total_matches"].clone()
    };
    assert_eq!(total("key = "), 1);
    assert_eq!(total("4eC3"), 0);
    assert_eq!(total("dp7dc\"$"), 0);
    // Each of these matches the mask, or would match the value if the guess was right.
    for guesses in ["key = \"(\\*|sk_live_{})", "key = \"sk_l(\\*|ive_{})", "\"([^s]|sk_live_{})"] {
        let [right, wrong] = ["4", "X"].map(|guess| total(&guesses.replace("{}", guess)));
        assert_eq!(right, wrong, "{guesses}");
    }
}
