//! `retriever` answers a planner agent's question about a repository with a compact, verified code map, so that the
//! planner's own context stays small.
#![deny(missing_docs)]

pub mod config;
pub mod graph;
pub mod index;
pub mod ledger;
pub mod model;
pub mod question;
pub mod recon;
pub mod report;
pub mod tools;
mod vocabulary;
pub mod workspace;

pub use vocabulary::UnknownWord;
