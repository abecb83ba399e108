//! The code graph of C#: namespaces, partial and generic types, extension methods, and what must stay unbound.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, Graph, LookupTarget, NameLookup, NodeKind};

use crate::support::{check, check_cases, check_some, edges, graph_of};

#[test]
fn namespaces_usings_and_aliases_lead_to_types() {
    check(
        r#"
//- /src/Core/Shape.cs
namespace Acme.Core;
public abstract class Shape : IComparable<Shape>
{
    protected readonly Helper _helper = new();
    public abstract double Area();
    public double Twice() => _helper.Twice(Area());
    public Helper Helper { get; set; }
    public double Wide => Helper.Twice(1, 2);
}
//- /src/Core/Helper.cs
namespace Acme.Core
{
    public class Helper
    {
        public double Twice(double x) { return x * 2; }
        public double Twice(double x, int n) { return Of().Twice(x); }
        public static Helper Of() => new Helper();
    }
}
//- /src/App/Main.cs
using System;
using Acme.Core;
using static Acme.App.Util;
using Made = Acme.Core.Helper;
namespace Acme.App
{
    class Main
    {
        private readonly Other other;
        public void Run(Shape shape, List<Shape> shapes)
        {
            foreach (var s in shapes) s.Area();
            var made = new Made();
            made.Twice(2);
            Check(shape?.Twice() ?? 1);
            Core.Helper.Of().Twice(3, 4);
            if (other.Get() is Shape { Wide: 1 } found) found.Twice();
            Console.WriteLine("x"); other.Run(); Missing(); Util.Missing(); Helper.None();
        }
    }
}
//- /src/App/Util.cs
namespace Acme.App { static class Util { public static void Check(double x) { } } }
"#,
        &[
            "Acme.App.Main.Run -> Acme.App.Util.Check",
            "Acme.App.Main.Run -> Acme.Core.Helper",
            "Acme.App.Main.Run -> Acme.Core.Helper.Of",
            "Acme.App.Main.Run -> Acme.Core.Helper.Twice ~",
            "Acme.App.Main.Run -> Acme.Core.Shape.Area ~",
            "Acme.App.Main.Run -> Acme.Core.Shape.Twice",
            "Acme.Core.Helper.Of -> Acme.Core.Helper",
            "Acme.Core.Helper.Twice -> Acme.Core.Helper.Of",
            "Acme.Core.Helper.Twice -> Acme.Core.Helper.Twice ~",
            "Acme.Core.Shape -> Acme.Core.Helper",
            "Acme.Core.Shape.Twice -> Acme.Core.Helper.Twice",
            "Acme.Core.Shape.Twice -> Acme.Core.Shape.Area",
            "Acme.Core.Shape.Wide -> Acme.Core.Helper.Twice",
        ],
    );
}

#[test]
fn parts_of_a_type_are_one_and_arities_keep_types_apart() {
    let project = r#"
//- /Pipe.cs
namespace P;
public partial class Pipe : Base { public void Run() { Step(); Log(); } }
public partial class Pipe<T> where T : Base, IStep
{
    T inner;
    public T Get() { inner.Log(); inner.Go(); return inner; }
}
public interface IStep { void Go(); }
//- /Pipe.Steps.cs
namespace P;
partial class Pipe { void Step() { Run(); new Pipe<Leaf>().Get().Only(); } }
public class Base { public void Log() { } }
public class Leaf : Base, IStep { public void Go() { } public void Only() { base.Log(); } }
"#;
    check(
        project,
        &[
            "P.Leaf.Only -> P.Base.Log",
            "P.Pipe.Get -> P.Base.Log",
            "P.Pipe.Get -> P.IStep.Go",
            "P.Pipe.Run -> P.Base.Log",
            "P.Pipe.Run -> P.Pipe.Step",
            "P.Pipe.Step -> P.Leaf.Only ~",
            "P.Pipe.Step -> P.Pipe",
            "P.Pipe.Step -> P.Pipe.Get ~",
            "P.Pipe.Step -> P.Pipe.Run",
        ],
    );
    assert_eq!(
        edges(&graph_of(project), EdgeKind::Implements),
        ["P.Leaf -> P.IStep", "P.Leaf.Go -> P.IStep.Go"]
    );
}

