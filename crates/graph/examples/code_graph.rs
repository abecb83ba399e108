//! Indexes a folder and asks its code graph.
//!
//! ```text
//! code_graph ROOT                    counts files, nodes and edges
//! code_graph ROOT callers NAME       lists the callers of a function
//! code_graph ROOT export             prints the graph as JSON lines
//! code_graph ROOT audit              counts call expressions that are neither an edge nor an open call
//! code_graph ROOT trace FROM TO      prints the way from one function to another
//! ```
//!
//! With `--cache FOLDER` in front the graph is kept there, so that the next run reads only what has changed, and other
//! roots share what they have in common. What the refresh did goes to stderr.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example talks to a terminal")]

use std::{error::Error, io, path::Path, sync::Arc, time::Instant};

use retriever_graph::{EdgeKind, Graph, LookupTarget, NameLookup, indexing::GraphIndex};
use retriever_workspace::{Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (folder, arguments) = match arguments.as_slice() {
        ["--cache", folder, rest @ ..] => (Some(Path::new(*folder)), rest),
        rest => (None, rest),
    };
    let [root, question @ ..] = arguments else {
        return Err("usage: code_graph [--cache FOLDER] ROOT [callers NAME | export | audit | trace FROM TO]".into());
    };
    let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open(Path::new(root), &config.0, &config.1)?;
    let workspace = Arc::new(workspace);
    let index = match folder {
        Some(folder) => GraphIndex::in_cache(folder, workspace),
        None => GraphIndex::new(workspace, None),
    };
    let started = Instant::now();
    let summary = index.refresh(&Cancellation::new(), &|_, _| {})?;
    eprintln!("{} ms={}", serde_json::to_string(&summary)?, started.elapsed().as_millis());
    if question == ["audit"] {
        let audit = index.audit(&Cancellation::new())?;
        println!("{}", serde_json::to_string_pretty(&audit)?);
        return Ok(());
    }
    index.ask(&Cancellation::new(), |graph| match question {
        ["callers", name] => callers(graph, name),
        ["trace", from, to] => trace(graph, from, to),
        ["export"] => drop(graph.export(io::stdout().lock())),
        _ => println!("{} nodes, {} edges", graph.nodes().count(), graph.edges().count()),
    })?;
    index.warnings().iter().for_each(|warning| eprintln!("{warning}"));
    Ok(())
}

fn trace(graph: &Graph, from: &str, to: &str) {
    let ends = [from, to].map(|name| {
        match graph.lookup(LookupTarget { name, ..LookupTarget::default() }) {
            NameLookup::One(id) => vec![id],
            NameLookup::Several { candidates, .. } => candidates,
            NameLookup::Nothing { .. } => Vec::new(),
        }
    });
    let trace = graph.trace_any(&ends[0], &ends[1]);
    for hop in &trace.hops {
        let Some(node) = graph.heading(hop.node) else { continue };
        println!("{}:{} {:?} {} {}", node.path, hop.line, hop.kind, hop.resolution, node.qname);
    }
    println!("{} visited, open: {:?}", trace.visited, trace.open);
}

fn callers(graph: &Graph, name: &str) {
    match graph.lookup(LookupTarget { name, ..LookupTarget::default() }) {
        NameLookup::One(id) => {
            for call in graph.incoming(id).iter().filter(|edge| edge.kind == EdgeKind::Calls) {
                let Some(caller) = graph.heading(call.from) else { continue };
                println!("{}:{} {}", caller.path, call.line, caller.qname);
            }
        }
        NameLookup::Several { candidates, total } => {
            println!("{total} definitions have the name; give one of these in full:");
            for node in candidates.into_iter().filter_map(|id| graph.node(id)) {
                println!("{}", node.qname);
            }
        }
        NameLookup::Nothing { nearest } => println!("not found; near: {}", nearest.join(", ")),
    }
}
