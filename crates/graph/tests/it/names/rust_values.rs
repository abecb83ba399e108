//! Rust: the values of patterns, of parts of tuples, behind pointers, and methods that all types have.

use retriever_graph::EdgeKind;

use crate::support::{check, check_cases, check_some, edges, graph_of};

const ITEMS: &str = r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
use std::{borrow::Cow, cell::{OnceCell, RefCell}, rc::Rc, sync::{Arc, Mutex}};
#[derive(Clone, Default)]
pub struct Near;
impl Near { fn go(&self) {} }
#[derive(Clone, Default)]
pub struct Far;
impl Far { fn go(&self) {} fn join(self, far: Far) -> Far { far } }
pub struct Two(Near, Far);
pub enum Way { Both(Near, Far) }
fn two() -> (Near, Far) { (Near, Far) }
fn three() -> (u8, Near, Far) { (1, Near, Far) }
"#;

#[test]
fn parts_of_rust_patterns_keep_their_places() {
    let far = ("a::run -> a::Far::go", "a::run -> a::Near::go");
    let near = (far.1, far.0);
    check_cases(
        ITEMS,
        &[
            ("fn run() { let (_, it) = two(); it.go() }", far),
            ("fn run() { let (it, _) = two(); it.go() }", near),
            ("fn run() { let (.., it) = three(); it.go() }", far),
            ("fn run() { let (.., it, _) = three(); it.go() }", near),
            ("fn run() { let (_, .., it) = three(); it.go() }", far),
            ("fn run(all: Vec<(Near, Far)>) { for (_, it) in &all { it.go() } }", far),
            ("fn run(all: Vec<Far>) { for (_, it) in all.iter().enumerate() { it.go() } }", far),
            ("fn run(all: Vec<(Near, Far)>) { all.iter().for_each(|(_, it)| it.go()) }", far),
            (
                "fn run(by: fn(fn(Near, Far))) { each(|_, it| it.go()) }\nfn each(f: impl Fn(Near, Far)) {}",
                far,
            ),
            ("fn run(one: Option<(Near, Far)>) { if let Some((_, it)) = one { it.go() } }", far),
            ("fn run(one: (Near, Far)) { match one { (_, it) => it.go() } }", far),
            ("fn run(two: Two) { let Two(_, it) = two; it.go() }", far),
            ("fn run(two: Two) { let Two(.., it) = two; it.go() }", ("", near.0)),
            ("fn run(way: Way) { match way { Way::Both(_, it) => it.go() } }", far),
            ("fn run((_, it): (Near, Far)) { it.go() }", far),
        ],
    );
}

#[test]
fn parts_of_rust_tuples_and_results_of_bounds_are_known() {
    let far = ("a::run -> a::Far::go", "a::run -> a::Near::go");
    check_cases(
        ITEMS,
        &[
            ("struct S { it: (Near, Far) }\nfn run(s: &S) { s.it.1.go() }", far),
            ("fn run() { two().1.go() }", far),
            ("fn run(all: &[(Near, Far)]) { all[0].1.go() }", far),
            ("fn run(all: Vec<(Near, Far)>) { all.iter().for_each(|it| it.1.go()) }", far),
            ("fn run(two: &Two) { two.1.go() }", far),
            ("fn run<F>(f: F) where F: FnOnce(Near) -> Far { f(Near).go() }", far),
            ("fn run<F: Fn(Near) -> Far>(f: F) { f(Near).go() }", far),
        ],
    );
}

#[test]
fn functions_of_rust_pointers_give_what_they_point_to() {
    let far = ("a::run -> a::Far::go", "");
    check_cases(
        ITEMS,
        &[
            ("fn run(it: &mut Arc<Far>) { Arc::make_mut(it).go() }", far),
            ("fn run(it: &mut Arc<Far>) { if let Some(it) = Arc::get_mut(it) { it.go() } }", far),
            ("fn run(it: &mut Arc<Far>) { std::sync::Arc::get_mut(it).unwrap().go() }", far),
            ("fn run(it: Rc<Far>) { Rc::unwrap_or_clone(it).go() }", far),
            ("fn run(it: Arc<Far>) { if let Ok(it) = Arc::try_unwrap(it) { it.go() } }", far),
            ("fn run(it: &Arc<Far>) { let it = Arc::clone(it); it.go() }", far),
            ("fn run(it: &Arc<Far>) { it.as_ref().go() }", far),
            ("fn run(it: Cow<'_, Far>) { it.into_owned().go() }", far),
            ("fn run(it: &mut Mutex<Far>) { it.get_mut().unwrap().go() }", far),
            ("fn run(it: &OnceCell<Far>) { it.get_or_init(|| Far).go() }", far),
            ("fn run(it: &OnceCell<Far>) { if let Some(it) = it.get() { it.go() } }", far),
            ("fn run(it: &mut Far) { std::mem::take(it).go() }", far),
            ("use std::mem;\nfn run(it: &mut Far) { mem::replace(it, Far).go() }", far),
            (
                "pub trait Goes: Default { fn goes(&self); }\nfn run<T: Goes>() { let it = T::default(); it.goes() }",
                ("a::run -> a::Goes::goes", ""),
            ),
        ],
    );
}

