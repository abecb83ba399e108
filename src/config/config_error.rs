//! Why a configuration cannot be loaded, with a hint for the user.

use std::path::PathBuf;

use super::process_environment::CONFIG_VARIABLE;

/// Why the configuration cannot be loaded. Messages contain no values.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file that the configuration names, such as a prompt, can't be read.
    #[error("cannot read {}, which the configuration names: {reason}", path.display())]
    UnreadableNamedFile {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A file can't be read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A file isn't TOML.
    #[error("{}:{line}: not valid TOML: {detail}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The parser's message.
        detail: String,
    },
    /// There is no such key.
    #[error("{place}: unknown key {key}")]
    UnknownKey {
        /// File and line.
        place: String,
        /// The key.
        key: String,
        /// The most similar key.
        nearest: Option<String>,
    },
    /// A key has a value that it does not accept.
    #[error("{place}: {key} must be {expected}")]
    BadValue {
        /// File and line, variable or flag.
        place: String,
        /// The key.
        key: String,
        /// What the key accepts.
        expected: String,
    },
    /// The configured model is not on the local network, and no key is set.
    #[error("model {model} at {endpoint} needs a key, and none is set")]
    MissingKey {
        /// The model.
        model: String,
        /// The endpoint, without what may be secret.
        endpoint: String,
        /// The first variable that is read.
        variable: String,
    },
    /// The defaults cannot be read back; a defect of the program.
    #[error("the layers of the configuration cannot be merged: {0}")]
    Internal(String),
}

impl ConfigError {
    /// Returns what the user can do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable { .. } => {
                Some(format!("--config and {CONFIG_VARIABLE} take the path of a TOML file"))
            }
            Self::UnreadableNamedFile { .. } => Some(
                "\"retriever config\" prints where each setting comes from; a relative path starts at the folder of its file"
                    .to_owned(),
            ),
            Self::UnknownKey { nearest: Some(nearest), .. } => {
                Some(format!("did you mean {nearest}?"))
            }
            Self::UnknownKey { nearest: None, .. } => {
                Some("\"retriever config\" prints every key".to_owned())
            }
            Self::MissingKey { variable, .. } => Some(format!(
                "export {variable}=…, or run with --offline; an endpoint that wants no key takes any text"
            )),
            Self::Syntax { .. } | Self::BadValue { .. } => {
                Some("config.example.toml shows every key with its default".to_owned())
            }
            Self::Internal(_) => None,
        }
    }
}
