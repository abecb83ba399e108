//! Packages: what manifests say, and the edges between a library and its users that follow from it.

use pretty_assertions::assert_eq;
use retriever_graph::NodeQuery;
use retriever_graph_database::{GraphDatabaseServers, RepositoryId, RepositoryScope, packages_of};

use crate::fixture::{ALL, lines, one, snapshot, unique};

/// A library and a user of it; names hold `$`, which is replaced by a word of its own.
struct Pair {
    library: &'static str,
    user: &'static str,
    operation: NodeQuery,
    target: &'static str,
    expected: &'static [&'static str],
}

const PAIRS: &[Pair] = &[
    Pair {
        library: "//- /Cargo.toml\n[package]\nname = \"parcel-$\"\n//- /src/lib.rs\nmod inner;\npub use inner::ship;\n\
                  //- /src/inner.rs\npub fn ship() {}\npub fn hide() {}\n",
        user: "//- /Cargo.toml\n[package]\nname = \"shop\"\n[dependencies]\nparcel-$ = { version = \"^0.1\" }\n\
               //- /src/main.rs\nuse parcel_$::ship;\n\nfn main() {\n    ship();\n    parcel_$::ship();\n}\n",
        operation: NodeQuery::Callers,
        target: "inner::ship",
        expected: &["1 calls shop::main:[4, 5] inferred by cargo parcel_$ ^0.1"],
    },
    Pair {
        library: "//- /go.mod\nmodule example.com/$/parcel\n//- /store/store.go\npackage store\n\ntype Store struct{}\n\n\
                  func (s *Store) Save() {}\n\nfunc Open() *Store { return nil }\n",
        user: "//- /go.mod\nmodule example.com/shop\n\nrequire (\n\texample.com/$/parcel v1.2.0\n)\n//- /main.go\n\
               package main\n\nimport st \"example.com/$/parcel/store\"\n\nfunc run(s *st.Store) {\n\ts.Save()\n}\n\n\
               func main() { run(st.Open()) }\n",
        operation: NodeQuery::Callers,
        target: "Store.Save",
        expected: &["1 calls example.com/shop.run:[6] inferred by go example.com/$/parcel v1.2.0"],
    },
    Pair {
        library: "//- /package.json\n{\"name\": \"@$/store\", \"main\": \"src/index.ts\"}\n//- /src/index.ts\n\
                  export { openStore } from \"./store\";\n//- /src/store.ts\nexport function openStore(): void {}\n\
                  export class Base { openStore(): void {} }\n",
        user: "//- /package.json\n{\"name\": \"app-$\", \"dependencies\": {\"@$/store\": \"~2.0\"}}\n//- /main.ts\n\
               import { openStore } from \"@$/store\";\n\nexport function boot(): void {\n  openStore();\n}\n",
        operation: NodeQuery::Callers,
        target: "store.openStore",
        expected: &["1 calls main.boot:[4] exact by npm @$/store ~2.0"],
    },
    Pair {
        library: "//- /pyproject.toml\n[project]\nname = \"Parcel_$\"\n//- /parcel_$/__init__.py\n\
                  class Ship:\n    def sail(self):\n        pass\n",
        user: "//- /requirements.txt\nparcel-$>=3,<4\n//- /main.py\nfrom parcel_$ import Ship\n\n\n\
               class Boat(Ship):\n    pass\n",
        operation: NodeQuery::Inheritors,
        target: "Ship",
        expected: &["1 inherits main.Boat:[4] exact by pypi parcel-$ >=3,<4"],
    },
    Pair {
        library: "//- /pom.xml\n<project><groupId>org.$</groupId><artifactId>parcel</artifactId></project>\n\
                  //- /src/main/java/org/$/Parcel.java\npackage org.$;\n\npublic class Parcel {\n\
                    public static void ship() {}\n}\n",
        user: "//- /build.gradle\ndependencies { implementation 'org.$:parcel:4.1' }\n//- /src/main/java/Shop.java\n\
               import org.$.Parcel;\n\nclass Shop {\n  void run() {\n    Parcel.ship();\n  }\n}\n",
        operation: NodeQuery::Callers,
        target: "Parcel.ship",
        expected: &["1 calls Shop.run:[5] exact by maven org.$:parcel 4.1"],
    },
    Pair {
        library: "//- /go.mod\nmodule example.com/$/parcel\n//- /store/store.go\npackage store\n\ntype Store struct{}\n\n\
                  func (s *Store) Save() {}\n",
        user: "//- /go.mod\nmodule example.com/shop\n\nrequire example.com/$/parcel v1.2.0\n//- /main.go\n\
               package main\n\nimport \"example.com/$/parcel/store\"\n\nfunc made() *store.Store { return nil }\n\n\
               func run() {\n\ts := made()\n\ts.Save()\n\teach(func(each *store.Store) {\n\t\teach.Save()\n\t})\n}\n",
        operation: NodeQuery::Callers,
        target: "Store.Save",
        expected: &[
            "1 calls example.com/shop.run:[9, 11] inferred by go example.com/$/parcel v1.2.0",
        ],
    },
    Pair {
        library: "//- /pom.xml\n<project><groupId>org.$</groupId><artifactId>parcel</artifactId></project>\n\
                  //- /src/main/java/org/$/Parcel.java\npackage org.$;\n\npublic class Parcel {\n\
                    public void ship() {}\n}\n//- /src/main/java/org/$/deep/Parcel.java\npackage org.$.deep;\n\n\
                  public class Parcel {\n  public void ship() {}\n}\n",
        user: "//- /build.gradle\ndependencies { implementation 'org.$:parcel:4.1' }\n//- /src/main/java/Shop.java\n\
               import java.util.*;\nimport org.$.*;\n\nclass Shop {\n  void run(Parcel parcel) {\n    parcel.ship();\n  }\n}\n",
        operation: NodeQuery::Callers,
        target: "org.$.Parcel.ship",
        expected: &["1 calls Shop.run:[6] inferred by maven org.$:parcel 4.1"],
    },
    Pair {
        library: "//- /composer.json\n{\"name\": \"$/parcel\"}\n//- /src/Parcel.php\n<?php\nnamespace N$;\n\n\
                  class Parcel {\n  public static function ship() {}\n}\n",
        user: "//- /composer.json\n{\"require\": {\"$/parcel\": \"^5\"}}\n//- /shop.php\n<?php\nuse N$\\Parcel;\n\n\
               function run() {\n  Parcel::ship();\n}\n",
        operation: NodeQuery::Callers,
        target: "Parcel.ship",
        expected: &["1 calls run:[5] exact by composer $/parcel ^5"],
    },
    Pair {
        library: "//- /parcel.gemspec\nGem::Specification.new do |spec|\n  spec.name = \"parcel$\"\nend\n//- /lib/parcel.rb\n\
                  module Parcel$\n  def self.ship\n  end\nend\n",
        user: "//- /Gemfile\ngem \"parcel$\", \"~> 6.0\"\n//- /shop.rb\ndef run\n  Parcel$.ship\nend\n",
        operation: NodeQuery::Callers,
        target: "ship",
        expected: &["1 calls run:[2] exact by gem parcel$ ~> 6.0"],
    },
    // The nearest manifest says the versions.
    Pair {
        library: "//- /package.json\n{\"name\": \"deep-$\"}\n//- /index.ts\nexport function dive(): void {}\n",
        user: "//- /package.json\n{\"dependencies\": {\"deep-$\": \"1\"}}\n//- /a/b/package.json\n\
               {\"dependencies\": {\"deep-$\": \"2\"}}\n//- /a/package.json\n{}\n//- /a/b/c/main.ts\n\
               import { dive } from \"deep-$\";\n\nexport function run(): void {\n  dive();\n}\n",
        operation: NodeQuery::Callers,
        target: "dive",
        expected: &["1 calls a/b/c/main.run:[4] exact by npm deep-$ 2"],
    },
    // Who requires nothing has no edge, whatever the names say.
    Pair {
        library: "//- /package.json\n{\"name\": \"lone-$\"}\n//- /index.ts\nexport function open(): void {}\n",
        user: "//- /package.json\n{\"name\": \"other-$\"}\n//- /main.ts\nimport { open } from \"lone-$\";\nopen();\n",
        operation: NodeQuery::Callers,
        target: "open",
        expected: &[],
    },
    // A declaration file that no entry point leads to names what others define.
    Pair {
        library: "//- /package.json\n{\"name\": \"ambient-$\"}\n//- /globals.d.ts\ndeclare global {\n\
                  \u{20} function describe(name: string): void\n}\nexport {}\n",
        user: "//- /package.json\n{\"dependencies\": {\"ambient-$\": \"1\"}}\n//- /main.ts\n\
               import { describe } from \"ambient-$\";\ndescribe(\"a\");\n",
        operation: NodeQuery::Callers,
        target: "describe",
        expected: &[],
    },
    // Which of several overloads is meant is not known.
    Pair {
        library: "//- /pom.xml\n<project><groupId>org.o$</groupId><artifactId>parcel</artifactId></project>\n\
                  //- /src/main/java/org/o$/Parcel.java\npackage org.o$;\n\npublic class Parcel {\n\
                    public static void ship(int a) {}\n  public static void ship(String a) {}\n}\n",
        user: "//- /build.gradle\ndependencies { implementation 'org.o$:parcel:4.1' }\n//- /src/main/java/Shop.java\n\
               import org.o$.Parcel;\n\nclass Shop {\n  void run() {\n    Parcel.ship(\"\");\n  }\n}\n",
        operation: NodeQuery::Callers,
        target: "Parcel.ship",
        expected: &["1 calls Shop.run:[5] inferred by maven org.o$:parcel 4.1"],
    },
    // The number of its arguments tells.
    Pair {
        library: "//- /pom.xml\n<project><groupId>org.n$</groupId><artifactId>parcel</artifactId></project>\n\
                  //- /src/main/java/org/n$/Parcel.java\npackage org.n$;\n\npublic class Parcel {\n\
                    public static void ship(String a, int... more) {}\n  public static void ship(int a) {}\n}\n",
        user: "//- /build.gradle\ndependencies { implementation 'org.n$:parcel:4.1' }\n//- /src/main/java/Shop.java\n\
               import org.n$.Parcel;\n\nclass Shop {\n  void run() {\n    Parcel.ship(\"\", 2, 3);\n  }\n}\n",
        operation: NodeQuery::Callers,
        target: "Parcel.ship",
        expected: &["1 calls Shop.run:[5] exact by maven org.n$:parcel 4.1"],
    },
    // A namespace that the file uses leads to the type, its bare name does not.
    Pair {
        library: "//- /Parcel.csproj\n<Project><PropertyGroup><PackageId>Parcel$</PackageId></PropertyGroup></Project>\n\
                  //- /Ship.cs\nnamespace P$ {\n  public class Ship {\n    public static void Sail(int to) {}\n  }\n}\n",
        user: "//- /Shop.csproj\n<Project><ItemGroup><PackageReference Include=\"Parcel$\" Version=\"3.0\" /></ItemGroup></Project>\n\
               //- /A.cs\nusing System.Text;\nusing P$;\n\nclass A {\n  void Run() { Ship.Sail(1); }\n}\n\
               //- /B.cs\nusing System.Text.Ships;\n\nclass B {\n  void Run() { Ship.Sail(1); }\n}\n",
        operation: NodeQuery::Callers,
        target: "Ship.Sail",
        expected: &["1 calls A.Run:[5] exact by nuget parcel$ 3.0"],
    },
    // A project opens namespaces to all of its files, by one of them or in its own; not to those of another project.
    Pair {
        library: "//- /Parcel.csproj\n<Project><PropertyGroup><PackageId>Parcel$</PackageId></PropertyGroup></Project>\n\
                  //- /Ship.cs\nnamespace P$ {\n  public class Ship {\n    public static void Sail(int to) {}\n  }\n}\n",
        user: "//- /a/A.csproj\n<Project><ItemGroup><PackageReference Include=\"Parcel$\" Version=\"3.0\" /></ItemGroup></Project>\n\
               //- /a/Usings.cs\nglobal using System.Text;\nglobal using P$;\n\
               //- /a/A.cs\nclass A {\n  void Run() { Ship.Sail(1); }\n}\n\
               //- /b/B.csproj\n<Project><ItemGroup><PackageReference Include=\"Parcel$\" Version=\"3.0\" />\
               <Using Include=\"P$\" /></ItemGroup></Project>\n\
               //- /b/B.cs\nclass B {\n  void Run() { Ship.Sail(1); }\n}\n\
               //- /c/C.csproj\n<Project><ItemGroup><PackageReference Include=\"Parcel$\" Version=\"3.0\" /></ItemGroup></Project>\n\
               //- /c/C.cs\nclass C {\n  void Run() { Ship.Sail(1); }\n}\n",
        operation: NodeQuery::Callers,
        target: "Ship.Sail",
        expected: &[
            "1 calls A.Run:[2] exact by nuget parcel$ 3.0",
            "1 calls B.Run:[2] exact by nuget parcel$ 3.0",
        ],
    },
    // The edge of a parameter leads from its type to the function.
    Pair {
        library: "//- /go.mod\nmodule example.com/$/crate\n//- /crate.go\npackage crate\n\ntype Crate struct{}\n",
        user: "//- /go.mod\nmodule example.com/store\n\nrequire example.com/$/crate v1.0.0\n//- /main.go\n\
               package main\n\nimport \"example.com/$/crate\"\n\nfunc fill(c *crate.Crate) {}\n\n\
               func empty() *crate.Crate { return nil }\n",
        operation: NodeQuery::Usages,
        target: "Crate",
        expected: &[
            "1 param_of example.com/store.fill:[5] exact by go example.com/$/crate v1.0.0",
            "1 returns example.com/store.empty:[7] exact by go example.com/$/crate v1.0.0",
        ],
    },
    // An entry point leads to the source that a built file comes from, to another package of the repository, and through
    // namespaces and other names.
    Pair {
        library: "//- /a/package.json\n{\"name\": \"built-$\", \"exports\": {\".\": {\"require\": \"./index.cjs\", \
                  \"types\": \"./dist/index.d.ts\"}, \"./text\": \"./dist/text.js\"}}\n\
                  //- /a/index.cjs\nthrow new Error();\n//- /a/src/public/index.ts\n\
                  export { send as post } from \"inner-$\";\n//- /a/src/text.ts\nimport * as all from \"./words\";\n\
                  export { all };\n//- /a/src/words.ts\nexport function send(): void {}\n\
                  //- /b/package.json\n{\"name\": \"inner-$\", \"main\": \"send.ts\"}\n\
                  //- /b/send.ts\nexport function send(): void {}\n",
        user: "//- /package.json\n{\"dependencies\": {\"built-$\": \"1\"}}\n//- /main.ts\n\
               import { post } from \"built-$\";\nimport { all } from \"built-$/text\";\n\n\
               export function run(): void {\n  post();\n  all.send();\n}\n",
        operation: NodeQuery::Callers,
        target: "inner-$/send.send",
        expected: &["1 calls main.run:[5] exact by npm built-$ 1"],
    },
    // Members of offered types, and of offered values by their types.
    Pair {
        library: "//- /package.json\n{\"name\": \"member-$\", \"main\": \"dist/main.js\"}\n//- /src/main.ts\n\
                  export interface Mock { fn(): void }\nexport const mock: Mock = make();\n\
                  function make(): Mock { return null!; }\nexport class Other { fn(): void {} }\n",
        user: "//- /package.json\n{\"dependencies\": {\"member-$\": \"1\"}}\n//- /main.ts\n\
               import { mock, Mock, Other } from \"member-$\";\n\nexport function run(typed: Mock): void {\n  mock.fn();\n\
               typed.fn();\n  mock().fn();\n  new Other().fn();\n}\n",
        operation: NodeQuery::Callers,
        target: "Mock.fn",
        expected: &["1 calls main.run:[4, 5] inferred by npm member-$ 1"],
    },
    // Swift imports bring the names of a module, which need not be called like the package.
    Pair {
        library: "//- /Package.swift\nimport PackageDescription\nlet package = Package(name: \"parcel-$\", targets: [.target(name: \"P$\")])\n\
                  //- /Sources/P$/ship.swift\npublic func ship(_ count: Int) {}\n\
                  public class Crate {\n  public init() {}\n  public func open() {}\n}\n",
        user: "//- /Package.swift\nimport PackageDescription\nlet package = Package(name: \"shop-$\", dependencies: [\n\
               .package(url: \"https://h.org/o/parcel-$.git\", from: \"2.0.0\"),\n], targets: [.target(name: \"Shop\")])\n\
               //- /Sources/Shop/a.swift\nimport P$\nimport Other\n\nfunc run() {\n  ship(3)\n  P$.ship(4)\n}\n\
               //- /Sources/Shop/b.swift\nimport Other\n\nfunc other() {\n  ship(3)\n}\n",
        operation: NodeQuery::Callers,
        target: "ship",
        expected: &["1 calls run:[5, 6] exact by swift parcel-$ from: \"2.0.0\""],
    },
    Pair {
        library: "//- /Package.swift\nimport PackageDescription\nlet package = Package(name: \"crate-$\", targets: [.target(name: \"C$\")])\n\
                  //- /Sources/C$/crate.swift\npublic class Crate {\n  public init() {}\n  public func open() {}\n}\n",
        user: "//- /Package.swift\nimport PackageDescription\nlet package = Package(name: \"shop-$\", dependencies: [\n\
               .package(url: \"https://h.org/o/crate-$\", .upToNextMinor(from: \"1.2.0\")),\n], targets: [.target(name: \"Shop\")])\n\
               //- /Sources/Shop/a.swift\nimport C$\n\nfunc run() {\n  let crate = Crate()\n  crate.open()\n}\n",
        operation: NodeQuery::Callers,
        target: "Crate.open",
        expected: &["1 calls run:[5] inferred by swift crate-$ .upToNextMinor(from: \"1.2.0\")"],
    },
    // The labels of a call say which function it means; without one that has them it means another package's.
    Pair {
        library: "//- /Package.swift\nimport PackageDescription\nlet package = Package(name: \"crate-$\", targets: [.target(name: \"L$\")])\n\
                  //- /Sources/L$/a.swift\nextension Crate {\n  public func open(text: String) {}\n}\n\
                  //- /Sources/L$/b.swift\npublic class Crate {\n  public init() {}\n\
                  \u{20} public func open<T: Sequence>(_ first: T, at index: Int = 0, then: () -> Void) {}\n}\n",
        user: "//- /Package.swift\nimport PackageDescription\nlet package = Package(name: \"shop-$\", dependencies: [\n\
               .package(url: \"https://h.org/o/crate-$\", from: \"1.2.0\"),\n], targets: [.target(name: \"Shop\")])\n\
               //- /Sources/Shop/a.swift\nimport L$\n\nfunc run() {\n  let crate = Crate()\n  crate.open([1]) { }\n\
               \u{20} crate.open([1], at: 2, then: stop)\n  crate.open(width: 2)\n}\n",
        operation: NodeQuery::Callers,
        target: "Crate.open in b.swift",
        expected: &["1 calls run:[5, 6] inferred by swift crate-$ from: \"1.2.0\""],
    },
    // A closure behind the parentheses goes to a type of another name before to none, and to no list of values.
    Pair {
        library: "//- /Package.swift\nimport PackageDescription\nlet package = Package(name: \"crate-$\", targets: [.target(name: \"L$\")])\n\
                  //- /Sources/L$/a.swift\npublic typealias Handler = () -> Void\npublic class Crate {\n  public init() {}\n\
                  \u{20} public func open(_ depth: Int? = nil, then: Handler? = nil, of size: Int = 0) {}\n}\n",
        user: "//- /Package.swift\nimport PackageDescription\nlet package = Package(name: \"shop-$\", dependencies: [\n\
               .package(url: \"https://h.org/o/crate-$\", from: \"1.2.0\"),\n], targets: [.target(name: \"Shop\")])\n\
               //- /Sources/Shop/a.swift\nimport L$\n\nfunc run() {\n  let crate = Crate()\n  crate.open { }\n\
               \u{20} crate.open(1) { }\n  crate.open(of: 1) { }\n}\n",
        operation: NodeQuery::Callers,
        target: "Crate.open",
        expected: &["1 calls run:[5, 6] inferred by swift crate-$ from: \"1.2.0\""],
    },
    Pair {
        library: "//- /Package.swift\nimport PackageDescription\nlet package = Package(name: \"crate-$\", targets: [.target(name: \"L$\")])\n\
                  //- /Sources/L$/a.swift\npublic class Crate {\n  public init() {}\n\
                  \u{20} public func open(_ sizes: Int..., done: () -> Void) {}\n}\n",
        user: "//- /Package.swift\nimport PackageDescription\nlet package = Package(name: \"shop-$\", dependencies: [\n\
               .package(url: \"https://h.org/o/crate-$\", from: \"1.2.0\"),\n], targets: [.target(name: \"Shop\")])\n\
               //- /Sources/Shop/a.swift\nimport L$\n\nfunc run() {\n  let crate = Crate()\n  crate.open { }\n\
               \u{20} crate.open(1, 2) { }\n  crate.open(1)\n}\n",
        operation: NodeQuery::Callers,
        target: "Crate.open",
        expected: &["1 calls run:[5, 6] inferred by swift crate-$ from: \"1.2.0\""],
    },
    // What is offered twice under a name, or is a member of a type, is not what an import of the bare name means.
    Pair {
        library: "//- /package.json\n{\"name\": \"twice-$\"}\n//- /a.ts\nexport function send(): void {}\n\
                  //- /b.ts\nexport function send(): void {}\n//- /c.ts\nexport class C { post(): void {} }\n",
        user: "//- /package.json\n{\"dependencies\": {\"twice-$\": \"1\"}}\n//- /main.ts\n\
               import { send, post } from \"twice-$\";\nsend();\npost();\n",
        operation: NodeQuery::Callers,
        target: "C.post",
        expected: &[],
    },
];

