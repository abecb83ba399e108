//! The code graph of PHP: namespaces, traits, typed properties, and what must stay unbound.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, Graph, LookupTarget, NameLookup, NodeKind};

use crate::support::{check, check_cases, check_some, edges, graph_of};

#[test]
fn a_class_does_not_hide_the_namespace_of_its_name() {
    check(
        r#"
//- /src/Stmt.php
<?php
namespace Tree\Node;
abstract class Stmt { public function end() {} }
//- /src/Stmt/Echo_.php
<?php
namespace Tree\Node\Stmt;
use Tree\Node;
class Echo_ extends Node\Stmt { public function say() {} }
//- /src/Builder.php
<?php
namespace Tree;
use Tree\Node\Stmt;
use Tree\Node as Part;
class Builder {
    public function short(Stmt $stmt): Stmt\Echo_ { $stmt->end(); return new Stmt\Echo_(); }
    public function near() { (new Node\Stmt\Echo_())->say(); }
    public function renamed(Part\Stmt\Echo_ $echo) { $echo->end(); $this->short($echo)->say(); }
    public function whole() { return new \Tree\Node\Stmt\Echo_(); }
    public function none() { return new Stmt\Missing(); }
}
"#,
        &[
            "Tree\\Builder\\near -> Tree\\Node\\Stmt\\Echo_",
            "Tree\\Builder\\near -> Tree\\Node\\Stmt\\Echo_\\say ~",
            "Tree\\Builder\\renamed -> Tree\\Builder\\short",
            "Tree\\Builder\\renamed -> Tree\\Node\\Stmt\\Echo_\\say ~",
            "Tree\\Builder\\renamed -> Tree\\Node\\Stmt\\end",
            "Tree\\Builder\\short -> Tree\\Node\\Stmt\\Echo_",
            "Tree\\Builder\\short -> Tree\\Node\\Stmt\\end",
            "Tree\\Builder\\whole -> Tree\\Node\\Stmt\\Echo_",
        ],
    );
}

#[test]
fn namespaces_and_uses_lead_to_classes_and_functions() {
    check(
        r#"
//- /src/Shape.php
<?php
namespace Acme\Core;
abstract class Shape {
    protected Helper $helper;
    public function __construct() { $this->helper = new Helper(); }
    abstract public function area(): float;
    public function twice() { return $this->helper->twice($this->area()); }
}
//- /src/Helper.php
<?php
namespace Acme\Core;
class Helper { public static function of(): self { return new static(); } public function twice($x) { return $x * 2; } }
function log($text) { strlen($text); }
//- /src/Main.php
<?php
namespace Acme\App;
use Acme\Core\{Shape, Helper as Made};
use Acme\Core as Base;
use function Acme\Core\log;
use Elsewhere\Thing;
class Main {
    public function run(Shape $shape, Thing $thing, $any) {
        $shape->twice();
        Made::of()->twice(1);
        $made = new Base\Helper();
        $made->twice(2);
        log("x"); \Acme\Core\log("y"); Base\log("z"); namespace\local(); top();
        $thing->run(); $any->twice(); Missing::of(); missing(); Helper::of(); Thing::of();
        if ($any instanceof Shape && $any->area()) { $any->twice(); }
        if (!$any instanceof Made) { return; }
        $any->twice();
    }
}
function local() {}
//- /top.php
<?php
function top() { $x = new Acme\Core\Helper(); $f = fn() => $x->twice(1); $g = function () use ($x) { $x->twice(2); }; }
$x->twice(3);
"#,
        &[
            "Acme\\App\\Main\\run -> Acme\\App\\local",
            "Acme\\App\\Main\\run -> Acme\\Core\\Helper",
            "Acme\\App\\Main\\run -> Acme\\Core\\Helper\\of",
            "Acme\\App\\Main\\run -> Acme\\Core\\Helper\\twice",
            "Acme\\App\\Main\\run -> Acme\\Core\\Helper\\twice ~",
            "Acme\\App\\Main\\run -> Acme\\Core\\Shape\\area",
            "Acme\\App\\Main\\run -> Acme\\Core\\Shape\\twice",
            "Acme\\App\\Main\\run -> Acme\\Core\\log",
            "Acme\\App\\Main\\run -> top",
            "Acme\\Core\\Helper\\of -> Acme\\Core\\Helper",
            "Acme\\Core\\Shape\\__construct -> Acme\\Core\\Helper",
            "Acme\\Core\\Shape\\twice -> Acme\\Core\\Helper\\twice",
            "Acme\\Core\\Shape\\twice -> Acme\\Core\\Shape\\area",
            "top -> Acme\\Core\\Helper",
            "top -> Acme\\Core\\Helper\\twice ~",
        ],
    );
}

