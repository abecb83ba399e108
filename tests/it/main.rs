//! The one integration binary: every test goes through the public boundary.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test may panic, and writes its own fixtures"
)]

#[cfg(feature = "cli")]
#[cfg(feature = "cli")]
#[cfg(all(feature = "cli", feature = "mcp"))]
#[cfg(feature = "cli")]
mod ask;
mod batch;
mod callers;
mod chaos;
mod cli;
mod config;
mod eval;
mod graph;
mod graph_csharp;
mod graph_scala;
mod graph_swift;
mod graph_tool;
mod hostile;
mod index;
mod library;
mod mcp;
mod model;
mod prompts;
mod recon;
mod render;
mod schemas;
mod support;
mod tidy;
mod tools;
mod validate;
mod workspace;
