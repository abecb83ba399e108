//! The audit of call expressions: what is an edge, an open call, excluded, or lost.

use std::{fs, path::Path, sync::Arc};

use pretty_assertions::assert_eq;
use retriever_graph::indexing::{CallGraphAudit, GraphIndex};
use retriever_workspace::{Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig};

/// Returns the audit of a folder with these files.
fn audit_of(folder: &str, files: &[(&str, &str)]) -> CallGraphAudit {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    drop(fs::remove_dir_all(&root));
    fs::create_dir_all(&root).unwrap();
    for (name, text) in files {
        fs::write(root.join(name), text).unwrap();
    }
    let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open(&root, &config.0, &config.1).unwrap();
    GraphIndex::new(Arc::new(workspace), None).audit(&Cancellation::new()).unwrap()
}

#[test]
fn every_call_expression_is_counted_once() {
    let files = [
        // An edge, an open call, a computed value, an import.
        ("a.js", "const b = require('b');\nfunction f() { f(); g(); f()(); }\n"),
        // A word of the language, and a type that is made outside.
        ("A.cs", "class A { object F() { var n = nameof(A); return new Outside(); } }\n"),
        // Names that values hold, and an array of pointers.
        ("b.php", "<?php\nnew $this->name();\n$this->{$this->name}();\n"),
        ("b.cpp", "struct B {};\nB** f(int n) { return new B*[n]; }\n"),
        // Of an outlined language only definitions are read.
        ("a.zig", "fn f() void {}\nfn g() void { f(); }\n"),
        // Code that is not the language's.
        ("broken.js", "({ get: g(d) { } })\n"),
        // What a wrapper of a property is given.
        ("a.swift", "func f() -> Int { 1 }\nstruct A { @Wrapped(f()) var a: Int }\n"),
    ];
    let audit = audit_of("audit", &files);
    let counts = [audit.calls, audit.edges, audit.open, audit.computed, audit.imports, audit.words];
    assert_eq!(counts, [12, 3, 2, 3, 1, 2], "{audit:?}");
    assert_eq!(audit.broken, 1, "{audit:?}");
    assert_eq!((audit.holes, audit.classes), (0, Vec::new()));
}

