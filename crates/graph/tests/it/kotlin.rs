//! The code graph of Kotlin: function literals with receivers, properties beside functions, declarations with bodies on
//! several platforms, and what must stay unbound.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, NodeKind};

use crate::support::{check_cases, check_some, edges, graph_of};

#[test]
fn bare_calls_in_function_literals_reach_the_receiver() {
    check_some(
        r"
//- /Route.kt
package app

class Route { fun get(path: String) {}; fun nested(build: Route.() -> Unit) {} }
fun Route.post(path: String) {}
class Config { var level: Int = 0; fun allow(name: String) {} }
class Site {
    fun get(path: String) {}
    fun start() {}
    fun direct() = Route().apply { get(start()) }
    fun given(route: Route) = with(route) { post(path()) }
    fun ran(route: Route?) { route?.run { get(path()) } }
    fun passed(route: Route) { route.let { get(path()) } }
    fun path() = path2()
    fun path2() = 1
    fun labelled(route: Route) = route.apply { this@Site.start() }
    fun own(route: Route) = route.apply { this.post(path2()) }
}
abstract class Suite {
    abstract fun Config.prepare(name: String)
    fun test() { configured(Config()) { prepare(4) } }
}
class Other { fun Config.prepare(name: String) {} }
fun routing(depth: Int = 1, build: Route.() -> Unit) {}
fun <T> configured(value: T, build: T.() -> Unit) {}
fun <T> T.tuned(times: Int, build: T.(Int) -> Unit) {}
fun plain(build: (Route) -> Unit) {}
fun outer() { routing { get(1); nested { post(2) } } }
fun generic() { configured(Config()) { allow(3) } }
fun extended(config: Config) { config.tuned(2) { allow(it) } }
fun plainly() { plain { allow(4); get(5) } }
fun allow(n: Int) {}
",
        &[
            "app.Site.direct -> app.Route.get",
            "app.Site.direct -> app.Site.start",
            "app.Site.given -> app.Route.post",
            "app.Site.given -> app.Site.path",
            "app.Site.ran -> app.Route.get",
            "app.Site.passed -> app.Site.get",
            "app.Site.labelled -> app.Site.start",
            "app.Site.own -> app.Route.post",
            "app.outer -> app.Route.get",
            "app.outer -> app.Route.nested",
            "app.outer -> app.Route.post",
            "app.generic -> app.Config.allow",
            "app.extended -> app.Config.allow",
            "app.plainly -> app.allow",
            "app.Suite.test -> app.Suite.Config.prepare",
        ],
        &[
            "app.Site.direct -> app.Site.get",
            "app.Site.ran -> app.Site.get",
            "app.Site.passed -> app.Route.get",
            "app.plainly -> app.Route.get",
            "app.plainly -> app.Config.allow",
            "app.Suite.test -> app.Other.Config.prepare",
        ],
    );
}

#[test]
fn values_that_cannot_be_called_hide_no_functions() {
    check_some(
        r"
//- /Ping.kt
package net

class Channel<T>
interface Session
class Act { operator fun invoke(n: Int) {} }
fun Session.beat(n: Int): Channel<Int> = Channel()
fun size(n: Int) = n
fun act(n: Int) = n
fun close(n: Int) = n
class Ping(val close: (Int) -> Unit, val act: Act) : Session {
    private val beat = elsewhere<Channel<Int>?>(null)
    private val size: Int = 1
    fun run() { beat(3) }
    fun sized() = size(2)
    fun acts() { act(2) }
    fun closes() { close(2) }
    fun local() { val size = size(1); size(size) }
}
",
        &[
            "net.Ping.run -> net.Session.beat",
            "net.Ping.sized -> net.size",
            "net.Ping.acts -> net.Act.invoke",
            "net.Ping.local -> net.size",
        ],
        &["net.Ping.acts -> net.act", "net.Ping.closes -> net.close"],
    );
}

