//! How much is asked of a server at once, and when an answer counts as cut, on servers that only count.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::FutureExt;
use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, NodeKind, NodeQuery};
use retriever_graph_database::{
    DatabaseFuture, Ecosystem, EdgeDirection, GraphDatabase, GraphDatabaseServers, NameFilter,
    NameMatches, NodeKey, PackageMention, PublishedRepository, RepositoryId, RepositoryScope,
    RepositorySnapshot, SnapshotKey, StoredEdge, StoredExternalUse, StoredNode, StoredPackage,
};

use crate::fixture::{ALL, named, run};

/// A server with one user of a package, which uses many names of it, and many definitions of each name.
#[derive(Default)]
struct CountingServer {
    address: String,
    /// Definitions that each look-up of names finds.
    definitions: u32,
    /// Names that the user takes from the package.
    used_names: usize,
    /// Look-ups of names that are under way, and the most that were.
    under_way: AtomicUsize,
    most: AtomicUsize,
}

const USER: SnapshotKey = SnapshotKey { repository: RepositoryId(1), number: 1 };
const LIBRARY: SnapshotKey = SnapshotKey { repository: RepositoryId(2), number: 1 };

fn node(snapshot: SnapshotKey, number: u32) -> StoredNode {
    StoredNode {
        key: NodeKey { snapshot, node: number },
        repository: format!("r{}", snapshot.repository.0),
        kind: NodeKind::Function,
        name: "pack".to_owned(),
        qname: format!("m{number}.pack"),
        path: format!("m{number}.py"),
        start: 1,
        end: 2,
        name_line: 1,
        signature: String::new(),
        is_declaration: false,
        is_member: false,
        is_private: false,
    }
}

fn reply<'a, T: Send + 'a>(value: T) -> DatabaseFuture<'a, T> {
    async { Ok(value) }.boxed()
}

fn mention(snapshot: SnapshotKey, requires: Option<&str>) -> StoredPackage {
    let mention = PackageMention {
        ecosystem: Ecosystem::Pypi,
        name: "parcel".to_owned(),
        folder: String::new(),
        requires: requires.map(str::to_owned),
        alias: None,
    };
    StoredPackage { snapshot, mention }
}

impl GraphDatabase for CountingServer {
    fn address(&self) -> &str {
        &self.address
    }

    fn publish<'a>(&'a self, _: &'a RepositorySnapshot) -> DatabaseFuture<'a, SnapshotKey> {
        reply(USER)
    }

    fn repositories(&self) -> DatabaseFuture<'_, Vec<PublishedRepository>> {
        reply(Vec::new())
    }

    fn named<'a>(
        &'a self,
        _: &'a RepositoryScope,
        _: NameFilter<'a>,
        limit: u32,
    ) -> DatabaseFuture<'a, Vec<StoredNode>> {
        async move {
            let now = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.under_way.fetch_sub(1, Ordering::SeqCst);
            Ok((0..self.definitions.min(limit)).map(|number| node(LIBRARY, number)).collect())
        }
        .boxed()
    }

    fn names<'a>(
        &'a self,
        _: &'a RepositoryScope,
        _: &'a [String],
        _: u32,
    ) -> DatabaseFuture<'a, NameMatches> {
        reply(NameMatches { folded: vec!["pack".to_owned()], total: 1 })
    }

    fn nodes<'a>(&'a self, keys: &'a [NodeKey]) -> DatabaseFuture<'a, Vec<StoredNode>> {
        reply(keys.iter().map(|key| node(key.snapshot, key.node)).collect())
    }

    fn edges<'a>(
        &'a self,
        _: &'a [NodeKey],
        _: EdgeDirection,
        _: &'a [EdgeKind],
    ) -> DatabaseFuture<'a, Vec<StoredEdge>> {
        reply(Vec::new())
    }

    fn packages_of<'a>(&'a self, _: &'a [SnapshotKey]) -> DatabaseFuture<'a, Vec<StoredPackage>> {
        reply(vec![mention(USER, Some(">=1"))])
    }

    fn packages_named<'a>(
        &'a self,
        _: &'a RepositoryScope,
        _: &'a [(Ecosystem, String)],
    ) -> DatabaseFuture<'a, Vec<StoredPackage>> {
        reply(vec![mention(LIBRARY, None)])
    }

    fn uses_of<'a>(
        &'a self,
        _: &'a [SnapshotKey],
        _: &'a [String],
    ) -> DatabaseFuture<'a, Vec<StoredExternalUse>> {
        reply(Vec::new())
    }

    fn uses_at<'a>(&'a self, nodes: &'a [NodeKey]) -> DatabaseFuture<'a, Vec<StoredExternalUse>> {
        let name_of = |number| StoredExternalUse {
            from: nodes[0],
            from_kind: NodeKind::Function,
            kind: EdgeKind::Calls,
            line: 1,
            ecosystem: Ecosystem::Pypi,
            module: vec!["parcel".to_owned()],
            names: vec![format!("name{number}")],
            is_of_value: false,
            arguments: None,
        };
        reply((0..self.used_names).map(name_of).collect())
    }

    fn prune(&self, _: Duration) -> DatabaseFuture<'_, u64> {
        reply(0)
    }
}

#[test]
fn names_of_packages_are_looked_up_a_few_at_a_time() {
    let server = Arc::new(CountingServer { used_names: 10_000, ..CountingServer::default() });
    let servers = GraphDatabaseServers::new([Arc::clone(&server) as Arc<dyn GraphDatabase>]);
    run(async {
        let question = servers.question();
        question.related(NodeQuery::Callees, &[node(USER, 1)], 1, ALL).await;
        assert_eq!(question.lost(), []);
    });
    let most = server.most.load(Ordering::SeqCst);
    assert!((1..=8).contains(&most), "{most} look-ups at once: a server has 8 connections");
}

#[test]
fn an_answer_is_cut_where_one_server_has_more_than_is_looked_at() {
    for (definitions, is_cut) in [(6_000, false), (10_001, true)] {
        let server = |address: &str| {
            let address = address.to_owned();
            let server = CountingServer { address, definitions, ..CountingServer::default() };
            Arc::new(server) as Arc<dyn GraphDatabase>
        };
        let servers = GraphDatabaseServers::new([server("a"), server("b")]);
        run(async {
            let question = servers.question();
            question.search(&RepositoryScope::All, named("pack"), 1).await;
            assert_eq!(question.is_cut(), is_cut, "{definitions}");
        });
    }
}
