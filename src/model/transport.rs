//! One HTTP request to one endpoint: our own client under the API crate, so that statuses and error bodies are never
//! lost, bodies are bounded, redirects are not followed and the key reaches the configured host only. It sends once;
//! trying again is `retry`'s business.

use std::time::{Duration, SystemTime};

use async_openai::{Client, config::Config, error::OpenAIError, middleware::HttpRequestFactory};
use reqwest::{
    Url,
    header::{HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER},
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{ModelSetupError, fault::Fault};
use crate::config::{ModelConfig, endpoint};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Largest answer that is read.
const MAX_ANSWER: usize = 8 * 1024 * 1024;
/// Largest error body that is read; the rest is cut.
const MAX_ERROR: usize = 64 * 1024;

/// A response that isn't a success.
#[derive(Debug, thiserror::Error)]
#[error("HTTP {status}")]
pub(super) struct HttpFailure {
    /// Status.
    pub(super) status: u16,
    /// How long to wait, from the headers.
    pub(super) retry_after: Option<Duration>,
    /// Where a redirect leads: scheme and host.
    pub(super) location: Option<String>,
    /// Body, at most [`MAX_ERROR`] bytes.
    pub(super) body: String,
}

#[derive(Debug, thiserror::Error)]
#[error("the answer is larger than {} MiB", MAX_ANSWER / 1024 / 1024)]
struct TooLarge;

/// Texts that must not appear in an error.
pub(super) struct Secrets(Vec<SecretString>);

impl Secrets {
    /// Returns `text` without the secrets.
    pub(super) fn redact(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret.expose_secret(), "[hidden]"))
    }
}

/// A client of one endpoint.
pub(super) struct Transport {
    client: Client<Endpoint>,
    address: String,
    secrets: Secrets,
}

impl Transport {
    pub(super) fn new(
        config: &ModelConfig,
        key: Option<SecretString>,
    ) -> Result<Self, ModelSetupError> {
        let target = Endpoint::new(config, key)?;
        let shortest_secret = 8;
        let secrets = Secrets(
            std::iter::once(target.key.clone())
                .filter(|key| !key.expose_secret().is_empty())
                .chain(
                    config
                        .headers
                        .values()
                        .cloned()
                        .chain(endpoint::secrets_of(&config.base_url))
                        .filter(|value| value.len() >= shortest_secret)
                        .map(SecretString::from),
                )
                .collect(),
        );
        let http = http_client(&target.base)?;
        let address = target.address();
        let service = tower::service_fn({
            let http = http.clone();
            move |request: HttpRequestFactory| {
                let http = http.clone();
                async move { send(&http, request.build().await?).await }
            }
        });
        // `build`, not `with_config`: the latter makes a client of its own, which panics without a TLS provider.
        let client = Client::build(http, target).with_http_service(service);
        Ok(Self { client, address, secrets })
    }

    /// The endpoint as people see it: no query, no credentials.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Posts `body` once and returns the answer's JSON.
    pub(super) async fn post(&self, body: &Value, limit: Duration) -> Result<Value, Fault> {
        let chat = self.client.chat();
        match tokio::time::timeout(limit, chat.create_byot(body)).await {
            Ok(answer) => answer.map_err(fault),
            Err(_) => Err(Fault::Timeout(limit)),
        }
    }
}

/// The API crate's view of an endpoint. Its own configuration type reads the environment, which is not its to read.
struct Endpoint {
    base: Url,
    key: SecretString,
    headers: HeaderMap,
}

impl Endpoint {
    fn new(config: &ModelConfig, key: Option<SecretString>) -> Result<Self, ModelSetupError> {
        let base = base_url(&config.base_url)?;
        let key = key.map(|key| key.expose_secret().trim().to_owned()).unwrap_or_default();
        if key.is_empty() && base.host_str() == Some("api.openai.com") {
            return Err(ModelSetupError::MissingKey { variable: config.api_key_env.clone() });
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
    let mut url = Url::parse(text.trim()).map_err(|error| bad(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(bad("it must begin with http:// or https:// and a host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("it must not contain credentials; give the key by environment variable"));
    }
    // People paste the full address.
    let path = url.path().trim_end_matches('/').trim_end_matches("/chat/completions").to_owned();
    url.set_path(&path);
    url.set_fragment(None);
    Ok(url)
}

fn http_client(base: &Url) -> Result<reqwest::Client, ModelSetupError> {
    // Fails when a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT_TIMEOUT);
    if is_loopback(base) {
        // A proxy can't reach this machine's own servers.
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| ModelSetupError::Client { detail: chain(&error) })
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    host == "localhost"
        || host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
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
    // The status is worth more than a body that breaks off.
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

/// Reads a wait that an endpoint asks for; one that doesn't fit a duration is for ever, not none.
pub(super) fn seconds(number: f64) -> Option<Duration> {
    (number >= 0.0).then(|| Duration::try_from_secs_f64(number).unwrap_or(Duration::MAX))
}

fn host_of(headers: &HeaderMap, sent_to: &Url) -> String {
    headers
        .get(LOCATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|location| sent_to.join(location).ok())
        .map_or_else(|| "nowhere".to_owned(), |target| target.origin().ascii_serialization())
}

fn fault(error: OpenAIError) -> Fault {
    match error {
        OpenAIError::Boxed(error) => match error.downcast::<HttpFailure>() {
            Ok(failure) => Fault::Refusal((*failure).into()),
            Err(other) => Fault::Malformed(other.to_string()),
        },
        OpenAIError::Reqwest(error) => Fault::Network(chain(&error.without_url())),
        OpenAIError::JSONDeserialize(error, body) => {
            Fault::Malformed(format!("not JSON ({error}): {body}"))
        }
        other => Fault::Malformed(other.to_string()),
    }
}

/// An error and its causes; the HTTP client's own words alone never say what happened.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
