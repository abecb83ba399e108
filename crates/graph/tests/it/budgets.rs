//! Budgets of resolution: what one file may take, and that nothing is taken from one file or type for another.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, Graph, indexing::FileOmission};

use crate::support::{edges, graph_of};

/// One class with so many overloads that its calls take more work than a file may, beside an ordinary one.
fn costly_project() -> String {
    let overloads: String = (0..1_500).map(|at| format!("  void f(T{at} a) {{}}\n")).collect();
    let calls = "    f(x());\n".repeat(2_500);
    format!(
        "//- /Costly.java
class Costly {{
{overloads}  void run() {{
{calls}  }}
}}
//- /Plain.java
class Plain {{
  void run() {{ help(); }}
  void help() {{}}
}}
"
    )
}

#[test]
fn a_file_over_its_budget_is_flagged_and_takes_nothing_from_others() {
    let graph = graph_of(&costly_project());
    assert_eq!(graph.omissions(), [("Costly.java", FileOmission::Edges)]);
    let calls = edges(&graph, EdgeKind::Calls);
    assert!(calls.iter().any(|call| call == "Plain.run -> Plain.help"), "{calls:?}");
    let mut lines = Vec::new();
    graph.export(&mut lines).unwrap();
    let lines = String::from_utf8(lines).unwrap();
    let last = r#"{"kind":"omission","path":"Costly.java","omission":"edges"}"#;
    assert_eq!(lines.lines().last(), Some(last));
}

#[test]
fn prototypes_are_compared_with_definitions_within_the_budget() {
    let each =
        |end: &str| -> String { (0..1_000).map(|at| format!("void f(T{at} a){end}\n")).collect() };
    let calls = "  f(x());\n".repeat(500);
    let project = format!(
        "//- /f.h\n{}//- /f.cpp\n#include \"f.h\"\n{}//- /run.cpp\n#include \"f.h\"\nvoid run() {{\n{calls}}}\n",
        each(";"),
        each(" {}"),
    );
    assert_eq!(graph_of(&project).omissions(), [("run.cpp", FileOmission::Edges)]);
}

#[test]
fn large_ordinary_files_are_read_in_full() {
    // A type and a call that could be one another, which the parser can't tell apart at first.
    let c = |at: usize| {
        let lines = "    total += next(total, count);\n".repeat(80);
        format!(
            "int run{at}(int n) {{\n#ifdef WIDE\n    a * b;\n    c (d);\n#endif\n    unsigned x;\n    unsigned long y = sizeof(unsigned);\n{lines}    return offsetof(unsigned, x);\n}}\n"
        )
    };
    let text: String = (0..400).map(c).collect();
    assert!(text.len() > 1_000_000);
    let graph = graph_of(&format!("//- /run.c\n{text}"));
    assert_eq!(graph.omissions(), []);
    assert_eq!(
        graph.nodes().filter(|node| node.name.starts_with("run") && node.end > node.start).count(),
        401
    );
}

