//! What `serve` offers to other machines, and what its threads may reach.

use retriever_workspace::RootConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether questions are answered in the sandbox of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SandboxConfig {
    /// Whether the kernel confines `ask`, `mcp` and `serve`, where it can (Linux, landlock).
    pub enabled: bool,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// What `serve` offers to other machines, and to whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ServeConfig {
    /// The repositories, each asked by its name; no other files can be reached. When empty, the roots of the command.
    pub roots: Vec<RootConfig>,
    /// Names of this server, with or without a port, that a request's `Host` may have beside the loopback names and the address
    /// that it listens on.
    pub hosts: Vec<String>,
    /// Origins of web pages whose scripts may ask, such as `https://tools.example.com`.
    pub origins: Vec<String>,
    /// Name of the environment variable that holds the token that clients must send. Required unless the address is loopback.
    pub token_env: String,
    /// Calls that run at once; 0 is the number of processors.
    pub concurrency: u32,
    /// Calls that wait for their turn; any more are refused.
    pub queue: u32,
    /// MCP sessions of one root that are kept in memory; the one unused for longest ends when another begins.
    pub max_sessions: u32,
    /// Largest body of a request, in bytes.
    pub max_body_bytes: u64,
    /// Seconds that running calls have to end when the server stops.
    pub drain_s: u64,
    /// Whether the log has the questions, queries and targets, which may quote code.
    pub log_questions: bool,
}

impl Default for ServeConfig {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            hosts: Vec::new(),
            origins: Vec::new(),
            token_env: "RETRIEVER_SERVE_TOKEN".to_owned(),
            concurrency: 0,
            // 64 clients that make four calls at once.
            queue: 256,
            max_sessions: 100,
            max_body_bytes: 1024 * 1024,
            drain_s: 30,
            log_questions: false,
        }
    }
}
