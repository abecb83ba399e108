//! Small repositories as snapshots, and answers as lines.

use std::{
    future::Future,
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
};

use retriever_graph::{
    Graph, LookupTarget, Node, NodeQuery, RelatedNode,
    indexing::{
        Language, SourceFile, extract, is_manifest, package_exports, resolve,
        uses_of_imported_names,
    },
};
use retriever_graph_database::{
    CrossRepositoryLookup, CrossRepositoryRelatedNode, CrossRepositoryRelatedNodesPage,
    DatabaseQuery, GraphDatabaseServers, PageRange, RepositoryScope, RepositorySnapshot,
    StoredNode, packages_of,
};
use tokio::runtime::Runtime;

/// Everything on one page.
pub(crate) const ALL: PageRange = PageRange { offset: 0, limit: 1_000 };

/// A repository that is written as one text; `//- /path` begins a file.
pub(crate) fn snapshot(repository: &str, project: &str) -> RepositorySnapshot {
    let mut snapshot = RepositorySnapshot::new(repository, "c0ffee", &graph(project));
    let files = || self::files(project);
    snapshot.packages = files().flat_map(|(path, text)| packages_of(path, text)).collect();
    let (given, manifests) = sources(project);
    snapshot.add_uses(uses_of_imported_names(given, &manifests).unwrap());
    let (given, manifests) = sources(project);
    snapshot.add_exports(package_exports(given, &manifests).unwrap());
    snapshot
}

fn files(project: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = project.split("//- /").skip(1);
    parts.map(|part| part.split_once('\n').expect("a header ends with its line"))
}

/// Its graph in memory.
pub(crate) fn graph(project: &str) -> Graph {
    let (files, manifests) = sources(project);
    resolve(files, &manifests).unwrap()
}

/// Its source files, and its manifests by path.
fn sources(project: &str) -> (Vec<SourceFile>, Vec<(String, String)>) {
    let mut files = Vec::new();
    let mut manifests = Vec::new();
    for (path, text) in self::files(project) {
        let path = path.to_owned();
        if is_manifest(&path, text) {
            manifests.push((path, text.to_owned()));
        } else if let Some(language) = Language::of_path(&path) {
            files.push(SourceFile { path, facts: extract(language, text) });
        }
    }
    (files, manifests)
}

/// A name that no other test uses, since a server may be shared.
pub(crate) fn unique(name: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{name}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Waits for `work`. There is one runtime, which keeps connections.
pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
    RUNTIME.block_on(work)
}

/// What has this name, of any kind and anywhere, or only `in` a file.
pub(crate) fn named(name: &str) -> LookupTarget<'_> {
    let (name, file) =
        name.split_once(" in ").map_or((name, None), |(name, file)| (name, Some(file)));
    LookupTarget { name, file, ..LookupTarget::default() }
}

pub(crate) async fn one(
    question: &DatabaseQuery<'_>,
    scope: &RepositoryScope,
    name: &str,
) -> Vec<StoredNode> {
    match question.lookup(scope, named(name)).await {
        CrossRepositoryLookup::One(set) => set,
        other => panic!("{name}: {other:?}"),
    }
}

/// `depth relation qname:lines resolution`, and what it goes through.
pub(crate) fn lines(page: &CrossRepositoryRelatedNodesPage) -> Vec<String> {
    let line = |item: &CrossRepositoryRelatedNode| {
        let through = item.through.as_ref().map(|it| format!(" through {}", it.qname));
        let package = item.package.as_ref();
        let package =
            package.map(|it| format!(" by {} {} {}", it.ecosystem, it.package, it.requires));
        let after = through.or(package).unwrap_or_default();
        let (CrossRepositoryRelatedNode { depth, kind, lines, resolution, .. }, qname) =
            (item, &item.node.qname);
        format!("{depth} {kind} {qname}:{lines:?} {resolution}{after}")
    };
    page.items.iter().map(line).collect()
}

/// The same of an answer of the graph in memory.
pub(crate) fn line_of(graph: &Graph, related: &RelatedNode) -> String {
    let qname = |id| graph.node(id).map_or("", |node: &Node| node.qname.as_str());
    let through = related.through.map(|id| format!(" through {}", qname(id)));
    let RelatedNode { depth, kind, lines, resolution, node, .. } = related;
    format!("{depth} {kind} {}:{lines:?} {resolution}{}", qname(*node), through.unwrap_or_default())
}

pub(crate) async fn related(
    servers: &GraphDatabaseServers,
    scope: &RepositoryScope,
    operation: NodeQuery,
    name: &str,
    depth: u32,
) -> Vec<String> {
    let question = servers.question();
    let target = one(&question, scope, name).await;
    let page = question.related(operation, &target, depth, ALL).await;
    assert_eq!(question.lost(), []);
    lines(&page)
}
