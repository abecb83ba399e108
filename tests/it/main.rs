//! The one integration binary: every test goes through the public boundary.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test may panic, and writes its own fixtures"
)]

mod ask;
mod cli;
mod config;
mod graph;
mod graph_tool;
mod hostile;
mod index;
mod model;
mod recon;
mod render;
mod schemas;
mod support;
mod tidy;
mod tools;
mod validate;
mod workspace;
