//! Vectors from an OpenAI-compatible endpoint, through the client and by the rules of the chat model: texts are sent to
//! the configured host only.

use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{
    ModelSetupError, RetryPolicy, attempt_error::RequestAttemptError,
    model_transport::ModelTransport,
};
use crate::config::EmbeddingConfig;
use retriever_search::{Embedder, EmbeddingError};
use retriever_workspace::Cancellation;

const PATH: &str = "/embeddings";
/// Interval at which a running request checks for cancellation.
const CANCELLATION_INTERVAL: Duration = Duration::from_millis(50);
/// How often texts that are too long are halved.
const MAX_CUTS: u32 = 3;
/// Least size of a halved text, in bytes.
const MIN_CUT_BYTES: usize = 200;
/// Longest time for one batch with its retries.
const MAX_BATCH_TIME: Duration = Duration::from_secs(600);

/// An embedding model behind an endpoint.
pub struct EndpointEmbedder {
    config: EmbeddingConfig,
    transport: ModelTransport,
    policy: RetryPolicy,
    /// The runtime of connections that are kept open, with its own thread. It starts with the first request, so that it
    /// runs in the sandbox of the requesting thread. `None` if it cannot be started.
    runtime: OnceLock<Option<Runtime>>,
}

impl EndpointEmbedder {
    /// Returns the model of the configured endpoint. Nothing is sent.
    ///
    /// # Errors
    ///
    /// [`ModelSetupError`].
    pub fn new(
        config: &EmbeddingConfig,
        key: Option<SecretString>,
    ) -> Result<Self, ModelSetupError> {
        if config.model.trim().is_empty() {
            return Err(ModelSetupError::MissingName);
        }
        let endpoint = config.endpoint();
        Ok(Self {
            transport: ModelTransport::new(&endpoint, key)?,
            policy: RetryPolicy::from(&endpoint),
            config: config.clone(),
            runtime: OnceLock::new(),
        })
    }

    /// Sends one request.
    async fn ask(
        &self,
        texts: &[String],
        limit: Duration,
    ) -> Result<Vec<Vec<f32>>, RequestAttemptError> {
        let mut body = json!({ "model": self.config.model, "input": texts });
        if self.config.dimensions > 0 {
            body["dimensions"] = self.config.dimensions.into();
        }
        let answer = self.transport.post_to(PATH, &body, limit).await?;
        vectors(answer, texts.len(), self.config.dimensions)
    }

    /// Sends requests until one is answered. Texts that are too long for the model are halved, since the first half is
    /// the most informative.
    async fn ask_patiently(
        &self,
        mut texts: Vec<String>,
    ) -> Result<Vec<Vec<f32>>, RequestAttemptError> {
        let deadline = Instant::now() + MAX_BATCH_TIME;
        let (mut retries, mut cuts) = (0, 0);
        loop {
            let error = match self.ask(&texts, self.policy.request_timeout).await {
                Ok(vectors) => return Ok(vectors),
                Err(error) => error,
            };
            if error.is_too_long() && cuts < MAX_CUTS {
                cuts += 1;
                texts.iter_mut().for_each(halve);
                continue;
            }
            let Some(wait) = self.policy.wait(&error, retries, deadline) else { return Err(error) };
            tokio::time::sleep(wait).await;
            retries += 1;
        }
    }

    /// Waits for an answer or for cancellation.
    fn wait<T>(
        &self,
        answer: impl Future<Output = Result<T, RequestAttemptError>>,
        cancellation: &Cancellation,
    ) -> Result<T, EmbeddingError> {
        let cancelled = async {
            while !cancellation.is_cancelled() {
                tokio::time::sleep(CANCELLATION_INTERVAL).await;
            }
        };
        let Some(runtime) = self.runtime.get_or_init(runtime) else {
            return Err(EmbeddingError::Failed("no thread can be started".to_owned()));
        };
        let answer = runtime.block_on(async {
            tokio::select! {
                answer = answer => Some(answer),
                () = cancelled => None,
            }
        });
        match answer {
            None => Err(EmbeddingError::Cancelled),
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => {
                let error = error.into_error(self.transport.address(), self.transport.secrets());
                Err(EmbeddingError::Failed(error.to_string()))
            }
        }
    }
}

impl Embedder for EndpointEmbedder {
    fn identity(&self) -> String {
        let EmbeddingConfig { model, dimensions, text_prefix, .. } = &self.config;
        format!("endpoint {} {model:?} {dimensions} {text_prefix:?}", self.transport.address())
    }

    fn batch(&self) -> usize {
        self.config.batch.max(1) as usize
    }

    fn embed(
        &self,
        texts: &[String],
        cancellation: &Cancellation,
    ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let prefixed = texts.iter().map(|text| format!("{}{text}", self.config.text_prefix));
        let texts: Vec<String> = prefixed.collect();
        self.wait(self.ask_patiently(texts), cancellation)
    }

    fn embed_question(
        &self,
        question: &str,
        cancellation: &Cancellation,
    ) -> Result<Vec<f32>, EmbeddingError> {
        let texts = [format!("{}{question}", self.config.question_prefix)];
        let patience = Duration::from_millis(self.config.patience_ms.max(1));
        let vectors = self.wait(self.ask(&texts, patience), cancellation)?;
        vectors.into_iter().next().ok_or(EmbeddingError::Cancelled)
    }
}

impl Drop for EndpointEmbedder {
    fn drop(&mut self) {
        // Waiting for a runtime's end is not allowed in async code.
        if let Some(Some(runtime)) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn runtime() -> Option<Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(1).thread_name("embedding").enable_all().build().ok()
}

/// Cuts a text that is longer than others to its first half.
fn halve(text: &mut String) {
    if text.len() > MIN_CUT_BYTES {
        text.truncate(text.floor_char_boundary(text.len() / 2));
    }
}

/// Returns the vectors of an answer, in the order of the texts.
fn vectors(
    answer: Value,
    texts: usize,
    dimensions: u32,
) -> Result<Vec<Vec<f32>>, RequestAttemptError> {
    #[derive(Deserialize)]
    struct Entry {
        index: usize,
        embedding: Vec<f32>,
    }
    #[derive(Deserialize)]
    struct EmbeddingsResponse {
        data: Vec<Entry>,
    }
    let answer: EmbeddingsResponse = serde_json::from_value(answer).map_err(|error| {
        RequestAttemptError::Malformed(format!("no list of embeddings ({error})"))
    })?;
    let mut entries = answer.data;
    entries.sort_by_key(|entry| entry.index);
    let length = entries.first().map_or(0, |entry| entry.embedding.len());
    let is_whole = entries.iter().enumerate().all(|(at, entry)| {
        entry.index == at
            && entry.embedding.len() == length
            && entry.embedding.iter().all(|number| number.is_finite())
    });
    if !is_whole || entries.len() != texts || length == 0 {
        let got = entries.len();
        let detail = format!("{got} embeddings for {texts} texts, or of different lengths");
        return Err(RequestAttemptError::Malformed(detail));
    }
    if dimensions > 0 && length != dimensions as usize {
        let detail =
            format!("vectors have {length} numbers, but embedding.dimensions is {dimensions}");
        return Err(RequestAttemptError::Malformed(detail));
    }
    Ok(entries.into_iter().map(|entry| entry.embedding).collect())
}
