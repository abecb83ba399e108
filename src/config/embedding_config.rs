//! The model that gives texts their vectors: an endpoint or a folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ModelConfig;

/// A model that gives texts their vectors. None is used while both `base_url` and `folder` are empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EmbeddingConfig {
    /// OpenAI-compatible endpoint, up to and including its version: `http://localhost:11434/v1`.
    pub base_url: String,
    /// Name of the endpoint's model.
    pub model: String,
    /// Folder of a static model in Model2Vec's layout: `model.safetensors`, `tokenizer.json`, `config.json`.
    pub folder: String,
    /// Name of the environment variable that holds the endpoint's key. `OPENAI_API_KEY` is tried after it when the endpoint is
    /// OpenAI's.
    pub api_key_env: String,
    /// Whether the key may be sent unencrypted, over plain `http`, to another machine.
    pub insecure: bool,
    /// Numbers of a vector that are asked for; 0 leaves it to the endpoint.
    pub dimensions: u32,
    /// Texts of one request.
    pub batch: u32,
    /// Seconds one request for the vectors of a repository may take.
    pub request_timeout_s: u64,
    /// Milliseconds that a question waits for its vector; then it is answered without.
    pub patience_ms: u64,
    /// What stands before each text of the repository, for models that want it.
    pub text_prefix: String,
    /// What stands before each question.
    pub question_prefix: String,
}

impl Default for EmbeddingConfig {
    fn default() -> Self {
        Self {
            base_url: String::new(),
            model: String::new(),
            folder: String::new(),
            api_key_env: "RETRIEVER_EMBEDDING_KEY".to_owned(),
            insecure: false,
            dimensions: 0,
            batch: 32,
            request_timeout_s: 60,
            patience_ms: 200,
            text_prefix: String::new(),
            question_prefix: String::new(),
        }
    }
}

impl EmbeddingConfig {
    /// Whether a model is configured.
    pub fn is_on(&self) -> bool {
        !self.base_url.is_empty() || !self.folder.is_empty()
    }

    /// Returns the endpoint as that of a chat model, since the same rules hold.
    pub(crate) fn endpoint(&self) -> ModelConfig {
        // Users paste the full address.
        let base_url = self.base_url.trim().trim_end_matches('/').trim_end_matches("/embeddings");
        ModelConfig {
            name: self.model.clone(),
            base_url: base_url.to_owned(),
            api_key_env: self.api_key_env.clone(),
            insecure: self.insecure,
            request_timeout_s: self.request_timeout_s,
            ..ModelConfig::default()
        }
    }
}
