//! Rust: which of several traits gives a function, or the type itself, and traits that types from elsewhere have.

use crate::support::check_cases;

#[test]
fn methods_of_rust_traits_are_those_of_the_outside_types_that_have_them() {
    let project = r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
pub mod ext;
//- /src/ext.rs
pub use outer::{Builder, Socket};
use std::path::Path;
pub trait Extends: Sized {
    fn with(self, n: u8) -> Self;
    fn quiet(self) -> Self { self.with(0) }
    fn get(&self) {}
}
impl Extends for Builder { fn with(self, n: u8) -> Self { self.number(n) } }
pub trait ToText { fn to_text(&self) -> String; }
impl ToText for Path { fn to_text(&self) -> String { String::new() } }
pub trait Reads { fn read_one(from: &[u8]) -> Self; fn put(self); }
impl Reads for u64 { fn read_one(from: &[u8]) -> Self { 1 } fn put(self) {} }
pub trait Writes { fn put(self); }
impl Writes for u64 { fn put(self) {} }
pub trait Loads { fn deserialize(from: &[u8]) -> Self; }
impl Loads for u64 { fn deserialize(from: &[u8]) -> Self { 1 } }
impl Loads for std::net::Ipv6Addr { fn deserialize(from: &[u8]) -> Self { panic!() } }
pub struct Piece;
pub trait Pipes { fn pipe(self); }
impl<T> Pipes for T where T: Into<Piece> { fn pipe(self) {} }
pub trait PipesMany { fn pipe(self, n: u8); }
impl<T> PipesMany for T where T: IntoIterator { fn pipe(self, n: u8) {} }
//- /src/user.rs
"#;
    let quiet = ("a::user::run -> a::ext::Extends::quiet", "");
    let with = ("a::user::run -> a::ext::Builder::with", "");
    let no_quiet = ("", quiet.0);
    check_cases(
        project,
        &[
            ("use crate::ext::*;\nfn run() { Builder::new(\"a\").name(\"b\").quiet(); }", quiet),
            ("use crate::ext::*;\nfn run() { Builder::new(\"a\").with(1); }", with),
            ("use crate::ext::*;\nfn run(b: Builder) { b.quiet(); }", quiet),
            ("use crate::ext::*;\nfn run(b: &Builder) { b.name(\"c\").quiet(); }", quiet),
            ("use crate::ext::Builder;\nfn run(b: Builder) { b.quiet(); }", no_quiet),
            ("use crate::ext::*;\nfn run() { Socket::new(1).name(\"b\").quiet(); }", no_quiet),
            ("use crate::ext::*;\nfn run(b: Unknown) { b.quiet(); }", no_quiet),
            ("use crate::ext::*;\nfn run() { other().quiet(); }", no_quiet),
            (
                "use crate::ext::ToText;\nfn run(p: &std::path::Path) { p.join(\"a\").to_text(); }",
                ("a::user::run -> a::ext::Path::to_text", ""),
            ),
            (
                "use crate::ext::*;\nfn run(p: Piece) { p.pipe(); }",
                ("a::user::run -> a::ext::T::pipe", ""),
            ),
            (
                "use crate::ext::Reads;\nfn run() { u64::read_one(&[]); }",
                ("a::user::run -> a::ext::u64::read_one", ""),
            ),
            (
                "use crate::ext::Loads;\nfn run() { u64::deserialize(&[]); }",
                ("a::user::run -> a::ext::u64::deserialize", ""),
            ),
            (
                "fn run() { u64::deserialize(&[]); }",
                ("", "a::user::run -> a::ext::u64::deserialize"),
            ),
            (
                "use crate::ext::Loads;\nuse std::net::Ipv6Addr;\nfn run() { Ipv6Addr::deserialize(&[]); }",
                ("a::user::run -> a::ext::Ipv6Addr::deserialize", ""),
            ),
            (
                "use crate::ext::Loads;\nuse std::net::*;\nfn run() { Ipv6Addr::of(&[]).deserialize(); }",
                ("", "a::user::run -> a::ext::Ipv6Addr::deserialize"),
            ),
            (
                "fn default() {}\nfn run() { select! { default(1) => 2 } }",
                ("", "a::user::run -> a::user::default"),
            ),
            (
                "#[derive(Default)] struct Made; impl Made { fn go(&self) {} }\nfn run() { assert!(Made::default().go()); }",
                ("a::user::run -> a::user::Made::go", ""),
            ),
        ],
    );
}

