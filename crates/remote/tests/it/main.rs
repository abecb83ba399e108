//! The tests of the remote crate, in one binary: what git's files say, as readers of a remote meet it. Graphs and the
//! command line are tested with the program.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may panic, and writes git's files itself"
)]

mod ancestors;
mod names;
mod unresponsive_remote;
