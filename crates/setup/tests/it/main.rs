//! The tests of the crate, one binary: files of agents before and after, taken back again, and what is refused.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "a test prepares and reads its own files")]

mod agent_detection;
mod edits;
mod installed_texts;
mod refusals;
mod round_trip;
mod support;
