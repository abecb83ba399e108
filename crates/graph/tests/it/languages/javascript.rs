//! JavaScript and TypeScript: modules, generics, prototypes, constructor functions.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, NodeKind};

use crate::support::{check, check_cases_of, check_some, edges, graph_of};

/// Ways to let one constructor build on another; each gives `Dog` the members of `Animal`.
const INHERITING: &[&str] = &[
    "util.inherits(Dog, Animal);",
    "inherits(Dog, Animal);",
    "Dog.prototype = Object.create(Animal.prototype);",
    "Dog.prototype = Object.create(Animal.prototype, { constructor: { value: Dog } });",
    "Dog.prototype = new Animal();",
    "Object.setPrototypeOf(Dog.prototype, Animal.prototype);",
    "Object.assign(Dog.prototype, Animal.prototype);",
];

#[test]
fn typescript_follows_barrels_aliases_and_workspace_packages() {
    check(
        r#"
//- /package.json
{ "name": "root", "private": true }
//- /tsconfig.json
{ "compilerOptions": { "baseUrl": ".", /* aliases */ "paths": { "@lib/*": ["lib/*"], } } }
//- /packages/core/package.json
{ "name": "@acme/core", "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/index.js" }, "./deep/*": "./src/deep/*.ts" } }
//- /packages/core/src/index.ts
export * from "./shapes";
export { default as build, helper as renamed } from "./build";
export * as tools from "./build";
//- /packages/core/src/shapes.ts
export class Shape { area(): number { return 0; } }
export class Circle extends Shape { radius = 1; area() { return super.area() + this.half(); } private half() { return 1; } }
//- /packages/core/src/build.ts
export default function build() {}
export function helper() {}
//- /packages/core/src/deep/pit.ts
export const pit = () => {};
//- /lib/util.ts
export function log(text: string) { console.log(text); }
//- /app/main.ts
import { Circle, build, renamed, tools } from "@acme/core";
import { pit } from "@acme/core/deep/pit";
import { log } from "@lib/util";
import { missing } from "elsewhere";
function log2() { log("x"); }
export function main(c: Circle, list: Circle[]) {
  const made = new Circle();
  made.area(); c.area(); list.map((item) => item.area());
  build(); renamed(); tools.helper(); pit(); log2(); missing(); c.nothing();
  const log = (text: string) => text; log("shadowed");
}
"#,
        &[
            "@acme/core/src/shapes.Circle.area -> @acme/core/src/shapes.Circle.half",
            "@acme/core/src/shapes.Circle.area -> @acme/core/src/shapes.Shape.area",
            "app/main.log2 -> lib/util.log",
            "app/main.main -> @acme/core/src/build.build",
            "app/main.main -> @acme/core/src/build.helper",
            "app/main.main -> @acme/core/src/deep/pit.pit",
            "app/main.main -> @acme/core/src/shapes.Circle",
            "app/main.main -> @acme/core/src/shapes.Circle.area",
            "app/main.main -> @acme/core/src/shapes.Circle.area ~",
            "app/main.main -> app/main.log2",
            "app/main.main -> app/main.main.log",
        ],
    );
}

#[test]
fn typescript_follows_generics_promises_components_and_object_literals() {
    check(
        r#"
//- /store.ts
export interface Item { id: string; save(): void }
export class Store<T extends Item> {
  constructor(private readonly api: Api) {}
  async load(id: string): Promise<T> { return this.api.fetch(id); }
  first(): T | undefined { return undefined; }
}
export class Api { fetch(id: string): any { return id; } }
export const actions = { run: (n: number) => n, stop() {} };
export function identity<V>(value: V): V { return value; }
//- /view.tsx
import React, { memo } from "react";
import { Store, Item, actions, identity } from "./store";
export const Row = memo(({ item }: { item: Item }) => { item.save(); return <b />; });
export function List({ store }: { store: Store<Item> }) {
  const done = async () => { const got = await store.load("1"); got.save(); };
  store.first()?.save(); identity(store).first();
  actions.run(1); actions.stop();
  return <><Row item={store.first()!} /><div onClick={done} /></>;
}
"#,
        &[
            "store.Store.load -> store.Api.fetch",
            "view.List -> store.Item.save ~",
            "view.List -> store.Store.first ~",
            "view.List -> store.actions.run ~",
            "view.List -> store.actions.stop ~",
            "view.List -> store.identity",
            "view.List -> view.Row",
            "view.List.done -> store.Item.save ~",
            "view.List.done -> store.Store.load ~",
            "view.Row -> store.Item.save ~",
        ],
    );
}

