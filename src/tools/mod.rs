//! What the model can do: read-only tools, each one file that fuses its limits, its arguments (whose doc comments the
//! model reads), its typed result and how that result is shown. Tools never touch the ledger: they return typed
//! results, [`render_tool_result`] cuts and prints them, and what was printed is registered.

mod enclosing_declarations;
pub mod glob;
pub mod graph;
pub mod grep;
mod place_argument;
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
    tool::{ErasedTool, Tool, ToolContext, ToolOutput, ToolResult},
    tool_error::ToolError,
};
pub use retriever_report::tool_schema::{self, ToolSpec};
pub use suggested_call::{SuggestedCallSyntax, SuggestedCommandWriter};
pub use tool_registry::ToolRegistry;
