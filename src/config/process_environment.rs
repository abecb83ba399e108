//! The process's environment as a value, read once at the start. Nothing else reads the environment of the process, so
//! tests never change it. Also the table of variables that are settings.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Variables that set a key of the configuration. When two set the same key, the later one in this table wins.
pub const VARIABLES: &[(&str, &str)] = &[
    ("OPENAI_BASE_URL", "model.base_url"),
    ("RETRIEVER_BASE_URL", "model.base_url"),
    ("RETRIEVER_MODEL", "model.name"),
    ("RETRIEVER_TEMPERATURE", "model.temperature"),
    ("RETRIEVER_MAX_OUTPUT_TOKENS", "model.max_output_tokens"),
    ("RETRIEVER_REQUEST_TIMEOUT", "model.request_timeout_s"),
    ("RETRIEVER_RETRIES", "model.retries"),
    ("RETRIEVER_EFFORT", "budget.effort"),
    ("RETRIEVER_MAX_STEPS", "budget.max_steps"),
    ("RETRIEVER_MAX_TOOL_CALLS", "budget.max_tool_calls"),
    ("RETRIEVER_OBSERVATION_BUDGET", "budget.observation_tokens"),
    ("RETRIEVER_TIMEOUT", "budget.timeout_s"),
    ("RETRIEVER_GRAPH_DATABASE", "graph.database"),
    ("RETRIEVER_REMOTE", "index.remote"),
];

/// The variable that names the user's configuration file.
pub const CONFIG_VARIABLE: &str = "RETRIEVER_CONFIG";

/// The variable that is read for OpenAI's own endpoint when the variable of `model.api_key_env` is not set.
pub const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// The variables and the current folder of a process.
#[derive(Clone, Debug, Default)]
pub struct ProcessEnvironment {
    folder: PathBuf,
    variables: BTreeMap<String, String>,
}

impl ProcessEnvironment {
    /// Returns the environment of this process. Variables that are not UTF-8 are left out.
    #[expect(clippy::disallowed_methods, reason = "only this module reads the environment")]
    pub fn of_process() -> Self {
        Self {
            folder: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            variables: std::env::vars_os()
                .filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
        }
    }

    /// Returns an environment with these variables, for tests and embedders.
    pub fn new<'a>(
        folder: impl Into<PathBuf>,
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        Self {
            folder: folder.into(),
            variables: variables
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        }
    }

    /// Returns the value of a variable; an empty one counts as not set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.trim().is_empty())
    }

    /// Returns the current folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the default path of the user's configuration file.
    pub fn default_file(&self) -> Option<PathBuf> {
        let base = match self.get("XDG_CONFIG_HOME").map(PathBuf::from) {
            Some(base) if base.is_absolute() => base,
            _ => self.home()?.join(".config"),
        };
        Some(base.join("retriever").join("config.toml"))
    }

    /// Returns the folder for data that the program cannot make again.
    pub fn state_folder(&self) -> Option<PathBuf> {
        let base = match self.get("XDG_STATE_HOME").map(PathBuf::from) {
            Some(base) if base.is_absolute() => base,
            _ => self.home()?.join(".local").join("state"),
        };
        Some(base.join("retriever"))
    }

    /// Returns the user's home.
    pub fn home(&self) -> Option<PathBuf> {
        self.get("HOME").or_else(|| self.get("USERPROFILE")).map(PathBuf::from)
    }

    /// Returns all variables.
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// Returns the folder for caches.
    pub fn cache_folder(&self) -> Option<PathBuf> {
        let base = match self.get("XDG_CACHE_HOME").map(PathBuf::from) {
            Some(base) if base.is_absolute() => base,
            _ => self.home()?.join(".cache"),
        };
        Some(base.join("retriever"))
    }
}
