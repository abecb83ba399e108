//! The tests of the report crate, in one binary; all go through the public boundary.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod actions;
mod budget;
mod cases;
mod citations;
mod claims;
mod confidence;
mod contrary_words;
mod evidence;
mod grounding;
mod guards;
mod instructions;
mod json;
mod ledger;
mod map_properties;
mod map_size_stats;
mod mechanics;
mod mentions;
mod parse;
mod properties;
mod quantities;
mod render;
mod repair;
mod right_statements;
mod schemas;
mod statements;
mod subjects;
mod words_and_names;