#[test]
fn javascript_follows_require_and_prototypes() {
    check(
        r"
//- /lib/shape.js
function Shape() {}
Shape.prototype.area = function () { return helper(); };
function helper() {}
module.exports = Shape;
exports.util = function () {};
//- /main.js
const Shape = require('./lib/shape');
const { join } = require('path');
function run() { const s = new Shape(); join('a'); unknown(); }
",
        &["lib/shape.Shape.area -> lib/shape.helper", "main.run -> lib/shape.Shape ~"],
    );
}

#[test]
fn javascript_functions_construct_objects() {
    check(
        r"
//- /shape.js
function Shape(unit) {
  this.unit = new Unit();
  this.onDraw = draw;
  this.init();
  function draw() { helper(); }
}
Shape.prototype.init = function () { this.area(); this.unit.scale(); this.onDraw(); };
Shape.prototype.area = function () {
  const twice = () => this.side();
  [1].forEach(() => this.init());
  return twice();
};
Shape.prototype.side = function () {};
function Unit() {}
Unit.prototype = {
  scale() { return this.factor(); },
  factor: function () { return helper(); },
};
function helper() {}
module.exports = Shape;
//- /app.js
const Shape = require('./shape');
var app = exports = module.exports = {};
app.use = function use() { this.handle(); };
app.handle = function handle() { new Shape().area(); };
class Button {
  press() { const owner = {}; owner.done = () => this.close(); }
  close() {}
}
",
        &[
            "app.Button.press.owner.done -> app.Button.close",
            "app.app.handle -> shape.Shape ~",
            "app.app.handle -> shape.Shape.area ~",
            "app.app.use -> app.app.handle",
            "shape.Shape -> shape.Shape.init",
            "shape.Shape -> shape.Unit",
            "shape.Shape.area -> shape.Shape.area.twice",
            "shape.Shape.area -> shape.Shape.init",
            "shape.Shape.area.twice -> shape.Shape.side",
            "shape.Shape.draw -> shape.helper",
            "shape.Shape.init -> shape.Shape.area",
            "shape.Shape.init -> shape.Shape.draw ~",
            "shape.Shape.init -> shape.Unit.scale ~",
            "shape.Unit.factor -> shape.helper",
            "shape.Unit.scale -> shape.Unit.factor",
        ],
    );
}

#[test]
fn javascript_constructor_functions_build_on_one_another() {
    for inheriting in INHERITING {
        let project = format!(
            r"
//- /animal.js
exports = module.exports = Animal;
function Animal(name) {{ this.name = name; }}
Animal.prototype.eat = function () {{}};
//- /dog.js
var util = require('util');
const Animal = require('./animal');
module.exports = function Dog() {{ Animal.call(this, 'dog'); }};
const Dog = module.exports;
function make() {{ new Puppy().bark(); }}
function Puppy() {{}}
{}
Puppy.prototype.bark = function () {{ this.eat(); }};
",
            inheriting.replace("Dog", "Puppy"),
        );
        let graph = graph_of(&project);
        let calls = edges(&graph, EdgeKind::Calls);
        let expected = [
            "dog.Dog -> animal.Animal",
            "dog.Puppy.bark -> animal.Animal.eat",
            "dog.make -> dog.Puppy",
            "dog.make -> dog.Puppy.bark ~",
        ];
        for call in expected {
            let found =
                calls.iter().any(|line| line.trim_end_matches(" ~") == call.trim_end_matches(" ~"));
            assert!(found, "{inheriting}: {call} is missing in {calls:?}");
        }
        let inherits = edges(&graph, EdgeKind::Inherits);
        assert_eq!(inherits, ["dog.Puppy -> animal.Animal"], "{inheriting}");
    }
}

