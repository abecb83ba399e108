//! Tests of the crate through its public boundary.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bounded;
mod declarations;
mod file_order;
mod named;
mod searching;
