//! What a type builds on, and which uses of a type are none.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, NodeQuery};

use super::uses_of_types::{only, usages};
use crate::support::{check_some, edges, graph_of};

/// Returns the edges from types to what they build on.
fn supertypes(project: &str) -> Vec<String> {
    let graph = graph_of(project);
    let mut all = edges(&graph, EdgeKind::Inherits);
    all.extend(edges(&graph, EdgeKind::Implements));
    all.sort();
    all
}

#[test]
fn arguments_of_a_supertype_are_used_and_not_built_on() {
    let cases = [
        (
            "java",
            "package p; class Plain {} class Base<T> {}\nclass Box extends Base<Plain> implements Comparable<Plain> {}",
            &["p.Box -> p.Base"][..],
        ),
        (
            "kt",
            "class Plain\nopen class Base<T>\nclass Box : Base<Plain>(), Comparable<Plain>",
            &["Box -> Base"],
        ),
        ("scala", "class Plain\nclass Base[T]\nclass Box extends Base[Plain]", &["Box -> Base"]),
        (
            "cs",
            "class Plain {}\nclass Base<T> {}\nclass Box : Base<Plain>, IComparable<Plain> {}",
            &["Box -> Base"],
        ),
        ("swift", "class Plain {}\nclass Base<T> {}\nclass Box: Base<Plain> {}", &["Box -> Base"]),
        (
            "py",
            "class Plain: pass\nclass Base(Generic[T]): pass\nclass Box(Base[Plain], Other[Plain]): pass",
            &["main.Box -> main.Base"],
        ),
        (
            "ts",
            "export class Plain {}\nexport class Base<T> {}\nexport class Box extends Base<Plain> implements Iterable<Plain> {}",
            &["main.Box -> main.Base"],
        ),
        (
            "ts",
            "export interface Plain { a: number }\nexport interface Box extends Omit<Plain, 'a'> {}",
            &["main.Box -> main.Plain"],
        ),
        (
            "rs",
            "pub struct Plain;\npub trait Base<T> {}\npub struct Box_;\nimpl Base<Plain> for Box_ {}\nimpl From<Plain> for Box_ {}",
            &["main::Box_ -> main::Base"],
        ),
        (
            "cpp",
            "struct Plain {};\ntemplate <class T> struct Base {};\nstruct Box : Base<Plain> {};",
            &["Box -> Base"],
        ),
    ];
    for (extension, text, expected) in cases {
        let project = format!("//- /main.{extension}\n{text}\n");
        assert_eq!(supertypes(&project), expected, "{text}");
        let is_base = text.contains("Omit");
        let users = usages(&project, "Plain");
        let names = users.iter().any(|user| user.contains("Box") || user.contains("main"));
        assert_eq!(names, !is_base, "{text} {users:#?}");
    }
}

#[test]
fn what_an_alias_holds_is_used_by_the_alias_alone() {
    let cases = [
        (
            "ts",
            "export interface Kept { a: string }\nexport interface Base<A> { a: A }\nexport type Comp<P> = Base<P & Kept>;\nexport type Same = Kept;\n\
             export function far(c: Comp<string>): Comp<number> { return c as any }\nexport const one: Comp<string> = null as any;\n\
             export function near(c: Same) {}\nexport function given(c: Comp<Kept>) {}",
            &["main.Comp [3]", "main.Same [4]", "main.near [7]", "main.given [8]"][..],
        ),
        (
            "rs",
            "pub struct Kept;\npub type Outcome<T> = Result<T, Kept>;\npub fn far() -> Outcome<u8> { todo() }\npub fn near() -> Outcome<Kept> { todo() }",
            &["main::Outcome [2]", "main::near [4]"],
        ),
        (
            "kt",
            "class Kept\ntypealias All = Map<String, Kept>\nfun far(all: All) {}\nfun near(all: List<Kept>) {}",
            &["All [2]", "near [4]"],
        ),
        (
            "py",
            "class Kept: pass\ntype All = dict[str, Kept]\ndef far(all: All): pass\ndef near(all: list[Kept]): pass",
            &["main.All [2]", "main.near [4]"],
        ),
    ];
    for (extension, text, expected) in cases {
        let project = format!("//- /main.{extension}\n{text}\n");
        assert_eq!(usages(&project, "Kept"), expected, "{text}");
    }
}