#[test]
fn unknown_values_have_no_extensions_of_the_types_around() {
    check_some(
        r"
//- /Session.kt
package net

interface Session
fun Session.close(reason: Int = 1) {}
class Impl(val raw: Session) : Session {
    private val held = elsewhere(null)
    fun String.quoted() = this
    fun run() { held.swap(1)?.close() }
    fun own() { close() }
    fun known() { raw.close() }
    fun quote() { held.text().quoted() }
}
",
        &[
            "net.Impl.own -> net.Session.close",
            "net.Impl.known -> net.Session.close",
            "net.Impl.quote -> net.Impl.String.quoted",
        ],
        &["net.Impl.run -> net.Session.close"],
    );
}

#[test]
fn a_type_that_is_named_as_a_value_is_no_factory() {
    let project = r"
//- /Plug.kt
package app

interface Key<T>
class Plug internal constructor(val n: Int) { companion object : Key<Plug> }
fun Plug(text: String): Plug = Plug(text.length)
fun <T> install(key: Key<T>) {}
fun makes() = Plug(text())
fun installs() { install(Plug) }
fun hands() { install(::text) }
fun text() = elsewhere()
";
    let graph = graph_of(project);
    let handed: Vec<(String, NodeKind)> = graph
        .edges()
        .filter(|edge| edge.kind == EdgeKind::References)
        .filter_map(|edge| {
            let (from, to) = (graph.node(edge.from)?, graph.node(edge.to)?);
            Some((format!("{} -> {}", from.name, to.name), to.kind))
        })
        .filter(|(edge, _)| edge.starts_with("installs") || edge.starts_with("hands"))
        .collect();
    let expected = [("installs -> Plug", NodeKind::Class), ("hands -> text", NodeKind::Function)];
    assert_eq!(handed, expected.map(|(edge, kind)| (edge.to_owned(), kind)));
}

#[test]
fn declarations_and_their_bodies_on_platforms_are_joined() {
    let project = r"
//- /common/src/Check.kt
package app
expect fun should(x: Int): Boolean
expect fun other(x: Int): Boolean
expect class Codec() { fun encode(x: Int): Int }
fun use(codec: Codec) { if (should(2)) codec.encode(3) }
//- /common/src/More.kt
package app
fun more() { should(4) }
//- /jvm/src/Check.kt
package app
actual fun should(x: Int): Boolean = helper(x)
actual fun other(x: Long): Boolean = true
actual class Codec { actual fun encode(x: Int): Int = x; fun own() = encode(1) }
fun helper(x: Int) = x > 1
//- /jvm/src/Here.kt
package app
fun here() { should(5) }
//- /js/src/Check.kt
package app
actual fun should(x: Int): Boolean = false
actual class Codec { actual fun encode(x: Int): Int = x }
";
    let graph = graph_of(project);
    let place = |id| graph.node(id).map(|node| (node.path.clone(), node.name.clone()));
    let joined: Vec<String> = graph
        .edges()
        .filter(|edge| {
            edge.kind == EdgeKind::Implements
                || edge.kind == EdgeKind::Calls
                    && place(edge.to).is_some_and(|(_, name)| name != "helper")
        })
        .filter_map(|edge| {
            let ((from, caller), (to, callee)) = (place(edge.from)?, place(edge.to)?);
            Some(format!("{} {caller} {from} -> {callee} {to}", edge.kind))
        })
        .collect();
    let mut joined = joined;
    joined.sort();
    assert_eq!(
        joined,
        [
            "calls here jvm/src/Here.kt -> should jvm/src/Check.kt",
            "calls more common/src/More.kt -> should common/src/Check.kt",
            "calls own jvm/src/Check.kt -> encode jvm/src/Check.kt",
            "calls use common/src/Check.kt -> encode common/src/Check.kt",
            "calls use common/src/Check.kt -> should common/src/Check.kt",
            "implements Codec js/src/Check.kt -> Codec common/src/Check.kt",
            "implements Codec jvm/src/Check.kt -> Codec common/src/Check.kt",
            "implements encode js/src/Check.kt -> encode common/src/Check.kt",
            "implements encode jvm/src/Check.kt -> encode common/src/Check.kt",
            "implements should js/src/Check.kt -> should common/src/Check.kt",
            "implements should jvm/src/Check.kt -> should common/src/Check.kt",
        ],
    );
}

