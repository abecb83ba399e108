//! What questions over all repositories mean. They go from node to node level by level: one level is a few requests to each
//! server, whatever server the nodes live on. They find what a single graph finds; they list other repositories first, do not drop
//! prototypes, count all lines of a function that runs by one literal, and trace by steps, not by how sure they are.

mod cross_repository_paths;
mod cross_repository_relations;
mod lookup;
mod package_edges;
mod package_exports;
mod package_resolution;

use std::collections::BTreeMap;

use retriever_graph::EdgeKind;

pub use self::{
    cross_repository_paths::{CallTraceStep, CrossRepositoryTrace},
    cross_repository_relations::{FoundNode, FoundNodesPage, PageRange},
    lookup::CrossRepositoryLookup,
};
use crate::{
    database_query::DatabaseQuery,
    graph_database::{EdgeDirection, NodeKey, StoredEdge, StoredNode},
};

impl DatabaseQuery<'_> {
    async fn incoming(&self, ends: &[NodeKey], kinds: &[EdgeKind]) -> Vec<StoredEdge> {
        self.edges_and_package_edges(ends, EdgeDirection::Incoming, kinds).await
    }

    async fn outgoing(&self, ends: &[NodeKey], kinds: &[EdgeKind]) -> Vec<StoredEdge> {
        self.edges_and_package_edges(ends, EdgeDirection::Outgoing, kinds).await
    }

    async fn edges_and_package_edges(
        &self,
        ends: &[NodeKey],
        direction: EdgeDirection,
        kinds: &[EdgeKind],
    ) -> Vec<StoredEdge> {
        let (mut edges, by_package) = futures::join!(
            self.edges(ends, direction, kinds),
            self.package_edges(ends, direction, kinds)
        );
        edges.extend(by_package);
        edges
    }

    /// Returns edges, sorted; without those of servers that are lost.
    async fn edges(
        &self,
        ends: &[NodeKey],
        direction: EdgeDirection,
        kinds: &[EdgeKind],
    ) -> Vec<StoredEdge> {
        let parts = self.by_server(ends, |end| end.snapshot.repository).await;
        let ask =
            parts.iter().map(|(server, part)| (*server, server.edges(part, direction, kinds)));
        let mut edges = self.gather(ask).await;
        edges.sort_unstable();
        edges
    }

    /// Returns nodes by key; without those of servers that are lost.
    async fn nodes(&self, keys: &[NodeKey]) -> BTreeMap<NodeKey, StoredNode> {
        let parts = self.by_server(keys, |key| key.snapshot.repository).await;
        let nodes = self.gather(parts.iter().map(|(server, part)| (*server, server.nodes(part))));
        nodes.await.into_iter().map(|node| (node.key, node)).collect()
    }
}
