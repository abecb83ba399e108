//! `usages`: what names a type, as an argument of another type, by a name for it, or by a literal.

use retriever_graph::{Graph, LookupTarget, NameLookup, NodeId, NodeQuery, OpenCallTarget};

use crate::support::graph_of;

/// Returns the one definition that has a name.
#[track_caller]
pub(super) fn only(graph: &Graph, name: &str) -> NodeId {
    match graph.lookup(LookupTarget { name, file: None, kind: None }) {
        NameLookup::One(id) => id,
        found => unreachable!("{name} is one definition: {found:?}"),
    }
}

/// Returns who uses `name`, each with its lines.
#[track_caller]
pub(super) fn usages(project: &str, name: &str) -> Vec<String> {
    let graph = graph_of(project);
    let id = only(&graph, name);
    let page = graph.related(NodeQuery::Usages, &[id], 1, 0, 50);
    let say = |item: &retriever_graph::RelatedNode| {
        format!("{} {:?}", graph.node(item.node).unwrap().qname, item.lines)
    };
    page.items.iter().map(say).collect()
}

#[test]
fn types_are_used_where_anything_names_them() {
    let ts = "
//- /types.ts
export interface Options { name: string }
export interface Other { n: number }
export type Either = Options | Other;
//- /use.ts
import { Options, Either, Other } from './types';
export type All = Required<Options>;
export type Name = Options['name'];
export function one(o: Partial<Options>) {}
export function two(all: Options[]) {
  let own: Map<string, Options> = make();
}
export function three(e: Either) {}
export class Four implements Options { name = '' }
export class Five { made = new Emitter<Options>() }
export function six(a: any): a is Options { return !!a.name; }
export function seven(a: any): asserts a is Options {}
export type Eight = (o: Options) => Other;
export class Nine<T = Options> {}
export function ten() { return pick<Options>(1); }
export type Eleven = Record<string, (n: number) => Options>;
";
    let go = "
//- /go.mod
module m
//- /a.go
package a
type Rule struct { N int }
type Rules []Rule
func Make() int { r := Rule{N: 1}; return r.N }
func All() { for _, r := range []Rule{{N: 1}} { _ = r } }
func Take(m map[string]*Rule) {}
";
    let annotated = "
//- /a/A.java
package a;
@interface Uses { Class<?>[] value(); Class<?> one() default Object.class; Uses[] more() default {}; }
class First {}
class Second {}
@Uses({First.class, Second.class}) class Listed {}
@Uses(value = First.class, one = Second.class) class Named {}
class Holder {
  @Uses(First.class) int field;
  @Uses(value = {}, more = {@Uses(First.class), @Uses(Second.class)}) void run() {}
}
";
    let functions = "
//- /go.mod
module m
//- /a.go
package a
type Stats interface{ N() int }
type Made string
func (m Made) Error() string { return string(m) }
type Renderer func(s string) Stats
type Handlers map[string]func(string) (Stats, error)
var render func(string) Stats
type Box struct { Do func(string) Stats }
func fail() error { return Made(\"x\") }
func seen(x any) Stats { return Stats(nil) }
";
    for (project, name, expected) in [
        (functions, "Stats", &["Renderer", "Handlers", "Box.Do", "seen"][..]),
        (functions, "Made", &["fail"]),
        (ts, "Options", &["All", "Name", "one", "two", "Either"]),
        (ts, "Options", &["Five", "six", "seven", "Eight", "Nine", "ten", "Eleven"]),
        (ts, "Other", &["Eight"]),
        (ts, "Either", &["three"]),
        (annotated, "First", &["Listed", "Named", "Holder.run", "Holder.field"]),
        (annotated, "Second", &["Listed", "Named", "Holder.run"]),
        (go, "Rule", &["Rules", "Make", "All", "Take"]),
    ] {
        let found = usages(project, name);
        let is_user = |user: &&&str| found.iter().any(|it| it.contains(&format!(".{user} [")));
        let lost: Vec<_> = expected.iter().filter(|user| !is_user(user)).collect();
        assert!(lost.is_empty(), "{name} lost {lost:?} of {found:#?}");
    }
    let both = usages(ts, "Options");
    assert!(!both.iter().any(|it| it.contains("Four")), "{both:#?}");
    assert!(both.iter().any(|it| it.ends_with("use.two [5, 6]")), "{both:#?}");
}

#[test]
fn names_in_what_programs_write_come_after_those_of_source() {
    let project = "
//- /dist/assets/index-1a2b.js
export class Store { a() {} }
export class Store2 {}
//- /types/api.generated.d.ts
export declare class Store {}
//- /src/store.ts
export class Store { a() {} }
";
    let graph = graph_of(project);
    let found = graph.lookup(LookupTarget { name: "Store", file: None, kind: None });
    let NameLookup::Several { candidates, .. } = found else { unreachable!("{found:?}") };
    let path = |id| graph.path_of(id).unwrap();
    assert_eq!(path(candidates[0]), "src/store.ts");
}

#[test]
fn calls_by_a_name_that_are_bound_to_nothing_are_counted() {
    let project = "
//- /a.ts
export class Store { save() {} }
export function one(x) { x.save(); }
//- /b.test.ts
export function two(y) { y.save(); }
//- /c.py
def three(z):
    z.save()
";
    let graph = graph_of(project);
    let id = only(&graph, "Store.save");
    let calls = graph.open_calls_by_name_of(graph.node(id).unwrap(), OpenCallTarget::Unknown);
    assert_eq!(calls, [("a.ts", 2), ("b.test.ts", 1)]);
}

#[test]
fn what_a_file_declares_for_code_elsewhere_is_not_meant_beside_that_code() {
    let project = "
//- /types/agent.d.ts
declare class Agent { get(origin: string): string; only(): void }
export interface Plain { get(): void }
export function start(): void
export function begin(): void
export default Agent
//- /lib/agent.js
class Agent { get(origin) { return origin; } close() {} }
class Other { only() {} }
module.exports = Agent;
//- /lib/start.js
/** @typedef {import('../types/sink').Sink} Sink */
function start() {}
module.exports = { start };
//- /types/sink.d.ts
export interface Sink { end(): void }
//- /test/plain.js
class Plain { get() {} }
//- /tools/begin.py
def begin():
    pass
";
    let graph = graph_of(project);
    let path = |name| graph.path_of(only(&graph, name)).unwrap().to_owned();
    assert_eq!(path("Agent"), "lib/agent.js");
    assert_eq!(path("Agent.get"), "lib/agent.js");
    assert_eq!(path("Agent.only"), "types/agent.d.ts");
    for several in ["only", "Plain", "Sink", "begin"] {
        let found = graph.lookup(LookupTarget { name: several, file: None, kind: None });
        assert!(matches!(found, NameLookup::Several { total: 2, .. }), "{several}: {found:?}");
    }
}
