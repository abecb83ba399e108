//! Swift in the code graph: labels tell functions apart, extensions add to types of the repository and to others, targets
//! keep their names to themselves, and what comes from elsewhere stays unbound.

use std::{fs, path::Path, sync::Arc};

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, indexing::GraphIndex};
use retriever_workspace::{Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig};

use crate::support::{check, check_cases, edges, graph_of};

#[test]
fn swift_gives_functions_to_no_parameter_that_wants_a_protocol() {
    check(
        r#"
//- /Sources/Rows/Rows.swift
protocol Taker { func take() }
protocol Rows { }
extension Rows {
  func visit(_ take: @escaping (Int) -> Void) {}
}
class List: Rows {
  func visit<T: Taker>(_ taker: T) { taker.take() }
  func run(_ taker: Kept) {
    let take: (Int) -> Void = { _ in }
    visit(take)
    visit { _ in }
  }
  func keep(_ taker: Kept) { visit(taker) }
}
class Kept: Taker { func take() {} }
"#,
        &["List.visit -> Taker.take", "List.keep -> List.visit", "List.run -> Rows.visit"],
    );
}

#[test]
fn swift_tells_functions_apart_by_labels_then_by_types() {
    check(
        r#"
//- /Sources/Net/Session.swift
protocol Monitor {
  func request(_ request: Request, didCreateTask task: Task)
  func request(_ request: Request, didSuspendTask task: Task)
}
extension Monitor {
  func request(_ request: Request, didCreateTask task: Task) {}
}
class Request { func task(for url: String) -> Task { Task() } ; var task: Task? }
class Upload: Request {}
struct Task { func resume() {} }
class Session {
  var monitor: (any Monitor)?
  let queue = Queue()
  init(name: String = "", monitor: (any Monitor)? = nil) {}
  convenience init(size: Int) { self.init(name: "x") }
  func perform(_ request: Request) { request.task(for: "u").resume(); request.task?.resume() }
  func perform(_ upload: Upload, again: Bool = false) { perform(upload as Request) }
  func start(_ request: Request, _ upload: Upload, completion: (Request) -> Void) {
    monitor?.request(request, didCreateTask: request.task(for: "u"))
    monitor?.request(request, didSuspendTask: Task())
    perform(request)
    queue.async { self.perform(upload, again: true) }
    queue.read { $0.run() } then: { error in error.go() }
    completion(request)
  }
}
struct Queue {
  func async(_ work: () -> Void) {}
  func read(from: Int = 0, _ work: (Worker) -> Void, then: (Failure) -> Void) {}
}
struct Worker { func run() {} }
struct Failure { func go() {} }
func make() -> Session { Session(size: 3) }
let shared = Session()
"#,
        &[
            "Session.init -> Session.init",
            "Session.perform -> Request.task",
            "Session.perform -> Session.perform",
            "Session.perform -> Task.resume",
            "Session.perform -> Task.resume ~",
            "Request.task -> Task",
            "Session.queue -> Queue",
            "Session.start -> Failure.go ~",
            "Session.start -> Monitor.request",
            "Session.start -> Queue.async ~",
            "Session.start -> Queue.read ~",
            "Session.start -> Request.task",
            "Session.start -> Session.perform",
            "Session.start -> Task",
            "Session.start -> Worker.run ~",
            "make -> Session.init",
            "shared -> Session.init",
        ],
    );
}

#[test]
fn swift_leaves_calls_of_outside_types_alone() {
    check(
        r#"
//- /Sources/App/App.swift
import Foundation
extension String { init(shape: Shape) { self = "" } ; func shout() -> String { self } }
extension Array { func second() -> Int { 1 } }
extension Error { func asShape() -> Shape { Shape() } }
struct Shape { func map(_ f: (Int) -> Int) -> Shape { self } ; func data() {} ; func cancel() {} }
class Task: Operation {
  var completion: ((Int) -> Void)?
  func cancel() { super.cancel(); self.stop() }
  func finish(completion: (Int) -> Void) { completion(1) }
  func show(_ shape: Shape?, other: Thing, list: [Shape]) throws {
    _ = String(3); _ = String(describing: 3); _ = String(shape: Shape())
    shape.map { $0.data() }; shape?.map { $0 }
    other.data(); other.cancel(); "a".shout(); "a".lowercased(); list.second()
    list.forEach { $0.data() }
    do { try save() } catch { error.asShape().data() }
    if case let .failure(why) = load() { why.asShape() }
  }
  func save() throws {}
  func load() -> Result<Int, any Error> { .success(1) }
}
enum Kind { case lowercased(Int) ; case data }
"#,
        &[
            "Error.asShape -> Shape",
            "Task.show -> Shape",
            "Task.show -> Shape.data ~",
            "Task.show -> Shape.map",
            "Task.show -> Task.load",
            "Task.show -> Task.save",
            "Task.show -> Array.second",
            "Task.show -> Error.asShape",
            "Task.show -> Error.asShape ~",
            "Task.show -> String.init",
            "Task.show -> String.shout",
        ],
    );
}

