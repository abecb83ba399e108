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
mod config;
mod density;
mod documentation;
#[cfg(feature = "cli")]
mod eval;
#[cfg(all(unix, feature = "database"))]
mod everywhere;
mod explore;
mod fallback;
#[expect(dead_code, reason = "its main is the example's")]
#[path = "../../examples/fan_out.rs"]
mod fan_out;
#[cfg(all(feature = "cli", feature = "mcp", unix))]
mod getting_started;
mod graph_tool;
mod grep_tool;
mod hostile;
#[cfg(feature = "cli")]
mod index;
#[cfg(feature = "cli")]
mod init;
mod injection;
mod learned;
mod lexicon;
mod library;
#[cfg(all(feature = "cli", feature = "mcp"))]
mod mcp;
mod model;
mod prompts;
mod recon;
#[cfg(all(feature = "cli", feature = "mcp"))]
mod references;
#[cfg(feature = "cli")]
mod roots;
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
#[cfg(feature = "cli")]
mod view;
