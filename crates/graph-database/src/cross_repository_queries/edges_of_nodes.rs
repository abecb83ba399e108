//! The edges of nodes, within one repository and between repositories.

use std::collections::BTreeMap;

use retriever_graph::EdgeKind;

use crate::{
    graph_database::{EdgeDirection, NodeKey, StoredEdge, StoredNode},
    query_all_servers::DatabaseQuery,
};

impl DatabaseQuery<'_> {
    pub(super) async fn incoming(&self, ends: &[NodeKey], kinds: &[EdgeKind]) -> Vec<StoredEdge> {
        self.edges_and_package_edges(ends, EdgeDirection::Incoming, kinds).await
    }

    pub(super) async fn outgoing(&self, ends: &[NodeKey], kinds: &[EdgeKind]) -> Vec<StoredEdge> {
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

    /// Returns edges, sorted; without those of servers that do not answer.
    pub(super) async fn edges(
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

    /// Returns nodes by key; without those of servers that do not answer.
    pub(super) async fn nodes(&self, keys: &[NodeKey]) -> BTreeMap<NodeKey, StoredNode> {
        let parts = self.by_server(keys, |key| key.snapshot.repository).await;
        let nodes = self.gather(parts.iter().map(|(server, part)| (*server, server.nodes(part))));
        nodes.await.into_iter().map(|node| (node.key, node)).collect()
    }
}
