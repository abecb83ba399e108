//! Rust: paths through crates, modules and macros, and values that are derived or mapped.

use retriever_graph::EdgeKind;

use crate::support::{check, check_cases, check_some, edges, graph_of};

#[test]
fn rust_paths_go_through_a_module_that_a_function_is_named_like() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
mod search;
mod other;
pub mod files;
fn search() { let w = other::make(); w.go(); search::free(); }
fn start() { search(); files::write(); }
//- /src/search.rs
pub struct Worker;
impl Worker { pub fn go(&self) {} }
pub fn free() {}
//- /src/other.rs
use crate::search::{Worker, free};
use crate::search;
pub fn make() -> Worker { free(); Worker }
fn direct(w: crate::search::Worker) { w.go(); crate::search::free(); }
fn by_name() { search::free(); search(); }
//- /src/files/mod.rs
mod write;
pub use self::write::write;
//- /src/files/write.rs
pub fn write() {}
"#,
        &[
            "a::other::by_name -> a::search",
            "a::other::by_name -> a::search::free",
            "a::other::direct -> a::search::Worker::go",
            "a::other::direct -> a::search::free",
            "a::other::make -> a::search::free",
            "a::search -> a::other::make",
            "a::search -> a::search::Worker::go ~",
            "a::search -> a::search::free",
            "a::start -> a::files::write::write",
            "a::start -> a::search",
        ],
    );
}

#[test]
fn rust_crates_are_reached_through_one_that_passes_them_on() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "app"
//- /src/main.rs
extern crate self as own;
mod near;
fn main() { search(); own::near::help(); }
fn search() { let s = facade::finder::Finder::new(); s.find(); facade::words::split(); }
fn typed(finder: &mut facade::finder::Finder) { finder.find(); }
//- /src/near.rs
pub fn help() {}
//- /crates/facade/Cargo.toml
[package]
name = "facade"
//- /crates/facade/src/lib.rs
pub extern crate text_finder as finder;
pub extern crate words;
extern crate hidden;
//- /crates/finder/Cargo.toml
[package]
name = "text-finder"
//- /crates/finder/src/lib.rs
pub struct Finder;
impl Finder {
    pub fn new() -> Self { Finder }
    pub fn find(&self) {}
}
//- /crates/words/Cargo.toml
[package]
name = "words"
//- /crates/words/src/lib.rs
pub fn split() {}
"#,
        &[
            "app::main -> app::near::help",
            "app::main -> app::search",
            "app::search -> text_finder::Finder::find ~",
            "app::search -> text_finder::Finder::new",
            "app::search -> words::split",
            "app::typed -> text_finder::Finder::find",
        ],
    );
}

#[test]
fn rust_crates_start_where_the_manifest_says() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "digger"
autotests = false
[[bin]]
name = "dig"
path = "parts/core/main.rs"
[[test]]
name = "all"
path = "tests/tests.rs"
[[example]]
name = "tour"
//- /parts/core/main.rs
mod tools;
fn main() { crate::tools::spade::dig(); }
//- /parts/core/tools/mod.rs
pub mod spade;
//- /parts/core/tools/spade.rs
use crate::tools;
pub fn dig() { tools::spade::lift(); }
fn lift() {}
//- /tests/tests.rs
mod ground;
mod kit;
//- /tests/ground.rs
use crate::kit::measure;
fn is_soft() { measure(); }
//- /tests/kit.rs
pub fn measure() {}
//- /examples/tour.rs
mod stops;
fn main() { stops::first(); }
//- /examples/stops/mod.rs
pub fn first() {}
//- /deep/Cargo.toml
[package]
name = "deep"
[lib]
path = "rust/mine/lib.rs"
//- /deep/rust/mine/lib.rs
pub mod shaft;
//- /deep/rust/mine/shaft.rs
pub fn sink() { crate::shaft::timber(); }
fn timber() {}
//- /deep/tests/usual.rs
fn sinks() { deep::shaft::sink(); }
"#,
        &[
            "all::ground::is_soft -> all::kit::measure",
            "deep::shaft::sink -> deep::shaft::timber",
            "dig::main -> dig::tools::spade::dig",
            "dig::tools::spade::dig -> dig::tools::spade::lift",
            "tour::main -> tour::stops::first",
            "usual::sinks -> deep::shaft::sink",
        ],
    );
}

