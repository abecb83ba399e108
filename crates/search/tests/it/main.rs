//! Tests of the crate through its public boundary.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "a test prepares and reads its own files")]

mod adjacent_words;
mod bounded_search;
mod constructors;
mod copied_code;
mod declarations;
mod declarations_beside;
mod embedding;
mod file_order;
mod issue_forms;
mod kinds_of_files;
mod name_queries;
mod named_platforms;
mod questions_about_changes;
mod rarity;
mod remote_words;
mod role_cues;
mod searching;
