//! The trait of chat models, requests, messages and answers.

use super::model_error::ModelError;
use crate::tools::ToolSpec;
use futures::future::BoxFuture;
use retriever_report::TokenUsage;
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Instant};

/// A model that continues a conversation.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use futures::{FutureExt, future::BoxFuture};
/// use retriever::{
///     Question, Retriever, RunOptions,
///     model::{ChatModel, ChatRequest, ChatResponse, ModelError},
/// };
///
/// /// Gives the same answer to everything.
/// struct Parrot;
///
/// impl ChatModel for Parrot {
///     fn name(&self) -> &str {
///         "parrot"
///     }
///
///     fn complete<'a>(
///         &'a self,
///         _: &'a ChatRequest<'a>,
///     ) -> BoxFuture<'a, Result<ChatResponse, ModelError>> {
///         let content = Some("Pretty Polly!".to_owned());
///         async { Ok(ChatResponse { content, ..ChatResponse::default() }) }.boxed()
///     }
/// }
///
/// let retriever = Retriever::builder("src/tools").model(Arc::new(Parrot)).build()?;
/// let answer = retriever.ask(Question::new("how is a file read?"), RunOptions::default()).await?;
/// // A model that never reports costs its own map, not the answer.
/// assert_eq!(answer.map.status, retriever::report::MapStatus::Fallback);
/// # Ok(())
/// # }
/// ```
pub trait ChatModel: Send + Sync {
    /// Name in a map's `meta.model`.
    fn name(&self) -> &str;

    /// Returns the next message. Retries, if any, happen inside and end before `request.deadline`.
    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ModelError>>;
}

impl<M: ChatModel + ?Sized> ChatModel for Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ModelError>> {
        (**self).complete(request)
    }
}

/// One request: the conversation so far, and the tools that may be called.
pub struct ChatRequest<'a> {
    /// The conversation; append-only over a run.
    pub messages: &'a [Message],
    /// Tools that may be called.
    pub tools: &'a [ToolSpec],
    /// Whether a call is required, and of which tool.
    pub tool_choice: ToolChoice<'a>,
    /// Time after which the answer is not needed.
    pub deadline: Instant,
}

/// What the model may answer with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolChoice<'a> {
    /// Text or calls of any tool.
    Auto,
    /// A call of this tool.
    Named(&'a str),
}

/// One message of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// The rules.
    System {
        /// Text.
        content: String,
    },
    /// A message of the runtime.
    User {
        /// Text.
        content: String,
    },
    /// A message of the model.
    Assistant {
        /// Text, if any.
        content: Option<String>,
        /// Calls, with arguments that are valid JSON objects: a malformed call is repaired before it is kept, since
        /// servers answer 500 to it.
        calls: Vec<ToolCall>,
    },
    /// The result of a call.
    Tool {
        /// The call's ID.
        call_id: String,
        /// The tool's name.
        name: String,
        /// Text.
        content: String,
    },
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// ID that the result refers to.
    pub id: String,
    /// Tool.
    pub name: String,
    /// Arguments as the model wrote them: JSON text that is not parsed.
    pub arguments: String,
}

/// One answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatResponse {
    /// Text, if any. Reasoning is not part of it.
    pub content: Option<String>,
    /// Calls.
    pub calls: Vec<ToolCall>,
    /// Why the answer ended.
    pub finish: ModelFinishReason,
    /// Tokens spent.
    pub usage: TokenUsage,
    /// HTTP attempts beyond the first.
    #[serde(default)]
    pub retries: u32,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelFinishReason {
    /// The model ended its answer, with or without calls.
    #[default]
    Done,
    /// The limit of output tokens was reached.
    Length,
    /// A filter withheld the answer.
    Filtered,
}
