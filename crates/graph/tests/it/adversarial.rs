//! Files that are made to cost as much as possible: each is read to its end or is marked as limited, in little time, and
//! none ends the process. The bench of the same name measures all shapes at all sizes; here are some of each language.

use std::{
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use pretty_assertions::assert_eq;
use retriever_graph::{
    NodeKind,
    indexing::{FileOmission, GraphIndex, Language, SourceFile, extract, extract_within, resolve},
};
use retriever_workspace::{
    Cancellation, FileTraitsConfig, WorkBudgetExhausted, Workspace, WorkspaceConfig,
};

use crate::shapes::{Form, Shape, file_of, shapes};

/// Bytes of a text that is read.
const BYTES: usize = 10_000;
/// Time within which a deadline has to end the work on a machine that does nothing else.
const LIMIT: Duration = Duration::from_millis(200);
/// Bytes of one that is resolved, too.
const RESOLVED_BYTES: usize = 2_000;
/// Of the shapes that are derived from a grammar, one in so many is tried.
const STEP: usize = 9;

/// Reads a text, and resolves a shorter one of the same shape as a project of one file.
fn read(language: Language, shape: &Shape, form: Form) {
    let code = |bytes| shape.text(form, bytes).or_else(|| shape.text(Form::Closed, bytes)).unwrap();
    let text = |bytes| file_of(language, &code(bytes));
    extract(language, &text(BYTES));
    let facts = extract(language, &text(RESOLVED_BYTES));
    let graph = resolve(vec![SourceFile { path: format!("x.{}", language.name()), facts }], &[]);
    assert!(graph.is_ok(), "{} {}", language.name(), shape.rule);
}

fn check(language: Language) {
    let shapes = shapes(language);
    assert!(shapes.len() >= 60, "{}: {} shapes", language.name(), shapes.len());
    for (at, shape) in shapes.iter().enumerate() {
        // Those that were found by hand stand at the end.
        if at % STEP == 0 || at >= 60 {
            read(language, shape, Form::ALL[at / STEP % Form::ALL.len()]);
        }
    }
}

macro_rules! languages {
    ($($test:ident: $language:ident),+ $(,)?) => {
        $(
            #[test]
            fn $test() {
                check(Language::$language);
            }
        )+

        #[test]
        fn every_language_is_tried() {
            assert_eq!(Language::ALL.len(), [$(Language::$language),+].len());
        }
    };
}

languages! {
    no_javascript_ends_the_process: JavaScript,
    no_typescript_ends_the_process: TypeScript,
    no_tsx_ends_the_process: Tsx,
    no_vue_ends_the_process: Vue,
    no_svelte_ends_the_process: Svelte,
    no_notebook_ends_the_process: Notebook,
    no_python_ends_the_process: Python,
    no_rust_ends_the_process: Rust,
    no_go_ends_the_process: Go,
    no_c_ends_the_process: C,
    no_cpp_ends_the_process: Cpp,
    no_java_ends_the_process: Java,
    no_kotlin_ends_the_process: Kotlin,
    no_swift_ends_the_process: Swift,
    no_scala_ends_the_process: Scala,
    no_csharp_ends_the_process: CSharp,
    no_php_ends_the_process: Php,
    no_ruby_ends_the_process: Ruby,
    no_lua_ends_the_process: Lua,
}

#[test]
fn what_is_nested_too_deeply_is_left_out_and_the_rest_is_read() {
    let deep = format!("{}1{}", "{".repeat(6_000), "}".repeat(6_000));
    let text = format!(
        "int before() {{ return after(); }}\nint f() {deep}\nint after() {{ return 1; }}\n"
    );
    let facts = extract(Language::C, &text);
    assert_eq!(facts.omission(), Some(FileOmission::Nesting));
    let graph = resolve(vec![SourceFile { path: "a.c".into(), facts }], &[]).unwrap();
    assert_eq!(
        crate::support::edges(&graph, retriever_graph::EdgeKind::Calls),
        ["before -> after"]
    );
}

#[test]
fn what_takes_too_much_work_is_outlined_and_always_in_the_same_way() {
    let text = format!(
        "int before(int a) {{ return a; }}\nstruct Shape {{ int x; }};\nint x = {};\n",
        "*/ ".repeat(10_000)
    );
    let facts = extract(Language::C, &text);
    assert_eq!(facts.omission(), Some(FileOmission::Bodies));
    assert_eq!(facts.to_bytes().unwrap(), extract(Language::C, &text).to_bytes().unwrap());
    let graph = resolve(vec![SourceFile { path: "a.c".into(), facts }], &[]).unwrap();
    let names: Vec<&str> = graph.nodes().map(|node| node.qname.as_str()).collect();
    assert!(names.contains(&"Shape") && names.contains(&"before"), "{names:?}");
}

#[test]
fn the_outline_of_c_has_its_functions() {
    let cases = [
        ("static int run(int a) {", Some("run")),
        ("int run(int a,", Some("run")),
        ("struct shape *run(void)", Some("run")),
        ("std::vector<int> Shape::run(int a) const {", Some("run")),
        ("Shape::~Shape() {", None),
        ("int run(int a);", None),
        ("RUN(a, b)", None),
        ("int run = make(a,", None),
        ("    return run(a)", None),
        ("return run(a)", None),
        ("typedef int (*run)(int a)", None),
        ("/* run (a) */", None),
        ("/*\nWhat will run (a) is told here.\n*/", None),
        ("/*\nbefore\n*/\nint run(int a) {", Some("run")),
        ("#if defined(run)", None),
    ];
    for (line, name) in cases {
        let text = format!("{line}\nint x = {};\n", "*/ ".repeat(10_000));
        let facts = extract(Language::C, &text);
        assert_eq!(facts.omission(), Some(FileOmission::Bodies));
        let graph = resolve(vec![SourceFile { path: "a.c".into(), facts }], &[]).unwrap();
        let found = graph.nodes().find(|node| node.kind == NodeKind::Function);
        assert_eq!(found.map(|node| node.name.as_str()), name, "{line}");
    }
}

#[test]
fn looks_for_macros_in_c_take_from_the_budget_what_they_read() {
    // A text that the grammar stumbles over, with so much of a string.
    let quoted = |piece: &str| format!("int f( {{\n\"{}\"\n", piece.repeat(20_000));
    let cases = [
        // No macro follows.
        ("struct a b;\n".repeat(20_000), None),
        // A look goes back to the parenthesis that opens, or over all that it may.
        (quoted("(int) ABC;"), None),
        (quoted(") ABC;"), Some(FileOmission::Bodies)),
        // Names that are too short are no macros.
        (quoted(") A;"), None),
    ];
    for (text, omission) in cases {
        let read = extract(Language::C, &text).omission();
        assert_eq!(read, omission, "{:?}", &text[..24]);
    }
}

#[test]
fn a_cancellation_ends_the_reading_of_one_large_file() {
    let text = "int f() { return g(1, 2, 3); }\n".repeat(60_000);
    let past = Cancellation::new().with_deadline(Instant::now() + Duration::from_millis(1));
    assert_eq!(
        extract_within(Language::C, &text, &past).err(),
        Some(WorkBudgetExhausted::Cancelled)
    );
    let requested = Cancellation::new();
    requested.cancel();
    assert_eq!(
        extract_within(Language::C, &text, &requested).err(),
        Some(WorkBudgetExhausted::Cancelled)
    );
}

#[test]
fn a_deadline_ends_the_work_inside_one_file() {
    let repeated = |piece: &str| piece.repeat(400_000 / piece.len());
    let cases = [
        ("x.c", format!("int f() {{ return {}; }}", repeated("("))),
        ("x.c", format!("int f() {}", repeated("[[ _ ]] ;"))),
        // The product of two: each directive asks what stands in front of it.
        ("x.c", format!("{}\n{}int f( {{", repeated("a"), repeated("#\n"))),
        ("x.h", repeated("class API A { x };\n")),
        ("x.c", repeated("#if A\nint f() {\n#else\nint f(int a) {\n#endif\n}\n")),
        ("x.go", repeated("type a a\n")),
        ("x.go", format!("package p\nconst a{}\n", repeated(", a"))),
        ("x.ts", repeated("type A = A;\n")),
        ("x.java", format!("class A {{ {} }}", repeated("void f(A a) { f(null); } "))),
        ("x.scala", format!("class A {}", repeated("with A "))),
        ("x.php", format!("<?php {}", repeated("namespace a; function f() { f(); } "))),
        ("x.rs", format!("fn f() {{ {} }}", repeated("m!(a.b(c), d(e)); "))),
        ("x.py", repeated("class a(a): pass\n")),
    ];
    for (at, (name, text)) in cases.iter().enumerate() {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("deadline{at}"));
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join(name), text).unwrap();
        let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
        let workspace = Workspace::open(&root, &config.0, &config.1).unwrap();
        let deadline = Instant::now() + LIMIT / 4;
        let cancellation = Cancellation::new().with_deadline(deadline);
        let index = GraphIndex::new(Arc::new(workspace), None);
        let _ = index.ask(&cancellation, |graph| graph.nodes().count());
        let late = deadline.elapsed();
        assert!(late < 10 * LIMIT, "{name} {}: {late:?}", &text[..20]);
    }
}
