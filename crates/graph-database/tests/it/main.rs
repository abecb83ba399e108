//! Tests of the crate.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod arangodb;
mod contract;
mod fixture;
mod load;
mod packages;
#[cfg(unix)]
mod postgres;
