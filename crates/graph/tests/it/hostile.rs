//! Input that no project should hold: broken, deep, cyclic.

use pretty_assertions::assert_eq;
use retriever_graph::{
    EdgeKind,
    indexing::{Language, SourceFile, extract, resolve},
};

use crate::support::{check, edges, graph_of};

#[test]
fn broken_deep_and_odd_text_is_survived_in_every_language() {
    let deep = format!("{}{}{}", "f(".repeat(5000), "x", ")".repeat(5000));
    let nested = format!("{}{}", "{".repeat(3000), "}".repeat(2999));
    let chain = format!("x{}", ".a()".repeat(3000));
    let samples = [
        String::new(),
        "\u{0}\u{0}class A {\u{0}".to_owned(),
        "def f(:\n  return (((\n".to_owned(),
        "fn f<T(x: &'a) -> { match { => } }".to_owned(),
        "import { from ; export default class extends { constructor( } ".to_owned(),
        "🦀 ü ß \u{202e} \"unclosed".to_owned(),
        "#if X\n{\n#else\n{{\n#endif\nint f() {".to_owned(),
        deep,
        nested,
        chain,
    ];
    for language in Language::ALL {
        for (at, sample) in samples.iter().enumerate() {
            let facts = extract(*language, sample);
            let path = format!("x{at}.{}", language.extension());
            let graph = resolve(vec![SourceFile { path, facts }], &[]).unwrap();
            assert!(!graph.files().is_empty());
            let lines = sample.lines().count().max(1);
            let outside = graph.nodes().find(|it| it.start > it.end || it.end as usize > lines);
            assert_eq!(outside, None, "{language:?}");
        }
    }
}

#[test]
fn cycles_of_imports_types_and_values_end() {
    let graph = graph_of(
        "//- /a.ts\nexport * from './b';\nexport type T = T | U;\nexport const x = y;\nexport const y = x;\n\
         class A extends A { m() { this.none(); } }\n\
         //- /b.ts\nexport * from './a';\nimport { T, missing } from './a';\nexport type U = T;\nmissing();\nlet t: T; t.m();\n\
         //- /c.py\nfrom d import *\nclass A(B): pass\nclass B(A):\n  def f(self): return self.g()\n\
         //- /d.py\nfrom c import *\nx = x.y\ndef f(): return g()\ndef g(): return f().h()\n\
         //- /e.ts\nexport const one: typeof one = (v) => { v.go(); };\nexport const two: typeof three = (v) => v.go();\n\
         export const three: typeof two = (v) => v.go();\n",
    );
    assert_eq!(edges(&graph, EdgeKind::Calls), ["d.f -> d.g", "d.g -> d.f"]);
}

#[test]
fn types_that_are_declared_as_one_another_or_iterate_as_one_another_end() {
    for (path, text) in [
        (
            "a.go",
            "package a\ntype A B\ntype B A\ntype C C\nfunc f(a A, c C) {\n\tfor k, v := range a { k.m(); v.m() }\n\t\
             for k, v := range c { k.m(); v.m() }\n\ta[0].m(); c[0].m(); a().m(); c().m(); g()\n}\nfunc g() {}\n",
        ),
        (
            "a.swift",
            "typealias A = B\ntypealias B = A\nprotocol P { associatedtype T: P; func m() -> some P }\n\
             func f(a: A, p: some P) { for x in a { x.m() }; for x in p.m() { x.m() }; a[0].m(); a().m(); p.m().m(); g() }\n\
             func g() {}\n",
        ),
        (
            "a.py",
            "class A:\n    def __iter__(self) -> 'A | B': ...\n    def __getitem__(self, at) -> 'A | B': ...\n\
             class B:\n    def __iter__(self) -> 'A | B': ...\n    def __getitem__(self, at) -> 'A | B': ...\n\
             def f(a: A):\n    for x in a:\n        x.m()\n    a[0].m()\n    g()\ndef g(): ...\n",
        ),
        (
            "a.ts",
            "class A { [Symbol.iterator](): A | B { return this; } }\nclass B { [Symbol.iterator](): A | B { return this; } }\n\
             function f(a: A) { for (const x of a) { x.m(); } g(); }\nfunction g() {}\n",
        ),
        (
            "a.kt",
            "class A { operator fun iterator(): B = B() }\nclass B { operator fun iterator(): A = A(); operator fun next(): B = this }\n\
             fun f(a: A) { for (x in a) { for (y in x) { y.m() } }; g() }\nfun g() {}\n",
        ),
    ] {
        let graph = graph_of(&format!("//- /{path}\n{text}"));
        let calls = edges(&graph, EdgeKind::Calls);
        assert!(
            calls.iter().any(|call| call == "a.f -> a.g" || call == "f -> g"),
            "{path}: {calls:?}"
        );
    }
}

#[test]
fn imports_that_are_handed_on_in_a_circle_end_and_hide_nothing() {
    check(
        "
//- /e.js
import { round, real } from './f';
export { round, real };
function e() { round(); real(); }
//- /f.js
import { round } from './e';
export { round };
export function real() {}
//- /g.js
import { real, round } from './e';
function g() { real(); round(); }
",
        &["e.e -> f.real", "g.g -> f.real"],
    );
}

#[test]
fn imports_that_are_handed_on_are_followed_far_and_not_without_end() {
    for (links, found) in [(100, true), (1_000, false)] {
        let hand_on = |at: u32| {
            let next = at + 1;
            format!("//- /m{at}.js\nimport {{ far }} from './m{next}';\nexport {{ far }};\n")
        };
        let chain: String = (0..links).map(hand_on).collect();
        let graph = graph_of(&format!(
            "//- /a.js\nimport {{ far }} from './m0';\nfunction a() {{ far(); }}\n{chain}//- /m{links}.js\nexport function far() {{}}\n"
        ));
        let calls = edges(&graph, EdgeKind::Calls);
        assert_eq!(calls.len(), usize::from(found), "{links} links: {calls:?}");
    }
}
