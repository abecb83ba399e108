//! Which type a value of Rust has where a method is called on it, and what a pattern names.

use pretty_assertions::assert_eq;

use super::uses_of_types::usages;
use crate::support::{check_cases, check_some};

#[test]
fn a_function_of_a_type_that_gives_self_gives_a_value() {
    let project = "
//- /src/lib.rs
use std::ops::Deref;
pub struct Engine;
impl Engine { pub fn start(&self) {} }
pub struct Car { engine: Engine }
impl Car {
    pub fn build() -> Self { Self { engine: Engine } }
    pub async fn order() -> Self { Self { engine: Engine } }
}
impl Deref for Car {
    type Target = Engine;
    fn deref(&self) -> &Engine { &self.engine }
}
fn drive() { let car = Car::build(); car.start(); }
async fn wait() { Car::order().await.start(); }
";
    check_some(
        project,
        &[
            "lib::drive -> lib::Engine::start",
            "lib::wait -> lib::Engine::start",
            "lib::drive -> lib::Car::build",
        ],
        &[],
    );
}

#[test]
fn an_error_that_is_explained_keeps_the_value() {
    let project = "
//- /src/lib.rs
use anyhow::{Context as _, Result};
pub struct Page;
impl Page { pub fn print(&self) {} }
fn load() -> Result<Page> { Ok(Page) }
fn find() -> Option<Page> { None }
";
    check_cases(
        project,
        &[
            (
                "fn f() -> Result<()> { load().context(\"no\")?.print(); Ok(()) }",
                ("lib::f -> lib::Page::print", ""),
            ),
            (
                "fn f() -> Result<()> { let p = load().with_context(|| \"no\")?; p.print(); Ok(()) }",
                ("lib::f -> lib::Page::print", ""),
            ),
            (
                "fn f() -> Result<()> { find().context(\"no\")?.print(); Ok(()) }",
                ("lib::f -> lib::Page::print", ""),
            ),
            (
                "fn f() -> eyre::Result<()> { load().wrap_err(\"no\")?.print(); Ok(()) }",
                ("lib::f -> lib::Page::print", ""),
            ),
        ],
    );
}

#[test]
fn values_made_inside_a_macro_call_have_their_types() {
    let project = "
//- /src/lib.rs
pub struct Page { n: u32 }
impl Page { pub fn print(&self) -> Option<u8> { None } }
const LIMIT: u32 = 1;
";
    check_cases(
        project,
        &[
            (
                "fn f() { assert_eq!(Page { n: 1 }.print().unwrap(), 1); }",
                ("lib::f -> lib::Page::print", ""),
            ),
            (
                "fn f() { println!(\"{:?}\", Page { n: 1 }.print()); }",
                ("lib::f -> lib::Page::print", ""),
            ),
            (
                "fn f() { assert_eq!((Page { n: 1 }).print().unwrap(), 1); }",
                ("lib::f -> lib::Page::print", ""),
            ),
            ("fn f() { let _ = vec![Page { n: 1 }.print()]; }", ("lib::f -> lib::Page::print", "")),
            (
                "fn f(p: &Page) { choose!(if LIMIT { p.print() }); }",
                ("lib::f -> lib::Page::print", ""),
            ),
        ],
    );
}

#[test]
fn what_a_wrapper_holds_is_not_the_wrapper() {
    let project = "
//- /src/lib.rs
use other::Ring;
pub trait Port { fn address(&self) -> u32; }
impl<T: Port> Port for Ring<T> {
    fn address(&self) -> u32 { self.get_ref().address() }
}
pub struct Wire;
impl Port for Wire { fn address(&self) -> u32 { 1 } }
fn read(ring: Ring<Wire>) -> u32 { ring.get_ref().address() }
";
    check_some(
        project,
        &[],
        &["lib::Ring::address -> lib::Ring::address", "lib::read -> lib::Ring::address"],
    );
}

#[test]
fn a_pattern_with_fields_names_its_variant_or_struct() {
    let project = "
//- /src/lib.rs
pub enum State { Stopped { at: u32 }, Pair(u32, u32) }
pub struct Point { x: u32 }
fn one(s: &State) -> bool { if let State::Stopped { at } = s { return *at > 0; } false }
fn two(s: &State) -> bool { match s { State::Stopped { .. } => true, State::Pair(a, b) => a == b } }
fn three(p: Option<Point>) -> u32 { if let Some(Point { x, .. }) = p { x } else { 0 } }
";
    assert_eq!(usages(project, "State.Stopped"), ["lib::one [3]", "lib::two [4]"]);
    let of_point = usages(project, "Point");
    assert!(of_point.contains(&"lib::three [5]".to_owned()), "{of_point:?}");
}

#[test]
fn a_dependency_by_its_folder_is_that_package_also_where_others_have_its_name() {
    check_some(
        "
//- /Cargo.toml
[package]
name = \"engine\"
[workspace]
members = [\"cli\", \"binding\"]
[workspace.dependencies]
engine = { path = \".\" }
//- /binding/Cargo.toml
[package]
name = \"engine-binding\"
[lib]
name = \"engine\"
[dependencies]
engine = { workspace = true }
//- /binding/src/lib.rs
use engine::motor::Motor;
pub fn engine_start(m: &Motor) { m.start(); }
//- /cli/Cargo.toml
[package]
name = \"cli\"
[dependencies]
engine = { path = \"..\" }
//- /cli/src/main.rs
fn main() { let m = engine::motor::build(); m.start(); }
//- /src/lib.rs
pub mod motor;
//- /src/motor.rs
pub struct Motor;
impl Motor { pub fn start(&self) {} }
pub fn build() -> Motor { Motor }
//- /src/bin/run.rs
fn main() { engine::motor::build().start(); }
",
        &[
            "engine::engine_start -> engine::motor::Motor::start",
            "cli::main -> engine::motor::build",
            "cli::main -> engine::motor::Motor::start",
            "run::main -> engine::motor::build",
        ],
        &[],
    );
}
