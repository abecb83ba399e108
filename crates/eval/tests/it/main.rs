//! Suites that can and can't be read, and scores against numbers that were computed by hand.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bad_input;
mod grounding;
mod planner_repeats;
mod scores;
