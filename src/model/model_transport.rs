//! One HTTP request to one endpoint, with our own client below the API crate: statuses and error bodies are never lost,
//! bodies are bounded, redirects are not followed, and the key is sent to the configured host only. It sends once;
//! `retry` repeats.

use std::time::{Duration, SystemTime};

use async_openai::{Client, config::Config, error::OpenAIError, middleware::HttpRequestFactory};
use reqwest::{
    Url,
    header::{HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER},
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{
    attempt_error::{HttpFailure, RequestAttemptError, seconds},
    endpoint_secrets::EndpointSecrets,
    model_setup_error::ModelSetupError,
};
use crate::config::{ModelConfig, endpoint};
use retriever_workspace::is_loopback_host;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Size limit of an answer.
const MAX_ANSWER: usize = 8 * 1024 * 1024;
/// Size limit of an error body; the rest is cut.
const MAX_ERROR: usize = 64 * 1024;

#[derive(Debug, thiserror::Error)]
#[error("the answer is larger than {} MiB", MAX_ANSWER / 1024 / 1024)]
struct TooLarge;

/// A client of one endpoint.
pub(super) struct ModelTransport {
    client: Client<Endpoint>,
    http: reqwest::Client,
    address: String,
    secrets: EndpointSecrets,
}

impl ModelTransport {
    pub(super) fn new(
        config: &ModelConfig,
        key: Option<SecretString>,
    ) -> Result<Self, ModelSetupError> {
        let target = Endpoint::new(config, key)?;
        let secrets = EndpointSecrets::of(config, &target.key);
        let http = http_client(&target.base)?;
        let address = target.address();
        let service = tower::service_fn({
            let http = http.clone();
            move |request: HttpRequestFactory| {
                let http = http.clone();
                async move { send(&http, request.build().await?).await }
            }
        });
        // `build`, since `with_config` makes its own client, which panics without a TLS provider.
        let client = Client::build(http.clone(), target).with_http_service(service);
        Ok(Self { client, http, address, secrets })
    }

    /// The endpoint's address for messages: without query and credentials.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn secrets(&self) -> &EndpointSecrets {
        &self.secrets
    }

    /// Gets `path` below the endpoint once and returns the answer's JSON.
    pub(super) async fn get(
        &self,
        path: &str,
        limit: Duration,
    ) -> Result<Value, RequestAttemptError> {
        let endpoint = self.client.config();
        self.request(self.http.get(endpoint.url(path)), limit).await
    }

    /// Posts `body` to `path` below the endpoint once and returns the answer's JSON.
    pub(super) async fn post_to(
        &self,
        path: &str,
        body: &Value,
        limit: Duration,
    ) -> Result<Value, RequestAttemptError> {
        let endpoint = self.client.config();
        self.request(self.http.post(endpoint.url(path)).json(body), limit).await
    }

    async fn request(
        &self,
        request: reqwest::RequestBuilder,
        limit: Duration,
    ) -> Result<Value, RequestAttemptError> {
        let request = request.headers(self.client.config().headers());
        let answer = async {
            let answer = send(&self.http, request.build()?).await?;
            Ok::<_, OpenAIError>(answer.bytes().await?)
        };
        let bytes = match tokio::time::timeout(limit, answer).await {
            Ok(bytes) => bytes.map_err(attempt_error)?,
            Err(_) => return Err(RequestAttemptError::Timeout(limit)),
        };
        serde_json::from_slice(&bytes)
            .map_err(|error| RequestAttemptError::Malformed(format!("not JSON ({error})")))
    }

    /// Posts `body` once and returns the answer's JSON.
    pub(super) async fn post(
        &self,
        body: &Value,
        limit: Duration,
    ) -> Result<Value, RequestAttemptError> {
        let chat = self.client.chat();
        match tokio::time::timeout(limit, chat.create_byot(body)).await {
            Ok(answer) => answer.map_err(attempt_error),
            Err(_) => Err(RequestAttemptError::Timeout(limit)),
        }
    }
}

/// The endpoint for the API crate, whose own configuration type would read the environment.
struct Endpoint {
    base: Url,
    key: SecretString,
    headers: HeaderMap,
}

