//! The model behind an OpenAI-compatible chat-completions endpoint: builds a request, sends it, and repeats it when the
//! failure may pass or the endpoint requires another form.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use futures::{FutureExt, future::BoxFuture};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::Value;

use super::{
    ChatModel, ChatRequest, ChatResponse, Message, ModelError, RetryPolicy,
    attempt_error::RequestAttemptError,
    chat_wire_format::{self, ReasoningText},
    endpoint_quirks::RequestAdjustment,
    model_setup_error::ModelSetupError,
    model_transport::ModelTransport,
    prompted_json_tool_calls,
};
use crate::config::{ModelConfig, ToolCallMode};
use retriever_report::TokenUsage;

/// Number of answers whose reasoning is kept for sending back; the oldest are dropped first.
const KEPT_REASONING: usize = 512;
/// Keys of the body that only the program sets.
const RESERVED: [&str; 3] = ["messages", "tools", "stream"];

/// A model behind an OpenAI-compatible endpoint. Its adaptations to the endpoint last as long as the value, so one
/// value serves all runs of a process.
pub struct OpenAiModel {
    config: ModelConfig,
    transport: ModelTransport,
    policy: RetryPolicy,
    adjustments: Mutex<Vec<RequestAdjustment>>,
    /// Counts of native tool calls, for the mode that may switch to actions.
    record: Mutex<prompted_json_tool_calls::ToolCallStatistics>,
    reasoning: Mutex<VecDeque<(blake3::Hash, ReasoningText)>>,
}

impl fmt::Debug for OpenAiModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiModel")
            .field("name", &self.config.name)
            .field("endpoint", &self.transport.address())
            .finish_non_exhaustive()
    }
}

impl OpenAiModel {
    /// Returns the model of `config`. Nothing is sent. The key is sent to the configured endpoint only, and is in no
    /// error.
    ///
    /// # Errors
    ///
    /// [`ModelSetupError`], when the configuration can't work with any endpoint.
    pub fn new(config: &ModelConfig, key: Option<SecretString>) -> Result<Self, ModelSetupError> {
        if config.name.trim().is_empty() {
            return Err(ModelSetupError::MissingName);
        }
        if let Some(key) = RESERVED.into_iter().find(|key| config.extra_body.contains_key(*key)) {
            return Err(ModelSetupError::ReservedKey { key: key.to_owned() });
        }
        Ok(Self {
            config: config.clone(),
            transport: ModelTransport::new(config, key)?,
            policy: RetryPolicy::from(config),
            adjustments: Mutex::default(),
            record: Mutex::default(),
            reasoning: Mutex::default(),
        })
    }

    /// Replaces the policy of the configuration.
    #[must_use]
    pub fn with_retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Returns the adaptations to the endpoint so far, as text, oldest first.
    pub fn adaptations(&self) -> Vec<String> {
        self.adjustments().iter().map(ToString::to_string).collect()
    }

    /// Returns the names of the models that the endpoint lists. Sends one request and does not retry.
    ///
    /// # Errors
    ///
    /// [`ModelError`]; many endpoints refuse to list models and still work.
    pub async fn listed_models(&self, limit: Duration) -> Result<Vec<String>, ModelError> {
        #[derive(Deserialize)]
        struct Listed {
            id: String,
        }
        #[derive(Deserialize)]
        struct List {
            data: Vec<Listed>,
        }
        let listed = self.transport.get("/models", limit).await.and_then(|list| {
            let list = serde_json::from_value::<List>(list);
            list.map_err(|error| RequestAttemptError::Malformed(error.to_string()))
        });
        match listed {
            Ok(list) => Ok(list.data.into_iter().map(|model| model.id).collect()),
            Err(error) => Err(error.into_error(self.transport.address(), self.transport.secrets())),
        }
    }