#[test]
fn a_literal_behind_a_call_is_the_last_argument() {
    let project = r"
//- /Build.kt
package app

class Route { fun get(path: String) {} }
class Builder {
    var name: String = elsewhere()
    var build: Route.() -> Unit = {}
    var done: (Int) -> Unit = {}
}
fun site(configure: Builder.() -> Unit) = Builder().apply(configure)
fun routing(name: String = elsewhere(), build: Route.() -> Unit) = site {
    this.name = name
    this.build = build
}
fun on(handler: Route, done: (Int) -> Unit) {
    Builder().done = done
}
fun handled(route: Route, done: (Int) -> Unit) = on(route, done)
fun handle(): Route = Route()
fun finish(code: Int) {}
fun register() = on(::handle, ::finish)
fun run() { routing { get(1) } }
fun shown(builder: Builder) = builder.name()
";
    let graph = graph_of(project);
    let mut kept: Vec<String> = graph
        .edges()
        .filter(|edge| edge.kind == EdgeKind::Triggers)
        .filter_map(|edge| {
            let (from, to) = (graph.node(edge.from)?, graph.node(edge.to)?);
            Some(format!("{} -> {}", from.name, to.name))
        })
        .filter(|edge| ["name", "build", "done"].iter().any(|field| edge.starts_with(field)))
        .collect();
    kept.sort();
    assert_eq!(kept, ["build -> run", "done -> finish"]);
}

#[test]
fn a_type_parameter_is_bound_through_what_a_value_builds_on() {
    check_some(
        r"
//- /Parts.kt
package app

interface Part<C : Any, P : Any> { fun add(configure: C.() -> Unit): P }
interface Simple<C : Any> : Part<C, Unit>
class Given<C : Any> : Simple<C> { override fun add(configure: C.() -> Unit) {} }
class Limits { fun cap(size: Int) {} }
class Marks { fun cap(size: Int) {} }
class Times { fun cap(size: Int) {} }
class Site
val Limited: Given<Limits> = Given()
object Marked : Simple<Marks> { override fun add(configure: Marks.() -> Unit) {} }
class Clock {
    companion object : Part<Times, Clock> {
        override fun add(configure: Times.() -> Unit): Clock { return Clock() }
    }
}
fun <C : Any, P : Any> Site.install(part: Part<C, P>, configure: C.() -> Unit = {}): P = part.add(configure)
fun value(site: Site) { site.install(Limited) { cap(1) } }
fun single(site: Site) { site.install(Marked) { cap(1) } }
fun companion(site: Site) { site.install(Clock) { cap(1) } }
fun inner(site: Site) { site.apply { install(Limited) { cap(1) } } }
",
        &[
            "app.value -> app.Limits.cap",
            "app.single -> app.Marks.cap",
            "app.companion -> app.Times.cap",
            "app.inner -> app.Limits.cap",
        ],
        &["app.value -> app.Marks.cap", "app.single -> app.Times.cap"],
    );
}

/// What each case declares below what the grammar misreads is called.
#[test]
fn what_the_grammar_misreads_hides_nothing_below() {
    let project = r"
//- /Below.kt
package app

fun leaf() {}
//- /Case.kt
package app

";
    let below = "\nclass Below { fun run() { leaf() } }";
    let cases = [
        "class Held<T>\n@Known internal constructor(@Known val of: Any?) {\n    fun a() {}\n}",
        "class Held<in T, out R>\n@Known(level = 1)\n@Other private constructor(val of: Any?)",
        "class Held\n@Known\ninternal constructor(val of: Any?) {\n    fun a() {}\n}",
        "class Held {\n    fun a() {\n        val later = suspend { 1 }\n    }\n}",
        "class Held {\n    fun a() = b(suspend = true)\n}",
        "class Held {\n    fun a(suspend: (Int) -> Boolean) {\n        if (suspend(1)) return\n    }\n}",
        "class Held {\n    fun a(name: String) = name == $$\"one$Two\"\n}",
        "class Held {\n    val a = $$\"\"\"{\"of\": \"$one\"}\"\"\"\n}",
        "object Held {\n    var a: Int\n        get() = 1\n        @Known // why\n        set(value) { b(value) }\n}",
        "annotation class Mark\n@Known\nannotation class Other",
        "class Held(val one: Int) : Base() {\n    val a: Held.Of\n        field = Held.Of(leaf())\n\n    @Known\n    interface Of { fun b(): Held }\n}",
        "fun a() { val o = object : One { override fun go() { more() }; fun more() {} }; o.go() }",
    ];
    let cases = cases.map(|case| format!("{case}{below}"));
    let marks = graph_of(&format!("{project}@Known(level = 1)\nannotation class Mark"));
    let marks: Vec<_> = marks.symbols("Case.kt").into_iter().map(|id| marks.node(id)).collect();
    assert!(marks.iter().flatten().any(|node| node.qname == "app.Mark"), "{marks:?}");
    let edge = ("app.Below.run -> app.leaf", "");
    check_cases(project, &cases.each_ref().map(|case| (case.as_str(), edge)));
}

