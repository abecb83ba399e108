//! The code graph of Kotlin: declarations with bodies on several platforms.

use pretty_assertions::assert_eq;
use retriever_graph::EdgeKind;

use crate::support::graph_of;

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