#[test]
fn swift_keeps_targets_apart_and_finds_what_they_import() {
    check(
        r#"
//- /Package.swift
// swift-tools-version:5.5
import PackageDescription
let package = Package(name: "Kit", targets: [
  .target(name: "Core", path: "Source"),
  .target(name: "Extra", dependencies: [.target(name: "Core")]),
  .testTarget(name: "CoreTests", dependencies: ["Core"], path: "Tests"),
])
//- /Source/A.swift
public struct Client { public init() {} ; public func send() { helper() } }
private func helper() {}
public let AF = Client()
//- /Source/B.swift
func helper() {}
func both() { helper(); Client().send() }
//- /Sources/Extra/C.swift
import Core
struct Wrapper<Value: Sender> {
  let value: Value
  let client: Client
  func go() { value.send(); client.send(); AF.send(); Core.AF.send(); helper() }
}
protocol Sender { associatedtype Output; func send() -> Self }
extension Wrapper where Value == Int { func stop() { go(); Self.make().go() } ; static func make() -> Self { fatalError() } }
actor Store: Sender { func send() -> Self { self } ; subscript(at: Int) -> Client { Client() } }
//- /Tests/T.swift
@testable import Core
extension Client { func send(twice: Bool) { send() } }
func helper() {}
func test() { both(); helper(); Client().send(twice: true) }
"#,
        &[
            "Core.AF -> Core.Client.init",
            "Core.Client.send -> Core.helper",
            "Core.both -> Core.Client.init",
            "Core.both -> Core.Client.send ~",
            "Core.both -> Core.helper",
            "CoreTests.Client.send -> Core.Client.send",
            "CoreTests.test -> Core.Client.init",
            "CoreTests.test -> Core.both",
            "CoreTests.test -> CoreTests.Client.send ~",
            "CoreTests.test -> CoreTests.helper",
            "Extra.Store.subscript -> Core.Client.init",
            "Extra.Wrapper.go -> Core.Client.send",
            "Extra.Wrapper.go -> Core.Client.send ~",
            "Extra.Wrapper.go -> Extra.Sender.send",
            "Extra.Wrapper.stop -> Extra.Wrapper.go",
            "Extra.Wrapper.stop -> Extra.Wrapper.go ~",
            "Extra.Wrapper.stop -> Extra.Wrapper.make",
        ],
    );
}

#[test]
fn swift_overrides_pair_by_labels() {
    let graph = graph_of(
        r#"
//- /Sources/Net/Monitor.swift
protocol Monitor {
  func request(_ request: Int, didCreateTask task: Int)
  func request(_ request: Int, didSuspendTask task: Int)
}
class Printer: Monitor {
  func request(_ request: Int, didCreateTask task: Int) {}
  func request(_ request: Int, didSuspendTask task: Int) {}
}
"#,
    );
    let implements = graph.edges().filter(|edge| edge.kind == EdgeKind::Implements);
    let line = |id| graph.node(id).unwrap().start;
    let pairs: Vec<(u32, u32)> = implements.map(|edge| (line(edge.from), line(edge.to))).collect();
    assert_eq!(pairs, [(5, 1), (6, 2), (7, 3)]);
}

#[test]
fn swift_targets_follow_the_manifest_of_a_folder() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("swift_targets");
    fs::create_dir_all(root.join("Source/Kit")).unwrap();
    fs::write(root.join("Source/Kit/Client.swift"), "public struct Client {}\n").unwrap();
    let (config, traits) = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open(&root, &config, &traits).unwrap();
    let index = GraphIndex::new(Arc::new(workspace), None);
    for target in ["Core", "Foundations"] {
        let manifest = format!(
            "// swift-tools-version: 5.9\nlet package = Package(name: \"Kit\", targets: [.target(name: \"{target}\", path: \"Source/Kit\")])\n"
        );
        fs::write(root.join("Package.swift"), manifest).unwrap();
        index.refresh(&Cancellation::new(), &|_, _| {}).unwrap();
        let names = index.ask(&Cancellation::new(), |graph| {
            graph.nodes().map(|node| node.qname.clone()).collect::<Vec<_>>()
        });
        let names = names.unwrap();
        assert!(names.contains(&format!("{target}.Client")), "{names:?}");
    }
}

