//! Decides which requests are answered, by their host name, their origin and their token. A web page can make a browser
//! send requests to a server on the same machine, which is why loopback servers check names and origins, too.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts,
        uri::Authority,
    },
    middleware::Next,
    response::Response,
};
use secrecy::{ExposeSecret, SecretString};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::{ServerState, http_problem::HttpProblem};
use crate::{config::ServeConfig, mcp::SESSION_HEADER};

/// Paths that need no token, for balancers.
const OPEN: [&str; 2] = ["/healthz", "/readyz"];

/// The accepted names, origins and token.
pub(super) struct AccessControl {
    hosts: Vec<String>,
    origins: Vec<String>,
    /// Hash of the token: hashes are compared in constant time.
    token: Option<blake3::Hash>,
}

impl AccessControl {
    pub(super) fn new(
        config: &ServeConfig,
        address: SocketAddr,
        token: Option<SecretString>,
    ) -> Self {
        let own = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let listened = match address {
            SocketAddr::V4(v4) => v4.ip().to_string(),
            SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
        };
        let configured = config.hosts.iter().map(|host| host.to_ascii_lowercase());
        Self {
            hosts: own.into_iter().chain([listened]).chain(configured).collect(),
            origins: config.origins.iter().map(|origin| origin.to_ascii_lowercase()).collect(),
            token: token.map(|token| blake3::hash(token.expose_secret().as_bytes())),
        }
    }

    fn refusal(&self, request: &Request) -> Option<HttpProblem> {
        let headers = request.headers();
        let host = request
            .uri()
            .authority()
            .map(Authority::as_str)
            .or_else(|| text(headers, header::HOST));
        if !host.is_some_and(|host| self.goes_by(host)) {
            let message =
                "the Host of the request is not a name of this server; add it to serve.hosts";
            return Some(HttpProblem::new(StatusCode::FORBIDDEN, message));
        }
        let origin = headers.get(header::ORIGIN).map(|_| text(headers, header::ORIGIN));
        if let Some(origin) = origin
            && !origin.is_some_and(|origin| self.origins.contains(&origin.to_ascii_lowercase()))
        {
            let message = "scripts of this Origin may not call the server; serve.origins lists those that may";
            return Some(HttpProblem::new(StatusCode::FORBIDDEN, message));
        }
        if OPEN.contains(&request.uri().path()) {
            return None;
        }
        let expected = self.token?;
        let given = text(headers, header::AUTHORIZATION).and_then(|value| value.split_once(' '));
        let token = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        match token {
            Some((_, token)) if blake3::hash(token.trim().as_bytes()) == expected => None,
            _ => {
                let message = "a token is needed: Authorization: Bearer TOKEN";
                Some(HttpProblem::new(StatusCode::UNAUTHORIZED, message))
            }
        }
    }

    /// Whether `host` is a name of this server: with any port, unless the configured name has one.
    fn goes_by(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let without_port = host.parse::<Authority>().map(|authority| authority.host().to_owned());
        self.hosts.iter().any(|name| {
            *name == host || without_port.as_ref().is_ok_and(|without_port| name == without_port)
        })
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Passes a request on, or answers why it is refused.
pub(super) async fn check(
    State(state): State<Arc<ServerState>>,
    request: Request,
    next: Next,
) -> Result<Response, HttpProblem> {
    match state.guard.refusal(&request) {
        Some(problem) => Err(problem),
        None => Ok(next.run(request).await),
    }
}

/// Allows scripts of `origins` to send requests from a browser. [`check`] decides which are answered.
pub(super) fn cors(origins: &[String]) -> CorsLayer {
    const SESSION: HeaderName = HeaderName::from_static(SESSION_HEADER);
    const PROTOCOL: HeaderName = HeaderName::from_static("mcp-protocol-version");
    const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
    let origins: Vec<String> = origins.iter().map(|origin| origin.to_ascii_lowercase()).collect();
    let is_allowed = move |origin: &HeaderValue, _: &Parts| {
        origin.to_str().is_ok_and(|origin| origins.contains(&origin.to_ascii_lowercase()))
    };
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(is_allowed))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE, SESSION, PROTOCOL, LAST_EVENT])
        .expose_headers([SESSION])
}
