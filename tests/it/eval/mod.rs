//! Evals: what is read, what is refused, how scores are computed, and what a run keeps.

mod bad_input;
#[cfg(feature = "cli")]
mod cassettes;
mod fixtures;
#[cfg(feature = "cli")]
mod planner;
#[cfg(feature = "cli")]
mod program;
mod recorded;
mod scores;
mod systems;
