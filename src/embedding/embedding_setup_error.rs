//! Why the configured embedding model cannot be used.

use crate::model::ModelSetupError;

/// Why the configured embedding model cannot be used, found before anything is sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddingSetupError {
    /// Both kinds of models are configured.
    #[error("embedding.base_url and embedding.folder exclude each other; set one of them")]
    TwoModels,
    /// The endpoint's model has no name.
    #[error("no embedding model is named; set embedding.model")]
    MissingName,
    /// The address can't be used.
    #[error("embedding.base_url is not usable: {detail}; an example: http://localhost:11434/v1")]
    BaseUrl {
        /// The reason.
        detail: String,
    },
    /// The key would be sent unencrypted.
    #[error(
        "the key of the embedding model would be sent unencrypted to {host}; use an https address, or set \
         embedding.insecure = true"
    )]
    Unencrypted {
        /// The other machine.
        host: String,
    },
    /// The endpoint can't be used for another reason.
    #[error("the endpoint of the embedding model can't be used: {0}")]
    Endpoint(ModelSetupError),
    /// The program was built without local models.
    #[error(
        "this program was built without local embedding models; build it with the feature \"embedding\", or set \
         embedding.base_url"
    )]
    NoLocalModels,
    /// The folder has no model.
    #[error(
        "embedding.folder holds no usable model: {detail}; it needs model.safetensors, tokenizer.json and config.json"
    )]
    Folder {
        /// The reason.
        detail: String,
    },
}

impl From<ModelSetupError> for EmbeddingSetupError {
    fn from(error: ModelSetupError) -> Self {
        match error {
            ModelSetupError::MissingName => Self::MissingName,
            ModelSetupError::BaseUrl { detail } => Self::BaseUrl { detail },
            ModelSetupError::Unencrypted { host } => Self::Unencrypted { host },
            other => Self::Endpoint(other),
        }
    }
}
