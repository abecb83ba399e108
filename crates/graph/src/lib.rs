//! A code graph of a repository: [`index`] makes it from source text, [`graph`] answers questions about it and keeps it.

pub(crate) mod facts;
pub mod graph;
pub(crate) mod incremental;
pub mod index;
pub(crate) mod languages;
pub(crate) mod lowering;
pub(crate) mod resolve;
pub(crate) mod scip;
pub(crate) mod store;
pub(crate) mod syntax;
