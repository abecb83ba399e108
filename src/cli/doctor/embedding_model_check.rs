//! Checks that the configured embedding model returns vectors.

use retriever::{
    config::{EmbeddingConfig, LoadedConfig, endpoint},
    embedding::configured_embedder,
    workspace::Cancellation,
};

use super::Check;

/// Milliseconds for one vector: longer than a question waits, to distinguish a slow model from one that does not
/// answer.
const PATIENCE_MS: u64 = 5_000;

/// Checks the embedding model. Returns `None` when none is configured.
pub(super) fn check(loaded: &LoadedConfig) -> Option<Check> {
    const NAME: &str = "embedding";
    let config = &loaded.config.embedding;
    config.is_on().then_some(())?;
    let model = match config.folder.is_empty() {
        true => format!("{} at {}", config.model, endpoint::shown(&config.base_url)),
        false => config.folder.clone(),
    };
    let patient = EmbeddingConfig { patience_ms: PATIENCE_MS, ..config.clone() };
    let key = loaded.embedding_key.as_ref().map(|key| key.secret.clone());
    let embedder = match configured_embedder(&patient, key) {
        Ok(embedder) => embedder?,
        Err(error) => {
            let hint = "\"retriever config\" prints where each value comes from";
            return Some(Check::failed(NAME, error.to_string(), hint));
        }
    };
    Some(match embedder.embed_question("how is a file read?", &Cancellation::new()) {
        Ok(vector) => {
            Check::passed(NAME, format!("{model} gives vectors of {} numbers", vector.len()))
        }
        Err(error) => Check::failed(
            NAME,
            format!("{model} gives no vectors: {error}"),
            "check [embedding] in your configuration, and that the server is running",
        ),
    })
}
