//! The verbs over HTTP, for planners on other machines: MCP at `/mcp/NAME`, plain JSON at `/v1/…`, health and metrics. Only
//! the roots that the server was given can be reached. TLS is the business of a proxy in front of it.

mod guard;
mod metrics;
mod problem;
mod verbs;

use std::{collections::BTreeMap, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router, middleware,
    routing::{any_service, get, post},
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::{guard::Guard, metrics::Metrics};
use crate::{
    config::ServeConfig,
    mcp::{self, call_queue::CallQueue},
    retriever::Retriever,
};

pub use metrics::RequestRecord;

/// What is served, and to whom.
pub struct HttpServer {
    /// The repositories by name.
    pub roots: BTreeMap<String, Retriever>,
    /// Limits, and the names that the server goes by.
    pub config: ServeConfig,
    /// What clients must send as a bearer token; `None` lets everybody in who can reach the address.
    pub token: Option<SecretString>,
    /// Is told of every request that was answered.
    pub log: Arc<dyn Fn(&RequestRecord) + Send + Sync>,
}

/// What the handlers share.
struct ServerState {
    roots: BTreeMap<String, Retriever>,
    guard: Guard,
    queue: Arc<CallQueue>,
    metrics: Metrics,
    max_body_bytes: usize,
    log: Arc<dyn Fn(&RequestRecord) + Send + Sync>,
    /// Cancelled when the server begins to stop.
    stopping: CancellationToken,
}

impl HttpServer {
    /// Serves on `listener` until `stop` is cancelled. Calls that run then may end for `drain_s` seconds; new ones are refused.
    ///
    /// # Errors
    ///
    /// The address of `listener` can't be told, or it accepts no connections.
    pub async fn serve(self, listener: TcpListener, stop: CancellationToken) -> io::Result<()> {
        let address = listener.local_addr()?;
        let drain = Duration::from_secs(self.config.drain_s);
        let router = self.router(address, &stop);
        let stopped = stop.clone();
        let served = axum::serve(listener, router)
            .with_graceful_shutdown(async move { stopped.cancelled().await });
        tokio::select! {
            done = served => done,
            () = async {
                stop.cancelled().await;
                tokio::time::sleep(drain).await;
            } => Ok(()),
        }
    }

    fn router(self, address: SocketAddr, stop: &CancellationToken) -> Router {
        let config = &self.config;
        let state = Arc::new(ServerState {
            guard: Guard::new(config, address, self.token),
            queue: Arc::new(CallQueue::new(config)),
            metrics: Metrics::new(),
            max_body_bytes: usize::try_from(config.max_body_bytes).unwrap_or(usize::MAX),
            roots: self.roots,
            log: self.log,
            stopping: stop.clone(),
        });
        let mut router = Router::new()
            .route("/v1/ask", post(verbs::ask))
            .route("/v1/explore", post(verbs::explore))
            .route("/v1/graph", post(verbs::graph))
            .route("/v1/roots", get(verbs::roots))
            .route("/metrics", get(metrics::text))
            .route("/healthz", get(|| async { "ok\n" }))
            .route("/readyz", get(verbs::ready));
        for name in state.roots.keys() {
            let service = any_service(state.mcp(name));
            if state.roots.len() == 1 {
                router = router.route("/mcp", service.clone());
            }
            router = router.route(&format!("/mcp/{name}"), service);
        }
        router
            .fallback(problem::no_such_path)
            .layer(middleware::from_fn_with_state(Arc::clone(&state), guard::check))
            .layer(middleware::from_fn_with_state(Arc::clone(&state), metrics::record))
            .with_state(state)
    }
}

impl ServerState {
    /// Returns MCP for one root. Each session has a server of its own.
    fn mcp(&self, name: &str) -> StreamableHttpService<mcp::Server, LocalSessionManager> {
        let retriever = self.roots.get(name).cloned();
        let queue = Arc::clone(&self.queue);
        let mut config = StreamableHttpServerConfig::default()
            // Hosts and origins have been checked before.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(self.max_body_bytes);
        // Streams that wait for nothing would keep the server from ending: they end when it stops.
        config.cancellation_token = self.stopping.child_token();
        let server = move || {
            let retriever = retriever.clone().ok_or(io::ErrorKind::NotFound)?;
            Ok(mcp::Server::new(retriever).queued_in(Arc::clone(&queue)))
        };
        StreamableHttpService::new(server, Arc::default(), config)
    }
}