#[test]
fn a_source_file_may_have_the_name_of_a_manifest() {
    let graph = graph_of(
        "//- /Package.swift
// swift-tools-version:5.5
let package = Package(name: \"Parcels\")
//- /Sources/Model/Package.swift
struct Package {
    func weigh() { measure() }
    func measure() {}
}
",
    );
    assert_eq!(edges(&graph, EdgeKind::Calls), ["Package.weigh -> Package.measure"]);
}

#[test]
fn swift_reads_what_all_branches_of_conditional_compilation_hold() {
    let bodies = [
        "switch mode {
    case 1:
      #if os(Windows) || os(OpenBSD)
      fallthrough
      #else
      return try one()
      #endif
    default: return two()
    }",
        "switch mode {
    #if canImport(Glibc) || canImport(Musl)
    case .link: return one()
    #endif

    case .rename: return two()
    }",
        "switch mode {
    case 1: return one()
    #if os(Linux) ||
        os(Android)
    #error(\"not here\")
    #elseif os(iOS)
      && DEBUG
    case 2: return two()
    #endif
    default: return 3
    }",
        "do {
      #if !os(Android)
      try await one()
      #endif
    } catch let error as Failure where error.code == .unsupported {
      // Not all have it.
      ()
    }
    for entry in list { two() }",
        "switch result {
    case .success():
      one()
      return ()
    case .failure(let error): two()
    }",
        "switch mode {
    case .head:
      @Sendable func next() { one() }
      two()
    default: break
    }",
        "nonisolated(unsafe) var count = one()
    two()",
        "let text = \"\"\"
      #if DEBUG
      \\(one()) \\(two())
      ()
      #endif
      \"\"\"
    switch mode {
    #if DEBUG
    case 1: return text
    #endif
    default: return nil
    }",
    ];
    for body in bodies {
        let project = format!(
            "//- /Sources/Net/Channel.swift
func one() -> Int {{ 1 }}
func two() -> Int {{ 2 }}
final class Channel {{
  func before() {{ one() }}
  func run(_ mode: Mode) async throws {{
    {body}
  }}
  func after() {{ one() }}
}}
final class Datagram {{ func own() {{ two() }} }}
"
        );
        let all = edges(&graph_of(&project), EdgeKind::Calls);
        let mut all: Vec<String> = all.iter().map(|edge| edge.replace("run.next", "run")).collect();
        all.sort();
        assert_eq!(
            all,
            [
                "Channel.after -> one",
                "Channel.before -> one",
                "Channel.run -> one",
                "Channel.run -> two",
                "Datagram.own -> two",
            ],
            "{body}"
        );
    }
}