#[test]
fn extension_methods_need_their_namespace_and_a_fitting_receiver() {
    check(
        r#"
//- /Ext.cs
namespace Lib.Extensions;
public static class Ext
{
    public static Thing Twice(this Thing thing) => thing.Once();
    public static T Tap<T>(this T value) where T : Thing => value;
    public static int Words(this string text) => 1;
    public static Thing First(this IEnumerable<Thing> things) => null;
}
//- /Thing.cs
namespace Lib;
public class Thing { public Thing Once() => this; public int Words() => 1; }
public class Sub : Thing { public void Own() { } }
//- /Use.cs
using Lib;
using Lib.Extensions;
namespace App;
class Use
{
    void Run(Thing thing, Sub sub, List<Sub> subs, dynamic any, Uri uri)
    {
        thing.Twice().Twice();
        sub.Tap().Own();
        thing.Words(); "text".Words(); subs.First();
        any.Twice(); uri.Twice(); uri.Tap(); uri.Words(); 
        Ext.Twice(thing);
    }
}
//- /Blind.cs
namespace App;
class Blind { void Run(Lib.Thing thing) { thing.Twice(); thing.Once(); } }
"#,
        &[
            "App.Blind.Run -> Lib.Thing.Once",
            "App.Use.Run -> Lib.Extensions.Ext.First",
            "App.Use.Run -> Lib.Extensions.Ext.Tap",
            "App.Use.Run -> Lib.Extensions.Ext.Twice",
            "App.Use.Run -> Lib.Extensions.Ext.Twice ~",
            "App.Use.Run -> Lib.Extensions.Ext.Words",
            "App.Use.Run -> Lib.Sub.Own ~",
            "App.Use.Run -> Lib.Thing.Words",
            "Lib.Extensions.Ext.Twice -> Lib.Thing.Once",
        ],
    );
}

#[test]
fn overloads_follow_the_number_and_kind_of_arguments() {
    let graph = graph_of(
        r#"
//- /A.cs
class Row { } class Cell { }
class A
{
    void Take(Row row) { }
    void Take(Cell cell) { }
    void Take(Func<Row, int> one) { }
    void Take(Func<Row, Row, int> two) { }
    void Take<T>(int x) { }
    void Row() { Take(new Row()); }
    void Cell() { Take(new Cell()); }
    void One() { Take(r => 1); }
    void Two() { Take((r, s) => 1); }
    void Generic() { Take<int>(1); }
    public override bool Equals(object other) => Equals(this, other);
}
"#,
    );
    let mut found: Vec<(String, u32)> = graph
        .edges()
        .filter(|edge| edge.kind == EdgeKind::Calls)
        .map(|edge| (graph.node(edge.from).unwrap(), graph.node(edge.to).unwrap()))
        .filter(|(_, to)| to.name == "Take")
        .map(|(from, to)| (from.name.clone(), to.start))
        .collect();
    found.sort();
    let expected = [("Cell", 5), ("Generic", 8), ("One", 6), ("Row", 4), ("Two", 7)];
    assert_eq!(found, expected.map(|(name, line)| (name.to_owned(), line)));
    assert!(!edges(&graph, EdgeKind::Calls).iter().any(|edge| edge.contains("-> A.Equals")));
}

#[test]
fn a_project_file_opens_types_and_dictionaries_hold_values() {
    check(
        r#"
//- /A.csproj
<Project><ItemGroup>
<Using Include="Data" /><Using Include="Data.Tools" Static="true" />
</ItemGroup><ImplicitUsings>enable</ImplicitUsings></Project>
//- /Clock.cs
namespace System; class Clock { public void Tick() { } }
//- /Data.cs
namespace Data;
public class Row { public void Save() { } }
public static class Tools
{
    public static Row Made() => new();
    public static void Sealed(this Row row) { }
}
//- /App.cs
namespace App;
class App
{
    private readonly Dictionary<string, Row> rows = new();
    void Run()
    {
        foreach (var row in rows.Values) row.Save();
        Made().Sealed();
    }
    void Wait(Clock clock) => clock.Tick();
}
"#,
        &[
            "App.App.Run -> Data.Row.Save ~",
            "App.App.Run -> Data.Tools.Made",
            "App.App.Run -> Data.Tools.Sealed ~",
            "App.App.Wait -> System.Clock.Tick",
        ],
    );
}

