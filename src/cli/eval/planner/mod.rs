//! The main agent of `eval planner`: a chat model, or a program, that answers with three tools and the map that it is given.

mod agent;
mod explorer;
mod scripted_planner;

pub(super) use self::agent::PlannerAgent;
