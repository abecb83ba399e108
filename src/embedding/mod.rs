//! Vectors of the user's model: the embedders, the configured one with its vectors, and background work.

mod configured_embedding;
mod embedding_setup_error;
mod make_embedder;
#[cfg(feature = "embedding")]
mod static_model_embedder;

pub use configured_embedding::ConfiguredEmbedding;
pub(crate) use configured_embedding::{EmbeddingHandle, QuestionVector};
pub use embedding_setup_error::EmbeddingSetupError;
pub use make_embedder::configured_embedder;
