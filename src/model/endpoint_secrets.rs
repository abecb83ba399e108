//! Secrets of a configured endpoint, which are removed from its errors.

use secrecy::{ExposeSecret, SecretString};

use crate::config::{ModelConfig, endpoint};

/// Least length of a secret in headers and queries: replacing shorter values would garble messages.
const MIN_CHARS: usize = 8;

/// Texts that must not appear in an error.
pub(super) struct EndpointSecrets(Vec<SecretString>);

impl EndpointSecrets {
    /// Returns the key, the values of configured headers, and the secrets in the address's query.
    pub(super) fn of(config: &ModelConfig, key: &SecretString) -> Self {
        let values = config.headers.values().cloned().chain(endpoint::secrets_of(&config.base_url));
        let values = values.filter(|value| value.len() >= MIN_CHARS).map(SecretString::from);
        let key = Some(key.clone()).filter(|key| !key.expose_secret().is_empty());
        Self(key.into_iter().chain(values).collect())
    }

    /// Returns `text` without the secrets.
    pub(super) fn redact(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret.expose_secret(), "[hidden]"))
    }
}