#[test]
fn a_fold_hands_on_what_it_starts_with() {
    let join = ("a::run -> a::Far::join", "");
    check_cases(
        ITEMS,
        &[
            ("fn run(all: Vec<u8>) { all.iter().fold(Far, |sum, n| sum.join(Far)); }", join),
            ("fn run(all: Vec<u8>) { all.iter().fold(Far, |sum, n| sum).join(Far); }", join),
            ("fn run(all: Vec<Far>) { all.into_iter().reduce(|sum, it| sum.join(it)); }", join),
            (
                "fn run(all: Vec<Far>) { all.into_iter().try_for_each(|it| Some(it.join(Far))); }",
                join,
            ),
            (
                "fn run(all: Vec<u8>) { all.iter().try_fold(Far, |sum, n| Some(sum.join(Far))); }",
                join,
            ),
        ],
    );
}

#[test]
fn a_rust_field_is_called_in_parentheses_and_a_method_by_name() {
    let project = r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
pub struct Held { go: fn(u8) -> u8, alone: fn(u8) -> u8 }
impl Held {
    pub fn go(&self) -> u8 { (self.go)(1) }
    pub fn run(&self) -> u8 { self.go() }
    pub fn wrong(&self) -> u8 { self.alone(1) }
    pub fn path(&self) -> u8 { (Self::run)(self) }
    pub fn parts(&self) { let Held { go, .. } = self; hand(go); }
}
pub fn made() -> Held { Held { go: one, alone: two } }
fn hand(f: fn(u8) -> u8) {}
fn one(n: u8) -> u8 { n }
fn two(n: u8) -> u8 { n }
"#;
    check_some(
        project,
        &["a::Held::run -> a::Held::go", "a::Held::path -> a::Held::run"],
        &["a::Held::go -> a::Held::go", "a::Held::run -> a::one"],
    );
    let handed = edges(&graph_of(project), EdgeKind::References);
    assert!(!handed.iter().any(|edge| edge.contains("-> a::Held::go")), "{handed:?}");
}

#[test]
fn rust_macros_are_found_by_the_name_that_an_import_gives_them() {
    check_some(
        r#"
//- /Cargo.toml
[workspace]
members = ["a", "b"]
//- /a/Cargo.toml
[package]
name = "a"
//- /a/src/lib.rs
mod kit;
mod user;
//- /a/src/kit.rs
#[macro_export]
macro_rules! __make { ($n:ident) => { pub struct $n; }; }
#[macro_export]
macro_rules! make { ($n:ident) => { pub struct $n; }; }
macro_rules! hidden { ($n:ident) => { pub struct $n; }; }
//- /a/src/user.rs
use crate::__make as make;
fn own() { make! { C } }
//- /b/Cargo.toml
[package]
name = "b"
//- /b/src/lib.rs
use a::__make as build;
use a::hidden as kept;
fn other() { build! { D } kept! { E } }
"#,
        &["a::user::own -> a::kit::__make", "b::other -> a::kit::__make"],
        &["a::user::own -> a::kit::make", "b::other -> a::kit::hidden"],
    );
}