#[test]
fn own_functions_of_rust_types_hide_those_of_traits_and_traits_have_to_be_seen() {
    let project = r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
pub mod sets;
pub mod puts;
pub mod makes;
//- /src/sets.rs
pub struct Set { taken: u8 }
impl Set { pub fn put(&mut self) { self.taken = 1; } }
//- /src/puts.rs
use crate::sets::Set;
pub trait Puts { fn put(&mut self); fn take(&mut self) {} fn taken(&self) -> u8; fn make() -> Self; }
impl Puts for Set { fn put(&mut self) { self.put() } fn taken(&self) -> u8 { self.taken } fn make() -> Self { Set { taken: 0 } } }
//- /src/makes.rs
use crate::sets::Set;
pub trait Makes { fn make() -> Self; fn take(&mut self); }
impl Makes for Set { fn make() -> Self { Set { taken: 0 } } fn take(&mut self) {} }
//- /src/user.rs
use crate::sets::Set;
"#;
    let own = ("a::user::run -> a::sets::Set::put", "a::user::run -> a::puts::Set::put");
    let of_trait = (own.1, own.0);
    let makes = ("a::user::run -> a::makes::Set::make", "a::user::run -> a::puts::Set::make");
    check_cases(
        project,
        &[
            ("use crate::puts::Puts;\nfn run(s: &mut Set) { s.put(); }", own),
            ("use crate::puts::Puts;\nfn run(s: &mut Set) { Set::put(s); }", own),
            ("use crate::puts::Puts;\nfn run(s: &mut Set) { <Set as Puts>::put(s); }", of_trait),
            ("use crate::makes::Makes;\nfn run() { Set::make(); }", makes),
            (
                "use crate::puts::Puts;\nfn run(s: &Set) { s.taken(); }",
                ("a::user::run -> a::puts::Set::taken", ""),
            ),
            ("use crate::puts::Puts;\nfn run() { <Set as crate::makes::Makes>::make(); }", makes),
            (
                "use crate::puts::Puts;\nfn run(s: &mut Set) { <Set as Puts>::take(s); }",
                ("a::user::run -> a::puts::Puts::take", "a::user::run -> a::makes::Set::take"),
            ),
        ],
    );
}

#[test]
fn a_rust_module_hides_one_that_comes_with_all_of_another() {
    check_cases(
        r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
pub mod query;
//- /src/query/mod.rs
pub mod range;
pub use self::range::*;
//- /src/query/range/mod.rs
mod range;
pub use self::range::*;
pub fn is_fit() {}
//- /src/query/range/range.rs
use crate::query::range::is_fit;
"#,
        &[(
            "pub fn run() { is_fit() }",
            ("a::query::range::range::run -> a::query::range::is_fit", ""),
        )],
    );
}

#[test]
fn what_is_private_in_a_rust_module_comes_with_all_of_it_only_to_modules_inside() {
    let project = r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
pub mod ast;
pub mod engine;
//- /src/ast.rs
pub struct Call;
impl Call { pub fn go(&self) {} }
pub fn act() {}
//- /src/engine/mod.rs
mod call;
mod state;
pub use call::*;
pub use state::*;
//- /src/engine/call.rs
pub struct Call;
impl Call { pub fn go(&self) {} }
//- /src/engine/state.rs
use crate::ast::{Call, act};
use crate::ast::*;
fn own() {}
pub(crate) fn given() {}
//- /src/user.rs
"#;
    let engine = ("a::user::run -> a::engine::call::Call::go", "a::user::run -> a::ast::Call::go");
    check_cases(
        project,
        &[
            ("use crate::engine::*;\nfn run(c: &Call) { c.go(); }", engine),
            ("use crate::engine::Call;\nfn run(c: &Call) { c.go(); }", engine),
            ("use crate::engine::*;\nfn run() { act(); }", ("", "a::user::run -> a::ast::act")),
            (
                "use crate::engine::*;\nfn run() { own(); given(); }",
                (
                    "a::user::run -> a::engine::state::given",
                    "a::user::run -> a::engine::state::own",
                ),
            ),
            (
                "mod inner { use super::*; fn run() { hidden(); } }\nfn hidden() {}",
                ("a::user::inner::run -> a::user::hidden", ""),
            ),
        ],
    );
}

#[test]
fn self_in_a_rust_trait_is_the_type_that_its_function_is_called_by() {
    let project = r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
pub trait Makes: Sized {
    fn make() -> Self { panic!() }
    fn try_make() -> Result<Self, ()> { Ok(Self::make()) }
    fn same(self) -> Self { self }
    fn go(&self);
}
pub struct Near;
impl Makes for Near { fn go(&self) {} }
pub struct Far;
impl Far { fn only(&self) {} }
impl Makes for Far { fn go(&self) {} }
"#;
    let near = ("a::run -> a::Near::go", "a::run -> a::Makes::go");
    let of_trait = (near.1, near.0);
    check_cases(
        project,
        &[
            ("fn run() { Near::make().go(); }", near),
            ("fn run() -> Result<(), ()> { Near::try_make()?.go(); Ok(()) }", near),
            ("fn run(near: Near) { near.same().go(); }", near),
            ("fn run() { Far::make().same().only(); }", ("a::run -> a::Far::only", "")),
            ("fn run<T: Makes>(it: T) { it.same().go(); }", of_trait),
            ("fn run(it: &dyn Makes) { it.go(); }", of_trait),
        ],
    );
}
