//! A code graph of a repository: [`index`] makes it from source text, [`graph`] answers questions about it and keeps it.

pub mod graph;
pub mod index;