#[test]
fn values_get_types_from_results_lambdas_tasks_patterns_and_queries() {
    check(
        r#"
//- /A.csproj
<Project><ItemGroup><Using Include="Data" /></ItemGroup></Project>
//- /Data.cs
namespace Data;
public record Row(Cell Cell, int N) : Base(N) { public void Save() { Cell.Clear(); } }
public record Base(int N);
public class Cell { public void Clear() { } public Cell this[int i] => this; }
public delegate void Handler(Row row);
public class Store
{
    private readonly Dictionary<string, Row> rows = new();
    public async Task<Row> Load(string id) { await Task.Delay(1); return rows[id]; }
    public void Each(Func<Row, bool> take, Handler handler) { handler(null); }
    public bool Try(string id, out Row row) { row = null; return true; }
    event Handler Changed { add { Forget(); } remove { } }
    void Forget() { }
}
//- /App.cs
namespace App;
class App(Store store)
{
    async Task Run()
    {
        var row = await store.Load("x");
        row.Save(); row.Cell[1].Clear();
        store.Each(r => { r.Save(); return true; }, r => r.Save());
        if (store.Try("x", out Row other)) other.Save();
        object any = row;
        switch (any) { case Cell cell: cell.Clear(); break; }
        var n = any switch { Row { N: 1 } r => Count(r), _ => 0 };
        var all = new List<Row>();
        var cells = from r in all select r.Cell;
        foreach (var c in cells) c.Clear();
        foreach (var c in all.Where(r => r.N > 1).Select(r => r.Cell)) c.Clear();
        var (first, second) = (new Cell(), 1); first.Clear();
        int Count(Row r) => r.GetHashCode();
    }
}
"#,
        &[
            "App.App.Run -> App.App.Run.Count",
            "App.App.Run -> Data.Cell",
            "App.App.Run -> Data.Cell.Clear",
            "App.App.Run -> Data.Cell.Clear ~",
            "App.App.Run -> Data.Row.Save",
            "App.App.Run -> Data.Row.Save ~",
            "App.App.Run -> Data.Store.Each",
            "App.App.Run -> Data.Store.Load",
            "App.App.Run -> Data.Store.Try",
            "Data.Row -> Data.Base",
            "Data.Row.Save -> Data.Cell.Clear",
            "Data.Store.Changed -> Data.Store.Forget",
        ],
    );
}

#[test]
fn definitions_have_kinds_signatures_and_the_first_line_of_their_docs() {
    let graph = graph_of(
        r#"
//- /A.cs
namespace N;
/// <summary>
/// Does <b>things</b>.
/// </summary>
[Marked]
public sealed class A
{
    /// <summary>Goes.</summary>
    internal static async Task<int> Go<T>(this A a, params int[] rest) { return 1; }
    public int Size { get; }
}
public class MarkedAttribute : Attribute { }
enum Color { Red, Green }
struct Point { }
//- /B.cs
namespace N { class Top { } }
namespace N.Inner { class Deep { void Call() { A.Go(null); new Top(); } } }
class Loose { }
"#,
    );
    let view: &Graph = &graph;
    let found = |name: &str| match view.lookup(LookupTarget { name, ..LookupTarget::default() }) {
        NameLookup::One(id) => graph.node(id).unwrap().clone(),
        other => panic!("{name}: {other:?}"),
    };
    let go = found("A.Go");
    assert_eq!((go.doc.as_str(), go.is_async, go.is_method), ("Goes.", true, true));
    assert_eq!(go.signature, "internal static async Task<int> Go<T>(this A a, params int[] rest)");
    let a = found("N.A");
    assert_eq!((a.doc.as_str(), a.signature.as_str()), ("Does things.", "public sealed class A"));
    let kinds = ["Size", "Color", "Red", "Point"].map(|name| found(name).kind);
    assert_eq!(kinds, [NodeKind::Field, NodeKind::Enum, NodeKind::Variant, NodeKind::Struct]);
    assert_eq!(edges(&graph, EdgeKind::DecoratedBy), ["N.A -> N.MarkedAttribute ~"]);
    assert_eq!(
        edges(&graph, EdgeKind::Calls),
        ["N.Inner.Deep.Call -> N.A.Go", "N.Inner.Deep.Call -> N.Top"]
    );
    assert_eq!(found("Loose").qname, "Loose");
}

