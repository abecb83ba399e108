//! Edits of single declarations in many languages: after each, what is kept is what reading everything gives. Few names
//! and many declarations, so that names shadow, vanish, come back and mean something else.

use std::fs;

use proptest::prelude::*;

use super::{Machine, exported};

const FILES: &[&str] = &[
    "src/a.ts",
    "src/b.ts",
    "src/deep/index.ts",
    "src/c.js",
    "src/v.vue",
    "src/w.svelte",
    "app/a.py",
    "app/b.py",
    "app/__init__.py",
    "lib.py",
    "space/shop/c.py",
    "space/shop/part/d.py",
    "app/n.ipynb",
    "crate/src/lib.rs",
    "crate/src/a.rs",
    "crate/src/b.rs",
    "go/a.go",
    "go/b.go",
    "go/sub/c.go",
    "kt/A.kt",
    "kt/B.kt",
    "kt/C.java",
    "c/a.c",
    "c/b.c",
    "c/h.h",
    "c/d.cpp",
    "cs/A.cs",
    "cs/B.cs",
    "cs/C.cs",
    "php/a.php",
    "php/b.php",
    "php/c.php",
    "lib/a.rb",
    "lib/b.rb",
    "lib/c.rb",
    "Sources/Shop/A.swift",
    "Sources/Shop/B.swift",
    "Sources/Till/C.swift",
    "sc/A.scala",
    "sc/B.scala",
    "sc/C.scala",
    "lua/a.lua",
    "lua/b.lua",
    "spec/c.lua",
];

const TYPES: &[&str] = &["Red", "Blue", "Green"];
const FUNCTIONS: &[&str] = &["run", "stop", "make", "get"];

/// One declaration or import: which kind, and which names.
#[derive(Clone, Copy, Debug)]
struct Piece {
    kind: usize,
    x: usize,
    y: usize,
    z: usize,
}

impl Piece {
    fn text(self, path: &str) -> String {
        let kinds = kinds(path);
        let template = kinds[self.kind % kinds.len()];
        let word = |words: &[&str], at: usize| words[at % words.len()].to_owned();
        let modules: &[&str] = match path.rsplit('.').next() {
            Some("ts" | "js" | "vue" | "svelte") => {
                &["./a", "./b", "./deep", "../a", "./c", "./v.vue", "./w", "outside"]
            }
            Some("lua") => &["a", "b", "spec.c", "outside"],
            Some("py" | "ipynb") => {
                &["app.a", "app.b", "app", "lib", "shop.c", "shop.part.d", "outside"]
            }
            Some("rs") => &["crate::a", "crate::b", "crate", "super", "std::fmt"],
            Some("go") => &["example.com/shop/go", "example.com/shop/go/sub", "fmt"],
            Some("kt" | "java") => &["shop.a", "shop.b", "java.util"],
            Some("cs") => &["Shop.A", "Shop", "System"],
            Some("php") => &["Shop\\A", "Shop\\B", "Outside"],
            Some("rb") => &["Red", "Blue", "Outside"],
            Some("swift") => &["Shop", "Till", "Foundation"],
            Some("scala") => &["shop.a", "shop.b", "shop", "scala.util"],
            _ => &["h.h", "a.c", "stdio.h"],
        };
        template
            .replace("$T", &word(TYPES, self.x))
            .replace("$U", &word(TYPES, self.y))
            .replace("$f", &word(FUNCTIONS, self.x))
            .replace("$g", &word(FUNCTIONS, self.y))
            .replace("$h", &word(FUNCTIONS, self.z))
            .replace("$m", &word(modules, self.z))
    }
}