#[test]
fn rust_programs_of_several_files_start_where_the_convention_says() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "digger"
//- /tests/suite/main.rs
mod kit;
mod ground;
mod prelude { pub use crate::kit::{Kit, measure}; }
//- /tests/suite/kit.rs
pub struct Kit;
impl Kit { pub fn open() -> Kit { Kit } pub fn close(&self) {} }
pub fn measure() {}
//- /tests/suite/ground/mod.rs
use crate::prelude::*;
fn is_soft() { Kit::open().close(); measure(); }
//- /tests/common/mod.rs
pub fn measure() {}
//- /tests/alone.rs
mod common;
fn lone() { common::measure(); }
//- /examples/tour/main.rs
mod stops;
fn main() { stops::first(); }
//- /examples/tour/stops.rs
pub fn first() { crate::stops::second(); }
fn second() {}
//- /src/bin/dig/main.rs
mod spade;
fn main() { spade::lift(); }
//- /src/bin/dig/spade.rs
pub fn lift() { crate::spade::drop(); }
fn drop() {}
"#,
        &[
            "alone::lone -> alone::common::measure",
            "dig::main -> dig::spade::lift",
            "dig::spade::lift -> dig::spade::drop",
            "suite::ground::is_soft -> suite::kit::Kit::close ~",
            "suite::ground::is_soft -> suite::kit::Kit::open",
            "suite::ground::is_soft -> suite::kit::measure",
            "tour::main -> tour::stops::first",
            "tour::stops::first -> tour::stops::second",
        ],
    );
}

#[test]
fn rust_values_that_are_derived_mapped_and_gone_through() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
#[derive(Clone, Default)]
pub struct Font { size: u32 }
impl Font {
    fn sized(self) -> Font { self }
    fn go(&self) {}
    fn below(&self) -> Option<Font> { None }
}
struct Config { font: Font, range: std::ops::Range<Font>, all: Vec<Font> }
fn copied(c: &Config) { c.font.clone().sized(); }
fn made() { let f = Font::default(); f.go(); }
fn bounds(c: &Config) { let low = c.range.start; low.go(); }
fn hidden(fonts: &[Font]) { for fonts in fonts.iter() { fonts.go(); } }
fn mapped(c: &Config) { c.font.below().map(|f| f.sized()).unwrap().go(); }
fn joined(c: &Config) { c.font.below().and_then(|f| f.below()).unwrap().go(); }
fn paired(c: &Config) { for (a, b) in c.all.iter().zip(&c.all) { b.go(); } }
pub mod kit { pub fn tool() -> Line { Line(1) } pub struct Line(usize); impl std::ops::Sub<usize> for Line { type Output = Self; fn sub(self, n: usize) -> Self { self } } impl Line { pub fn clamp(&self) {} } impl Default for Line { fn default() -> Self { tool() } } }
mod apart {
    use crate::kit::{Line, tool};
    pub trait Sends { fn send(&self); }
    pub struct Page<T> { line: Line, sender: T, kept: std::mem::ManuallyDrop<Line>, by: std::collections::HashMap<u8, Line, u8> }
    impl<T> Page<T> {
        fn less(&self) { (self.line - 1).clamp(); }
        fn told(&self) where T: Sends { self.sender.send(); }
        fn holds(&self) { self.kept.clamp(); }
        fn finds(&self) { if let Some(line) = self.by.get(&1) { line.clamp(); } }
        fn fresh(sender: T) -> Self { Page { line: Default::default(), sender } }
    }
    fn used() { tool().clamp(); let line: Line = Default::default(); }
    enum Cut { At { line: Line } }
    impl Cut { fn clamp(&self) { match self { Self::At { line } => line.clamp() } } }
}
"#,
        &[
            "a::apart::Cut::clamp -> a::kit::Line::clamp ~",
            "a::apart::Page::finds -> a::kit::Line::clamp ~",
            "a::apart::Page::fresh -> a::kit::Line::default",
            "a::apart::Page::holds -> a::kit::Line::clamp",
            "a::apart::Page::less -> a::kit::Line::clamp ~",
            "a::apart::Page::told -> a::apart::Sends::send",
            "a::apart::used -> a::kit::Line::clamp ~",
            "a::apart::used -> a::kit::Line::default",
            "a::apart::used -> a::kit::tool",
            "a::bounds -> a::Font::go ~",
            "a::copied -> a::Font::sized ~",
            "a::hidden -> a::Font::go ~",
            "a::joined -> a::Font::below",
            "a::joined -> a::Font::below ~",
            "a::joined -> a::Font::go ~",
            "a::made -> a::Font::go ~",
            "a::mapped -> a::Font::below",
            "a::mapped -> a::Font::go ~",
            "a::mapped -> a::Font::sized ~",
            "a::kit::Line::default -> a::kit::tool",
            "a::kit::tool -> a::kit::Line",
            "a::paired -> a::Font::go ~",
        ],
    );
}

