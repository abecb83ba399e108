//! The configuration: every key with its type and default. `config.example.toml` documents every key, and a test checks that
//! it parses to these defaults. The module `load_config` reads the
//! values.

mod config_error;
mod embedding_config;
pub mod endpoint;
pub mod find_roots;
pub mod load_config;
mod model_config;
mod print_config;
pub mod process_environment;
mod run_budget;
mod serve_config;
mod settings_layers;
mod storage_config;
mod untrusted_config;
pub use self::embedding_config::EmbeddingConfig;
pub use self::model_config::{ModelConfig, Prices, ToolCallMode};
pub use self::run_budget::{BudgetConfig, EffortPreset, RunBudget};
pub use self::serve_config::{SandboxConfig, ServeConfig};
pub use self::storage_config::{GraphConfig, IndexConfig};

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// The model that gives texts their vectors.
    pub embedding: EmbeddingConfig,
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
    /// The workspace's limits, for any effort of a question; `None` when it sets none.
    #[serde(skip)]
    pub ceiling: Option<RunBudget>,
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