#[test]
fn parts_of_kotlin_pairs_keep_their_places() {
    let project = "//- /a.kt\npackage p\nclass Near { fun go() {} }\nclass Far { fun go() {} }\n\
                   fun two(): Pair<Near, Far> = Pair(Near(), Far())\n";
    let far = ("p.run -> p.Far.go", "p.run -> p.Near.go");
    check_cases(
        project,
        &[
            ("fun run() { val (_, it) = two(); it.go() }", far),
            ("fun run() { two().second.go() }", far),
            ("fun run(all: List<Pair<Near, Far>>) { for ((_, it) in all) it.go() }", far),
            ("fun run(all: List<Pair<Near, Far>>) { all.forEach { (_, it) -> it.go() } }", far),
            ("fun run() { val f: Triple<Near, Near, Far>? = null; f?.third?.go() }", far),
            (
                "fun each(f: (Near, Pair<Near, Far>) -> Unit) {}\nfun run() { each { _, (_, it) -> it.go() } }",
                far,
            ),
        ],
    );
}

#[test]
fn extensions_of_a_plain_value_are_not_those_of_another() {
    let project = "//- /a.kt\npackage p\nfun Char.again(n: Int) = n\nfun Byte.cut(n: Int) = n\n";
    let (char, byte) = ("p.run -> p.Char.again", "p.run -> p.Byte.cut");
    check_cases(
        project,
        &[
            ("fun run(one: Char) { one.again(3) }", (char, byte)),
            ("fun run(text: String) { text.again(3) }", ("", char)),
            ("fun run() { \"a\".again(3) }", ("", char)),
            ("fun run(all: ByteArray) { all.cut(3) }", ("", byte)),
            ("fun run(one: Byte) { one.cut(3) }", (byte, char)),
        ],
    );
}

#[test]
fn annotated_declarations_of_a_file_are_no_expressions() {
    let project = r#"
//- /acme/Shop.kt
package acme
fun check() {}
"#;
    let cases = [
        (
            "@OptIn(Api::class)\n@Dsl\nopen class Shop protected constructor() {\n    fun go() { check() }\n    @Dsl\n    companion object { fun init() = Shop() }\n}",
            ("acme.Shop.go -> acme.check", ""),
        ),
        (
            "@Route(\"/a\")\nclass Shop {\n    @Route(\"/b\")\n    class Part(val up: Shop = Shop())\n    fun go() { check() }\n}",
            ("acme.Shop.go -> acme.check", ""),
        ),
        (
            "@OptIn(Api::class)\nexpect object Shop {\n    fun go() { check() }\n}",
            ("acme.Shop.go -> acme.check", ""),
        ),
        (
            "class Shop\n@OptIn(Api::class)\n@Dsl\ninternal fun Shop.go() {\n    check()\n}",
            ("acme.Shop.go -> acme.check", ""),
        ),
    ];
    check_cases(project, &cases);
    for (case, _) in cases {
        let graph = graph_of(&format!("{project}{case}\n"));
        assert!(graph.nodes().any(|node| node.qname == "acme.Shop"), "{case}");
    }
}