#[test]
fn rust_values_stand_for_what_they_point_to() {
    check_some(
        r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
mod counted;
use std::ops::Deref;
pub struct Inner;
impl Inner { fn go(&self) {} fn run(&self) {} fn count(&self) {} fn max(&self) {} }
impl Clone for Inner { fn clone(&self) -> Self { Inner } }
#[derive(Clone)]
pub struct Named { inner: Inner }
impl Deref for Named { type Target = Inner; fn deref(&self) -> &Self::Target { &self.inner } }
impl Named { fn run(&self) {} }
enum Either { Far(counted::Counted<Inner>), Near(Named) }
fn through(a: &Named, b: counted::Counted<Inner>) { a.go(); b.go(); b.count(); }
fn own(a: &Named) { a.run(); a.clone(); }
pub struct Copied { inner: Inner }
impl Copied { fn deref(&self) -> &Inner { &self.inner } }
fn apart(a: &Copied, b: &Named) { a.go(); b.max(); }
fn matched(a: &Either) { match a { Either::Far(b) => b.run(), Either::Near(b) => b.inner.run() } }
//- /src/counted.rs
pub struct Counted<C> { to: *const C }
impl<C> std::ops::Deref for Counted<C> { type Target = C; fn deref(&self) -> &C { unsafe { &*self.to } } }
impl<C> Counted<C> { pub fn count(&self) {} }
"#,
        &[
            "a::matched -> a::Inner::run",
            "a::own -> a::Named::run",
            "a::through -> a::Inner::go",
            "a::through -> a::counted::Counted::count",
        ],
        &[
            "a::apart -> a::Inner::go",
            "a::apart -> a::Inner::max",
            "a::own -> a::Inner::clone",
            "a::own -> a::Inner::run",
            "a::through -> a::Inner::count",
        ],
    );
}

#[test]
fn a_rust_closure_takes_what_the_bound_of_its_type_says() {
    check_some(
        r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
pub struct Scope<'a> { at: &'a u8 }
impl<'a> Scope<'a> {
    fn spawn<F, T>(&self, f: F) -> T where F: FnOnce(&Scope<'a>) -> T { f(self) }
    fn stop(&self) {}
}
pub struct Slab<T> { items: Vec<T> }
impl<T> Slab<T> { fn each<F: Fn(&T) + Send>(&self, f: F) {} }
fn scope<'a, F, R>(f: F) -> R where F: FnOnce(&Scope<'a>) -> R { todo!() }
fn nested() { scope(|s| { s.spawn(|inner| inner.stop()); }); }
fn items(slab: &Slab<Scope<'static>>) { slab.each(|item| item.stop()); }
fn other<F: Fn(&Slab<u8>)>(f: F) {}
fn slabs() { other(|slab| slab.stop()); }
fn circle<F: G, G: F>(f: F) {}
fn around() { circle(|it| it.stop()); }
"#,
        &[
            "a::around -> a::circle",
            "a::items -> a::Scope::stop",
            "a::items -> a::Slab::each",
            "a::nested -> a::Scope::spawn",
            "a::nested -> a::Scope::stop",
            "a::nested -> a::scope",
        ],
        &["a::around -> a::Scope::stop", "a::slabs -> a::Scope::stop"],
    );
}