pub(crate) async fn edges_cross_repositories(servers: &GraphDatabaseServers) {
    for (number, pair) in PAIRS.iter().enumerate() {
        let word = unique("w").replace('-', "x");
        let named = |text: &str| text.replace('$', &word);
        let (library, user) = (unique("library"), unique("user"));
        // The order must not matter.
        let mut both =
            [snapshot(&library, &named(pair.library)), snapshot(&user, &named(pair.user))];
        both.rotate_left(number % 2);
        for snapshot in &both {
            servers.publish(snapshot).await.unwrap();
        }
        let question = servers.question();
        let scope = RepositoryScope::Only(vec![RepositoryId::of(&library)]);
        let target = one(&question, &scope, &named(pair.target)).await;
        let page = question.related(pair.operation, &target, 1, ALL).await;
        let mut found = lines(&page);
        found.retain(|line| line.contains(" by ") || pair.expected.is_empty());
        let expected: Vec<String> = pair.expected.iter().map(|line| named(line)).collect();
        assert_eq!(found, expected, "{}", named(pair.user));
        // The same edge from its other end.
        let Some(edge) = page.items.iter().find(|item| item.package.is_some()) else { continue };
        let from = [edge.node.clone()];
        if pair.operation == NodeQuery::Callers {
            let callees = question.related(NodeQuery::Callees, &from, 1, ALL).await;
            assert!(callees.items.iter().any(|item| item.node == target[0]), "{callees:?}");
            let trace = question.trace(&from, &target).await;
            let by: Vec<bool> = trace.steps.iter().map(|step| step.package.is_some()).collect();
            assert_eq!(by, [false, true], "{trace:?}");
        }
    }
}

