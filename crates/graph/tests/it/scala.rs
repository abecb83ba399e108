//! Scala in the code graph: objects and their classes, packages and imports, extensions, and what must stay unbound.

use retriever_graph::EdgeKind;

use crate::support::{check, check_cases, check_some, edges, graph_of};

#[test]
fn scala_follows_companions_imports_and_bare_methods() {
    check(
        r#"
//- /core/Shape.scala
package acme.core
trait Shape { def area: Double; def scale(by: Int): Shape }
case class Square(side: Int) extends Shape {
  def area: Double = Units.of(side).value
  def scale(by: Int): Square = Square(side * by)
}
class Circle private (val r: Int) extends Shape {
  def area = 1.0
  def scale(by: Int) = new Circle(by)
}
object Circle { def apply(r: Int): Circle = new Circle(r); def unit(): Circle = apply(1) }
//- /core/Units.scala
package acme
package core
class Units(n: Int) { def value: Double = n }
object Units { def of(n: Int): Units = new Units(n); def value: Int = 1 }
//- /app/Main.scala
package acme.app
import acme.core.{Circle => Round, _}
import scala.collection.mutable
object Main extends App {
  val first = Round(2)
  def run(shapes: List[Shape], other: Other): Unit = {
    shapes.foreach { s => s.scale(1).area }
    shapes.map(_.scale(2)).foreach(x => x.area)
    for (s <- shapes) yield s.scale(3)
    first.scale(1); Round.unit().area
    shapes.head match { case c: Round => c.scale(2); case _ => other.scale(3) }
    Some(1).map(x => x.area); mutable.Map.empty.scale(1); println("x")
    val made = new Shape { def area = helper(); def scale(by: Int) = this }
    made.scale(2)
  }
  def helper(): Double = super.helper()
}
"#,
        &[
            "acme.app.Main.first -> acme.core.Circle.apply",
            "acme.app.Main.run -> acme.core.Circle.area ~",
            "acme.app.Main.run -> acme.core.Circle.scale",
            "acme.app.Main.run -> acme.core.Circle.scale ~",
            "acme.app.Main.run -> acme.core.Circle.unit",
            "acme.app.Main.run -> acme.core.Shape",
            "acme.app.Main.run -> acme.core.Shape.area ~",
            "acme.app.Main.run -> acme.core.Shape.scale ~",
            "acme.app.Main.run -> acme.app.Main.run.<Shape>.scale ~",
            "acme.app.Main.run.<Shape>.area -> acme.app.Main.helper",
            "acme.core.Circle.apply -> acme.core.Circle",
            "acme.core.Circle.scale -> acme.core.Circle",
            "acme.core.Circle.unit -> acme.core.Circle.apply",
            "acme.core.Square.area -> acme.core.Units.of",
            "acme.core.Square.area -> acme.core.Units.value ~",
            "acme.core.Square.scale -> acme.core.Square",
            "acme.core.Units.of -> acme.core.Units",
        ],
    );
}

#[test]
fn a_scala_type_may_stand_between_its_arguments() {
    check_some(
        r#"
//- /Main.scala
trait ~>[F[_], G[_]] {
  def apply[A](a: F[A]): G[A]
  def andThen[H[_]](next: G ~> H): F ~> H
}
class One { def one(): Int = 1 }
class Other { def other(): Int = 1 }
object Main {
  def chain(first: List ~> Option, next: Option ~> Set) = first.andThen(next).andThen(next)
  val made = new (List ~> Option) { def apply[A](l: List[A]) = helper(); def andThen[H[_]](next: Option ~> H) = this }
  def either(a: One | Other, b: One & Other) = { a.one(); b.other() }
  def alone(a: (One)) = a.one()
  def helper() = None
}
"#,
        &[
            "Main.alone -> One.one",
            "Main.chain -> ~>.andThen",
            "Main.either -> One.one",
            "Main.either -> Other.other",
            "Main.made -> ~>",
            "Main.made.<~>>.apply -> Main.helper",
        ],
        &[],
    );
}

#[test]
fn scala_follows_extensions_and_givens() {
    check(
        r#"
//- /lib/Ops.scala
package lib
enum Kind(val n: Int):
  case One extends Kind(1)
  case Two extends Kind(2)
  def next: Kind = this
extension (kind: Kind)
  def double(by: Int): Kind = kind.next
  def again: Kind = kind.double(2)
trait Ord[T]:
  def compare(a: T): Int
given kindOrd: Ord[Kind] with
  def compare(a: Kind): Int = a.next.n
//- /app/Use.scala
package app
import lib.*
def use(kind: Kind): Int =
  val made = kind.double(1)
  kindOrd.compare(made)
"#,
        &[
            "app.use -> lib.Kind.double",
            "app.use -> lib.Ord.compare",
            "lib.Kind.again -> lib.Kind.double",
            "lib.Kind.double -> lib.Kind.next",
            "lib.kindOrd.<Ord>.compare -> lib.Kind.next",
        ],
    );
}

