//! The tests of the graph crate, in one binary; all go through the public boundary.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test may panic, and reads the sources"
)]

mod adversarial;
mod audit;
mod budgets;
mod calls;
mod components;
mod contexts;
mod csharp;
mod foreign_facts;
mod go;
mod hostile;
mod indirect_calls;
mod kotlin;
mod languages;
mod lua;
mod names;
mod notebooks;
mod outlined;
mod own_recursion;
mod php;
mod python;
mod questions;
mod registration;
mod ruby;
mod scala;
#[path = "../adversarial/mod.rs"]
mod shapes;
mod support;
mod swift;
mod tidy;
#[cfg(target_os = "linux")]
mod watched_index;
