//! Calls of functions that a variable or field holds by its declaration or by assignment.

use retriever_graph::{EdgeKind, Graph, NodeQuery};

use super::uses_of_types::only;
use crate::support::{edges, graph_of};

/// Returns the names of what is related to `name`, in order.
fn related(graph: &Graph, operation: NodeQuery, name: &str) -> Vec<String> {
    let page = graph.related(operation, &[only(graph, name)], 1, 0, 20);
    page.items.iter().map(|item| graph.node(item.node).unwrap().name.clone()).collect()
}

#[test]
fn a_declared_type_hides_no_function_that_a_variable_is_declared_with() {
    // `run` calls through `held`, which is declared as any function of its type.
    let cases = [
        (
            "ts",
            "declare const FLAG: boolean\nfunction one(x: number) {}\nfunction two(x: number) {}\nconst held: (x: number) => void = FLAG ? FLAG ? (x: number) => {} : one : two\nfunction run() { held(1) }",
        ),
        (
            "ts",
            "type Take = (x: number) => void\nfunction one(x: number) {}\nfunction two(x: number) {}\nfunction run() { const held: Take = Math.random() ? one : two; held(1) }",
        ),
        (
            "py",
            "def one(x): pass\ndef two(x): pass\nheld: Callable = one if FLAG else two\ndef run():\n    held(1)",
        ),
        (
            "c",
            "static void one(int x) {}\nstatic void two(int x) {}\nvoid (*held)(int) = FLAG ? one : two;\nvoid run(void) { held(1); }",
        ),
        (
            "cpp",
            "void one(int x) {}\nvoid two(int x) {}\nstd::function<void(int)> held = FLAG ? one : two;\nvoid run() { held(1); }",
        ),
        (
            "swift",
            "func one(_ x: Int) {}\nfunc two(_ x: Int) {}\nlet held: (Int) -> Void = flag ? one : two\nfunc run() { held(1) }",
        ),
        (
            "kt",
            "fun one(x: Int) {}\nfun two(x: Int) {}\nval held: (Int) -> Unit = if (flag) ::one else ::two\nfun run() { held(1) }",
        ),
        (
            "rs",
            "fn one(x: u8) {}\nfn two(x: u8) {}\nconst held: fn(u8) = if FLAG { one } else { two };\nfn run() { held(1) }",
        ),
    ];
    let mut lost = Vec::new();
    for (extension, text) in cases {
        let calls = edges(&graph_of(&format!("//- /main.{extension}\n{text}\n")), EdgeKind::Calls);
        let has = |name: &str| {
            calls.iter().any(|call| call.contains("run -> ") && call.contains(&format!("{name} ")))
        };
        if !has("one") || !has("two") {
            lost.push((text, calls));
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn a_variable_has_the_callers_and_the_functions_of_its_value() {
    let graph = graph_of(
        "
//- /a.ts
export function one() {}
export const alias = one
export function run() { alias() }
export function two() {}
export const choice: () => void = one ? two ? one : two : () => {}
",
    );
    assert_eq!(related(&graph, NodeQuery::Callers, "alias"), ["run"]);
    assert_eq!(related(&graph, NodeQuery::Callees, "alias"), ["one"]);
    assert_eq!(related(&graph, NodeQuery::Callees, "choice"), ["one", "two"]);
    assert_eq!(related(&graph, NodeQuery::Callees, "run"), ["one"]);
    assert_eq!(related(&graph, NodeQuery::Callers, "one"), ["a.ts", "run"]);
}

#[test]
fn a_declared_field_has_the_calls_of_what_is_assigned_to_it() {
    let graph = graph_of(
        "
//- /a.ts
export interface Context { activate: (x: number) => void }
//- /b.ts
import { Context } from './a'
export function setup(ctx: Context) { ctx.activate = x => { use(x) } }
function use(x: number) {}
export function render(parent: { ctx: object }) { (parent.ctx as Context).activate(1) }
",
    );
    assert_eq!(related(&graph, NodeQuery::Callers, "Context.activate"), ["render"]);
    assert_eq!(related(&graph, NodeQuery::Callees, "Context.activate"), ["activate"]);
    assert_eq!(related(&graph, NodeQuery::Callees, "render"), ["activate"]);
}
