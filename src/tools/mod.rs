//! The model's tools, which only read. Each is one file with its limits, its arguments (whose doc comments the model
//! reads), its typed result and the observation of that result. Tools do not use the ledger: they return typed results,
//! [`render_tool_result`] truncates and prints them, and the printed lines are registered.

mod enclosing_declarations;
pub mod glob;
pub mod graph;
pub mod grep;
mod place_argument;
mod qualified_names;
pub mod read;
pub mod render_tool_result;
mod suggested_call;
mod tool;
pub(crate) mod tool_arguments;
mod tool_error;
mod tool_observation;
mod tool_registry;

pub use self::tool_observation::{
    LineAnnotation, ListedPath, ObservationExcerpt, ToolObservation, ToolOutcome,
};
pub use self::{
    tool::{ErasedTool, SearchedText, Tool, ToolContext, ToolOutput, ToolResult},
    tool_error::ToolError,
};
pub use retriever_report::tool_schema::{self, ToolSpec};
pub use suggested_call::{SuggestedCallSyntax, SuggestedCommandWriter};
pub use tool_registry::ToolRegistry;
#[cfg(feature = "mcp")]
pub(crate) use tool_registry::no_such_tool;
