//! Why a configured endpoint cannot be used, found before anything is sent.

/// Why a configured endpoint cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelSetupError {
    /// The model has no name.
    #[error("no model is named; set model.name or pass --model")]
    MissingName,
    /// The base URL can't be used.
    #[error("model.base_url is not usable: {detail}; an example: https://api.openai.com/v1")]
    BaseUrl {
        /// The reason.
        detail: String,
    },
    /// The endpoint needs a key.
    #[error("the endpoint needs an API key; set {variable} or OPENAI_API_KEY in the environment")]
    MissingKey {
        /// The configured variable.
        variable: String,
    },
    /// The key, or a header or parameter with the name of a secret, would be sent unencrypted.
    #[error(
        "a key would be sent unencrypted to {host}; use an https address, or allow it with --insecure or model.insecure = true"
    )]
    Unencrypted {
        /// The other machine.
        host: String,
    },
    /// The key has characters that headers do not allow.
    #[error("the API key contains characters that cannot be sent; check for quotes or line breaks")]
    BadKey,
    /// A header can't be sent.
    #[error(
        "the header {name} of model.headers or model.api_key_header cannot be sent: its name or value is not valid"
    )]
    BadHeader {
        /// The header's name.
        name: String,
    },
    /// A key of the body that the program sets itself.
    #[error("model.extra_body.{key} is not allowed: the program sets it itself; remove it")]
    ReservedKey {
        /// The key.
        key: String,
    },
    /// The HTTP client can't be made.
    #[error("cannot set up HTTPS: {detail}; are the system's CA certificates installed?")]
    Client {
        /// The message of the client.
        detail: String,
    },
}