/// Projects by language; `MODULE` is the name of the module. None has event handlers: strings join these across modules.
const PROJECTS: &[(&str, &str)] = &[
    (
        "Go",
        "//- /MODULE/go.mod
module example.com/MODULE
//- /MODULE/shape.go
package MODULE
type ShapeMODULE interface { AreaMODULE() int; CloseMODULE() }
type Base struct{}
func (b *Base) CloseMODULE() {}
type Square struct { Base; onClose func() }
func (s *Square) AreaMODULE() int { return side(2) }
func side(n int) int { return n }
//- /MODULE/use/use.go
package use
import \"example.com/MODULE\"
func Total(all []MODULE.ShapeMODULE) int {
	sum := 0
	for _, shape := range all { sum += shape.AreaMODULE() }
	return sum
}
",
    ),
    (
        "TypeScript",
        "//- /MODULE/package.json
{ \"name\": \"MODULE\" }
//- /MODULE/src/shape.ts
export interface Shape { area(): number }
export class Square implements Shape {
  onClose?: () => void;
  area() { return side(2); }
  close() { this.onClose?.(); }
}
export const side = (n: number) => n;
//- /MODULE/src/use.ts
import { Shape, Square, side } from './shape';
export * from './shape';
export function total(all: Shape[]) { return all.map((shape) => shape.area() + side(1)); }
const square = new Square();
square.onClose = finish;
function finish() { total([square]); }
",
    ),
    (
        "Python",
        "//- /MODULE/__init__.py
from .shape import Square
//- /MODULE/shape.py
class Shape:
    def area(self): return 0
class Square(Shape):
    def area(self): return side(2)
def side(n): return n
//- /MODULE/use.py
from MODULE.shape import Square, side
import MODULE
def total() -> int:
    square = Square()
    return square.area() + side(1) + MODULE.Square().area()
",
    ),
    (
        "Rust",
        "//- /MODULE/Cargo.toml
[package]
name = \"MODULE\"
//- /MODULE/src/lib.rs
mod shape;
use shape::{Shape, Square};
pub fn total(all: &[Square]) -> u32 { all.iter().map(|shape| shape.area()).sum() }
//- /MODULE/src/shape.rs
pub trait Shape { fn area(&self) -> u32; }
pub struct Square { pub side: u32 }
impl Shape for Square { fn area(&self) -> u32 { side(self.side) } }
fn side(n: u32) -> u32 { n }
",
    ),
    (
        "Java",
        "//- /MODULE/Shape.java
package MODULE;
interface Shape { int area(); }
//- /MODULE/Square.java
package MODULE;
class Square implements Shape {
  Runnable onClose;
  public int area() { return side(2); }
  int side(int n) { return n; }
  int side(String n) { return 0; }
  void close() { onClose.run(); }
  static int total(Shape shape) { Square s = new Square(); s.onClose = Square::finish; return shape.area(); }
  static void finish() {}
}
",
    ),
    (
        "Kotlin",
        "//- /MODULE/Shape.kt
package MODULE
interface Shape {
  fun area(): Int
}
class Square : Shape {
  override fun area() = side(2)
}
fun side(n: Int) = n
fun Square.twice() = area() * 2
//- /MODULE/Use.kt
package MODULE.use
import MODULE.*
fun total(all: List<Shape>) = all.map { it.area() }
fun one() = Square().twice()
",
    ),
    (
        "Scala",
        "//- /MODULE/Shape.scala
package MODULE
trait Shape { def area: Int }
class Square extends Shape { def area: Int = ArmComparison.side(2) }
object ArmComparison { def side(n: Int): Int = n }
//- /MODULE/Use.scala
package MODULE
object Use { def total(shape: Shape): Int = shape.area + ArmComparison.side(1) }
",
    ),
    (
        "C#",
        "//- /MODULE/Shape.cs
namespace MODULE;
public interface IShape { int Area(); }
public partial class Square : IShape { public int Area() => Side(2); }
public partial class Square { int Side(int n) => n; }
public static class Shapes { public static int Twice(this IShape shape) => shape.Area() * 2; }
//- /MODULE/Use.cs
using MODULE;
namespace MODULE.Use;
class Totals { int One(Square square) => square.Twice(); }
",
    ),
    (
        "PHP",
        "//- /MODULE/Shape.php
<?php
namespace MODULE;
interface Shape { function area(): int; }
trait ArmComparison { function side(int $n): int { return $n; } }
class Square implements Shape { use ArmComparison; function area(): int { return $this->side(2); } }
function total(Shape $shape) { return $shape->area() + (new Square())->side(1); }
",
    ),
    (
        "Ruby",
        "//- /MODULE/shape.rb
module ShapesMODULE
  module ArmComparison
    def side(n) = n
  end
  class Square
    include ArmComparison
    def area = side(2)
  end
  def self.total = Square.new.area
end
",
    ),
    (
        "Swift",
        "//- /MODULE/Package.swift
// swift-tools-version:5.9
import PackageDescription
let package = Package(name: \"MODULE\", targets: [.target(name: \"MODULE\")])
//- /MODULE/Sources/MODULE/Shape.swift
public protocol Shape { func area() -> Int }
public struct Square: Shape { public func area() -> Int { side(2) } }
func side(_ n: Int) -> Int { n }
extension Shape { func twice() -> Int { area() * 2 } }
func total(square: Square) -> Int { square.twice() }
",
    ),
    (
        "C",
        "//- /MODULE/shape.h
struct shape { int side; int (*area)(struct shape *); };
int area(struct shape *shape);
//- /MODULE/shape.c
#include \"shape.h\"
static int side(int n) { return n; }
int area(struct shape *shape) { return side(shape->side); }
//- /MODULE/use.c
#include \"shape.h\"
int total(struct shape *shape) { shape->area = area; return shape->area(shape) + area(shape); }
",
    ),
    (
        "C++",
        "//- /MODULE/shape.hpp
namespace MODULE {
class Shape { public: virtual int area() = 0; };
class Square : public Shape { public: int area() override; int side(int n); int side(const char *n); };
}
//- /MODULE/shape.cpp
#include \"shape.hpp\"
namespace MODULE {
int Square::area() { return side(2); }
int Square::side(int n) { return n; }
int total(Shape &shape) { Square square; return shape.area() + square.side(1); }
}
",
    ),
];

/// Every edge with the places of its ends.
fn all_edges(graph: &Graph) -> Vec<String> {
    let end = |id| {
        let node = graph.node(id).unwrap();
        format!("{}:{} {}", node.path, node.start, node.qname)
    };
    let line = |edge: &retriever_graph::Edge| {
        format!("{} -{}-> {}", end(edge.from), edge.kind, end(edge.to))
    };
    let mut lines: Vec<String> = graph.edges().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn a_repository_beside_copies_of_itself_has_the_edges_of_each() {
    for (language, project) in PROJECTS {
        let copies: Vec<String> =
            (0..12).map(|at| project.replace("MODULE", &format!("part{at}"))).collect();
        let mut alone: Vec<String> =
            copies.iter().flat_map(|copy| all_edges(&graph_of(copy))).collect();
        alone.sort();
        let calls = alone.iter().filter(|edge| edge.contains("-calls->")).count();
        assert!(calls >= 12 * 2, "{language}: {calls} calls");
        assert_eq!(all_edges(&graph_of(&copies.concat())), alone, "{language}");
    }
}

#[test]
fn however_many_interfaces_there_are_each_has_its_implementers() {
    const INTERFACES: usize = 300;
    let implementer = |at: usize, name: usize| {
        format!(
            "type T{name} struct{{}}
func (t *T{name}) Do{at}() {{}}
func (t *T{name}) Stop{at}() error {{ return nil }}
"
        )
    };
    let package = |at: usize| {
        let implementers: String = (0..4).map(|name| implementer(at, name)).collect();
        format!(
            "//- /part{at}/part.go
package part{at}
type Server interface {{ Do{at}(); Stop{at}() error }}
{implementers}"
        )
    };
    let packages: String = (0..INTERFACES).map(package).collect();
    let project = format!("//- /go.mod\nmodule example.com/many\n{packages}");
    let graph = graph_of(&project);
    let implementers = edges(&graph, EdgeKind::Implements);
    // A type and its two methods.
    assert_eq!(implementers.len(), INTERFACES * 4 * 3);
    assert_eq!(graph.omissions(), []);
}