    async fn run(&self, request: &ChatRequest<'_>) -> Result<ChatResponse, ModelError> {
        let prefixes = prefixes(request.messages);
        let mut retries = 0;
        let mut earlier = None;
        let mut wasted = TokenUsage::default();
        loop {
            let adjustments = self.adjustments();
            let body = self.body(request, &prefixes, &adjustments);
            let error = match self.send(&body, request).await {
                Ok((response, _)) if self.gives_up_tools(&body, request, &response) => {
                    wasted += response.usage;
                    self.learned(RequestAdjustment::Actions);
                    continue;
                }
                Ok((mut response, reasoning)) => {
                    response.usage += wasted;
                    if let (Some(reasoning), Some(prefix)) = (reasoning, prefixes.last()) {
                        self.keep(*prefix, reasoning);
                    }
                    response.retries = retries;
                    return Ok(response);
                }
                Err(error) => error,
            };
            if let RequestAttemptError::Refusal(refusal) = &error
                && let Value::Object(body) = &body
                && let Some(adjustment) = RequestAdjustment::learn(body, refusal, &adjustments)
                && (adjustment != RequestAdjustment::Actions
                    || self.config.mode == ToolCallMode::Auto)
            {
                // Each adjustment is learned once and changes the body, so the loop ends.
                self.learned(adjustment);
                continue;
            }
            let Some(wait) = self.policy.wait(&error, retries, request.deadline) else {
                // The error that caused a retry explains more than the timeout that ended it.
                let told = match (error, earlier) {
                    (RequestAttemptError::Timeout(_), Some(earlier))
                        if request.deadline <= Instant::now() =>
                    {
                        earlier
                    }
                    (error, _) => error,
                };
                return Err(told.into_error(self.transport.address(), self.transport.secrets()));
            };
            tokio::time::sleep(wait).await;
            earlier = Some(error);
            retries += 1;
        }
    }

    /// Whether this failed call makes the mode switch to actions.
    fn gives_up_tools(
        &self,
        body: &Value,
        request: &ChatRequest<'_>,
        response: &ChatResponse,
    ) -> bool {
        self.config.mode == ToolCallMode::Auto
            && body.get("tools").is_some()
            && self
                .record
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .gives_up(request, response)
    }

    async fn send(
        &self,
        body: &Value,
        request: &ChatRequest<'_>,
    ) -> Result<(ChatResponse, Option<ReasoningText>), RequestAttemptError> {
        let left = request.deadline.saturating_duration_since(Instant::now());
        let answer = self.transport.post(body, self.policy.request_timeout.min(left)).await?;
        chat_wire_format::read_answer(&answer, request.messages.len())
    }

    fn body(
        &self,
        request: &ChatRequest<'_>,
        prefixes: &[blake3::Hash],
        adjustments: &[RequestAdjustment],
    ) -> Value {
        let echoes =
            self.config.echo_reasoning || adjustments.contains(&RequestAdjustment::EchoReasoning);
        let mut body = chat_wire_format::request_body(&self.config, request, |index| {
            if echoes && matches!(request.messages[index], Message::Assistant { .. }) {
                self.kept(prefixes[index])
            } else {
                None
            }
        });
        let by_actions = match self.config.mode {
            ToolCallMode::Auto => adjustments.contains(&RequestAdjustment::Actions),
            ToolCallMode::Tools => false,
            ToolCallMode::Actions => true,
        };
        if by_actions && !request.tools.is_empty() {
            prompted_json_tool_calls::rewrite(&mut body, request);
        }
        adjustments.iter().for_each(|adjustment| adjustment.apply(&mut body));
        Value::Object(body)
    }

    fn adjustments(&self) -> Vec<RequestAdjustment> {
        self.adjustments.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn learned(&self, adjustment: RequestAdjustment) {
        let mut adjustments = self.adjustments.lock().unwrap_or_else(PoisonError::into_inner);
        // A concurrent request may have learned it.
        if !adjustments.contains(&adjustment) {
            adjustments.push(adjustment);
        }
    }

    fn keep(&self, prefix: blake3::Hash, reasoning: ReasoningText) {
        let mut kept = self.reasoning.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT_REASONING {
            kept.pop_front();
        }
        kept.push_back((prefix, reasoning));
    }

    fn kept(&self, prefix: blake3::Hash) -> Option<ReasoningText> {
        let kept = self.reasoning.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().rev().find(|(key, _)| *key == prefix).map(|(_, reasoning)| reasoning.clone())
    }
}

impl ChatModel for OpenAiModel {
    fn name(&self) -> &str {
        &self.config.name
    }

    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ModelError>> {
        self.run(request).boxed()
    }
}

/// Returns, for every message and for the end, the hash of the conversation before it. Reasoning is not part of a
/// [`Message`]; since conversations only grow, the hash identifies the answer that it belongs to.
fn prefixes(messages: &[Message]) -> Vec<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    let mut prefixes = vec![hasher.finalize()];
    for message in messages {
        hasher.update(format!("{message:?}\n").as_bytes());
        prefixes.push(hasher.finalize());
    }
    prefixes
}
