//! `graph`: callers, callees, implementations and call paths from the code graph. Every answer shows current lines of
//! files: signatures, and the lines of the relation.

mod answer_graph_question;
mod answer_pages;
mod call_trace;
mod calls_without_edge;
#[cfg(feature = "database")]
mod cross_repository_answer;
mod definition_lists;
mod external_name_uses;
mod graph_answer;
mod graph_output;
mod graph_question;
mod graph_tool;
mod language_limits;
mod relation_notes;
mod relations_in_words;
mod renamed_definitions;
mod repository_modules;
mod source_lines_of_answers;
mod target_lookup;
mod text_definitions;
mod uses_of_values;

pub use self::{
    graph_answer::{Definition, GraphAnswer, PackageLink},
    graph_output::GraphOutput,
    graph_question::{GraphOperation, GraphToolArguments},
    graph_tool::GraphTool,
};