/// A parent's name is looked for among what the other parents bring, which are found in the same way.
#[test]
fn a_class_of_many_parents_has_what_the_last_one_brings() {
    check(
        r#"
//- /Parts.scala
package acme
trait A extends B with C with D { trait Made { def go(): Int = 1 } }
trait B extends C with D with E
trait C extends D with E with F
trait D extends E with F with G
trait E extends F with G with H
trait F extends G with H with I
trait G extends H with I with J
trait H extends I with J with K
trait I extends J with K
trait J extends K
trait K { def last(): Low = new Low }
class Low { def go(): Int = 1 }
class All extends A with B with C with D with E with F with G with H with I with J with K {
  def run(made: Made): Int = last().go() + made.go()
}
"#,
        &[
            "acme.All.run -> acme.A.Made.go",
            "acme.All.run -> acme.K.last",
            "acme.All.run -> acme.Low.go ~",
            "acme.K.last -> acme.Low",
        ],
    );
}

#[test]
fn a_scala_type_is_found_in_the_object_that_a_type_has_the_name_of() {
    check_some(
        "//- /Codec.scala
package codec
trait Codec {
  private lazy val made = new Codec.Formatter(1)
  def decode(s: String): Int = made.parse(s)
  def typed(f: Codec.Formatter): Int = f.parse(\"x\")
}
object Codec { class Formatter(n: Int) { def parse(s: String): Int = n } }
",
        &[
            "codec.Codec.decode -> codec.Codec.Formatter.parse",
            "codec.Codec.made -> codec.Codec.Formatter",
            "codec.Codec.typed -> codec.Codec.Formatter.parse",
        ],
        &[],
    );
}

#[test]
fn a_scala_self_type_brings_its_members_and_is_no_supertype() {
    let project = "//- /Baker.scala
package baker
trait Codec { def decode(s: String): Int ; def size: Int }
trait Log { def log(s: String): Unit }
trait Baker[T] { self: Codec with Log =>
  def from(s: String): Int = { log(s); make(decode(s)) }
  def total: Int = self.size
  def make(i: Int): Int = i
}
class Outer { outer =>
  def run(): Int = 1
  class Inner { def run(): Int = outer.run() }
}
";
    check(
        project,
        &[
            "baker.Baker.from -> baker.Baker.make",
            "baker.Baker.from -> baker.Codec.decode",
            "baker.Baker.from -> baker.Log.log",
            "baker.Baker.total -> baker.Codec.size ~",
            "baker.Outer.Inner.run -> baker.Outer.run ~",
        ],
    );
    let graph = graph_of(&project.replace("def make", "def size: Int = 2\n  def make"));
    assert!(edges(&graph, EdgeKind::Inherits).is_empty());
    assert!(edges(&graph, EdgeKind::Implements).is_empty());
}

#[test]
fn a_scala_method_without_parameters_runs_where_its_name_alone_stands() {
    let project = "//- /Conf.scala
package conf
trait Base { def isReady: Boolean; def size: Int = 3 }
object Clock { def now: Long = 1L; def lap(n: Long): Long = n }
class Conf(list: Seq[Int]) extends Base {
  import Clock._
  def alpha: Long = 1L
  def isReady: Boolean = true
  def hidden(n: Int) = n
  private def helper: Unit = ()
";
    let cases: Vec<_> = [
        ("def f = lap(alpha)", "alpha", "hidden"),
        ("def f: Any = (alpha: Long)", "alpha", "hidden"),
        ("def f = alpha.toString", "alpha", "hidden"),
        ("def f: Long = { val y = alpha; y }", "alpha", "hidden"),
        ("def f = alpha + 1", "alpha", "hidden"),
        ("def f = s\"$alpha ${size}\"", "alpha", "hidden"),
        ("def f = s\"$alpha ${size}\"", "size", "hidden"),
        ("def f = if (!isReady) 1 else 2", "isReady", "hidden"),
        (
            "def f(a: Any) = a match { case x if isReady => 1; case _ => helper }",
            "helper",
            "hidden",
        ),
        ("def f = list.map(_ + alpha)", "alpha", "hidden"),
        ("def f = { helper; 1 }", "helper", "hidden"),
        // A value that is nearer is meant.
        ("def f = { val alpha = 2L; lap(alpha) }", "", "alpha"),
        ("def f(alpha: Long) = lap(alpha)", "", "alpha"),
        ("def f = list.map(alpha => alpha + 1)", "", "alpha"),
        ("def f = lap(n = 2L)", "", "alpha"),
        // The name of a parameter, of what is assigned, and of another object's member.
        ("def put(alpha: Long) = 1\n  def f = put(alpha = 2L)", "", "alpha"),
        ("def f = list size", "", "size"),
        ("def f = list.map(hidden)", "", "hidden"),
    ]
    .into_iter()
    .map(|(case, present, absent)| {
        let edge = |to: &str| {
            let home = if to == "size" { "Base" } else { "Conf" };
            if to.is_empty() { String::new() } else { format!("conf.Conf.f -> conf.{home}.{to}") }
        };
        (format!("  {case}\n}}"), edge(present), edge(absent))
    })
    .collect();
    let cases: Vec<(&str, (&str, &str))> =
        cases.iter().map(|(case, yes, no)| (case.as_str(), (yes.as_str(), no.as_str()))).collect();
    check_cases(project, &cases);
    check_some(&format!("{project}  def f = now\n}}"), &["conf.Conf.f -> conf.Clock.now"], &[]);
}
