//! Tests of the crate.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod arangodb;
mod database_contract;
mod fixture;
mod packages;
#[cfg(unix)]
mod postgres;
mod request_limits;
