//! The main agent of `eval planner`: a chat model, or a program, that answers with three tools and the map that it is given.

mod explore_tool;
mod main_agent_loop;
mod scripted_main_agent;

pub(super) use self::main_agent_loop::BudgetedMainAgent;