#[test]
fn methods_of_rust_traits_for_all_types_are_those_of_outside_types_too() {
    let project = r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
pub mod ext;
pub mod odd;
//- /src/ext.rs
use std::net::{TcpListener, UdpSocket};
pub trait Listens { fn accept_one(&self); }
impl Listens for TcpListener { fn accept_one(&self) {} }
pub trait Taps: Listens + Sized { fn tap(self) -> Tap<Self> { Tap(self) } fn own(&self) {} fn len(&self) {} }
impl<T: Listens> Taps for T { fn own(&self) {} }
pub struct Tap<T>(T);
impl<T> Tap<T> { pub fn go(&self) {} }
pub struct Mine;
impl Listens for Mine { fn accept_one(&self) {} }
pub trait Cuts { fn cut(&self) {} }
impl<T> Cuts for T where T: Iterator {}
pub trait Odd { fn odd(&self) {} }
//- /src/odd.rs
use crate::ext::Odd as Strange;
impl<T> Strange for T {}
//- /src/user.rs
"#;
    let tap = ("a::user::run -> a::ext::Taps::tap", "");
    let none = ("", tap.0);
    check_cases(
        project,
        &[
            ("use crate::ext::Taps;\nfn run(l: std::net::TcpListener) { l.tap(); }", tap),
            ("use crate::ext::Taps as _;\nfn run(l: std::net::TcpListener) { l.tap(); }", tap),
            ("use crate::ext::*;\nfn run(l: std::net::TcpListener) { l.tap(); }", tap),
            ("use crate::ext::*;\nfn run(l: Mine) { l.tap(); }", tap),
            ("use crate::ext::*;\nfn run<L: Listens>(l: L) { l.tap(); }", tap),
            (
                "use crate::ext::*;\nfn run(l: Mine) { l.own(); }",
                ("a::user::run -> a::ext::T::own", "a::user::run -> a::ext::Taps::own"),
            ),
            (
                "use crate::ext::*;\nfn run(l: Vec<u8>) { l.iter().cut(); }",
                ("a::user::run -> a::ext::Cuts::cut", ""),
            ),
            (
                "use crate::ext::{Mine, Odd};\nfn run(l: Mine) { l.odd(); }",
                ("a::user::run -> a::ext::Odd::odd", ""),
            ),
            ("fn run(l: std::net::TcpListener) { l.tap(); }", none),
            ("use crate::ext::Taps;\nfn run(l: std::net::UdpSocket) { l.tap(); }", none),
            ("use crate::ext::Taps;\nfn run(l: Unknown) { l.other().tap(); }", none),
        ],
    );
}