#[test]
fn an_implementation_has_the_lines_of_the_file_that_declares_it() {
    // What is asked for, and `NODE LINES [FILE:LINE …]` of each implementation.
    let rust = "
//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
pub mod cell;
pub mod row;
//- /src/row.rs
pub struct Row { pub a: u8 }
pub struct Own;
impl crate::cell::Len for Own { fn len(&self) -> usize { 0 } }
//- /src/cell.rs
use crate::row::Row;
pub trait Len { fn len(&self) -> usize; }
impl Len for Row { fn len(&self) -> usize { 1 } }

impl Len for (usize, usize) { fn len(&self) -> usize { 2 } }
impl<T: Copy> Len for T { fn len(&self) -> usize { 3 } }
impl Len for char { fn len(&self) -> usize { 4 } }
pub fn taken(all: Vec<Box<dyn Len>>) {}
macro_rules! lengths {
    ($($ty:ty),*) => { $(
        impl<T> $crate::cell::Len for $ty { fn len(&self) -> usize { 5 } }
    )* };
}
lengths!(u8, u16);
";
    let swift = "
//- /Sources/Shop/Priced.swift
protocol Priced { var price: Int { get } }
struct Item {}
//- /Sources/Shop/Prices.swift
extension Item: Priced { var price: Int { 1 } }

extension Int: Priced { var price: Int { self } }
";
    let ts = "
//- /a/package.json
{\"name\": \"@x/a\", \"main\": \"index.ts\"}
//- /a/index.ts
export interface Globals { keep(): string }
export function direct(g: Globals) { return g.keep() + g.extra() }
//- /b/index.ts
import { direct } from '@x/a'
declare module '@x/a' {
  export interface Globals { extra(): string }
}
export function go(g: any) { return direct(g) }
";
    let cases = [
        (
            rust,
            "shop::cell::Len",
            &["shop::cell [5, 6, 7, 11]", "shop::row::Own [3]", "shop::row::Row [] src/cell.rs:3"]
                [..],
        ),
        (
            swift,
            "Priced",
            &["Item [] Sources/Shop/Prices.swift:1", "Sources/Shop/Prices.swift [3]"],
        ),
        (ts, "b/index.@x/a.Globals", &["@x/a/index.Globals [] b/index.ts:3"]),
    ];
    for (project, name, expected) in cases {
        let graph = graph_of(project);
        let page = graph.related(NodeQuery::Implementations, &[only(&graph, name)], 1, 0, 50);
        let say = |item: &retriever_graph::RelatedNode| {
            let apart = item.elsewhere.iter();
            let apart: Vec<String> = apart
                .map(|(file, line)| format!(" {}:{line}", graph.path_of(*file).unwrap()))
                .collect();
            let name = &graph.node(item.node).unwrap().qname;
            format!("{name} {:?}{}", item.lines, apart.concat())
        };
        let mut found: Vec<String> = page.items.iter().map(say).collect();
        found.sort();
        assert_eq!(found, expected, "{name}");
    }
    assert_eq!(usages(rust, "shop::cell::Len"), ["shop::cell::taken [8]"]);
    let calls = edges(&graph_of(ts), EdgeKind::Calls);
    assert!(
        calls.contains(&"@x/a/index.direct -> b/index.@x/a.Globals.extra".to_owned()),
        "{calls:#?}"
    );
    assert!(!edges(&graph_of(ts), EdgeKind::Imports).is_empty());
}

#[test]
fn a_mixin_asks_self_for_what_the_types_that_build_on_it_have() {
    let cases: &[(&str, &str, &[&str], &[&str])] = &[
        (
            "py",
            "class Lists:\n    def all(self): return self.rows().first()\nclass Rows:\n    def first(self): ...\n\
            class Base:\n    def rows(self): return Rows()\nclass Shelf(Lists, Base): pass\n\
            class Own(Shelf):\n    def rows(self): return Rows()",
            &["main.Lists.all -> main.Base.rows", "main.Lists.all -> main.Rows.first"],
            &["main.Lists.all -> main.Own.rows"],
        ),
        (
            "py",
            "class Base(object):\n    def all(self): return self.rows()\nclass Middle(Base): pass\n\
            class Shelf(Middle):\n    def rows(self): ...",
            &["main.Base.all -> main.Shelf.rows"],
            &[],
        ),
        (
            "py",
            "import ui\nclass Page(ui.View):\n    def show(self): self.paint()\n\
            class Own(Page):\n    def paint(self): ...\nclass Other:\n    def show(self, page): page.paint()",
            &[],
            &["main.Page.show -> main.Own.paint", "main.Other.show -> main.Own.paint"],
        ),
        (
            "py",
            "class Base:\n    def all(self): self.rows()\nclass A(Base):\n    def rows(self): ...\n\
            class B(Base):\n    def rows(self): ...\nclass C(Base):\n    def rows(self): ...\n\
            class D(Base):\n    def rows(self): ...",
            &[],
            &["main.Base.all -> main.A.rows"],
        ),
        (
            "rb",
            "module Lists\n  def all = rows.first\nend\nclass Rows\n  def first; end\nend\nmodule Base\n  \
            def rows\n    Rows.new\n  end\nend\nclass Shelf\n  extend Lists\n  extend Base\nend",
            &["Lists::all -> Base::rows", "Lists::all -> Rows::first"],
            &[],
        ),
        (
            "rb",
            "module Lists\n  module ClassMethods\n    def all = rows\n  end\nend\nclass Shelf\n  include Lists\n  \
            def self.rows; end\nend\nclass Other\n  include Lists\n  def rows; end\nend",
            &["Lists::ClassMethods::all -> Shelf::rows"],
            &["Lists::ClassMethods::all -> Other::rows"],
        ),
        (
            "php",
            "<?php\ntrait Lists { function all() { return $this->rows(); } }\n\
            class Shelf { use Lists; function rows() {} }",
            &["Lists\\all -> Shelf\\rows"],
            &[],
        ),
    ];
    for (extension, text, present, absent) in cases {
        check_some(&format!("//- /main.{extension}\n{text}\n"), present, absent);
    }
}
