//! `retriever eval`: what is run, recorded and kept. Scores by hand are in the crate of evals.

mod cassettes;
mod fixtures;
mod planner;
mod program;
mod recorded_runs;
mod systems;
