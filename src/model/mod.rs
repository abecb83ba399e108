//! Chat models behind one trait, in the program's own types. Wire formats, retries and adaptations to providers are in
//! the files below; code above this module does not depend on the provider.

mod attempt_error;
mod cassette;
mod chat_model;
mod chat_wire_format;
mod endpoint_embedder;
mod endpoint_quirks;
mod endpoint_secrets;
mod model_error;
mod model_setup_error;
mod model_transport;
mod openai;
mod prompted_json_tool_calls;
mod retry;
pub use self::chat_model::{
    ChatModel, ChatRequest, ChatResponse, Message, ModelFinishReason, ToolCall, ToolChoice,
};
pub use self::model_error::ModelError;

pub use cassette::{RecordingModel, ReplayModel};
pub use endpoint_embedder::EndpointEmbedder;
pub use model_setup_error::ModelSetupError;
pub use openai::OpenAiModel;
pub use retry::RetryPolicy;

pub use retriever_report::{ReportAuthor, TokenUsage};
