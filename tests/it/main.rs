//! The one integration binary: every test goes through the public boundary.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test may panic, and writes its own fixtures"
)]

mod graph;
mod support;
