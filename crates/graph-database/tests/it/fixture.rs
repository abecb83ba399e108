//! Small repositories as snapshots, and answers as lines.

use std::{
    future::Future,
    sync::atomic::{AtomicU32, Ordering},
};

use retriever_graph::{
    Graph, Node, Operation, Related, Target,
    index::{Language, SourceFile, extract, is_manifest, resolve},
};
use retriever_graph_database::{
    EverywhereLookup, FoundNode, FoundPage, GraphServers, PageRange, Question, RepositorySnapshot,
    Scope, StoredNode,
};

/// Everything on one page.
pub(crate) const ALL: PageRange = PageRange { offset: 0, limit: 1_000 };

/// A repository that is written as one text; `//- /path` begins a file.
pub(crate) fn snapshot(repository: &str, project: &str) -> RepositorySnapshot {
    RepositorySnapshot::new(repository, "c0ffee", &graph(project))
}

/// Its graph in memory.
pub(crate) fn graph(project: &str) -> Graph {
    let mut files = Vec::new();
    let mut manifests = Vec::new();
    for part in project.split("//- /").skip(1) {
        let (path, text) = part.split_once('\n').expect("a header ends with its line");
        let path = path.trim().to_owned();
        if is_manifest(&path, text) {
            manifests.push((path, text.to_owned()));
        } else if let Some(language) = Language::of_path(&path) {
            files.push(SourceFile { path, facts: extract(language, text) });
        }
    }
    resolve(files, &manifests).unwrap()
}

/// A name that no other test uses, since a server may be shared.
pub(crate) fn unique(name: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{name}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(work)
}

pub(crate) async fn one(question: &Question<'_>, scope: &Scope, name: &str) -> Vec<StoredNode> {
    match question.lookup(scope, Target { name, ..Target::default() }).await {
        EverywhereLookup::One(set) => set,
        other => panic!("{name}: {other:?}"),
    }
}

/// `depth relation qname:lines resolution`, and what it goes through.
pub(crate) fn lines(page: &FoundPage) -> Vec<String> {
    let line = |item: &FoundNode| {
        let through = item.through.as_ref().map(|it| format!(" through {}", it.qname));
        let (FoundNode { depth, kind, lines, resolution, .. }, qname) = (item, &item.node.qname);
        format!("{depth} {kind} {qname}:{lines:?} {resolution}{}", through.unwrap_or_default())
    };
    page.items.iter().map(line).collect()
}

/// The same of an answer of the graph in memory.
pub(crate) fn line_of(graph: &Graph, related: &Related) -> String {
    let qname = |id| graph.node(id).map_or("", |node: &Node| node.qname.as_str());
    let through = related.through.map(|id| format!(" through {}", qname(id)));
    let Related { depth, kind, lines, resolution, node, .. } = related;
    format!("{depth} {kind} {}:{lines:?} {resolution}{}", qname(*node), through.unwrap_or_default())
}

pub(crate) async fn related(
    servers: &GraphServers,
    scope: &Scope,
    operation: Operation,
    name: &str,
    depth: u32,
) -> Vec<String> {
    let question = servers.question();
    let target = one(&question, scope, name).await;
    let page = question.related(operation, &target, depth, ALL).await;
    assert_eq!(question.lost(), []);
    lines(&page)
}
