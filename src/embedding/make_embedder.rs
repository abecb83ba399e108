//! Makes the configured embedder.

use std::sync::Arc;

use secrecy::SecretString;

use super::embedding_setup_error::EmbeddingSetupError;
use crate::{config::EmbeddingConfig, model::EndpointEmbedder};
use retriever_search::Embedder;

/// Returns the configured embedder; `None` when none is configured. Nothing is sent, and no model is loaded.
///
/// # Errors
///
/// [`EmbeddingSetupError`].
pub fn configured_embedder(
    config: &EmbeddingConfig,
    key: Option<SecretString>,
) -> Result<Option<Arc<dyn Embedder>>, EmbeddingSetupError> {
    match (config.base_url.is_empty(), config.folder.is_empty()) {
        (true, true) => Ok(None),
        (false, false) => Err(EmbeddingSetupError::TwoModels),
        (false, true) => Ok(Some(Arc::new(EndpointEmbedder::new(config, key)?))),
        (true, false) => static_model(config),
    }
}

#[cfg(feature = "embedding")]
fn static_model(
    config: &EmbeddingConfig,
) -> Result<Option<Arc<dyn Embedder>>, EmbeddingSetupError> {
    let model = super::static_model_embedder::StaticModelEmbedder::new(config)?;
    Ok(Some(Arc::new(model)))
}

#[cfg(not(feature = "embedding"))]
fn static_model(_: &EmbeddingConfig) -> Result<Option<Arc<dyn Embedder>>, EmbeddingSetupError> {
    Err(EmbeddingSetupError::NoLocalModels)
}
