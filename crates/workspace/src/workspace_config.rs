//! The configuration of a workspace. The caller decides where values come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which files there are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorkspaceConfig {
    /// Globs of files to leave out, beside the ignore files; also of those that git tracks.
    pub ignore: Vec<String>,
    /// Whether hidden files are walked. The secrets list holds either way.
    pub hidden: bool,
    /// Globs of files that are never read, listed or sent, beside the built-in list of secrets.
    pub secrets: Vec<String>,
    /// Largest file that is searched or read, in bytes.
    pub max_file_bytes: u64,
    /// Folders that are one workspace when no root is named. Whoever opens the workspace reads this list.
    pub roots: Vec<RootConfig>,
}

/// One folder of a workspace that has several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RootConfig {
    /// First part of its paths; when empty, the folder's own name.
    #[serde(default)]
    pub name: String,
    /// The folder; a relative path starts at the folder of the configuration file, `~/` at the user's home.
    pub path: String,
}

impl Default for WorkspaceConfig {
    fn default() -> Self {
        Self {
            ignore: Vec::new(),
            hidden: false,
            secrets: Vec::new(),
            max_file_bytes: 4 * 1024 * 1024,
            roots: Vec::new(),
        }
    }
}

/// Extra globs for file traits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FileTraitsConfig {
    /// Tests.
    pub test: Vec<String>,
    /// Test support.
    pub support: Vec<String>,
    /// Generated files.
    pub generated: Vec<String>,
    /// Documentation and examples.
    pub docs_example: Vec<String>,
    /// Vendored code.
    pub vendored: Vec<String>,
}
