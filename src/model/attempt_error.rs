//! Why one request failed: the endpoint's error body, parsed leniently, its class, and whether a retry can succeed.

use std::time::Duration;

use retriever_workspace::clip;
use serde_json::Value;

use super::{ModelError, endpoint_secrets::EndpointSecrets};

/// Most characters of an endpoint's message in an error.
const MAX_DETAIL: usize = 500;

/// Codes and phrases by which endpoints report that the conversation is too long.
const TOO_LONG: [&str; 9] = [
    "context_length_exceeded",
    "exceed_context_size",
    "context length",
    "context size",
    "context window",
    "prompt is too long",
    "input is too long",
    "reduce the length of the messages",
    "too large to process",
];

/// A response that isn't a success.
#[derive(Debug, thiserror::Error)]
#[error("HTTP {status}")]
pub(super) struct HttpFailure {
    /// Status.
    pub(super) status: u16,
    /// The wait that the headers ask for.
    pub(super) retry_after: Option<Duration>,
    /// Where a redirect leads: scheme and host.
    pub(super) location: Option<String>,
    /// Body, cut to a bounded size.
    pub(super) body: String,
}

/// Why one request has no answer.
#[derive(Debug)]
pub(super) enum RequestAttemptError {
    /// There is no connection, or it broke.
    Network(String),
    /// No answer came in time.
    Timeout(Duration),
    /// The answer is not a chat completion.
    Malformed(String),
    /// The endpoint returned an error.
    Refusal(EndpointErrorBody),
}

/// An endpoint's error, parsed from any of the known shapes.
#[derive(Debug, Default)]
pub(super) struct EndpointErrorBody {
    /// HTTP status; for an error in a 200 answer the status that its code stands for, or 200.
    pub(super) status: u16,
    /// Code and type, lowercase: `insufficient_quota invalid_request_error`.
    pub(super) code: String,
    /// The parameter that the error is about.
    pub(super) param: Option<String>,
    /// The message.
    pub(super) message: String,
    /// The wait that the endpoint asks for.
    pub(super) retry_after: Option<Duration>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Authentication,
    RateLimited,
    ContextLength,
    Refused,
    Server,
}

impl RequestAttemptError {
    /// Returns whether the same request may succeed later.
    pub(super) fn is_retryable(&self) -> bool {
        match self {
            Self::Network(_) | Self::Timeout(_) => true,
            Self::Malformed(_) => false,
            Self::Refusal(refusal) => match refusal.class() {
                Class::RateLimited => !refusal.has_code("insufficient_quota"),
                // Servers return 501 for what they do not implement.
                Class::Server => refusal.status != 501,
                // The endpoint could not parse the model's call; the next answer may have a valid one.
                Class::Refused => refusal.has_code("tool_use_failed"),
                Class::Authentication | Class::ContextLength => false,
            },
        }
    }

    /// Returns whether a shorter text may succeed.
    pub(super) fn is_too_long(&self) -> bool {
        matches!(self, Self::Refusal(refusal) if refusal.class() == Class::ContextLength)
    }

    /// Returns the wait that the endpoint asks for.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refusal(refusal) => refusal.retry_after,
            Self::Network(_) | Self::Timeout(_) | Self::Malformed(_) => None,
        }
    }

    /// Returns the error for the caller: bounded, on one line, and without secrets.
    pub(super) fn into_error(self, endpoint: &str, secrets: &EndpointSecrets) -> ModelError {
        let clean = |text: &str| one_line(&secrets.redact(text));
        match self {
            Self::Network(detail) => {
                ModelError::Network { endpoint: endpoint.to_owned(), detail: clean(&detail) }
            }
            Self::Timeout(limit) => ModelError::Timeout(limit),
            Self::Malformed(detail) => ModelError::Malformed(clean(&detail)),
            Self::Refusal(refusal) => {
                let (status, detail) = (refusal.status, clean(&refusal.message));
                match refusal.class() {
                    Class::Authentication => ModelError::Authentication { status, detail },
                    Class::RateLimited => {
                        ModelError::RateLimited { status, retry_after: refusal.retry_after, detail }
                    }
                    Class::ContextLength => ModelError::ContextLength { detail },
                    Class::Refused => ModelError::Refused { status, detail },
                    Class::Server => ModelError::Server { status, detail },
                }
            }
        }
    }
}

impl From<HttpFailure> for EndpointErrorBody {
    fn from(failure: HttpFailure) -> Self {
        let HttpFailure { status, retry_after, location, body } = failure;
        let mut refusal = match serde_json::from_str::<Value>(&body) {
            Ok(value) => Self::read(&value),
            Err(_) => Self { message: body, ..Self::default() },
        };
        refusal.status = status;
        refusal.retry_after = retry_after.or(refusal.retry_after);
        if let Some(host) = location {
            refusal.message = format!(
                "it redirects to {host}, and redirects are not followed; set base_url to the final address if it is trusted"
            );
        } else if refusal.message.trim().is_empty() {
            refusal.message = "no explanation given".to_owned();
        }
        refusal
    }
}

