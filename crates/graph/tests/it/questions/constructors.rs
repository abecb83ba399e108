//! What calls a constructor, and what calls the type that it makes.

use pretty_assertions::assert_eq;
use retriever_graph::{NodeKind, NodeQuery, RelatedNode};

use crate::support::graph_of;

use super::related;

#[test]
fn what_makes_an_object_calls_the_constructor_that_runs() {
    let projects = [
        "//- /a.php
<?php
class Base { public function __construct(int $a) {} }
class Heir extends Base {}
class Own extends Base { public function __construct() { parent::__construct(1); } }
function base() { return new Base(1); }
function heir() { return new Heir(1); }
function own() { return new Own(); }
",
        "//- /a.py
class Base:
    def __init__(self, a): pass
class Heir(Base): pass
class Own(Base):
    def __init__(self): super().__init__(1)
def base(): return Base(1)
def heir(): return Heir(1)
def own(): return Own()
",
        "//- /a.rb
class Base
  def initialize(a); end
end
class Heir < Base; end
class Own < Base
  def initialize; super(1); end
end
def base; Base.new(1); end
def heir; Heir.new(1); end
def own; Own.new; end
",
        "//- /a.ts
class Base { constructor(a: number) {} }
class Heir extends Base {}
class Own extends Base { constructor() { super(1); } }
function base() { return new Base(1); }
function heir() { return new Heir(1); }
function own() { return new Own(); }
",
    ];
    let names = ["__construct", "__init__", "initialize", "constructor"];
    for (project, constructor) in projects.into_iter().zip(names) {
        let graph = graph_of(project);
        let callers = |ty: &str| -> Vec<String> {
            let found = related(&graph, NodeQuery::Callers, &format!("{ty}.{constructor}"));
            let mut named: Vec<String> =
                found.iter().map(|it| graph.heading(it.node).unwrap().name.to_owned()).collect();
            named.retain(|name| name != constructor);
            named.sort();
            named
        };
        assert_eq!(callers("Base"), ["base", "heir"], "{project}");
        assert_eq!(callers("Own"), ["own"], "{project}");
    }
}

/// (a project, the constructor, what calls it and by how sure a relation)
const CONSTRUCTORS: &[(&str, &str, &[&str])] = &[
    // A method that is only named like another language's constructor.
    (
        "//- /a.java\nclass Base { Base() {} void initialize() {} }\nclass Use { void run() { new Base(); } }\n",
        "Base.initialize",
        &[],
    ),
    (
        "//- /a.ts\nclass Base { constructor() {} initialize() {} }\nfunction run() { new Base(); }\n",
        "Base.constructor",
        &["run exact"],
    ),
    (
        "//- /a.ts\nclass Base { constructor() {} initialize() {} }\nfunction run() { new Base(); }\n",
        "Base.initialize",
        &[],
    ),
    // The signatures of overloads.
    (
        "//- /a.ts\nclass Base {\n  constructor(a: number);\n  constructor(a: string);\n  constructor(a: any) {}\n}\nfunction run() { new Base(1); }\n",
        "Base.constructor",
        &["run exact"],
    ),
    // Which of two bases' constructors runs depends on their order; which of one that both share does not.
    (
        "//- /a.py\nclass Near:\n    def __init__(self): pass\nclass Far:\n    def __init__(self): pass\nclass Both(Near, Far): pass\ndef near(): return Near()\ndef both(): return Both()\n",
        "Near.__init__",
        &["both dynamic", "near exact"],
    ),
    (
        "//- /a.py\nclass Base:\n    def __init__(self): pass\nclass One(Base): pass\nclass Other(Base): pass\nclass Both(One, Other): pass\ndef both(): return Both()\n",
        "Base.__init__",
        &["both exact"],
    ),
    // A secondary constructor is no other name for the type.
    (
        "//- /a.kt\nclass Base(val n: Int) {\n  constructor(text: String) : this(1)\n}\nfun run() = Base(1)\n",
        "Base.constructor",
        &[],
    ),
];

#[test]
fn only_what_surely_runs_a_constructor_is_an_exact_caller() {
    for (project, constructor, expected) in CONSTRUCTORS {
        let graph = graph_of(project);
        let found = related(&graph, NodeQuery::Callers, constructor);
        let say = |it: &RelatedNode| {
            format!("{} {}", graph.heading(it.node).unwrap().name, it.resolution)
        };
        let mut callers: Vec<String> = found.iter().map(say).collect();
        callers.sort();
        assert_eq!(callers, *expected, "{project}");
    }
}

#[test]
fn what_runs_a_constructor_of_a_type_calls_the_type() {
    let projects = [
        (
            "//- /Sources/Net/Channel.swift
struct Channel<T> { init(one: T) {} }
extension Channel { init(two: T) {} }
func first() { _ = Channel<Int>(one: 1) }
func second() { _ = Channel(two: 1) }
",
            "Channel",
        ),
        (
            "//- /Channel.java
package net;
class Channel { Channel(int one) {} Channel(String two) {} }
class Use { void first() { new Channel(1); } void second() { new Channel(\"\"); } }
",
            "net.Channel",
        ),
        (
            "//- /channel.cc
class Channel { public: Channel(int one) {} Channel(const char *two) {} };
void first() { Channel c(1); }
void second() { new Channel(\"\"); }
",
            "Channel",
        ),
        (
            "//- /Channel.kt
package net
class Channel(one: Int) { constructor(two: String) : this(2) }
fun first() { Channel(1) }
fun second() { Channel(\"\") }
",
            "net.Channel",
        ),
    ];
    for (project, name) in projects {
        let graph = graph_of(project);
        let mut types = graph.named("channel");
        types.retain(|id| {
            graph
                .node(*id)
                .is_some_and(|node| node.qname == name && node.kind != NodeKind::Function)
        });
        let callers = graph.related(NodeQuery::Callers, &types, 1, 0, 10).items;
        let names = callers.iter().map(|caller| graph.node(caller.node).unwrap().name.clone());
        let names: Vec<String> = names.filter(|name| !name.starts_with('c')).collect();
        assert_eq!(names, ["first", "second"], "{project}");
    }
}