#[test]
fn what_a_constructor_without_its_type_is_given_is_read() {
    check(
        "
//- /A.cs
record Item(int n);
class A
{
    static int Helper() => 1;
    static int Other() => 2;
    Item Make(bool first) { return first ? new(Helper()) : new(n: Other()); }
}
",
        &["A.Make -> A.Helper", "A.Make -> A.Other"],
    );
}

#[test]
fn what_the_grammar_misreads_tears_no_type_apart() {
    let project = r#"
//- /Center.cs
namespace Acme.Core
{
    public class Center
    {
        public int Size => 1;
        public Center(string name) { Log($@"a ""{name}"""); }
        public void Text(int x) { var s = $@"{{a}} ""{x}"" ""{Name("b", '"')}"""; Log(s); }
        public void Raw() { var s = @"""" + """a " b""" + $"c {Name(@"d""", 'e')}\""; /* " */ Log(s); } // "
        public void After(Center other) { other.Log(@$"e ""{Size}"""); }
        public string Name(string a, char b) => a;
        private void Log(string s) { }
    }
    public ref partial struct Span { public void Cut() { Take(); } }
    public ref struct Twin { }
    public static class Twins { public static void Turn(this ref Twin twin) { twin.Turn(); } }
}
//- /api/Core.cs
namespace Acme.Core { public ref partial struct Twin { } }
//- /Part.cs
namespace Acme.Core { public ref partial struct Span { void Take() { } } }
//- /Use.cs
using Acme.Core;
namespace Acme.App { class Use { void Run() { var center = new Center("a"); center.Text(1); center.After(center); } } }
"#;
    check(
        project,
        &[
            "Acme.App.Use.Run -> Acme.Core.Center",
            "Acme.App.Use.Run -> Acme.Core.Center.After ~",
            "Acme.App.Use.Run -> Acme.Core.Center.Text ~",
            "Acme.Core.Span.Cut -> Acme.Core.Span.Take",
            "Acme.Core.Twins.Turn -> Acme.Core.Twins.Turn",
            "Acme.Core.Center.After -> Acme.Core.Center.Log",
            "Acme.Core.Center.Center -> Acme.Core.Center.Log",
            "Acme.Core.Center.Raw -> Acme.Core.Center.Log",
            "Acme.Core.Center.Raw -> Acme.Core.Center.Name",
            "Acme.Core.Center.Text -> Acme.Core.Center.Log",
            "Acme.Core.Center.Text -> Acme.Core.Center.Name",
        ],
    );
}