/// What a file of a language can hold.
fn kinds(path: &str) -> &'static [&'static str] {
    match path.rsplit('.').next() {
        Some("ts") => &[
            "import { $T, $f } from \"$m\";",
            "import * as all from \"$m\"; export function $f(): $T { return all.$g(); }",
            "export * from \"$m\";",
            "export { $T as $U } from \"$m\";",
            "export function $f() { return new $U(); }",
            "export function $f(x: $T): $U { return x.$g().$h(); }",
            "function $f() { const x = $g(); x.$h(); return x; }",
            "export const $f = (x: $T) => x.$g();",
            "export class $T { $f() { return this.$g(); } x = new $U(); }",
            "export class $T extends $U { $f() { return super.$f(); } $h() { this.x.$g(); } }",
            "export interface $T { $f(): $U; $g: $T }",
            "export class $T implements $U { $f(): $U { return $g(); } }",
            "// only words: $f",
            "$f($g());",
            "export default function $f() { return $g; }",
            "export type $T = $U | Promise<$U>;",
            "export class $T { all = []; $f(x) { this.all.push(x); } $g() { this.all.forEach((x) => x()); } }",
            "export class $T { constructor(private cb) {} $f(x) { this.$g(x); this.cb(); } }",
            "export function $f(x: $T) { x.$g($h); x.$h(() => $f()); new $U($g); }",
            "function $f(x: $T) { x.on(\"$g\", $h); x.emit(\"$h\"); }",
            "export function $f(this: $T) { return function $g() { ($h as $U)(); $g(); }; }",
        ],
        Some("vue" | "svelte") => &[
            "<script>import { $T, $f } from \"$m\";</script>",
            "<script lang=\"ts\">import $T from \"$m\"; export function $f() { return $g(); }</script>",
            "<$T @click=\"$f($g)\" :a=\"$h\" on:b={$f} />",
            "{{ $f($g()) }}",
            "{$f($g())}",
            "<script>export default { methods: { $f() { this.$g(); $h(); } } };</script>",
            "<script>export default class $T { $f() { return this.$g(); } }</script>",
        ],
        Some("lua") => &[
            "local $T = require(\"$m\")",
            "local $T = {}",
            "$T = {}",
            "local $T = setmetatable({}, { __index = $U })",
            "local $T = class($U)",
            "function $T.$f() return $U.$g() end",
            "function $T:$f(x) self.x = $U.new() self.x:$g() self:$h(x) end",
            "function $T.new() return setmetatable({ x = $U.new() }, $T) end",
            "$T.$f = function() $T.new():$g() end",
            "$T.$f = wrap(function() $g() end)",
            "local function $f() return $g() end",
            "function $f() $g() $T.$h() end",
            "local $f\n$f = function() return $g end",
            "---@class $T : $U\n---@field x $U\nlocal red = {}\nfunction red:$f() self.x:$g() end",
            "---@param x $T\n---@return $U\nlocal function $f(x) return x:$g() end\n$f():$h()",
            "return $T",
            "return { $f = $g, $h = function() $f() end }",
            "-- $f",
        ],
        Some("ipynb") => &[
            "{\"cell_type\": \"code\", \"source\": [\"from $m import $T, $f\"]}",
            "{\"cell_type\": \"code\", \"source\": [\"def $f(x: $T):\\n\", \"  return x.$g()\\n\", \"$f($h())\"]}",
            "{\"cell_type\": \"code\", \"source\": \"%time $f()\\n$g($T())\"}",
            "{\"cell_type\": \"markdown\", \"source\": [\"$f()\"]}",
        ],
        Some("js") => &[
            "const { $f, $T } = require(\"$m\");",
            "import $f from \"$m\";",
            "function $f(x) { return new $T(x.$g()); }",
            "class $T extends $U { $f() { this.$g(); return this; } }",
            "module.exports = { $f, $g: $h, $T };",
            "export const $f = $g;",
            "$f($g, $h).$f();",
        ],
        Some("py") => &[
            "from $m import $T, $f",
            "from $m import *",
            "import $m",
            "from . import a as other\ndef $f(): return other.$g()",
            "def $f(x: $T) -> $U:\n    return x.$g()",
            "def $f():\n    y = $U()\n    y.$g()\n    return y",
            "class $T:\n    def $f(self):\n        return self.$g().$h()",
            "class $T($U):\n    x: $U\n    def $f(self):\n        super().$f()\n        return self.x",
            "class $T($U):\n    def __init__(self, x):\n        self.x = $g(x)\n    def __call__(self):\n        return self.x.$h()",
            "class $T:\n    def $f(self) -> te.Self: ...\n$T().$f().$g()",
            "$f().$g()",
            "# $f",
            "@$g\ndef $f():\n    return $T().$h()",
            "class $T:\n    def __init__(self, x):\n        self.x = x\n    def $f(self, x):\n        self.x.append(x)\n    def $g(self):\n        self.x()",
            "def $f(x: $T):\n    x.$g($h)\n    $U($g).on('$h', $f)\n    x.emit('$g')",
        ],
        Some("rs") => &[
            "mod a;\nmod b;",
            "use $m::$T;",
            "use $m::*;",
            "pub use $m::{$T, $f};",
            "pub struct $T { pub x: $U }",
            "impl $T { pub fn $f(&self) -> $U { self.$g() } pub fn new() -> Self { $h() } }",
            "pub trait $T { fn $f(&self) -> u32; fn $g(&self) { self.$f(); } }",
            "impl $T for $U { fn $f(&self) -> u32 { self.$g() } }",
            "pub fn $f(x: &$T) { x.$g(); $h(x); }",
            "pub fn $f() -> $T { let x = $U::new(); x.$g(); x.x.$h(); x }",
            "macro_rules! $f { () => { 1 } }\nfn $g() { $f!(); }",
            "pub mod inner { use super::*; pub fn $f() { $g(); } }",
            "pub enum $T { One($U), Two }\nfn $f(x: $T) { if let $T::One(y) = x { y.$g(); } }",
            "impl $T for Vec<$U> { fn $f(&self) -> u32 { self.len() } }",
        ],
        Some("go") => &[
            "import \"$m\"",
            "import . \"$m\"",
            "type $T struct { x $U }",
            "type $T struct { $U }",
            "type $T interface { Do$f() $U }",
            "func (t *$T) Do$f() $U { return t.x.Do$g() }",
            "func (t $T) Do$f() { $g(); t.Do$h() }",
            "func $f(x $T) $U { y := $g(x); return y.Do$h() }",
            "func $f() { sub.$g(); x := &$T{}; x.Do$h() }",
            "var $f = $g",
            "// $f",
        ],
        Some("kt") => &[
            "import $m.$T",
            "import $m.*",
            "import $m.$f",
            "class $T(val x: $U) { fun $f(): $U = x.$g() }",
            "open class $T : $U() { override fun $f() { super.$f(); $g() } }",
            "interface $T { fun $f(): $U\n fun $g() { $f() } }",
            "fun $T.$f(): $U = this.$g()",
            "fun $f(x: $T): $U { val y = $g(x); return y.$h() }",
            "object $T { fun $f() = $U().$g() }",
            "fun $f() { listOf($T()).map { it.$g() } }",
            "operator fun $T.invoke() { $f() }",
        ],
        Some("java") => &[
            "import $m.$T;",
            "import $m.*;",
            "class $T extends $U { $U x; $U $f() { return x.$g(); } }",
            "interface $T { $U $f(); }",
            "class $T implements $U { public $U $f() { return new $U().$g(); } static void $h() {} }",
            "enum $T { ONE; void $f() { $U.$h(); } }",
            "class $T { void $f($U x) {} void $f(String x) {} void $g($T x) { $f(x); $f(\"a\"); } }",
        ],
        Some("cs") => &[
            "using $m;",
            "using static $m.$T;",
            "using Red = $m.$U;",
            "global using $m;",
            "partial class $T { public $U X; $U $f() { return X.$g(); } }",
            "partial class $T : $U { public void $f() { base.$f(); $g(); } }",
            "class $T<T> where T : $U { T x; T $f() { x.$g(); return x; } }",
            "partial class $T : $U { }",
            "partial class $T { void $f() { $g(); this.$h(); } }",
            "partial class $T<X> where X : $U { }",
            "partial class $T<X> { void $f(X x) { x.$g(); } }",
            "interface $T { $U $f(); }",
            "static class Ext$T { public static $U $f(this $T x) => x.$g().$h(); }",
            "record $T($U Inner) { $U $f() => Inner.$g(); }",
            "delegate $T Made$U($U x);",
            "class Use$T { void $f($T a, List<$U> b) { a.$g(); foreach (var c in b) c.$h(); $U.$f(); } }",
            "// $f",
            "[$T] enum $U { One }",
        ],
        Some("php") => &[
            "use $m\\$T;",
            "use function $m\\$f;",
            "class $T extends $U { public function $f(): $U { parent::$f(); return $this->$g(); } }",
            "trait $T { public function $f() { return $this->$g(); } }",
            "class $T { use $U; private $U $x; function __construct(private $U $y) { $this->x->$f(); $this->y->$g(); } }",
            "interface $T { public function $f(): $U; }",
            "function $f($T $x): $U { $y = $g($x); return $y->$h(); }",
            "function $f() { return new $T(); }",
            "/** @return $U */\nfunction $f($x) { if ($x instanceof $T) { $x->$g(); } }",
            "class $T { /** @var $U[] */ private $all; static function $f(): static { return new static; } function $g() { foreach ($this->all as $a) { $a->$h(); } self::$f()->$g(); } }",
            "$f()->$g(); \\$m\\$f();",
            "// $f",
        ],
        Some("rb") => &[
            "require_relative \"$h\"\nrequire \"a\"",
            "module $T; def $f; $g; end; end",
            "module $T; class $U; def self.$f; new.$g; end; end; end",
            "class $T < $U; def $f; super; $g.$h; end; end",
            "class $T < $U; end",
            "class $T; include $U; end",
            "class $T; def $f; $g; end; end",
            "class $T; include $U; attr_accessor :$f; def $g; @x = $U.new; @x.$h; end; end",
            "class $T::$U; def $f; $T.$g; end; end",
            "module $T; module ClassMethods; def $f; $g; end; end; end",
            "class $T; extend $U; delegate :$f, to: :$g; class << self; def $h; new; end; end; end",
            "def $f(x); case x when $T then x.$g; else $h; end; end",
            "$f\n$T.$g.$h\n$T::$U.$f",
            "class $T; def $f; self.class.$g; end; alias $h $f; end",
            "# $f",
            "Red = Struct.new(:$f) do\n def $g; $f; end\nend",
        ],
        Some("swift") => &[
            "import $m",
            "class $T: $U { var x: $U?; override func $f() -> $U { super.$f(); return x!.$g() } }",
            "struct $T { let $f: $U; func $g(_ x: $T, with y: $U) { y.$h(); $f.$g() } }",
            "protocol $T { func $f() -> $U; func $g(_ x: $U) }",
            "extension $T { func $f() -> $U { self.$g(); return $U() } static func $h() { $f() } }",
            "extension $T: $U { func $f() { $g() } }",
            "extension Array where Element == $T { func $f() { first?.$g() } }",
            "func $f(_ x: $T) -> $U { let y = $g(x); y.$h(); return y }",
            "func $f(with x: $T) { $T($f: x).$g(x, with: x); Red.$h() }",
            "enum $T { case one($U), two\n func $f() { if case let .one(x) = self { x.$g() } } }",
            "typealias $T = $U",
            "// $f",
        ],
        Some("scala") => &[
            "import $m.$T",
            "import $m.{$T => $U, _}",
            "trait $T { def $f: $U; def $g(x: $U): $T = x.$h }",
            "class $T(val x: $U) extends $U { override def $f = x.$g(this) }",
            "case class $T($f: $U) { def $g: $T = copy($f).$h }",
            "object $T { def apply(x: $U): $T = new $T(x); def $f = $g() }",
            "object $T extends $U { def $f = $T(1).$g.$h }",
            "class Use$T(x: $T, all: List[$U]) { def $f = { all.map(_.$g); x.$h } }",
            "implicit class More$T(x: $T) { def $f: $U = x.$g }",
            "package object inner { type $T = $U; def $f(x: $T) = x.$g }",
            "// $f",
        ],
        _ => &[
            "#include \"$m\"",
            "struct $T { struct $U *x; };",
            "int $f(struct $T *x);",
            "int $f(struct $T *x) { return $g(x) + $h(x->x); }",
            "static int $f(void) { return $g(0); }",
            "typedef struct $T $U;",
            "#define $f(x) $g(x)",
            "void $f(void) { int (*p)(void) = $g; p(); }",
            "// $f",
            "namespace inner { class $T { public: int $f(); $U *x; }; }",
            "int inner::$T::$f() { return x->$g(); }",
            "using namespace inner;",
        ],
    }
}

