//! Counts and logs requests. Questions, which may quote code, are only logged if that is configured.

use std::{
    sync::Arc,
    time::{Instant, SystemTime},
};

use axum::{
    extract::{MatchedPath, Request, State},
    http::header,
    middleware::Next,
    response::{IntoResponse, Response},
};
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};
use serde::Serialize;

use super::{ServerState, question_log::AskedText};
use crate::retriever::Retriever;

/// One answered request, for logs.
#[derive(Clone, Debug, Serialize)]
pub struct RequestLogRecord {
    /// Time of arrival, in milliseconds since 1970.
    pub time_ms: u64,
    /// The HTTP method.
    pub method: String,
    /// The route, `/v1/ask` for example; `-` for a path that doesn't exist.
    pub path: String,
    /// The status of the answer.
    pub status: u16,
    /// Time until the headers of the answer.
    pub elapsed_ms: u64,
    /// The text of the request, with `serve.log_questions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Problems since the last request that did not prevent an answer, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Labels {
    path: String,
    status: u16,
}

/// Counters since the start.
pub(super) struct RequestMetrics {
    registry: Registry,
    requests: Family<Labels, Counter>,
    seconds: Histogram,
    running: Gauge,
    waiting: Gauge,
}

impl RequestMetrics {
    pub(super) fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("retriever"),
            requests: Family::default(),
            seconds: Histogram::new(exponential_buckets(0.005, 2.0, 16)),
            running: Gauge::default(),
            waiting: Gauge::default(),
        };
        let registry = &mut metrics.registry;
        registry.register("requests", "Answered requests", metrics.requests.clone());
        registry.register(
            "request_seconds",
            "Time to the head of an answer",
            metrics.seconds.clone(),
        );
        registry.register("running_calls", "Calls that run", metrics.running.clone());
        registry.register("waiting_calls", "Waiting calls", metrics.waiting.clone());
        metrics
    }
}

/// Counts a request and passes it to the log.
pub(super) async fn record(
    State(state): State<Arc<ServerState>>,
    request: Request,
    next: Next,
) -> Response {
    let (begun, now) = (Instant::now(), SystemTime::now());
    let method = request.method().to_string();
    let route = request.extensions().get::<MatchedPath>();
    let path = route.map_or("-", MatchedPath::as_str).to_owned();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    state.metrics.requests.get_or_create(&Labels { path: path.clone(), status }).inc();
    state.metrics.seconds.observe(begun.elapsed().as_secs_f64());
    let since_1970 = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (state.log)(&RequestLogRecord {
        time_ms: u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX),
        method,
        path,
        status,
        elapsed_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        question: response.extensions().get::<AskedText>().map(|asked| asked.0.clone()),
        warnings: state.roots.values().flat_map(Retriever::warnings).collect(),
    });
    response
}

/// `GET /metrics`, in the OpenMetrics text format.
pub(super) async fn text(State(state): State<Arc<ServerState>>) -> Response {
    let (running, waiting) = state.queue.load();
    state.metrics.running.set(i64::from(running));
    state.metrics.waiting.set(i64::from(waiting));
    let mut text = String::new();
    // Writing to a string doesn't fail.
    let _ = encode(&mut text, &state.metrics.registry);
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