/// Each file has a conditional where the grammar has none; what it holds and what follows it stay members of their type.
#[test]
fn conditionals_around_heads_and_parts_of_lists_tear_nothing_apart() {
    let common = r#"
//- /Helper.cs
namespace Acme; static class Helper { public static int A(object x = null) => 1; public static int B(object x = null) => 2; public static void Go() { } }
//- /Box.cs
"#;
    let after = "public void After() { Helper.Go(); }";
    let go = "Acme.Box.After -> Acme.Helper.Go";
    let (a, b) = ("Acme.Box.Run -> Acme.Helper.A", "Acme.Box.Run -> Acme.Helper.B");
    let cases = [
        // Heads of types, of which the bodies are common.
        (
            "namespace Acme { public class Box\n#if X\n : IOne\n#else\n : ITwo\n#endif\n { AFTER } }",
            go,
            "",
        ),
        (
            "namespace Acme { public class Box : One\n#if X\n , IOne\n#endif\n#if Y\n , ITwo\n#endif\n { AFTER } }",
            go,
            "",
        ),
        (
            "#if X\nnamespace Acme.Sub {\n#else\nnamespace Acme {\n#endif\n class Box { AFTER }\n}",
            "Acme.Sub.Box.After -> Acme.Helper.Go",
            go,
        ),
        (
            "#if !X\nnamespace Acme {\n#else\nnamespace Acme;\n#endif\n class Box { AFTER }\n#if !X\n}\n#endif\n",
            go,
            "",
        ),
        (
            "namespace Acme; class Box {\n#if X\n public unsafe\n#else\n internal\n#endif\n void Run() { Helper.A(); } AFTER }",
            a,
            "",
        ),
        (
            "namespace Acme; class Box {\n#if X\n void Run(int x)\n#elif Y\n void Run(string x)\n#else\n void Run()\n#endif\n { Helper.A(); } AFTER }",
            a,
            "",
        ),
        (
            "namespace Acme; class Box {\n#if X\n void Run() { if (Y) { Helper.A();\n#else\n void Run() { { Helper.B();\n#endif\n } } AFTER }",
            a,
            b,
        ),
        (
            "namespace Acme; class Box { int Run() =>\n#if !X\n Helper.A();\n#else\n Helper.B();\n#endif\n AFTER }",
            b,
            a,
        ),
        (
            "namespace Acme; interface Box { void Run()\n#if X\n { Helper.A(); }\n#else\n ;\n#endif\n AFTER }",
            a,
            "",
        ),
        (
            "namespace Acme; class Box { [One]\n#if X\n[Two]\n#endif\n void Run() { Helper.A(); } AFTER }",
            a,
            "",
        ),
        // Parts of lists: all of them are left.
        (
            "namespace Acme; class Box { void Run(int x) { switch (x) { case 1: return;\n#if X\n case 2: Helper.A(); return;\n#else\n case 3: Helper.B(); return;\n#endif\n default: return; } } AFTER }",
            b,
            "",
        ),
        (
            "namespace Acme; class Box { void Run(int x) { var y = new[] { 1,\n#if X\n Helper.A(),\n#else\n Helper.B(),\n#endif\n 2 }; } AFTER }",
            b,
            "",
        ),
        (
            "namespace Acme; class Box { int Run { get { return Helper.A(); }\n#if X\n set { Helper.B(); }\n#endif\n } AFTER }",
            b,
            "",
        ),
        (
            "namespace Acme; enum Kind { One,\n#if X\n Two,\n Three,\n#endif\n Four } class Box { void Run() { Helper.A(); } AFTER }",
            a,
            "",
        ),
        // Statements and expressions.
        (
            "namespace Acme; class Box { void Run(int x) {\n#if X\n if (x > 1) { Helper.A(); } else\n#endif\n { Helper.B(); } } AFTER }",
            b,
            "",
        ),
        (
            "namespace Acme; class Box { void Run(int x) { if (x > 1) { }\n#if X\n else if (x > 0) { Helper.A(); }\n#endif\n else { Helper.B(); } } AFTER }",
            a,
            "",
        ),
        (
            "namespace Acme; class Box { void Run(int x) { Helper.A(x\n#if X && (Y || !Z)\n .A()\n#endif\n ); } AFTER }",
            a,
            "",
        ),
        (
            "namespace Acme; class Box { void Run(int x) { Helper.A(\n# if false\n Helper.B()\n# else\n 3\n# endif // \"\n ); } AFTER }",
            a,
            "",
        ),
        (
            "namespace Acme; class Box { int Run() =>\n# if false || !X\n Helper.B();\n# else\n Helper.A();\n# endif // \"\n AFTER }",
            a,
            b,
        ),
        // What the grammar reads keeps all of its branches.
        (
            "namespace Acme; class Box {\n#if X\n void Run() { Helper.A(); }\n#else\n void Run(int x) { Helper.B(); }\n#endif\n int Odd =>\n#if X\n 1;\n#else\n 2;\n#endif\n AFTER }",
            b,
            "",
        ),
        (
            "namespace Acme; class Box { string Run() { Helper.A(); return $@\"\n#if X\n {Helper.B()}\n\"; }\n int Odd =>\n#if X\n 1;\n#else\n 2;\n#endif\n AFTER }",
            b,
            "",
        ),
        // The type of a cast is no product.
        (
            "namespace Acme; class Box { unsafe int Run(int x) { var y = *(int*)&x; return *(Kind**)&y + Helper.A(); } AFTER }",
            a,
            "",
        ),
    ];
    for (case, present, absent) in cases {
        let case = case.replace("AFTER", after);
        let lost = if absent == go || present.contains(".Sub.") { present } else { go };
        check_cases(common, &[(&case, (present, absent)), (&case, (lost, ""))]);
    }
}