#[test]
fn swift_binds_a_type_parameter_by_the_type_that_is_handed_over() {
    let project = r#"
//- /Sources/Net/Handler.swift
class Message { func send() {} }
struct Boxed {}
struct Queue { func add(_ data: Message, to place: Int?) {} ; func add(_ data: Boxed) {} }
protocol Made { init() ; static func shared() -> Self ; func use() }
class Base {
  func unwrap<T>(_ data: Boxed, as type: T.Type = T.self) -> T { fatalError() }
  func make<T: Made>(_ type: T.Type) -> T { type.shared() }
  func all<T>(_ type: T.Type) -> [T] { [] }
}
class Handler: Base {
  let queue = Queue()
"#;
    let ends = "\n}";
    let case = |body: &str| format!("{body}{ends}");
    check_cases(
        project,
        &[
            (
                &case("func f(_ b: Boxed) { let m = unwrap(b, as: Message.self); m.send() }"),
                ("Handler.f -> Message.send", ""),
            ),
            (
                &case(
                    "func f(_ b: Boxed) { let b = self.unwrap(b, as: Message.self); queue.add(b, to: nil) }",
                ),
                ("Handler.f -> Queue.add", ""),
            ),
            (
                &case("func f() { for m in all(Message.self) { m.send() } }"),
                ("Handler.f -> Message.send", ""),
            ),
            (
                &case("func f<M: Made>(_ type: M.Type) { make(type).use() }"),
                ("Handler.f -> Made.use", ""),
            ),
            (
                &case("func f<M: Made>(_ type: M.Type) { make(type).use() }"),
                ("Base.make -> Made.shared", ""),
            ),
        ],
    );
}

#[test]
fn swift_names_what_extensions_add_by_the_whole_type() {
    let graph = graph_of(
        r#"
//- /Sources/Net/Options.swift
enum Options {}
extension Options { enum Types { struct Level { func up() {} } } }
extension Options.Types { struct Mark {} ; func late() {} }
"#,
    );
    let names: Vec<&str> = graph.nodes().map(|node| node.qname.as_str()).collect();
    for name in ["Options.Types.Level.up", "Options.Types.Mark", "Options.Types.late"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
}

#[test]
fn a_definition_is_named_on_the_line_of_its_word() {
    let projects = [
        (
            "//- /Sources/Net/Row.swift
struct Row {
  @inlinable
  public init(x: Int) {}
  @inlinable
  subscript(i: Int) -> Int { 1 }
}
",
            ["init", "subscript"],
            [3, 5],
        ),
        (
            "//- /Row.kt
class Row(x: Int) {
  @Inject
  constructor(y: String) : this(1)
  @Inject
  fun add() {}
}
",
            ["constructor", "add"],
            [3, 5],
        ),
    ];
    for (project, names, lines) in projects {
        let graph = graph_of(project);
        let shown = graph.nodes().filter(|node| names.contains(&node.name.as_str()));
        let shown: Vec<u32> = shown.map(|node| node.name_line).collect();
        assert_eq!(shown, lines, "{project}");
    }
}

#[test]
fn swift_keeps_the_closure_of_a_call_that_a_value_is_declared_by() {
    let project = r"
//- /Sources/App/main.swift
struct S { func go() {}; func stop() {} }
class Q { func run(_ b: @escaping () -> Void) {} }
func need(with s: Int, done: (S) -> Void) -> S { return S() }
func may(with s: Int, done: ((S) -> Void)? = nil) -> S { return S() }
func two(_ s: Int, one: (S) -> Void, other: (S) -> Void) -> S { return S() }
struct O { var s: S; var queue: Q? }
";
    let (goes, stops) = (("f -> S.go", ""), ("f -> S.stop", ""));
    let cases = [
        ("func f() { let n = need(with: 1) { r in r.go() } }", goes),
        ("func f() { let n = need(with: 1) { r in }\n n.stop() }", stops),
        ("func f() { var n = may(with: 1) { $0.go() } }", goes),
        ("func f() async throws { let n = try await may(with: 1) { r in r.go() } }", goes),
        ("func f() { let n = two(1) { r in } other: { r in r.go() } }", goes),
        // Parentheses that begin a line are no arguments.
        ("func f(o: O, q: Q) {\n let s = o.s\n (o.queue ?? q).run { s.go() }\n}", goes),
        (
            "func f(o: O, q: Q) {\n let s = o.s\n (o.queue ?? q).run { s.go() }\n}",
            ("f -> Q.run", ""),
        ),
    ];
    check_cases(project, &cases);
}

#[test]
fn swift_takes_type_parameters_of_extended_library_types_for_no_types() {
    let project = r"
//- /Sources/App/main.swift
class Failed: Error {}
class Taker { func take(_ e: Failed) {}; func log(_ e: Date) {} }
extension Result { var failure: Failure? { nil }; var at: String { nil } }
extension Array { var lead: Element? { nil } }
extension Dictionary { var one: Value? { nil }; var name: Key? { nil } }
";
    let cases = [
        ("func f(t: Taker, r: Result<Int, Failed>) { t.take(r.failure) }", ("f -> Taker.take", "")),
        ("func f(t: Taker, r: [Failed]) { let e = r.lead; t.take(e) }", ("f -> Taker.take", "")),
        (
            "func f(t: Taker, r: [Int: Failed]) { t.take(r.one); t.take(r.name) }",
            ("f -> Taker.take", ""),
        ),
        // A type that is no parameter still tells what is no argument.
        ("func f(t: Taker, r: Result<Int, Failed>) { t.log(r.at) }", ("", "f -> Taker.log")),
    ];
    check_cases(project, &cases);
}

#[test]
fn a_closure_behind_a_call_is_for_no_default_of_an_outside_type() {
    check(
        r#"
//- /Run.swift
struct Step { func go() {} }
func one(line: Int, isolation: isolated (any Actor)? = #isolation, operation: (Step) -> Int) {}
func two(queue: DispatchQueue = .main, done: @escaping (Step) -> Void) {}
func three(queue: DispatchQueue = .main, done: ((Step) -> Void)? = nil) {}
func four(begin: Hook = none, done: Hook) {}
func five(begin: Hook = none, done: Int) {}
func six(begin: () -> Void = {}, done: (() -> Void)? = nil) {}
func all(step: Step) {
  one(line: 1) { $0.go(); return 2 }
  two { $0.go() }
  three { $0.go() }
  four { 2 } done: { 3 }
  five { 2 }
  six { step.go() }
}
"#,
        &[
            "all -> Step.go",
            "all -> Step.go ~",
            "all -> four",
            "all -> one",
            "all -> six",
            "all -> three",
            "all -> two",
        ],
    );
}