#[test]
fn extensions_of_other_packages_are_seen_where_they_are_imported() {
    let project = r"
//- /acme/App.kt
package acme
class App { fun load(part: Any) {} }
fun app(block: App.() -> Unit) {}
//- /ext/Ext.kt
package ext
import acme.App
fun <T : Any> App.part(): Int = 1
//- /dsl/Dsl.kt
package dsl
fun part(block: () -> Unit) {}
//- /near/Near.kt
package near
import acme.App
fun <T : Any> App.part(): Int = 2
//- /more/More.kt
package more
class Other
fun Other.part(): Int = 1
//- /dsl/Use.kt
package dsl
import acme.App
import acme.app
";
    let extension = "dsl.use -> ext.App.part";
    let own = "dsl.use -> dsl.part";
    check_cases(
        project,
        &[
            ("fun use() { app { load(part { }) } }", (own, extension)),
            ("import ext.part\nfun use() { app { load(part<Int>()) } }", (extension, "")),
            ("import ext.*\nfun use() { app { load(part<Int>()) } }", (extension, "")),
            ("fun use(app: App) { app.part<Int>() }", ("", extension)),
            (
                "import dsl.part\nimport kotlin.test.*\nfun use() { app { load(part { }) } }",
                (own, extension),
            ),
            ("import ext.part\nfun use(app: App) { app.part<Int>() }", (extension, "")),
            ("import kotlin.test.*\nfun use(app: App) { app.part<Int>() }", ("", extension)),
            (
                "import more.part\nimport ext.*\nfun use(app: App) { app.part<Int>() }",
                (extension, ""),
            ),
            (
                "import outside.part\nimport ext.*\nfun use(app: App) { app.part<Int>() }",
                (extension, ""),
            ),
            ("import outside.part\nimport ext.*\nfun use() { app { part() } }", ("", extension)),
            (
                "import near.part\nimport ext.*\nfun use(app: App) { app.part<Int>() }",
                ("dsl.use -> near.App.part", extension),
            ),
        ],
    );
}

#[test]
fn a_constructor_below_the_head_of_its_class_loses_no_member() {
    let heads = [
        "class Box\nactual constructor(",
        "class Box\ninternal actual constructor(",
        "actual class Box\n@Throws(Gone::class) internal actual constructor(",
        "class Box<T : Any>\n    actual\n    internal constructor(",
        "expect class Box\nexpect constructor(",
        "class Box\nprivate\nconstructor(",
        "class Box\n@Inject\ninternal constructor(",
        "class Box\n@Named(\"a b\") constructor(",
        "class Box\nprivate @Inject constructor(",
        "class Box<T>\nconstructor(",
        "class Box\n\n    constructor(",
    ];
    let tails = [") {", ")\n    : Base(), Shape {", ") :\n    Base(),\n    Shape {"];
    let mut wrong = Vec::new();
    for (head, tail) in heads.iter().flat_map(|head| tails.map(|tail| (head, tail))) {
        for parameter in ["val size: Int", "size: Int"] {
            let head = format!("{head}{parameter}{tail}");
            let graph = graph_of(&format!(
                "//- /Box.kt\npackage app\nfun far() = 1\n{head}\n  fun open() = near()\n  fun near() = far()\n}}\n"
            ));
            let calls = edges(&graph, EdgeKind::Calls);
            if calls != ["app.Box.near -> app.far", "app.Box.open -> app.Box.near"] {
                wrong.push((head, calls));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Inside of another class it could be one of that class.
    for (head, tail) in heads.iter().flat_map(|head| tails.map(|tail| (head, tail))) {
        let nested = format!("{head}size: Int{tail}").replace('\n', "\n  ");
        let graph = graph_of(&format!(
            "//- /Box.kt
package app
class Room {{
  {nested}
    fun open() = near()
    fun near() = 1
  }}
  fun enter() = leave()
  fun leave() = 1
}}
class Hall {{ fun close() = shut() }}
fun shut() = 1
"
        ));
        let calls = edges(&graph, EdgeKind::Calls);
        let expected = [
            "app.Hall.close -> app.shut",
            "app.Room.Box.open -> app.Room.Box.near",
            "app.Room.enter -> app.Room.leave",
        ];
        if calls != expected {
            wrong.push((nested, calls));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
