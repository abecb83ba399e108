//! Why a model gave no answer.

use std::{collections::BTreeSet, time::Duration};

use retriever_report::{ReasonCode, RunReason};

/// Why a model gave no answer. [`ModelError::label`] is the stable short form.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The endpoint can't be reached, or the connection broke.
    #[error("cannot reach {endpoint}: {detail}")]
    Network {
        /// Endpoint, without credentials.
        endpoint: String,
        /// The message of the transport.
        detail: String,
    },
    /// The call took too long.
    #[error("no answer within {}", humantime::format_duration(whole_milliseconds(*.0)))]
    Timeout(Duration),
    /// The key is missing, wrong, or not allowed to use the model.
    #[error("the endpoint refused the credentials (HTTP {status}): {detail}")]
    Authentication {
        /// HTTP status.
        status: u16,
        /// The endpoint's message, bounded.
        detail: String,
    },
    /// There were too many requests, also after waiting.
    #[error("rate limited (HTTP {status}): {detail}")]
    RateLimited {
        /// HTTP status.
        status: u16,
        /// The wait that the endpoint asks for.
        retry_after: Option<Duration>,
        /// The endpoint's message, bounded.
        detail: String,
    },
    /// The conversation is too long for the model.
    #[error("the conversation is too long for the model: {detail}")]
    ContextLength {
        /// The endpoint's message, bounded.
        detail: String,
    },
    /// The endpoint refused the request.
    #[error("the endpoint refused the request (HTTP {status}): {detail}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// The endpoint's message, bounded.
        detail: String,
    },
    /// The endpoint failed.
    #[error("the endpoint failed (HTTP {status}): {detail}")]
    Server {
        /// HTTP status.
        status: u16,
        /// The endpoint's message, bounded.
        detail: String,
    },
    /// The answer isn't a chat completion.
    #[error("the endpoint's answer is not a chat completion: {0}")]
    Malformed(String),
    /// It was answered, and the answers held no usable report.
    #[error("{}", told_of_report(refused))]
    NoReport {
        /// What was refused in its report; empty without a report.
        refused: BTreeSet<ReasonCode>,
    },
    /// A cassette does not match the conversation, or has ended.
    #[error("{0}")]
    Cassette(String),
}

impl ModelError {
    /// Returns a short stable name for events: that of its reason without the word for the model.
    pub fn label(&self) -> &'static str {
        let reason: &str = self.reason().into();
        reason.trim_start_matches("model_")
    }

    /// Returns what `meta.reasons` of a map says of it.
    pub const fn reason(&self) -> RunReason {
        match self {
            Self::Network { .. } => RunReason::ModelNetwork,
            Self::Timeout(_) => RunReason::ModelTimeout,
            Self::Authentication { .. } => RunReason::ModelAuthentication,
            Self::RateLimited { .. } => RunReason::ModelRateLimited,
            Self::ContextLength { .. } => RunReason::ModelContextLength,
            Self::Refused { .. } => RunReason::ModelRefused,
            Self::Server { .. } => RunReason::ModelServer,
            Self::Malformed(_) => RunReason::ModelMalformed,
            Self::NoReport { .. } => RunReason::ModelNoReport,
            Self::Cassette(_) => RunReason::ModelCassette,
        }
    }

    /// Returns what the user can do about it, if anything.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Network { .. } => {
                Some("check that the endpoint is running and that base_url is right")
            }
            Self::Timeout(_) => {
                Some("raise model.request_timeout_s or the run's timeout, or choose a faster model")
            }
            Self::Authentication { .. } => Some(
                "check the API key and that it may use this model; `retriever doctor` shows where the key comes from",
            ),
            Self::RateLimited { .. } => {
                Some("wait, run fewer questions at a time, or check the account's quota")
            }
            Self::ContextLength { .. } => Some(
                "lower the observation budget, or serve the model with a larger context window",
            ),
            Self::Refused { .. } => Some(
                "check model.name, model.base_url and model.extra_body; the model must support tool calls",
            ),
            Self::Server { .. } => Some("try again later, or look at the endpoint's log"),
            Self::Malformed(_) => Some(
                "base_url must be an OpenAI-compatible endpoint, up to and including its version (…/v1)",
            ),
            Self::NoReport { .. } => {
                Some("choose a model that supports tool calls, or give it more steps")
            }
            Self::Cassette(_) => None,
        }
    }
}

fn told_of_report(refused: &BTreeSet<ReasonCode>) -> String {
    if refused.is_empty() {
        return "it submitted no report".to_owned();
    }
    let codes: Vec<&str> = refused.iter().map(AsRef::as_ref).collect();
    format!("nothing of its report held ({})", codes.join(", "))
}

/// Returns what is told of a time: a person has no use for its microseconds.
fn whole_milliseconds(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}
