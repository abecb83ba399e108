//! The configuration: every key with its type and default. `config.example.toml` documents every key, and a test checks that
//! it parses to these defaults. The module `load_config` reads the
//! values.

mod config_error;
pub mod endpoint;
pub mod find_roots;
pub mod load_config;
mod print_config;
pub mod process_environment;
mod settings_layers;
mod untrusted_config;

use std::{collections::BTreeMap, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use retriever_report::Usage;

pub use config_error::ConfigError;
pub use load_config::{ApiKey, ConfigFile, ConfigSources, LoadedConfig, load};
pub use process_environment::ProcessEnvironment;
pub use retriever_search::explore::ExploreConfig;
pub use retriever_workspace::{
    FileTraitsConfig, RootConfig, RootSpec, UnknownVariant, WorkspaceConfig,
};
pub use settings_layers::{Setting, SettingSource, SettingsLayers};

/// Everything that can be configured, except the API key, which is a secret and is an [`ApiKey`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Config {
    /// The model and its endpoint.
    pub model: ModelConfig,
    /// The budget of a run.
    pub budget: BudgetConfig,
    /// Which files a workspace has.
    pub workspace: WorkspaceConfig,
    /// Where the code graph is kept.
    pub index: IndexConfig,
    /// Where the graphs of many repositories are published.
    pub graph: GraphConfig,
    /// What `explore` prints.
    pub explore: ExploreConfig,
    /// Globs for file traits, in addition to the built-in tables.
    pub traits: FileTraitsConfig,
    /// Lexical cues per role, in addition to the built-in table, for example `persistence = ["upsert"]`.
    pub roles: BTreeMap<String, Vec<String>>,
    /// The report and its rendering.
    pub report: ReportConfig,
    /// Files that replace the built-in prompts.
    pub prompts: PromptConfig,
    /// What `serve` offers to other machines.
    pub serve: ServeConfig,
    /// The kernel's sandbox.
    pub sandbox: SandboxConfig,
    /// What a workspace allows at most, whatever effort a question asks for; `None` when it sets no limit.
    #[serde(skip)]
    pub ceiling: Option<RunBudget>,
}

/// An OpenAI-compatible chat-completions endpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelConfig {
    /// Name of the model. When it is empty, the built-in offline driver answers.
    pub name: String,
    /// Endpoint, up to and including its version: `https://api.openai.com/v1`.
    pub base_url: String,
    /// How the model calls tools.
    pub mode: ToolCallMode,
    /// Name of the environment variable that holds the key. `OPENAI_API_KEY` is tried after it when the endpoint is OpenAI's.
    pub api_key_env: String,
    /// Header of the API key: `Authorization` with a bearer token, or another header with the key alone.
    pub api_key_header: String,
    /// Whether the key may be sent unencrypted, over plain `http`, to another machine.
    pub insecure: bool,
    /// Sampling temperature; left out of requests when negative.
    pub temperature: f64,
    /// Limit of tokens in one answer; 0 leaves it to the endpoint.
    pub max_output_tokens: u32,
    /// Seconds one request may take.
    pub request_timeout_s: u64,
    /// Retries of a request after a transient error.
    pub retries: u32,
    /// Whether reasoning text is sent back to the endpoint in later turns; most endpoints reject it.
    pub echo_reasoning: bool,
    /// Extra HTTP headers.
    pub headers: BTreeMap<String, String>,
    /// Extra keys of the request body, as a JSON-like table.
    pub extra_body: BTreeMap<String, serde_json::Value>,
    /// Prices per million tokens, for `meta.cost`.
    pub prices: Prices,
}

impl ModelConfig {
    /// Returns whether a header or the address holds a secret, which then takes the place of the key.
    pub(crate) fn has_secrets(&self) -> bool {
        self.headers.keys().any(|name| endpoint::sounds_secret(name))
            || !endpoint::secrets_of(&self.base_url).is_empty()
    }
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_url: "https://api.openai.com/v1".to_owned(),
            mode: ToolCallMode::default(),
            api_key_env: "RETRIEVER_API_KEY".to_owned(),
            api_key_header: "Authorization".to_owned(),
            insecure: false,
            temperature: -1.0,
            max_output_tokens: 4096,
            request_timeout_s: 120,
            retries: 3,
            echo_reasoning: false,
            headers: BTreeMap::new(),
            extra_body: BTreeMap::new(),
            prices: Prices::default(),
        }
    }
}

