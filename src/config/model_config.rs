//! The endpoint of a model, and the model's prices.

use super::endpoint;
use retriever_report::TokenUsage;
use retriever_workspace::UnknownVariant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use strum::{AsRefStr, Display, EnumString, VariantArray};

/// An OpenAI-compatible chat-completions endpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelConfig {
    /// Name of the model. When it is empty, the built-in offline driver answers.
    pub name: String,
    /// Endpoint, up to and including its version: `https://api.openai.com/v1`.
    pub base_url: String,
    /// How the model calls tools.
    pub mode: ToolCallMode,
    /// Name of the environment variable that holds the key. `OPENAI_API_KEY` is tried after it when the endpoint is OpenAI's.
    pub api_key_env: String,
    /// Header of the API key: `Authorization` with a bearer token, or another header with the key alone.
    pub api_key_header: String,
    /// Whether the key may be sent unencrypted, over plain `http`, to another machine.
    pub insecure: bool,
    /// Sampling temperature; left out of requests when negative.
    pub temperature: f64,
    /// Limit of tokens in one answer; 0 leaves it to the endpoint.
    pub max_output_tokens: u32,
    /// Seconds one request may take.
    pub request_timeout_s: u64,
    /// Retries of a request after a transient error.
    pub retries: u32,
    /// Whether reasoning text is sent back to the endpoint in later turns; most endpoints reject it.
    pub echo_reasoning: bool,
    /// Extra HTTP headers.
    pub headers: BTreeMap<String, String>,
    /// Extra keys of the request body, as a JSON-like table.
    pub extra_body: BTreeMap<String, serde_json::Value>,
    /// Prices per million tokens, for `meta.cost`.
    pub prices: Prices,
}

impl ModelConfig {
    /// Returns whether a header or the address holds a secret, which then serves as the key.
    pub(crate) fn has_secrets(&self) -> bool {
        self.headers.keys().any(|name| endpoint::sounds_secret(name))
            || !endpoint::secrets_of(&self.base_url).is_empty()
    }
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_url: "https://api.openai.com/v1".to_owned(),
            mode: ToolCallMode::default(),
            api_key_env: "RETRIEVER_API_KEY".to_owned(),
            api_key_header: "Authorization".to_owned(),
            insecure: false,
            temperature: -1.0,
            max_output_tokens: 4096,
            request_timeout_s: 120,
            retries: 3,
            echo_reasoning: false,
            headers: BTreeMap::new(),
            extra_body: BTreeMap::new(),
            prices: Prices::default(),
        }
    }
}

/// How a model calls tools.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<ToolCallMode>)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolCallMode {
    /// Native tool calls first; JSON actions once the endpoint refuses tool calls or the model fails to make them.
    #[default]
    Auto,
    /// Native tool calls.
    Tools,
    /// One JSON object per turn, which `response_format` constrains.
    Actions,
}

/// Prices per million tokens, in one currency. When all are zero, no cost is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Prices {
    /// Prompt tokens that were not cached.
    pub prompt: f64,
    /// Cached prompt tokens.
    pub cached: f64,
    /// Completion tokens.
    pub completion: f64,
}

impl Prices {
    /// Returns the price of `usage` in the currency of the prices, or `None` when none is configured.
    pub fn cost_of(&self, usage: &TokenUsage) -> Option<f64> {
        let priced = self.prompt > 0.0 || self.cached > 0.0 || self.completion > 0.0;
        let millions = |tokens: u64| tokens as f64 / 1e6;
        priced.then(|| {
            self.prompt * millions(usage.prompt_tokens.saturating_sub(usage.cached_tokens))
                + self.cached * millions(usage.cached_tokens)
                + self.completion * millions(usage.completion_tokens)
        })
    }
}
