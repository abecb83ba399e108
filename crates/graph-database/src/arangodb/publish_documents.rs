//! Publishing and pruning. A publication is written under its own number and becomes visible by one write to the
//! document of its repository; the publication before it stays until the next one. An interrupted publication leaves
//! documents that no question finds, and the next publication removes them.

use std::{collections::BTreeMap, time::Duration};

use retriever_graph::EdgeKind;
use serde::Deserialize;
use serde_json::{Value, json};
use strum::VariantArray;

use super::{
    aql_queries,
    arango_client::ArangoClient,
    arango_collections::{self, NAMES, PACKAGES, USES, VERTICES},
    arango_documents::{PublicationBatch, PublicationDocument},
};
use crate::{
    graph_database::{DatabaseError, SnapshotKey},
    repository_snapshot::{RepositorySnapshot, without_nul},
};

/// Stores a snapshot and removes publications that no reader can need.
pub(super) async fn publish(
    client: &ArangoClient,
    snapshot: &RepositorySnapshot,
) -> Result<SnapshotKey, DatabaseError> {
    arango_collections::create(client).await?;
    let repository = snapshot.id().to_string();
    let begin = json!({ "repository": repository, "name": snapshot.repository });
    let numbers: Vec<i32> = client.written(&aql_queries::begin(), begin).await?;
    let number = numbers.first().copied().unwrap_or(1);
    let key = SnapshotKey { repository: snapshot.id(), number };
    write(client, &PublicationBatch { snapshot, publication: PublicationDocument::of(key) })
        .await?;
    let switch = json!({
        "repository": repository,
        "number": number,
        "commit": snapshot.commit,
        "nodes": snapshot.nodes.len(),
        "edges": snapshot.edges.len(),
    });
    let switched: Vec<Option<i32>> = client.written(&aql_queries::switch(), switch).await?;
    match switched.as_slice() {
        [] => make_sure_of_newer(client, &repository, number).await?,
        // Running questions may still read the publication before. Concurrent publications have a higher number, or
        // will not become visible.
        [previous, ..] => {
            remove_before(client, &repository, previous.unwrap_or(number)).await?;
        }
    }
    Ok(key)
}

/// Checks a publication that did not become visible: either one that started later is visible, or its repository was
/// pruned meanwhile.
async fn make_sure_of_newer(
    client: &ArangoClient,
    repository: &str,
    number: i32,
) -> Result<(), DatabaseError> {
    let newer: Vec<i32> = client
        .written(&aql_queries::newer(), json!({ "repository": repository, "number": number }))
        .await?;
    if newer.is_empty() {
        // Nothing else would remove them: the repository may never be published again.
        let values = json!({ "repository": repository, "number": number });
        remove(client, &aql_queries::remove_one(), &values).await?;
        let reason = "the repository was pruned while it was published; publish it again";
        return Err(DatabaseError::Failed {
            server: client.shown().to_owned(),
            reason: reason.to_owned(),
        });
    }
    Ok(())
}

async fn write(
    client: &ArangoClient,
    documents: &PublicationBatch<'_>,
) -> Result<(), DatabaseError> {
    for collection in VERTICES {
        client.import(collection, documents.nodes(collection)).await?;
    }
    for kind in EdgeKind::VARIANTS {
        client.import(kind.as_ref(), documents.edges(*kind)).await?;
    }
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    for node in &documents.snapshot.nodes {
        *names.entry(without_nul(&node.name).to_lowercase()).or_default() += 1;
    }
    let names = names.iter().map(|(folded, total)| (folded.as_str(), *total));
    client.import(NAMES, documents.names(names)).await?;
    client.import(PACKAGES, documents.packages()).await?;
    client.import(USES, documents.uses()).await
}

/// A hidden repository, and the number of its last publication.
#[derive(Deserialize)]
struct Hidden {
    repository: String,
    last: i32,
}

/// Removes repositories that were not published for `keep`.
pub(super) async fn prune(client: &ArangoClient, keep: Duration) -> Result<u64, DatabaseError> {
    let keep = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
    let hidden: Vec<Hidden> = client.rows(&aql_queries::hide(), json!({ "keep": keep })).await?;
    for Hidden { repository, last } in &hidden {
        remove_before(client, repository, last.saturating_add(1)).await?;
        let removed = json!({ "repository": repository, "last": last });
        let _: Vec<()> = client.written(&aql_queries::note_removed(), removed).await?;
    }
    Ok(hidden.len() as u64)
}

async fn remove_before(
    client: &ArangoClient,
    repository: &str,
    before: i32,
) -> Result<(), DatabaseError> {
    let values = json!({ "repository": repository, "before": before });
    remove(client, &aql_queries::remove_before(), &values).await
}

/// Runs a removing statement on each collection with documents of publications.
async fn remove(
    client: &ArangoClient,
    statement: &str,
    values: &Value,
) -> Result<(), DatabaseError> {
    for collection in arango_collections::of_publications() {
        let mut values = values.clone();
        values["@collection"] = json!(collection);
        let _: Vec<()> = client.written(statement, values).await?;
    }
    Ok(())
}
