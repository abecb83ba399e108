//! Where indexes and published graphs are kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the code graph is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IndexConfig {
    /// Folder for the graphs of all roots; when it is empty, the user's cache folder.
    pub dir: String,
    /// Limit of all graphs together, in megabytes. When a new root exceeds it, the least recently used graphs are removed; 0 keeps
    /// all.
    pub max_cache_mb: u64,
    /// Where the first index of a repository is fetched from and `index --publish` writes it: `file://`, `https://`, `s3://`,
    /// `gs://` or `az://`; empty for nowhere.
    pub remote: String,
    /// Name of the repository in the remote and in the graph database; when it is empty, the address of git's remote `origin`.
    pub repository: String,
    /// Milliseconds that the remote may waste, by not answering or by being slower than building the index here; then work goes on
    /// without it.
    pub remote_patience_ms: u64,
    /// Credentials for cloud stores, from the environment.
    #[cfg(feature = "remote")]
    #[serde(skip)]
    pub remote_credentials: retriever_remote::ObjectStoreCredentials,
}

impl Default for IndexConfig {
    fn default() -> Self {
        Self {
            dir: String::new(),
            max_cache_mb: 2_000,
            remote: String::new(),
            repository: String::new(),
            remote_patience_ms: 250,
            #[cfg(feature = "remote")]
            remote_credentials: retriever_remote::ObjectStoreCredentials::default(),
        }
    }
}

impl IndexConfig {
    /// Returns the bound of the cache in bytes; 0 for none.
    pub const fn max_cache_bytes(&self) -> u64 {
        self.max_cache_mb.saturating_mul(1_000_000)
    }
}

/// Where the graphs of many repositories are published, and asked about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GraphConfig {
    /// Addresses of the servers, separated by commas; none when it is empty. An address may hold a password.
    pub database: String,
    /// Whether the tool `graph` of models and clients may ask all published repositories, too; `graph --everywhere` may.
    pub everywhere: bool,
}
