//! The verbs over HTTP, for planners on other machines: MCP at `/mcp/NAME`, plain JSON at `/v1/…`, health and metrics.
//! Only the roots of the server can be reached. TLS is left to a proxy in front of it.

mod access_control;
mod http_problem;
mod json_api;
mod limited_sessions;
mod question_log;
mod request_metrics;
mod resumable_responses;
mod root_name;

use std::{collections::BTreeMap, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router, middleware,
    routing::{any_service, get, post},
};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::{
    access_control::AccessControl, limited_sessions::LimitedSessions,
    request_metrics::RequestMetrics,
};
use crate::{
    config::ServeConfig,
    mcp::{self, concurrency_limit::ConcurrencyLimit},
    retriever::Retriever,
};

pub use request_metrics::RequestLogRecord;
pub use root_name::{RootName, RootNameError};

/// What is served, and who may ask.
pub struct HttpServer {
    /// The repositories by name.
    pub roots: BTreeMap<RootName, Retriever>,
    /// Limits, and the host names that the server accepts.
    pub config: ServeConfig,
    /// The bearer token that clients must send; `None` admits every client that reaches the address.
    pub token: Option<SecretString>,
    /// Called for every request that was answered.
    pub log: Arc<dyn Fn(&RequestLogRecord) + Send + Sync>,
}

/// What the handlers share.
struct ServerState {
    roots: BTreeMap<RootName, Retriever>,
    guard: AccessControl,
    queue: Arc<ConcurrencyLimit>,
    metrics: RequestMetrics,
    max_body_bytes: usize,
    max_sessions: u32,
    logs_questions: bool,
    log: Arc<dyn Fn(&RequestLogRecord) + Send + Sync>,
}

/// Time to send the answers of the last calls, before the streams end.
const SEND_TIME: Duration = Duration::from_millis(500);
/// Idle time after which an MCP session ends, even while its client waits for a call; a longer `budget.timeout_s`
/// extends it.
const SESSION_IDLE: Duration = Duration::from_secs(30 * 60);

impl HttpServer {
    /// Serves on `listener` until `stop` is cancelled. Calls that run then may go on for `drain_s` seconds; new ones
    /// are refused.
    ///
    /// # Errors
    ///
    /// Errors if the address of `listener` is unknown, or it accepts no connections.
    pub async fn serve(self, listener: TcpListener, stop: CancellationToken) -> io::Result<()> {
        let address = listener.local_addr()?;
        let drain = Duration::from_secs(self.config.drain_s);
        let queue = Arc::new(ConcurrencyLimit::new(&self.config, stop.clone()));
        // Streams of MCP wait for the next message of the server, so they must be ended for the server to end.
        let sessions = CancellationToken::new();
        let router = self.router(address, Arc::clone(&queue), &sessions);
        let served = axum::serve(listener, router)
            .with_graceful_shutdown(stop.clone().cancelled_owned())
            .into_future();
        let drained = async {
            stop.cancelled().await;
            // Calls that have not ended by then are abandoned.
            let _ = tokio::time::timeout(drain, queue.idle()).await;
            tokio::time::sleep(SEND_TIME).await;
            sessions.cancel();
            tokio::time::sleep(SEND_TIME).await;
        };
        tokio::select! {
            done = served => done,
            () = drained => Ok(()),
        }
    }

    fn router(
        self,
        address: SocketAddr,
        queue: Arc<ConcurrencyLimit>,
        sessions: &CancellationToken,
    ) -> Router {
        let config = &self.config;
        let cors = access_control::cors(&config.origins);
        let state = Arc::new(ServerState {
            guard: AccessControl::new(config, address, self.token),
            queue,
            metrics: RequestMetrics::new(),
            max_body_bytes: usize::try_from(config.max_body_bytes).unwrap_or(usize::MAX),
            max_sessions: config.max_sessions,
            logs_questions: config.log_questions,
            roots: self.roots,
            log: self.log,
        });
        let mut router = Router::new()
            .route("/v1/ask", post(json_api::ask))
            .route("/v1/explore", post(json_api::explore))
            .route("/v1/graph", post(json_api::graph))
            .route("/v1/roots", get(json_api::roots))
            .route("/metrics", get(request_metrics::text))
            .route("/healthz", get(|| async { "ok\n" }))
            .route("/readyz", get(json_api::ready));
        for (name, retriever) in &state.roots {
            retriever.index().watch();
            let service = any_service(state.mcp(name, sessions));
            if state.roots.len() == 1 {
                router = router.route("/mcp", service.clone());
            }
            router = router.route(&format!("/mcp/{name}"), service);
        }
        router
            .method_not_allowed_fallback(http_problem::wrong_method)
            .fallback(http_problem::no_such_path)
            .layer(middleware::from_fn_with_state(Arc::clone(&state), question_log::note))
            .layer(middleware::from_fn_with_state(Arc::clone(&state), access_control::check))
            .layer(cors)
            .layer(middleware::from_fn_with_state(Arc::clone(&state), request_metrics::record))
            .with_state(state)
    }
}

impl ServerState {
    /// Returns the MCP service of one root. Each session has its own server, and ends with `sessions`.
    fn mcp(
        &self,
        name: &RootName,
        sessions: &CancellationToken,
    ) -> StreamableHttpService<mcp::McpServer, LimitedSessions> {
        let retriever = self.roots.get(name).cloned();
        let queue = Arc::clone(&self.queue);
        let mut config = StreamableHttpServerConfig::default()
            // `access_control` has checked hosts and origins.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(self.max_body_bytes);
        config.cancellation_token = sessions.child_token();
        let time = retriever.as_ref().map(|retriever| {
            let config = retriever.config();
            config.limits(&config.budget, 0).time
        });
        let idle = SESSION_IDLE.max(2 * time.unwrap_or_default());
        let manager = LimitedSessions::new(self.max_sessions, idle);
        let server = move || {
            let retriever = retriever.clone().ok_or(io::ErrorKind::NotFound)?;
            Ok(mcp::McpServer::new(retriever).queued_in(Arc::clone(&queue)))
        };
        StreamableHttpService::new(server, Arc::new(manager), config)
    }
}
