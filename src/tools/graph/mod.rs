//! `graph`: who calls what, what implements what, and the way from one function to another, out of the code graph. Every
//! answer shows real lines of files as they are now: signatures, and the lines that make the relation.

mod answer_graph_question;
mod call_trace;
#[cfg(feature = "database")]
mod cross_repository_answer;
mod graph_output;
mod graph_question;
mod graph_tool;
mod language_limits;
mod open_call_names;
mod outside_names;
mod target_lookup;
mod text_definitions;

pub(super) use self::graph_output::short_name;
pub use self::{
    graph_output::{Definition, GraphAnswer, GraphOutput, PackageLink},
    graph_question::{GraphOperation, GraphToolArguments},
    graph_tool::GraphTool,
};
