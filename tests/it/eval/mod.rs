//! Evals: what is read, what is refused, how scores are computed, and what a run keeps.

mod bad_input;
mod cassettes;
mod fixtures;
mod planner;
mod program;
mod scores;
mod systems;