#[test]
fn members_that_an_error_tears_from_their_type_hide_no_type() {
    let project = r#"
//- /Broken.cs
using Acme.Core;
namespace Acme.App
{
    class Broken
    {
        void A() { if (x { }
    }
    public Center Center { get; }
    public Center(int a) { }
    public void Store() { }
}
//- /Core.cs
namespace Acme.Core { public class Center { public void Go() { } } public class Store { public void Put() { } } }
//- /Use.cs
using Acme.Core;
namespace Acme.App { class Use { void Run(Center center, Store store) { center.Go(); store.Put(); } } }
"#;
    let all = edges(&graph_of(project), EdgeKind::Calls);
    for edge in
        ["Acme.App.Use.Run -> Acme.Core.Center.Go", "Acme.App.Use.Run -> Acme.Core.Store.Put"]
    {
        assert!(all.iter().any(|found| found == edge), "{edge}: {all:#?}");
    }
}

#[test]
fn variables_that_calls_set_have_the_types_of_the_parameters() {
    check(
        r#"
//- /Found.cs
using System.Collections.Generic;
namespace Acme;
public class Item { public void Use() { } public Item Next() => this; }
public class Store<T> { public bool TryTake(string key, out T found) { found = default; return true; } }
public static class Reading
{
    public static bool TryFirst<T>(this List<T> list, out T first) { first = list[0]; return true; }
    public static bool TryRead(string text, out int number) { number = 1; return true; }
    public static bool TryRead(string text, bool strict, out Item item) { item = null; return true; }
}
public class Reader
{
    private readonly Dictionary<string, Item> items = new();
    private readonly Store<Item> store = new();
    bool Own(out Item item) { item = new Item(); return true; }
    bool Each(out List<Item> all) { all = null; return true; }
    void ByOwn() { if (Own(out var item)) item.Use(); }
    void ByWritten() { Own(out Item item); item.Use(); }
    void ByList() { if (Each(out var all)) foreach (var one in all) one.Use(); }
    void ByMap() { if (items.TryGetValue("a", out var item)) item.Use(); }
    void ByGeneric() { store.TryTake("a", out var item); item.Next().Use(); }
    void ByExtension(List<Item> list) { list.TryFirst(out var item); item.Use(); }
    void ByOverload() { Reading.TryRead("a", true, out var item); item.Use(); }
    void Unknown(Elsewhere other) { other.TryGet(out var item); item.Use(); }
}
"#,
        &[
            "Acme.Reader -> Acme.Store",
            "Acme.Reader.ByExtension -> Acme.Item.Use ~",
            "Acme.Reader.ByExtension -> Acme.Reading.TryFirst",
            "Acme.Reader.ByGeneric -> Acme.Item.Next ~",
            "Acme.Reader.ByGeneric -> Acme.Item.Use ~",
            "Acme.Reader.ByGeneric -> Acme.Store.TryTake",
            "Acme.Reader.ByList -> Acme.Item.Use ~",
            "Acme.Reader.ByList -> Acme.Reader.Each",
            "Acme.Reader.ByMap -> Acme.Item.Use ~",
            "Acme.Reader.ByOverload -> Acme.Item.Use ~",
            "Acme.Reader.ByOverload -> Acme.Reading.TryRead",
            "Acme.Reader.ByOwn -> Acme.Item.Use ~",
            "Acme.Reader.ByOwn -> Acme.Reader.Own",
            "Acme.Reader.ByWritten -> Acme.Item.Use",
            "Acme.Reader.ByWritten -> Acme.Reader.Own",
            "Acme.Reader.Own -> Acme.Item",
        ],
    );
}

#[test]
fn what_a_library_makes_or_holds_has_the_type_that_is_written() {
    let project = r"
//- /App.cs
namespace App;
public class Item { public Item() { } public void Go() { } }
public interface ITake<T> { void Take(T value); }
public class Take : ITake<string> { public void Take(string value) { } }
public class Run {
    Lazy<Item> later;
    ";
    let (goes, takes) = (("App.Run.F -> App.Item.Go", ""), ("App.Run.F -> App.ITake.Take", ""));
    let cases = [
        ("void F() { later.Value.Go(); } }", goes),
        ("void F() { later.Go(); } }", ("", "App.Run.F -> App.Item.Go")),
        ("void F() { Lazy<Item> l = new(() => null); } }", ("", "App.Run.F -> App.Item.Item")),
        ("void F(Task<Item> t) { t.Result.Go(); } }", goes),
        ("void F(Task<Item> t) { t.GetAwaiter().GetResult().Go(); } }", goes),
        ("void F(IServiceProvider p) { p.GetRequiredService<Item>().Go(); } }", goes),
        ("void F(IServiceProvider p) { var i = p.GetService<Item>(); i?.Go(); } }", goes),
        (
            "void F(IServiceProvider p) { foreach (var t in p.GetServices<ITake<string>>()) { t.Take(null); } } }",
            takes,
        ),
    ];
    check_cases(project, &cases);
}

#[test]
fn an_event_of_a_class_is_that_of_its_interface() {
    let graph = graph_of(
        r#"
//- /App.cs
namespace App;
public interface ISession { event EventHandler<string> Ended; event EventHandler<string> Begun; }
public class Session : ISession {
    public event EventHandler<string> Ended;
    public event EventHandler<string> Begun;
    public void End() { Ended?.Invoke(this, "x"); }
}
public class Listener {
    private readonly ISession _session;
    public Listener(ISession session) { _session = session; _session.Ended += OnEnded; }
    private void OnEnded(object sender, string value) { }
}
"#,
    );
    let triggers = edges(&graph, EdgeKind::Triggers);
    let expected = [
        "App.ISession.Ended -> App.Listener.OnEnded ?",
        "App.Session.End -> App.ISession.Ended ?",
        "App.Session.End -> App.Session.Ended ?",
    ];
    assert_eq!(triggers, expected);
}

#[test]
fn an_extension_of_an_outside_type_takes_the_property_of_its_name() {
    check_cases(
        r"
//- /Ext.cs
namespace App;
public static class Ext {
    public static string Address(this HttpContext context) => null;
    public static string Other(this Item item) => null;
}
public class Item { }
//- /Case.cs
namespace App;
public class Control : ControllerBase { void F(object unknown) { ",
        &[
            ("HttpContext.Address(); } }", ("App.Control.F -> App.Ext.Address", "")),
            ("Request.HttpContext.Address(); } }", ("App.Control.F -> App.Ext.Address", "")),
            ("Request.Address(); } }", ("", "App.Control.F -> App.Ext.Address")),
            ("Request.Item.Other(); } }", ("", "App.Control.F -> App.Ext.Other")),
            // An extension is not called through its type.
            (
                "} }\npublic class Plain { void F() { HttpContext.Address(); } }",
                ("", "App.Plain.F -> App.Ext.Address"),
            ),
        ],
    );
}

#[test]
fn a_method_overrides_the_one_of_its_parameters_past_the_type_between() {
    let graph = graph_of(
        r"
//- /App.cs
namespace App;
public interface IRequest<T> { }
public abstract class Base { public abstract object Handle(object r, int c); }
public abstract class Wrapper<T> : Base { public abstract T Handle(IRequest<T> r, int c); }
public class Impl<R, T> : Wrapper<T> {
    public override object Handle(object r, int c) => Handle((IRequest<T>)r, c);
    public override T Handle(IRequest<T> r, int c) { return default; }
}
",
    );
    assert_eq!(
        edges(&graph, EdgeKind::Inherits),
        [
            "App.Impl -> App.Wrapper",
            "App.Impl.Handle -> App.Base.Handle",
            "App.Impl.Handle -> App.Wrapper.Handle",
            "App.Wrapper -> App.Base",
        ]
    );
}

#[test]
fn what_queries_and_containers_give_has_the_type_that_they_say() {
    let case = |body| (body, ("App.C.F -> App.IRun.Run", "App.C.F -> App.Other.Run"));
    check_cases(
        r"
//- /Case.cs
namespace App;
public interface IRun { int Run(Next n); IRun Copy(); }
public class Other { public int Run(Next n) => 1; }
public delegate int Next();
public record Pair(IRun A, Other B);
public class C { void F(IEnumerable<IRun> all, Next last, IContainer c, List<Other> others) {
",
        &[
            case("all.Aggregate(last, (next, r) => () => r.Run(next))(); } }"),
            case("all.GroupBy(r => r.Copy()).Select(g => g.First()).First().Run(last); } }"),
            case("foreach (var g in all.GroupBy(r => 1)) foreach (var r in g) r.Run(last); } }"),
            case("all.Chunk(2).First()[0].Run(last); } }"),
            case("foreach (var (r, o) in all.Zip(others)) r.Run(last); } }"),
            case("others.OfType<IRun>().First().Run(last); } }"),
            case("others.Cast<IRun>().ToList().ForEach(r => r.Run(last)); } }"),
            case("c.GetInstance<IRun>().Run(last); } }"),
            case("var r = c.Resolve<IRun>(); r.Run(last); } }"),
            case("Action<IRun> run = r => r.Run(last); } }"),
            ("} Func<IRun, int> G = r => r.Run(null); }", ("App.C -> App.IRun.Run", "")),
            case("(await Task.Run(() => all.First())).Run(last); } }"),
            case("Pair p = null; var q = p with { B = null }; q.A.Run(last); } }"),
            (
                "all.GroupBy(r => r, r => others[0]).First().First().Run(last); } }",
                ("", "App.C.F -> App.IRun.Run"),
            ),
        ],
    );
}

#[test]
fn a_member_of_an_interface_by_its_full_name_calls_its_namesakes() {
    check_some(
        r"
//- /App.cs
namespace App;
public interface IHandler<T> { void Handle(T n, int c); }
public abstract class Handler<T> : IHandler<T> {
    void IHandler<T>.Handle(T n, int c) { Handle(n); }
    protected abstract void Handle(T n);
}
public interface IPlain { void Go(int a); }
public class Plain : IPlain { void IPlain.Go(int a) { Go(); } void Go() { } }
",
        &["App.Handler.Handle -> App.Handler.Handle", "App.Plain.Go -> App.Plain.Go"],
        &[],
    );
}

#[test]
fn a_conditional_around_a_whole_file_hides_no_namespace() {
    let interface = "//- /ILog.cs\nnamespace Acme;\npublic interface ILog { void Write(); }";
    for case in [
        "#if FAST\n#if NET\n\nnamespace Acme.Fast;\nBODY\n#endif\n#endif",
        "#if FAST\nnamespace Acme.Fast { BODY }\n#endif",
    ] {
        let body = "class Disk : ILog { public void Write() { Help(); } void Help() { } }";
        let case = case.replace("BODY", body);
        let graph = graph_of(&format!("{interface}\n//- /Disk.cs\n{case}\n"));
        let help = "Acme.Fast.Disk.Write -> Acme.Fast.Disk.Help";
        assert_eq!(edges(&graph, EdgeKind::Calls), [help], "{case}");
        assert_eq!(edges(&graph, EdgeKind::Implements)[0], "Acme.Fast.Disk -> Acme.ILog", "{case}");
    }
}
