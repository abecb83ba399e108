//! The main agent of `eval planner`: a chat model, or a script, that answers with three tools and the map that it is
//! given.

mod budgeted_main_agent;
mod explore_tool;
mod scripted_main_agent;

pub(super) use self::budgeted_main_agent::BudgetedMainAgent;
