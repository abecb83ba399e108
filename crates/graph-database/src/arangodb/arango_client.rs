//! The HTTP API of a server: requests, errors, retries, results in batches, and the import of many documents.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use reqwest::{Method, StatusCode, Url, header};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::arango_server_address::{ArangoServerAddress, is_loopback};
use crate::graph_database::{DatabaseError, MAX_ROWS};

/// Longest wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest time without data from a server. Removing a large publication is one statement.
const READ_TIMEOUT: Duration = Duration::from_secs(300);
/// Wait before the first retry of a request; it doubles with each retry.
const FIRST_WAIT: Duration = Duration::from_millis(50);
/// Longest wait before a retry.
const LAST_WAIT: Duration = Duration::from_millis(1_600);
/// Rows per batch of a result.
const BATCH: u32 = 5_000;
/// Size limit of one answer: a batch is a few megabytes.
const MAX_ANSWER_BYTES: usize = 64 << 20;
/// Size limit of one import of documents, in bytes.
const IMPORT_BYTES: usize = 4 << 20;
/// Header in which a follower names the leader.
const LEADER: &str = "x-arango-endpoint";

/// Error numbers of the server.
mod number {
    pub(super) const LOCK_TIMEOUT: i64 = 18;
    pub(super) const CONFLICT: i64 = 1200;
    pub(super) const NO_COLLECTION: i64 = 1203;
    pub(super) const NOT_UNIQUE: i64 = 1210;
    pub(super) const NO_GRAPH: i64 = 1924;
}

/// A connection to a database. Nothing is sent before the first request.
pub(super) struct ArangoClient {
    http: reqwest::Client,
    address: ArangoServerAddress,
    /// The root of the API on the current server: the configured one, until it names another as its leader.
    api: Mutex<Url>,
}

/// Why a request failed.
#[derive(Debug)]
pub(super) enum ArangoRefusal {
    /// The connection failed, or there was no answer.
    Lost(String),
    /// The server returned an error.
    Refused { status: StatusCode, number: i64, message: String },
}

/// The body of a request.
pub(super) enum ArangoRequestBody {
    Nothing,
    Json(Value),
    /// One JSON object per line.
    Lines(Vec<u8>),
}

/// A batch of a result.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Batch<T> {
    result: Vec<T>,
    has_more: bool,
    id: Option<String>,
    next_batch_id: Option<Value>,
}

#[derive(Deserialize)]
struct ImportResult {
    errors: u64,
    #[serde(default)]
    details: Vec<String>,
}

/// The error that a server returns.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ErrorBody {
    error_num: i64,
    error_message: String,
}

impl ArangoClient {
    pub(super) fn new(address: ArangoServerAddress) -> Result<Self, DatabaseError> {
        // An error means that a provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("retriever/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT);
        if is_loopback(&address.api) {
            // A proxy cannot reach servers on this machine.
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|error| DatabaseError::Address(error.to_string()))?;
        let api = Mutex::new(address.api.clone());
        Ok(Self { http, address, api })
    }

    /// Returns the server's address, without user and password.
    pub(super) fn shown(&self) -> &str {
        &self.address.shown
    }

    /// Runs a query and returns all rows. A server without publications has none.
    pub(super) async fn rows<T: DeserializeOwned>(
        &self,
        statement: &str,
        values: Value,
    ) -> Result<Vec<T>, DatabaseError> {
        match self.batches(statement, values).await {
            Err(ArangoRefusal::Refused {
                number: number::NO_COLLECTION | number::NO_GRAPH,
                ..
            }) => Ok(Vec::new()),
            rows => rows.map_err(|refusal| self.failed(refusal)),
        }
    }

    /// Runs a writing statement and returns all rows.
    pub(super) async fn written<T: DeserializeOwned>(
        &self,
        statement: &str,
        values: Value,
    ) -> Result<Vec<T>, DatabaseError> {
        self.batches(statement, values).await.map_err(|refusal| self.failed(refusal))
    }

    async fn batches<T: DeserializeOwned>(
        &self,
        statement: &str,
        values: Value,
    ) -> Result<Vec<T>, ArangoRefusal> {
        let body = json!({
            "query": statement,
            "bindVars": values,
            "batchSize": BATCH,
            // A batch can be requested again.
            "options": { "allowRetry": true },
        });
        let mut batch: Batch<T> =
            self.send(Method::POST, "_api/cursor", ArangoRequestBody::Json(body)).await?;
        let mut rows = batch.result;
        while batch.has_more {
            let id = batch.id.unwrap_or_default();
            let next = match batch.next_batch_id {
                Some(Value::String(next)) => next,
                next => next.unwrap_or_default().to_string(),
            };
            let path = format!("_api/cursor/{id}/{next}");
            batch = self.send(Method::POST, &path, ArangoRequestBody::Nothing).await?;
            rows.append(&mut batch.result);
            if rows.len() > MAX_ROWS {
                return Err(ArangoRefusal::Lost(format!(
                    "its answer has more than {MAX_ROWS} rows"
                )));
            }
        }
        if let Some(id) = batch.id {
            // If this fails, the server keeps the last batch for some time, which is harmless.
            let path = format!("_api/cursor/{id}");
            let _: Result<Value, _> =
                self.send(Method::DELETE, &path, ArangoRequestBody::Nothing).await;
        }
        Ok(rows)
    }

