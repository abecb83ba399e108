//! Measures a graph database with generated repositories, and prints one line a figure:
//! `cargo bench -p retriever-graph-database --bench publish_and_query -- URL [REPOSITORIES [EDGES]]`. URL names an empty
//! database, or several, separated by commas.

#![expect(clippy::print_stdout, reason = "prints what it measures")]

use std::{
    env,
    error::Error,
    time::{Duration, Instant},
};

use retriever_graph::{
    CallDispatch, Edge, EdgeKind, EdgeResolution, LookupTarget, Node, NodeId, NodeKind, NodeQuery,
    indexing::Language,
};
use retriever_graph_database::{
    CrossRepositoryLookup, GraphDatabaseServers, PageRange, RepositoryScope, RepositorySnapshot,
};

/// Functions per file.
const IN_FILE: u32 = 40;
/// Questions of each kind.
const QUESTIONS: u32 = 300;
const PAGE: PageRange = PageRange { offset: 0, limit: 100 };

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).filter(|it| it != "--bench").collect();
    let url = arguments.first().ok_or("the address of an empty database is missing")?;
    let number = |at: usize, default: u32| arguments.get(at).map_or(Ok(default), |it| it.parse());
    let (repositories, edges) = (number(1, 50)?, number(2, 40_000)?);
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let servers = GraphDatabaseServers::from_addresses(url)?;
        load(&servers, repositories, edges).await?;
        ask(&servers, repositories, edges / 4).await;
        Ok(())
    })
}

/// Returns a repository of functions that each call four others, most of them near, with one function that many call.
fn repository(number: u32, edges: u32) -> RepositorySnapshot {
    let functions = edges / 4;
    let mut random = Random(u64::from(number) + 1);
    let node = |at: u32| Node {
        kind: NodeKind::Function,
        name: format!("handle_{at}_of_{number}"),
        qname: format!("repository_{number}.module_{}.handle_{at}_of_{number}", at / IN_FILE),
        path: format!("src/module_{}.py", at / IN_FILE),
        start: at % IN_FILE * 10 + 1,
        end: at % IN_FILE * 10 + 9,
        name_line: at % IN_FILE * 10 + 1,
        signature: format!("def handle_{at}_of_{number}(request, response, options=None):"),
        doc: String::new(),
        language: Language::Python,
        is_method: false,
        is_async: false,
        is_private: false,
        is_declaration: false,
    };
    let mut snapshot = RepositorySnapshot {
        repository: format!("example.com/repository-{number}"),
        files: (0..=functions / IN_FILE).map(|at| format!("src/module_{at}.py")).collect(),
        file_of: (0..functions).map(|at| at / IN_FILE).collect(),
        nodes: (0..functions).map(node).collect(),
        ..RepositorySnapshot::default()
    };
    for from in 0..functions {
        for call in 0..4 {
            let to = match random.below(20) {
                0 => random.below(functions.min(50)),
                1..=4 => random.below(functions),
                _ => (from + random.below(400)) % functions,
            };
            let (from, to) = (NodeId(from), NodeId(to));
            let line = call + 2;
            let (kind, resolution) = (EdgeKind::Calls, EdgeResolution::Exact);
            let dispatch = CallDispatch::Open;
            snapshot.edges.push(Edge { from, kind, to, line, resolution, dispatch });
        }
    }
    snapshot
}

async fn load(
    servers: &GraphDatabaseServers,
    repositories: u32,
    edges: u32,
) -> Result<(), Box<dyn Error>> {
    let mut total = Duration::ZERO;
    for number in 0..repositories {
        let snapshot = repository(number, edges);
        let started = Instant::now();
        servers.publish(&snapshot).await?;
        let took = started.elapsed();
        total += took;
        if number == 0 {
            println!("first repository, with the creation of the tables: {took:.2?}");
        }
    }
    let all = f64::from(repositories) * f64::from(edges);
    println!("{repositories} repositories, {all} edges, {} nodes: {total:.2?}", all / 4.0);
    println!("{:.0} edges a second, nodes and names included", all / total.as_secs_f64());
    Ok(())
}

async fn ask(servers: &GraphDatabaseServers, repositories: u32, functions: u32) {
    let mut random = Random(99);
    let mut times: [Vec<Duration>; 5] = Default::default();
    let mut found = 0;
    for _ in 0..QUESTIONS {
        let (number, at) = (random.below(repositories), random.below(functions));
        let name = format!("handle_{at}_of_{number}");
        let question = servers.question();
        let mut started = Instant::now();
        let mut lap = |times: &mut Vec<Duration>| {
            times.push(started.elapsed());
            started = Instant::now();
        };
        let lookup = question
            .lookup(&RepositoryScope::All, LookupTarget { name: &name, ..LookupTarget::default() })
            .await;
        lap(&mut times[0]);
        let CrossRepositoryLookup::One(set) = lookup else { continue };
        let _ = question.related(NodeQuery::Callers, &set, 1, PAGE).await;
        lap(&mut times[1]);
        found += question.related(NodeQuery::Callers, &set, 3, PAGE).await.total;
        lap(&mut times[2]);
        let page = question.related(NodeQuery::Callees, &set, 3, PAGE).await;
        lap(&mut times[3]);
        if let Some(last) = page.items.last() {
            let _ = question.trace(&set, std::slice::from_ref(&last.node)).await;
            lap(&mut times[4]);
        }
    }
    println!("{} answers of depth 3 in the mean", found / QUESTIONS as usize);
    let names = ["name over all", "callers", "callers, depth 3", "callees, depth 3", "trace"];
    for (name, times) in names.iter().zip(&mut times) {
        // The first question meets the effects of publication.
        let first = times.first().copied().unwrap_or_default();
        times.sort();
        let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
        println!("{name}: first {first:.2?}, median {:.2?}, p99 {:.2?}", at(50), at(99));
    }
}

/// Random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(end.max(1))) as u32
    }
}