#[test]
fn rust_macros_bind_and_define_what_their_calls_name() {
    let project = r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
pub struct Inner { path: Path }
pub struct Path;
impl Path { fn add(&mut self) {} fn cut(&self) -> u8 { 1 } fn end(&self) {} }
pub struct Outer { inner: Inner }
macro_rules! tap { ($s:ident, mut $i:ident => { $($st:stmt)* }) => {{ let mut $i = $s.into_inner(); $($st)*; Outer { inner: $i } }}; }
macro_rules! map { ($s:ident, $i:pat_param => $e:expr) => {{ let $i = $s.into_inner(); $e }}; }
macro_rules! other { ($i:ident, $e:expr) => {{ let $i = 1 + 1; $e }}; }
impl Outer {
    fn into_inner(self) -> Inner { self.inner }
    pub fn tapped(self) -> Self { tap!(self, mut this => { this.path.add(); }) }
    pub fn mapped(self) -> u8 { map!(self, this => this.path.cut()) }
    pub fn wrong(self, this: Path) { other!(this, this.end()) }
}
pub mod routes {
    pub struct Route { get: u8 }
    macro_rules! top {
        ($name:ident, GET) => { top!(/// With a comment.
            $name, X); };
        ($(#[$m:meta])+ $name:ident, $x:ident) => { $(#[$m])+ pub fn $name<T>(_: T) -> Route { on() } };
    }
    macro_rules! plain { ($name:ident) => { pub fn $name() -> Route { on() } }; }
    macro_rules! chained { ($name:ident) => { pub fn $name(self) -> Self { self } }; }
    macro_rules! used { ($name:ident) => { pub struct $name; }; }
    fn on() -> Route { Route { get: 0 } }
    top!(get, GET);
    plain!(del);
    used!(put);
    impl Route { chained!(get); chained!(end); pub fn last(&self) {} }
}
pub use self::routes::{del, get};
fn first() { get(1).get().end().last(); }
fn second() { del().last(); routes::get(2); }
fn third() { routes::put(); }
"#;
    check_some(
        project,
        &[
            "a::Outer::tapped -> a::Path::add",
            "a::Outer::mapped -> a::Path::cut",
            "a::first -> a::routes::get",
            "a::first -> a::routes::Route::get",
            "a::first -> a::routes::Route::end",
            "a::first -> a::routes::Route::last",
            "a::second -> a::routes::del",
            "a::second -> a::routes::Route::last",
            "a::second -> a::routes::get",
        ],
        &["a::Outer::wrong -> a::Path::end", "a::third -> a::routes::put"],
    );
    let mut handed = edges(&graph_of(project), EdgeKind::References);
    handed.retain(|edge| edge.contains("get") || edge.contains("del") || edge.contains("end"));
    assert!(handed.is_empty(), "{handed:?}");
}

#[test]
fn what_rust_macros_define_stands_where_the_call_does() {
    let project = r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
pub struct Foo;
impl Foo { fn end(&self) {} }
fn add(n: u8) -> u8 { n }
macro_rules! case { ($n:ident, $b:block) => { #[test] fn $n() $b }; ($n:ident => $e:expr) => { fn $n() { $e; } }; }
macro_rules! pair { ($a:ident, $b:ident, $c:block) => { fn $a() $c fn $b() $c }; }
macro_rules! getter { ($t:ty, $n:ident) => { impl $t { fn $n(&self) -> u8 { 0 } } }; }
macro_rules! inner { ($n:ident) => { fn other() { fn $n() {} } mod m { fn $n() {} } const _: () = { fn $n() {} }; trait T { fn $n(); } }; }
macro_rules! handed {
    ($name:ident, $other:ident) => { handed!(@impl $other, $name); };
    (@impl $ty:ident, $name:ident) => { fn $ty() -> Foo { Foo } };
    (@else $name:ident) => { fn $name() -> Foo { Foo } };
}
macro_rules! told {
    ($name:ident, GET) => { told!(/// With a comment.
        $name, GET); };
    ($(#[$m:meta])+ $name:ident, $x:ident) => { $(#[$m])+ fn $name() -> Foo { Foo } };
}
macro_rules! method { ($n:ident) => { fn $n<'a>(&'a self) -> Foo { Foo } }; }
macro_rules! twice { ($n:ident) => { fn $n() {} }; }
macro_rules! twice { ($n:ident) => { struct $n; }; }
"#;
    let case = |call, yes: &'static str, no: &'static str| (call, (yes, no));
    check_cases(
        project,
        &[
            case("case!(adds, { assert_eq!(add(1), 2) });", "a::adds -> a::add", ""),
            case("case!(adds => add(1));", "a::adds -> a::add", ""),
            case(
                "pair!(one, two, { add(1) });\nfn run() { two() }",
                "a::run -> a::two",
                "a::one -> a::add",
            ),
            case("getter!(Foo, size);\nfn run() { size() }", "", "a::run -> a::size"),
            case("inner!(size);\nfn run() { size() }", "", "a::run -> a::size"),
            case("handed!(no, yes);\nfn run() { yes().end() }", "a::run -> a::Foo::end", ""),
            case("handed!(no, yes);\nfn run() { no().end() }", "", "a::run -> a::Foo::end"),
            case("told!(get, GET);\nfn run() { get().end() }", "a::run -> a::Foo::end", ""),
            case(
                "impl Foo { method!(own); }\nfn run(f: Foo) { f.own().end() }",
                "a::run -> a::Foo::end",
                "",
            ),
            case("twice!(size);\nfn run() { size() }", "", "a::run -> a::size"),
        ],
    );
}

#[test]
fn rust_manifests_may_rename_the_packages_that_they_depend_on() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "acme"
[workspace.dependencies]
shared-words = { path = "words", package = "acme-words" }
[dependencies]
store = { version = "1", path = "./store/", package = "acme-store" }
shared-words.workspace = true
plain = { package = "outer-plain", version = "2" }
store_old = { package = "acme-store", version = "0.3" }
[target.'cfg(unix)'.dependencies.signals]
package = "acme-signals"
//- /src/lib.rs
use store::{fetch, Table};
pub fn run(table: &Table) { fetch(); table.rows(); shared_words::split(); signals::wait(); store::made!(); plain::go(); }
//- /tests/all.rs
fn main() { store::fetch(); }
fn old() { store_old::fetch(); }
//- /store/Cargo.toml
[package]
name = "acme-store"
version = "0.4.1"
[dependencies]
words = { path = "../words", package = "acme-words" }
//- /store/src/lib.rs
pub struct Table;
impl Table { pub fn rows(&self) { words::split(); shared_words::split(); } }
pub fn fetch() {}
#[macro_export]
macro_rules! made { () => {}; }
//- /words/Cargo.toml
[package]
name = "acme-words"
//- /words/src/lib.rs
pub fn split() {}
//- /signals/Cargo.toml
[package]
name = "acme-signals"
[lib]
name = "signs"
//- /signals/src/lib.rs
pub fn wait() {}
//- /plain/Cargo.toml
[package]
name = "plain"
//- /plain/src/lib.rs
pub fn go() {}
"#,
        &[
            "acme::run -> acme_store::Table::rows",
            "acme::run -> acme_store::fetch",
            "acme::run -> acme_store::made",
            "acme::run -> acme_words::split",
            "acme::run -> signs::wait",
            "acme_store::Table::rows -> acme_words::split",
            "all::main -> acme_store::fetch",
        ],
    );
}
