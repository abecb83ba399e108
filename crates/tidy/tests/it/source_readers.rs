//! The reader of sources, on small texts.

use pretty_assertions::assert_eq;
use retriever_tidy::{
    Crate,
    function_sizes::functions,
    module_cycles::{cycles, uses},
    public_items,
};

fn of(text: &str) -> Crate {
    Crate::of_text("small", text).unwrap()
}

#[test]
fn every_spelling_of_a_use_is_seen_and_leads_to_what_declares_the_item() {
    for (code, expected) in [
        ("use crate::b::B;", "b"),
        ("use crate::{b::{B as C}};", "b"),
        ("use super::b;", "b"),
        ("use super::{b::{self}};", "b"),
        ("fn f() { crate::b::g() }", "b"),
        ("fn f() { use super::b::*; }", "b"),
        ("fn f() -> Option<super::b::B> { None }", "b"),
        ("fn f() { println!(\"{}\", crate::b::N) }", "b"),
        // Through re-exports, of which the root has one and `front` a glob.
        ("use crate::B;", "b"),
        ("use crate::front::B;", "b"),
        ("use std::b::B;", ""),
        ("/// [`crate::b::B`]\nfn f() {}", ""),
    ] {
        let text = format!(
            "mod a {{ {code} }} mod b {{ pub struct B; pub const N: u8 = 1; pub fn g() {{}} }} \
             mod front {{ pub use super::b::*; }} pub use b::B;"
        );
        let source = of(&text);
        let found: Vec<String> = uses(&source)
            .into_iter()
            .filter(|it| source.modules[it.from].path == ["a"])
            .map(|it| source.modules[it.to].path.join("::"))
            .collect();
        assert_eq!(found.first().map_or("", String::as_str), expected, "{code}");
    }
}

#[test]
fn a_cycle_is_found_at_every_level_and_a_parent_is_no_part_of_it() {
    let circle = "mod f { mod a { use super::b::B; pub struct A; } mod b { use super::c::C; pub struct B; } \
                  mod c { use super::a::A; pub struct C; } mod d { use super::a::A; } }";
    let found = cycles(&of(circle), |_| false);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].folder.as_str(), found[0].members.as_slice()),
        ("crate::f", &["a", "b", "c"].map(str::to_owned)[..])
    );
    assert_eq!(cycles(&of(circle), |path| path == ["f"]).len(), 0);
    let parent = "mod f { use a::A; pub struct F; mod a { use super::F; pub struct A; } }";
    assert_eq!(cycles(&of(parent), |_| false).len(), 0);
}

#[test]
fn functions_are_measured_from_the_signature_to_the_closing_brace() {
    let text = "/// One.\n/// Two.\nfn f(a: u8, b: bool) {\n    g();\n}\nstruct S;\nimpl S {\n    fn m(&self, (c, d): (u8, u8)) {}\n}\n";
    let found: Vec<_> = functions(&of(text))
        .into_iter()
        .map(|it| (it.name, it.line, it.lines, it.parameters, it.booleans, it.tuples))
        .collect();
    assert_eq!(found, [("f".to_owned(), 3, 3, 2, 1, 0), ("S::m".to_owned(), 8, 1, 2, 0, 1)]);
}

#[test]
fn public_items_are_those_that_others_can_name() {
    let text = "mod inner { pub struct S { pub a: u8, b: u8 } impl S { pub fn new(\n    a: u8,\n) -> Self { S { a, b: 0 } } fn p() {} }
        pub(crate) struct Q; pub enum E { A, B(u8) } }
        pub use inner::S; pub use std::fmt; pub mod open { pub fn f<T: Copy>(t: &T) {} pub trait T { fn m(&self); } }";
    let found = public_items::public_items(&of(text));
    let expected = [
        "field S::a: u8",
        "fn S::new(a: u8) -> Self",
        "fn open::T::m(&self)",
        "fn open::f<T: Copy>(t: &T)",
        "mod open",
        "struct S",
        "trait open::T",
        "use fmt = std::fmt",
    ];
    let found: Vec<String> =
        found.into_iter().map(|it| it.trim_start_matches("pub ").to_owned()).collect();
    assert_eq!(found, expected);
}
