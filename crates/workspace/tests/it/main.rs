//! The tests of the workspace crate, in one binary; all go through the public boundary.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "a test prepares and reads its own files")]

mod budget;
mod cache_file_io;
mod cancellable_once;
mod confinement;
mod file_stat;
mod git_index;
mod globs;
mod line_ranges;
mod loopback_host;
mod roots;
mod secret_values;
mod tracked_files;
mod walk_rules;
#[cfg(target_os = "linux")]
mod watched_tree;
mod workspace;
