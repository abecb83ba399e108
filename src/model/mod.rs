//! Chat models behind one trait, in the program's own types. Wire formats, retries and provider quirks stay in the
//! files below; nothing above this module knows which provider answers.

mod attempt_error;
mod cassette;
mod chat_wire_format;
mod endpoint_secrets;
mod json_actions;
mod model_setup_error;
mod model_transport;
mod openai;
mod quirks;
mod retry;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

pub use cassette::{RecordingModel, ReplayModel};
use futures::future::BoxFuture;
pub use model_setup_error::ModelSetupError;
pub use openai::OpenAiModel;
pub use retry::RetryPolicy;
use serde::{Deserialize, Serialize};

use crate::tools::ToolSpec;
pub use retriever_report::{ReportAuthor, Usage};

/// Something that continues a conversation.
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
/// /// Says the same whatever it is asked.
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
    /// Name as reported in a map's `meta.model`.
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

/// One request: the whole conversation so far and what may be answered.
pub struct ChatRequest<'a> {
    /// The conversation; append-only over a run.
    pub messages: &'a [Message],
    /// Tools that may be called.
    pub tools: &'a [ToolSpec],
    /// Whether a call is wanted, and of which tool.
    pub tool_choice: ToolChoice<'a>,
    /// When the answer is of no use any more.
    pub deadline: Instant,
}

/// What the model may answer with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolChoice<'a> {
    /// Anything.
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
    /// What the runtime says.
    User {
        /// Text.
        content: String,
    },
    /// What the model said.
    Assistant {
        /// Text, if any.
        content: Option<String>,
        /// Calls, with arguments that are valid JSON objects: a malformed call is repaired before it is kept, since
        /// servers answer 500 to it.
        calls: Vec<ToolCall>,
    },
    /// The answer to one call.
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
    /// ID that the answer names.
    pub id: String,
    /// Tool.
    pub name: String,
    /// Arguments as the model wrote them: JSON text, not yet parsed.
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
    pub usage: Usage,
    /// HTTP attempts beyond the first.
    #[serde(default)]
    pub retries: u32,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelFinishReason {
    /// By itself, with or without calls.
    #[default]
    Done,
    /// At the limit of output tokens.
    Length,
    /// By a filter.
    Filtered,
}

/// Why a model gave no answer. [`ModelError::label`] is the stable short form.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The endpoint can't be reached, or the connection broke.
    #[error("cannot reach {endpoint}: {detail}")]
    Network {
        /// Endpoint, without credentials.
        endpoint: String,
        /// What the transport said.
        detail: String,
    },
    /// The call took too long.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// The key is missing, wrong, or not allowed to use the model.
    #[error("the endpoint refused the credentials (HTTP {status}): {detail}")]
    Authentication {
        /// HTTP status.
        status: u16,
        /// The endpoint's words, bounded.
        detail: String,
    },
    /// Too many requests, and waiting didn't help.
    #[error("rate limited (HTTP {status}): {detail}")]
    RateLimited {
        /// HTTP status.
        status: u16,
        /// How long the endpoint asks to wait.
        retry_after: Option<Duration>,
        /// The endpoint's words, bounded.
        detail: String,
    },
    /// The conversation is too long for the model.
    #[error("the conversation is too long for the model: {detail}")]
    ContextLength {
        /// The endpoint's words, bounded.
        detail: String,
    },
    /// The endpoint refused the request.
    #[error("the endpoint refused the request (HTTP {status}): {detail}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// The endpoint's words, bounded.
        detail: String,
    },
    /// The endpoint failed.
    #[error("the endpoint failed (HTTP {status}): {detail}")]
    Server {
        /// HTTP status.
        status: u16,
        /// The endpoint's words, bounded.
        detail: String,
    },
    /// The answer isn't a chat completion.
    #[error("the endpoint's answer is not a chat completion: {0}")]
    Malformed(String),
    /// A cassette doesn't fit or has ended.
    #[error("{0}")]
    Cassette(String),
}

impl ModelError {
    /// Returns a short stable name for events and reasons.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Network { .. } => "network",
            Self::Timeout(_) => "timeout",
            Self::Authentication { .. } => "authentication",
            Self::RateLimited { .. } => "rate_limited",
            Self::ContextLength { .. } => "context_length",
            Self::Refused { .. } => "refused",
            Self::Server { .. } => "server",
            Self::Malformed(_) => "malformed",
            Self::Cassette(_) => "cassette",
        }
    }

    /// Returns what a person can do about it, when there is something.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Network { .. } => {
                Some("check that the endpoint is running and that base_url is right")
            }
            Self::Timeout(_) => {
                Some("raise model.request_timeout_s or the run's timeout, or choose a faster model")
            }
            Self::Authentication { .. } => Some(
                "check the API key and that it may use this model; `retriever doctor` shows where the key comes from",
            ),
            Self::RateLimited { .. } => {
                Some("wait, run fewer questions at a time, or check the account's quota")
            }
            Self::ContextLength { .. } => Some(
                "lower the observation budget, or serve the model with a larger context window",
            ),
            Self::Refused { .. } => Some(
                "check model.name, model.base_url and model.extra_body; the model must support tool calls",
            ),
            Self::Server { .. } => Some("try again later, or look at the endpoint's log"),
            Self::Malformed(_) => Some(
                "base_url must be an OpenAI-compatible endpoint, up to and including its version (…/v1)",
            ),
            Self::Cassette(_) => None,
        }
    }
}