/// How a model calls tools.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<ToolCallMode>)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolCallMode {
    /// Native tool calls first; JSON actions once the endpoint refuses tool calls or the model fails to make them.
    #[default]
    Auto,
    /// Native tool calls.
    Tools,
    /// One JSON object per turn, which `response_format` constrains.
    Actions,
}

/// Prices per million tokens, in one currency. When all are zero, no cost is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Prices {
    /// Prompt tokens that were not cached.
    pub prompt: f64,
    /// Cached prompt tokens.
    pub cached: f64,
    /// Completion tokens.
    pub completion: f64,
}

impl Prices {
    /// Returns what `usage` costs in the currency of the prices, or `None` when none is configured.
    pub fn cost_of(&self, usage: &Usage) -> Option<f64> {
        let priced = self.prompt > 0.0 || self.cached > 0.0 || self.completion > 0.0;
        let millions = |tokens: u64| tokens as f64 / 1e6;
        priced.then(|| {
            self.prompt * millions(usage.prompt_tokens.saturating_sub(usage.cached_tokens))
                + self.cached * millions(usage.cached_tokens)
                + self.completion * millions(usage.completion_tokens)
        })
    }
}

/// The budget of a run: a preset, and values that override those of the preset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BudgetConfig {
    /// The preset.
    pub effort: EffortPreset,
    /// Model steps; 0 is the value of the preset.
    pub max_steps: u32,
    /// Tool calls; 0 is the value of the preset.
    pub max_tool_calls: u32,
    /// Observed tokens; 0 is the value of the preset.
    pub observation_tokens: u64,
    /// Seconds; 0 is the value of the preset.
    pub timeout_s: u64,
}

/// The budget of a run, resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunBudget {
    /// Model steps.
    pub steps: u32,
    /// Tool calls.
    pub calls: u32,
    /// Observed tokens.
    pub tokens: u64,
    /// Wall-clock time.
    pub time: Duration,
    /// Tokens of the map.
    pub map_tokens: u64,
}

impl RunBudget {
    /// The budget that limits nothing.
    pub(super) const UNLIMITED: Self = Self {
        steps: u32::MAX,
        calls: u32::MAX,
        tokens: u64::MAX,
        time: Duration::MAX,
        map_tokens: u64::MAX,
    };

    /// Returns the lower of both for each part.
    fn at_most(&self, ceiling: &Self) -> Self {
        Self {
            steps: self.steps.min(ceiling.steps),
            calls: self.calls.min(ceiling.calls),
            tokens: self.tokens.min(ceiling.tokens),
            time: self.time.min(ceiling.time),
            map_tokens: self.map_tokens.min(ceiling.map_tokens),
        }
    }

    /// Returns the preset of `effort`.
    pub const fn preset(effort: EffortPreset) -> Self {
        let (steps, calls, tokens, seconds, map_tokens) = match effort {
            EffortPreset::Quick => (4, 12, 20_000, 60, 900),
            EffortPreset::Medium => (10, 40, 60_000, 300, 1_600),
            EffortPreset::Thorough => (24, 120, 150_000, 720, 2_600),
        };
        Self { steps, calls, tokens, time: Duration::from_secs(seconds), map_tokens }
    }
}

impl BudgetConfig {
    /// Returns the preset with the overrides applied. Calls and tokens that are not overridden grow with the number of `files`,
    /// by the same tiers as `explore`.
    fn resolve(&self, files: usize) -> RunBudget {
        let preset = RunBudget::preset(self.effort);
        let percent: u32 = match files {
            0..5_000 => 100,
            5_000..15_000 => 125,
            _ => 150,
        };
        let preset = RunBudget {
            calls: preset.calls * percent / 100,
            tokens: preset.tokens * u64::from(percent) / 100,
            ..preset
        };
        RunBudget {
            steps: if self.max_steps == 0 { preset.steps } else { self.max_steps },
            calls: if self.max_tool_calls == 0 { preset.calls } else { self.max_tool_calls },
            tokens: if self.observation_tokens == 0 {
                preset.tokens
            } else {
                self.observation_tokens
            },
            time: if self.timeout_s == 0 {
                preset.time
            } else {
                Duration::from_secs(self.timeout_s)
            },
            ..preset
        }
    }
}

