//! The collections, the named graph over them, and their indexes.

use reqwest::{Method, StatusCode};
use retriever_graph::{EdgeKind, NodeKind};
use serde::Deserialize;
use serde_json::{Value, json};
use strum::VariantArray;

use super::arango_client::{ArangoClient, ArangoRefusal, ArangoRequestBody};
use crate::graph_database::DatabaseError;

/// The named graph.
pub(super) const GRAPH: &str = "codegraph";
/// Collections of nodes.
pub(super) const VERTICES: [&str; 5] = ["files", "functions", "members", "modules", "types"];
/// Collection of publications, one document per repository.
pub(super) const REPOSITORIES: &str = "repositories";
/// Collection with the number of nodes per name of a publication.
pub(super) const NAMES: &str = "names";
/// Collection of the packages of a publication.
pub(super) const PACKAGES: &str = "packages";
/// Collection of the uses of imports of a publication.
pub(super) const USES: &str = "uses";
/// Shard key of a cluster: each repository stays on one server.
pub(super) const REPOSITORY: &str = "repository";
/// Number of shards of each collection of the graph in a cluster.
const SHARDS: u32 = 16;

/// Indexed attributes by collection. Every collection is also searched by publication to remove documents.
const INDEXES: [(&str, &[&str]); 10] = [
    ("files", &["folded"]),
    ("functions", &["folded"]),
    ("members", &["folded"]),
    ("modules", &["folded"]),
    ("types", &["folded"]),
    (NAMES, PUBLICATION),
    (PACKAGES, PUBLICATION),
    (PACKAGES, &["name"]),
    (USES, &[REPOSITORY, "snapshot", "from_node"]),
    (USES, &[REPOSITORY, "snapshot", "name"]),
];
const PUBLICATION: &[&str] = &[REPOSITORY, "snapshot"];

/// Returns the collection of a node.
pub(super) const fn collection_of(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::File => "files",
        NodeKind::Module => "modules",
        NodeKind::Function | NodeKind::Macro => "functions",
        NodeKind::Field | NodeKind::Variant | NodeKind::Variable => "members",
        NodeKind::Class
        | NodeKind::Struct
        | NodeKind::Interface
        | NodeKind::Trait
        | NodeKind::Enum
        | NodeKind::Alias => "types",
    }
}

/// Returns the collections of edges: one per kind, with the name of the kind.
pub(super) fn edges() -> impl Iterator<Item = &'static str> {
    EdgeKind::VARIANTS.iter().map(AsRef::as_ref)
}

/// Returns all collections whose documents belong to a publication.
pub(super) fn of_publications() -> impl Iterator<Item = &'static str> {
    VERTICES.into_iter().chain(edges()).chain([NAMES, PACKAGES, USES])
}

#[derive(Deserialize)]
struct ServerRole {
    role: String,
}

/// Creates missing collections, graph and indexes.
pub(super) async fn create(client: &ArangoClient) -> Result<(), DatabaseError> {
    for name in [REPOSITORIES, NAMES, PACKAGES, USES] {
        let created = post(client, "_api/collection", json!({ "name": name })).await;
        unless_there(created).map_err(|refusal| client.failed(refusal))?;
    }
    create_graph(client).await.map_err(|refusal| client.failed(refusal))?;
    let by_publication =
        VERTICES.into_iter().chain(edges()).map(|collection| (collection, PUBLICATION));
    for (collection, fields) in by_publication.chain(INDEXES) {
        let index = json!({ "type": "persistent", "fields": fields });
        let path = format!("_api/index?collection={collection}");
        post(client, &path, index).await.map_err(|refusal| client.failed(refusal))?;
    }
    Ok(())
}

/// Creates the graph. A cluster keeps each repository on one server if possible, since no edge leads from one to
/// another.
async fn create_graph(client: &ArangoClient) -> Result<(), ArangoRefusal> {
    let ServerRole { role } =
        client.send(Method::GET, "_admin/server/role", ArangoRequestBody::Nothing).await?;
    let relation = |name: &str| json!({ "collection": name, "from": VERTICES, "to": VERTICES });
    let mut graph =
        json!({ "name": GRAPH, "edgeDefinitions": edges().map(relation).collect::<Vec<_>>() });
    if role == "COORDINATOR" {
        let mut smart = graph.clone();
        smart["isSmart"] = json!(true);
        smart["isDisjoint"] = json!(true);
        smart["options"] = json!({ "smartGraphAttribute": REPOSITORY, "numberOfShards": SHARDS });
        let created = unless_there(post(client, "_api/gharial", smart).await);
        let Err(ArangoRefusal::Refused { status: StatusCode::NOT_IMPLEMENTED, .. }) = created
        else {
            return created;
        };
        graph["options"] = json!({ "numberOfShards": SHARDS });
    }
    unless_there(post(client, "_api/gharial", graph).await)
}

async fn post(client: &ArangoClient, path: &str, body: Value) -> Result<(), ArangoRefusal> {
    let answer: Result<Value, _> =
        client.send(Method::POST, path, ArangoRequestBody::Json(body)).await;
    answer.map(drop)
}

/// Ignores the error that something exists already.
fn unless_there(created: Result<(), ArangoRefusal>) -> Result<(), ArangoRefusal> {
    match created {
        Err(ArangoRefusal::Refused { status: StatusCode::CONFLICT, .. }) => Ok(()),
        other => other,
    }
}