fn head(path: &str) -> &'static str {
    match path {
        "go/sub/c.go" => "package sub\n",
        "kt/B.kt" => "package shop.b\n",
        "cs/A.cs" => "namespace Shop.A;\n",
        "cs/B.cs" => "namespace Shop.A;\n",
        "cs/C.cs" => "namespace Shop;\n",
        "php/a.php" => "<?php\nnamespace Shop\\A;\n",
        "php/b.php" => "<?php\nnamespace Shop\\B;\n",
        "php/c.php" => "<?php\n",
        "sc/A.scala" => "package shop.a\n",
        "sc/B.scala" => "package shop.b\n",
        "sc/C.scala" => "package shop\npackage a\n",
        _ if path.ends_with(".go") => "package shop\n",
        _ if path.ends_with(".kt") => "package shop.a\n",
        _ if path.ends_with(".java") => "package shop.a;\n",
        _ => "",
    }
}

#[derive(Clone, Debug)]
enum Edit {
    Insert(usize, usize, Piece),
    Remove(usize, usize),
    Replace(usize, usize, Piece),
    /// The content of one file in another place of the same language.
    Move(usize, usize),
    Delete(usize),
}

fn piece() -> impl Strategy<Value = Piece> {
    (0..64_usize, 0..12_usize, 0..12_usize, 0..60_usize).prop_map(|(kind, x, y, z)| Piece {
        kind,
        x,
        y,
        z,
    })
}

