//! JSON as models write it: finding a value in the text around it ([`json_extraction`]), and reading a value whose
//! types are not those of its schema ([`json_coercion`]).

pub mod json_coercion;
mod json_extraction;

pub use json_extraction::{ExtractedJson, extract, extract_all};
