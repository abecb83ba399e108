//! Why a request has no answer: a status and a sentence, as JSON.

use axum::{
    Json,
    http::{HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

use retriever_search::explore::ExploreError;

use crate::{
    agent::AskError,
    mcp::{blocking_call::InterruptedCall, concurrency_limit::AdmissionError},
    tools::ToolError,
};

/// Seconds until a client may try again when the server is busy or stopping.
const RETRY_AFTER_S: u32 = 5;

/// A refused or failed request.
#[derive(Debug)]
pub(super) struct HttpProblem {
    status: StatusCode,
    message: String,
}

impl HttpProblem {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// The request is invalid; `message` says what is wrong and how to correct it.
    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// The program failed; what went wrong is on the server's stderr.
    pub(super) fn internal() -> Self {
        Self::from(InterruptedCall::Panicked)
    }
}

impl From<AdmissionError> for HttpProblem {
    fn from(refused: AdmissionError) -> Self {
        let status = match refused {
            AdmissionError::Busy(_) => StatusCode::TOO_MANY_REQUESTS,
            AdmissionError::Stopping => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self::new(status, refused.to_string())
    }
}

impl From<InterruptedCall> for HttpProblem {
    fn from(interrupted: InterruptedCall) -> Self {
        let status = match interrupted {
            InterruptedCall::OutOfTime(_) | InterruptedCall::Cancelled => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            InterruptedCall::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, interrupted.to_string())
    }
}

impl From<AskError> for HttpProblem {
    fn from(error: AskError) -> Self {
        let status = match error {
            AskError::EmptyQuestion | AskError::LongQuestion(_) | AskError::ManyHints { .. } => {
                StatusCode::BAD_REQUEST
            }
            AskError::Model(_) => StatusCode::BAD_GATEWAY,
            AskError::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.to_string())
    }
}

impl From<ExploreError> for HttpProblem {
    fn from(error: ExploreError) -> Self {
        let status = match error {
            ExploreError::Index(_) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_REQUEST,
        };
        Self::new(status, error.to_string())
    }
}

impl From<ToolError> for HttpProblem {
    fn from(error: ToolError) -> Self {
        let status = match error {
            ToolError::Model(_) => StatusCode::BAD_REQUEST,
            ToolError::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            ToolError::Fatal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.to_string())
    }
}

impl From<serde_json::Error> for HttpProblem {
    /// An answer that cannot be serialised is an internal error; invalid requests are handled elsewhere.
    fn from(error: serde_json::Error) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl IntoResponse for HttpProblem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(json!({ "error": self.message }))).into_response();
        let headers = response.headers_mut();
        if matches!(self.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER_S));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

pub(super) async fn no_such_path(uri: Uri) -> HttpProblem {
    HttpProblem::new(
        StatusCode::NOT_FOUND,
        format!(
            "there is no {}; POST /v1/ask, /v1/explore or /v1/graph, or speak MCP at /mcp/NAME",
            uri.path()
        ),
    )
}

pub(super) async fn wrong_method(method: Method, uri: Uri) -> HttpProblem {
    HttpProblem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        format!(
            "{} doesn't allow {method}; send questions with POST, read the rest with GET",
            uri.path()
        ),
    )
}
