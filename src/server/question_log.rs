//! The text of a question, a query or a target, of plain requests and of MCP calls, for the log of a server whose
//! configuration asks for it.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    http::Method,
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::Value;

use super::ServerState;

/// The text of a request, passed along with the response.
#[derive(Clone)]
pub(super) struct AskedText(pub(super) String);

/// Arguments with the text of a request, in the order in which they are tried.
const TEXTS: [&str; 5] = ["question", "query", "target", "pattern", "file"];
/// Characters that are logged.
const MAX_CHARS: usize = 2_000;

/// Attaches the text of a request to its response, if that is configured. Runs after the checks of access.
pub(super) async fn note(
    State(state): State<Arc<ServerState>>,
    request: Request,
    next: Next,
) -> Response {
    if !state.logs_questions || request.method() != Method::POST {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let body = match state.body(body).await {
        Ok(body) => body,
        Err(problem) => return problem.into_response(),
    };
    let asked = serde_json::from_slice(&body).ok().as_ref().and_then(text);
    let mut response = next.run(Request::from_parts(parts, Body::from(body))).await;
    if let Some(asked) = asked {
        response.extensions_mut().insert(AskedText(asked));
    }
    response
}

/// Returns the text in the arguments of a plain request, or of an MCP tool call.
fn text(body: &Value) -> Option<String> {
    let arguments = body.pointer("/params/arguments").unwrap_or(body);
    let asked = TEXTS.iter().find_map(|name| arguments.get(name)?.as_str())?;
    Some(asked.chars().take(MAX_CHARS).collect())
}