fn edit() -> impl Strategy<Value = Edit> {
    let file = || 0..FILES.len();
    prop_oneof![
        8 => (file(), 0..6_usize, piece()).prop_map(|(at, n, piece)| Edit::Insert(at, n, piece)),
        4 => (file(), 0..6_usize).prop_map(|(at, n)| Edit::Remove(at, n)),
        8 => (file(), 0..6_usize, piece()).prop_map(|(at, n, piece)| Edit::Replace(at, n, piece)),
        1 => (file(), file()).prop_map(|(from, to)| Edit::Move(from, to)),
        1 => file().prop_map(Edit::Delete),
    ]
}

type Tree = Vec<Option<Vec<Piece>>>;

fn start() -> impl Strategy<Value = Tree> {
    let file = prop_oneof![
        9 => prop::collection::vec(piece(), 1..7).prop_map(Some),
        1 => Just(None),
    ];
    prop::collection::vec(file, FILES.len())
}

fn apply(tree: &mut Tree, edit: &Edit) {
    match edit {
        Edit::Insert(file, at, piece) => {
            let pieces = tree[*file].get_or_insert_default();
            pieces.insert(*at % (pieces.len() + 1), *piece);
        }
        Edit::Remove(file, at) => {
            if let Some(pieces) = tree[*file].as_mut().filter(|pieces| !pieces.is_empty()) {
                pieces.remove(*at % pieces.len());
            }
        }
        Edit::Replace(file, at, piece) => {
            if let Some(pieces) = tree[*file].as_mut().filter(|pieces| !pieces.is_empty()) {
                let at = *at % pieces.len();
                pieces[at] = *piece;
            }
        }
        Edit::Move(from, to) => {
            let extension = |at: &usize| FILES[*at].rsplit('.').next();
            if extension(from) == extension(to) && from != to {
                tree[*to] = tree[*from].take();
            }
        }
        Edit::Delete(file) => tree[*file] = None,
    }
}