#[test]
fn calls_outside_of_statements_are_read() {
    let cases = [
        ("sizes.c", "int f(void);\nint rows[f()];\nint size = sizeof(f());\n"),
        (
            "types.cpp",
            "int f();\nusing A = decltype(f());\nauto g() noexcept(f()) -> B<f()> {\n  return a::b<decltype(f())>::c;\n}\n\
             template <class T, int N = f()>\nstruct alignas(f()) S {};\n\
             template <>\nstruct S<decltype(f())> {};\nvoid h(T* t) { new (f()) T(f()); t->~T(); t->template m<1>(); t->S<T>::n(); alignas(f()) int i; }\n",
        ),
        (
            "macros.cpp",
            "struct A : B {\n  A_OBJECT\n  A_PROPERTY(int x)\n public:\n  A() : B(f()) {}\n signals:\n  void f();\n public slots:\n  \
             void g();\n};\nA_FLAG(int64_t, name, 1, \"text\");\nA_FLAG(bool, other, f(), \"text\");\nclass C { int g() { return f(); } };\n",
        ),
        (
            "decorators.js",
            "const C = @outside(f()) class { @outside(f()) m() {} @outside(f()) n = 1; static @a.b(f()) get o() { return 1; } };\n",
        ),
        (
            "types.py",
            "def f(): pass\nA = T[int, f(), f()]\ndef g(a: T[int, f()], b: m.T[int, f()]): return a[1, f()]\n",
        ),
        (
            "annotations.kt",
            "@Outside(f()) class A @Outside(f()) constructor(@Outside(f()) val a: Int) {\n  \
             companion object : Base(f())\n  @Outside(f()) fun g(@Outside(f()) a: Int) = 1\n  \
             fun h(a: Any) = when { this is A -> f() to g<Int>(1); else -> a to g<Int>(2) }\n}\nfun f() = 1\n",
        ),
        (
            "directives.cs",
            "#:package Name\nvar a = F(() => G());\nclass A { object M() => new Func<int>(() => N()); int N() => 1; }\n\
             class B { void M() {\n  if (F()) { }\n#if A\n  else if (G() == F()) { }\n#endif\n  else if (H() == F()) { }\n} }\n",
        ),
        (
            "class_end.cpp",
            "struct A {\n  A_PUSH(1)\n  void f() { g(); }\n  A_POP()\n};\nvoid g();\nint rows[] = { A_ROW(g()) };\n",
        ),
        (
            "paths.scala",
            "object A { class B(a: Int)(b: Int) }\nobject C { def d = new A.B(1)(2) }\n",
        ),
        (
            "parameters.cpp",
            "struct A { int size(); };\ntemplate <class T> struct B { class C; };\n\
             auto f(A& a LIB_BOUND) noexcept -> decltype(g(a.size())) { return g(a.size()); }\n\
             int h(A* a LIB_KEPT(1), const A& b) { return f(*a); }\n\
             template <class T>\nclass LIB_VIEW B<T>::C {\n  int size() { return static_cast<int>(f(a)); }\n};\n",
        ),
        (
            "attributes.rs",
            "list! {\n  #[cfg(any(a, b))]\n  #[cfg_attr(a, doc(cfg(a)))]\n  Name<T>\n}\n\
             list! {\n  // Said.\n  #[cfg(any(a, b))]\n  pub fn f() { g(); }\n}\nfn g() {}\n",
        ),
        (
            "calls.lua",
            "local M = {}\nfunction M:f() self:g() M.h(M[1](2), M['i']()) (f or g)() end\nlocal s = ('x'):rep(2)\n\
             setmetatable(M, { __index = f() })\nlocal a, b = pcall(require, 'b')\nfor _, v in pairs(M.f()) do v() end\n\
             M.w = wrap(1, function() f'x' g{ h() } end)\nreturn { k = f(), [g()] = h() }\n",
        ),
        (
            "annotations.scala",
            "@Category(Array(classOf[Slow])) class A { @deprecated(said(1)) def f = g() }\n",
        ),
        ("macro_text.cpp", "#define A(x) \\\n  f(x); /* said */ \\\n  g(x);\nvoid h() { f(1); }\n"),
        (
            "sole.cpp",
            "void f(int n) { LIB_UNUSED(n, f(1)) }\nint h() { int n __attribute__((unused)) = g(); return n; }\nusing A = int(B::*);\nint g() { return f(1); }\n",
        ),
        (
            "bodies.cpp",
            "void T::f(int a, int b)\n{\n    LIB_UNUSED(a)\n    LIB_UNUSED(b)\n}\nvoid g(int a) { LIB_UNUSED(a) LIB_USED(h(a)) }\n",
        ),
        (
            "heads.cpp",
            "struct A : B {\n  A(int n) try : B(f(n)) {} catch (const E& e) { g(e.h()); }\n};\n\
             class LIB_API [[nodiscard]] C {\n public:\n  C();\n  void i() { if (f(1)) g(2); }\n};\n",
        ),
        (
            "strings.c",
            "char *a[] = { TWICE(\"b\") \",\" TWICE(\"c\"), _(\"d\") \"e\" _(\"f\") };\n",
        ),
        ("nested.cs", "class A { object F() => new List<int>.Enumerator(); }\n"),
        ("enum.ts", "function f() { return 1; }\nenum E { A = f() }\n"),
        ("fields.ts", "class A {\n  @field(f()) a = 1;\n  b() { return this.c!(); }\n}\n"),
        ("lengths.rs", "const fn f() -> usize { 1 }\nstruct A([u8; f()]);\n"),
        (
            "conversions.scala",
            "trait ~>[F[_], G[_]] { def apply[A](a: F[A]): G[A] }\nobject A {\n  def f = new (List ~> Option) { def apply[B](b: List[B]) = h(1) }\n  \
             def g = new (A.C)(2)\n  class C(n: Int)\n}\n",
        ),
        ("callables.php", "<?php\n$a = strlen(...);\n$b = $c->d(...);\n$e = F::g( ... );\n"),
        (
            "instances.go",
            "package p\nfunc f[T any](a int) func(int) int { return nil }\nfunc g() { f[int](1)(2); h[m.N](1)(f[int](2)(3)) }\n",
        ),
        ("defaults.rb", "F = ->(a, b = f(1), c: f(2)) { f(3) }\ndef f(a) = g { |b = f(4)| b }\n"),
        ("operands.swift", "func f() -> Int? { try 1 + a.g(1) }\nfunc g() { b ?? a.h { 1 } }\n"),
    ];
    for (name, text) in cases {
        let audit = audit_of("unread", &[(name, text)]);
        assert_eq!((audit.holes, &audit.classes), (0, &Vec::new()), "{name}");
    }
}

#[test]
fn calls_at_any_depth_are_read() {
    let branches = "else if (!strcmp(a, \"b\")) {\n f(g(a), h.i(a));\n}\n";
    let chain = format!("void k(char *a) {{\nif (l(a)) {{}}\n{}}}\n", branches.repeat(100));
    let audit = audit_of("depth", &[("chain.c", chain.as_str())]);
    assert_eq!((audit.calls, audit.holes, audit.omitted), (401, 0, 0), "{audit:?}");
}

#[test]
fn lines_that_the_grammar_skips_are_counted() {
    let torn = "package a\n\nclass Torn\nstray constructor(val size: Int) {\n    fun near() = far()\n    fun far() = 1\n}\n";
    let whole = "package a\n\nclass Whole(val size: Int) {\n    fun near() = far()\n}\n";
    let audit = audit_of("audit_skipped", &[("Torn.kt", torn), ("Whole.kt", whole)]);
    assert_eq!((audit.skipped, audit.skipped_in), (2, vec!["Torn.kt:5".to_owned()]));
}