#[test]
fn traits_parents_promotion_and_comments_give_members_and_types() {
    let project = r#"
//- /a.php
<?php
namespace A;
interface Port { public function send(): Result; }
class Result { public function ok(): bool { return true; } }
trait Logs { private array $lines = []; protected function log(string $s): static { $this->note(); return $this; } private function note() {} public function send(): Result { return new Result; } }
class Base { public function __construct(protected ?Result $last = null) {} public function send(): Result { return $this->last; } public static function make(): static { return new static(); } }
class Wire extends Base implements Port {
    use Logs;
    /** @var Result[] */
    private $all;
    private $first;
    /**
     * Starts it.
     * @param Result[]|null $results what came before
     */
    public function __construct(private Port $port, $results = null) {
        parent::__construct();
        $this->first = new Result();
        foreach ($results as $result) { $result->ok(); }
    }
    public function run() {
        $this->log("x")->send()->ok();
        $this->port->send()->ok();
        $this->last->ok();
        foreach ($this->all as $key => $one) { $one->ok(); }
        $this->first?->ok();
        self::make()->run();
        parent::send()->ok();
        $this->pick()->ok();
        /** @var Result $odd */
        $odd = unknown();
        $odd->ok();
        $this->missing(); $this->log->ok(); static::none();
        array_map([$this, 'run'], []);
    }
    /** @return Result */
    private function pick() { return $this->all[0]; }
    private function over(): Port { return new class extends Base { public function again() { $this->send(); } }; }
}
"#;
    check(
        project,
        &[
            "A\\Base\\make -> A\\Base",
            "A\\Logs\\log -> A\\Logs\\note",
            "A\\Logs\\send -> A\\Result",
            "A\\Wire\\__construct -> A\\Base\\__construct",
            "A\\Wire\\__construct -> A\\Result",
            "A\\Wire\\__construct -> A\\Result\\ok ~",
            "A\\Wire\\over\\<Base>\\again -> A\\Base\\send",
            "A\\Wire\\run -> A\\Base\\make",
            "A\\Wire\\run -> A\\Base\\send",
            "A\\Wire\\run -> A\\Logs\\log",
            "A\\Wire\\run -> A\\Logs\\send ~",
            "A\\Wire\\run -> A\\Port\\send",
            "A\\Wire\\run -> A\\Result\\ok",
            "A\\Wire\\run -> A\\Result\\ok ~",
            "A\\Wire\\run -> A\\Wire\\pick",
            "A\\Wire\\run -> A\\Wire\\run ~",
        ],
    );
    let graph = graph_of(project);
    assert_eq!(
        edges(&graph, EdgeKind::Implements)
            .into_iter()
            .filter(|edge| edge.contains("A\\Wire"))
            .collect::<Vec<_>>(),
        ["A\\Wire -> A\\Logs", "A\\Wire -> A\\Port"]
    );
}