    /// Imports documents into a collection; documents with existing keys replace the old ones.
    pub(super) async fn import<D: Serialize>(
        &self,
        collection: &str,
        documents: impl Iterator<Item = D>,
    ) -> Result<(), DatabaseError> {
        let mut lines = Vec::new();
        for document in documents {
            serde_json::to_writer(&mut lines, &document)
                .map_err(|error| self.failed(ArangoRefusal::Lost(error.to_string())))?;
            lines.push(b'\n');
            if lines.len() >= IMPORT_BYTES {
                self.import_lines(collection, std::mem::take(&mut lines)).await?;
            }
        }
        if lines.is_empty() { Ok(()) } else { self.import_lines(collection, lines).await }
    }

    async fn import_lines(&self, collection: &str, lines: Vec<u8>) -> Result<(), DatabaseError> {
        let path = format!(
            "_api/import?collection={collection}&type=documents&complete=true&details=true&onDuplicate=replace"
        );
        let result = self.send(Method::POST, &path, ArangoRequestBody::Lines(lines)).await;
        let ImportResult { errors, details } = result.map_err(|refusal| self.failed(refusal))?;
        if errors == 0 {
            return Ok(());
        }
        let first = details.into_iter().next().unwrap_or_default();
        let reason = format!("{errors} documents of {collection} were not imported: {first}");
        Err(DatabaseError::Failed { server: self.shown().to_owned(), reason })
    }

    /// Sends a request. Repeats it while the server is temporarily unable to answer, and sends it to the leader that
    /// the server names.
    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: ArangoRequestBody,
    ) -> Result<T, ArangoRefusal> {
        let (content_type, body) = match body {
            ArangoRequestBody::Nothing => ("application/json", Vec::new()),
            ArangoRequestBody::Json(body) => ("application/json", body.to_string().into_bytes()),
            ArangoRequestBody::Lines(lines) => ("text/plain; charset=utf-8", lines),
        };
        let mut wait = FIRST_WAIT;
        loop {
            let api = self.api.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let url = api.join(path).map_err(|error| ArangoRefusal::Lost(error.to_string()))?;
            let request = self
                .http
                .request(method.clone(), url)
                .header(header::CONTENT_TYPE, content_type)
                .body(body.clone());
            let mut response = request.send().await.map_err(lost)?;
            let (status, headers) = (response.status(), response.headers().clone());
            let mut answer = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(lost)? {
                answer.extend_from_slice(&chunk);
                if answer.len() > MAX_ANSWER_BYTES {
                    return Err(ArangoRefusal::Lost(format!(
                        "an answer is longer than {MAX_ANSWER_BYTES} bytes"
                    )));
                }
            }
            if status.is_success() {
                return serde_json::from_slice(&answer).map_err(|error| {
                    ArangoRefusal::Lost(format!("its answer can't be read: {error}"))
                });
            }
            let refusal = ArangoRefusal::of(status, &answer);
            if !refusal.may_pass() || wait > LAST_WAIT {
                return Err(refusal);
            }
            let leader = headers.get(LEADER).and_then(|leader| leader.to_str().ok());
            if !leader.is_some_and(|leader| self.follow(leader)) {
                tokio::time::sleep(wait).await;
            }
            wait *= 2;
        }
    }

    /// Switches to the leader that a server names. Returns whether it did: the leader's connection must be as safe as
    /// that of the configured server.
    fn follow(&self, leader: &str) -> bool {
        let mut api = self.api.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(leader) = Url::parse(leader) else { return false };
        let place =
            |url: &Url| (url.host_str().map(ToOwned::to_owned), url.port_or_known_default());
        let is_same = place(&leader) == place(&api);
        if is_same || leader.scheme() != api.scheme() || !self.address.allows(&leader) {
            return false;
        }
        api.set_host(leader.host_str()).is_ok() && api.set_port(leader.port()).is_ok()
    }

    /// Returns the error of a request.
    pub(super) fn failed(&self, refusal: ArangoRefusal) -> DatabaseError {
        let server = self.shown().to_owned();
        match refusal {
            ArangoRefusal::Lost(reason) => DatabaseError::Unreachable { server, reason },
            ArangoRefusal::Refused { status, number, message } => DatabaseError::Failed {
                server,
                reason: match status {
                    StatusCode::UNAUTHORIZED => {
                        "it refused the user or the password (401)".to_owned()
                    }
                    status => format!("{message} (status {}, error {number})", status.as_u16()),
                },
            },
        }
    }
}

impl ArangoRefusal {
    fn of(status: StatusCode, answer: &[u8]) -> Self {
        let body: ErrorBody = serde_json::from_slice(answer).unwrap_or_default();
        let message = match body.error_message.as_str() {
            "" => status.canonical_reason().unwrap_or("it did not say why").to_owned(),
            message => message.to_owned(),
        };
        Self::Refused { status, number: body.error_num, message }
    }

    /// Returns whether the same request can succeed later: the server is not ready, is not the leader, or another
    /// writer was first.
    fn may_pass(&self) -> bool {
        let Self::Refused { status, number, .. } = self else { return false };
        matches!(
            *status,
            StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::MISDIRECTED_REQUEST
                | StatusCode::PRECONDITION_FAILED
        ) || matches!(*number, number::LOCK_TIMEOUT | number::CONFLICT | number::NOT_UNIQUE)
    }
}

/// Returns the reason, without the URL, which may have a password.
fn lost(error: reqwest::Error) -> ArangoRefusal {
    if error.is_timeout() {
        return ArangoRefusal::Lost("it did not answer in time".to_owned());
    }
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    ArangoRefusal::Lost(cause.to_string())
}
