//! Statements: what of AQL the adapter uses, read by the grammar of the documentation and run on collections in memory.

mod parse;
mod run;
mod tokens;

pub(super) use self::run::{Collection, Refused, Store, run, text_of};