#[test]
fn definitions_have_kinds_signatures_and_docs() {
    let graph = graph_of(
        r#"
//- /a.php
<?php
namespace A;
const LIMIT = 1;
/** Colours. */
enum Suit: string { case Hearts = 'H'; const Wild = self::Hearts; public static function all(): array { return self::cases(); } }
/**
 * Does it.
 *
 * @return int
 */
#[Marked]
final class Box { public const SIZE = 1; private static ?Box $one = null; public static function one(int ...$rest): self { return self::$one ?? new self; } }
#[\Attribute] class Marked {}
//- /two.php
<?php
namespace One { function f() { g(); } function g() {} }
namespace Two { function f() { \One\g(); g(); } }
"#,
    );
    let view: &Graph = &graph;
    let found = |name: &str| match view.lookup(LookupTarget { name, ..LookupTarget::default() }) {
        NameLookup::One(id) => graph.node(id).unwrap().clone(),
        other => panic!("{name}: {other:?}"),
    };
    let kinds = ["A\\LIMIT", "Suit", "Suit::Hearts", "Box::SIZE", "Box::$one", "A\\Box"]
        .map(|name| found(name).kind);
    assert_eq!(
        kinds,
        [
            NodeKind::Variable,
            NodeKind::Enum,
            NodeKind::Variant,
            NodeKind::Field,
            NodeKind::Field,
            NodeKind::Class
        ]
    );
    assert_eq!((found("Box").doc, found("Suit").doc), ("Does it.".into(), "Colours.".into()));
    assert_eq!(found("Box::one").signature, "public static function one(int ...$rest): self");
    assert_eq!(edges(&graph, EdgeKind::DecoratedBy), ["A\\Box -> A\\Marked"]);
    assert_eq!(
        edges(&graph, EdgeKind::Calls),
        ["A\\Box\\one -> A\\Box", "One\\f -> One\\g", "Two\\f -> One\\g"]
    );
}

