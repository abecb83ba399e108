//! Types that JSDoc comments tell: parameters, results, variables, fields, names for types.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, NodeKind};

use crate::support::{check_cases, check_some, edges, graph_of};

/// What the cases call; `Other` has a method by the same name and is never meant.
const PARSER: &str = "
//- /parser.js
export class Parser { eat(s) { return s; } next() { return this; } }
export class Other { eat(s) {} next() { return this; } }
//- /types.d.ts
export interface Options { parser: Parser; made(): Parser }
import { Parser } from './parser.js';
//- /use.js
import { Parser } from './parser.js';
";

#[test]
fn parameters_results_and_values_have_the_types_that_comments_tell() {
    let cases = [
        "/** @param {Parser} p */\nexport function f(p) { p.eat(); }",
        "/**\n * Reads.\n * @param {string} s what\n * @param {Parser} [p] by whom\n */\nfunction f(s, p) { p.eat(s); }",
        "/** @param {import('./parser.js').Parser} p */\nexport default function f(p) { p.eat(); }",
        "/** @param {import('./parser.js').Parser[]} all */\nfunction f(all) { all[0].eat(); }",
        "/** @param {Parser | null | undefined} p */\nconst f = async (p) => { p.eat(); };",
        "/** @param {?Parser} p */\nfunction f(p) { p.eat(); }",
        "/** @param {Parser=} p */\nfunction f(p) { p.eat(); }",
        "/** @param {...Parser} all */\nfunction f(...all) { all.forEach((p) => p.eat()); }",
        "/** @param {Array.<Parser>} all */\nfunction f(all) { for (const p of all) p.eat(); }",
        "/** @param {Map<string, Parser>} all */\nfunction f(all) { all.get('a').eat(); }",
        "/**\n * @param {{\n *   parser: Parser,\n *   n: number\n * }} options\n */\nfunction f({ parser }) { parser.eat(); }",
        "/** @param {{ parser: Parser }} options */\nfunction f(options) { options.parser.eat(); }",
        "/** @param {import('./types').Options} options */\nfunction f(options) { options.made().eat(); }",
        "/** @returns {Parser} */\nfunction make() { return x; }\nfunction f() { make().eat(); }",
        "/** @type {Parser} */\nlet p;\nfunction f() { p.eat(); }",
        "function f() {\n  /** @type {Parser} */\n  let p;\n  p.eat();\n}",
        "function f(x) { const p = /** @type {Parser} */ (x); p.eat(); }",
        "function f(x) { /** @type {Parser} */ (x).eat(); }",
        "const f = (/** @type {Parser} */ p) => p.eat();",
        "/** @typedef {import('./parser.js').Parser} P */\n/** @param {P} p */\nfunction f(p) { p.eat(); }",
        "/** @typedef {Object} O\n * @property {Parser} parser it\n */\n/** @param {O} o */\nfunction f(o) { o.parser.eat(); }",
        "/** @callback Done\n * @param {Parser} p\n * @returns {void}\n */\n/** @type {Done} */\nconst f = (p) => { p.eat(); };",
        "/** @import { Parser as P } from './parser.js' */\n/** @param {P} p */\nfunction f(p) { p.eat(); }",
        "/** @template {Parser} T\n * @param {T} p */\nfunction f(p) { p.eat(); }",
        "/** @param {Other q\n * @param {Parser} p }\n */\nfunction f(q, p) { p.eat(); }",
    ];
    let calls = ("use.f -> parser.Parser.eat", "use.f -> parser.Other.eat");
    check_cases(PARSER, &cases.map(|case| (case, calls)));
}

#[test]
fn fields_and_methods_have_the_types_that_comments_tell() {
    let project = format!(
        "{PARSER}
export class Reader {{
  /** @type {{Parser}} */
  own;
  constructor(given) {{
    /** @type {{Parser | undefined}} */
    this.given = given;
  }}
  /**
   * @param {{Parser}} p
   * @returns {{Parser}}
   */
  read(p) {{ return p; }}
  f() {{ this.own.eat(); }}
  g() {{ this.given.eat(); }}
  h() {{ this.read(null).eat(); }}
}}
export const actions = {{
  /** @param {{Parser}} p */
  run(p) {{ p.eat(); }},
}};
"
    );
    let callers = ["Reader.f", "Reader.g", "Reader.h", "actions.run"];
    let calls = callers.map(|from| format!("use.{from} -> parser.Parser.eat"));
    check_some(&project, &calls.each_ref().map(String::as_str), &[]);
}

