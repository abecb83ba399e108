//! `retriever` answers a planner agent's question about a repository with a compact, verified code map, so that the
//! planner's own context stays small.
//!
//! A cheap model explores in a disposable context with read-only tools; a deterministic validator checks everything it
//! claims against the lines that were really delivered to it. Without a model the built-in offline driver answers:
//!
//! ```
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use retriever::{Question, Retriever, RunOptions};
//!
//! let retriever = Retriever::builder(".").build()?;
//! let answer = retriever.ask(Question::new("how are budgets enforced?"), RunOptions::default()).await?;
//! for item in &answer.map.primary {
//!     println!("{}:{}-{} {}", item.place.path, item.place.start, item.place.end, item.why);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! There is no global state and nothing is printed. [`RunOptions`] has the budget, an observer and a cancellation token of
//! one question; [`Question::session`] names the chat that it belongs to; [`RetrieverBuilder::tool`] adds tools;
//! `examples/fan_out.rs` asks several questions at once and merges their maps.
//!
//! [`model::OpenAiModel`] talks to any OpenAI-compatible endpoint; [`model::ChatModel`] is the trait for anything else.
#![deny(missing_docs)]

mod agent;
mod answer_cache;
pub mod config;
#[cfg(feature = "database")]
pub mod configured_database;
#[cfg(feature = "remote")]
pub mod configured_remote;
pub mod cost_receipts;
pub mod embedding;
mod json_schemas;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod model;
mod open_index;
mod retriever;
pub mod sandbox;
#[cfg(feature = "serve")]
pub mod server;
pub mod tools;

pub use agent::{
    AskAnswer, AskError, Conversation, DefaultOfflineDriver, MalformedArguments,
    ModelFailurePolicy, Observer, OfflineDriver, OfflineState, OpeningContext, PACKET_TOKENS,
    ParsedToolCall, Prompt, PromptTemplateError, Prompts, RankedCandidate, RunEvent, RunOptions,
    parse_text_calls, render_candidate_packet,
};
pub use json_schemas::{schemas, tool_specs};
pub use open_index::{OpenIndex, open_index};
pub use retriever::{Retriever, RetrieverBuildError, RetrieverBuilder};
pub use retriever_graph::{self as graph, indexing};
pub use retriever_report::{self as report, CodeMap, evidence_ledger};
pub use retriever_search::{self as search, Question, explore};
pub use retriever_workspace::{self as workspace, UnknownVariant, estimate_tokens};