/// Where the code graph is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IndexConfig {
    /// Folder for the graphs of all roots; when it is empty, the user's cache folder.
    pub dir: String,
    /// Megabytes of all graphs together: when a root is new and there is more, the least recently used go first; 0 keeps all.
    pub max_cache_mb: u64,
    /// Where the first index of a repository is fetched from and `index --publish` writes it: `file://`, `https://`, `s3://`,
    /// `gs://` or `az://`; empty for nowhere.
    pub remote: String,
    /// Name of the repository in the remote and in the graph database; when it is empty, the address of git's remote `origin`.
    pub repository: String,
    /// Milliseconds without a byte after which work goes on without the remote.
    pub remote_patience_ms: u64,
    /// What the clouds take from the environment.
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
            remote_patience_ms: 300,
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

/// Whether questions are answered in the sandbox of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SandboxConfig {
    /// Whether the kernel confines `ask`, `mcp` and `serve`, where it can (Linux, landlock).
    pub enabled: bool,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// What `serve` offers to other machines, and to whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ServeConfig {
    /// The repositories, each asked by its name; no other files can be reached. When empty, the roots of the command.
    pub roots: Vec<RootConfig>,
    /// Names of this server, with or without a port, that a request's `Host` may have beside the loopback names and the address
    /// that it listens on.
    pub hosts: Vec<String>,
    /// Origins of web pages whose scripts may ask, such as `https://tools.example.com`.
    pub origins: Vec<String>,
    /// Name of the environment variable that holds the token that clients must send. Required unless the address is loopback.
    pub token_env: String,
    /// Calls that run at once; 0 is the number of processors.
    pub concurrency: u32,
    /// Calls that wait for their turn; any more are refused.
    pub queue: u32,
    /// MCP sessions of one root that are kept in memory; the one unused for longest ends when another begins.
    pub max_sessions: u32,
    /// Largest body of a request, in bytes.
    pub max_body_bytes: u64,
    /// Seconds that running calls have to end when the server stops.
    pub drain_s: u64,
}

impl Default for ServeConfig {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            hosts: Vec::new(),
            origins: Vec::new(),
            token_env: "RETRIEVER_SERVE_TOKEN".to_owned(),
            concurrency: 0,
            queue: 64,
            max_sessions: 100,
            max_body_bytes: 1024 * 1024,
            drain_s: 30,
        }
    }
}

/// The report and its rendering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportConfig {
    /// Maximum size of a map, in tokens; 0 is the value of the budget's preset.
    pub max_tokens: u64,
    /// Tokens of inlined code with `--snippets`.
    pub snippet_tokens: u64,
    /// Whether a receipt of each answer is kept on this machine, for `savings`.
    pub receipts: bool,
}

impl Default for ReportConfig {
    fn default() -> Self {
        Self { max_tokens: 0, snippet_tokens: 4_000, receipts: true }
    }
}

impl Config {
    /// Returns the limits of a run with this budget in a workspace of `files` files.
    pub fn limits(&self, budget: &BudgetConfig, files: usize) -> RunBudget {
        let limits = budget.resolve(files);
        let limits = match self.report.max_tokens {
            0 => limits,
            map_tokens => RunBudget { map_tokens, ..limits },
        };
        self.ceiling.map_or(limits, |ceiling| limits.at_most(&ceiling))
    }
}

/// Files that replace the built-in prompts; an empty path keeps the built-in one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PromptConfig {
    /// The rules: `prompts/system.md`.
    pub system: String,
    /// The opening message: `prompts/question.md`.
    pub question: String,
    /// The nudge when the budget runs low: `prompts/nudge.md`.
    pub nudge: String,
    /// The last turn: `prompts/finish.md`.
    pub finish: String,
    /// The repair turn: `prompts/repair.md`.
    pub repair: String,
}

/// The presets of [`RunBudget`].
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<EffortPreset>)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffortPreset {
    /// Few steps, for a simple question.
    Quick,
    /// The default.
    #[default]
    Medium,
    /// Many steps, for a large or unclear question.
    Thorough,
}