impl EndpointErrorBody {
    /// Reads the error of an answer with status 200, if there is one: an `error` at the top or in the choice, or a body
    /// without choices.
    pub(super) fn in_success(answer: &Value) -> Option<Self> {
        let is_error = |value: &&Value| {
            value.get("error").is_some_and(|error| !error.is_null())
                || value.get("object").and_then(Value::as_str) == Some("error")
        };
        let body =
            [Some(answer), answer.pointer("/choices/0")].into_iter().flatten().find(is_error);
        let speaks = answer.get("detail").or(answer.get("message")).is_some();
        let body = body.or((speaks && answer.get("choices").is_none()).then_some(answer))?;
        let mut refusal = Self::read(body);
        refusal.status = refusal.status_of_code();
        Some(refusal)
    }

    /// Reads an error body: `{error: {…}}`, `{error: "…"}`, `{detail: […]}`, a flat object, or a list of these.
    fn read(body: &Value) -> Self {
        let outer = body.get(0).unwrap_or(body);
        let inner = ["error", "detail", "errors"]
            .iter()
            .find_map(|key| outer.get(key).filter(|value| !value.is_null()))
            .unwrap_or(outer);
        let mut message = words(inner);
        // Gateways put the provider's own message one level deeper.
        if let Some(raw) = inner.pointer("/metadata/raw").and_then(Value::as_str) {
            message = format!("{message}: {raw}");
        }
        let retry_after = [inner.get("metadata").unwrap_or(inner), inner, outer]
            .iter()
            .find_map(|place| place.get("retry_after").and_then(Value::as_f64))
            .and_then(seconds);
        Self {
            status: 0,
            code: ["code", "type", "status"]
                .iter()
                .filter_map(|key| inner.get(key).map(scalar))
                .collect::<Vec<_>>()
                .join(" ")
                .to_lowercase(),
            param: inner.get("param").and_then(Value::as_str).map(str::to_owned),
            message,
            retry_after,
        }
    }

    /// Whether the error is about the request's form, so that another form may be accepted.
    pub(super) fn is_about_the_request(&self) -> bool {
        matches!(self.status, 200 | 400 | 404 | 422 | 500 | 501)
            && !matches!(self.class(), Class::Authentication | Class::RateLimited)
    }

    /// Whether the error names `key`, as its parameter or in its message.
    pub(super) fn names(&self, key: &str) -> bool {
        if self.param.as_deref() == Some(key) {
            return true;
        }
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        self.message.match_indices(key).any(|(at, _)| {
            let before = self.message[..at].chars().next_back();
            let after = self.message[at + key.len()..].chars().next();
            let quoted = before.is_some_and(|c| "'\"`.".contains(c));
            // A key that is a common word counts only in quotes.
            (quoted || key.contains('_') || key == "temperature")
                && !before.is_some_and(in_word)
                && !after.is_some_and(in_word)
        })
    }

    fn has_code(&self, code: &str) -> bool {
        self.code.split(' ').any(|word| word == code)
    }

    fn class(&self) -> Class {
        let text = format!("{} {}", self.code, self.message.to_lowercase());
        match self.status {
            429 => Class::RateLimited,
            401 | 403 => Class::Authentication,
            413 => Class::ContextLength,
            _ if TOO_LONG.iter().any(|phrase| text.contains(phrase)) => Class::ContextLength,
            _ if self.has_code("invalid_api_key") => Class::Authentication,
            408 | 409 | 425 | 500.. => Class::Server,
            300..500 => Class::Refused,
            _ => Class::Server,
        }
    }

    fn status_of_code(&self) -> u16 {
        let number = self.code.split(' ').find_map(|word| word.parse::<u16>().ok());
        if let Some(status) = number.filter(|status| (400..600).contains(status)) {
            return status;
        }
        let known = [
            ("invalid_api_key", 401),
            ("authentication_error", 401),
            ("permission_error", 403),
            ("rate_limit_exceeded", 429),
            ("rate_limit_error", 429),
            ("insufficient_quota", 429),
            ("invalid_request_error", 400),
            ("badrequesterror", 400),
            ("not_found_error", 404),
        ];
        known.iter().find(|(code, _)| self.has_code(code)).map_or(200, |(_, status)| *status)
    }
}

/// Returns the message of an error value.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => {
            let text = ["message", "msg", "error", "detail"]
                .iter()
                .find_map(|key| fields.get(*key).filter(|value| !value.is_null()))
                .map_or_else(|| value.to_string(), words);
            match fields.get("loc").and_then(Value::as_array) {
                Some(path) => {
                    let path = path.iter().map(scalar).collect::<Vec<_>>().join(".");
                    format!("{path}: {text}")
                }
                None => text,
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => scalar(value),
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the wait that an endpoint asks for; the longest possible one if it does not fit a duration.
pub(super) fn seconds(number: f64) -> Option<Duration> {
    (number >= 0.0).then(|| Duration::try_from_secs_f64(number).unwrap_or(Duration::MAX))
}

/// Returns text of an endpoint on one line, without control characters, and truncated.
fn one_line(text: &str) -> String {
    let flat = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    clip(&flat, MAX_DETAIL)
}