#[test]
fn what_is_no_type_of_the_next_declaration_is_not_read() {
    let cases = [
        // Of something else: another statement, another parameter, an unknown type, a pattern of paths, a text.
        "/** @type {Parser} */\nlet a;\nlet p = x;\nfunction f() { p.eat(); }",
        "/** @param {Parser} q */\nfunction f(p) { p.eat(); }",
        "/** @param {Unknown} p */\nfunction f(p) { p.eat(); }",
        "/** @param {*} p */\nfunction f(p) { p.eat(); }",
        "const g = 'src/**/*.js';\nfunction f(p) { p.eat(); }",
        "/** {@link Parser} p */\nfunction f(p) { p.eat(); }",
        "/** @param {Parser p\n */\nfunction f(p) { p.eat(); }",
        "/** @type {Parser} */\nconst f = (p) => p.eat();",
        "/** @type {Parser} */ let a = z\nlet p = x\nfunction f() { p.eat(); }",
        "/** @param {Parser} p */ let a = z\nfunction f(p) { p.eat(); }",
    ];
    check_cases(PARSER, &cases.map(|case| (case, ("", "use.f -> parser.Parser.eat"))));
    check_cases(PARSER, &cases.map(|case| (case, ("", "use.f -> parser.Other.eat"))));
}

#[test]
fn properties_of_properties_are_no_fields_of_their_own() {
    let graph = graph_of(
        "//- /use.js\n/** @typedef {Object} O\n * @property {Object} a\n * @property {string} a.b\n * @property {string} c\n */\n",
    );
    let fields = graph.nodes().filter(|node| node.kind == NodeKind::Field);
    let names: Vec<&str> = fields.map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["c"]);
}

#[test]
fn a_type_in_a_comment_is_a_use_of_it() {
    let project = format!(
        "{PARSER}/** @param {{Parser}} p */\nfunction f(p) {{}}\n/** @returns {{Parser[]}} */\nfunction g() {{}}\n"
    );
    let graph = graph_of(&project);
    assert!(edges(&graph, EdgeKind::ParamOf).contains(&"parser.Parser -> use.f".to_owned()));
    assert!(edges(&graph, EdgeKind::Returns).contains(&"use.g -> parser.Parser".to_owned()));
}

#[test]
fn what_comments_import_does_not_hide_what_a_module_is() {
    let modules = "
//- /store.d.ts
export interface Store {}
";
    let handler = |comment: &str| {
        format!(
            "{modules}//- /handler.js\nclass Handler {{\n  {comment}\n  save(store) {{ return store; }}\n}}\nmodule.exports = Handler;\n//- /use.js\nconst Handler = require('./handler');\nfunction f(s) {{ new Handler().save(s); }}\n"
        )
    };
    for comment in [
        "/** @param {import('./store').Store} store */",
        "/** @import { Store } from './store' */",
        "",
    ] {
        let calls = ["use.f -> handler.Handler.save"];
        check_some(&handler(comment), &calls, &[]);
    }
}

#[test]
fn a_class_implements_what_the_comment_above_it_says() {
    let project = "
//- /types.d.ts
export interface Sink { end(n: number): void }
//- /sinks.js
/** @implements {import('./types').Sink} */
class Counting { end(n) { return n; } }
/** @implements {Local} */
module.exports.Other = class { go(s) {} };
/** Not @implements {Sink} anything. */
class Plain { end(n) {} }
/**
 * @typedef {object} Local
 * @property {(s: string) => void} go
 */
/** @implements {Local} */
class Going { go(s) {} }
";
    let graph = graph_of(project);
    let found = edges(&graph, EdgeKind::Implements);
    for expected in [
        "sinks.Counting -> types.d.Sink",
        "sinks.Counting.end -> types.d.Sink.end",
        "sinks.Going -> sinks.Local",
        "sinks.Going.go -> sinks.Local.go",
    ] {
        assert!(found.contains(&expected.to_owned()), "{expected} is not in {found:#?}");
    }
    assert!(!found.iter().any(|edge| edge.contains("Plain")), "{found:#?}");
}
