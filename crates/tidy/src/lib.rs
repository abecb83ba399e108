//! Reads the workspace's own source with a Rust parser: which modules use one another, the sizes of functions, and the
//! public items. It is not part of the product. The rules are in `tests/`; `examples/figures.rs` prints the figures of
//! any checkout.

pub mod crate_source;
pub mod function_sizes;
mod imports;
pub mod module_cycles;
pub mod public_items;

pub use crate_source::{Crate, ReadError};