#[test]
fn the_result_of_a_rust_lock_is_taken_for_what_it_holds() {
    check_some(
        r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
use std::sync::{Arc, Mutex, RwLock};
pub struct Item;
impl Item { fn go(&self) {} fn read(&self) -> Result<Other, ()> { Err(()) } }
pub struct Other;
impl Other { fn stop(&self) {} }
pub struct Shared { one: Mutex<Item>, far: Arc<RwLock<Item>>, many: Mutex<Vec<Item>>, may: Mutex<Option<Item>> }
impl Shared {
    fn one(&self) { self.one.lock().unwrap().go(); }
    fn shared(&self) { let item = self.far.read().unwrap(); item.go(); }
    fn foreign(&self) { self.one.lock().go(); }
    fn each(&self) { for item in self.many.lock().unwrap().iter() { item.go(); } }
    fn perhaps(&self) { if let Some(item) = self.may.lock().expect("whole").as_ref() { item.go(); } }
    fn own(&self, item: &Item) { item.read().unwrap().stop(); }
}
"#,
        &[
            "a::Shared::shared -> a::Item::go",
            "a::Shared::foreign -> a::Item::go",
            "a::Shared::each -> a::Item::go",
            "a::Shared::perhaps -> a::Item::go",
            "a::Shared::one -> a::Item::go",
            "a::Shared::own -> a::Item::read",
            "a::Shared::own -> a::Other::stop",
        ],
        &[],
    );
}