#[test]
fn javascript_modules_that_are_one_function_are_called_and_constructed() {
    check(
        r"
//- /queue.js
module.exports = function Queue() { Queue.count(); this.fill(); };
module.exports.count = function () {};
//- /timer.js
exports = module.exports = Timer;
function Timer() {}
Object.assign(Timer.prototype, {
  start() { this.tick(); },
  tick: function () { return this.stop(); },
});
extend(Timer.prototype, { stop() { this.start(); } });
//- /stack.js
module.exports = function Stack() { this.push(); };
module.exports.prototype.push = function () { this.pop(); };
module.exports.prototype.pop = function () {};
//- /tools.js
function Tools() {}
Object.assign(Tools, { make() { Tools.find(); }, find() {} });
var Saw = class { cut() {} };
function cut() { const Blade = class { turn() {} }; new Saw().cut(); new Blade().turn(); }
//- /twice.js
module.exports = function (x) { return x; };
//- /thrice.mjs
export default function (x) { return x; }
//- /app.js
const Queue = require('./queue');
const Timer = require('./timer');
const twice = require('./twice');
class Clock extends Timer { run() { this.tick(); super.stop(); } }
function main() { new Queue(); twice(1); new Timer().start(); new Clock().tick(); require('./twice')(2); }
//- /web.mjs
import thrice from './thrice.mjs';
export const page = () => thrice(1);
",
        &[
            "app.Clock.run -> timer.Timer.stop",
            "app.Clock.run -> timer.Timer.tick",
            "app.main -> app.Clock",
            "app.main -> queue.Queue ~",
            "app.main -> timer.Timer ~",
            "app.main -> timer.Timer.start ~",
            "app.main -> timer.Timer.tick ~",
            "app.main -> twice.exports",
            "app.main -> twice.exports ~",
            "stack.Stack -> stack.Stack.push",
            "stack.Stack.push -> stack.Stack.pop",
            "timer.Timer.start -> timer.Timer.tick",
            "timer.Timer.stop -> timer.Timer.start",
            "timer.Timer.tick -> timer.Timer.stop",
            "tools.Tools.make -> tools.Tools.find",
            "tools.cut -> tools.Saw",
            "tools.cut -> tools.Saw.cut ~",
            "tools.cut -> tools.cut.Blade",
            "tools.cut -> tools.cut.Blade.turn ~",
            "web.page -> thrice.default",
        ],
    );
}

#[test]
fn javascript_with_types_of_flow_is_read_with_them() {
    check(
        r"
//- /store.js
/**
 * Keeps rows.
 *
 * @flow strict
 */
'use strict';
export class Store { size: number; save(item: ?string): void {} }
//- /use.js
// @flow
import { Store } from './store';
import type { Row } from './row';
export function run(store: Store, rows: Array<Row>): void { store.save('a'); }
",
        &["use.run -> store.Store.save"],
    );
}

#[test]
fn javascript_classes_extend_what_a_call_makes() {
    check(
        r"
//- /mixed.js
class Base { load() {} }
const Saving = (Above) => class extends Above { save() {} };
function Closing(Above) { return class Closed extends Above { close() {} }; }
class Store extends Saving(Base) { keep() { this.save(); } }
class Page extends Closing(Base) { leave() { this.close(); super.close(); } }
",
        &[
            "mixed.Page -> mixed.Closing",
            "mixed.Page.leave -> mixed.Closing.Closed.close",
            "mixed.Store -> mixed.Saving",
            "mixed.Store.keep -> mixed.Saving.save",
        ],
    );
}