#[test]
fn manifests_say_what_is_published_and_required() {
    for (path, text, expected) in [
        (
            "a/Cargo.toml",
            "[package]\nname = \"a-b\"\n[dependencies]\nx = \"1\"\ny = { package = \"z\", version = \"2\" }\n\
             [target.'cfg(unix)'.dev-dependencies]\nw = { path = \"../w\" }\n[lib]\nname = \"ab\"\n",
            &["cargo a_b in a as ab", "cargo w in a *", "cargo x in a 1", "cargo z in a 2 as y"][..],
        ),
        (
            "go.mod",
            "module m.org/a // x\nrequire m.org/b v1\nrequire (\n\tm.org/c v2 // indirect\n)\n",
            &["go m.org/a in ", "go m.org/b in  v1", "go m.org/c in  v2"],
        ),
        (
            "package.json",
            "{\"name\": \"@a/b\", \"devDependencies\": {\"c\": \"^1\", \"d\": \"npm:e@2\"}}",
            &["npm @a/b in ", "npm c in  ^1", "npm e in  2 as d"],
        ),
        (
            "pyproject.toml",
            "[project]\nname = \"A.B\"\ndependencies = [\"c[x]>=1; python_version<'4'\", \"d\"]\n\
             [tool.poetry.dependencies]\npython = \"^3\"\ne = { version = \"^2\" }\n",
            &["pypi a-b in ", "pypi c in  >=1", "pypi d in  *", "pypi e in  ^2"],
        ),
        (
            "pom.xml",
            "<project><parent><groupId>g</groupId><artifactId>p</artifactId></parent><artifactId>a</artifactId>\
             <dependencies><dependency><groupId>h</groupId><artifactId>b</artifactId><version>1</version></dependency>\
             <dependency><groupId>h</groupId><artifactId>c</artifactId><version>${c.version}</version></dependency>\
             <dependency><groupId>h</groupId><artifactId>d</artifactId><version>${elsewhere}</version></dependency>\
             </dependencies><properties><c.version>2</c.version></properties></project>",
            &["maven g:a in ", "maven h:b in  1", "maven h:c in  2", "maven h:d in  *"],
        ),
        (
            "src/A.B.csproj",
            "<Project><ItemGroup><PackageReference Include=\"C\" Version=\"1\" /></ItemGroup></Project>",
            &["nuget a.b in src", "nuget c in src 1"],
        ),
        (
            "a.gemspec",
            "Gem::Specification.new do |s|\n  s.name = 'a'\n  s.add_dependency 'b', '>= 1', '< 2'\nend\n",
            &["gem a in ", "gem b in  >= 1, < 2"],
        ),
        (
            "Package.swift",
            "let package = Package(\n  name: \"A\",\n  dependencies: [\n    .package(url: \"https://h.org/o/B.git\", from: \"1.0.0\"),\n\
               .package(url: \"https://h.org/o/C\", .upToNextMajor(from: \"2.0.0\")),\n\
               .package(url: \"https://h.org/o/D\", \"1.0.0\"..<\"3.0.0\"), .package(path: \"../E\"),\n  ])\n",
            &[
                "swift a in ",
                "swift b in  from: \"1.0.0\"",
                "swift c in  .upToNextMajor(from: \"2.0.0\")",
                "swift d in  \"1.0.0\"..<\"3.0.0\"",
                "swift e in  *",
            ],
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"a\\u0000b\"\n[lib]\nname = \"x\"\n[dependencies]\nc = { package = \"c\\nd\" }\ne = \"1\"\n",
            &["cargo e in  1"],
        ),
        ("Cargo.toml", "not [ toml", &[]),
        ("package.json", "{", &[]),
        ("src/main.rs", "", &[]),
    ] {
        let line = |it: retriever_graph_database::PackageMention| {
            let range = it.requires.map(|range| format!(" {range}"));
            let alias = it.alias.map(|alias| format!(" as {alias}"));
            let (range, alias) = (range.unwrap_or_default(), alias.unwrap_or_default());
            format!("{} {} in {}{range}{alias}", it.ecosystem, it.name, it.folder)
        };
        let found: Vec<String> = packages_of(path, text).into_iter().map(line).collect();
        assert_eq!(found, expected, "{path}");
    }
}