#[test]
fn what_a_condition_proves_is_beside_what_was_known() {
    check_cases(
        r#"
//- /a.php
<?php
interface Closes { public function close(): void; }
class Shape { public function end(): void {} }
class Door {
    private function turn(): void {}
"#,
        &[
            (
                "public function use() { if ($this instanceof Closes) { $this->turn(); } } }",
                ("Door\\use -> Door\\turn", ""),
            ),
            (
                "public function use() { if (!$this instanceof Closes) { return; } $this->turn(); } }",
                ("Door\\use -> Door\\turn", ""),
            ),
            (
                "public function use() { if ($this instanceof Closes) { $this->close(); } } }",
                ("Door\\use -> Closes\\close", ""),
            ),
            (
                "public function use(Shape $it) { if ($it instanceof Closes && $it->end()) {} } }",
                ("Door\\use -> Shape\\end", ""),
            ),
            // A class that builds on what is known is the one that is meant.
            (
                "public function use(Shape $it) { if ($it instanceof Round) { $it->end(); } } }
class Round extends Shape { public function end(): void {} }",
                ("Door\\use -> Round\\end", "Door\\use -> Shape\\end"),
            ),
        ],
    );
}

#[test]
fn a_variable_that_a_branch_assigns_is_behind_it_what_it_was_as_well() {
    let classes = "
//- /a.php
<?php
interface Limits { public function take(): bool; }
class Open implements Limits { public function take(): bool { return true; } }
class Shut { public function take(): bool { return false; } }
";
    let both = |body: &str| {
        format!(
            "{classes}function pass(Limits $one, bool $off) {{ {body} return $one->take(); }}\n"
        )
    };
    for body in [
        "if ($off) { $one = new Open(); }",
        "if ($off) { $one = new Open(); } else { strlen(''); }",
        "if ($off) $one = new Open();",
    ] {
        check_some(&both(body), &["pass -> Open\\take", "pass -> Limits\\take"], &[]);
    }
    check_some(
        &both("if ($off) { $one = new Open(); } elseif ($one) { $one = new Shut(); }"),
        &["pass -> Open\\take", "pass -> Shut\\take", "pass -> Limits\\take"],
        &[],
    );
    let left = both("if ($off) { $one = new Shut(); return; }");
    check_some(&left, &["pass -> Limits\\take"], &[]);
    let (open, shut, before) = ("pass -> Open\\take", "pass -> Shut\\take", "pass -> Limits\\take");
    for (body, present, absent) in [
        (
            "if ($off) { $one = new Open(); } else { $one = new Shut(); }",
            vec![open, shut],
            vec![before],
        ),
        (
            "if ($off) { $one = new Open(); } else { throw new Error(); }",
            vec![open],
            vec![shut, before],
        ),
        (
            "if ($off) { $one = new Open(); } else if ($one) { $one = new Shut(); } else {}",
            vec![open, shut, before],
            vec![],
        ),
        (
            "if ($off) { $one = new Open(); } else if ($one) { $one = new Shut(); } else { return; }",
            vec![open, shut],
            vec![before],
        ),
        (
            "if ($off): if ($one) $one = new Open(); else $one = new Shut(); else: strlen(''); endif;",
            vec![open, shut, before],
            vec![],
        ),
        (
            "if ($off) if ($one) $one = new Open(); else $one = new Shut();",
            vec![open, shut, before],
            vec![],
        ),
        // What a condition assigns holds in each of the branches.
        ("if (!($one = shut())) { $one = new Open(); }", vec![open, shut], vec![before]),
        // A variable that there is only since a branch.
        (
            "if ($off) { $two = new Open(); } else { $two = new Shut(); } $two->take();",
            vec![open, shut],
            vec![],
        ),
    ] {
        let project =
            both(body).replace("function pass", "function shut(): ?Shut {}\nfunction pass");
        check_some(&project, &present, &absent);
    }
}

#[test]
fn a_method_of_a_trait_has_another_name_in_a_class() {
    check(
        "
//- /a.php
<?php
trait Locates { public function get(string $id): string { return $id; } }
trait Finds { public function find(): string { return ''; } }
class Locator {
    use Locates { get as private doGet; }
    use Finds { Finds::find as protected look; find as private; }
    public function get(string $id): string { $this->look(); return $this->doGet($id); }
}
",
        &[
            "Locator\\doGet -> Locates\\get",
            "Locator\\get -> Locator\\doGet",
            "Locator\\get -> Locator\\look",
            "Locator\\look -> Finds\\find",
        ],
    );
}

#[test]
fn subscribers_listen_for_events_by_their_class_or_constant() {
    let graph = graph_of(
        "
//- /events.php
<?php
namespace App;
class Saved {}
class Lost {}
final class Events { const CLOSED = 'app.closed'; const OPENED = 'app.opened'; }
class Bus { public function dispatch(object $event, ?string $name = null): object { return $event; } }
//- /listener.php
<?php
namespace App\\Listen;
use App\\{Events, Saved, Lost};
class Listener {
    public static function getSubscribedEvents(): array {
        return [
            Saved::class => ['onSaved', 100],
            Lost::class => 'onLost',
            Events::CLOSED => [['onClosed', 1], ['log']],
            'plain' => 'onPlain',
        ];
    }
    public function onSaved(Saved $event): void {}
    public function onLost(): void {}
    public function onClosed(): void {}
    public function log(): void {}
    public function onPlain(): void {}
}
class Other { public static function handlers() { return [Saved::class => 'onSaved']; } public function onSaved() {} }
//- /worker.php
<?php
namespace App\\Work;
use App\\{Bus, Events, Saved};
class Lost {}
class Worker {
    public function __construct(private Bus $bus) {}
    public function save() { $saved = new Saved(); $this->bus->dispatch($saved); }
    public function lose() { $this->bus->dispatch(new Lost()); }
    public function close($any) { $this->bus->dispatch($any, Events::CLOSED); }
    public function open($any) { $this->bus->dispatch($any, Events::OPENED); }
    public function plain() { $this->bus->dispatch('plain'); }
}
",
    );
    assert_eq!(
        edges(&graph, EdgeKind::Triggers),
        [
            "App\\Work\\Worker\\close -> App\\Listen\\Listener\\log ?",
            "App\\Work\\Worker\\close -> App\\Listen\\Listener\\onClosed ?",
            "App\\Work\\Worker\\plain -> App\\Listen\\Listener\\onPlain ?",
            "App\\Work\\Worker\\save -> App\\Listen\\Listener\\onSaved ?",
        ]
    );
}

#[test]
fn a_value_of_several_known_types_calls_the_method_of_each() {
    let types: String = (0..6)
        .map(|n| format!("class Kind{n} extends Base {{ public function only() {{}} }}\n"))
        .collect();
    let arms: String = (0..6).map(|n| format!("'{n}' => new Kind{n}(), ")).collect();
    let calls: Vec<String> = (0..6).map(|n| format!("Run\\go -> Kind{n}\\only")).collect();
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    check_some(
        &format!(
            "
//- /kinds.php
<?php
class Base {{}}
{types}class Run {{ public function go($k) {{ $x = match($k) {{ {arms}}}; $x->only(); }} }}
"
        ),
        &calls,
        &[],
    );
}
