//! The one integration binary: every test goes through the public boundary.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test may panic, and writes its own fixtures"
)]

mod ask;
#[cfg(feature = "cli")]
mod batch;
#[cfg(feature = "cli")]
mod cache;
#[cfg(feature = "cli")]
mod callers;
mod calls;
mod channels;
mod chaos;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod cold_graph;
mod config;
mod documentation;
#[cfg(feature = "cli")]
mod embedding;
#[cfg(feature = "cli")]
mod eval;
mod explore;
mod fallback;
#[expect(dead_code, reason = "its main is the example's")]
#[path = "../../examples/fan_out.rs"]
mod fan_out;
mod full_text_index;
#[cfg(all(feature = "cli", feature = "mcp", unix))]
mod getting_started;
#[cfg(all(unix, feature = "database"))]
mod graph_publication;
mod graph_tool;
mod grep_tool;
mod hostile;
#[cfg(feature = "cli")]
mod index;
#[cfg(feature = "cli")]
mod init;
mod injection;
mod learned_ranking;
mod library;
mod map_density_events;
#[cfg(all(feature = "cli", feature = "mcp"))]
mod mcp;
mod model;
mod offline;
#[cfg(feature = "cli")]
mod pages_and_pictures;
mod prompts;
mod recon;
#[cfg(all(feature = "cli", feature = "mcp"))]
mod references;
#[cfg(feature = "cli")]
mod roots;
mod run_limits;
mod sandbox;
#[cfg(feature = "cli")]
mod savings;
mod schemas;
mod scip;
#[cfg(all(feature = "serve", unix))]
mod serve;
mod sessions;
#[cfg(all(feature = "cli", unix))]
mod suggested_commands;
mod support;
#[cfg(all(feature = "cli", unix))]
mod terminal;
mod tools;
mod turns;
