//! The arguments of `mcp` and `serve`.

#[cfg(feature = "serve")]
use std::net::SocketAddr;

use clap::{Args, builder::PossibleValuesParser};

#[cfg(feature = "serve")]
use super::value_parsers::socket_address;

/// Serve ask and the tools over MCP on stdin and stdout
#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
#[command(after_help = "\
Without --root it serves the client's file roots, else those of the configuration (workspace.roots), else the enclosing git \
top level, else the current folder.

Examples:
  retriever mcp
  retriever mcp --tools ask,explore,context
  retriever mcp --root ~/src/project --model gpt-5-mini")]
pub(crate) struct McpArgs {
    /// Tools to list, separated by commas; the others can still be called [default: all]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(retriever::mcp::STANDARD_TOOLS)
    )]
    pub(crate) tools: Vec<String>,
    #[command(flatten)]
    pub(crate) model: ServerModelArgs,
}

/// The model of all questions that a server answers.
#[cfg(feature = "mcp")]
#[derive(Clone, Debug, Args)]
pub(crate) struct ServerModelArgs {
    /// Name of the model
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// OpenAI-compatible endpoint, up to and including its version
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Send the API key over plain http to another machine
    #[arg(long)]
    pub(crate) insecure: bool,
    /// Answer without a model
    #[arg(long)]
    pub(crate) offline: bool,
}

/// Serve the verbs over HTTP: MCP and plain JSON
#[cfg(feature = "serve")]
#[derive(Debug, Args)]
#[command(after_help = "\
Serves [[serve.roots]] of the configuration, else the roots of the command as one repository; nothing else can be reached. \
Prints its address, and one line of JSON per request to stderr, without the question. Unless it listens on loopback, clients must \
send the token in RETRIEVER_SERVE_TOKEN. After SIGTERM running calls end first.

Examples:
  retriever serve --listen 127.0.0.1:7333
  curl -s localhost:7333/v1/ask -d '{\"question\": \"how is a job queued?\"}'
  curl -s localhost:7333/v1/explore -d '{\"root\": \"api\", \"query\": \"enqueue_job\"}'
  claude mcp add --transport http retriever http://localhost:7333/mcp")]
pub(crate) struct ServeArgs {
    /// Address and port; port 0 is any free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7333", value_parser = socket_address)]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) model: ServerModelArgs,
}