#[test]
fn typescript_conditional_types_are_their_branches() {
    check(
        r"
//- /path.ts
const Final = class Path { fail() {} };
interface Checks { isName(): boolean }
interface Full<N> extends InstanceType<typeof Final>, Checks { node: N; above: Final; }
type Final<N = any> = N extends any ? Full<N> : never;
export { Final as default };
//- /use.ts
import type Path from './path';
type Only<T, U> = Extract<T, U>;
export function check(path: Path, other: Only<Path, { name: string }>) {
  if (path.isName()) path.above.fail();
  other.fail();
}
",
        &["use.check -> path.Checks.isName", "use.check -> path.Path.fail"],
    );
}

#[test]
fn object_literals_stand_for_the_interface_that_they_are_declared_to_be() {
    let project = "
//- /ops.ts
export class Node { mark() {} }
export interface Ops { insert(node: Node): void; remove?: (node: Node) => void }
export interface Data { name: string }
//- /use.ts
import { Ops, Data } from './ops'
export const whole: Ops = { insert: node => { node.mark() }, remove(node) { node.mark() } }
export const part: Omit<Ops, 'remove'> = { insert(node) {} }
export const checked = { insert: (node: Node) => {} } satisfies Ops
export const asserted = { insert() {} } as Ops
export function make(): Ops { return { insert() {} } }
export const data: Data = { name: 'x' }
export const other = { insert() {} }
export function run(ops: Ops) { ops.insert(null) }
";
    let graph = graph_of(project);
    assert_eq!(
        edges(&graph, EdgeKind::Implements),
        [
            "use -> ops.Ops",
            "use.checked -> ops.Ops",
            "use.checked.insert -> ops.Ops.insert",
            "use.insert -> ops.Ops.insert",
            "use.make.insert -> ops.Ops.insert",
            "use.part -> ops.Ops",
            "use.part.insert -> ops.Ops.insert",
            "use.whole -> ops.Ops",
            "use.whole.insert -> ops.Ops.insert",
            "use.whole.remove -> ops.Ops.remove",
        ]
    );
    // A parameter without a type has that of the interface's function.
    let calls = edges(&graph, EdgeKind::Calls);
    for call in ["use.whole.insert -> ops.Node.mark", "use.whole.remove -> ops.Node.mark"] {
        assert!(calls.iter().any(|edge| edge.trim_end_matches(" ~") == call), "{call}: {calls:?}");
    }
}

#[test]
fn an_accessor_is_named_where_its_member_is_read_or_assigned_to() {
    let project = "
//- /conn.ts
export class Conn {
  get state() { return 1 }
  set state(value: number) {}
  static get shared() { return new Conn() }
  plain() {}
  own() { return this.state }
}
export class Sub extends Conn {}
export const table = { get first() { return 1 } }
export function take(n: unknown) {}
";
    let cases = [
        ("", ("conn.Conn.own -> conn.Conn.state", "")),
        ("export function f(c: Conn) { return c.state + 1 }", ("conn.f -> conn.Conn.state", "")),
        ("export function f(c: Sub) { take(c.state) }", ("conn.f -> conn.Conn.state", "")),
        ("export function f(c: Conn) { c.state = 3 }", ("conn.f -> conn.Conn.state", "")),
        ("export function f() { Conn.shared.plain() }", ("conn.f -> conn.Conn.shared", "")),
        ("export function f() { return table.first }", ("conn.f -> conn.table.first", "")),
        ("export function f(c: Conn) { return c.plain() }", ("", "conn.f -> conn.Conn.plain")),
        ("export function f(c: any) { return c.state }", ("", "conn.f -> conn.Conn.state")),
    ];
    check_cases_of(EdgeKind::References, project, &cases);
    let calls = edges(&graph_of(project), EdgeKind::Calls);
    assert!(!calls.iter().any(|edge| edge.contains("Conn.state")), "{calls:?}");
}