#[test]
fn rust_lifetimes_are_no_type_arguments_and_options_hold_what_they_are_made_of() {
    let common = r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
use std::sync::{Arc, Mutex, MutexGuard};
#[derive(Clone)]
pub struct Item;
impl Item { fn go(&self) {} }
pub trait Act { fn act(&self); }
impl Act for Item { fn act(&self) {} }
pub struct View<'a, T> { it: &'a T }
impl<'a, T> View<'a, T> { fn get(&self) -> &'a T { self.it } }
pub struct Both<'a, 'b, A: 'a, B> { a: &'a A, b: &'b B }
pub struct Fair<T> { data: Mutex<T> }
impl<T> Fair<T> { fn take(&self) -> MutexGuard<'_, T> { self.data.lock().unwrap() } }
"#;
    let go = ("a::run -> a::Item::go", "");
    let cases = [
        ("fn run(view: View<'_, Item>) { view.it.go(); }", go),
        ("fn run(view: View<'static, Item>) { view.get().go(); }", go),
        ("fn run(fair: Arc<Fair<Item>>) { fair.take().go(); }", go),
        ("fn run(view: Both<'_, '_, u8, Item>) { view.b.go(); }", go),
        ("fn run(view: Both<'_, '_, u8, Item>) { view.a.go(); }", ("", "a::run -> a::Item::go")),
        (
            "impl<'a, A: Act + 'a, B> Both<'a, 'a, A, B> { fn run(&self) { self.a.act(); } }",
            ("a::Both::run -> a::Act::act", ""),
        ),
        (
            "fn run(item: &Item) { let made = Some(item.clone()); if let Some(it) = made { it.go(); } }",
            go,
        ),
        (
            "fn run(item: &Item) { let f = |n: u8| if n > 1 { Some(item.clone()) } else { None }; if let Some(it) = f(1) { it.go(); } }",
            go,
        ),
        (
            "fn run(n: u8) { match if n > 1 { Ok(Item) } else { Err(n) } { Ok(it) => it.go(), Err(n) => {} } }",
            go,
        ),
        (
            "fn all() -> &'static [Item] { &[] }\nfn run() { let own = all().to_owned(); for it in &own { it.go(); } }",
            go,
        ),
        (
            "fn Some(n: Item) -> u8 { 1 }\nfn run() { Some(Item).go(); }",
            ("a::run -> a::Some", "a::run -> a::Item::go"),
        ),
    ];
    check_cases(common, &cases);
}

#[test]
fn rust_paths_begin_with_no_variable() {
    let project = "//- /Cargo.toml\n[package]\nname = \"a\"\n//- /src/pairs.rs\n\
                   pub struct P;\nimpl P { pub fn go(&self) {} }\npub fn hook(p: &P) {}\n\
                   //- /src/lib.rs\nmod pairs;\nuse pairs::P;\n";
    check_cases(
        project,
        &[
            ("fn f(p: &P) { let pairs = p; pairs::hook(pairs); }", ("a::f -> a::pairs::hook", "")),
            ("fn f(pairs: &P) { pairs::hook(pairs); }", ("a::f -> a::pairs::hook", "")),
            ("fn f() { g(|pairs: &P| pairs::hook(pairs)); }", ("a::f -> a::pairs::hook", "")),
            ("fn f(pairs: &P) { log!(pairs::hook(pairs)); }", ("a::f -> a::pairs::hook", "")),
            (
                "fn f(pairs: &P) { let pairs: pairs::P = get(); pairs.go(); }",
                ("a::f -> a::pairs::P::go", ""),
            ),
            ("fn f(pairs: &P) { log!(pairs.go()); }", ("a::f -> a::pairs::P::go", "")),
            ("fn f(pairs: &P) { pairs.go(); }", ("a::f -> a::pairs::P::go", "")),
        ],
    );
}

#[test]
fn rust_elements_that_may_be_missing_are_options() {
    let project = r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
use std::collections::HashMap;
pub struct Sel;
impl Sel {
    fn map(self, f: fn(&Sel)) -> Sel { self }
    fn filter(&self) {}
    fn go(&self) {}
    fn next(&self) -> Option<Sel> { None }
}
pub struct Doc { all: HashMap<u32, Sel>, row: Vec<Sel> }
impl Doc { fn row(&self) -> &[Sel] { &self.row } }
"#;
    let wrong = "a::f -> a::Sel::map";
    let go = "a::f -> a::Sel::go";
    check_cases(
        project,
        &[
            ("fn f(d: &Doc) { d.all.values().next().map(|s| s.go()); }", (go, wrong)),
            ("fn f(d: &Doc) { d.all.get(&1).map(|s| s.go()); }", (go, wrong)),
            ("fn f(d: &Doc) { d.row().first().map(|s| s.go()); }", (go, wrong)),
            (
                "fn f(d: &mut Doc) { d.all.remove(&1).filter(|s| s.go()); }",
                (go, "a::f -> a::Sel::filter"),
            ),
            ("fn f(d: &mut Doc) { d.row.pop().unwrap().map(|s| s.go()); }", (wrong, "")),
            ("fn f(d: &mut Doc) { d.row[0].map(|s| s.go()); }", (wrong, "")),
            (
                "fn f(d: &Doc) { if let Some(s) = d.row.iter().find(|s| ok(s)) { s.go(); } }",
                (go, ""),
            ),
            ("fn f(d: &Doc) { while let Some(s) = d.row.iter().next() { s.go(); } }", (go, "")),
            ("fn f(d: &Doc) -> Option<u32> { d.row.last()?.go(); None }", (go, "")),
            (
                "fn f(d: &Doc) { let Some(s) = d.all.get(&1).cloned() else { return }; s.go(); }",
                (go, ""),
            ),
            ("fn f(d: &Doc) { for s in d.row.iter() { s.go(); } }", (go, "")),
            ("fn f(d: &Doc) { match d.row.get(0) { Some(s) => s.go(), None => {} } }", (go, "")),
            ("fn f(d: &mut Doc) { d.row.remove(0).go(); }", (go, "")),
            ("fn f(s: &Sel) { s.next().unwrap().go(); }", (go, "")),
        ],
    );
}

#[test]
fn rust_choices_of_many_functions_name_all_of_them() {
    let arms: String = (0..40).map(|n| format!("{n} => f{n}, ")).collect();
    let functions: String = (0..40).map(|n| format!("fn f{n}() {{}}\n")).collect();
    let graph = graph_of(&format!(
        "//- /Cargo.toml\n[package]\nname = \"a\"\n//- /src/lib.rs\n\
         fn pick(n: u32) -> fn() {{ match n {{ {arms} }} }}\n{functions}"
    ));
    let named = edges(&graph, EdgeKind::References);
    assert_eq!(named.iter().filter(|edge| edge.starts_with("a::pick -> a::f")).count(), 40);
}

/// A crate that exports macros; what stands behind it is the text of another one.
const EXPORTING: &str = r#"
//- /Cargo.toml
[workspace]
members = ["a", "b", "c"]
//- /a/Cargo.toml
[package]
name = "a"
//- /a/src/lib.rs
#[macro_use]
pub mod macros;
pub mod kinds;
pub use kinds::Kind;
//- /a/src/kinds.rs
pub enum Kind { One(u32), Two }
impl Kind { pub const ZERO: u32 = 0; pub fn make() {} }
//- /a/src/macros.rs
/// The current one.
#[macro_export]
macro_rules! current { ($e:expr) => { $e }; }
macro_rules! hidden { ($e:expr) => { $e }; }
//- /c/Cargo.toml
[package]
name = "c"
//- /c/src/lib.rs
#[macro_export]
macro_rules! current { ($e:expr) => { $e }; }
//- /b/Cargo.toml
[package]
name = "b"
//- /b/src/lib.rs
"#;

#[test]
fn rust_macros_of_other_crates_are_called_where_they_are_brought() {
    let (a, c) = ("b::f -> a::macros::current", "b::f -> c::current");
    let inner = "b::near::f -> a::macros::current";
    check_cases(
        EXPORTING,
        &[
            ("use a::current;\nfn f(e: u32) { current!(e); }", (a, c)),
            ("use c::{current, more};\nfn f(e: u32) { current!(e); }", (c, a)),
            ("fn f(e: u32) { a::current!(e); }", (a, c)),
            ("fn f(e: u32) { print!(\"{}\", current!(e)); }\nuse a::current;", (a, c)),
            ("#[macro_use]\nextern crate a;\nfn f(e: u32) { current!(e); }", (a, c)),
            (
                "#[macro_use(current)]\n// Of the view.\nextern crate a;\nfn f(e: u32) { current!(e); }",
                (a, c),
            ),
            (
                "#[cfg(x)]\n#[macro_use]\nextern crate a;\nmod near;\n//- /b/src/near.rs\nfn f(e: u32) { current!(e); }",
                (inner, c),
            ),
            ("extern crate a;\nfn f(e: u32) { current!(e); }", ("", a)),
            ("use a::Kind;\nfn f(e: u32) { current!(e); }", ("", a)),
            ("use a::hidden;\nfn f(e: u32) { hidden!(e); }", ("", "b::f -> a::macros::hidden")),
            (
                "use a::current;\nmacro_rules! current { () => {}; }\nfn f(e: u32) { current!(); }",
                ("b::f -> b::current", a),
            ),
            ("use log::current;\nfn f(e: u32) { log::current!(); }", ("", a)),
        ],
    );
}

#[test]
fn rust_whole_paths_name_the_type_before_their_end() {
    let cases = [
        "fn f() { let k = a::Kind::One(1); }",
        "fn f() { let k = a::kinds::Kind::Two; }",
        "fn f(k: u32) { match k { a::kinds::Kind::Two => {} a::Kind::One(n) => {} } }",
        "fn f() -> u32 { a::Kind::ZERO }",
        "fn f() { log!(a::kinds::Kind::Two); }",
        "use a::Kind;\nfn f() { let k = Kind::Two; }",
    ];
    for case in cases {
        let found = edges(&graph_of(&format!("{EXPORTING}{case}\n")), EdgeKind::References);
        let is_named = |edge: &String| edge.as_str() == "b::f -> a::kinds::Kind";
        assert!(found.iter().any(is_named), "{case}: {found:#?}");
    }
}

#[test]
fn parts_of_a_pattern_among_rust_parameters_have_their_types() {
    let project = "//- /Cargo.toml
[package]
name = \"a\"
//- /src/lib.rs
pub struct Store;
impl Store { pub fn save(&self) {} }
";
    let edge = "a::f -> a::Store::save";
    check_cases(
        project,
        &[
            ("fn f((store, n): (Store, u32)) { store.save(); }", (edge, "")),
            (
                "fn f(all: Vec<(Store, u32)>) { all.iter().for_each(|(store, n)| store.save()); }",
                (edge, ""),
            ),
        ],
    );
}