impl Endpoint {
    fn new(config: &ModelConfig, key: Option<SecretString>) -> Result<Self, ModelSetupError> {
        let base = base_url(&config.base_url)?;
        let key = key.map(|key| key.expose_secret().trim().to_owned()).unwrap_or_default();
        let sends_secret = !key.is_empty() || config.has_secrets();
        if !sends_secret && endpoint::is_openai(&config.base_url) {
            return Err(ModelSetupError::MissingKey { variable: config.api_key_env.clone() });
        }
        if base.scheme() == "http" && !is_loopback(&base) && !config.insecure && sends_secret {
            let host = base.host_str().unwrap_or_default().to_owned();
            return Err(ModelSetupError::Unencrypted { host });
        }
        let mut headers = HeaderMap::new();
        if !key.is_empty() {
            let name = config.api_key_header.as_str();
            if HeaderName::try_from(name.trim()).is_err() {
                return Err(ModelSetupError::BadHeader { name: name.to_owned() });
            }
            let (name, value) = endpoint::key_header(name, &key).ok_or(ModelSetupError::BadKey)?;
            headers.insert(name, value);
        }
        for (name, value) in &config.headers {
            let bad = || ModelSetupError::BadHeader { name: name.clone() };
            let name = HeaderName::try_from(name).map_err(|_| bad())?;
            let mut value = HeaderValue::try_from(value).map_err(|_| bad())?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(Self { base, key: key.into(), headers })
    }

    fn address(&self) -> String {
        let mut shown = self.base.clone();
        shown.set_query(None);
        shown.to_string().trim_end_matches('/').to_owned()
    }
}

impl Config for Endpoint {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        url.to_string()
    }

    fn query(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }

    fn api_base(&self) -> &str {
        self.base.as_str()
    }

    fn api_key(&self) -> &SecretString {
        &self.key
    }
}

fn base_url(text: &str) -> Result<Url, ModelSetupError> {
    let bad = |detail: &str| ModelSetupError::BaseUrl { detail: detail.to_owned() };
    let mut url = endpoint::parse(text)
        .map_err(|_| bad("it must begin with http:// or https:// and a host"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("it must not contain credentials; give the key by environment variable"));
    }
    // Users paste the full address.
    let path = url.path().trim_end_matches('/').trim_end_matches("/chat/completions").to_owned();
    url.set_path(&path);
    url.set_fragment(None);
    Ok(url)
}

fn http_client(base: &Url) -> Result<reqwest::Client, ModelSetupError> {
    // An error means that a provider is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT_TIMEOUT);
    if is_loopback(base) {
        // A proxy cannot reach servers on this machine.
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| ModelSetupError::Client { detail: chain(&error) })
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}

async fn send(
    http: &reqwest::Client,
    request: reqwest::Request,
) -> Result<reqwest::Response, OpenAIError> {
    let sent_to = request.url().clone();
    let mut response = http.execute(request).await?;
    let status = response.status();
    if status.is_success() {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > MAX_ANSWER {
                return Err(OpenAIError::Boxed(Box::new(TooLarge)));
            }
            body.extend_from_slice(&chunk);
        }
        return Ok(http::Response::new(body).into());
    }
    let retry_after = retry_after(response.headers());
    let location = status.is_redirection().then(|| host_of(response.headers(), &sent_to));
    let mut body = Vec::new();
    // Keeps the status even if the body breaks off.
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() >= MAX_ERROR {
            body.truncate(MAX_ERROR);
            break;
        }
    }
    let body = String::from_utf8_lossy(&body).into_owned();
    let failure = HttpFailure { status: status.as_u16(), retry_after, location, body };
    Err(OpenAIError::Boxed(Box::new(failure)))
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|ms| ms.parse::<f64>().ok()) {
        return seconds(ms / 1000.0);
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Ok(number) = value.parse::<f64>() {
        return seconds(number);
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

fn host_of(headers: &HeaderMap, sent_to: &Url) -> String {
    headers
        .get(LOCATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|location| sent_to.join(location).ok())
        .map_or_else(|| "nowhere".to_owned(), |target| target.origin().ascii_serialization())
}

fn attempt_error(error: OpenAIError) -> RequestAttemptError {
    match error {
        OpenAIError::Boxed(error) => match error.downcast::<HttpFailure>() {
            Ok(failure) => RequestAttemptError::Refusal((*failure).into()),
            Err(other) => RequestAttemptError::Malformed(other.to_string()),
        },
        OpenAIError::Reqwest(error) => RequestAttemptError::Network(chain(&error.without_url())),
        OpenAIError::JSONDeserialize(error, body) => {
            RequestAttemptError::Malformed(format!("not JSON ({error}): {body}"))
        }
        other => RequestAttemptError::Malformed(other.to_string()),
    }
}

/// Returns an error with its causes, since the HTTP client's own message does not name the reason.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