fn write(machine: &Machine, tree: &Tree, shown: &mut [Option<String>]) {
    for ((path, pieces), shown) in FILES.iter().zip(tree).zip(shown) {
        let text = pieces.as_ref().map(|pieces| {
            let lines = pieces.iter().map(|piece| piece.text(path) + "\n");
            if path.ends_with(".ipynb") {
                let cells: Vec<String> = lines.collect();
                return format!("{{\"cells\": [\n{}]}}\n", cells.join(","));
            }
            head(path).to_owned() + &lines.collect::<String>()
        });
        if *shown == text {
            continue;
        }
        match &text {
            Some(text) => machine.write(path, text),
            None => fs::remove_file(machine.root().join(path)).unwrap_or_default(),
        }
        *shown = text;
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(10)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 400, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_of_any_declaration_gives_the_graph_of_a_full_rebuild(
        mut tree in start(),
        rounds in prop::collection::vec(prop::collection::vec(edit(), 1..3), 1..10),
    ) {
        let machine = Machine::new();
        machine.write("go.mod", "module example.com/shop\n");
        machine.write("crate/Cargo.toml", "[package]\nname = \"crates\"\n");
        machine.write(
            "Package.swift",
            "// swift-tools-version: 5.9\nlet package = Package(name: \"Shop\", targets: [.target(name: \"Shop\"), .target(name: \"Till\", dependencies: [\"Shop\"])])\n",
        );
        let mut shown = vec![None; FILES.len()];
        write(&machine, &tree, &mut shown);
        machine.refresh();
        for round in rounds {
            let before = shown.clone();
            for edit in &round {
                apply(&mut tree, edit);
            }
            write(&machine, &tree, &mut shown);
            let index = machine.stored();
            let kept = exported(&index);
            prop_assert_eq!(index.warnings(), Vec::<String>::new());
            let anew = exported(&machine.index(None));
            if kept != anew {
                let lines = |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<String>>();
                let (kept, anew) = (lines(&kept), lines(&anew));
                let more: Vec<&String> = kept.difference(&anew).collect();
                let less: Vec<&String> = anew.difference(&kept).collect();
                prop_assert!(false, "{:?}\nkept only: {:#?}\nanew only: {:#?}\nbefore: {:#?}\nafter: {:#?}", round, more, less, before, shown);
            }
        }
    }
}
