//! Words that are keywords at some places and names at others.

use pretty_assertions::assert_eq;
use retriever_graph::EdgeKind;

use crate::support::{edges, graph_of};

#[test]
fn a_csharp_parameter_may_be_named_async() {
    let project = r#"
//- /Gate.cs
namespace Acme;
class Gate
{
    public async Task Open(bool async, int count)
    {
        // async, as the caller wants it
        if (async) { await Push(count, async).ConfigureAwait(false); } else Log($"{async}: async");
        var wait = async && count > 1 ? 1 : 2;
        Func<int, Task> later = async x => await Push(x, !async);
        Func<Task> now = async () => await Push(wait, async: async);
        await Close(async);
    }
    static async Task Push(int count, bool async) { Log(async is true ? "a" : "b"); }
    async Task<(int, int)> Close(bool async) => (1, 2);
    static void Log(string text) { }
}
class Use { void Run(Gate gate) { gate.Open(async: false, 1); } }
"#;
    let graph = graph_of(project);
    let calls = [
        "Acme.Gate.Open -> Acme.Gate.Close",
        "Acme.Gate.Open -> Acme.Gate.Log",
        "Acme.Gate.Open -> Acme.Gate.Push",
        "Acme.Gate.Push -> Acme.Gate.Log",
        "Acme.Use.Run -> Acme.Gate.Open",
    ];
    assert_eq!(edges(&graph, EdgeKind::Calls), calls);
    let open = graph.nodes().find(|node| node.name == "Open").unwrap();
    assert_eq!(open.signature, "public async Task Open(bool async, int count)");
}
