//! JSON as models write it: finding a value in the text around it ([`extract`]), and reading a value whose types are not
//! those of its schema ([`coerce`]).

pub mod coerce;
mod extract;

pub use extract::{Extracted, extract, extract_all};