#[test]
fn object_literals_stand_for_the_object_type_that_they_are_declared_to_be_by_an_alias() {
    let graph = graph_of(
        "
//- /use.ts
type Handler = { isMatch: (x: string) => boolean; parse(o: string): string; name: string }
const json: Handler = { isMatch(x) { return true }, parse(o) { return o }, name: 'json' }
const named: { parse(o: string): string } = { parse(o) { return o } }
const other = { parse(o: string) { return o } }
",
    );
    assert_eq!(
        edges(&graph, EdgeKind::Implements),
        [
            "use.json -> use.Handler",
            "use.json.isMatch -> use.Handler.isMatch",
            "use.json.parse -> use.Handler.parse",
        ]
    );
}

#[test]
fn spread_members_and_computed_names_mean_what_they_are() {
    let class = "
//- /names.js
const kStart = Symbol('start');
const kStop = Symbol('stop');
module.exports = { kStart, kStop };
//- /use.js
const { kStart, kStop } = require('./names');
const kOwn = Symbol('own');
class Job {
  options() { return { a: 1 }; }
  key() { return 'k'; }
  static [kOwn](n) { return n; }
  [kStart]() {}
  get(k) { return this; }
";
    let cases = [
        ("f() { return { ...this.options() }; }", "options", ""),
        ("f() { return [{ ...this.options(), b: 2 }]; }", "options", ""),
        ("f() { return { m() {}, ...this.options() }; }", "options", ""),
        ("f() { return { [this.key()]: 1 }; }", "key", ""),
        ("f() { this[kStart](); }", "[kStart]", ""),
        ("f() { return Job[kOwn](1); }", "[kOwn]", ""),
        ("f() { this[kStop](); }", "", "get"),
        ("f(all) { const table = { a: Job[kStop] }; table.a(1); }", "", ""),
        ("f(kStart) { Job[kStart](); }", "", "get"),
        ("f() { this[kStop] = this; this[kStop].key(); }", "key", ""),
        ("constructor() { this[kStop] = this; } f() { this[kStop].key(); }", "key", ""),
        ("f() { const t = { [kStop]: this, a: 1 }; t[kStop].key(); }", "key", ""),
        ("f(kStop) { this[kStop] = this; this[kStop].key(); }", "", "get"),
    ];
    let mut wrong = Vec::new();
    for (body, present, absent) in cases {
        let all = edges(&graph_of(&format!("{class}  {body}\n}}\n")), EdgeKind::Calls);
        let has = |name: &str| {
            let edge = format!("use.Job.f -> use.Job.{name}");
            all.iter().any(|it| it.trim_end_matches([' ', '~', '?']) == edge)
        };
        let makes = all.iter().any(|edge| edge.starts_with("use.Job.f -> use.Job "));
        if !present.is_empty() && !has(present) || !absent.is_empty() && has(absent) || makes {
            wrong.push((body, all));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn names_of_what_is_required_are_no_definitions() {
    let project = "
//- /pool.js
class Pool { close() {} }
const helper = () => {};
module.exports = { Pool, helper };
//- /use.js
const { Pool, helper: help } = require('./pool');
const whole = require('./pool');
const { constants } = require('node:fs').promises;
const made = require('./pool').helper(1);
let count = 0;
function f() { help(); new Pool().close(); whole.helper(); }
module.exports = { f, Pool };
//- /through.js
const { Pool } = require('./use');
function g() { new Pool().close(); }
";
    let graph = graph_of(project);
    let variables = graph.nodes().filter(|node| node.kind == NodeKind::Variable);
    let variables: Vec<&str> = variables.map(|node| node.qname.as_str()).collect();
    assert_eq!(variables, ["use.made", "use.count"]);
    check_some(
        project,
        &[
            "use.f -> pool.helper",
            "use.f -> pool.Pool",
            "use.f -> pool.Pool.close",
            "through.g -> pool.Pool.close",
        ],
        &[],
    );
}
