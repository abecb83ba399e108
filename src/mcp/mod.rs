//! The verbs over MCP: `ask`, `explore`, `context` and every tool of the registry, for planners that speak the protocol
//! rather than start a subprocess. What a question or a call means is decided elsewhere; this file translates
//! arguments, results, progress and cancellation.

pub(crate) mod blocking_call;
#[cfg(feature = "serve")]
pub(crate) mod concurrency_limit;
mod mcp_server;
pub(crate) mod progress_notifications;
pub(crate) mod request_arguments;
mod structured_content;
#[cfg(feature = "serve")]
pub(crate) use self::mcp_server::SESSION_HEADER;
pub use self::mcp_server::{McpServer, STANDARD_TOOLS, ServeError, serve_stdio};
