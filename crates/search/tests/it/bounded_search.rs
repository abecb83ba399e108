//! No question and no tree decides how long a search runs or how much it returns: inputs far beyond what people write give
//! an answer of the usual size, and a search that was cancelled, or whose deadline has passed, returns at once.

use std::{
    fmt::Write,
    sync::{Arc, LazyLock},
    time::Instant,
};

use retriever_graph::indexing::GraphIndex;
use retriever_search::{
    FullTextSnapshot, Question, RoleCues, SearchCorpus, declarations,
    explore::{Exploration, ExplorationTextFormat, ExploreOptions, explore, text},
    find_candidates,
};
use retriever_test_support::Fixture;
use retriever_workspace::{Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig};

static CUES: LazyLock<RoleCues> = LazyLock::new(RoleCues::default);
const MAX_CANDIDATES: usize = 60;
const MAX_CHARS: usize = 18_000;

/// Returns the number of candidates of a search, and an exploration of the same tree.
fn answers(fixture: &Fixture, question: &str, cancellation: &Cancellation) -> (usize, Exploration) {
    let (files, traits) = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open(fixture.root(), &files, &traits).unwrap();
    let index = GraphIndex::new(Arc::new(workspace), None);
    let never = Cancellation::new();
    let asked = index.ask_on_walk(&never, |walk, graph| {
        let workspace = index.workspace();
        let snapshot = FullTextSnapshot::read(workspace, walk, cancellation);
        let corpus = SearchCorpus {
            workspace,
            walk,
            index: &snapshot,
            graph: Some(graph),
            role_cues: &CUES,
            similar: None,
        };
        let found = find_candidates(&corpus, &Question::new(question), cancellation);
        let options = ExploreOptions::default();
        let explored = explore(&corpus, graph, question, &options, cancellation);
        (found.candidates.len(), explored)
    });
    asked.unwrap()
}

/// Calls `add` with a text and each number.
fn repeated(times: usize, add: impl Fn(&mut String, usize)) -> String {
    (0..times).fold(String::new(), |mut text, at| {
        add(&mut text, at);
        text
    })
}

/// A tree of one file.
fn file(path: &str, content: impl AsRef<[u8]>) -> Fixture {
    let fixture = Fixture::new("//- /src/billing.rs\npub fn settle_invoice() { archive(); }\n");
    fixture.write(path, content);
    fixture
}

/// Trees whose files no person writes.
fn trees() -> Vec<(&'static str, Fixture)> {
    let line = |text: &str| format!("{text}\n");
    vec![
        ("one long line", file("src/line.js", "settle(invoice);".repeat(20_000))),
        ("one long word", file("src/word.txt", "settle".repeat(50_000))),
        ("one name", file("src/name.py", line("def settle(): pass").repeat(4_000))),
        ("one term a line", file("src/term.md", line("settle the invoice").repeat(8_000))),
        ("open brackets", file("src/open.c", line("void settle() {").repeat(3_000))),
        (
            "nested classes",
            file(
                "src/nested.py",
                repeated(400, |text, at| {
                    writeln!(text, "{}class Settle:", " ".repeat(at)).unwrap();
                }),
            ),
        ),
        (
            "many callees",
            file(
                "src/hub.rs",
                repeated(2_000, |text, at| {
                    writeln!(text, "fn invoice_{at}() {{ settle(); }}").unwrap();
                }) + "fn settle() {\n"
                    + &repeated(2_000, |text, at| writeln!(text, "invoice_{at}();").unwrap())
                    + "}\n",
            ),
        ),
        ("open macros", file("src/open.h", line("#define settle \\").repeat(8_000))),
        ("types alone", file("src/types.hs", line("data Settle").repeat(8_000))),
        ("headings", file("docs/a.md", line("# settle invoice").repeat(4_000))),
        ("open comments", file("src/open.js", line("/* settle").repeat(8_000))),
        ("quotes", file("src/quotes.py", line("\"\"\" settle '''").repeat(8_000))),
    ]
}

#[test]
fn an_answer_has_its_size_whatever_the_tree_holds() {
    let never = Cancellation::new();
    for (name, fixture) in trees() {
        let (count, explored) = answers(&fixture, "where is an invoice settled", &never);
        assert!((1..=MAX_CANDIDATES).contains(&count), "{name}: {count} candidates");
        let chars =
            text(&explored, ExplorationTextFormat::Plain { program: "retriever" }).chars().count();
        assert!(chars <= MAX_CHARS, "{name}: {chars} characters");
    }
}

#[test]
fn an_answer_has_its_size_whatever_the_question_is() {
    let fixture = file("src/a.py", "def settle(invoice):\n    return invoice\n");
    let never = Cancellation::new();
    let questions = [
        "settle ".repeat(100_000),
        "settle".repeat(100_000),
        repeated(50_000, |text, at| write!(text, "settle{at} ").unwrap()),
        repeated(20_000, |text, at| writeln!(text, "  at src/a.py:{at}").unwrap()),
        "`settle invoice` ".repeat(20_000),
        "<!-- settle ".repeat(20_000),
        "settle.".repeat(50_000),
        "/settle".repeat(50_000),
        "```\nsettle\n".repeat(20_000),
        "\"settle invoice\" Error: ".repeat(20_000),
        "é`".repeat(50_000),
    ];
    for question in questions {
        let (count, explored) = answers(&fixture, &question, &never);
        let begin: String = question.chars().take(20).collect();
        assert!(count <= MAX_CANDIDATES, "{begin}: {count} candidates");
        let chars =
            text(&explored, ExplorationTextFormat::Plain { program: "retriever" }).chars().count();
        assert!(chars <= MAX_CHARS, "{begin}: {chars} characters");
    }
}

#[test]
fn a_search_that_was_cancelled_finds_nothing_and_says_so() {
    let cancelled = Cancellation::new();
    cancelled.cancel();
    let late = Cancellation::new().with_deadline(Instant::now());
    let fixture = file("src/a.py", "def settle(invoice):\n    return invoice\n");
    for cancellation in [cancelled, late] {
        let (count, explored) = answers(&fixture, "where is an invoice settled", &cancellation);
        assert_eq!((count, explored.files.len(), explored.truncated), (0, 0, true));
        assert!(explored.notes.iter().any(|note| note.contains("cancelled")));
    }
}

#[test]
fn declarations_that_nest_or_never_end_are_all_found() {
    let open = "void settle() {\n".repeat(20_000);
    assert_eq!(declarations("c", &open, &Cancellation::new()).len(), 20_000);
    let nested = repeated(1_000, |text, at| {
        writeln!(text, "{}class Settle:", " ".repeat(at.min(500))).unwrap();
    });
    assert_eq!(declarations("py", &nested, &Cancellation::new()).len(), 1_000);
}

#[test]
fn a_line_that_goes_on_a_macro_is_no_declaration() {
    let text = "#define settle(n) \\\n#define inner \\\nint pay(int n);\nint keep(int n) {\n  return n;\n}\n";
    let found = declarations("c", text, &Cancellation::new());
    let found = found.iter().map(|found| (&*found.declaration.name, found.declaration.range.end()));
    assert_eq!(found.collect::<Vec<_>>(), [("settle", 3), ("keep", 6)]);
    let open = "#define settle \\\n".repeat(20_000);
    let found = declarations("h", &open, &Cancellation::new());
    assert_eq!(
        found.iter().map(|found| found.declaration.range.end()).collect::<Vec<_>>(),
        [20_000]
    );
}
