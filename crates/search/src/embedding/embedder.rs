//! What turns texts into vectors.

use retriever_workspace::Cancellation;

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Returns everything that its vectors depend on beside the text: vectors of another identity are of no use.
    fn identity(&self) -> String;

    /// Returns how many texts it takes at once.
    fn batch(&self) -> usize;

    /// Returns the vector of each text, all of one length; they need not have the length 1. Blocks.
    ///
    /// # Errors
    ///
    /// [`EmbeddingError`].
    fn embed(
        &self,
        texts: &[String],
        cancellation: &Cancellation,
    ) -> Result<Vec<Vec<f32>>, EmbeddingError>;

    /// Returns the vector of a question. Blocks, for no longer than a question may wait.
    ///
    /// # Errors
    ///
    /// [`EmbeddingError`].
    fn embed_question(
        &self,
        question: &str,
        cancellation: &Cancellation,
    ) -> Result<Vec<f32>, EmbeddingError>;
}

/// Why there are no vectors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddingError {
    /// The work was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The embedder failed, in words.
    #[error("{0}")]
    Failed(String),
    /// The embedder gave something other than a vector for each text.
    #[error("the embedding model gave {got} where {wanted} were asked for")]
    Shape {
        /// What it gave.
        got: String,
        /// What was asked for.
        wanted: String,
    },
    /// The vectors can't be stored.
    #[error("vectors can't be stored: {0}")]
    Store(String),
}

impl From<std::io::Error> for EmbeddingError {
    fn from(error: std::io::Error) -> Self {
        Self::Store(error.to_string())
    }
}
